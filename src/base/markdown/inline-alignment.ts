import type { Token } from 'markdown-it';
import type { Wikilink } from './document-links.ts';
import { WIKILINK } from './wikilinks.ts';

/** After so many tokens that weren't found in a block, the rest of it has no source. */
const MAX_FAILURES = 100;

/** A longer link destination counts as text. In UTF-16 code units. */
const MAX_DESTINATION = 4_000;

/** A token's range in the block's content, and the text that it shows there, if any. */
export interface Aligned {
  token: Token;
  part?: string;
  from: number;
  to: number;
}

/**
 * Yields a block's tokens with their ranges in its content, as far as they are found. Code yields
 * its opening, its words and its closing. No text spans lines.
 */
export function* alignInline(content: string, tokens: readonly Token[]): Generator<Aligned> {
  let cursor = 0;
  let failures = 0;
  const skip = (sought: string): number => {
    const at = sought === '' || failures > MAX_FAILURES ? -1 : content.indexOf(sought, cursor);
    if (at >= 0) cursor = at + sought.length;
    else failures++;
    return at;
  };
  for (const [index, token] of tokens.entries()) {
    const from = cursor;
    if (token.type === 'text' || token.type === 'text_special') {
      const written = token.info === 'escape' || token.info === 'entity' ? token.markup : '';
      const at = skip(written || token.content);
      if (at >= 0) yield { token, part: token.content, from: at, to: cursor };
      continue;
    }
    if (token.type === 'code_inline') {
      const at = skip(token.markup);
      if (at >= 0) yield { token, from: at, to: cursor };
      const end = content.indexOf(token.markup, cursor);
      for (const word of token.content.trim().split(/\s+/)) {
        const at = skip(word);
        if (at >= 0) yield { token, part: word, from: at, to: cursor };
      }
      if (end < 0) continue;
      skip(token.markup);
      yield { token, from: cursor - token.markup.length, to: cursor };
      continue;
    }
    if (token.type === 'link_open' && token.markup === WIKILINK) {
      // The label comes after the target.
      skip(WIKILINK);
      if ((token.meta as Wikilink).label !== undefined) skip('|');
    } else if (token.type === 'link_close' && token.markup === WIKILINK) {
      skip(']]');
    } else if (token.type === 'link_close' && token.markup === '') {
      const next = tokens[index + 1]?.content;
      const close = content.indexOf(']', cursor);
      // A link that is only its text can be followed by brackets.
      const isAlone = next && close >= 0 && content.startsWith(next, close + 1);
      cursor = isAlone ? close + 1 : endOfDestination(content, cursor);
    } else if (token.type === 'image') {
      skip('![');
      if (token.content !== '') skip(token.content);
      cursor = endOfDestination(content, cursor);
    } else if (token.type === 'footnote_ref') {
      skip('[^');
      skip(']');
    } else if (token.type === 'html_inline' || token.type === 'math_inline') {
      skip(token.content);
      if (token.type === 'math_inline') cursor += token.markup.length;
    } else if (token.type === 'softbreak' || token.type === 'hardbreak') skip('\n');
    else if (content.startsWith(signOf(token), cursor)) cursor += signOf(token).length;
    if (cursor > from) yield { token, from, to: cursor };
  }
}

/** Returns what begins or ends emphasis, or a link, in the source. */
function signOf({ type, markup }: Token): string {
  if (type === 'link_open') return markup === '' ? '[' : markup === 'autolink' ? '<' : '';
  if (type === 'link_close') return markup === 'autolink' ? '>' : '';
  return markup;
}

/** Returns the index after the `](address "title")` or `][label]` at the end of a link. */
function endOfDestination(content: string, from: number): number {
  const close = content.indexOf(']', from);
  if (close < 0) return from;
  if (content[close + 1] === '[') {
    const end = content.indexOf(']', close + 2);
    return end < 0 ? close + 1 : end + 1;
  }
  if (content[close + 1] !== '(') return close + 1;
  let depth = 0;
  const end = Math.min(content.length, close + MAX_DESTINATION);
  for (let index = close + 1; index < end; index++) {
    const sign = content[index];
    if (sign === '\\') index++;
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return index + 1;
  }
  return close + 1;
}
