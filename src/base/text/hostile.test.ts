import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anchorAt, portAnchors } from './anchor.ts';
import { changes } from './changes.ts';
import { merge3 } from './merge.ts';

const BRIEF = 900 * 1024;
/** Short enough for approximate search. */
const SHORT = 95_000;
/** A fifth of the longest page: unbounded work takes minutes even for this. */
const PAGE = 1024 * 1024;
const repeated = (part: string, length: number) =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);
/** Numbered lines of about `length` characters in all. */
const numbered = (length: number, line: (index: number) => string) =>
  Array.from({ length: Math.floor(length / 7) }, (_, index) => line(index))
    .join('\n')
    .slice(0, length);

/** Three texts of a length that are as hard to compare as possible. */
const HOSTILE: Record<string, (length: number) => [base: string, current: string, yours: string]> =
  {
    'line breaks alone': (n) => ['\n'.repeat(n), '\n'.repeat(n / 2), `x${'\n'.repeat(n - 1)}`],
    'two lines in turns': (n) => [
      repeated('a\nb\n', n),
      repeated('b\na\n', n),
      repeated('a\na\nb\n', n),
    ],
    'all lines equal': (n) => [
      repeated('the same line\n', n),
      `${repeated('the same line\n', n / 2)}x\n${repeated('the same line\n', n / 3)}`,
      `y\n${repeated('the same line\n', n / 2)}`,
    ],
    'unique lines in another order': (n) => [
      numbered(n, (index) => `${index}`),
      numbered(n, (index) => `${n - index}`),
      numbered(n, (index) => `${(index * 7919) % Math.floor(n / 7)}`),
    ],
    'many gaps without anchors': (n) => [
      numbered(n, (index) => (index % 9 ? `${index % 3}` : `unique ${index}`)),
      numbered(n, (index) => (index % 9 ? `${(index * index) % 3}` : `unique ${index}`)),
      numbered(n, (index) => (index % 9 ? `${(index * 7) % 4}` : `unique ${index}`)),
    ],
    'anchors within anchors': (n) => [
      numbered(n, (index) => `${index >> 1}`),
      numbered(n, (index) => `${(n - index) >> 1}`),
      numbered(n, (index) => `${index % Math.floor(n / 14)}`),
    ],
    'one line of one letter': (n) => [repeated('a', n), repeated('b', n), repeated('c', n)],
    'one line of words in turns': (n) => [
      repeated('aaa bbb ', n),
      repeated('bbb aaa ccc ', n),
      repeated('ccc bbb ', n),
    ],
    'one line of places to cut': (n) => [repeated('>', n), repeated('>;', n), repeated(';>>', n)],
    'white space everywhere': (n) => [
      repeated('a b\n', n),
      repeated('a  b ', n),
      repeated('a\nb', n),
    ],
    'letters apart, then together': (n) => [
      repeated('a ', n),
      repeated('a', n),
      repeated('a\n', n),
    ],
    'spaces alone': (n) => [' '.repeat(n), '\t'.repeat(n), ' \n'.repeat(n / 2)],
    'halves of characters': (n) => [
      repeated('\ud83d', n),
      repeated('\ude00', n),
      repeated('\ud83d\ude00', n),
    ],
    'random words without lines': (n) => [
      pseudoRandom(n, 1),
      pseudoRandom(n, 2),
      pseudoRandom(n, 3),
    ],
    'random short lines': (n) => [
      pseudoRandom(n, 1).replaceAll(' ', '\n'),
      pseudoRandom(n, 2).replaceAll(' ', '\n'),
      pseudoRandom(n, 3).replaceAll(' ', '\n'),
    ],
  };

/** Random short words, the same for the same seed. */
function pseudoRandom(length: number, seed: number): string {
  let state = seed;
  const words: string[] = [];
  for (let written = 0; written < length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = (state >>> 18).toString(36);
    words.push(word);
    written += word.length + 1;
  }
  return words.join(' ').slice(0, length);
}

/** Each takes less than two seconds of processor time on an idle machine; unbounded work takes minutes. */
const PATIENCE_MS = 30_000;

function within(work: () => unknown): void {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  const took = (user + system) / 1_000;
  assert.ok(took < PATIENCE_MS, `${took} ms`);
}

/** Comments all over a text, short and long, half of them deleted. */
function manyAnchors(text: string) {
  return Array.from({ length: 500 }, (_, index) => {
    const start = Math.floor((index * text.length) / 500);
    const anchor = anchorAt(text, { start, end: start + (index % 4 ? 60 : 1_000) });
    return index % 2 ? anchor : { ...anchor, state: 'gone' as const };
  });
}

describe('Hostile texts are compared, merged and commented in limited time', () => {
  for (const [name, texts] of Object.entries(HOSTILE)) {
    it(`briefs: ${name}`, () => {
      const [, current, yours] = texts(BRIEF);
      within(() => changes(current, yours));
    });
    it(`pages: ${name}`, () => {
      within(() => merge3(...texts(PAGE)));
    });
    it(`comments on short briefs: ${name}`, () => {
      const [, current, yours] = texts(SHORT);
      within(() => portAnchors(current, yours, manyAnchors(current)));
    });
    it(`comments on pages: ${name}`, () => {
      const [, current, yours] = texts(PAGE);
      within(() => portAnchors(current, yours, manyAnchors(current)));
    });
  }
});
