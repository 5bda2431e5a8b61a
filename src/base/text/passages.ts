import type { Change } from './changes.ts';
import { isBetweenWords } from './pieces.ts';

/** A passage of a text, in UTF-16 code units, and the text that takes its place. */
export interface ChangedPassage {
  start: number;
  end: number;
  replacement: string;
}

interface Group {
  start: number;
  end: number;
  changes: Change[];
}

/** How many unchanged words stand between two changes that are one passage. */
const NEAR_WORDS = 2;

/** How far a word beside an insertion reaches at most. */
const NEAR = 100;

/**
 * Turns the changes of a text into passages to replace, each of which makes sense by itself: changes
 * of a line with few words between them are one passage, because halves of a rewritten phrase mean
 * nothing, and an insertion replaces the word beside it. Long passages are cut between lines or words.
 *
 * @param all as `changes` returns them
 * @param longest the length of a passage that can be quoted
 * @returns passages that don't overlap, in order; `undefined` if a change can't be told as one
 */
export function changedPassages(
  text: string,
  all: readonly Change[],
  longest: number,
): ChangedPassage[] | undefined {
  const groups: Group[] = [];
  for (const given of all) {
    const change = tightened(text, given);
    const range = withWord(text, change);
    if (!range) return undefined;
    const last = groups.at(-1);
    const isOne = last && (range.start <= last.end || isNear(text.slice(last.end, range.start)));
    const end = Math.max(range.end, last?.end ?? 0);
    if (last && isOne && (range.start < last.end || end - last.start <= longest)) {
      last.end = end;
      last.changes.push(change);
    } else groups.push({ ...range, changes: [change] });
  }
  const passages = groups.flatMap((group) => cut(text, group, longest));
  const isSound = passages.every(
    ({ start, end, replacement }) =>
      end - start <= longest &&
      text.slice(start, end).trim() !== '' &&
      text.slice(start, end) !== replacement,
  );
  return isSound ? passages : undefined;
}

/** Leaves equal signs at the end out of a change, such as the full stop after a deleted word. */
export function tightened(text: string, { from, to, insert }: Change): Change {
  let [end, length] = [to, insert.length];
  const before = text.slice(Math.max(0, from - 1), from);
  for (let at = 1; at <= Math.min(to - from, insert.length); at++) {
    if (text[to - at] !== insert.at(-at)) break;
    const isEnd = [
      [text, to - at],
      [before + insert, before.length + insert.length - at],
    ] as const;
    if (isEnd.every(([whole, index]) => isBetweenWords(whole, index))) {
      [end, length] = [to - at, insert.length - at];
    }
  }
  return { from, to: end, insert: insert.slice(0, length) };
}

/** Returns the range of a change, with the word beside it if it replaces none. */
function withWord(text: string, { from, to }: Change): { start: number; end: number } | undefined {
  if (text.slice(from, to).trim() !== '') return { start: from, end: to };
  const [before] = /\S+\s*$/.exec(text.slice(Math.max(0, from - NEAR), from)) ?? [];
  if (before !== undefined) return { start: wholeCharacter(text, from - before.length), end: to };
  const [after] = /^\s*\S+/.exec(text.slice(to, to + NEAR)) ?? [];
  if (after === undefined) return undefined;
  return { start: from, end: wholeCharacter(text, to + after.length) };
}

function isNear(between: string): boolean {
  return !between.includes('\n') && (between.match(/\S+/g) ?? []).length <= NEAR_WORDS;
}

/** Cuts a passage that is too long. The text that takes its place stands with the first part. */
function cut(text: string, { start, end, changes }: Group, longest: number): ChangedPassage[] {
  if (end - start <= longest)
    return [{ start, end, replacement: replaced(text, start, end, changes) }];
  const [change] = changes;
  // Several changes of which one is too long: too unlikely to be worth a rule.
  if (changes.length > 1 || !change) return [{ start, end, replacement: '' }];
  const passages: ChangedPassage[] = [];
  for (let at = start; at < end; ) {
    const to = end - at <= longest ? end : endOfPart(text, at, at + longest);
    passages.push({ start: at, end: to, replacement: at === start ? change.insert : '' });
    at = to;
  }
  return passages;
}

function endOfPart(text: string, from: number, limit: number): number {
  const part = text.slice(from, limit);
  const lineBreak = part.lastIndexOf('\n') + 1;
  if (part.slice(0, lineBreak).trim() !== '') return from + lineBreak;
  const space = part.lastIndexOf(' ') + 1;
  return part.slice(0, space).trim() === '' ? wholeCharacter(text, limit) : from + space;
}

/** Moves an index out of a surrogate pair, to its start. */
function wholeCharacter(text: string, index: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(index - 1, index + 1))
    ? index - 1
    : index;
}

function replaced(text: string, start: number, end: number, changes: readonly Change[]): string {
  let [result, at] = ['', start];
  for (const { from, to, insert } of changes) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at, end);
}
