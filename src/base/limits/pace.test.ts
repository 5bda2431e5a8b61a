import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { createPace } from './pace.ts';

describe('A pace', () => {
  it('lets a burst pass, and then makes a key wait for what it did, but no other key', () => {
    const pace = createPace({ burst: 10, perSecond: 1 });
    for (let count = 0; count < 10; count += 1) assert.equal(pace('a', 1), 0);
    const next = pace('a', 1);
    assert.ok(next > 900 && next <= 1_000, `${next} ms`);
    assert.ok(pace('a', 5) > 5_500);
    assert.equal(pace('b', 10), 0);
    assert.ok(pace('a', 0) > 5_500, 'asking costs nothing');
  });
});
