import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allElements, parseTree } from '../../../test/markdown/html-comparison.ts';
import { renderMarkdown } from './render.ts';

const html = (source: string): string => renderMarkdown(source).html;

test('keeps HTML that people use on GitHub', () => {
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

test('links: external ones are marked, relative and mail links aren’t', () => {
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

test('a refused address turns nothing into text: pictures show their description, links the address', () => {
  const data = `data:image/png;base64,${'A'.repeat(5_000)}`;
  for (const source of [
    `![dot](${data})`,
    `![dot](<${data}>)`,
    `![dot](${data} "title")`,
    `![dot|300](${data})`,
    `![dot][d]\n\n[d]: ${data}`,
    `<img src="${data}" alt="dot">`,
    `<p><img alt="dot" srcset="${data} 2x"></p>`,
    `| a |\n|---|\n| ![dot](${data}) |`,
    '![dot](file:///a.png)',
    '![dot](blob:https://a.example/x)',
  ]) {
    const output = html(source);
    assert.match(output, /<span class="missing-picture">dot<\/span>/, source.slice(0, 40));
    assert.doesNotMatch(output, /AAA|src|file:|blob:/, source.slice(0, 40));
  }
  for (const [source, address] of [
    ['[x](obsidian://open?vault=a)', 'obsidian://open?vault=a'],
    ['[x](javascript:alert(1))', 'javascript:alert(1)'],
    ['[x](vbscript:a)', 'vbscript:a'],
    ['[x](file:///etc/passwd)', 'file:///etc/passwd'],
    ['[x][y]\n\n[y]: slack://channel', 'slack://channel'],
    ['<a href="matrix:r/a">x</a>', 'matrix:r/a'],
    [`[x](${data})`, `${data.slice(0, 199)}…`],
  ]) {
    assert.equal(html(source as string).trim(), `<p><a data-address="${address}">x</a></p>`);
  }
  for (const address of ['tel:+4930123', 'sms:+4930123', 'geo:52.5,13.4']) {
    assert.equal(html(`[x](${address})`), `<p><a href="${address}">x</a></p>\n`);
    assert.equal(html(`<${address}>`), `<p><a href="${address}">${address}</a></p>\n`);
  }
  // Nobody can say where a link leads that leads elsewhere.
  assert.doesNotMatch(html('<a href="https://a.example" data-address="b">x</a>'), /data-address/);
});

test('authors’ ids are prefixed, and links inside the article match', () => {
  assert.equal(
    html(
      '<a name="old"></a> <span id="new">x</span> [1](#old) [2](#new) [3](#user-content-new) [4](#)',
    ),
    '<p><a id="user-content-old"></a> <span id="user-content-new">x</span> ' +
      '<a href="#user-content-old">1</a> <a href="#user-content-new">2</a> ' +
      '<a href="#user-content-new">3</a> <a href="#">4</a></p>\n',
  );
});
