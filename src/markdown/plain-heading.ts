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
