import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { takeTurns } from '../../src/document/search/choose-next.ts';

const waiting = [
  { id: 'm1', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'm2', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'm3', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'gone', ownerId: null, sizeBytes: 0 },
  { id: 'a1', ownerId: 'ada', sizeBytes: 60 },
  { id: 'a2', ownerId: 'ada', sizeBytes: 10 },
];

describe('What is indexed next', () => {
  for (const [what, limits, chosen] of [
    ['owners take turns', { documents: 10, bytes: 200 }, ['m1', 'gone', 'a1', 'm2', 'a2', 'm3']],
    ['no more than so many', { documents: 2, bytes: 200 }, ['m1', 'gone']],
    ['no more than so much', { documents: 10, bytes: 70 }, ['m1', 'gone', 'a1']],
    ['the first, however large', { documents: 10, bytes: 5 }, ['m1']],
  ] as const) {
    it(what, () => {
      assert.deepEqual(
        takeTurns(waiting, limits).map(({ id }) => id),
        chosen,
      );
    });
  }

  it('nothing where nothing waits', () => {
    assert.deepEqual(takeTurns([], { documents: 10, bytes: 10 }), []);
  });
});
