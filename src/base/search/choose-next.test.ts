import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { chooseNext } from './choose-next.ts';

const waiting = [
  { id: 'm1', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'm2', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'm3', ownerId: 'mallory', sizeBytes: 10 },
  { id: 'gone', ownerId: null, sizeBytes: 0 },
  { id: 'a1', ownerId: 'ada', sizeBytes: 60 },
  { id: 'a2', ownerId: 'ada', sizeBytes: 10 },
];

describe('Choosing what to index next', () => {
  for (const [what, limits, chosen] of [
    ['owners take turns', { documents: 10, bytes: 200 }, ['gone', 'a1', 'm1', 'a2', 'm2', 'm3']],
    ['no more than so many', { documents: 2, bytes: 200 }, ['gone', 'a1']],
    ['no more than so much', { documents: 10, bytes: 65 }, ['gone', 'a1']],
  ] as const) {
    it(what, () => {
      assert.deepEqual(
        chooseNext(waiting, limits).map(({ id }) => id),
        chosen,
      );
    });
  }

  it('takes the first document of any size', () => {
    const [large] = chooseNext(waiting.slice(4), { documents: 10, bytes: 5 });
    assert.equal(large?.id, 'a1');
  });

  it('takes one per owner before a second of any owner', () => {
    const left = [...waiting];
    const order: string[] = [];
    let lastOwner: string | null | undefined;
    while (left.length > 0) {
      const [next] = chooseNext(left, { documents: 1, bytes: 5 }, lastOwner);
      assert.ok(next);
      order.push(next.id);
      lastOwner = next.ownerId;
      left.splice(left.indexOf(next), 1);
    }
    assert.deepEqual(order, ['gone', 'a1', 'm1', 'a2', 'm2', 'm3']);
  });

  it('takes nothing from an empty queue', () => {
    assert.deepEqual(chooseNext([], { documents: 10, bytes: 10 }), []);
  });
});
