import { readFrontMatter } from '../markdown/front-matter.ts';
import { allAlike, fold, pastLook, replaceAlike } from './alike.ts';
import { placeOf, putBetween, setApart, startOfLine, type Way } from './blocks.ts';
import { equalEnds } from './changes.ts';
import { type Candidate, closestPassages, lineOf, MAX_TEXT } from './closest.ts';
import { escapedBreaks, realBreaks } from './escaped-breaks.ts';
import { inLineBreaksOf, withLineFeeds } from './line-breaks.ts';
import { lineDiff } from './line-diff.ts';
import { marginOf, putInMargin } from './margin.ts';
import { inOrderOf } from './moves.ts';
import { occurrences } from './occurrences.ts';
import { edgesOfPage } from './page-edges.ts';
import { outlineOfPage } from './page-quotes.ts';
import { withPageSection } from './page-sections.ts';
import { indexOf } from './places.ts';
import type { Range } from './port.ts';
import { fewOf, findSection, type OutlineEntry, outlineOf, pathsOf } from './sections.ts';

/**
 * A change of a text. A passage must occur exactly once, unless `all` is set. If it doesn't occur,
 * the only one is taken that differs in quotes, dashes or spaces ({@link findAlike}). `mode` is
 * `replace` by default.
 */
export type Edit =
  | { op: 'replace'; old: string; new: string; all?: boolean }
  | { op: 'insert'; before: string; content: string }
  | { op: 'insert'; after: string; content: string }
  | { op: 'append' | 'prepend'; content: string }
  | { op: 'section'; heading: string; mode?: SectionMode; content?: string }
  | { op: 'restore'; revision: number };

type SectionMode = 'replace' | 'append' | 'delete';

export type EditProblem =
  | 'not-found'
  | 'several'
  | 'no-section'
  | 'several-sections'
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
  isMarkdown?: boolean;
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
 * follows what they inserted there, and the passage that it stands at if they moved it.
 *
 * @param before the text that the edits were written for
 * @param lines lines of `after`, from 1
 * @returns the text and where the lines are then; what they deleted, though something was to stand
 *   there; `undefined` if they changed the place otherwise
 */
export function addLater(
  before: string,
  after: string,
  edits: readonly Edit[],
  options: EditOptions,
  lines: readonly number[],
): { text: string; lines: number[] } | Gone | undefined {
  const work = workOf(options);
  let [old, text] = [withLineFeeds(before), withLineFeeds(after)];
  for (const edit of edits.map(withLineFeedsAlone)) {
    const next = textOf(applyEdit(old, edit, work));
    const made =
      edit.op === 'insert'
        ? insertedLater(old, text, edit, work)
        : addedLater(old, text, edit, work);
    if (typeof made === 'object') return made;
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

/** What others deleted, and the line where it stood. */
export interface Gone {
  gone: string;
  line: number;
  content: string;
}

/** Adds to the whole text, or to the section that an edit named in the old one. */
function addedLater(old: string, text: string, edit: Edit, work: Work): string | Gone | undefined {
  if (edit.op !== 'section') return textOf(applyEdit(text, edit, work));
  const outline = work.isMarkdown ? outlineOf(old) : outlineOfPage(old);
  const found = findSection(outline, edit.heading);
  if ('problem' in found) return undefined;
  // Lines are those of the old text.
  const isNumbered = /^\d+:/.test(edit.heading);
  const path = isNumbered ? pathsOf(outline).get(found.heading) : undefined;
  const applied = applyEdit(text, { ...edit, heading: path ?? edit.heading }, work);
  const isGone = typeof applied === 'object' && 'problem' in applied;
  if (!isGone || applied.problem !== 'no-section') return textOf(applied);
  const { content = '' } = edit;
  const above = lineDiff(old.split('\n'), text.split('\n')).find(
    ({ to }) => to >= found.heading.line,
  );
  return { gone: found.heading.text, line: (above?.toFrom ?? 0) + 1, content };
}

/** Inserts behind what others inserted at the place; `undefined` if they changed it. */
function insertedLater(
  old: string,
  text: string,
  edit: Insertion,
  work: Work,
): string | Gone | undefined {
  const found = findOnce(old, passageOf(edit), work);
  if ('problem' in found) return undefined;
  if (found.text !== old) return textOf(applyEdit(text, edit, work));
  let place = 'before' in edit ? found.start : found.end;
  const anchor = 'before' in edit ? place : place - 1;
  const made = inserted(old, found, edit, work);
  const isAt = (at: number) => made.startsWith(old.slice(0, at)) && made.endsWith(old.slice(at));
  if (!isAt(place)) place = equalEnds(old, made).start;
  const isPure = isAt(place);
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
    const refusal = { gone: passageOf(edit), line: hunk.toFrom + 1, content: edit.content };
    const isHit = from <= anchor && anchor < from + gone.length;
    if (isHit && inOrderOf(before, after).length > 1) {
      const there = textOf(applyEdit(text, edit, work)) ?? '';
      const size = edit.content.length;
      // In the midst of another line, it can't have lines of its own.
      const isSame = made.length - old.length === size || there.length - text.length > size;
      return there !== '' && isSame ? there : refusal;
    }
    if (theirs.trim() === '' && start <= anchor && anchor < end) {
      return start <= found.start && found.end <= end ? refusal : undefined;
    }
    if (start > place || (start === place && end > place)) break;
    if (end > place) return undefined;
    // Words go on in their line, not in those that others put below it.
    if (start === place && !isLines && theirs.startsWith('\n')) break;
    shift += insert.length - gone.length;
  }
  const at = place + shift;
  const isGlued =
    !isLines && /(?:^|\n)$/.test(old.slice(0, place)) && /\S$/.test(after.slice(0, at));
  const all = (after.slice(0, at) + (isGlued ? '\n' : '') + added + after.slice(at)).slice(0, -1);
  return work.isMarkdown ? asText(text, edit.content, all) : all;
}

/** Tells whether an edit brings line breaks written out as `\n` into a text without any. */
function isEscaped(edit: Edit, text: string, { isMarkdown }: EditOptions): boolean {
  const added = 'new' in edit ? edit.new : 'content' in edit ? (edit.content ?? '') : '';
  const escaped = escapedBreaks(isMarkdown ? 'brief' : 'page', added);
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
  /** Tells what {@link placeOf} does, unless that has taken too long. */
  placeOf: typeof placeOf;
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
    put(joint, way: Way = 'block') {
      const { above, added, below } = joint;
      const whole = above + added + below;
      read += whole.length;
      const isShort = read <= MAX_READ && whole.length <= MAX_TEXT_READ;
      if (isShort && !whole.includes('\r')) return putBetween(joint, way);
      return way === 'block' ? setApart(joint) : whole;
    },
    placeOf(text, line, below) {
      read += text.length;
      const isShort = read <= MAX_READ && text.length <= MAX_TEXT_READ;
      return isShort ? placeOf(text, line, below) : { quotes: 0, from: line, isCode: true };
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
      return changedOnce(text, passageOf(edit), work, (text, { start, end }) => {
        const made = inserted(text, { start, end }, edit, work);
        return work.isMarkdown ? asText(text, edit.content, made) : made;
      });
    case 'append':
    case 'prepend': {
      const place = edgesOf(text, work)[edit.op === 'append' ? 'end' : 'start'];
      const [above, below] = [text.slice(0, place), text.slice(place)];
      const added = edit.content;
      if (work.isMarkdown) return asText(text, added, work.put({ above, added, below }));
      return above + breakOf(above, added) + added + breakOf(added, below) + below;
    }
    case 'section':
      return withSection(text, edit, work);
    case 'restore':
      return restored(work.revisions?.get(edit.revision));
  }
}

function passageOf(edit: Insertion): string {
  return 'before' in edit ? edit.before : edit.after;
}

/** Keeps a rule that is added from making front matter, which isn't shown, of a text. */
function asText(text: string, content: string, made: string): string {
  const [yaml, ...others] = [made, text, content].map((each) => readFrontMatter(each).yaml);
  const isHidden = yaml !== undefined && others.every((each) => each === undefined);
  return isHidden ? `\n${made}` : made;
}

/** Returns what keeps two parts of a text on lines of their own. */
function breakOf(above: string, below: string): string {
  const isOwn = above === '' || below === '' || above.endsWith('\n') || below.startsWith('\n');
  return isOwn ? '' : '\n';
}

/** Returns where the text begins and ends for readers: below the front matter, or in a page's body. */
function edgesOf(text: string, { isMarkdown }: EditOptions): Range & { yamlEnd: number } {
  if (!isMarkdown) return { ...edgesOfPage(text), yamlEnd: -1 };
  const { yaml, body } = readFrontMatter(text);
  if (yaml === undefined) return { start: 0, end: text.length, yamlEnd: -1 };
  const start = text.length - body.replace(/^\n+/, '').length;
  return { start, end: text.length, yamlEnd: text.indexOf('\n') + 1 + yaml.length };
}

/** What can stand before the words of a whole line. */
const MARKERS = /^(?:[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}[.)]|\[[ xX]\])[ \t]+)*[ \t]*$/;

/** What goes on in the line above, or leads on to the one below. One sign or two can be a mark. */
const GOES_ON =
  /^(?!(?: {2,}|\t+)(?:[-*+]|\d+[.)])[ \t])(?:[ \t,;:.!?…%)\]}’”»]|\[\^[^\]\n]+\](?!:))(?!\[)|^[^\p{L}\p{N}\s]{1,2}$/u;
const LEADS_ON = /[ \t([{‘“«]$|^[^\p{L}\p{N}\s]{1,2}$/u;

/** What stands in front of a paragraph in its first line. */
const HANGING = /^(?:[ \t]*(?:[-*+>]|\d{1,9}[.)]|\[\^[^\]\n]+\]:)[ \t]+)*[ \t]*/;

/** A block of its own, rather than words. */
const BLOCK =
  /^(?:#{1,6}[ \t]+\S|[-*+][ \t]+[^\s*]|\d{1,9}[.)][ \t]+\S|>[ \t]|`{3}|~{3}|(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})(?:\n|$)|.*\|.*\n[ \t]*[|:-][ \t|:-]*(?:\n|$))/;

/** An item, after its margin. */
const ITEM = /^\n*([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Returns where an item may follow another one at a place: below the lines that are in that one. */
function belowItem(
  line: string,
  content: string,
  { text, place }: { text: string; place: number },
) {
  const [margin, own] = [ITEM.exec(line)?.[1], ITEM.exec(content)?.[1]];
  if (margin === undefined || own === undefined || own.length > margin.length) return place;
  const isEnd = text[place - 1] !== '\n';
  const within = new RegExp(`^(?:(?:\\n[ \\t>]*)*\\n${margin}[ \\t]+\\S.*)+`);
  const [lines] = within.exec(text.slice(isEnd ? place : place - 1)) ?? [];
  return place + (lines?.length ?? 0);
}

/**
 * Inserts exactly what is given, unless it is Markdown that would break what stands there. Beside
 * whole lines, it stands on lines of its own, unless it goes on in theirs.
 */
function inserted(text: string, range: Range, edit: Insertion, work: Work): string {
  const { content } = edit;
  const isBefore = 'before' in edit;
  let place = isBefore ? range.start : range.end;
  if (!work.isMarkdown) return text.slice(0, place) + content + text.slice(place);
  const passage = text.slice(range.start, range.end);
  const start = range.end - passage.trimStart().length;
  const line = text.lastIndexOf('\n', start - 1) + 1;
  const end = range.start + passage.trimEnd().length;
  const [rest] = text.slice(end).split('\n', 1) as [string];
  const hasBreak = isBefore ? passage.startsWith('\n') : passage.endsWith('\n');
  const [isStart, isEnd] = [MARKERS.test(text.slice(line, start)), rest.trim() === ''];
  const isBlock = (isBefore ? isStart : isEnd) && BLOCK.test(content);
  const isWhole = hasBreak || (isStart && isEnd) || isBlock;
  const isInFront = isBefore !== hasBreak;
  const anchor = isBefore ? line : text.lastIndexOf('\n', end - 1) + 1;
  const indentation = marginOf(text.slice(anchor, end), 0);
  const isIndented = indentation.length > 1 && content.startsWith(indentation);
  const goesOn = !isIndented && (isInFront ? LEADS_ON : GOES_ON).test(content);
  const edges = edgesOf(text, work);
  const isOwn = (isWhole && !goesOn) || (place === 0 && edges.start > 0);
  if (isOwn && !hasBreak) place = isBefore ? line : end + rest.length;
  if (isOwn && !isBefore) place = belowItem(text.slice(anchor, end), content, { text, place });
  if (place === 0) place = edges.start;
  else if (isOwn && content.trim() !== '') {
    const beside = { anchor, place, isNamed: range.start <= line };
    const made = insertedInMargin(text, beside, edit, place <= edges.yamlEnd, work);
    if (made !== undefined) return made;
  }
  const [above, below] = [text.slice(0, place), text.slice(place)];
  const added = isOwn ? breakOf(above, content) + content + breakOf(content, below) : content;
  const isEdge = /^\n?$/.test(above.slice(-1)) || /^(?:\n|$)/.test(below);
  const isExact = !isEdge || place <= edges.yamlEnd || (!isInFront && goesOn);
  if (isExact) return above + added + below;
  const isGiven = !isOwn || (isInFront ? content.endsWith('\n') : content.startsWith('\n'));
  return work.put({ above, added, below }, isGiven ? 'exact' : 'lines');
}

/**
 * Inserts lines beside one that has a margin, with the same margin. If the passage names the margin, but the
 * content has none, only what the lines on both sides have in common counts.
 *
 * @returns `undefined` if there is no margin
 */
function insertedInMargin(
  text: string,
  beside: { anchor: number; place: number; isNamed: boolean },
  edit: Insertion,
  isYaml: boolean,
  work: Work,
): string | undefined {
  const { anchor, place } = beside;
  const lines = text.split('\n');
  const at = lineOf(text, anchor) - 1;
  const line = lines[at] as string;
  if (!/^[ \t>]/.test(line)) return undefined;
  const isAbove = place <= anchor;
  const below = isAbove ? at : lineOf(text, place - 1);
  const { quotes, from, isCode } = isYaml
    ? { quotes: 0, from: at, isCode: true }
    : work.placeOf(text, at, below);
  let margin = marginOf(line, quotes);
  // A line that goes on in a paragraph can be indented more than the paragraph is.
  if (from < at) margin = margin.slice(0, HANGING.exec(lines[from] as string)?.[0].length);
  const lead = /^\n*/.exec(edit.content)?.[0] ?? '';
  const content = edit.content.slice(lead.length);
  if (beside.isNamed && !content.startsWith(margin)) {
    const other = marginOf(lines[isAbove ? at - 1 : at + 1] ?? '', quotes);
    margin = margin.slice(0, equalEnds(margin, other).start);
  }
  if (margin === '') return undefined;
  const isGiven = isAbove ? content.endsWith('\n') : lead !== '';
  // At the end of a line, the first line break ends it.
  const own = text[place - 1] === '\n' ? edit.content : edit.content.replace(/^\n/, '');
  const added = own.endsWith('\n') ? own : `${own}\n`;
  return putInMargin(text, below, margin, added, (joint) =>
    isCode ? joint.above + joint.added + joint.below : work.put(joint, isGiven ? 'exact' : 'lines'),
  );
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
  { heading, mode = 'replace', content = '' }: Extract<Edit, { op: 'section' }>,
  { put, isMarkdown }: Work,
): string | Noted | Refused {
  const outline = isMarkdown ? outlineOf(text) : outlineOfPage(text);
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
  const start = indexOf(text, found.heading);
  const end = found.next ? indexOf(text, found.next) : text.length;
  const { line } = found.heading;
  const said = (made: string) => (found.isAlike ? { made, note: 'alike' as const, line } : made);
  const isLong = Buffer.byteLength(text.slice(start, end)) > LONG_SECTION;
  const replaced = (made: string) =>
    isLong && made.length < text.length
      ? { made, note: 'long-section' as const, line }
      : said(made);
  if (!isMarkdown) {
    const made = withPageSection(text, { start, end }, mode, content);
    return mode === 'replace' ? replaced(made) : said(made);
  }
  if (mode === 'delete') return said(text.slice(0, start) + text.slice(end));
  const body = startOfLine(text, found.heading.bodyLine);
  const from = mode === 'append' ? start + text.slice(start, end).trimEnd().length : body;
  const before = text.slice(0, Math.max(from, Math.min(body, end)));
  if (mode === 'append') return said(inSection(before, content, text.slice(end), put));
  const [above, below] = withoutTwoHeadings(text.slice(0, start), before, content, found.heading);
  return replaced(inSection(above, below, text.slice(end), put));
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
  const made = asText(before + below, content, put({ above: above + blankLine, added, below }));
  return below ? made : `${made.trimEnd()}\n`;
}
