import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFound } from '../text/quote-search.ts';
import { assertAllReplaced } from './brief-replacement.testing.ts';
import { fitInBrief } from './brief-replacement.ts';
import { findQuote } from './quotes.ts';

const CASES: [source: string, quote: string, text: string, result: string][] = [
  ['It was **really big** and old.', 'was really', 'is very', 'It is very **big** and old.'],
  ['It was **really big** and old.', 'big and', 'small but', 'It was **really** small but old.'],
  ['**a b** c *d e*', 'b c d', 'X', '**a** X *e*'],
  [
    '~~old gone~~ and _very *deep words* here_ ok',
    'gone and very deep',
    'X',
    '~~old~~ X _*words* here_ ok',
  ],
  ['see [the link](http://a.b/c) here', 'see the', 'read a', 'read a [link](http://a.b/c) here'],
  [
    'see [the link][r] here\n\n[r]: http://a.b/c',
    'link here',
    'x',
    'see [the][r] x\n\n[r]: http://a.b/c',
  ],
  [
    'see [the link] here\n\n[the link]: /c',
    'see the',
    'read a',
    'read a [link][the link] here\n\n[the link]: /c',
  ],
  [
    'see [the link] here\n\n[the link]: /c',
    'the',
    'a',
    'see [a link][the link] here\n\n[the link]: /c',
  ],
  ['see [the **bold link** words](/c) here', 'see the bold', 'x', 'x [**link** words](/c) here'],
  ['see <http://a.b/c> here', 'see http://a.b/c', 'read', 'read here'],
  ['see <http://a.b/c> here', 'a.b', 'c.d', 'see <http://c.d/c> here'],
  ['see [[The Page]] here', 'see The', 'read', 'read [[The Page|Page]] here'],
  ['see [[The Page|the label]] here', 'label here', 'x', 'see [[The Page|the]] x'],
  ['run `npm install now` please', 'run npm', 'do', 'do `install now` please'],
  ['run `npm install now` please', 'install', 'a`b', 'run `` npm a`b now `` please'],
  ['<b>bold words</b> and <kbd>Ctrl C</kbd>', 'words and Ctrl', 'X', '<b>bold</b> X <kbd>C</kbd>'],
  ['<div>some <b>bold text</b> here</div>', 'some bold', 'x', '<div>x <b>text</b> here</div>'],
  ['2 \\* 3 &amp; 4 and more', '* 3 & 4', '- 5', '2 - 5 and more'],
  ['word[^1] next one\n\n[^1]: The note.', 'word next', 'x', 'x[^1] one\n\n[^1]: The note.'],
  ['a ![pic](/p.png) b c', 'a b', 'x', 'x c'],
  ['a $x^2$ b c', 'a b', 'x', 'x c'],
  ['a **b**\n**c d** e', 'a b c', 'X', 'X **d** e'],
  ['> a **b\n> c** d', 'a b', 'X', '> X\n> **c** d'],
  ['**really big** x', 'really', '', '**big** x'],
  ['**really big** x', 'really big', '', 'x'],
  ['*a b c*', 'b', '2*3', '*a 2\\*3 c*'],
  ['| x | y |\n|---|---|\n| x1 | y1 |', 'x1 y1', 'xy', '| x | y |\n|---|---|\n| xy |  |'],
  ['| x | y |\n|---|---|\n| x1 | y1 |', 'x1 y1', 'a\nb', '| x | y |\n|---|---|\n| a | b |'],
  ['| x | y |\n|---|---|\n| x1 | y1 |', 'x1 y1', '', '| x | y |\n|---|---|'],
  ['| x | y |\n|---|---|\n| x1 | y1 |', 'x1', 'a | z', '| x | y |\n|---|---|\n| a \\| z | y1 |'],
  ['| x | y |\n|---|---|\n| x1 | y1 |', 'x1', 'l1\nl2', '| x | y |\n|---|---|\n| l1<br>l2 | y1 |'],
  ['# Title\n\nBody text', 'Title Body', 'x', '# x\n\ntext'],
  ['# Title one\n\ntext', 'Title one', 'A\nB', '# A B\n\ntext'],
  ['# Title one\n\ntext', 'Title one', '', 'text'],
  ['- item one\n- item two', 'item two', '', '- item one'],
  ['- item one\n- item two', 'item one', '', '- item two'],
  ['- a1\n- b1\n- c1', 'b1', 'p1\n\np2', '- a1\n- p1\n\n  p2\n- c1'],
  ['- a\n\n  b\n- c', 'a', '', '- b\n- c'],
  ['> a1\n>\n> b1', 'b1', '', '> a1'],
  ['p\n\n> a1\n\nq', 'a1', 'x\n\ny', 'p\n\n> x\n>\n> y\n\nq'],
  ['p\n\n> a1\n\nq', 'a1', '', 'p\n\nq'],
  ['p\n# H\nq', 'H', '', 'p\n\nq'],
  ['a\n\n> [!NOTE]\n> Some note\n\nb', 'Some note', '', 'a\n\nb'],
  ['a **b c**\r\n\r\nd e\r\n', 'c d', 'x', 'a **b** x e\r\n'],
  ['- a\r\n- b1\r\n', 'b1', 'p\nq', '- a\r\n- p\r\n  q\r\n'],
  ['Title **x y**\n=====\n\nbody', 'y body', 'z', 'Title **x** z\n====='],
  ['a\n\nb\n\nc\n', 'b', '', 'a\n\nc\n'],
  ['a\n\nb\n\nc\n', 'b c', '', 'a\n'],
  ['> ```js\n> let a = 1;\n> ```', 'a = 1', '**x**\ny', '> ```js\n> let **x**\n> y;\n> ```'],
  ['one two.\n\nthree four', 'two. three', 'x', 'one x four'],
  ['**one two.**\n\nthree four', 'two. three', 'x', '**one** x four'],
  ['a **b** c', '**b** c', '*d*', 'a *d*'],
  ['a **b d** c', '**b', '**e', 'a **e d** c'],
  ['a **b d** c', '**b', 'b', 'a b **d** c'],
  ['a [x](http://u) b', 'http://u', 'http://v', 'a [x](http://v) b'],
  ['- item one\n- item two', '- item two', '1. two\n2. three', '- item one\n1. two\n2. three'],
  ['- a\n  - b\n  - c', 'b', '', '- a\n  - c'],
  ['- a\n  - b\n    - c', 'a b', 'x', '- x\n    - c'],
  ['- | a |\n  |--|\n  | b |\n- z', 'b', '', '- | a |\n  |--|\n- z'],
  ['- - b\n  - c', 'b', '', '- - c'],
  ['- b\n  - c\n  - e\n- d', 'b', '', '  - c\n  - e\n- d'],
  ['> - a\n> - b\n>   - c', 'b', '', '> - a\n>   - c'],
  ['- b\n\n  > q', 'b', '', '- > q'],
  ['- # H\n  text', 'H', '', '- text'],
  ['- > q\n  >\n  > r', 'q', '', '- > r'],
  ['see [link](u) here', 'link', '', 'see here'],
  ['see [**link**][r] here\n\n[r]: /u', 'link', '', 'see here\n\n[r]: /u'],
  ['press <kbd>Ctrl</kbd> now', 'Ctrl', '', 'press now'],
  ['a [![pic](i)](u) b', 'pic', '', 'a b'],
  ['w[^1]\n\n[^1]: n\n\n    m', 'n', '', 'w[^1]\n\n[^1]: m'],
  ['w\n\n[^1]: n\n\nc', 'n', '', 'w\n\nc'],
  ['see ![the picture](u)', 'picture', 'photo', 'see ![the photo](u)'],
  ['see ![the picture](u)', 'picture', 'a]b', 'see ![the a\\]b](u)'],
  ['| a |\n|--|\n| ![al](u) |', 'al', 'p|q', '| a |\n|--|\n| ![p\\|q](u) |'],
  [
    '![the picture]\n\n[The Picture]: /u',
    'the',
    'a',
    '![a picture][the picture]\n\n[The Picture]: /u',
  ],
  ['see ![x](u "the title") b', 'title', 'name', 'see ![x](u "the name") b'],
  ['see $x^2$ b', 'x^2', 'y^2', 'see $y^2$ b'],
  ['see [[note]] b', 'note', 'other', 'see [[note|other]] b'],
  ['see [[note|the label]] b', 'label', 'a|b', 'see [[note|the a|b]] b'],
  ['see [[note|the label]] b', 'label', 'a]]b', 'see [the a\\]\\]b](note.md) b'],
  ['[[note|label]]', 'label', 'long '.repeat(300), `[${'long '.repeat(300).trim()}](note.md)`],
  ['- a\n- b\n- c', 'b', '| x |\n|--|\n| 1 |', '- a\n- | x |\n  |--|\n  | 1 |\n- c'],
  ['1. a\n2. b', 'b', '> q\n> r', '1. a\n2. > q\n   > r'],
  ['> - a', 'a', '```\nq\n\nr\n```', '> - ```\n>   q\n>\n>   r\n>   ```'],
  ['w[^1]\n\n[^1]: n', 'n', 'x\n\ny', 'w[^1]\n\n[^1]: x\n\n    y'],
  ['- aa\n  bb', 'aa\n  bb', 'xx\n  yy', '- xx\n  yy'],
  ['> aa\n> bb', 'aa\n> bb', 'xx\n> yy', '> xx\n> yy'],
  ['# aa\n\nbb', '# aa', '## xx\n\nyy', '## xx\n\nyy\n\nbb'],
  ['# aa\n\nbb', '# aa', '```\nxx', '# ``` xx\n\nbb'],
  ['> aa\nbb', '> aa', 'xx', '> xx\nbb'],
  ['```py\nif:\n    x\ny\n```', 'x', '', '```py\nif:\ny\n```'],
];

describe('A replacement in a brief', () => {
  for (const [source, quote, text, result] of CASES) {
    it(`of ${JSON.stringify(quote)} in ${JSON.stringify(source)} by ${JSON.stringify(text)}`, () => {
      const range = findQuote(source, { quote });
      assert.ok(isFound(range));
      const fitted = fitInBrief(source, { ...range, text });
      assert.ok(fitted);
      assert.equal(source.slice(0, fitted.start) + fitted.text + source.slice(fitted.end), result);
    });
  }

  const REFUSED = [
    ['```\none\n```\n\ntwo', 'one', 'x\n```\ny'],
    // The note that it refers to would be gone, or the link.
    ['w[^1]\n\n[^1]: note', 'note', ''],
    ['a [x][r]\n\n[r]: /u', '[r]: /u', ''],
    ['[x](http://u) b', 'http://u', 'http://v) (q'],
  ] as const;
  for (const [source, quote, text] of REFUSED) {
    it(`of ${JSON.stringify(quote)} by ${JSON.stringify(text)} is refused`, () => {
      const range = findQuote(source, { quote });
      assert.ok(isFound(range));
      assert.equal(fitInBrief(source, { ...range, text }), undefined);
    });
  }

  it('changes nothing else, whatever is replaced', () => assertAllReplaced(120));
});
