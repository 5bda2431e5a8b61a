import { limitCombiningMarks } from '../text/combining-marks.ts';

/** Longer words are cut: no one types more, and indexes have limits. */
const MAX_WORD_CHARACTERS = 64;

/**
 * How much of a word is normalised, in UTF-16 code units; far more than a word's characters with
 * their marks. Normalising takes quadratic time for alternating marks.
 */
const MAX_NORMALISED = 1_024;

/** Words up to this length are normalised as they are: their marks can't take long. */
const ALWAYS_QUICK = 64;

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
const PART = /[\p{L}\p{N}\u3099\u309a]+/gu;

/** All marks except those of kana, which make other letters. */
const MARKS = /(?![\u3099\u309a])\p{M}+/gu;

/** Words that only need lower-casing, which is most of them. */
const PLAIN = /^[A-Za-z0-9]+$/;

/** Scripts without spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The longest piece segmented at once, because segmenting takes more than linear time. */
const MAX_SEGMENTED = 256;

/** A word's position in a text and its form in the index. */
export interface FoundWord {
  start: number;
  end: number;
  /** Usually one; some characters stand for several words. */
  words: string[];
}

/** Finds the words of a text one by one, in linear time. */
export function* findWords(text: string): Generator<FoundWord> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (PLAIN.test(run)) {
      yield { start: index, end: index + run.length, words: [cut(run.toLowerCase())] };
      continue;
    }
    for (const [start, piece] of piecesOf(run)) {
      const words = normaliseWord(piece);
      if (words.length === 0) continue;
      yield { start: index + start, end: index + start + piece.length, words };
    }
  }
}

function* piecesOf(run: string): Generator<[start: number, piece: string]> {
  if (!UNSPACED.test(run)) return yield [0, run];
  for (let from = 0; from < run.length; from += MAX_SEGMENTED) {
    for (const { segment, index } of segmenter.segment(run.slice(from, from + MAX_SEGMENTED))) {
      yield [from + index, segment];
    }
  }
}

/** Normalises a word for comparison: compatible forms unified, lower case, no marks. */
function normaliseWord(word: string): string[] {
  const bounded =
    word.length > ALWAYS_QUICK ? limitCombiningMarks(word.slice(0, MAX_NORMALISED)) : word;
  const folded = bounded.normalize('NFKD').toLowerCase().replaceAll(MARKS, '').replaceAll('ς', 'σ');
  return (folded.normalize('NFC').match(PART) ?? []).map(cut);
}

function cut(word: string): string {
  if (word.length <= MAX_WORD_CHARACTERS) return word;
  return Array.from(word).slice(0, MAX_WORD_CHARACTERS).join('');
}
