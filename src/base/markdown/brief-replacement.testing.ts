import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isFound } from '../text/quote-search.ts';
import { fitInBrief } from './brief-replacement.ts';
import { attribute, type ChildNode, isElement, parseHtml } from './html-tree.ts';
import { findQuote } from './quotes.ts';
import { renderMarkdown } from './render.ts';

/** A word as readers see it, and the elements around it, with the addresses of links. */
interface Word {
  text: string;
  path: string;
}

/** Returns the words of a brief in their order, and what is shown in all. */
export function readersSee(source: string): { words: Word[]; text: string } {
  const words: Word[] = [];
  let text = '';
  const visit = (nodes: readonly ChildNode[], path: string): void => {
    let cell = 0;
    for (const node of nodes) {
      if ('value' in node) {
        text += node.value;
        for (const [word] of node.value.matchAll(/\S+/g)) words.push({ text: word, path });
      } else if (isElement(node) && attribute(node, 'class') !== 'anchor') {
        const { tagName } = node;
        const own =
          tagName === 'p' ? '' : tagName === 'a' ? `a(${attribute(node, 'href')})` : tagName;
        // Whether items are paragraphs depends on the blank lines of the whole list.
        const outer = own === '' ? path : `${path}>`;
        visit(node.childNodes, `${outer}${own}${/^t[dh]$/.test(tagName) ? cell++ : ''}`);
      }
    }
  };
  visit(parseHtml(renderMarkdown(source).html).childNodes, '');
  return { words, text };
}

const WORDS = fc.integer({ min: 1, max: 3 });
const WRAPPED = [
  ['', ''],
  ['', ''],
  ['**', '**'],
  ['*', '*'],
  ['_', '_'],
  ['~~', '~~'],
  ['`', '`'],
  ['[', '](http://a.example/b)'],
  ['[', '][ref]'],
  ['[**', '**](http://a.example/c "title")'],
  ['***', '***'],
  ['<b>', '</b>'],
  ['<kbd>', '</kbd>'],
  ['![picture](http://a.example/p.png) ', ''],
  ['\\*', ''],
  ['&amp;', '\\_'],
  ['[[', ']]'],
  ['[[plan|', ']]'],
] as const;

/** Something in a line: words, some of them in marks. `§` stands for a word. */
const piece = fc
  .tuple(fc.constantFrom(...WRAPPED), WORDS)
  .map(([[open, close], count]) => open + Array(count).fill('§').join(' ') + close);
const nested = fc
  .tuple(fc.constantFrom(['**', '**'], ['[', '](http://a.example/n)'], ['~~', '~~']), WORDS, WORDS)
  .map(([[open, close], before, after]) => {
    const words = (count: number) => Array(count).fill('§').join(' ');
    return `${open}${words(before)} *${words(after)}* ${words(before)}${close}`;
  });
const line = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, { weight: 1, arbitrary: nested }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((pieces) => pieces.join(' '));
const prose = fc.array(line, { minLength: 1, maxLength: 2 }).map((lines) => lines.join('\n'));
const indented = (text: string, first: string, others: string) =>
  first + text.replaceAll('\n', `\n${others}`);
const item = fc
  .tuple(prose, fc.option(line, { freq: 4 }))
  .map(([text, inner]) => indented(inner ? `${text}\n- ${inner}` : text, '- ', '  '));
const row = fc
  .tuple(line, line, line)
  .map((cells) => `| ${cells.join(' | ').replaceAll('plan|', 'plan\\|')} |`);
const block = fc.oneof(
  prose,
  line.map((text) => `## ${text}`),
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join('\n')),
  fc.tuple(line, line).map((texts) => texts.map((text, at) => `${at + 1}. ${text}`).join('\n')),
  prose.map((text) => indented(text, '> ', '> ')),
  fc.tuple(prose, line).map((texts) => indented(texts.join('\n\n'), '> ', '> ')),
  fc.tuple(row, row, row).map(([head, ...rows]) => [head, '|---|---|---|', ...rows].join('\n')),
  WORDS.map((count) => `\`\`\`js\n${Array(count).fill('§ §').join('\n')}\n\`\`\``),
);
export const REPLACEMENTS = [
  '',
  '',
  'R1',
  'R1 R2',
  'R1 R2',
  'R1 | R2',
  'R1\nR2',
  'R1\n\nR2',
  'R1 * R2',
  '**R1**',
  'R1 **R2',
  'R1]( R2',
  '- R1',
];
export const brief = fc.array(block, { minLength: 1, maxLength: 4 }).map((blocks) => {
  let count = 0;
  const source = `${blocks.join('\n\n')}\n\n[ref]: http://a.example/ref\n`;
  return source.replaceAll('§', () => `w${count++}x`);
});

const isWord = (text: string) => /w\d+x/.test(text);

/** Replaces words `from` to `to` of a brief, as readers see them. `undefined` if that is refused. */
function accept(source: string, from: number, to: number, text: string): string | undefined {
  const words = readersSee(source).words.map((word) => word.text);
  const quote = words.slice(from, to).join(' ');
  const [prefix, suffix] = [words.slice(0, from).join(' '), words.slice(to).join(' ')];
  const range = findQuote(source, { quote, prefix, suffix });
  assert.ok(isFound(range), quote);
  const fitted = fitInBrief(source, { ...range, text });
  return fitted && source.slice(0, fitted.start) + fitted.text + source.slice(fitted.end);
}

/** Requires that only the words `from` to `to` have changed, and nothing is shown that was a mark. */
export function assertReplaced(
  source: string,
  result: string,
  from: number,
  to: number,
  text: string,
): void {
  const [before, after] = [readersSee(source), readersSee(result)];
  const outside = before.words.filter((_, at) => at < from || at >= to);
  // An emptied item goes with its marker, so the lists in it are in fewer lists.
  const placed = (words: readonly Word[]) =>
    words.flatMap(({ text: word, path }) =>
      isWord(word)
        ? `${text === '' || to - from > 1 ? path.replaceAll(/(?:>[ou]l>li)+/g, '>li') : path} ${word}`
        : [],
    );
  assert.deepEqual(placed(after.words), placed(outside));
  const known = (text: string) => /R\d/.exec(text)?.[0] ?? text;
  const order = (words: readonly Word[]) =>
    words.map((word) => known(word.text)).filter((word) => isWord(word) || /^R/.test(word));
  const wanted = order(outside);
  wanted.splice(order(before.words.slice(0, from)).length, 0, ...(text.match(/R\d/g) ?? []));
  assert.deepEqual(order(after.words), wanted);
  for (const sign of ['**', '~~', '](', '`', '[[', ']]', '</']) {
    const count = (shown: string) => shown.split(sign).length - 1;
    assert.ok(count(after.text) <= count(before.text) + count(text), `shows ${sign}`);
  }
  for (const line of result.split('\n').filter((line) => line.startsWith('|'))) {
    assert.equal(line.match(/(?<!\\)\|/g)?.length, 4, line);
  }
}

/** Replaces random words of random briefs. @throws AssertionError, also if too much is refused */
export function assertAllReplaced(numRuns: number): void {
  let refused = 0;
  const place = [fc.nat(), fc.nat(5), fc.constantFrom(...REPLACEMENTS)] as const;
  const property = fc.property(brief, ...place, (source, at, more, text) => {
    const { length } = readersSee(source).words;
    const from = at % length;
    const to = Math.min(length, from + 1 + more);
    const result = accept(source, from, to, text);
    if (result === undefined) refused++;
    else assertReplaced(source, result, from, to, text);
  });
  fc.assert(property, { numRuns });
  assert.ok(refused <= numRuns / 50, `${refused} of ${numRuns} were refused`);
}
