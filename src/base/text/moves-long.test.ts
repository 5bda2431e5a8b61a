import { describe, it } from 'node:test';
import { readNumber } from '../../../test/chance.ts';
import { checkHistories, checkMerges, EDITS, MOVES } from './moving-texts.testing.ts';

const ROUNDS = readNumber('TEXT_ROUNDS') ?? 1;

describe('Many moves', () => {
  it('leave words their authors', () => {
    checkHistories('many moves', 100 * ROUNDS);
    checkHistories('many edits', 50 * ROUNDS, EDITS);
  });

  it('are merged without losing, doubling or gluing words', () => {
    const all = [...EDITS, ...MOVES];
    for (const ways of [
      [EDITS, EDITS],
      [EDITS, MOVES],
      [MOVES, MOVES],
      [all, all],
    ] as const) {
      checkMerges('many merges', 1_000 * ROUNDS, ways);
    }
  });
});
