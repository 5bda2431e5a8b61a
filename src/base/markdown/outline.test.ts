import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstHeading, renderMarkdown } from './render.ts';

test('headings have GitHub’s ids, prefixed, and a link', () => {
  const { html, headings } = renderMarkdown(
    '# Hello *World*, `x`!\n\n## A & B\n\nHello World, x!\n===\n\n## ☃\n',
  );
  assert.deepEqual(headings, [
    { level: 1, id: 'user-content-hello-world-x', text: 'Hello World, x!' },
    { level: 2, id: 'user-content-a--b', text: 'A & B' },
    { level: 1, id: 'user-content-hello-world-x-1', text: 'Hello World, x!' },
    { level: 2, id: 'user-content-section', text: '☃' },
  ]);
  assert.ok(
    html.startsWith(
      '<div class="markdown-heading"><h1 id="user-content-hello-world-x">Hello <em>World</em>, <code>x</code>!</h1>' +
        '<a class="anchor" href="#user-content-hello-world-x" aria-label="Permalink: Hello World, x!">' +
        '<span aria-hidden="true">#</span></a></div>\n',
    ),
    html,
  );
});

test('links to headings work as on GitHub', () => {
  for (const [heading, link] of [
    ['My Heading', '#my-heading'],
    ['Été à Paris', '#été-à-paris'],
    ['`a_b` (c)', '#a_b-c'],
    ['日本語', '#日本語'],
  ]) {
    const { html, headings } = renderMarkdown(`# ${heading}\n\n[x](${link})`);
    const href = /<p><a href="#([^"]*)"/.exec(html)?.[1] ?? '';
    assert.equal(decodeURIComponent(href), headings[0]?.id);
  }
});

test('descriptions of pictures are no part of an anchor, but links to the former one work', () => {
  const { html, headings } = renderMarkdown(
    '## Status ![ok](a.png)\n\n# ![Gears](g.png)\n\n## Status ok\n\n## ![b](b.png) Build\n\n' +
      '[1](#status-) [2](#status-ok) [3](#gears) [4](#b-build) [5](#-build)',
  );
  assert.deepEqual(
    headings.map(({ id, text }) => [id.replace('user-content-', ''), text]),
    [
      ['status-', 'Status ok'],
      ['section', 'Gears'],
      ['status-ok', 'Status ok'],
      ['-build', 'b Build'],
    ],
  );
  const ids = Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  const links = Array.from(html.matchAll(/<a href="#([^"]*)">\d/g), ([, id]) => id);
  assert.deepEqual(
    links.map((id) => ids.includes(id)),
    [true, true, true, true, true],
  );
});

test('headings written as HTML count; those in a summary contain no link', () => {
  const { html, headings, title } = renderMarkdown(
    '<div align="center">\n<h1>Logo <img src="x" alt="and name"></h1>\n</div>\n\n' +
      '<details><summary><h2 id="mine">Sum</h2></summary></details>\n\n## Sum',
  );
  assert.equal(title, 'Logo and name');
  assert.deepEqual(
    headings.map(({ id }) => id),
    ['user-content-logo-', 'user-content-sum', 'user-content-sum-1'],
  );
  assert.match(html, /<summary><h2 id="user-content-sum">Sum<\/h2><\/summary>/);
});

test('title and description are plain text', () => {
  const cases: [source: string, title: string | undefined, description: string][] = [
    ['', undefined, ''],
    ['text', undefined, 'text'],
    ['#\n\n# *Real*\n\na **b** `c` [d](e) ![f](g) $x^2$\nh', 'Real', 'a b c d f x^2 h'],
    ['# A\n\n- list\n\n> quote\n\nfirst\n\nsecond\n\n## B\n\nthird', 'A', 'first second'],
    ['![only an image](x)\n\ntext', undefined, 'only an image text'],
    ['![](badge)\n\ntext[^1]\n\n[^1]: note', undefined, 'text'],
    ['<p align="center">centred</p>\n\n# T', 'T', 'centred'],
    ['<script>alert(1)</script>\n\n# <b onclick=x>T</b> &lt;i>\n\n&amp;', 'T <i>', '&'],
    ['> [!NOTE]\n> in an alert\n\nafter', undefined, 'after'],
  ];
  for (const [source, title, description] of cases) {
    const rendered = renderMarkdown(source);
    assert.deepEqual([rendered.title, rendered.description], [title, description], source);
  }
});

test('the description ends at a word, within 200 code units', () => {
  const { description } = renderMarkdown('word '.repeat(100));
  assert.ok(description.length <= 200 && description.endsWith('word…'), description);
  const { description: unbroken } = renderMarkdown('😀'.repeat(300));
  assert.ok(unbroken.length <= 200 && unbroken.isWellFormed());
});

test('firstHeading: the text of the first ATX or setext heading', () => {
  const cases: [source: string, text: string | undefined][] = [
    ['', undefined],
    ['no heading', undefined],
    ['# A', 'A'],
    ['### A ###', 'A'],
    ['text\n\n## B', 'B'],
    ['A *b*\nc\n===', 'A b c'],
    ['#\n\n# B', 'B'],
    ['# ![x](y)', 'x'],
    ['# [![build](y)](z) Tool ![npm](y)', 'Tool'],
    ['# [*a*](b) `c` ~~d~~ <b>e</b> &amp; \\* $x$', 'a c d e & * x'],
    ['# a[^1]\n\n[^1]: b', 'a'],
    ['# [ref]\n\n[ref]: x', 'ref'],
    ['```\n# code\n```\n\n# real', 'real'],
    ['    # code\n\n# real', 'real'],
    ['<h1>HTML</h1>\n\n# real', 'real'],
    ['#no space', undefined],
    ['> # quoted', 'quoted'],
    ['- # in a list', 'in a list'],
    ['---\ntitle: x\n---\n', 'x'],
    ['---\ntitle: x\n---\n\n# y', 'y'],
    ['---\nx\n---\n', 'x'],
  ];
  for (const [source, text] of cases) assert.equal(firstHeading(source), text, source);
});
