import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderComment } from './comment.ts';
import { renderMarkdown } from './render.ts';

test('blocks are written in the direction of their first letter', () => {
  const cases: [source: string, ...parts: string[]][] = [
    ['# שלום', '<h1 id="user-content-שלום" dir="auto">'],
    ['هذا نص', '<p dir="auto">'],
    ['1. «פריט»', '<ol dir="auto">\n<li>«'],
    ['> ציטוט', '<blockquote dir="auto">\n<p>ציטוט'],
    [
      '| א | b |\n|---|---|\n| ג | d |',
      'aria-label="Table" dir="rtl"><table>',
      '<th dir="auto">א',
      '<th dir="auto">b',
      '<td dir="auto">ג',
    ],
    ['| א | b |\n|---|---|\n| ג | 10 |', '<td>10'],
    ['> [!NOTE]\n> שלום', '<div class="markdown-alert markdown-alert-note" dir="rtl">', '<p>שלום'],
    ['<p>שלום</p>', '<p dir="auto">שלום'],
    ['`npm i` שלום `x`', '<p dir="auto"><code dir="ltr">npm i</code> שלום'],
    ['- א\n\n  ```js\n  x\n  ```', '<pre dir="ltr">'],
    ['א $x$', '<p dir="auto">', '<math alttext="x" dir="ltr">'],
    ['> א\n>\n> English', '<blockquote dir="auto">\n<p>א</p>\n<p dir="auto">English'],
    ['<div dir="rtl">\n\nEnglish\n\nא\n\n</div>', '<p dir="auto">English', '<p>א'],
    ['Hello, שלום', '<p>Hello'],
  ];
  for (const [source, ...parts] of cases) {
    const { html } = renderMarkdown(source);
    for (const part of parts) assert.ok(html.includes(part), `${source}: ${html}`);
  }
});

test('comments are, too', () => {
  assert.equal(renderComment('שלום `x`'), '<p dir="auto">שלום <code dir="ltr">x</code></p>\n');
});
