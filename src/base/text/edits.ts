import { findAlike, fold } from './alike.ts';
import { type Candidate, closestPassages, lineOf, MAX_TEXT } from './closest.ts';
import { escapedBreaks, realBreaks } from './escaped-breaks.ts';
import { inLineBreaksOf, withLineFeeds } from './line-breaks.ts';
import { occurrences } from './occurrences.ts';
import type { Range } from './port.ts';
import { fewOf, findSection, type OutlineEntry, outlineOf, pathsOf } from './sections.ts';

/**
 * A change of a text. A passage must occur exactly once, unless `all` is set. If it doesn't occur,
 * the only one is taken that differs in quotes, dashes or spaces ({@link findAlike}).
 */
export type Edit =
  | { op: 'replace'; old: string; new: string; all?: boolean }
  | { op: 'insert'; before: string; content: string }
  | { op: 'insert'; after: string; content: string }
  | { op: 'append' | 'prepend'; content: string }
  | { op: 'section'; heading: string; mode: 'replace' | 'append' | 'delete'; content?: string }
  | { op: 'restore'; revision: number };

export type EditProblem =
  | 'not-found'
  | 'several'
  | 'no-section'
  | 'several-sections'
  | 'no-sections-here'
  | 'no-revision'
  | 'too-long';

/** Something to tell about an edit that was applied. */
export interface EditNote {
  /** The edit, from 0. */
  index: number;
  /**
   * `alike`: the passage or heading differs from the given one in quotes, dashes or spaces. `long-section`: it
   * replaced a section longer than {@link LONG_SECTION}, which its author may have read in part.
   * `escaped`: it wrote line breaks out as `\n`, and the text has none of these.
   */
  note: 'alike' | 'long-section' | 'escaped';
  /** The line of the passage or section, from 1, in the text that the edit was applied to; or 1. */
  line: number;
}

/** How much of a text agents read at once unless they ask for more, in bytes of UTF-8. */
export const LONG_SECTION = 50 * 1024;

export type EditsResult =
  | { text: string; notes: EditNote[] }
  | {
      /** The edit that failed, from 0. Then none was applied. */
      index: number;
      problem: EditProblem;
      /**
       * Candidates: for a passage, the closest passages or its occurrences; for a section, the
       * headings.
       */
      candidates: Candidate[];
    };

export interface EditOptions {
  /** Whether the text is Markdown and so has sections. */
  hasSections?: boolean;
  /** The longest that the text may become after any edit, in UTF-16 code units. */
  maxLength?: number;
  /** The texts of revisions to restore; a revision without a text is missing. */
  revisions?: ReadonlyMap<number, string>;
}

export const MAX_EDITS = 100;

/** The most passages or headings listed. */
export const MAX_PLACES = 10;

/**
 * Applies edits in order, all or none. Line breaks don't count: lines that stay keep theirs, and
 * all others get what most lines of the text have. Each takes time linear in the text: 100 edits of 5 MB take
 * seconds, so use a worker thread for large texts.
 *
 * @param edits at most {@link MAX_EDITS}; passages and headings must not be empty
 */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  options: EditOptions = {},
): EditsResult {
  const maxLength = options.maxLength ?? Number.POSITIVE_INFINITY;
  const notes: EditNote[] = [];
  let searched = 0;
  /** Looks for a passage that is written alike, unless that has taken too long. */
  const alike: FindAlike = (text, passage) => {
    searched += text.length;
    return searched > MAX_SEARCHED ? undefined : findAlike(text, passage);
  };
  let result = withLineFeeds(text);
  for (const [index, edit] of edits.entries()) {
    const applied = applyEdit(result, withLineFeedsAlone(edit), options, maxLength, alike);
    if (typeof applied !== 'string' && 'problem' in applied) return { index, ...applied };
    const { made, ...note } = typeof applied === 'string' ? { made: applied } : applied;
    if ('note' in note) notes.push({ index, ...note });
    if (isEscaped(edit, result, options)) notes.push({ index, note: 'escaped', line: 1 });
    if (made.length > maxLength) return { index, problem: 'too-long', candidates: [] };
    result = made;
  }
  const whole = inLineBreaksOf(text, result);
  if (whole.length > maxLength) {
    return { index: edits.length - 1, problem: 'too-long', candidates: [] };
  }
  return { text: whole, notes };
}

/** Tells whether an edit brings line breaks written out as `\n` into a text without any. */
function isEscaped(edit: Edit, text: string, { hasSections }: EditOptions): boolean {
  const added = 'new' in edit ? edit.new : 'content' in edit ? (edit.content ?? '') : '';
  const escaped = escapedBreaks(hasSections ? 'brief' : 'page', added);
  return escaped > realBreaks(added) && !text.includes('\\n');
}

function withLineFeedsAlone(edit: Edit): Edit {
  const fields = Object.entries(edit).map(([name, value]) => [
    name,
    typeof value === 'string' ? withLineFeeds(value) : value,
  ]);
  return Object.fromEntries(fields) as Edit;
}

type FindAlike = typeof findAlike;

/** How much text to search for passages that are written alike, in UTF-16 code units. */
const MAX_SEARCHED = 20_000_000;

type Noted = { made: string } & Pick<EditNote, 'note' | 'line'>;
type Refused = { problem: EditProblem; candidates: Candidate[] };

function applyEdit(
  text: string,
  edit: Edit,
  { hasSections, revisions }: EditOptions,
  maxLength: number,
  alike: FindAlike,
): string | Noted | Refused {
  switch (edit.op) {
    case 'replace':
      return edit.all
        ? replacedEverywhere(text, edit.old, edit.new, maxLength)
        : changedOnce(text, edit.old, () => edit.new, alike);
    case 'insert':
      return 'before' in edit
        ? changedOnce(text, edit.before, (passage) => edit.content + passage, alike)
        : changedOnce(text, edit.after, (passage) => passage + edit.content, alike);
    case 'append':
      return text + edit.content;
    case 'prepend':
      return edit.content + text;
    case 'section':
      if (!hasSections) return { problem: 'no-sections-here', candidates: [] };
      return withSection(text, edit.heading, edit.mode, edit.content ?? '');
    case 'restore':
      return restored(revisions?.get(edit.revision));
  }
}

function restored(text: string | undefined): string | Refused {
  if (text === undefined) return { problem: 'no-revision', candidates: [] };
  return withLineFeeds(text);
}

/**
 * Changes a passage that occurs once; if it doesn't occur, the only one that is written alike.
 *
 * @param by returns the new text for the passage as the text has it
 */
function changedOnce(
  text: string,
  old: string,
  by: (passage: string) => string,
  findAlike: FindAlike,
): string | Noted | Refused {
  const changed = ({ start, end }: Range) =>
    text.slice(0, start) + by(text.slice(start, end)) + text.slice(end);
  const places = occurrences(text, old);
  const { value: first } = places.next();
  if (first === undefined) {
    const alike = findAlike(text, old);
    if (!alike) return notFound(text, old);
    return { made: changed(alike), note: 'alike', line: lineOf(text, alike.start) };
  }
  const { value: second } = places.next();
  if (second === undefined) return changed({ start: first, end: first + old.length });
  const all = [first, second, ...places.take(MAX_PLACES - 2)];
  return { problem: 'several', candidates: all.map((index) => lineAround(text, index)) };
}

/** Replaces all occurrences; one that overlaps an earlier one stays. */
function replacedEverywhere(
  text: string,
  old: string,
  by: string,
  maxLength: number,
): string | Refused {
  const parts: string[] = [];
  let length = text.length;
  let at = 0;
  for (const index of occurrences(text, old)) {
    if (index < at) continue;
    parts.push(text.slice(at, index), by);
    at = index + old.length;
    length += by.length - old.length;
    // Stops a growing replacement before it fills the memory.
    if (length - (text.length - at) > maxLength) return { problem: 'too-long', candidates: [] };
  }
  if (parts.length === 0) return notFound(text, old);
  return [...parts, text.slice(at)].join('');
}

function notFound(text: string, passage: string): Refused {
  return { problem: 'not-found', candidates: closestPassages(text, passage) };
}

/** Returns the line around an index, cut to a candidate's length. */
function lineAround(text: string, index: number): Candidate {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - MAX_TEXT / 2);
  const lineBreak = text.indexOf('\n', index);
  const end = Math.min(lineBreak < 0 ? text.length : lineBreak, index + MAX_TEXT / 2);
  return { line: lineOf(text, index), text: text.slice(start, end).toWellFormed() };
}

/**
 * Replaces, extends or deletes a section with its subsections. Its heading stays, unless `delete`
 * drops it, or the replacement begins with another heading of its level, which takes its place.
 */
function withSection(
  text: string,
  heading: string,
  mode: 'replace' | 'append' | 'delete',
  content: string,
): string | Noted | Refused {
  const outline = outlineOf(text);
  const found = findSection(outline, heading);
  if ('problem' in found) {
    const { problem, candidates } = found;
    const paths = pathsOf(problem === 'several' ? outline : []);
    return {
      problem: problem === 'none' ? 'no-section' : 'several-sections',
      candidates: fewOf(candidates, problem, MAX_PLACES).map((entry) => ({
        line: entry.line,
        text: paths.get(entry) ?? entry.text,
      })),
    };
  }
  const start = startOfLine(text, found.heading.line);
  const end = found.next ? startOfLine(text, found.next.line) : text.length;
  const { line } = found.heading;
  const said = (made: string) => (found.isAlike ? { made, note: 'alike' as const, line } : made);
  if (mode === 'delete') return said(text.slice(0, start) + text.slice(end));
  const body = startOfLine(text, found.heading.bodyLine);
  const from = mode === 'append' ? start + text.slice(start, end).trimEnd().length : body;
  const before = text.slice(0, Math.max(from, Math.min(body, end)));
  if (mode === 'append') return said(inParagraphs(before, content, text.slice(end)));
  const [above, below] = withoutTwoHeadings(text.slice(0, start), before, content, found.heading);
  const made = inParagraphs(above, below, text.slice(end));
  const isLong = Buffer.byteLength(text.slice(start, end)) > LONG_SECTION;
  const isLess = made.length < text.length;
  return isLong && isLess ? { made, note: 'long-section', line } : said(made);
}

/**
 * Returns the text above a section's new content, and that content, with one heading. Reading a
 * section returns the heading, too, so the content often begins with it; then the text keeps its
 * own. Another heading of the same level takes its place. A heading of a deeper level is a
 * subsection's.
 *
 * @param outside the text above the section
 * @param before the same with the section's heading
 */
function withoutTwoHeadings(
  outside: string,
  before: string,
  content: string,
  { text, level }: OutlineEntry,
): [string, string] {
  const [first] = outlineOf(content);
  const isFirst = first && content.slice(0, startOfLine(content, first.line)).trim() === '';
  if (!isFirst || first.level > level) return [before, content];
  const isOwn = fold(first.text).text === fold(text).text;
  if (isOwn) return [before, content.slice(startOfLine(content, first.bodyLine))];
  return first.level === level ? [outside, content] : [before, content];
}

/** Joins texts with blank lines. */
function inParagraphs(before: string, content: string, after: string): string {
  const parts = [before.trimEnd(), content.replace(/^\n+/, '').trimEnd(), after];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return after ? text : `${text}\n`;
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const lineBreak = text.indexOf('\n', at);
    if (lineBreak < 0) return text.length;
    at = lineBreak + 1;
  }
  return at;
}
