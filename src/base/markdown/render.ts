import type { Token } from 'markdown-it';
import { hasRightToLeft } from '../text/direction.ts';
import type { FormerAddress } from '../text/former-address.ts';
import { setDirections } from './direction.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import { cutHeading, firstHeading } from './heading-text.ts';
import { parseHtml, plainText, serializeHtml } from './html-tree.ts';
import {
  MAX_ELEMENT_NESTING,
  MAX_FORMULAS_LENGTH,
  MAX_HIGHLIGHTED_TOTAL,
  MAX_HTML_LENGTH,
  MAX_MATHML_LENGTH,
  MAX_SOURCE_LENGTH,
  MAX_TOKENS,
  RenderLimitError,
} from './limits.ts';
import { type Heading, outline } from './outline.ts';
import { createParser } from './parser.ts';
import { sanitize } from './sanitize.ts';

const WORDS_PER_MINUTE = 230;
/** Reading speed for scripts without spaces between words. */
const CHARACTERS_PER_MINUTE = 500;

/** Estimates how many minutes it takes to read a text; at least 1. */
function readingMinutes(text: string): number {
  let characters = 0;
  const spaced = text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, () => {
    characters++;
    return ' ';
  });
  const words = spaced.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  const minutes = words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
  return Math.max(1, Math.round(minutes));
}

export type { Heading } from './outline.ts';
export { firstHeading };

/** What the same source is rendered differently for. */
export interface RenderOptions {
  base?: string;
  /** Addresses that the service had; those in the text lead to the present ones. */
  formers?: readonly FormerAddress[];
}

export interface RenderedMarkdown {
  /** The article's body, sanitized, for a page that allows no inline scripts or styles. */
  html: string;
  /** Plain text of the first heading with text, or else the front matter's title. */
  title: string | undefined;
  /** Plain text of the first paragraphs, at most 200 UTF-16 code units; may be empty. */
  description: string;
  /** Headings in document order, at most 1,000. */
  headings: Heading[];
  math: boolean;
  /** Whether the article has a Mermaid block (`pre.mermaid-source`). */
  diagrams: boolean;
  /** The estimated reading time; at least 1. */
  minutes: number;
}

const md = createParser();

/** Returns the state that a rendering begins with. */
export function newEnvironment(sourceLines = false): RenderEnvironment {
  return {
    sourceLines,
    math: false,
    diagrams: false,
    rawHtml: false,
    highlightLeft: MAX_HIGHLIGHTED_TOTAL,
    formulasLeft: MAX_FORMULAS_LENGTH,
    mathmlLeft: MAX_MATHML_LENGTH,
    formulas: new Map(),
  };
}

/** Rounds of parsing and sanitizing in which an author's HTML must become stable. */
const MAX_ROUNDS = 5;

/**
 * Renders GitHub-flavoured Markdown. The same source always has the same result.
 *
 * Limits the size of everything it builds, but not the time; `render-threads.ts` does that.
 *
 * @param options.sourceLines adds `data-line`, the source line from 1, to blocks, for previews
 * @param options.base where links to other documents lead, such as `/ada/`; by default they are
 *   relative to the address of the document
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function renderMarkdown(
  source: string,
  options: RenderOptions & { sourceLines?: boolean } = {},
): RenderedMarkdown {
  const { sourceLines = false, base = '', formers = [] } = options;
  const place = { sourceLines, base, formers };
  if (source.length > MAX_SOURCE_LENGTH) throw new RenderLimitError('The source is too long.');
  const env = newEnvironment(sourceLines);
  const frontMatter = readFrontMatter(source);
  const tokens = md.parse(frontMatter.body, env);
  checkTokens(tokens);
  const markup = limited(md.renderer.render(tokens, md.options, env));

  const tree = parseHtml(env.rawHtml ? sanitize(markup, place) : markup);
  const minutes = readingMinutes(plainText(tree));
  const { title = cutHeading(frontMatter.title), description, headings } = outline(tree);
  if (hasRightToLeft(markup)) setDirections(tree);
  const html = settle(sanitize(limited(serializeHtml(tree)), place), env);
  const { math, diagrams } = env;
  return { html, title, description, headings, math, diagrams, minutes };
}

/**
 * Parses and sanitizes an author's HTML until it no longer changes. If HTML is nested wrongly
 * (`<li><div><li>`), browsers repair it and could close an element of the page around the article.
 * Stable HTML needs no repair.
 */
function settle(html: string, { rawHtml, sourceLines }: RenderEnvironment): string {
  if (!rawHtml) return html;
  let current = html;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = sanitize(limited(serializeHtml(parseHtml(current))), { sourceLines });
    if (next === current) return current;
    current = next;
  }
  throw new RenderLimitError('The HTML does not become stable.');
}

function limited(html: string): string {
  if (html.length > MAX_HTML_LENGTH) throw new RenderLimitError('The output is too long.');
  return html;
}

/**
 * Checks the size and nesting of the output before it is written, because every link repeats the
 * address of its reference.
 *
 * @throws RenderLimitError
 */
function checkTokens(tokens: Token[]): void {
  let length = 0;
  let depth = 0;
  let count = 0;
  const visit = (token: Token): void => {
    count++;
    if (count > MAX_TOKENS) throw new RenderLimitError(`More than ${MAX_TOKENS} tokens.`);
    depth += token.nesting;
    if (depth > MAX_ELEMENT_NESTING) {
      throw new RenderLimitError(`Elements nest deeper than ${MAX_ELEMENT_NESTING}.`);
    }
    if (!token.hidden) length += token.tag.length + 3;
    // An inline token's children write its content.
    if (token.type !== 'inline') length += token.content.length;
    for (const [name, value] of token.attrs ?? []) length += name.length + value.length + 4;
    if (length > MAX_HTML_LENGTH) throw new RenderLimitError('The output is too long.');
    // An image's children are its alternative text: they have a length but no elements.
    for (const child of token.children ?? []) visit(child);
  };
  for (const token of tokens) visit(token);
}
