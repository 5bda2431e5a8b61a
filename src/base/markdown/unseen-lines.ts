import hljs from 'highlight.js';
import type { Token } from 'markdown-it';
import { limitCombiningMarks } from '../text/combining-marks.ts';
import { documentLink, pathOfLink } from './document-links.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import {
  attribute,
  type Element,
  type Fragment,
  hasClass,
  isElement,
  parseHtml,
} from './html-tree.ts';
import { isDisplayed, renderFormula } from './math.ts';
import { createParser, fenceLanguage } from './parser.ts';
import { newEnvironment, renderMarkdown } from './render.ts';
import { type RenderedText, renderedText, WITHOUT_SOURCE } from './rendered-text.ts';
import { HTML_TAGS } from './sanitize.ts';

export interface SourceLine {
  /** From 1. */
  number: number;
  text: string;
}

/** Stands for a character that is accounted for. */
const DONE = '\u0001';

const WORD = /[\p{L}\p{N}]/u;

/**
 * Finds the lines of a brief with letters or digits that its readers don't see: HTML comments,
 * definitions, alternative texts, elements that the sanitizer removes, the source of diagrams, and
 * whatever else isn't in the rendered article. Front matter, the addresses of links and images,
 * plain tags and languages of code don't count.
 *
 * Instead of looking for known ways to hide text, it takes away from the source what is shown. Where
 * that isn't certain, it lists the line.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function findUnseenLines(source: string): SourceLine[] {
  const article = readArticle(parseHtml(renderMarkdown(source).html));
  const isDone = new Uint8Array(source.length);
  isDone.fill(1, 0, source.length - withoutFrontMatter(source).length);
  takeText(isDone, source, renderedText(source), article.text);
  const env = newEnvironment();
  const hasSpecial = /\$|\\[([]|math/i.test(source) || ASIDE.test(source);
  const tokens = hasSpecial ? parser.parse(readFrontMatter(source).body, env) : [];
  takeFormulas(isDone, source, tokens, env);
  const inCode = linesOfCode(tokens);
  const rest = withoutMarkup(remainder(source, isDone), article.addresses);
  const found: SourceLine[] = [];
  let start = 0;
  for (const [index, text] of source.split(LINE_BREAK).entries()) {
    const end = start + text.length;
    const isAside = inCode.has(index) && ASIDE.test(text);
    if (isAside || WORD.test(rest.slice(start, end))) found.push({ number: index + 1, text });
    start = end + (source.startsWith('\r\n', end) ? 2 : 1);
  }
  return found;
}

const LINE_BREAK = /\r\n|\r|\n/;

/** Text so far to the right that one would have to scroll to it, in code. */
const ASIDE = /[^\S\r\n]{60}\S/;

/** Returns the lines that aren't wrapped, from 0. */
function linesOfCode(tokens: readonly Token[]): Set<number> {
  const lines = new Set<number>();
  for (const { type, map, content } of tokens) {
    const isCode = type === 'fence' || type === 'code_block';
    if (!map || !(isCode || (type === 'html_block' && /<pre/i.test(content)))) continue;
    for (let line = map[0]; line < map[1]; line++) lines.add(line);
  }
  return lines;
}

function withoutFrontMatter(source: string): string {
  return readFrontMatter(source).body.replace(/^[\r\n]+/, '');
}

/** Returns the source with {@link DONE} for each character that is accounted for. */
function remainder(source: string, isDone: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < source.length; ) {
    const state = isDone[at];
    let end = at + 1;
    while (end < source.length && isDone[end] === state) end++;
    parts.push(state === 1 ? DONE.repeat(end - at) : source.slice(at, end));
    at = end;
  }
  return parts.join('');
}

/** What the readers of an article get. */
interface Article {
  /** Its text without white space, as far as it has a source. */
  text: string;
  /** The addresses of its links and images. */
  addresses: Set<string>;
}

const SKIPPED = [...WITHOUT_SOURCE.split(', '), 'rp'];

/** Elements that make their text smaller, or narrower, and how many of them leave it readable. */
const SHRINKING = { tags: new Set(['sub', 'sup', 'small']), most: 3 };
const INDENTING = { tags: new Set(['blockquote', 'ul', 'ol', 'dd']), most: 20 };

function readArticle(tree: Fragment): Article {
  const parts: string[] = [];
  const addresses = new Set<string>();
  const within = new Map([
    [SHRINKING, 0],
    [INDENTING, 0],
  ]);
  const isReadable = () => [...within].every(([{ most }, depth]) => depth <= most);
  const visit = (node: Element | Fragment): void => {
    for (const child of node.childNodes) {
      if ('value' in child && isReadable()) parts.push(child.value);
      if (!isElement(child)) continue;
      for (const name of ['href', 'src']) {
        const address = attribute(child, name);
        if (address !== undefined) addresses.add(address);
      }
      if (isSkipped(child)) continue;
      const changing = [...within.keys()].filter(({ tags }) => tags.has(child.tagName));
      for (const each of changing) within.set(each, (within.get(each) as number) + 1);
      visit(child);
      for (const each of changing) within.set(each, (within.get(each) as number) - 1);
    }
  };
  visit(tree);
  return { text: parts.join('').replaceAll(/\s+/g, ''), addresses };
}

function isSkipped(element: Element): boolean {
  return SKIPPED.some((each) =>
    each.startsWith('.') ? hasClass(element, each.slice(1)) : each === element.tagName,
  );
}

/** A text as long as this is looked for anywhere in the article, a shorter one only in order. */
const LONG = 40;

/** After so many texts that aren't in the article, no more are looked for. */
const MAX_FAILURES = 500;

/** The longest source of one character, such as an entity. */
const MAX_WRITTEN = 40;

/** Takes away what is shown as text. */
function takeText(isDone: Uint8Array, source: string, rendered: RenderedText, shown: string): void {
  const { text, starts, ends, leaves } = rendered;
  // An element that the sanitizer removes can contain the blocks that follow.
  const isAllShown = text === shown;
  let from = 0;
  let failures = 0;
  for (const leaf of leaves) {
    const part = text.slice(leaf.from, leaf.to);
    if (part === '' || failures > MAX_FAILURES) continue;
    const at = isAllShown ? leaf.from : shown.indexOf(part, from);
    if (at >= 0) from = at + part.length;
    else if (part.length < LONG || !shown.includes(part)) {
      failures++;
      continue;
    }
    for (let index = leaf.from; index < leaf.to; index++) {
      const [start, end] = [starts[index] as number, ends[index] as number];
      const isOne = end - start <= 2;
      const isWritten = end - start <= MAX_WRITTEN && /[&\\]/.test(source[start] as string);
      if (isOne || isWritten) isDone.fill(1, start, end);
    }
  }
}

const parser = createParser();

/** Takes away the formulas of which readers see every word. */
function takeFormulas(
  isDone: Uint8Array,
  source: string,
  tokens: readonly Token[],
  env: RenderEnvironment,
): void {
  const starts = [0, ...Array.from(source.matchAll(/\r\n?|\n/g), (at) => at.index + at[0].length)];
  let from = 0;
  const take = (token: Token): void => {
    const { content, map, type } = token;
    const isFence = type === 'fence';
    const isFormula = isFence ? fenceLanguage(token) === 'math' : type.startsWith('math_');
    if (!isFormula) return;
    const html = renderFormula(content.trim(), isFence || isDisplayed(token), env);
    if (!isFormulaShown(content, html)) return;
    if (map) {
      isDone.fill(1, starts[map[0]], starts[map[1]] ?? source.length);
      return;
    }
    const at = source.indexOf(content, from);
    if (at < 0) return;
    from = at + content.length;
    isDone.fill(1, at, from);
  };
  for (const token of tokens) {
    take(token);
    for (const child of token.children ?? []) take(child);
  }
}

/** Names of environments with their columns, commands, and lengths. */
const TEX_MARKUP =
  /\\(?:begin|end)\{[a-zA-Z*]+\}(?:\{[clr|@ ]*\})?|\\[a-zA-Z]+|[\d.]+(?:em|ex|px|pt|mu|cm|mm|in)\b/g;

function isFormulaShown(tex: string, html: string): boolean {
  if (html.includes('math-error')) return true;
  // A comment, invisible text, or text in a color that may be the background's.
  if (/(?<!\\)%/.test(tex) || /<mphantom|mathcolor|mathsize/.test(html)) return false;
  const text = squeezedMath(html.replaceAll(/<[^>]*>/g, ''));
  const words = tex.replaceAll(TEX_MARKUP, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => text.includes(squeezedMath(word)));
}

function squeezedMath(text: string): string {
  return limitCombiningMarks(text)
    .normalize('NFKC')
    .replaceAll(/[\s\u2061-\u2064]+/g, '');
}

const NO_WORDS = new Set(['math', 'mermaid', 'text', 'txt', 'plain', 'console', 'none']);

const START = String.raw`^[ \t>${DONE}]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*`;
const NAME = String.raw`[^\]\s${DONE}]{1,20}`;
const ATTRIBUTE = [
  String.raw`(?:href|src)\s*=\s*(?:"[^"\s]*"|'[^'\s]*'|[^\s"'<>=]+)`,
  'open|reversed|disabled|checked',
  '(?:align|valign|width|height|colspan|rowspan|span|start|type|value|border|cellpadding|' +
    String.raw`cellspacing|dir|lang|loading|target|rel)\s*=\s*(?:"[\w.%#-]{0,12}"|'[\w.%#-]{0,12}'|[\w.%#-]{1,12})`,
].join('|');
const PLAIN_TAGS = HTML_TAGS.filter((tag) => tag !== 'rp').join('|');

/** What isn't a word: each with the group that it takes away, or the whole. */
const MARKUP: [RegExp, (match: RegExpExecArray, addresses: Set<string>) => boolean][] = [
  [new RegExp(`</?(?:${PLAIN_TAGS})(?:\\s+(?:${ATTRIBUTE}))*\\s*/?>`, 'gi'), () => true],
  // The address of a link or an image: `](address`.
  [/\]\(\s*<?[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*>?(?=\)|\s+["'(])/g, () => true],
  // The target of a link that has a label.
  [/\[\[[^\s|[\]]{1,100}(?=\|)/g, () => true],
  // The label of a link, and of a footnote; the size of an image.
  [
    new RegExp(`\\]\\[${NAME}\\]|\\[\\^${NAME}\\]|\\|\\d{1,4}(?:x\\d{1,4})?(?=\\])`, 'g'),
    () => true,
  ],
  [new RegExp(`${START}\\[!(?:note|tip|important|warning|caution)\\][ \\t]*$`, 'gim'), () => true],
  [new RegExp(`${START}(?:\\d{1,9}[.)][ \\t]*$|\\[[xX]\\](?=\\s))?`, 'gm'), () => true],
  [
    new RegExp(`${START}(?:\`{3,}|~{3,})[ \\t]*([\\w+#.-]{1,20})[ \\t]*$`, 'gm'),
    ([, language = '']) =>
      NO_WORDS.has(language.toLowerCase()) || hljs.getLanguage(language) !== undefined,
  ],
  // A definition that a link uses.
  [
    new RegExp(`${START}\\[${NAME}\\]:[ \\t]*<?([^\\s<>]+)>?[ \\t]*$`, 'gm'),
    ([, address = ''], addresses) =>
      [address, parser.normalizeLink(address), pathOf(address)].some((each) => addresses.has(each)),
  ],
];

/** Returns the address that a link gets, if it leads to another document. */
function pathOf(address: string): string {
  const link = documentLink(address);
  return link ? pathOfLink(link, '') : address;
}

function withoutMarkup(text: string, addresses: Set<string>): string {
  return MARKUP.reduce(
    (rest, [pattern, isMarkup]) =>
      rest.replaceAll(pattern, (...match) =>
        isMarkup(match as unknown as RegExpExecArray, addresses)
          ? DONE.repeat(match[0].length)
          : match[0],
      ),
    text,
  );
}
