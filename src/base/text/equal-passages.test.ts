import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { followInPairs, followThroughHistories } from './equal-passages.testing.ts';

describe('A comment on one of several equal passages, at length', () => {
  it('stays in its paragraph, whatever order up to five get', () => {
    assert.deepEqual(followInPairs(1), { right: 68_121, wrong: [], missed: 0 });
  });

  it('almost never goes to another line, and is almost never lost', () => {
    const { right, wrong, missed } = followThroughHistories(20_000);
    // Some can't be told apart: a heading that was renamed and moved, for example.
    assert.ok(wrong.length * 200 <= right, wrong.slice(0, 3).join('\n---\n'));
    assert.ok(missed * 50 <= right, `${missed} missed, ${right} right`);
  });
});
