import { isMap, parseDocument } from 'yaml';

/** Longer front matter is treated as text. In UTF-16 code units. */
const MAX_LENGTH = 16_384;

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m;

/**
 * Splits a Markdown text into YAML front matter and body. Front matter is a YAML mapping between a
 * first line `---` and a line `---` or `...`, of at most 16,384 UTF-16 code units. A mapping with a
 * mistake (`title: Fix: colon`) is front matter if all its lines look like it; with other lines, as
 * between two rules, it is text. So is anything else.
 *
 * @returns the body, with an empty line for each line of front matter so that line numbers stay,
 *   the mapping's title, and its lines
 */
export function readFrontMatter(source: string): {
  body: string;
  title: string | undefined;
  yaml: string | undefined;
} {
  const none = { body: source, title: undefined, yaml: undefined };
  const opening = OPENING.exec(source)?.[0];
  if (!opening) return none;
  const following = source.slice(opening.length, opening.length + MAX_LENGTH);
  const closing = CLOSING.exec(following);
  if (!closing) return none;
  const yaml = following.slice(0, closing.index);
  const mapping = readMapping(yaml);
  if (!mapping) return none;
  const end = opening.length + closing.index + closing[0].length;
  const emptyLines = source.slice(0, end).replace(/[^\n]+/g, '');
  return { body: emptyLines + source.slice(end), title: titleOf(mapping), yaml };
}

/** A line of a mapping: `key:`, an item, a comment, the end of a list, or what is indented. */
const METADATA =
  /^(?:["']?[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*["']?[ \t]*:(?:\s|$)|-(?:\s|$)|#|[\]}]|\s+\S)/u;

/** An item below a field that has its value already: a list of a text. */
const STRAY_ITEM = /^[^\s#-].*?:[ \t]+[^\s#].*\n-(?:\s|$)/mu;

function readMapping(yaml: string): Record<string, unknown> | undefined {
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
  if (!isMap(document.contents)) return undefined;
  const mapping = mappingOf(document);
  if (mapping && document.errors.length === 0) return mapping;
  const lines = yaml.replace(/\r?\n$/, '').split(/\r?\n/);
  if (!lines.every((line) => METADATA.test(line))) return undefined;
  if (STRAY_ITEM.test(yaml.replaceAll('\r', ''))) return undefined;
  // The mistake can be in the title, which people can read all the same.
  const [, title] = /^title[ \t]*:[ \t]+(\S.*)$/m.exec(yaml) ?? [];
  return title === undefined || isTitle(mapping?.title) ? (mapping ?? {}) : { title };
}

function mappingOf(document: { toJS(): unknown }): Record<string, unknown> | undefined {
  try {
    return document.toJS() as Record<string, unknown>;
  } catch {
    // An alias without its anchor: `title: *bold*`.
    return undefined;
  }
}

function isTitle(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function titleOf({ title }: Record<string, unknown>): string | undefined {
  return isTitle(title) ? String(title).replace(/\s+/g, ' ').trim() || undefined : undefined;
}
