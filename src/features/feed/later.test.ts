import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { laterUntil } from './later.ts';

describe('What is put off comes back', () => {
  for (const [choice, now, offset, until] of [
    // 28 November 2026 is a Saturday.
    ['tomorrow', '2026-11-28T12:00:00.000Z', 0, '2026-11-29T08:00:00.000Z'],
    ['monday', '2026-11-28T12:00:00.000Z', 0, '2026-11-30T08:00:00.000Z'],
    ['monday', '2026-11-30T07:00:00.000Z', 0, '2026-12-07T08:00:00.000Z'],
    ['monday', '2026-11-29T23:30:00.000Z', -60, '2026-12-07T07:00:00.000Z'],
    ['tomorrow', '2026-11-28T23:30:00.000Z', -60, '2026-11-30T07:00:00.000Z'],
    ['tomorrow', '2026-11-28T03:00:00.000Z', 480, '2026-11-28T16:00:00.000Z'],
  ] as const) {
    it(`${choice} at ${now} with an offset of ${offset}`, () => {
      assert.equal(laterUntil(choice, now, offset), until);
    });
  }
});
