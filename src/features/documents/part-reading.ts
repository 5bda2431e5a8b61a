import type { FoundPlaces } from '../../base/text/find.ts';
import { indexOf, type Place } from '../../base/text/places.ts';
import type { Range } from '../../base/text/port.ts';
import {
  fewOf,
  findSection,
  type OutlineEntry,
  type SectionSearch,
  shortOutline,
} from '../../base/text/sections.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { type Excerpt, excerpt, firstPart } from '../../surfaces/mcp/excerpt.ts';
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
  /** The arguments that read on, besides the position; `null` at the end. */
  next: Record<string, unknown> | null;
  /** What an outline leaves out, and if the heading is written differently; empty if nothing. */
  said: string;
  quotations: Quotation[];
}

/**
 * Returns a part of a text, at most `maxBytes` with the outline, of which the outline has a third at most.
 *
 * @throws InvalidArguments
 */
export function partOf(
  text: string,
  input: PartInput,
  { outline, maxBytes }: { outline: OutlineEntry[]; maxBytes: number },
): Part {
  const { from, to, told } = boundsOf(input, outline);
  const most = excerpt(text, from, to, maxBytes);
  if (!most) throw invalidArgument('from_line', 'the document has no such line and column');
  const isBeginning = most.next && from.line === 1 && from.column === 1;
  const { said, quotations } = isBeginning
    ? quotedOutline(outline, 'view "outline" and ', maxBytes / 3)
    : { said: '', quotations: [] };
  const outlined = Buffer.byteLength(quotations.map((one) => one.text).join(''));
  const part = outlined ? (excerpt(text, from, to, maxBytes - outlined) as Excerpt) : most;
  return {
    part,
    next: part.next && { ...placeArguments(part.next), ...endArguments(input, to) },
    said: said + told,
    quotations: [...quotations, { what: 'the text', text: part.content }],
  };
}

/** Returns the outline of a text or of a part of it, and the text's length. @throws InvalidArguments */
export function outlineOnly(text: string, input: PartInput, outline: OutlineEntry[]): Part {
  const { totalLines } = firstPart(text, 4);
  const { from, to, told } = boundsOf(input, outline);
  const end = typeof to === 'number' ? { line: to + 1, column: 1 } : to;
  const within = outline.filter((entry) => !isBefore(entry, from) && isBefore(entry, end));
  const { said, quotations, next } = quotedOutline(within, '');
  const start = { line: 1, column: 1 };
  return {
    part: { content: '', fromLine: 1, toLine: 1, totalLines, next: start },
    next: next
      ? { view: 'outline', ...placeArguments(next), ...endArguments(input, to) }
      : placeArguments(start),
    said: said + told,
    quotations,
  };
}

/**
 * Returns the range of a text that is asked for, and what to tell about its heading.
 *
 * @throws InvalidArguments
 */
export function rangeOf(
  text: string,
  input: PartInput,
  outline: OutlineEntry[],
): Range & { told: string } {
  const { from, to, told } = boundsOf(input, outline);
  const end = typeof to === 'number' ? { line: to + 1, column: 1 } : to;
  return { start: indexOf(text, from), end: indexOf(text, end), told };
}

/** Formats the places of words for a model: `12: a line with them`. */
export function quotedPlaces({ places }: FoundPlaces, hasColumns: boolean): Quotation[] {
  const what = `the lines with it (${hasColumns ? 'line:column' : 'line'}: text)`;
  const lines = places.map(({ line, column, text, isShown }) => {
    const place = hasColumns ? `${line}:${column}` : line;
    return `${place}${isShown ? ' (as shown)' : ''}: ${text}`;
  });
  return lines.length > 0 ? [{ what, isPlural: true, text: lines.join('\n') }] : [];
}

/** Returns the arguments that read on at a place. */
export function placeArguments({ line, column }: Place): Record<string, unknown> {
  return { from_line: line, from_column: column };
}

/** Returns the arguments that end a part where it was asked to end. */
function endArguments({ section }: PartInput, to: number | Place): Record<string, unknown> {
  if (typeof to !== 'number') return { section };
  return Number.isSafeInteger(to + 1) ? { to_line: to } : {};
}

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}

/** Quotes an outline, and says what it leaves out and how to get it. */
function quotedOutline(
  outline: OutlineEntry[],
  asking: string,
  maxBytes = Number.POSITIVE_INFINITY,
) {
  let count = MAX_OUTLINE;
  let short = shortOutline(outline, count);
  while (count > 0 && Buffer.byteLength(inLines(short.shown)) > maxBytes) {
    count = Math.floor(count / 2);
    short = shortOutline(outline, count);
  }
  const { shown, deepest, next } = short;
  const quotations = shown.length > 0 ? [{ what: OUTLINE, text: inLines(shown) }] : [];
  return { quotations, next, said: sentence() };

  function sentence(): string {
    if (shown.length === outline.length) return '';
    const most = outline.length.toLocaleString('en');
    if (deepest !== undefined) {
      return ` The outline leaves out ${(outline.length - shown.length).toLocaleString('en')} of ${most} headings, those below level ${deepest}: call again with ${asking}one of these headings as section.`;
    }
    const { line = 1, column = 1 } = next ?? {};
    const place =
      column === 1 ? `from_line ${line}` : `from_line ${line} and from_column ${column}`;
    return ` The outline has the first ${shown.length} of ${most} headings: call again with ${asking}${place} for more.`;
  }
}

/** Formats headings for a model: `12: ## Goal`; with the column if the line begins before. */
function inLines(outline: OutlineEntry[]): string {
  return outline
    .map(({ line, column, level, text }) => {
      const place = column === 1 ? `${line}` : `${line}:${column}`;
      return `${place}: ${'#'.repeat(level)} ${text}`;
    })
    .join('\n');
}

/**
 * Returns where a part begins, its last line or where it ends, and what to tell about its heading.
 *
 * @throws InvalidArguments
 */
function boundsOf(
  input: PartInput,
  outline: OutlineEntry[],
): { from: Place; to: number | Place; told: string } {
  const { section, from_line = 1, from_column = 1, to_line = Number.MAX_SAFE_INTEGER } = input;
  const from = { line: from_line, column: from_column };
  if (section === undefined) {
    if (to_line < from_line) throw invalidArgument('to_line', 'must not be before from_line');
    return { from, to: to_line, told: '' };
  }
  if (input.to_line) throw invalidArgument('section', 'cannot be given together with to_line');
  const found = findSection(outline, section);
  if ('problem' in found) throw noSection(found);
  const { heading, next, isAlike } = found;
  // A Markdown section ends with a line, a page's perhaps within one.
  const to = next && next.column === 1 ? next.line - 1 : (next ?? Number.MAX_SAFE_INTEGER);
  const isInside = !isBefore(from, heading);
  const told = isAlike
    ? ` The heading in line ${heading.line} differs from section in quotes, dashes, spaces or markup.`
    : '';
  return { from: isInside ? from : { line: heading.line, column: heading.column }, to, told };
}

/** Returns the error for a section that wasn't found, with the headings to choose from. */
function noSection({ problem, candidates }: Extract<SectionSearch, { problem: string }>) {
  if (candidates.length === 0) return invalidArgument('section', 'the document has no headings');
  const said =
    problem === 'none'
      ? 'no heading has this text or starts with it. The headings are below'
      : 'several headings have this text or start with it. They are below; name one by its line, ' +
        'such as "5: Setup", or by its path, "Guide > Setup"';
  const few = fewOf(candidates, problem, MAX_CANDIDATES);
  const rest =
    few.length < candidates.length
      ? ` (${few.length} of ${candidates.length.toLocaleString('en')}; view "outline" has more)`
      : '';
  return invalidArgument('section', said + rest, { what: OUTLINE, text: inLines(few) });
}
