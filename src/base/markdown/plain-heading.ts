/** Characters that may be markup, part of a link, or the heading's closing sequence. */
const PLAIN = /^\s*#{1,6}[ \t]+([^\\`*_[\]<>&!$~^#%@/|\p{Cc}]{1,200})(?:\r?\n|$)/u;

/**
 * Returns the heading that a Markdown text begins with, if it is plain text: then it is what
 * `firstHeading` returns. Most texts begin like this, and parsing takes a worker thread.
 */
export function plainHeading(source: string): string | undefined {
  // Four spaces before a heading make it code.
  if (/^(?:[ \t]*\r?\n)*(?: {4}| {0,3}\t)/.test(source)) return undefined;
  const text = PLAIN.exec(source)?.[1]?.replace(/\s+/g, ' ').trim();
  return text || undefined;
}

/** How much of a brief to search for its title, in UTF-16 code units. */
const TITLE_WITHIN = 16 * 1024;

/** Returns the first lines of a text, where its title is looked for. */
export function beginningOf(source: string): string {
  if (source.length <= TITLE_WITHIN) return source;
  const end = source.lastIndexOf('\n', TITLE_WITHIN);
  return source.slice(0, end > 0 ? end : TITLE_WITHIN).toWellFormed();
}

/** Matches text that can contain a heading of either form, or front matter. */
const CAN_HAVE_TITLE = /#|^[ \t>]*(?:=+|-+)[ \t]*\r?$/m;

/** Tells whether a text may have a heading or front matter; `false` saves parsing it. */
export function canHaveTitle(source: string): boolean {
  return CAN_HAVE_TITLE.test(source);
}
