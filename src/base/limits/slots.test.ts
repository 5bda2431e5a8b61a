import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { createSlots } from './slots.ts';

describe('Slots', () => {
  it('are limited per key, and can be taken again once they are given back', () => {
    const slots = createSlots({ total: 10, perKey: 2, reserved: 0 });
    const leave = slots.take('a');
    slots.take('a');
    assert.equal(slots.take('a'), 'own');
    assert.deepEqual(slots.listFull(), ['a']);
    assert.equal(typeof slots.take('b'), 'function');
    assert.ok(typeof leave === 'function');
    leave();
    assert.deepEqual(slots.listFull(), []);
    assert.equal(typeof slots.take('a'), 'function');
  });

  it('are kept for keys that have none, while few are free', () => {
    const slots = createSlots({ total: 10, perKey: 4, reserved: 3 });
    const greedy = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map((key) => slots.take(key));
    assert.equal(greedy.filter((one) => typeof one === 'function').length, 7);
    assert.deepEqual(slots.listFull(), ['a', 'b']);
    for (const key of ['c', 'd', 'e']) assert.equal(typeof slots.take(key), 'function', key);
    assert.equal(slots.take('d'), 'all');
    assert.equal(slots.take('f'), 'all');
  });
});
