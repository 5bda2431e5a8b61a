import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitCombiningMarks } from './combining-marks.ts';

const GRAVE_AND_BELOW = '\u0300\u0316';

test('a run of combining marks is cut after its 30th', () => {
  assert.equal(
    limitCombiningMarks(`a${GRAVE_AND_BELOW.repeat(40)}b${GRAVE_AND_BELOW.repeat(16)}c`),
    `a${GRAVE_AND_BELOW.repeat(15)}b${GRAVE_AND_BELOW.repeat(15)}c`,
  );
});

test('runs of up to 30 combining marks stay as they are', () => {
  for (const text of ['', 'plain', 'Zoë', `a${GRAVE_AND_BELOW.repeat(15)}`, 'नमस्ते', '👩‍👩‍👧']) {
    assert.equal(limitCombiningMarks(text), text);
  }
});

test('a normalised text of limited runs differs only where it was cut', () => {
  const text = `x${'\u0316\u0300'.repeat(15)}`;
  assert.equal(limitCombiningMarks(text).normalize('NFC'), text.normalize('NFC'));
});
