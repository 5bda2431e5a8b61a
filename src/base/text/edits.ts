import { type Candidate, closestPassages, lineOf, MAX_TEXT } from './closest.ts';
import { inLineBreaksOf, withLineFeeds } from './line-breaks.ts';
import { occurrences } from './occurrences.ts';
import { findSection, outlineOf, shortOutline } from './sections.ts';

/** A change of a text. A passage must occur exactly once, unless `all` is set. */
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

export type EditsResult =
  | { text: string }
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
const MAX_PLACES = 10;

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
  let result = withLineFeeds(text);
  for (const [index, edit] of edits.entries()) {
    const made = applyEdit(result, withLineFeedsAlone(edit), options, maxLength);
    if (typeof made !== 'string') return { index, ...made };
    if (made.length > maxLength) return { index, problem: 'too-long', candidates: [] };
    result = made;
  }
  const whole = inLineBreaksOf(text, result);
  if (whole.length > maxLength) {
    return { index: edits.length - 1, problem: 'too-long', candidates: [] };
  }
  return { text: whole };
}

function withLineFeedsAlone(edit: Edit): Edit {
  const fields = Object.entries(edit).map(([name, value]) => [
    name,
    typeof value === 'string' ? withLineFeeds(value) : value,
  ]);
  return Object.fromEntries(fields) as Edit;
}

type Refused = { problem: EditProblem; candidates: Candidate[] };

function applyEdit(
  text: string,
  edit: Edit,
  { hasSections, revisions }: EditOptions,
  maxLength: number,
): string | Refused {
  switch (edit.op) {
    case 'replace':
      return edit.all
        ? replacedEverywhere(text, edit.old, edit.new, maxLength)
        : replacedOnce(text, edit.old, edit.new);
    case 'insert':
      return 'before' in edit
        ? replacedOnce(text, edit.before, edit.content + edit.before)
        : replacedOnce(text, edit.after, edit.after + edit.content);
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

function replacedOnce(text: string, old: string, by: string): string | Refused {
  const places = occurrences(text, old);
  const { value: first } = places.next();
  if (first === undefined) return notFound(text, old);
  const { value: second } = places.next();
  if (second === undefined) return text.slice(0, first) + by + text.slice(first + old.length);
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

/** Replaces, extends or deletes a section with its subsections. Only `delete` drops its heading. */
function withSection(
  text: string,
  heading: string,
  mode: 'replace' | 'append' | 'delete',
  content: string,
): string | Refused {
  const found = findSection(outlineOf(text), heading);
  if ('problem' in found) {
    return {
      problem: found.problem === 'none' ? 'no-section' : 'several-sections',
      candidates: shortOutline(found.candidates, MAX_PLACES).map(({ line, text }) => ({
        line,
        text,
      })),
    };
  }
  const start = startOfLine(text, found.fromLine);
  const end = startOfLine(text, found.toLine + 1);
  if (mode === 'delete') return text.slice(0, start) + text.slice(end);
  const body = startOfLine(text, found.bodyLine);
  const from = mode === 'append' ? start + text.slice(start, end).trimEnd().length : body;
  const before = text.slice(0, Math.max(from, Math.min(body, end)));
  return inParagraphs(before, content, text.slice(end));
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
