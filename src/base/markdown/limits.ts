/**
 * Limits of one rendering. All are counts, not times, so the same source always has the same
 * result; the worker pool adds a deadline and a memory limit. Lengths are UTF-16 code units.
 */

/** Longest source. Documents are limited to fewer bytes than this. */
export const MAX_SOURCE_LENGTH = 2_000_000;

/** Longest HTML after any step. Many links to one long reference can reach it. */
export const MAX_HTML_LENGTH = 8_000_000;

/**
 * Most tokens of the Markdown parser. 900 KB of prose have 40,000, of a plain table 330,000; more
 * could fill the thread's memory.
 */
export const MAX_TOKENS = 500_000;

/**
 * Deepest nesting of Markdown blocks (a list item counts as two) and of links in links. markdown-it
 * silently drops deeper text, so `parser.ts` throws before that.
 */
export const MAX_BLOCK_NESTING = 40;

/** Deepest nesting of HTML elements. Browsers flatten nesting deeper than 512. */
export const MAX_ELEMENT_NESTING = 200;

/** Most footnotes: the plugin copies the document's tokens once per footnote. */
export const MAX_FOOTNOTES = 2_000;

/** Longest code block that is highlighted, and the most highlighted code in a document. */
export const MAX_HIGHLIGHTED_BLOCK = 64_000;
export const MAX_HIGHLIGHTED_TOTAL = 256_000;

/**
 * Limits on formulas: the longest, the longest that defines macros, the cost of one that took long
 * to fail, and the totals of distinct formulas and of MathML in a document.
 */
export const MAX_FORMULA_LENGTH = 4_000;
export const MAX_DEFINING_FORMULA_LENGTH = 2_000;
export const COSTLY_FAILURE = 8_000;
export const MAX_FORMULAS_LENGTH = 128_000;
export const MAX_MATHML_LENGTH = 4_000_000;

/** Most headings listed, and where a heading's text is cut. */
export const MAX_HEADINGS = 1_000;
export const MAX_HEADING_TEXT = 256;

/** How much of one heading, and of all headings, is searched for a title. */
export const MAX_HEADING_SOURCE = 4_000;
export const MAX_HEADINGS_SOURCE = 16_000;

/** Longest description for Open Graph. */
export const MAX_DESCRIPTION = 200;

/** The source exceeds a limit. Show it as plain text instead. */
export class RenderLimitError extends Error {
  override readonly name = 'RenderLimitError';
}
