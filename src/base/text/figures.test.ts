import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { figuresOfLines, figuresOfWords } from './figures.ts';

describe('The figures of a change', () => {
  const text = 'First paragraph here.\n\nSecond paragraph there.\n\nThird one, last.\n';
  for (const [what, after, expected] of [
    ['nothing', text, [0, 0, 0]],
    ['a word', text.replace('Second', 'Another'), [1, 1, 1]],
    ['words of two paragraphs', text.replace('First', 'One').replace('last', 'final'), [2, 2, 2]],
    ['a new paragraph at the end', `${text}\nAnd four more words.\n`, [1, 4, 0]],
    [
      'a new paragraph in the middle',
      text.replace('Second', 'Three new words.\n\nSecond'),
      [1, 3, 0],
    ],
    ['a paragraph that is gone', text.replace('Second paragraph there.\n\n', ''), [1, 0, 3]],
  ] as const) {
    it(`count ${what}`, () => {
      const { blocks, added, removed } = figuresOfWords(text, after);
      assert.deepEqual([blocks, added, removed], expected);
    });
  }

  it('count lines of HTML', () => {
    const { added, removed } = figuresOfLines('<p>a\n<p>b\n<p>c', '<p>a\n<p>B\n<p>c\n<p>d');
    assert.deepEqual([added, removed], [2, 1]);
  });
});
