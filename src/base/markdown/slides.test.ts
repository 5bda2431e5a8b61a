import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSlides } from './slides.ts';

/** Returns a slide's text without markup. */
const said = (source: string) =>
  renderSlides(source).slides.map((html) =>
    html
      .replace(/<a class="anchor".*?<\/a>|<[^>]+>/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );

test('a slide starts at each heading of level 1 or 2, and after a break', () => {
  for (const [source, slides] of [
    ['# A\n\n## B\n\ntext\n\n### C\n\nmore\n\n# D', ['A', 'B text C more', 'D']],
    ['intro\n\n## A\n\n---\n\nB\n\n***\n\n## C\n\n---', ['intro', 'A', 'B', 'C']],
    ['Title\n=====\n\nPart\n----\n\ntext', ['Title', 'Part text']],
    ['## A\n\n> ## quoted\n>\n> ---\n\n- # item\n\n```\n# code\n```', ['A quoted item # code']],
    ['---\ntitle: Front\n---\n\ntext', ['text']],
    ['## A\n\ntext[^1]\n\n[^1]: note', ['A text1', 'note ↩︎']],
    ['<h2>A</h2>\n\n<div>\n\n## B\n\n</div>\n\n<hr>\n\nC', ['A B', 'C']],
    ['', ['']],
  ] as const) {
    assert.deepEqual(said(source), slides, source);
  }
  assert.equal(renderSlides('# A *b*\n\n$x$').title, 'A b');
  assert.equal(renderSlides('$x$').math, true);
});

test('every slide is sanitized separately', () => {
  const { slides } = renderSlides(
    '## A\n\n<img src=x onerror=alert(1)>\n\n<div><p>open\n\n## B\n\n</div><script>1</script>',
  );
  assert.doesNotMatch(slides.join(''), /onerror|script/);
  for (const html of slides) {
    assert.equal(html.match(/<div/g)?.length, html.match(/<\/div/g)?.length, html);
  }
});
