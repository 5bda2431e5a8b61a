import { distance } from 'fastest-levenshtein';
import { isBetweenWords, letterGroups, type Numbering, type Pieces, words } from './pieces.ts';

/** A passage that the caller may have meant. */
export interface Candidate {
  /** The line it begins on, from 1. */
  line: number;
  /** Its text, cut to {@link MAX_TEXT} UTF-16 code units. */
  text: string;
}

const MAX_CANDIDATES = 3;
export const MAX_TEXT = 1_000;

/** Passages less similar than this are no help. */
const LEAST_ALIKE = 0.4;

/** How far to look for the beginning or the end of a word, in UTF-16 code units. */
const MAX_WORD = 50;

/**
 * Finds the passages most similar to one that isn't in the text, best first. Takes linear time:
 * slides a window over the words, and compares only the best few windows letter by letter. If every
 * word has a typing error, no word matches; then compares groups of letters.
 */
export function closestPassages(text: string, passage: string): Candidate[] {
  const numbering: Numbering = new Map();
  const wanted = words(passage, { from: 0, to: passage.length }, numbering).keys;
  const pieces = words(text, { from: 0, to: text.length }, numbering);
  const byWords = mostAlike(text, passage, pieces, wanted, numbering.size);
  if (byWords.length > 0) return byWords;
  const groups = letterGroups(passage);
  return mostAlike(text, passage, letterGroups(text), groups.keys, groups.distinct);
}

function mostAlike(
  text: string,
  passage: string,
  { starts, keys }: Pieces,
  wanted: Int32Array,
  distinct: number,
): Candidate[] {
  const size = Math.min(wanted.length, keys.length);
  if (size === 0) return [];
  const target = passage.slice(0, MAX_TEXT).trimEnd();
  const found = bestWindows(keys, wanted, size, distinct).map(({ start: window }) => {
    // If the window has the passage's first word, the passage more likely begins there.
    const first = keys.subarray(window, window + size).indexOf(wanted[0] as number);
    const candidates = [window, window + Math.max(0, first)].map((index) => {
      const to = starts[Math.min(index + size, keys.length)] as number;
      const part = wholeWords(text, starts[index] as number, to);
      return { ...part, alike: likeness(part.text, target) };
    }) as [Found, Found];
    return candidates[1].alike > candidates[0].alike ? candidates[1] : candidates[0];
  });
  return found
    .filter(({ alike }) => alike >= LEAST_ALIKE)
    .sort((one, other) => other.alike - one.alike || one.from - other.from)
    .slice(0, MAX_CANDIDATES)
    .map((one) => ({ line: lineOf(text, one.from), text: one.text.toWellFormed() }));
}

/** Returns a part of a text, extended to whole words and cut to {@link MAX_TEXT}. */
function wholeWords(text: string, start: number, end: number): { from: number; text: string } {
  let from = start;
  while (from > Math.max(0, start - MAX_WORD) && !isBetweenWords(text, from)) from--;
  let to = end;
  while (to < Math.min(text.length, end + MAX_WORD) && !isBetweenWords(text, to)) to++;
  return { from, text: text.slice(from, Math.min(to, from + MAX_TEXT)).trimEnd() };
}

interface Found {
  from: number;
  text: string;
  alike: number;
}

/** Returns the line of an index, from 1. */
export function lineOf(text: string, index: number): number {
  let line = 1;
  let at = text.indexOf('\n');
  for (; at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Returns how alike two texts are: from 0 to 1 (equal), by Levenshtein distance. */
export function likeness(one: string, other: string): number {
  return 1 - distance(one, other) / Math.max(1, one.length, other.length);
}

/** Consecutive words from word `start`, and how many of them the passage also has. */
export interface Window {
  start: number;
  shared: number;
}

/**
 * Finds the windows of `size` words that share the most words with the passage and don't overlap.
 *
 * @param distinct the number of different words in both together
 */
export function bestWindows(
  keys: Int32Array,
  wanted: Int32Array,
  size: number,
  distinct: number,
): Window[] {
  /** For each word, how often the window still lacks it compared with the passage. */
  const missing = new Int32Array(distinct);
  for (const key of wanted) missing[key] = (missing[key] as number) + 1;
  let shared = 0;
  const best: Window[] = [];
  for (let end = 0; end < keys.length; end++) {
    const key = keys[end] as number;
    missing[key] = (missing[key] as number) - 1;
    if ((missing[key] as number) >= 0) shared++;
    const start = end - size + 1;
    if (start < 0) continue;
    keepBest(best, { start, shared }, size);
    const first = keys[start] as number;
    missing[first] = (missing[first] as number) + 1;
    if ((missing[first] as number) > 0) shared--;
  }
  return best.filter(({ shared }) => shared > 0);
}

/** How many windows are compared letter by letter. */
const MAX_WINDOWS = 8;

function keepBest(best: Window[], window: Window, size: number): void {
  const last = best.findIndex(({ start }) => window.start - start < size);
  const overlapping = best[last];
  if (overlapping) {
    if (window.shared > overlapping.shared) best[last] = window;
    return;
  }
  best.push(window);
  if (best.length <= MAX_WINDOWS) return;
  const worst = best.reduce((one, other) => (other.shared < one.shared ? other : one));
  best.splice(best.indexOf(worst), 1);
}
