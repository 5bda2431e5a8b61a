import MarkdownIt, { type PluginSimple, type StateInline, type Token } from 'markdown-it';
import footnotePlugin from 'markdown-it-footnote';
import type { Kind } from '../schema/kind.ts';
import {
  addressOfWikilink,
  type DocumentLink,
  documentLink,
  MEDIA,
  type Wikilink,
} from './document-links.ts';
import { readFrontMatter } from './front-matter.ts';
import { htmlReferences } from './html-references.ts';
import { MAX_BLOCK_NESTING } from './limits.ts';
import { mathSyntax } from './math-syntax.ts';
import { localAddress, type PlacedReference, type Reference } from './reference.ts';
import { type Place, placesOfBlock, startsOfLines } from './source-places.ts';
import { WIKILINK, wikilinks } from './wikilinks.ts';

export type { Reference, ReferenceForm } from './reference.ts';

/**
 * Finds the references of a text to files and other documents: links, images, definitions,
 * `[[wikilinks]]` and `![[embeds]]` of a brief, also in its HTML, and the attributes of a page.
 * Addresses with a scheme or a host, parts of the same document, code and formulas are none.
 *
 * @param own the beginnings of URLs of this service, without a slash at the end, that count, too
 * @returns those whose place in the text is certain, in the order they stand there
 */
export function referencesIn(text: string, kind: Kind, own: readonly string[] = []): Reference[] {
  return placedReferences(text, kind, own).map(({ write: _, ...reference }) => reference);
}

/**
 * Gives references new addresses and leaves everything else of a text as it is, byte for byte.
 *
 * @param resolve returns the new address of a reference, without its fragment, which is kept;
 *   `undefined` leaves the reference as it is. The address `name.md` is the brief of this name of
 *   the same owner, `name.html` the page: a wikilink to them stays one. An `embed` of an image
 *   becomes an image
 * @param own as of {@link referencesIn}
 */
export function rewriteReferences(
  text: string,
  kind: Kind,
  resolve: (reference: Reference) => string | undefined,
  own: readonly string[] = [],
): string {
  return replaceReferences(
    text,
    kind,
    (reference, write) => {
      const address = resolve(reference);
      return address === undefined ? undefined : write(address);
    },
    own,
  );
}

/**
 * Replaces the ranges of references, and leaves everything else of a text as it is, byte for byte.
 *
 * @param replace returns what the range becomes, or `undefined` to leave it. `write` writes the range
 *   with an address, as {@link rewriteReferences} does; `undefined` if that changes nothing
 * @param own as of {@link referencesIn}
 */
export function replaceReferences(
  text: string,
  kind: Kind,
  replace: (
    reference: Reference,
    write: (address: string) => string | undefined,
  ) => string | undefined,
  own: readonly string[] = [],
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { write, ...reference } of placedReferences(text, kind, own)) {
    const written = replace(reference, (address) =>
      isSameAddress(address, reference) ? undefined : write(address),
    );
    if (written === undefined || reference.start < from) continue;
    parts.push(text.slice(from, reference.start), written);
    from = reference.end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

/** Whether nothing would change but the spelling: `My%20file.md` and `<My file.md>`. */
function isSameAddress(address: string, { path }: Reference): boolean {
  return localAddress(address, [])?.path === path;
}

function placedReferences(text: string, kind: Kind, own: readonly string[]): PlacedReference[] {
  const found =
    kind === 'page' ? htmlReferences(text, own, 'with styles') : markdownReferences(text, own);
  return found.sort((a, b) => a.start - b.start);
}

/** Where something stands that markdown-it read: a definition's address, by line and column. */
interface Environment {
  definitions: { address: string; line: number; start: number; end: number }[];
  tokens: Token[];
}

/** Reads as the renderer does what decides whether something is a link, and nothing else. */
const parser = createParser();

function createParser(): MarkdownIt {
  // The types omit `maxNesting`.
  const options = { html: true, maxNesting: MAX_BLOCK_NESTING };
  const md = new MarkdownIt(options);
  md.validateLink = () => true;
  md.use(footnotePlugin as unknown as PluginSimple);
  md.inline.ruler.disable('footnote_inline');
  mathSyntax(md);
  wikilinks(md, { keepsUnknown: true });
  noteDefinitions(md);
  notePlaces(md, 'link');
  notePlaces(md, 'image');
  notePlaces(md, 'html_inline');
  // The plugin drops footnotes that nothing refers to.
  md.core.ruler.before('footnote_tail', 'keep_tokens', ({ tokens, env }) => {
    (env as Environment).tokens = [...tokens];
  });
  return md;
}

/** Notes in the `meta` of a token where its address begins and ends in its block's content. */
function notePlaces(md: MarkdownIt, name: 'link' | 'image' | 'html_inline'): void {
  const rule = ruleOf(md.inline.ruler, name);
  md.inline.ruler.at(name, (state, silent) => {
    const { pos, tokens } = state;
    const first = tokens.length;
    if (!rule(state, silent)) return false;
    if (silent) return true;
    const type = name === 'link' ? 'link_open' : name;
    const token = tokens.slice(first, first + 2).find((each) => each.type === type);
    if (!token) return true;
    token.meta =
      name === 'html_inline'
        ? { start: pos }
        : addressPlace(state, name === 'image' ? pos + 1 : pos);
    return true;
  });
}

/** @param bracket where `[` is; the rule has moved the state to the end of the link */
function addressPlace(
  state: StateInline,
  bracket: number,
): { start: number; end: number; address: string } | undefined {
  const { src, posMax, md } = state;
  const close = md.helpers.parseLinkLabel(state, bracket, bracket === state.pos);
  if (close < 0 || src[close + 1] !== '(' || state.pos <= close + 1) return undefined;
  let start = close + 2;
  while (start < posMax && /\s/.test(src.charAt(start))) start++;
  const { ok, pos: end, str: address } = md.helpers.parseLinkDestination(src, start, posMax);
  return ok ? { start, end, address } : undefined;
}

/** Notes where the addresses of definitions (`[label]: address`) are. */
function noteDefinitions(md: MarkdownIt): void {
  const rule = ruleOf(md.block.ruler, 'reference');
  const { parseLinkDestination } = md.helpers;
  let last: { address: string; start: number; end: number } | undefined;
  // The rule parses one address, in the whole source.
  Object.assign(md.helpers, {
    parseLinkDestination: (src: string, start: number, max: number) => {
      const result = parseLinkDestination(src, start, max);
      last = { address: result.str, start, end: result.pos };
      return result;
    },
  });
  md.block.ruler.at('reference', (state, startLine, endLine, silent) => {
    last = undefined;
    if (!rule(state, startLine, endLine, silent)) return false;
    if (silent || !last) return true;
    const { address, start, end } = last;
    let line = startLine;
    while (line + 1 < state.line && (state.eMarks[line] as number) < start) line++;
    // Columns, because line breaks and front matter are shorter here than in the source.
    const lineStart = state.src.lastIndexOf('\n', start - 1) + 1;
    (state.env as Environment).definitions.push({
      address,
      line,
      start: start - lineStart,
      end: end - lineStart,
    });
    return true;
  });
}

export function ruleOf<Rule>(
  ruler: {
    getRules(chain: string): Rule[];
    disable(name: string): unknown;
    enable(name: string): unknown;
  },
  name: string,
): Rule {
  const all = ruler.getRules('');
  ruler.disable(name);
  const others = new Set(ruler.getRules(''));
  ruler.enable(name);
  return all.find((rule) => !others.has(rule)) as Rule;
}

function markdownReferences(source: string, own: readonly string[]): PlacedReference[] {
  const env: Environment = { definitions: [], tokens: [] };
  parser.parse(readFrontMatter(source).body, env);
  const starts = startsOfLines(source);
  const found: PlacedReference[] = [];
  for (const { address, line, start, end } of env.definitions) {
    const lineStart = starts[line] ?? source.length;
    const place: Place = (at) => lineStart + at;
    add(destination('definition', address, { start, end }, own), place);
  }
  for (const { token, place, isCell } of placesOfBlock(source, starts, env.tokens)) {
    if (token.type === 'html_block') addHtml(token.content, 0, place);
    for (const child of token.children ?? []) {
      const { type, meta } = child as Token & { meta: { start: number; end: number } | null };
      if (!meta) continue;
      if (child.markup === WIKILINK) add(wikilink(meta as unknown as Wikilink, isCell), place);
      else if (type === 'html_inline') addHtml(child.content, meta.start, place);
      else if (type === 'link_open' || type === 'image') {
        const { address } = meta as unknown as { address: string };
        add(destination(type === 'image' ? 'image' : 'link', address, meta, own), place);
      }
    }
  }
  return found;

  function add(reference: PlacedReference | undefined, place: Place): void {
    if (!reference) return;
    const start = place(reference.start);
    const end = place(reference.end - 1);
    if (start !== undefined && end !== undefined) found.push({ ...reference, start, end: end + 1 });
  }

  function addHtml(html: string, from: number, place: Place): void {
    for (const reference of htmlReferences(html, own)) {
      const { start, end } = reference;
      add({ ...reference, start: from + start, end: from + end }, place);
    }
  }
}

function destination(
  form: 'link' | 'image' | 'definition',
  address: string,
  range: { start: number; end: number },
  own: readonly string[],
): PlacedReference | undefined {
  const local = localAddress(address, own);
  if (!local || range.end <= range.start) return undefined;
  const write = (to: string): string => writtenAddress(to + local.fragment);
  return { form, ...local, label: undefined, start: range.start, end: range.end, write };
}

/** Returns an address as the destination of a link, without brackets. */
function writtenAddress(address: string): string {
  const safe = address.replace(/[\s<>\\|]/gu, encodeURIComponent);
  // Parentheses in pairs are part of a destination.
  if (safe.replace(/\([^()]*\)/g, '').match(/[()]/) === null) return safe;
  return safe.replaceAll('(', '%28').replaceAll(')', '%29');
}

function wikilink(
  { target, heading, label, isEmbed, start, end }: Wikilink,
  isCell: boolean,
): PlacedReference | undefined {
  if (target === '') return undefined;
  const fragment = heading ? `#${heading}` : '';
  const write = (address: string): string => {
    const bar = isCell ? '\\|' : '|';
    const shown = label ?? target + fragment;
    const link = isEmbed && MEDIA.test(target) ? undefined : documentLink(address);
    if (link && link.owner === undefined && link.fragment === '') {
      const to = targetOf(link);
      // Without a label, readers see what stands here.
      const isSame = namedBy(target) === to;
      return `[[${isSame ? target : to}${fragment}${label || !isSame ? `${bar}${shown}` : ''}]]`;
    }
    // A size alone says nothing about the picture.
    const isSize = isEmbed && /^\d{1,4}(?:x\d{1,4})?$/.test(label ?? '');
    const text = isSize ? `${escapeText(target)}${bar}${label}` : escapeText(shown);
    const anchor = isEmbed || !heading ? '' : `#${encodeURIComponent(heading)}`;
    return `${isEmbed ? '!' : ''}[${text}](${writtenAddress(address)}${anchor})`;
  };
  const form = isEmbed ? 'embed' : 'wikilink';
  return { form, path: target, fragment, label, start, end, write };
}

/** Returns the target that a wikilink's own means, if that is a document of the same owner. */
function namedBy(target: string): string | undefined {
  const link = documentLink(addressOfWikilink({ target, heading: undefined }) ?? '');
  return link && link.owner === undefined ? targetOf(link) : undefined;
}

function targetOf({ kind, name }: Pick<DocumentLink, 'kind' | 'name'>): string {
  return kind === 'page' ? `${name}.html` : name;
}

function escapeText(text: string): string {
  return text.replace(/[\\`*_~$<>&|]/g, '\\$&');
}
