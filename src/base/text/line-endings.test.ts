import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withEndingsOf, withLineFeeds } from './line-endings.ts';

describe('The line endings of an edited text', () => {
  it('are those of the version before', () => {
    const cases: [before: string, edited: string, expected: string][] = [
      ['a\nb\n', 'a\nc\n', 'a\nc\n'],
      ['', 'a\nb', 'a\nb'],
      ['a', 'a\nb', 'a\nb'],
      ['# T\r\n\r\na\r\nb\r\n', '# T\n\na\nb\nadded', '# T\r\n\r\na\r\nb\r\nadded'],
      ['a\r\nb', 'a\nx\nb\n', 'a\r\nx\r\nb\r\n'],
      ['a\rb\rc', 'a\nb\nc\nd', 'a\rb\rc\rd'],
      // Mixed: the lines keep theirs, and new lines get the most common ending.
      ['a\r\nb\nc\r\n', 'a\nb\nc\nd\n', 'a\r\nb\nc\r\nd\r\n'],
      ['a\nb\r\nc\nd\n', 'x\nb\nc\ny\nd\n', 'x\nb\r\nc\ny\nd\n'],
      ['a\nb\r\nc\n', 'b\nc\n', 'b\r\nc\n'],
      ['\n\r\n\n', '\n\n\n', '\n\r\n\n'],
      ['a\r\n', '', ''],
    ];
    for (const [before, edited, expected] of cases) {
      assert.equal(withEndingsOf(before, edited), expected, JSON.stringify(before));
    }
  });

  it('never change the words, nor a text that wasn’t edited', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '', '\n', '\r\n', '\r'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edited = withLineFeeds(after);
        assert.equal(withLineFeeds(withEndingsOf(before, edited)), edited);
        assert.equal(withEndingsOf(before, withLineFeeds(before)), before);
      }),
    );
  });
});
