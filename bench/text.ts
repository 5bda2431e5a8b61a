import { markdownText } from '../src/base/search/search-text.ts';
import { findWords } from '../src/base/search/search-words.ts';

/** Returns numbers from 0 to 1, the same for the same seed (mulberry32). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Markdown text and its words, each once. */
interface Passage {
  text: string;
  words: readonly string[];
}

const VOCABULARY = 4_000;
const PASSAGES = 4_096;

/** Passages that briefs are assembled from, because generating new text is much slower. */
export function makePassages(random: Random) {
  const vocabulary = Array.from({ length: VOCABULARY }, () => makeWord(random));
  // A few words make up most of the text, as in any language.
  const word = () => vocabulary[Math.floor(VOCABULARY * random() ** 3)] as string;
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const sentence = () => `${capitalise(words(5 + Math.floor(15 * random())))}.`;
  const shapes = [
    () => Array.from({ length: 1 + Math.floor(5 * random()) }, sentence).join(' '),
    () => Array.from({ length: 2 + Math.floor(4 * random()) }, () => `- ${words(6)}`).join('\n'),
    () => `${sentence()} **${words(2)}** and \`${word()}\`, as in _${words(3)}_. ${sentence()}`,
    () => `> ${sentence()}`,
    () => `| ${word()} | ${word()} |\n|---|---|\n| ${words(2)} | ${words(3)} |`,
  ];
  const pick = <T>(from: readonly T[]) => from[Math.floor(from.length * random())] as T;
  const many = (make: () => string) => Array.from({ length: PASSAGES }, () => passage(make()));
  return {
    headings: many(() => capitalise(words(1 + Math.floor(4 * random())))),
    paragraphs: many(() => pick(shapes)()),
  };
}

export type Passages = ReturnType<typeof makePassages>;

/**
 * Generates a brief of about a size: paragraphs with headings.
 *
 * @returns the words of the heading, and the Markdown
 */
export function makeBrief(
  random: Random,
  passages: Passages,
  bytes: number,
): { heading: readonly string[]; text: string } {
  const pick = (from: readonly Passage[]) => from[Math.floor(from.length * random())] as Passage;
  let text = '';
  const add = (mark: string, passage: Passage) => {
    text += `${mark}${passage.text}\n`;
  };
  const heading = pick(passages.headings);
  add('# ', heading);
  while (text.length < bytes) {
    if (random() < 0.2) add('\n## ', pick(passages.headings));
    add('\n', pick(passages.paragraphs));
  }
  return { heading: heading.words, text };
}

/** Generates a brief of an exact size. */
export function makeBriefOf(bytes: number): string {
  const random = seededRandom(bytes);
  return makeBrief(random, makePassages(random), bytes).text.slice(0, bytes);
}

/** Generates a page of an exact size: a report with a table of figures. */
export function makePageOf(bytes: number): string {
  const random = seededRandom(bytes);
  let html = '<!doctype html><meta charset="utf-8"><title>Report</title><table>\n';
  while (html.length < bytes) {
    const cells = Array.from({ length: 8 }, () => `<td>${Math.floor(1e6 * random())}</td>`);
    html += `<tr>${cells.join('')}</tr>\n`;
  }
  return html.slice(0, bytes);
}

function passage(text: string): Passage {
  const words = [...findWords(markdownText(text))].flatMap((found) => found.words);
  return { text, words: [...new Set(words)] };
}

const SYLLABLES = 'ba ce di fo gu la me ni po ru sa te vi lo nu tra sti con per ing'.split(' ');

function makeWord(random: Random): string {
  const syllable = () => SYLLABLES[Math.floor(SYLLABLES.length * random())];
  return Array.from({ length: 1 + Math.floor(3 * random()) }, syllable).join('');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
