import type { Kind } from '../schema/kind.ts';
import { escapedBreaks, realBreaks } from '../text/escaped-breaks.ts';

/** What is odd about a text that was surely meant otherwise. */
export type Oddity = 'wrapped' | 'wrong-kind' | 'escaped';

const WRAPPED: Record<Kind, RegExp> = {
  brief: /^\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\r?\n[\s\S]*\n\1[`~]*\s*$/i,
  page: /^\s*(`{3,}|~{3,})[ \t]*(?:html?|xhtml)?[ \t]*\r?\n[\s\S]*\n\1[`~]*\s*$/i,
};

/** The start of an HTML document, perhaps in a fence. */
const HTML_DOCUMENT =
  /^\s*(?:(?:`{3,}|~{3,})[ \t]*html?[ \t]*\r?\n\s*)?<(?:!doctype\s+html|html[\s>])/i;

const BLOCK_TAG =
  /<\/?(?:!doctype|html|head|body|title|style|script|div|p|h[1-6]|ul|ol|table|main|section|article|pre|svg|canvas|form|br|span|img)\b/i;

const ANY_TAG = /<[!/a-z]/i;

/** Lines that only Markdown has. */
const MARKDOWN_LINE = /^(?:#{1,6} \S|[-*+] \S|\d+\. \S|```|> \S|\|.*\|[ \t]*$)/gm;

/** How many line breaks have to be written as `\n` before it is no accident. */
const MANY = 3;

/** How much of a text is looked at, where all of it need not be. */
const START = 65_536;

/**
 * Tells what is odd about a text: all of it in a fence of code, the other kind of document, or line
 * breaks written as `\n`. Only what is obvious, so most texts have nothing.
 */
export function oddityOf(kind: Kind, text: string): Oddity | undefined {
  if (kind === 'brief' && HTML_DOCUMENT.test(text.slice(0, START))) return 'wrong-kind';
  if (isFenced(kind, text)) return 'wrapped';
  if (kind === 'page' && isMarkdown(text)) return 'wrong-kind';
  return hasEscapedBreaks(kind, text) ? 'escaped' : undefined;
}

function isFenced(kind: Kind, text: string): boolean {
  const start = text.slice(0, 1_000);
  const end = text.slice(-1_000);
  // The middle doesn't matter.
  return WRAPPED[kind].test(text.length <= 2_000 ? text : `${start}\n${end}`);
}

function isMarkdown(text: string): boolean {
  const start = text.slice(0, START);
  const lines = start.match(MARKDOWN_LINE)?.length ?? 0;
  return !BLOCK_TAG.test(start) && lines >= (ANY_TAG.test(start) ? 2 : 1);
}

function hasEscapedBreaks(kind: Kind, text: string): boolean {
  const start = text.slice(0, START);
  const escaped = escapedBreaks(kind, start);
  return escaped >= MANY && escaped > 4 * realBreaks(start);
}
