import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNumber } from '../../../test/chance.ts';
import { followInPairs, followThroughHistories } from './equal-passages.testing.ts';

/** How many times as much; with more than one, also all pairs. */
const ROUNDS = readNumber('TEXT_ROUNDS') ?? 1;

describe('A comment on one of several equal passages, at length', () => {
  it('stays in its paragraph, whatever order up to five get', () => {
    const { right, wrong, missed } = followInPairs(ROUNDS > 1 ? 1 : 5);
    assert.deepEqual([wrong, missed], [[], 0]);
    assert.ok(right > 13_000);
  });

  it('almost never goes to another line, and is almost never lost', () => {
    const { right, wrong, missed } = followThroughHistories(4_000 * ROUNDS);
    // Some can't be told apart: a heading that was renamed and moved, for example.
    assert.ok(wrong.length * 200 <= right, wrong.slice(0, 3).join('\n---\n'));
    assert.ok(missed * 50 <= right, `${missed} missed, ${right} right`);
  });
});
