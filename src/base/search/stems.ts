import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import {
  dan,
  deu,
  ell,
  eng,
  fin,
  fra,
  hun,
  ita,
  lit,
  nld,
  nob,
  por,
  ron,
  rus,
  spa,
  swe,
  tur,
} from 'stopword';
import { foldWord } from './fold-word.ts';

function language(stem: (word: string) => string, common: readonly string[]) {
  return { stem, common, stems: new Map<string, string>() };
}

/** Languages with endings to remove, by their two-letter codes: their stemmers, most frequent words, and stems found before. */
const LANGUAGES = {
  da: language(danish, dan),
  nl: language(dutch, nld),
  en: language(english, eng),
  fi: language(finnish, fin),
  fr: language(french, fra),
  de: language(german, deu),
  el: language(greek, ell),
  hu: language(hungarian, hun),
  it: language(italian, ita),
  lt: language(lithuanian, lit),
  no: language(norwegian, nob),
  pt: language(portuguese, por),
  ro: language(romanian, ron),
  ru: language(russian, rus),
  es: language(spanish, spa),
  sv: language(swedish, swe),
  tr: language(turkish, tur),
};

export type Language = keyof typeof LANGUAGES;

export const ALL_LANGUAGES = Object.keys(LANGUAGES) as Language[];

/** Shorter words have no stem of their own, and longer ones are no words of a language. */
const SHORTEST = 3;
const LONGEST = 40;

/** A text with fewer words, and no frequent ones, can be in any language. */
const FEW_WORDS = 20;

/** The least share of a language's frequent words in a text that is written in it. */
const LEAST_SHARE = 0.1;

/** A text is also in a second language with at least this share of the first one's words. */
const NEARLY = 0.8;

/** How many stems of a language are remembered, because texts repeat their words. */
const MAX_REMEMBERED = 20_000;

const HAS_LETTERS_ONLY = /^\p{L}+$/u;

const languagesByWord = new Map<string, Language[]>();
for (const language of ALL_LANGUAGES) {
  const words = LANGUAGES[language].common.flatMap((word) => foldWord(word).slice(0, 1));
  for (const word of new Set(words)) {
    const languages = languagesByWord.get(word);
    if (languages) languages.push(language);
    else languagesByWord.set(word, [language]);
  }
}

/**
 * Returns the one or two languages that a text seems to be in, by its frequent words; of a short
 * text, all that have about as many of them. If it has few of any, returns all languages for a short
 * text and English for a longer one.
 *
 * @param words folded, with repetitions
 */
export function languagesOf(words: Iterable<string>): Language[] {
  const counts = new Map<Language, number>();
  let all = 0;
  for (const word of words) {
    all += 1;
    for (const language of languagesByWord.get(word) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const most = Math.max(0, ...counts.values());
  if (all < FEW_WORDS && most === 0) return ALL_LANGUAGES;
  if (most < LEAST_SHARE * all) return ['en'];
  const best = [...counts].sort(([, a], [, b]) => b - a);
  const seeming = best.filter(([, count]) => count >= NEARLY * most).map(([language]) => language);
  return all < FEW_WORDS ? seeming : seeming.slice(0, 2);
}

/** Tells whether a folded word is among the most frequent ones of any of some languages. */
export function isFrequent(word: string, languages: readonly Language[]): boolean {
  return (languagesByWord.get(word) ?? []).some((language) => languages.includes(language));
}

/** A shorter stem with these endings would be another word: “act”, but also “rat”. */
const SHORTEST_RELATED = 5;

/** How English stems of verbs and their nouns differ that the stemmer keeps apart. */
const RELATED: readonly [RegExp, string][] = [
  [/tain$/, 'ten'],
  [/ten$/, 'tain'],
  [/(?<=[ts])$/, 'ion'],
  [/(?<=[ts])ion$/, ''],
  [/d$/, 'sion'],
  [/sion$/, 'd'],
];

/** Returns a stem with those of related words: “retain” and “retention”, “delete” and “deletion”. */
export function familyOf(stem: string, language: Language): string[] {
  if (language !== 'en') return [stem];
  const related = RELATED.flatMap(([ending, other]) =>
    ending.test(stem) ? [stem.replace(ending, other)] : [],
  );
  return [
    stem,
    ...related.filter((each) => Math.min(each.length, stem.length) >= SHORTEST_RELATED),
  ];
}

/**
 * Returns the stem of a word in a language, folded. It can be the word itself.
 *
 * @param word folded. Stemmers do well without accents, which many people don't type
 * @returns `undefined` if it is no word of letters, or too short or long to have a stem
 */
export function stemOf(word: string, language: Language): string | undefined {
  if (word.length < SHORTEST || word.length > LONGEST) return undefined;
  const { stem, stems } = LANGUAGES[language];
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (!HAS_LETTERS_ONLY.test(word)) return undefined;
  const found = foldWord(stem(word)).join('');
  if (stems.size >= MAX_REMEMBERED) stems.clear();
  stems.set(word, found);
  return found;
}
