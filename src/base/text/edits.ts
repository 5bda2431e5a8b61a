import { readFrontMatter } from '../markdown/front-matter.ts';
import { allAlike, fold, pastLook, replaceAlike } from './alike.ts';
import { putBetween, setApart, startOfLine } from './blocks.ts';
import { equalEnds } from './changes.ts';
import { type Candidate, closestPassages, lineOf, MAX_TEXT } from './closest.ts';
import { escapedBreaks, realBreaks } from './escaped-breaks.ts';
import { inLineBreaksOf, withLineFeeds } from './line-breaks.ts';
import { lineDiff } from './line-diff.ts';
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
  const work = workOf(options);
  const notes: EditNote[] = [];
  let result = withLineFeeds(text);
  for (const [index, edit] of edits.entries()) {
    const applied = applyEdit(result, withLineFeedsAlone(edit), work);
    if (typeof applied !== 'string' && 'problem' in applied) return { index, ...applied };
    const { made, ...note } = typeof applied === 'string' ? { made: applied } : applied;
    if ('note' in note) notes.push({ index, ...note });
    if (isEscaped(edit, result, options)) notes.push({ index, note: 'escaped', line: 1 });
    if (made.length > work.maxLength) return { index, problem: 'too-long', candidates: [] };
    result = made;
  }
  const whole = inLineBreaksOf(text, result);
  if (whole.length > work.maxLength) {
    return { index: edits.length - 1, problem: 'too-long', candidates: [] };
  }
  return { text: whole, notes };
}

/** Tells whether an edit only adds, so that it destroys nothing that others wrote meanwhile. */
export function onlyAdds(edit: Edit): boolean {
  const isAppended = edit.op === 'section' && edit.mode === 'append';
  return isAppended || ['append', 'prepend', 'insert'].includes(edit.op);
}

/**
 * Makes edits that only add in a text that others have changed meanwhile. What is inserted at a place
 * follows what they inserted there.
 *
 * @param before the text that the edits were written for
 * @param lines lines of `after`, from 1
 * @returns the text and where the lines are then; `undefined` if a place isn't there any more
 */
export function addLater(
  before: string,
  after: string,
  edits: readonly Edit[],
  options: EditOptions,
  lines: readonly number[],
): { text: string; lines: number[] } | undefined {
  const work = workOf(options);
  let [old, text] = [withLineFeeds(before), withLineFeeds(after)];
  for (const edit of edits.map(withLineFeedsAlone)) {
    const next = textOf(applyEdit(old, edit, work));
    const isInsertion = edit.op === 'insert';
    const made = isInsertion
      ? insertedLater(old, text, edit, work)
      : textOf(applyEdit(text, edit, work));
    if (next === undefined || made === undefined) return undefined;
    [old, text] = [next, made];
  }
  const hunks = lineDiff(withLineFeeds(after).split('\n'), text.split('\n'));
  const later = (line: number) => {
    const above = hunks.findLast(({ to }) => to < line);
    return above ? line + above.toTo - above.to : line;
  };
  return { text: inLineBreaksOf(after, text), lines: lines.map(later) };
}

function textOf(applied: string | Noted | Refused): string | undefined {
  if (typeof applied === 'string') return applied;
  return 'made' in applied ? applied.made : undefined;
}

/** Inserts behind what others inserted at the place; `undefined` if it isn't there any more. */
function insertedLater(old: string, text: string, edit: Insertion, work: Work): string | undefined {
  const found = findOnce(old, passageOf(edit), work);
  if ('problem' in found) return undefined;
  if (found.text !== old) return textOf(applyEdit(text, edit, work));
  let place = 'before' in edit ? found.start : found.end;
  const anchor = 'before' in edit ? place : place - 1;
  const made = insertedAt(old, place, edit.content, work);
  const isPure = made.startsWith(old.slice(0, place)) && made.endsWith(old.slice(place));
  let added = isPure ? made.slice(place, made.length - old.length + place) : edit.content;
  const [before, after] = [`${old}\n`, `${text}\n`];
  if (added.startsWith('\n') && before[place] === '\n') {
    added = `${added.slice(1)}\n`;
    place++;
  }
  const isLines = /^\n|\n$/.test(added);
  let shift = 0;
  for (const hunk of lineDiff(before.split('\n'), after.split('\n'))) {
    const from = startOfLine(before, hunk.from + 1);
    const gone = before.slice(from, startOfLine(before, hunk.to + 1));
    const insert = after.slice(
      startOfLine(after, hunk.toFrom + 1),
      startOfLine(after, hunk.toTo + 1),
    );
    const { start: head, end: tail } = equalEnds(gone, insert);
    const [start, end] = [from + head, from + gone.length - tail];
    const theirs = insert.slice(head, insert.length - tail);
    if (start > place || (start === place && end > place)) break;
    if (end > place || (theirs === '' && start <= anchor && anchor < end)) return undefined;
    // Words go on in their line, not in those that others put below it.
    if (start === place && !isLines && theirs.startsWith('\n')) break;
    shift += insert.length - gone.length;
  }
  const at = place + shift;
  const isGlued =
    !isLines && /(?:^|\n)$/.test(old.slice(0, place)) && /[^\n]$/.test(after.slice(0, at));
  return (after.slice(0, at) + (isGlued ? '\n' : '') + added + after.slice(at)).slice(0, -1);
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

/** How much text to search for passages that are written alike, in UTF-16 code units. */
const MAX_SEARCHED = 20_000_000;

/** How much text to read for its blocks, in UTF-16 code units: of one text, and for all edits. */
const MAX_TEXT_READ = 1_000_000;
const MAX_READ = 5_000_000;

type Noted = { made: string } & Pick<EditNote, 'note' | 'line'>;
type Refused = { problem: EditProblem; candidates: Candidate[] };
type Insertion = Extract<Edit, { op: 'insert' }>;

interface Work extends EditOptions {
  maxLength: number;
  /** Looks for passages that are written alike, unless that has taken too long. */
  allAlike: typeof allAlike;
  /** Puts something between as {@link putBetween} does, or with less care once that has taken too long. */
  put: typeof putBetween;
}

function workOf(options: EditOptions): Work {
  let [searched, read] = [0, 0];
  return {
    ...options,
    maxLength: options.maxLength ?? Number.POSITIVE_INFINITY,
    allAlike(text, passage) {
      searched += text.length;
      return searched > MAX_SEARCHED ? allAlike('', passage) : allAlike(text, passage);
    },
    put(joint, isExact = false) {
      const { above, added, below } = joint;
      const whole = above + added + below;
      read += whole.length;
      const isShort = read <= MAX_READ && whole.length <= MAX_TEXT_READ;
      if (isShort && !whole.includes('\r')) return putBetween(joint, isExact);
      return isExact ? whole : setApart(joint);
    },
  };
}

function applyEdit(text: string, edit: Edit, work: Work): string | Noted | Refused {
  switch (edit.op) {
    case 'replace':
      if (edit.all) return replacedEverywhere(text, edit.old, edit.new, work);
      return changedOnce(text, edit.old, work, (text, { start, end }) => {
        const own = text.slice(start, end);
        return text.slice(0, start) + replaceAlike(own, edit.old, edit.new) + text.slice(end);
      });
    case 'insert':
      return changedOnce(text, passageOf(edit), work, (text, { start, end }) =>
        insertedAt(text, 'before' in edit ? start : end, edit.content, work),
      );
    case 'append':
      if (work.hasSections) return work.put({ above: text, added: edit.content, below: '' });
      return onOwnLine(text, edit.content);
    case 'prepend':
      if (work.hasSections) {
        const { yaml, body } = readFrontMatter(text);
        const below = yaml === undefined ? text : body.replace(/^\n+/, '');
        const above = text.slice(0, text.length - below.length);
        return work.put({ above, added: edit.content, below });
      }
      return onOwnLine(edit.content, text);
    case 'section':
      if (!work.hasSections) return { problem: 'no-sections-here', candidates: [] };
      return withSection(text, edit.heading, edit.mode, edit.content ?? '', work);
    case 'restore':
      return restored(work.revisions?.get(edit.revision));
  }
}

function passageOf(edit: Insertion): string {
  return 'before' in edit ? edit.before : edit.after;
}

function onOwnLine(above: string, below: string): string {
  const isOwn = above === '' || below === '' || above.endsWith('\n') || below.startsWith('\n');
  return above + (isOwn ? '' : '\n') + below;
}

/** Inserts exactly what is given, unless it is Markdown that would break what stands there. */
function insertedAt(text: string, place: number, content: string, work: Work): string {
  const [above, below] = [text.slice(0, place), text.slice(place)];
  const isStart = /(?:^|\n)$/.test(text.slice(Math.max(0, place - 1), place));
  const isEdge = isStart || below === '' || below.startsWith('\n');
  const isInLine = !isStart && /^[ \t]/.test(content);
  if (!work.hasSections || !isEdge || isInLine) return above + content + below;
  return work.put({ above, added: content, below }, true);
}

function restored(text: string | undefined): string | Refused {
  if (text === undefined) return { problem: 'no-revision', candidates: [] };
  return withLineFeeds(text);
}

/** Changes a passage that {@link findOnce} finds. */
function changedOnce(
  text: string,
  passage: string,
  work: Work,
  change: (text: string, range: Range) => string,
): string | Noted | Refused {
  const found = findOnce(text, passage, work);
  if ('problem' in found) return found;
  const made = endingLike(text, found.text, change(found.text, found));
  if (!found.isAlike) return made;
  return { made, note: 'alike', line: lineOf(text, found.start) };
}

interface Found extends Range {
  /** The text that has the passage: see {@link withEnd}. */
  text: string;
  isAlike: boolean;
}

/** Finds a passage that occurs once; if it doesn't occur, the only one that is written alike. */
function findOnce(text: string, passage: string, work: Work): Found | Refused {
  for (const whole of new Set([text, withEnd(text, passage)])) {
    const exact = occurrences(whole, passage).take(MAX_PLACES).toArray();
    if (exact.length > 1) {
      return { problem: 'several', candidates: exact.map((index) => lineAround(text, index)) };
    }
    const [start] = exact;
    if (start !== undefined) {
      const end = pastLook(whole, start + passage.length);
      return { text: whole, start, end, isAlike: false };
    }
    const [alike, other] = work.allAlike(whole, passage).take(2);
    if (alike && !other) return { text: whole, ...alike, isAlike: true };
  }
  return notFound(text, passage);
}

/** Returns a text with a line break at its end, if a passage has one there. */
function withEnd(text: string, passage: string): string {
  return passage.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
}

/** Takes off the line break that {@link withEnd} added. */
function endingLike(text: string, whole: string, made: string): string {
  return whole === text ? made : made.replace(/\n$/, '');
}

/**
 * Replaces all occurrences; one that overlaps an earlier one stays. If there are none, replaces all
 * that are written alike.
 */
function replacedEverywhere(
  text: string,
  old: string,
  by: string,
  work: Work,
): string | Noted | Refused {
  const whole = withEnd(text, old);
  const parts: string[] = [];
  let length = whole.length;
  let at = 0;
  const replace = (start: number, end: number): boolean => {
    if (start < at) return true;
    const own = whole.slice(start, end);
    const made = own === old ? by : replaceAlike(own, old, by);
    parts.push(whole.slice(at, start), made);
    at = end;
    length += made.length - own.length;
    // Stops a growing replacement before it fills the memory.
    return length - (whole.length - at) <= work.maxLength;
  };
  const tooLong: Refused = { problem: 'too-long', candidates: [] };
  for (const start of occurrences(whole, old)) {
    if (!replace(start, pastLook(whole, start + old.length))) return tooLong;
  }
  const isExact = parts.length > 0;
  if (!isExact) {
    for (const { start, end } of work.allAlike(whole, old)) {
      if (!replace(start, end)) return tooLong;
    }
  }
  const [before] = parts;
  if (before === undefined) return notFound(text, old);
  const made = endingLike(text, whole, [...parts, whole.slice(at)].join(''));
  return isExact ? made : { made, note: 'alike', line: lineOf(text, before.length) };
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
  { put }: Work,
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
  if (mode === 'append') return said(inSection(before, content, text.slice(end), put));
  const [above, below] = withoutTwoHeadings(text.slice(0, start), before, content, found.heading);
  const made = inSection(above, below, text.slice(end), put);
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

/** Puts content between what is above and below in its section's place, with blank lines around it. */
function inSection(before: string, content: string, below: string, put: Work['put']): string {
  const [above, added] = [before.trimEnd(), content.trimEnd()];
  const blankLine = above && (added || below) ? '\n\n' : '';
  const made = put({ above: above + blankLine, added, below });
  return below ? made : `${made.trimEnd()}\n`;
}
