import type { Token } from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';
import { MAX_HTML_LENGTH, RenderLimitError } from './limits.ts';
import { createParser } from './parser.ts';
import type { RenderOptions } from './render.ts';
import { sanitize } from './sanitize.ts';

/**
 * A page shows many comments, so they have no ids, and headings become bold text. HTML is shown as
 * text.
 */
const md = createParser().set({ html: false });
md.disable(
  ['footnote_block', 'footnote_inline', 'footnote_ref', 'math_block', 'math_inline'],
  true,
);
md.renderer.rules.heading_open = () => '<p><strong>';
md.renderer.rules.heading_close = () => '</strong></p>';
md.core.ruler.push('images_as_links', ({ tokens }) => {
  for (const token of tokens) {
    if (token.children) token.children = withoutImages(token.children);
  }
});

/** Replaces images by links. Loading an image would tell its server who is reviewing. */
function withoutImages(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth++;
    if (token.type === 'link_close') depth--;
    if (token.type !== 'image') return [token];
    const address = String(token.attrGet('src'));
    const text = of('text', '', 0);
    text.content = token.content || address;
    if (depth > 0) return [text];
    const open = of('link_open', 'a', 1);
    open.attrSet('href', address);
    return [open, text, of('link_close', 'a', -1)];

    function of(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      return new (token.constructor as typeof Token)(type, tag, nesting);
    }
  });
}

/**
 * Renders the Markdown of a comment, for a page that allows no inline scripts or styles.
 *
 * @throws RenderLimitError if it exceeds a limit of `limits.ts`
 */
export function renderComment(body: string, { base = '' }: RenderOptions = {}): string {
  // No budget: code and formulas are shown as written.
  const left = { highlightLeft: 0, formulasLeft: 0, mathmlLeft: 0 };
  const env: RenderEnvironment = {
    sourceLines: false,
    math: false,
    diagrams: false,
    rawHtml: false,
    ...left,
    formulas: new Map(),
  };
  const html = md.render(body, env);
  if (html.length > MAX_HTML_LENGTH) throw new RenderLimitError('The output is too long.');
  return sanitize(html, { base });
}
