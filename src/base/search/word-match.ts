import type { SearchQuery, SearchTerm } from './search-query.ts';
import { type FoundWord, findWords, formsOf } from './search-words.ts';
import { stemOf } from './stems.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';

/** Stemmers remove endings. A word that doesn't begin with the same letters has another stem. */
const KEPT_BY_STEMS = 3;

/** How well a word matches: `whole` as it was written, `partly` as a prefix or another form. */
export type Closeness = 'whole' | 'partly';

/** Tells how well a word of a text matches a word of a query. */
export function closenessOf(
  term: SearchTerm,
  index: number,
  forms: readonly string[],
): Closeness | undefined {
  const wanted = term.words[index] as string;
  if (forms.includes(wanted)) return 'whole';
  const isPrefix = term.isPrefix && index === term.words.length - 1;
  if (isPrefix && forms.some((form) => form.startsWith(wanted))) return 'partly';
  return hasStem(term, forms) ? 'partly' : undefined;
}

/** Tells how well a name in a text matches the name of a query. */
export function nameCloseness(
  { name, isPrefix }: SearchTerm,
  forms: readonly string[],
): Closeness | undefined {
  if (name === undefined) return undefined;
  if (forms.includes(name)) return 'whole';
  return isPrefix && forms.some((form) => form.startsWith(name)) ? 'partly' : undefined;
}

function hasStem({ stems, words }: SearchTerm, forms: readonly string[]): boolean {
  if (stems.length === 0) return false;
  const beginning = words[0]?.slice(0, KEPT_BY_STEMS) as string;
  return forms.some(
    (form) =>
      form.startsWith(beginning) &&
      stems.some(({ stem, languages }) =>
        languages.some((language) => stemOf(form, language) === stem),
      ),
  );
}

/** A phrase, by its index, and where it is. */
interface FoundPhrase {
  phrase: number;
  start: number;
  end: number;
}

const NOTHING: readonly FoundPhrase[] = [];

/** Finds phrases in a text that is read word by word. */
export class PhraseFinder {
  readonly #phrases: readonly (readonly string[])[];
  readonly #longest: number;
  readonly #last: { forms: readonly string[]; start: number; end: number }[] = [];

  constructor(phrases: readonly (readonly string[])[]) {
    this.#phrases = phrases;
    this.#longest = Math.max(0, ...phrases.map(({ length }) => length));
  }

  /** Reads the next word. @returns the phrases that end with it */
  read(word: FoundWord): readonly FoundPhrase[] {
    if (word.isName || this.#longest === 0) return NOTHING;
    const { words, start, end } = word;
    const found: FoundPhrase[] = [];
    for (const one of words) {
      this.#last.push({ forms: words.length === 1 ? formsOf(word) : [one], start, end });
      if (this.#last.length > this.#longest) this.#last.shift();
      for (const [phrase, wanted] of this.#phrases.entries()) {
        const at = this.#last.length - wanted.length;
        const first = this.#last[at];
        const isHere = wanted.every((each, index) => this.#last[at + index]?.forms.includes(each));
        if (first && isHere) found.push({ phrase, start: first.start, end });
      }
    }
    return found;
  }
}

/** Which words of a text match a query's terms. */
class TextMatch {
  readonly #terms: readonly SearchTerm[];
  readonly #missing: Map<SearchTerm, Set<number>>;
  readonly #found: Map<SearchTerm, Closeness>;

  constructor(terms: readonly SearchTerm[]) {
    this.#terms = terms;
    this.#missing = new Map(terms.map((term) => [term, new Set(term.words.keys())]));
    this.#found = new Map();
  }

  /** Reads a text to its end or until the time is over. */
  read(text: string, isOver: IsOver): void {
    const phrases = this.#terms.filter(isLongPhrase);
    const finder = new PhraseFinder(phrases.map(({ words }) => words));
    for (const word of whileInTime(findWords(text), isOver)) {
      for (const { phrase } of finder.read(word)) {
        this.#found.set(phrases[phrase] as SearchTerm, 'whole');
      }
      const forms = formsOf(word);
      for (const term of this.#terms) {
        if (!isLongPhrase(term) && this.#found.get(term) !== 'whole') this.#readFor(term, forms);
      }
    }
  }

  closenessOf(term: SearchTerm): Closeness | undefined {
    return this.#found.get(term);
  }

  #readFor(term: SearchTerm, forms: readonly string[]): void {
    const closeness = nameCloseness(term, forms);
    if (closeness) this.#found.set(term, closeness);
    const missing = this.#missing.get(term) as Set<number>;
    for (const index of term.words.keys()) {
      const found = closenessOf(term, index, forms);
      if (!found) continue;
      const isOne = term.words.length === 1;
      if (isOne && found === 'whole') this.#found.set(term, found);
      missing.delete(index);
    }
    if (missing.size === 0 && !this.#found.has(term)) {
      this.#found.set(term, term.isUnspaced ? 'whole' : 'partly');
    }
  }
}

/** Tells whether a term is found only if its words follow each other, which the index doesn't know. */
export function isLongPhrase({ isPhrase, words }: SearchTerm): boolean {
  return isPhrase && words.length > 1;
}

/** Tells how well texts together match all that a query wants. */
export function closenessOfTexts(
  { wanted }: SearchQuery,
  texts: readonly string[],
): Closeness | undefined {
  const match = new TextMatch(wanted.flat());
  for (const text of texts) match.read(text, noLimit);
  const each = wanted.map((terms) => {
    const found = terms.map((term) => match.closenessOf(term));
    return found.includes('whole') ? 'whole' : found.find(Boolean);
  });
  if (each.length === 0 || each.includes(undefined)) return undefined;
  return each.includes('partly') ? 'partly' : 'whole';
}

/** Tells whether the index can't decide whether a document matches, only its text can. */
export function needsText({ wanted, excluded }: SearchQuery): boolean {
  return [...wanted.flat(), ...excluded].some(isLongPhrase);
}

/**
 * Tells whether a document of which the index knows that it has the words also has their phrases,
 * and no excluded ones. If time runs out first, it hasn't.
 */
export function hasPhrases(
  { wanted, excluded }: SearchQuery,
  texts: readonly string[],
  isOver: IsOver = noLimit,
): boolean {
  const open = wanted.filter((terms) => terms.some(isLongPhrase));
  if (open.some((terms) => surelyLacks(terms, texts))) return false;
  const forbidden = excluded.filter(isLongPhrase);
  const match = new TextMatch([...open.flat(), ...forbidden]);
  for (const text of texts) match.read(text, isOver);
  return (
    open.every((terms) => terms.some((term) => match.closenessOf(term))) &&
    !forbidden.some((term) => match.closenessOf(term)) &&
    !(forbidden.length > 0 && isOver())
  );
}

const PLAIN = /^[a-z0-9]+$/;

/** A letter, mark or digit that folding may turn into a plain one. */
const FOLDABLE = /(?![\0-\x7f])[\p{L}\p{M}\p{N}]/u;

/**
 * Tells, much faster than by reading word by word, that plain texts don't have a plain phrase. Parts
 * in the middle of `getUserById` don't count as its beginning or end here.
 */
function surelyLacks(terms: readonly SearchTerm[], texts: readonly string[]): boolean {
  const [phrase, other] = terms;
  if (!phrase || other || !phrase.words.every((word) => PLAIN.test(word))) return false;
  const pattern = new RegExp(phrase.words.join('[^a-z0-9]+'), 'i');
  return texts.every((text) => !pattern.test(text) && !FOLDABLE.test(text));
}
