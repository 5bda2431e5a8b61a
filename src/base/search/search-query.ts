import { type FoundWord, findWords, UNSPACED } from './search-words.ts';
import {
  ALL_LANGUAGES,
  familyOf,
  isFrequent,
  type Language,
  languagesOf,
  stemOf,
} from './stems.ts';

/** How much of a query counts. */
const MAX_QUERY_CHARACTERS = 256;
const MAX_QUERY_WORDS = 16;

/** A word, a name of several words, or a phrase to find. Plain data, which threads can receive. */
export interface SearchTerm {
  words: string[];
  /** Whether they must follow each other, exactly as they are. Otherwise, they can be anywhere. */
  isPhrase: boolean;
  /** The words written as one. */
  name?: string;
  /** Whether the words are as good a match as the name, because their script has no spaces. */
  isUnspaced: boolean;
  /** Whether the last word, and the name, can be the beginning of a longer one. */
  isPrefix: boolean;
  /** Whether it is a frequent word of the query's language, such as “the”, and others aren't. */
  isCommon?: true;
  /** The stems of a single word, each with the languages in which it is one. */
  stems: { stem: string; languages: Language[] }[];
}

/** What to find. Plain data, which threads can receive. */
export interface SearchQuery {
  /** Of each, at least one must match. */
  wanted: SearchTerm[][];
  /** None must match. */
  excluded: SearchTerm[];
}

/** A prefix of one letter or digit matches too much. */
const TOO_SHORT_A_PREFIX = /^[a-z0-9]$/;

/** A phrase in quotation marks, or what stands between spaces. A mark without another is ignored. */
const PIECE = /(?<![^\s(])(-?)["“”„«»]([^"“”„«»]*)["“”„«»]|([^\s"“”„«»]+)/gu;
const EXCLUDED = /^-(?=\.?[\p{L}\p{N}])/u;

interface Piece {
  text: string;
  isPhrase: boolean;
  isExcluded: boolean;
}

/**
 * Parses a query. Every text is one; some have nothing to find. All words must match; `OR` between
 * two means that one is enough; `-` before a word or phrase excludes it; phrases are in quotation
 * marks.
 *
 * @param options.areAllPrefixes whether each word can be the beginning of a longer one. By default,
 *   only the last one can
 */
export function parseQuery(text: string, { areAllPrefixes = false } = {}): SearchQuery {
  const query: SearchQuery = { wanted: [], excluded: [] };
  let left = MAX_QUERY_WORDS;
  let isAlternative = false;
  let last: SearchTerm | undefined;
  for (const piece of piecesOf(text.slice(0, MAX_QUERY_CHARACTERS).toWellFormed())) {
    if (isOperator(piece) && query.wanted.length > 0) {
      isAlternative = piece.text === 'OR';
      last = undefined;
      continue;
    }
    for (const term of termsOf(piece)) {
      left -= term.words.length;
      if (left < 0) break;
      if (piece.isExcluded) query.excluded.push(term);
      else if (isAlternative) query.wanted.at(-1)?.push(term);
      else query.wanted.push([term]);
      isAlternative = false;
      last = piece.isExcluded || piece.isPhrase ? undefined : term;
      if (areAllPrefixes && last) allowPrefix(last);
    }
  }
  if (last) allowPrefix(last);
  markCommon(query.wanted.flat());
  return query;
}

/** Words of questions that aren't among the frequent words of English. */
const OF_QUESTIONS = new Set(['when', 'why', 'does', 'did', 'has', 'had']);

function markCommon(terms: readonly SearchTerm[]): void {
  const isWord = ({ words, isPhrase, name }: SearchTerm) =>
    words.length === 1 && !isPhrase && name === undefined;
  const languages = languagesOf(terms.flatMap(({ words }) => words));
  const common = terms.filter((term) => {
    const [word = ''] = term.words;
    return isWord(term) && (OF_QUESTIONS.has(word) || isFrequent(word, languages));
  });
  if (common.length === terms.length) return;
  for (const term of common) term.isCommon = true;
}

/** Returns the words of a query that has nothing but words, for which typing errors are tolerated. */
export function plainWords({ wanted, excluded }: SearchQuery): SearchTerm[] | undefined {
  const terms = wanted.flat();
  const hasOperators =
    excluded.length > 0 || wanted.length < terms.length || terms.some(({ isPhrase }) => isPhrase);
  return hasOperators ? undefined : terms;
}

function* piecesOf(text: string): Generator<Piece> {
  for (const [, minus, phrase, other] of text.matchAll(PIECE)) {
    if (phrase !== undefined) {
      yield { text: phrase, isPhrase: true, isExcluded: minus === '-' };
    } else if (other !== undefined) {
      const isExcluded = EXCLUDED.test(other);
      yield { text: isExcluded ? other.slice(1) : other, isPhrase: false, isExcluded };
    }
  }
}

function isOperator({ text, isPhrase }: Piece): boolean {
  return !isPhrase && (text === 'OR' || text === 'AND');
}

function allowPrefix(term: SearchTerm): void {
  term.isPrefix = !TOO_SHORT_A_PREFIX.test(term.words.at(-1) ?? '');
}

function termsOf({ text, isPhrase, isExcluded }: Piece): SearchTerm[] {
  const groups = groupsOf(text);
  if (isPhrase) {
    const words = groups.flatMap((group) => group.words.flatMap(searchedIn));
    return words.length === 0 ? [] : [termOf(words, { isPhrase: true })];
  }
  return groups.flatMap((group) => (isExcluded ? excludedTerms(group) : wantedTerms(group)));
}

/** Words that belong together: those of a name, or of a text without spaces. */
interface Group {
  words: FoundWord[];
  name?: FoundWord;
  isUnspaced: boolean;
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  for (const word of findWords(text)) {
    if (word.isName) {
      const first = groups.findIndex(({ words }) => (words[0]?.start ?? 0) >= word.start);
      const words = groups.splice(first).flatMap((group) => group.words);
      groups.push({ words, name: word, isUnspaced: false });
      continue;
    }
    const isUnspaced = UNSPACED.test(text.slice(word.start, word.end));
    const before = groups.at(-1);
    const follows = before?.words.at(-1)?.end === word.start;
    if (isUnspaced && before?.isUnspaced && follows) before.words.push(word);
    else groups.push({ words: [word], isUnspaced });
  }
  return groups;
}

function wantedTerms({ words, name, isUnspaced }: Group): SearchTerm[] {
  const parts = words.flatMap((word) => word.words);
  const [whole] = name ? name.words : [];
  if (whole !== undefined) return [termOf(parts, { name: whole })];
  if (isUnspaced && parts.length > 1) return [termOf(parts, { name: parts.join(''), isUnspaced })];
  return words.flatMap((word) => {
    const searched = searchedIn(word);
    if (word.signed !== undefined) return searched.map((one) => termOf([one]));
    return searched.map((one) => termOf([one], { stems: stemsIn(one) }));
  });
}

function excludedTerms({ words, name }: Group): SearchTerm[] {
  if (name) return name.words.map((whole) => termOf([whole]));
  const searched = words.flatMap(searchedIn);
  return [termOf(searched, { isPhrase: searched.length > 1 })];
}

function termOf(words: string[], more: Partial<SearchTerm> = {}): SearchTerm {
  return { words, isPhrase: false, isUnspaced: false, isPrefix: false, stems: [], ...more };
}

/** Returns what to find for a word: with its signs, if it has any. */
function searchedIn({ words, signed }: FoundWord): string[] {
  return signed === undefined ? words : [signed];
}

/** Returns the stems of a folded word, as the index has them. */
function stemsIn(word: string): SearchTerm['stems'] {
  const byStem = new Map<string, Language[]>();
  for (const language of ALL_LANGUAGES) {
    const stem = stemOf(word, language);
    for (const each of stem === undefined ? [] : familyOf(stem, language)) {
      byStem.set(each, [...(byStem.get(each) ?? []), language]);
    }
  }
  return [...byStem].map(([stem, languages]) => ({ stem, languages }));
}
