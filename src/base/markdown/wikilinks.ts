import type MarkdownIt from 'markdown-it';
import type { StateInline } from 'markdown-it';

const OPENING = 0x5b;
const EXCLAMATION = 0x21;

/** The longest text between the brackets, in UTF-16 code units. */
const MAX_LENGTH = 1_000;

/** What `[[target#heading|label]]` says. */
export interface Wikilink {
  /** Name or path of the document. Empty for a heading of the same document. */
  target: string;
  /** The heading, without its `#`. */
  heading: string | undefined;
  label: string | undefined;
  /** Whether it is `![[…]]`. */
  isEmbed: boolean;
  /** Where it begins and ends in the block's content. */
  start: number;
  end: number;
}

/**
 * Adds `[[name]]`, `[[name#heading]]`, `[[name|label]]` and the same after `!`, as `wikilink`
 * tokens whose `meta` is a {@link Wikilink}.
 *
 * Stay text: brackets inside, spaces at either end (`[[ -f x ]]` in a shell), an index after a
 * letter or digit (`a[[1]]`), numbers with commas, footnotes, and whatever Markdown already has a
 * link for: `[[x]](address)`, `[[x]][label]`, and `[[x]]` if `x` is defined.
 */
export function wikilinks(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'wikilink', readWikilink);
}

function readWikilink(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const isEmbed = src.charCodeAt(pos) === EXCLAMATION;
  const from = isEmbed ? pos + 1 : pos;
  if (src.charCodeAt(from) !== OPENING || src.charCodeAt(from + 1) !== OPENING) return false;
  // A link can't be inside a link. The types omit the level.
  const { linkLevel } = state as StateInline & { linkLevel: number };
  if (linkLevel > 0 || /[\w[\])]/.test(src.charAt(pos - 1))) return false;
  const inner = innerText(src, from + 2, Math.min(posMax, from + 2 + MAX_LENGTH));
  if (inner === undefined) return false;
  const end = from + inner.length + 4;
  if (isMarkdownLink(state, inner, end)) return false;
  const wikilink = parseWikilink(inner);
  if (!wikilink) return false;
  if (!silent) {
    const token = state.push('wikilink', '', 0);
    token.content = wikilink.label ?? inner;
    token.meta = { ...wikilink, isEmbed, start: pos, end } satisfies Wikilink;
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
