import { describe, it } from 'node:test';
import { checkHistories, checkMerges, EDITS, MOVES } from './moving-texts.testing.ts';

describe('Many moves', () => {
  it('leave words their authors', () => {
    checkHistories('many moves', 300);
    checkHistories('many edits', 150, EDITS);
  });

  it('are merged without losing, doubling or gluing words', () => {
    const all = [...EDITS, ...MOVES];
    for (const ways of [
      [EDITS, EDITS],
      [EDITS, MOVES],
      [MOVES, MOVES],
      [all, all],
    ] as const) {
      checkMerges('many merges', 3_000, ways);
    }
  });
});
