import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { SecondHitCache } from '../src/second-hit-cache.ts';

/** A cache of texts that each take as much as they are long. */
const cacheOf = (maxBytes: number, maxEntryBytes = maxBytes) =>
  new SecondHitCache<{ text: string }>({ maxBytes, maxEntryBytes }, ({ text }) => text.length);

const keep = (cache: ReturnType<typeof cacheOf>, key: string, text: string) =>
  [1, 2].map(() => cache.offer(key, () => ({ text })))[1];

describe('A cache of what is asked for again', () => {
  it('keeps what it is offered the second time, which is made only then', () => {
    const cache = cacheOf(100);
    let made = 0;
    const offer = () =>
      cache.offer('a', () => {
        made += 1;
        return { text: `${made}` };
      });
    assert.equal(offer(), false);
    assert.equal(cache.get('a'), undefined);
    assert.equal(made, 0);
    assert.equal(offer(), true);
    assert.equal(cache.get('a')?.text, '1');
  });

  it('has those go first that were used longest ago', () => {
    const cache = cacheOf(30);
    for (const key of ['a', 'b', 'c']) keep(cache, key, 'x'.repeat(10));
    cache.get('a');
    keep(cache, 'd', 'x'.repeat(10));
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].filter((key) => cache.get(key)),
      ['a', 'c', 'd'],
    );
  });

  it('counts what is kept anew under the same key once', () => {
    const cache = cacheOf(30);
    keep(cache, 'a', 'x'.repeat(10));
    for (let times = 0; times < 10; times += 1) keep(cache, 'b', 'x'.repeat(10));
    assert.ok(cache.get('a'));
  });

  it('keeps nothing that is too large, and lets go of nothing for it', () => {
    const cache = cacheOf(100, 50);
    keep(cache, 'a', 'x'.repeat(50));
    assert.equal(keep(cache, 'b', 'x'.repeat(51)), false);
    assert.equal(cache.get('b'), undefined);
    assert.ok(cache.get('a'));
  });

  it('knows what it is offered again and again, however much else it is', () => {
    const cache = cacheOf(1, 1);
    const offer = (key: string) => cache.offer(key, () => ({ text: 'x' }));
    offer('a');
    for (let round = 0; round < 4; round += 1) {
      for (let key = 0; key < 3_000; key += 1) offer(`${round} ${key}`);
      assert.equal(offer('a'), true);
    }
  });

  it('forgets one, or all, but not what it was offered', () => {
    const cache = cacheOf(100);
    keep(cache, 'a', 'a');
    keep(cache, 'b', 'b');
    cache.delete('a');
    assert.equal(cache.get('a'), undefined);
    assert.ok(cache.get('b'));
    cache.clear();
    assert.equal(cache.get('b'), undefined);
    assert.equal(
      cache.offer('b', () => ({ text: 'b' })),
      true,
    );
  });

  it('pushes nothing out for many that are offered once', () => {
    const cache = cacheOf(100);
    keep(cache, 'a', 'a');
    for (let round = 0; round < 2; round += 1) {
      for (let key = 0; key < 10_000; key += 1) cache.offer(`${key}`, () => ({ text: 'x' }));
    }
    assert.ok(cache.get('a'));
  });
});
