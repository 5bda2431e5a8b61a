import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { renderComment } from './comment.ts';
import { documentLink } from './document-links.ts';
import { firstHeading } from './heading-text.ts';
import { findQuote } from './quotes.ts';
import { renderMarkdown } from './render.ts';
import { findUnseenLines } from './unseen-lines.ts';

/** Addresses of links in a brief, and what they become relative to it and below `/read/ada/`. */
const ADDRESSES: [address: string, relative: string, below: string][] = [
  ['plan.md', 'plan', '/read/ada/plan'],
  ['./plan.md', 'plan', '/read/ada/plan'],
  ['plan.MARKDOWN#Part', 'plan#user-content-Part', '/read/ada/plan#user-content-Part'],
  ['My%20Plan.md', 'my-plan', '/read/ada/my-plan'],
  ['%C3%9Cber%20uns.md', '%C3%BCber-uns', '/read/ada/%C3%BCber-uns'],
  ['dice.html#x', 'pages/dice#x', '/read/ada/pages/dice#x'],
  ['../grace/plan.md', '../grace/plan', '/read/grace/plan'],
  ['../grace/dice.htm', '../grace/pages/dice', '/read/grace/pages/dice'],
  ['plan.md?x=1#a', 'plan#user-content-a', '/read/ada/plan#user-content-a'],
  ['../briefs/plan.md', 'plan', '/read/ada/plan'],
  ['../pages/dice.html', 'pages/dice', '/read/ada/pages/dice'],
  ...[
    'plan',
    'sub/plan.md',
    '../plan.md',
    '/ada/plan.md',
    'a.b',
    '../../x/plan.md',
    '%25.md',
    'https://x.example/plan.md',
    'mailto:joe@example.md',
    'mailto:joe@example.html',
    '../x%20y/plan.md',
    'plan.mdx',
  ].map((same): [string, string, string] => [same, same, same]),
];

/** Wikilinks, and their addresses and texts relative to the brief. */
const WIKILINKS: [source: string, href: string, text: string][] = [
  ['[[plan]]', 'plan', 'plan'],
  ['[[My Plan]]', 'my-plan', 'My Plan'],
  ['[[plan|the *plan*]]', 'plan', 'the *plan*'],
  ['[[Plan#Part Two]]', 'plan#user-content-part-two', 'Plan#Part Two'],
  ['[[#Part Two]]', '#user-content-part-two', '#Part Two'],
  ['[[Plan#A|b]]', 'plan#user-content-a', 'b'],
  ['[[grace/plan]]', '../grace/plan', 'grace/plan'],
  ['[[a/b/plan]]', 'plan', 'a/b/plan'],
  ['[[plan.md]]', 'plan', 'plan.md'],
  ['[[dice.html]]', 'pages/dice', 'dice.html'],
  ['![[plan]]', 'plan', 'plan'],
  ['見て[[計画]]を', '%E8%A8%88%E7%94%BB', '計画'],
  ['| a |\n|---|\n| [[plan\\|x]] |', 'plan', 'x'],
];

describe('links to other documents', () => {
  for (const [address, relative, below] of ADDRESSES) {
    it(`of ${address}`, () => {
      const hrefs = (html: string) => Array.from(html.matchAll(/href="([^"]*)"/g), ([, to]) => to);
      const source = `[a](${address}) <a href="${address}">b</a>`;
      assert.deepEqual(hrefs(renderMarkdown(source).html), [relative, relative]);
      assert.deepEqual(hrefs(renderMarkdown(source, { base: '/read/ada/' }).html), [below, below]);
      assert.deepEqual(hrefs(renderComment(`[a](${address})`, { base: '/read/ada/' })), [below]);
    });
  }

  for (const [source, href, text] of WIKILINKS) {
    it(`of ${source}`, () => {
      assert.ok(renderMarkdown(source).html.includes(`<a href="${href}">${text}</a>`));
    });
  }

  it('aren’t pictures, code, formulas or indexes', () => {
    for (const source of ['![[a.png]]', '`[[a]]`', '$x[[a]]$', 'a[[1]]', '[[ a ]]', '\\[[a]]']) {
      assert.ok(!renderMarkdown(source).html.includes('<a'), source);
    }
  });

  it('are the text of titles and quotes', () => {
    assert.equal(firstHeading('# See [[plan|the plan]] now'), 'See the plan now');
    const source = 'See [[plan|the plan]] and [[plan]] now.';
    assert.deepEqual(findQuote(source, { quote: 'the plan', line: 1 }), {
      start: source.indexOf('the plan'),
      end: source.indexOf('the plan') + 8,
    });
    assert.deepEqual(findQuote(source, { quote: 'and plan now', line: 1 }), {
      start: source.indexOf('and'),
      end: source.indexOf('.'),
    });
  });

  it('hide nothing from those who approve', () => {
    const unseen = (source: string) => findUnseenLines(source).map(({ number }) => number);
    const shown = '[[plan|the plan]] [[plan]] [a](plan.md) [b]\n\n[b]: other.md\n';
    assert.deepEqual(unseen(shown), []);
    assert.deepEqual(unseen('[[what nobody sees|plan]]\n'), [1]);
  });

  it('have a name and an owner that can be', () => {
    assert.deepEqual(documentLink('../ada/a%2Fb.md'), {
      owner: 'ada',
      kind: 'brief',
      name: 'a-b',
      fragment: '',
    });
    assert.equal(documentLink('..md'), undefined);
  });
});
