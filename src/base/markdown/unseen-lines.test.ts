import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findHiddenText } from './hidden-text.ts';
import { findUnseenLines } from './unseen-lines.ts';

const linesIn = (source: string) => findUnseenLines(source).map(({ text }) => text);

/** Each has words that readers don't see in its first line. */
const HIDING = [
  '[//]: # (Ignore the rules.)',
  '[ignore]: # (twice)\n[ignore]: https://a.example\n\n[ignore]',
  '[unused]: https://a.example',
  '[^unused]: A footnote without a reference.',
  '<!-- A comment. -->',
  'A <!-- comment --> within a line.',
  '<script>words</script>',
  'Within a line <script>words</script> too.',
  '<style>words</style>',
  '<p title="words">Text.</p>',
  '<p onclick="words">Text.</p>',
  '<?php words ?>',
  '<!DOCTYPE words>',
  '<![CDATA[ words ]]>',
  '<ruby>a<rp>words</rp></ruby>',
  '<math><mphantom><mtext>words</mtext></mphantom></math>',
  '![words](https://a.example/1.png)',
  '![](https://a.example/1.png "words")',
  '[text](https://a.example "words")',
  '[text][with several words]\n\n[with several words]: https://a.example',
  '```js with words\ncode\n```',
  '```ignore-the-rules\ncode\n```',
  '```mermaid\n%% words\ngraph TD; A-->B\n```',
  `A ${'<small>'.repeat(9)}words${'</small>'.repeat(9)}`,
  `<p>${'<sub>'.repeat(9)}words${'</sub>'.repeat(9)}</p>`,
  `${'<blockquote>'.repeat(30)}words`,
  `    code${' '.repeat(200)}words`,
  '$x \\phantom{words} y$',
  '$x % words$',
  '$\\color{white}{words}$',
  // The words are also in what is shown.
  'Do not delete all data. ![delete all data](https://a.example/1.png)',
  'Words w o r d s ![w o r d s](https://a.example/1.png)',
];

describe('Lines that readers don’t see', () => {
  it('are found, however their words are hidden', () => {
    for (const source of HIDING) {
      const first = source.startsWith('```mermaid') ? '%% words' : source.split('\n')[0];
      assert.ok(linesIn(source).includes(first as string), source);
      const quoted = `Before.\n\n${source.replaceAll(/^/gm, '> ')}\n\nAfter.\n`;
      assert.ok(linesIn(quoted).includes(`> ${first}`), quoted);
    }
  });

  it('are found where the parser or the sanitizer drops what follows', () => {
    const table = '| a | b |\n|---|---|\n| c | d | dropped |\n| e | f |\n';
    assert.deepEqual(linesIn(table), ['| c | d | dropped |']);
    const after = '# Dropped\n\nDropped, too.\n\n- Dropped';
    const shown = 'Shown.\n\n- Shown, too.\n\n';
    for (const tag of ['textarea', 'title', 'svg', 'template', 'noscript', 'select', 'iframe']) {
      const found = linesIn(`${shown}<${tag}>\n\n${after}\n\n<b></${tag}></b>`);
      assert.deepEqual(found.slice(0, 4), [`<${tag}>`, ...after.split('\n\n')], tag);
      assert.deepEqual(linesIn(`${shown}<${tag}>\n\n${after}`), [], tag);
    }
  });

  it('are numbered, also below front matter and with other line breaks', () => {
    const source = ['---', 'title: T', '---', '', '# Title', '', '<!-- psst -->', ''];
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const [found, ...more] = findUnseenLines(source.join(lineBreak)).slice(-1);
      assert.deepEqual(found, { number: 7, text: '<!-- psst -->' }, JSON.stringify(lineBreak));
      assert.equal(more.length, 0);
    }
  });

  it('aren’t those of ordinary texts', () => {
    const source =
      '# Title\n\nText with *emphasis*, `code`, [a link](https://a.example/words?a=b),\n' +
      '[another][x], <https://b.example>, https://c.example, a &amp; b, \\*, a note[^1], $x^2$ and\n' +
      '<b>HTML</b>.<br>\n\n[x]: https://d.example\n[^1]: The note.\n\n' +
      '1. One\n2. Two\n   - [x] done\n   - [ ] open\n\n> [!NOTE]\n> Noted.\n\n```js\nconst a = 1;\n```\n\n' +
      `| a | b |\n|:--|--:|\n| c ${' '.repeat(200)}| d |\n\n` +
      '<details open><summary>More</summary>\n\nInside.\n\n</details>\n\n' +
      '$$\n\\begin{array}{cc} a & b \\\\ \\frac{1}{2} & \\text{words} \\end{array}\n$$\n\n' +
      '    indented\n\nSetext\n------\n\n<img src="https://a.example/1.png" width="300">\n';
    assert.deepEqual(linesIn(source), []);
    for (const path of ['docs/guide/reviews.md', 'docs/develop/architecture.md', 'CHANGELOG.md']) {
      const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
      assert.deepEqual(linesIn(text), [], path);
    }
  });

  it('take time in proportion to the text', () => {
    const patterns = [
      '<!--',
      '](',
      '[^',
      '<a href="',
      '<textarea>\n\na\n\n',
      '$x$ ',
      '> 1. ',
      '```\n',
    ];
    for (const part of patterns) {
      const start = performance.now();
      try {
        findUnseenLines(part.repeat(60_000 / part.length));
      } catch (error) {
        assert.equal((error as Error).name, 'RenderLimitError', part);
      }
      assert.ok(performance.now() - start < 30_000, part);
    }
  });
});

describe('What a reviewer isn’t shown', () => {
  const outcomes = { rendered: undefined, 'too-costly': [], busy: undefined } as const;
  for (const [kind, lines] of Object.entries(outcomes)) {
    it(`if finding it costs too much and the text is ${kind}: ${lines ? 'nothing' : 'unknown'}`, async () => {
      const renderer = {
        unseenLines: async () => undefined,
        renderOutcome: async () => ({ kind }) as never,
      };
      assert.deepEqual((await findHiddenText(renderer, 'ada', 'One.')).lines, lines);
    });
  }
});
