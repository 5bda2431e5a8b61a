import type { Change } from './changes.ts';
import { likeness } from './closest.ts';
import { firstIndex } from './first-index.ts';
import { isChance, words } from './pieces.ts';

/** A passage of a text, in UTF-16 code units. `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/**
 * The result for a passage, and its range in the new text:
 * - `kept`: the same characters
 * - `changed`: from the first to the last character that survived, or that replaced one of its own
 * - `replaced`: nothing survived; the range is the text that replaced it
 * - `gone`: nothing survived and nothing replaced it; the range is empty
 */
export interface Ported extends Range {
  state: 'kept' | 'changed' | 'replaced' | 'gone';
  /** How many of its characters survived. */
  survived: number;
  /** What took its place, unless the words beside it changed, too; absent if it is kept. */
  instead?: Range;
}

/**
 * Carries a passage of the old text to the new one. An empty passage is a point between characters.
 */
export type Port = (range: Range) => Ported;

/**
 * Prepares to carry passages through one save. Each costs a binary search.
 *
 * Survivors of fewer than three letters or digits are chance, unless they are the whole passage.
 *
 * @param before the old text
 * @param changes what `changes` found
 */
export function createPort(before: string, changes: readonly Change[]): Port {
  /** How far the text is moved after each change. */
  const shifts = new Float64Array(changes.length + 1);
  const removed = new Float64Array(changes.length + 1);
  for (const [index, { from, to, insert }] of changes.entries()) {
    shifts[index + 1] = (shifts[index] as number) + insert.length - (to - from);
    removed[index + 1] = (removed[index] as number) + to - from;
  }

  return ({ start, end }) => {
    const first = firstEndingAfter(start, start === end);
    let last = firstEndingAfter(end, true);
    // Text inserted at the end of a passage isn't part of the passage. Text inserted in an empty
    // passage replaces it.
    while (last < changes.length && touches(changes[last] as Change, start, end)) last++;
    while (last > first && !touches(changes[last - 1] as Change, start, end)) last--;
    const shift = shifts[first] as number;
    if (first >= last) {
      return { state: 'kept', start: start + shift, end: end + shift, survived: end - start };
    }

    const head = changes[first] as Change;
    const tail = changes[last - 1] as Change;
    const instead = { start: start + shift, end: end + (shifts[last] as number) };
    const survivors = {
      start: start < head.from ? start : head.to,
      end: end > tail.to ? end : tail.from,
    };
    if (haveLetters(first, last, survivors)) {
      const atStart = start < head.from ? 0 : ownPart(head, { start, end: head.to }, 'start');
      const atEnd = end > tail.to ? 0 : ownPart(tail, { start: tail.from, end }, 'end');
      return {
        state: 'changed',
        start:
          survivors.start + (shifts[start < head.from ? first : first + 1] as number) - atStart,
        end: survivors.end + (shifts[end > tail.to ? last : last - 1] as number) + atEnd,
        survived: survivors.end - survivors.start - removedBetween(first, last, survivors),
        instead,
      };
    }
    const place = {
      instead,
      survived: 0,
      start: head.from + shift,
      end: tail.to + (shifts[last] as number),
    };
    return { state: place.start < place.end ? 'replaced' : 'gone', ...place };
  };

  /**
   * Counts how many characters that a change at a passage's edge inserted took the place of its own:
   * those from a word like the outermost of its own on. If there is none, all; but if the change
   * also covers words beside the passage, as many words are theirs.
   *
   * @param own what the change removed of the passage
   */
  function ownPart({ from, to, insert }: Change, own: Range, edge: 'start' | 'end'): number {
    if (insert.length > ENOUGH || to - from > ENOUGH) return 0;
    const isStart = edge === 'start';
    const lost = wordsIn(before.slice(own.start, own.end));
    const others = wordsIn(before.slice(isStart ? from : own.end, isStart ? own.start : to)).length;
    const inserted = wordsIn(insert);
    if (!isStart) for (const list of [lost, inserted]) list.reverse();
    const alike = inserted.findIndex(
      ({ word }) => likeness(word, lost[0]?.word ?? '') >= LEAST_ALIKE,
    );
    const outside = Math.max(others, inserted.length - lost.length);
    const first = inserted[alike >= 0 ? alike : others === 0 ? 0 : outside];
    if (!first) return 0;
    return isStart ? insert.length - first.start : first.start + first.word.length;
  }

  /** Counts the characters that changes [first, last) removed inside a range. */
  function removedBetween(first: number, last: number, { start, end }: Range): number {
    const from = (changes[first] as Change).to <= start ? first + 1 : first;
    const to = (changes[last - 1] as Change).from >= end ? last - 1 : last;
    return to > from ? (removed[to] as number) - (removed[from] as number) : 0;
  }

  /** Returns the first change that ends after an index or, if `orAt`, at it. */
  function firstEndingAfter(index: number, orAt: boolean): number {
    return firstIndex(changes.length, (at) => {
      const { to } = changes[at] as Change;
      return orAt ? to >= index : to > index;
    });
  }

  /** Tells whether enough of a passage survives changes [first, last). */
  function haveLetters(first: number, last: number, { start, end }: Range): boolean {
    let survived = '';
    let at = start;
    for (let index = first; index <= last && survived.length < ENOUGH; index++) {
      const { from, to } = index < last ? (changes[index] as Change) : { from: end, to: end };
      if (from > at) survived += before.slice(at, Math.min(from, at + ENOUGH));
      at = Math.max(at, to);
    }
    return !isChance(survived);
  }
}

/** A word that is less like another isn't what became of it. */
const LEAST_ALIKE = 0.5;

/** How many surviving characters are searched for letters, and replaced ones for words. */
const ENOUGH = 1_000;

function wordsIn(text: string): { start: number; word: string }[] {
  const { starts } = words(text, { from: 0, to: text.length }, new Map());
  return Array.from(starts.subarray(0, -1), (start, index) => ({
    start,
    word: text.slice(start, starts[index + 1]).trimEnd(),
  })).filter(({ word }) => word !== '');
}

/** Tells whether a change is in a passage, or at an empty one. A change beside a passage isn't. */
function touches({ from, to }: Change, start: number, end: number): boolean {
  return start === end ? from <= start && start <= to : from < end && start < to;
}
