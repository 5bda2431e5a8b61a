import type { Token } from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import { cutHeading, firstHeading } from './heading-text.ts';
import { parseHtml, serializeHtml } from './html-tree.ts';
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

export type { Heading } from './outline.ts';
export { firstHeading };

export interface RenderedMarkdown {
  /** The article's body: sanitized, and fit for a page that allows no inline script or style. */
  html: string;
  /** Plain text of the first heading that has any; without one, the front matter's title. */
  title: string | undefined;
  /** Plain text of the first paragraphs, at most 200 UTF-16 code units; '' without any. */
  description: string;
  /** Headings in document order, at most 1,000. */
  headings: Heading[];
  /** Any mathematics in the article. */
  math: boolean;
  /** Any Mermaid block (`pre.mermaid-source`) in the article. */
  diagrams: boolean;
}

const md = createParser();

/** Rounds of parsing and sanitizing after which an author's HTML has to have become stable. */
const MAX_ROUNDS = 5;

/**
 * Renders GitHub-flavoured Markdown. Pure: the same source always gives the same answer.
 *
 * The time is not bounded here (see `renderer.ts`), the size of everything built is.
 *
 * @param options.sourceLines for previews: blocks carry `data-line`, the line of the source, from
 *   1, that they begin in; nothing else differs
 * @throws RenderLimitError where the source exceeds a limit of `limits.ts`
 */
export function renderMarkdown(
  source: string,
  { sourceLines = false }: { sourceLines?: boolean } = {},
): RenderedMarkdown {
  if (source.length > MAX_SOURCE_LENGTH) throw new RenderLimitError('The source is too long.');
  const env: RenderEnvironment = {
    sourceLines,
    math: false,
    diagrams: false,
    rawHtml: false,
    highlightLeft: MAX_HIGHLIGHTED_TOTAL,
    formulasLeft: MAX_FORMULAS_LENGTH,
    mathmlLeft: MAX_MATHML_LENGTH,
    formulas: new Map(),
  };
  const frontMatter = readFrontMatter(source);
  const tokens = md.parse(frontMatter.body, env);
  checkTokens(tokens);
  const markup = limited(md.renderer.render(tokens, md.options, env));

  const tree = parseHtml(env.rawHtml ? sanitize(markup, { sourceLines }) : markup);
  const { title = cutHeading(frontMatter.title), description, headings } = outline(tree);
  const html = settle(sanitize(limited(serializeHtml(tree)), { sourceLines }), env);
  return { html, title, description, headings, math: env.math, diagrams: env.diagrams };
}

/**
 * An author's HTML may nest as no browser would keep it (`<li><div><li>`); a browser would mend it
 * and could end an element of the page around the article with it. Parsing has mended it here, and
 * this makes sure: what leaves is what parsing and sanitizing once more do not change.
 */
function settle(html: string, { rawHtml, sourceLines }: RenderEnvironment): string {
  if (!rawHtml) return html;
  let current = html;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = sanitize(limited(serializeHtml(parseHtml(current))), { sourceLines });
    if (next === current) return current;
    current = next;
  }
  throw new RenderLimitError('The HTML does not settle.');
}

function limited(html: string): string {
  if (html.length > MAX_HTML_LENGTH) throw new RenderLimitError('The output is too long.');
  return html;
}

/** Adds up what the tokens will be written as, before it is: links repeat their definition. */
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
    // The content of an inline token is written by its children.
    if (token.type !== 'inline') length += token.content.length;
    for (const [name, value] of token.attrs ?? []) length += name.length + value.length + 4;
    if (length > MAX_HTML_LENGTH) throw new RenderLimitError('The output is too long.');
    // An image's children are its alternative text: written, but not as elements.
    for (const child of token.children ?? []) visit(child);
  };
  for (const token of tokens) visit(token);
}
