import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inLineBreaksOf, lineBreakOf, withLineFeeds } from './line-breaks.ts';
import { twoTexts } from './texts.testing.ts';

describe('A text with the line breaks of the one that it replaces', () => {
  it('has the same lines, and none changes again', () => {
    fc.assert(
      fc.property(twoTexts, ([before, text]) => {
        const made = inLineBreaksOf(before, text);
        assert.equal(withLineFeeds(made), withLineFeeds(text));
        assert.equal(inLineBreaksOf(before, made), made);
        const isSame = withLineFeeds(before) === withLineFeeds(text);
        if (isSame && lineBreakOf(before)) assert.equal(made, before);
      }),
      { numRuns: 1000 },
    );
  });

  const cases: [string, string, string][] = [
    ['a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['a\nb\n', 'a\r\nc\r\n', 'a\nc\n'],
    ['one line', 'a\r\nb', 'a\r\nb'],
    ['', 'a\r\nb', 'a\r\nb'],
    ['a\r\nb\nc\r\n', 'a\nb\nnew\nc\n', 'a\r\nb\nnew\r\nc\r\n'],
    ['a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['a\nb\r\n', 'b\na\n', 'b\r\na\n'],
    ['a\r\nb\r\n', 'x\ry\n', 'x\ry\r\n'],
  ];
  for (const [before, text, expected] of cases) {
    it(`${JSON.stringify(text)} over ${JSON.stringify(before)}`, () => {
      assert.equal(inLineBreaksOf(before, text), expected);
    });
  }
});
