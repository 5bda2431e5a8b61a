import type { Token } from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';
import { MAX_HEADING_TEXT, MAX_SOURCE_LENGTH } from './limits.ts';
import { createParser } from './parser.ts';

/** Blocks only: the text within them stays unparsed until one is asked for. */
const blocks = createParser();
blocks.core.ruler.enableOnly(['normalize', 'block']);
const inline = createParser();

/**
 * Plain text of the first ATX or setext heading that has any, with inline markup removed, at most
 * 256 UTF-16 code units; undefined without one. Headings written as HTML do not count.
 *
 * @throws RenderLimitError where blocks nest too deep
 */
export function firstHeading(source: string): string | undefined {
  if (source.length > MAX_SOURCE_LENGTH) return undefined;
  const env = {} as RenderEnvironment;
  const tokens = blocks.parse(source, env);
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const content = tokens[index + 1]?.content ?? '';
    if (content === '') continue;
    const [line] = inline.parseInline(content, env);
    const text = textOf(line?.children ?? [])
      .replace(/\s+/g, ' ')
      .trim();
    if (text !== '') return text.slice(0, MAX_HEADING_TEXT).toWellFormed();
  }
  return undefined;
}

function textOf(tokens: Token[]): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'image') text += textOf(token.children ?? []);
    else if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else if (token.type !== 'html_inline' && token.type !== 'footnote_ref') text += token.content;
  }
  return text;
}
