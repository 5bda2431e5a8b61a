import folder from 'fold-to-ascii';
import { limitCombiningMarks } from '../text/combining-marks.ts';
import { UNCOUNTED } from '../text/invisible.ts';

/** Longer words are cut: no one types more, and indexes have limits. */
const MAX_WORD_CHARACTERS = 64;

/**
 * How much of a word is normalised, in UTF-16 code units; far more than a word's characters with
 * their marks. Normalising takes quadratic time for alternating marks.
 */
const MAX_NORMALISED = 1_024;

/** Words up to this length are normalised as they are: their marks can't take long. */
const ALWAYS_QUICK = 64;

const PART = /[\p{L}\p{N}\u3099\u309a]+/gu;

/**
 * All marks except those of kana, which make other letters; apostrophes that are letters; the stroke
 * that makes Arabic words longer; and invisible signs.
 */
const MARKS = new RegExp(
  `(?![\\u3099\\u309a])(?:[\\p{M}\\u02b9-\\u02bf\\u0640]|${UNCOUNTED})+`,
  'gu',
);

/** Letters that are also spelled out by two letters, if an accent can't be typed. */
const SPELLED_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const CAN_SPELL_OUT = /[äöüøå]/gu;

/**
 * Folds a word for comparison: compatible forms unified, case folded, without accents, and letters
 * with strokes and joined letters as those that they are made of (`ß` as `ss`, `ł` as `l`).
 *
 * @returns usually one word; some characters stand for several
 */
export function foldWord(word: string): string[] {
  const plain = toPlain(bounded(word).normalize('NFKD').toLowerCase());
  return (plain.normalize('NFC').match(PART) ?? []).map(cut);
}

/** Returns a word with its umlauts spelled out (`ü` as `ue`), folded, if it has any. */
export function spellOut(word: string): string | undefined {
  const lower = bounded(word).normalize('NFC').toLowerCase();
  const spelled = lower.replaceAll(CAN_SPELL_OUT, (letter) => SPELLED_OUT[letter] as string);
  return spelled === lower ? undefined : foldWord(spelled)[0];
}

/** Returns at most 64 characters. */
export function cut(word: string): string {
  if (word.length <= MAX_WORD_CHARACTERS) return word;
  return Array.from(word).slice(0, MAX_WORD_CHARACTERS).join('');
}

function toPlain(decomposed: string): string {
  const letters = folder.foldMaintaining(decomposed.replaceAll(MARKS, ''));
  // Letters that become two or another one in upper case: this is what full case folding does.
  return letters.toUpperCase().toLowerCase().replaceAll(MARKS, '').replaceAll('ς', 'σ');
}

function bounded(word: string): string {
  return word.length > ALWAYS_QUICK ? limitCombiningMarks(word.slice(0, MAX_NORMALISED)) : word;
}
