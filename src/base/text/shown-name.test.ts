import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseShownName, unwantedCharacter, withoutUnwanted } from './shown-name.ts';

test('names keep every language, including emoji sequences', () => {
  for (const name of [
    'Analytical Engines',
    'شركة',
    'می‌خواهم',
    'עברית',
    '👩‍👩‍👧',
    'Zoë & Co. <b>',
    '李',
  ]) {
    assert.deepEqual(parseShownName(name), { name });
  }
  assert.deepEqual(parseShownName(' \n padded\t'), { name: 'padded' });
});

test('control characters and bidirectional controls are refused by code point', () => {
  const refused: [character: string, codePoint: string][] = [
    ['\0', 'U+0000'],
    ['\u0007', 'U+0007'],
    ['\n', 'U+000A'],
    ['\u007f', 'U+007F'],
    ['\u0085', 'U+0085'],
    ['\u061c', 'U+061C'],
    ['\u200e', 'U+200E'],
    ['\u200f', 'U+200F'],
    ['\u2028', 'U+2028'],
    ['\u2029', 'U+2029'],
    ['\u202a', 'U+202A'],
    ['\u202e', 'U+202E'],
    ['\u2066', 'U+2066'],
    ['\u2069', 'U+2069'],
    ['\ud800', 'U+D800'],
  ];
  for (const [character, codePoint] of refused) {
    const text = `Ada ${character} Ltd`;
    assert.equal(unwantedCharacter(text), codePoint);
    assert.deepEqual(parseShownName(text), {
      problem: `must not contain the character ${codePoint}`,
    });
    assert.equal(withoutUnwanted(text), 'Ada \ufffd Ltd');
  }
});

test('names have a limited length, and at most 1,000 units with surrounding space', () => {
  const problem = 'must have 1 to 100 characters';
  const longest = '😀'.repeat(100);
  assert.deepEqual(parseShownName(longest), { name: longest });
  for (const text of ['', ' ', `${longest}😀`, `${' '.repeat(1_000)}a`]) {
    assert.deepEqual(parseShownName(text), { problem });
  }
});
