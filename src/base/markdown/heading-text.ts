import type { Token } from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import {
  MAX_HEADING_SOURCE,
  MAX_HEADING_TEXT,
  MAX_HEADINGS_SOURCE,
  MAX_SOURCE_LENGTH,
} from './limits.ts';
import { createParser } from './parser.ts';

/** Parses only blocks; the text inside is parsed when needed. */
const blocks = createParser();
blocks.core.ruler.enableOnly(['normalize', 'block']);
const inline = createParser();

/** How much of a long text is searched first, so that it is rarely parsed whole. UTF-16 units. */
const BEGINNING = 64 * 1024;

/**
 * Returns the plain text of the first ATX or setext heading that has any, or else the front
 * matter's title; at most 256 UTF-16 code units. Ignores headings written as HTML. Uses the text of
 * images (badges, logos) only if the heading has no other. Reads at most 4,000 units of one heading
 * and 16,000 of all, because nested brackets take quadratic time.
 *
 * @throws RenderLimitError if blocks nest too deep
 */
export function firstHeading(source: string): string | undefined {
  if (source.length > MAX_SOURCE_LENGTH) return undefined;
  const { body, title } = readFrontMatter(source);
  const end = body.lastIndexOf('\n', BEGINNING);
  const isLong = body.length > BEGINNING && end > 0;
  // A heading's link or footnote may be defined anywhere in the text.
  const heading = isLong ? findHeading(body.slice(0, end), { withoutBrackets: true }) : undefined;
  return cutHeading(heading ?? findHeading(body) ?? title);
}

/** @param options.withoutBrackets gives up at a heading with brackets */
function findHeading(
  body: string,
  options: { withoutBrackets?: boolean } = {},
): string | undefined {
  const env = {} as RenderEnvironment;
  const tokens = blocks.parse(body, env);
  let left = MAX_HEADINGS_SOURCE;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const content = (tokens[index + 1]?.content ?? '').slice(0, MAX_HEADING_SOURCE);
    if (content === '') continue;
    left -= content.length;
    if (left < 0 || (options.withoutBrackets && content.includes('['))) return undefined;
    const [line] = inline.parseInline(content, env);
    const parts = line?.children ?? [];
    const text = oneLine(textOf(parts)) || oneLine(textOf(parts, { withImages: true }));
    if (text !== '') return text;
  }
  return undefined;
}

/** Cuts a heading's text to 256 UTF-16 code units. */
export function cutHeading(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_HEADING_TEXT).toWellFormed();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function textOf(tokens: Token[], options: { withImages?: boolean } = {}): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'image') {
      if (options.withImages) text += textOf(token.children ?? [], options);
    } else if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else if (token.type !== 'html_inline' && token.type !== 'footnote_ref') text += token.content;
  }
  return text;
}
