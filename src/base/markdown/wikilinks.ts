import type MarkdownIt from 'markdown-it';
import type { StateInline } from 'markdown-it';
import { addressOfWikilink, type Wikilink } from './document-links.ts';

const OPENING = 0x5b;
const EXCLAMATION = 0x21;

/** The longest text between the brackets, in UTF-16 code units. */
export const MAX_WIKILINK = 1_000;

/** The markup of the tokens of a wikilink. */
export const WIKILINK = '[[';

/**
 * Adds `[[name]]`, `[[name#heading]]`, `[[name|label]]` and the same after `!`, as links whose
 * opening token has a {@link Wikilink} as `meta`.
 *
 * Stay text: brackets inside, spaces at either end (`[[ -f x ]]` in a shell), an index after a
 * letter or digit (`a[[1]]`), numbers with commas, footnotes, and whatever Markdown already has a
 * link for: `[[x]](address)`, `[[x]][label]`, and `[[x]]` if `x` is defined.
 *
 * @param options.keepsUnknown whether what isn't a document's name is a link too, without address
 */
export function wikilinks(md: MarkdownIt, options: { keepsUnknown?: boolean } = {}): void {
  const { keepsUnknown = false } = options;
  md.inline.ruler.before('link', 'wikilink', (state, silent) =>
    readWikilink(state, silent, keepsUnknown),
  );
}

function readWikilink(state: StateInline, silent: boolean, keepsUnknown: boolean): boolean {
  const { src, pos, posMax } = state;
  const isEmbed = src.charCodeAt(pos) === EXCLAMATION;
  const from = isEmbed ? pos + 1 : pos;
  if (src.charCodeAt(from) !== OPENING || src.charCodeAt(from + 1) !== OPENING) return false;
  // A link can't be inside a link. The types omit the level.
  const { linkLevel } = state as StateInline & { linkLevel: number };
  if (linkLevel > 0 || /[\w[\])]/.test(src.charAt(pos - 1))) return false;
  const inner = innerText(src, from + 2, Math.min(posMax, from + 2 + MAX_WIKILINK));
  if (inner === undefined) return false;
  const end = from + inner.length + 4;
  if (isMarkdownLink(state, inner, end)) return false;
  const wikilink = parseWikilink(inner);
  if (!wikilink) return false;
  const place = { ...wikilink, isEmbed, start: pos, end };
  const href = addressOfWikilink(place);
  if (href === undefined && !keepsUnknown) return false;
  if (!silent) {
    const open = state.push('link_open', 'a', 1);
    open.attrs = [['href', href ?? '']];
    open.markup = WIKILINK;
    open.meta = place satisfies Wikilink;
    state.push('text', '', 0).content = wikilink.label ?? inner;
    state.push('link_close', 'a', -1).markup = WIKILINK;
  }
  state.pos = end;
  return true;
}

/** Returns the text up to `]]`, if there is no bracket or line break in it. */
function innerText(src: string, from: number, max: number): string | undefined {
  for (let at = from; at < max; at++) {
    const sign = src[at];
    if (sign === '[' || sign === '\n') return undefined;
    if (sign === ']') {
      return src[at + 1] === ']' && at + 1 < max ? src.slice(from, at) : undefined;
    }
  }
  return undefined;
}

function isMarkdownLink({ src, env, md }: StateInline, inner: string, end: number): boolean {
  const next = src[end];
  if (next === '(' || (next === '[' && src[end + 1] !== '[')) return true;
  const { references } = env as { references?: Record<string, unknown> };
  return references !== undefined && md.utils.normalizeReference(inner) in references;
}

/** Reads what is between the brackets; `undefined` if it stays text. */
export function parseWikilink(
  inner: string,
): Pick<Wikilink, 'target' | 'heading' | 'label'> | undefined {
  if (inner !== inner.trim() || inner.startsWith('^')) return undefined;
  const [address = '', ...labels] = inner.split('|');
  const [target = '', ...headings] = address.split('#');
  const heading = headings.length > 0 ? headings.at(-1)?.trim() : undefined;
  const label = labels.join('|').trim() || undefined;
  if (target.trim() === '' && !heading) return undefined;
  if (/^[\d\s.,;-]*,[\d\s.,;-]*$/.test(target) || !/[\p{L}\p{N}]/u.test(address)) return undefined;
  return { target: target.trim(), heading, label };
}
