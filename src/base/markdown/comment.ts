import type { Token } from 'markdown-it';
import { hasRightToLeft } from '../text/direction.ts';
import { MENTION } from '../text/mention.ts';
import { setDirections } from './direction.ts';
import type { RenderEnvironment } from './environment.ts';
import { parseHtml, serializeHtml } from './html-tree.ts';
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
  [
    'footnote_block',
    'footnote_inline',
    'footnote_ref',
    'math_block',
    'math_inline',
    'math_brackets',
    'math_brackets_block',
  ],
  true,
);
md.renderer.rules.heading_open = () => '<p><strong>';
md.renderer.rules.heading_close = () => '</strong></p>';
// Before escapes become a part of the text: `\@name` is no mention.
md.core.ruler.before('text_join', 'images_as_links', ({ tokens }) => {
  for (const token of tokens) {
    if (token.children) token.children = withMentions(withoutImages(token.children));
  }
});

/** Links mentions to profiles, whether or not there is such a user. */
function withMentions(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth++;
    if (token.type === 'link_close') depth--;
    if (token.type !== 'text' || depth > 0) return [token];
    const made: Token[] = [];
    let at = 0;
    for (const { 0: mention, 1: name = '', index } of token.content.matchAll(MENTION)) {
      const open = newToken(token, 'link_open', 'a', 1);
      open.attrSet('href', `/${name.toLowerCase()}`);
      open.attrSet('class', 'mention');
      made.push(textLike(token, token.content.slice(at, index)), open, textLike(token, mention));
      made.push(newToken(token, 'link_close', 'a', -1));
      at = index + mention.length;
    }
    return at === 0 ? [token] : [...made, textLike(token, token.content.slice(at))];
  });
}

function textLike(token: Token, content: string): Token {
  const text = newToken(token, 'text', '', 0);
  text.content = content;
  return text;
}

function newToken(like: Token, type: string, tag: string, nesting: -1 | 0 | 1): Token {
  return new (like.constructor as typeof Token)(type, tag, nesting);
}

/**
 * Replaces images by links, those in `data:` by their descriptions. Loading an image would tell its
 * server who is reviewing.
 */
function withoutImages(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth++;
    if (token.type === 'link_close') depth--;
    if (token.type !== 'image') return [token];
    const address = String(token.attrGet('src'));
    const isInside = /^data:/i.test(address);
    const text = textLike(token, token.content || (isInside ? '' : address));
    if (depth > 0 || isInside) return [text];
    const open = newToken(token, 'link_open', 'a', 1);
    open.attrSet('href', address);
    return [open, text, newToken(token, 'link_close', 'a', -1)];
  });
}

/**
 * Renders the Markdown of a comment, for a page that allows no inline scripts or styles.
 *
 * @throws RenderLimitError if it exceeds a limit of `limits.ts`
 */
export function renderComment(body: string, options: RenderOptions = {}): string {
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
  if (!hasRightToLeft(html)) return sanitize(html, options);
  const tree = parseHtml(html);
  setDirections(tree);
  return sanitize(serializeHtml(tree), options);
}
