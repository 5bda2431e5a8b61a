import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RenderLimitError } from '../../src/markdown/limits.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { sanitize } from '../../src/markdown/sanitize.ts';
import { allElements, parseTree } from './html-comparison.ts';
import { assertHarmless } from './safety.ts';
import { XSS_VECTORS } from './xss-vectors.ts';

const html = (source: string): string => renderMarkdown(source).html;

test('no vector survives, alone or within other Markdown', () => {
  for (const vector of XSS_VECTORS) {
    const indented = vector.replaceAll('\n', '\n  ');
    for (const source of [
      vector,
      `text ${vector} text`,
      `- ${indented}`,
      `> ${vector.replaceAll('\n', '\n> ')}`,
      `# ${vector}`,
      `|a|\n|-|\n|${vector}|`,
      `<div>\n${vector}\n</div>`,
      `<details><summary>${vector}</summary>\n\n${vector}\n\n</details>`,
      `<table><tr><td>${vector}`,
      `<math><mtext>${vector}</mtext></math>`,
      `[^1]\n\n[^1]: ${indented}`,
      `*a* <b ${vector}>`,
      `<a href="${vector}">x</a>`,
      `<p title='${vector}'>x</p>`,
    ]) {
      const output = html(source);
      assertHarmless(output);
      assert.equal(sanitize(output), output, source);
    }
  }
});

test('no two vectors make one together, and sanitizing again changes nothing', () => {
  const fragments = fc.oneof(
    fc.constantFrom(...XSS_VECTORS),
    fc.constantFrom(
      ...'<a <b> </b> <p> </p> <div> </div> <li> <ul> </ul> <table> <tr> <td> </table> <math> </math>'.split(
        ' ',
      ),
      ...'<mtext> </mtext> <svg> </svg> <style> </style> <details> <summary> <h1> </h1> <pre> <h2>'.split(
        ' ',
      ),
      ...'" \' > < = / ` * _ [ ] ( ) ! # - $ $$ ~~ | & ; : \\ \0'.split(' '),
      ...[
        '\n',
        '\n\n',
        ' ',
        '\t',
        '    ',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '&#x',
        '&lt;',
        '<a href=',
      ],
      ...[
        'href="',
        'onclick=',
        'javascript:',
        'id=x ',
        '- [ ] ',
        '> ',
        '1. ',
        '[^1]',
        '[^1]: ',
        '```\n',
      ],
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
      const source = parts.join('');
      let output: string;
      try {
        output = html(source);
      } catch (error) {
        assert.ok(error instanceof RenderLimitError, source);
        return;
      }
      assertHarmless(output);
      assert.equal(sanitize(output), output);
      // Within the markup itself, whatever a parser makes of it.
      for (const [tag] of output.matchAll(/<[^>]*>/g)) {
        assert.doesNotMatch(tag, /<\/?(?:script|style|iframe|svg|form|base|link|meta)\b/i, source);
        const outsideValues = tag.replace(/"[^"]*"/g, '""');
        assert.doesNotMatch(outsideValues, /\son\w+\s*=/i, source);
        assert.doesNotMatch(tag, /(?:href|src)="\s*(?:javascript|data|vbscript):/i, source);
      }
    }),
    { numRuns: 3_000, seed: 20_261_121 },
  );
});

test('an article cannot end an element of the page around it', () => {
  const fragments = fc.constantFrom(
    ...'<ul> <ol> <li> </li> </ul> <div> </div> <p> </p> <table> <tr> <td> <th> </td> </tr> </table>'.split(
      ' ',
    ),
    ...'<a> </a> <b> </b> <dl> <dd> <dt> </dl> <details> <summary> <section> </section> <h1>'.split(
      ' ',
    ),
    ...'<caption> <tbody> <math> <mi> </mi> </math> <ruby> <rt> <svg> <button> <select> <option>'.split(
      ' ',
    ),
    'x',
    '\n\n',
  );
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 14 }), (parts) => {
      let output: string;
      try {
        output = html(`<div>\n${parts.join('')}`);
      } catch (error) {
        assert.ok(error instanceof RenderLimitError);
        return;
      }
      const page = parseTree(`<div><article>${output}</article><footer>end</footer></div>`);
      const [outer] = page.childNodes;
      assert.equal(page.childNodes.length, 1, output);
      assert.ok(outer && 'childNodes' in outer);
      assert.deepEqual(
        outer.childNodes.map((node) => node.nodeName),
        ['article', 'footer'],
        output,
      );
    }),
    { numRuns: 2_000, seed: 20_261_121 },
  );
});

test('what people write as HTML on GitHub stays', () => {
  const source = [
    '<details open><summary>More <b>of</b> it</summary>\n\n*Markdown*\n\n</details>',
    '<p align="center"><img src="logo.png" alt="Logo" width="120" height="40"></p>',
    'H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd> <ins>i</ins> <del>d</del> <mark>m</mark> <br>',
    '<picture><source media="(prefers-color-scheme: dark)" srcset="dark.png"><img src="light.png" alt=""></picture>',
    '<dl><dt>t</dt><dd>d</dd></dl>',
    '<abbr title="Portable">P</abbr> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <q>q</q>',
    '<table><thead><tr><th colspan="2" align="left">h</th></tr></thead><tbody><tr><td rowspan="2">x</td></tr></tbody></table>',
  ];
  const output = html(source.join('\n\n'));
  for (const part of [
    '<details open><summary>More <b>of</b> it</summary>',
    '<p><em>Markdown</em></p>',
    '<p align="center"><img src="logo.png" alt="Logo" width="120" height="40" loading="lazy" decoding="async" /></p>',
    'H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd> <ins>i</ins> <del>d</del> <mark>m</mark> <br />',
    '<source media="(prefers-color-scheme: dark)" srcset="dark.png" />',
    '<dl><dt>t</dt><dd>d</dd></dl>',
    '<abbr title="Portable">P</abbr> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <q>q</q>',
    '<th colspan="2" align="left">h</th>',
    '<td rowspan="2">x</td>',
  ]) {
    assert.ok(output.includes(part), `${part}\nin\n${output}`);
  }
});

test('links: outgoing ones are marked, relative and mail links are not', () => {
  const rel = (source: string): (string | undefined)[] =>
    allElements(parseTree(html(source)))
      .filter((element) => element.tagName === 'a')
      .map((element) => element.attrs.find(({ name }) => name === 'rel')?.value);
  const outgoing = 'nofollow ugc noopener noreferrer';
  assert.deepEqual(rel('[a](https://a.example) <http://b.example> www.c.example'), [
    outgoing,
    outgoing,
    outgoing,
  ]);
  assert.deepEqual(
    rel('[a](//a.example) <a href="\\\\a.example">b</a> <a href="HTTP:a.example">'),
    [outgoing, outgoing, outgoing],
  );
  assert.deepEqual(rel('[a](/a) [b](b) [c](#c) [d](?d) [e](mailto:e@e.example) <a rel="me">'), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('ids of authors are prefixed, and links within the article find them', () => {
  assert.equal(
    html(
      '<a name="old"></a> <span id="new">x</span> [1](#old) [2](#new) [3](#user-content-new) [4](#)',
    ),
    '<p><a id="user-content-old"></a> <span id="user-content-new">x</span> ' +
      '<a href="#user-content-old">1</a> <a href="#user-content-new">2</a> ' +
      '<a href="#user-content-new">3</a> <a href="#">4</a></p>\n',
  );
});
