import {
  findSection,
  type OutlineEntry,
  outlineOf,
  type SectionSearch,
  shortOutline,
} from '../../base/text/sections.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { type Excerpt, excerpt, firstPart, type Place } from '../../surfaces/mcp/excerpt.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';

const MAX_OUTLINE = 200;
/** The most headings to name in an error. */
const MAX_CANDIDATES = 50;
const OUTLINE = 'the outline (line, then heading)';

/** The requested part of a text. */
export interface PartInput {
  section?: string;
  from_line?: number;
  from_column?: number;
  to_line?: number;
}

/** A part of a text, with the outline if it helps to read on. */
export interface Part {
  part: Excerpt;
  /** The requested last line; `undefined` for the end. */
  toLine: number | undefined;
  quotations: Quotation[];
}

/** Returns a part of a text, at most `maxBytes`. @throws InvalidArguments */
export function partOf(
  text: string,
  input: PartInput,
  { hasOutline, maxBytes }: { hasOutline: boolean; maxBytes: number },
): Part {
  const outline = hasOutline ? outlineOf(text) : [];
  const { from, toLine } = rangeOf(input, outline);
  const part = excerpt(text, from, toLine, maxBytes);
  if (!part) throw invalidArgument('from_line', 'the document has no such line and column');
  const isBeginning = part.next && from.line === 1 && from.column === 1;
  return {
    part,
    toLine: Number.isSafeInteger(toLine + 1) ? toLine : undefined,
    quotations: [
      ...(isBeginning ? quotedOutline(outline) : []),
      { what: 'the text', text: part.content },
    ],
  };
}

/** Returns a text's outline and length, without the text. */
export function outlineOnly(text: string, { hasOutline }: { hasOutline: boolean }): Part {
  const { totalLines } = firstPart(text, 4);
  const next = { line: 1, column: 1 };
  return {
    part: { content: '', fromLine: 1, toLine: 1, totalLines, next },
    toLine: undefined,
    quotations: hasOutline ? quotedOutline(outlineOf(text)) : [],
  };
}

function quotedOutline(outline: OutlineEntry[]): Quotation[] {
  const shown = shortOutline(outline, MAX_OUTLINE);
  return shown.length > 0 ? [{ what: OUTLINE, text: inLines(shown) }] : [];
}

/** Formats headings for a model: `12: ## Goal`. */
function inLines(outline: OutlineEntry[]): string {
  return outline.map(({ line, level, text }) => `${line}: ${'#'.repeat(level)} ${text}`).join('\n');
}

function rangeOf(input: PartInput, outline: OutlineEntry[]): { from: Place; toLine: number } {
  const { section, from_line = 1, from_column = 1, to_line = Number.MAX_SAFE_INTEGER } = input;
  if (section === undefined) {
    if (to_line < from_line) throw invalidArgument('to_line', 'must not be before from_line');
    return { from: { line: from_line, column: from_column }, toLine: to_line };
  }
  if (input.from_line ?? input.from_column ?? input.to_line) {
    throw invalidArgument('section', 'cannot be given together with lines');
  }
  const found = findSection(outline, section);
  if ('problem' in found) throw noSection(found);
  return { from: { line: found.fromLine, column: 1 }, toLine: found.toLine };
}

/** Returns the error for a section that wasn't found, with the headings to choose from. */
function noSection({ problem, candidates }: Extract<SectionSearch, { problem: string }>) {
  if (candidates.length === 0) return invalidArgument('section', 'the document has no headings');
  const said =
    problem === 'none'
      ? 'no heading has this text or starts with it. The headings are below'
      : 'several headings have this text or start with it. They are below; give a longer part ' +
        'of one, or its line as from_line';
  const text = inLines(shortOutline(candidates, MAX_CANDIDATES));
  return invalidArgument('section', said, { what: OUTLINE, text });
}
