/**
 * What one rendering may cost at most. All are counted (never timed), so the same source always
 * gives the same answer; the worker pool adds the deadline and the memory limit around them.
 * Lengths are UTF-16 code units.
 */

/** Longest source that is looked at. Documents are limited to fewer bytes than this. */
export const MAX_SOURCE_LENGTH = 2_000_000;

/** Longest HTML that is built, between any two steps. Links to one long reference reach it. */
export const MAX_HTML_LENGTH = 8_000_000;

/**
 * Most tokens of the Markdown parser. 900 KB of prose have 40,000, of a plain table 330,000; what
 * has more would fill the thread's memory before it is finished.
 */
export const MAX_TOKENS = 500_000;

/**
 * Deepest nesting of Markdown blocks (a list item counts two), and of links in links. markdown-it
 * drops what lies deeper without a word, so the guard in `nesting.ts` refuses it instead.
 */
export const MAX_BLOCK_NESTING = 40;

/** Deepest nesting of HTML elements. Browsers flatten what lies deeper than 512. */
export const MAX_ELEMENT_NESTING = 200;

/** Most footnotes: the plugin copies the document's tokens once per footnote. */
export const MAX_FOOTNOTES = 2_000;

/** Longest code block that is highlighted, and all of a document's together. */
export const MAX_HIGHLIGHTED_BLOCK = 64_000;
export const MAX_HIGHLIGHTED_TOTAL = 256_000;

/**
 * Longest formula, longest one that defines macros, all distinct formulas of a document together,
 * what a formula that took long to fail counts as, and all MathML.
 */
export const MAX_FORMULA_LENGTH = 4_000;
export const MAX_DEFINING_FORMULA_LENGTH = 2_000;
export const COSTLY_FAILURE = 8_000;
export const MAX_FORMULAS_LENGTH = 128_000;
export const MAX_MATHML_LENGTH = 4_000_000;

/** Most headings that are listed, and the longest text of one; longer is cut. */
export const MAX_HEADINGS = 1_000;
export const MAX_HEADING_TEXT = 256;

/** How much of one heading, and of all of them, is looked at to find the first that has text. */
export const MAX_HEADING_SOURCE = 4_000;
export const MAX_HEADINGS_SOURCE = 16_000;

/** Longest description, for Open Graph. */
export const MAX_DESCRIPTION = 200;

/** The source costs more to render than a document may: show it as plain text instead. */
export class RenderLimitError extends Error {
  override readonly name = 'RenderLimitError';
}
