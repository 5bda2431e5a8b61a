import { UNCOUNTED } from '../text/invisible.ts';
import { cut, foldWord, spellOut } from './fold-word.ts';

/** Letters and digits, also with invisible signs between them, such as soft hyphens. */
const RUN = new RegExp(`[\\p{L}\\p{M}\\p{N}]+(?:${UNCOUNTED}+[\\p{L}\\p{M}\\p{N}]+)*`, 'gu');

/** Words that only need lower-casing, which is most of them. */
const PLAIN = /^[A-Za-z0-9]+$/;

/** Scripts without spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The longest piece segmented at once, because segmenting takes more than linear time. */
const MAX_SEGMENTED = 256;

/** Where a name of several words begins a new one: `getUserById`, `HTMLParser`. */
const HAS_HUMPS = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** A name with more parts than this is only found by its parts. */
const MAX_PARTS = 16;

/**
 * Signs that join words to a name, the closest first: `user_by_id`, `v1.2.3`, `ada@example.com`,
 * `src/app.ts`. A part of a name is a name, too.
 */
const JOINTS: readonly string[] = ["-_'’", '.@:+&', '/\\'];
const LEVEL_OF = new Map(
  JOINTS.flatMap((signs, level) => [...signs].map((sign) => [sign, level] as const)),
).set('::', 1);
const FAR = JOINTS.length;

// How signs that belong to a word are written in the index, whose terms have no ASCII signs.
const PLUS = '＋';
const HASH = '＃';
const DOT = '．';

/** Signs after a word that belong to it (`C++`, `F#`). */
const SIGNS_AFTER = /\+\+|[+#](?![\p{L}\p{N}])/uy;

const DIGIT = /\p{N}/u;
const LETTER = /\p{L}/u;

/** A word's position in a text and its forms in the index. */
export interface FoundWord {
  start: number;
  end: number;
  /** Usually one; some characters stand for several words. */
  words: string[];
  /** The word with its signs: `c＋＋`, `．net`. */
  signed?: string;
  /** Further forms to find it by, such as the parts of `getUserById`. */
  also?: string[];
  /** A name of several words, which come before it one by one: `foobar` for `foo-bar`. */
  isName?: true;
}

/** Finds the words of a text one by one, in linear time. Names follow their last word. */
export function* findWords(text: string): Generator<FoundWord> {
  // Words that signs join, and how close the sign before each joins it.
  let joint: FoundWord[] = [];
  let levels: number[] = [];
  let last = -1;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const level = last < 0 ? FAR : levelOf(text, last, index);
    if (level === FAR && joint.length > 0) {
      if (joint.length > 1) yield* namesOf(joint, levels);
      joint = [];
      levels = [];
    }
    if (UNSPACED.test(run)) {
      if (joint.length > 1) yield* namesOf(joint, levels);
      joint = [];
      levels = [];
      last = -1;
      yield* unspacedWords(run, index);
      continue;
    }
    last = index + run.length;
    const word = wordOf(text, run, index);
    if (!word) continue;
    joint.push(word);
    levels.push(level);
    yield word;
  }
  if (joint.length > 1) yield* namesOf(joint, levels);
}

export function formsOf({ words, signed, also }: FoundWord): string[] {
  if (signed === undefined && also === undefined) return words;
  return [...words, ...(signed === undefined ? [] : [signed]), ...(also ?? [])];
}

/** Returns how close the sign between two words joins them: an index of JOINTS, or FAR. */
function levelOf(text: string, from: number, to: number): number {
  const length = to - from;
  if (length > 2) return FAR;
  return LEVEL_OF.get(length === 1 ? (text[from] as string) : text.slice(from, to)) ?? FAR;
}

/** Yields the names that consist of joint words: those that closer signs join come first. */
function* namesOf(words: readonly FoundWord[], levels: readonly number[]): Generator<FoundWord> {
  for (const level of JOINTS.keys()) {
    for (let first = 0; first < words.length; ) {
      let end = first + 1;
      let widest = -1;
      for (; end < words.length && (levels[end] as number) <= level; end += 1) {
        widest = Math.max(widest, levels[end] as number);
      }
      // Without such a sign, it is a name of a closer level.
      if (widest === level && end - first <= MAX_PARTS) yield nameOf(words.slice(first, end));
      first = end;
    }
  }
}

function nameOf(parts: readonly FoundWord[]): FoundWord {
  const whole = joined(parts.flatMap(({ words }) => words));
  const { start } = parts[0] as FoundWord;
  const { end } = parts.at(-1) as FoundWord;
  const version = withoutV(whole);
  const name: FoundWord = { start, end, words: [cut(whole)], isName: true };
  if (version !== undefined) name.also = [cut(version)];
  return name;
}

/** Joins words without their signs, but keeps numbers apart: 1.23 isn't 12.3. */
function joined(words: readonly string[]): string {
  let whole = '';
  for (const word of words) {
    const isBetweenNumbers = DIGIT.test(whole.at(-1) ?? '') && DIGIT.test(word[0] ?? '');
    whole += (isBetweenNumbers ? DOT : '') + word;
  }
  return whole;
}

/** Returns a version such as v1.2 without its letter. */
function withoutV(word: string): string | undefined {
  return word.startsWith('v') && /^v\p{N}/u.test(word) ? word.slice(1) : undefined;
}

function wordOf(text: string, run: string, index: number): FoundWord | undefined {
  const isPlain = PLAIN.test(run);
  const words = isPlain ? [cut(run.toLowerCase())] : foldWord(run);
  const [word] = words;
  if (word === undefined) return undefined;
  const found: FoundWord = { start: index, end: index + run.length, words };
  const also = HAS_HUMPS.test(run) ? partsOf(run) : [];
  const version = withoutV(word);
  if (version !== undefined) also.push(version);
  if (!isPlain) {
    const spelled = spellOut(run);
    if (spelled !== undefined) also.push(spelled);
  }
  if (text[index - 1] === '.' && LETTER.test(run[0] as string)) {
    if (isAfterWord(text, index - 1)) also.push(DOT + word);
    else {
      found.signed = DOT + word;
      found.start -= 1;
    }
  } else {
    const signs = signsAt(text, found.end);
    if (signs !== '' && LETTER.test(run.at(-1) as string)) {
      found.signed = word + signs.replaceAll('+', PLUS).replaceAll('#', HASH);
      found.end += signs.length;
    }
  }
  if (also.length > 0) found.also = also;
  return found;
}

function isAfterWord(text: string, index: number): boolean {
  const before = text[index - 1];
  return before !== undefined && (LETTER.test(before) || DIGIT.test(before) || before === '.');
}

function signsAt(text: string, index: number): string {
  const next = text[index];
  if (next !== '+' && next !== '#') return '';
  SIGNS_AFTER.lastIndex = index;
  return SIGNS_AFTER.exec(text)?.[0] ?? '';
}

/** Returns the words that a name such as `getUserById` consists of, and its endings (`userbyid`). */
function partsOf(run: string): string[] {
  const humps = run.split(HUMPS);
  if (humps.length > MAX_PARTS) return [];
  const folded = humps.map((hump) => foldWord(hump).join(''));
  const endings = folded.slice(1, -1).map((_, index) => cut(folded.slice(index + 1).join('')));
  return [...folded.filter((part) => part.length > 1), ...endings];
}

function* unspacedWords(run: string, index: number): Generator<FoundWord> {
  for (let from = 0; from < run.length; from += MAX_SEGMENTED) {
    const piece = run.slice(from, from + MAX_SEGMENTED);
    for (const { segment, index: at } of segmenter.segment(piece)) {
      const words = foldWord(segment);
      const start = index + from + at;
      if (words.length > 0) yield { start, end: start + segment.length, words };
    }
  }
}
