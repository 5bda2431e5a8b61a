import { parse } from 'yaml';

/** Longer front matter is treated as text. In UTF-16 code units. */
const MAX_LENGTH = 16_384;

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m;

/**
 * Splits a Markdown text into YAML front matter and body. Front matter is a YAML mapping between a
 * first line `---` and a line `---` or `...`, of at most 16,384 UTF-16 code units. Anything else is
 * text.
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

function readMapping(yaml: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    // Silent, because YAML with a mistake can still have a readable title.
    value = parse(yaml, { logLevel: 'silent', uniqueKeys: false });
  } catch {
    return undefined;
  }
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping ? (value as Record<string, unknown>) : undefined;
}

function titleOf({ title }: Record<string, unknown>): string | undefined {
  if (typeof title !== 'string' && typeof title !== 'number') return undefined;
  return String(title).replace(/\s+/g, ' ').trim() || undefined;
}
