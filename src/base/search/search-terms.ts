import { isVisibleTo, type OwnerType, type Visibility } from '../../base/schema/visibility.ts';
import type { SearchQuery, SearchTerm } from './search-query.ts';
import { findWords, formsOf } from './search-words.ts';
import { type Language, languagesOf, stemOf } from './stems.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';
import { errorKeys } from './typing-errors.ts';

// The index stores terms: a document's words and its possible readers. The first letter tells them
// apart, so that one index look-up covers both.

/**
 * The version of the terms. An index with terms of another version is built again in the background.
 */
export const TERMS_VERSION = 4;

/**
 * The facts that decide who can read a document. The index only narrows the search; access is
 * checked afterwards.
 */
export interface Readers {
  ownerId: string;
  ownerType: OwnerType;
  visibility: Visibility;
  collaboratorIds: readonly string[];
}

export interface TermSource extends Readers {
  id: string;
  name: string;
  title: string | null;
}

/** Where a user can find documents, besides public ones. */
export interface Reach {
  actorId: string;
  organizations: readonly { id: string; role: 'admin' | 'member' }[];
  /** If set, only these documents and those of these owners, by ids. */
  only?: { owners: readonly string[]; documents: readonly string[] } | undefined;
}

/** A term, a prefix, or terms of which all or any must match, and none of some others. */
type TermQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly TermQuery[]; none?: readonly TermQuery[] }
  | { any: readonly TermQuery[] };

/** Collaborators beyond these don't find the document by search. */
const MAX_COLLABORATORS = 5_000;

/**
 * The most characters of a document's words, with spaces between them. At three bytes each, plus
 * readers and names, they stay below PostgreSQL's limit of 1 MB.
 */
const MAX_CHARACTERS = 256 * 1024;

/** How many words of a text show its languages. */
const MAX_SAMPLE = 2_000;

const bare = (id: string) => id.replaceAll('-', '');

const nameTerm = (word: string) => `n${word}`;
export const textTerm = (word: string) => `t${word}`;
const errorTerm = (key: string) => `f${key}`;
const stemTerm = (stem: string, language: Language) => `s${language}${stem}`;
const ownerTerm = (id: string) => `o${bare(id)}`;
const membersTerm = (id: string) => `m${bare(id)}`;
const collaboratorTerm = (id: string) => `c${bare(id)}`;
const idTerm = (id: string) => `d${bare(id)}`;
const PUBLIC = 'p';

/**
 * Returns a document's terms, each once, separated by spaces. If time runs out, they cover its
 * name, its readers and the beginning of its text. Words come before their other forms if there are
 * too many.
 *
 * @param text its plain text
 */
export function documentTerms(source: TermSource, text: string, isOver: IsOver = noLimit): string {
  const names = nameWords(source);
  const words = new Set(names);
  const others = new Set<string>();
  const sample: string[] = [];
  let left = MAX_CHARACTERS;
  for (const found of whileInTime(findWords(text), isOver)) {
    if (sample.length < MAX_SAMPLE && !found.isName) sample.push(...found.words);
    for (const form of found.isName ? [] : found.words) {
      if (words.has(form)) continue;
      left -= form.length + 1;
      if (left >= 0) words.add(form);
    }
    if (found.isName || found.signed || found.also) {
      for (const form of formsOf(found)) others.add(form);
    }
  }
  const languages = languagesOf([...names, ...sample]);
  const terms = new Set([idTerm(source.id), ...readerTerms(source)]);
  for (const term of nameTerms(names)) terms.add(term);
  for (const word of words) terms.add(textTerm(word));
  for (const term of whileInTime(otherTerms(words, others, languages), isOver)) {
    if (terms.has(term)) continue;
    left -= term.length;
    if (left < 0) break;
    terms.add(term);
  }
  return [...terms].join(' ');
}

/** Yields the terms of forms that aren't words, and of the words' stems. */
function* otherTerms(
  words: ReadonlySet<string>,
  forms: ReadonlySet<string>,
  languages: readonly Language[],
): Generator<string> {
  for (const form of forms) if (!words.has(form)) yield textTerm(form);
  for (const word of words) {
    for (const language of languages) {
      const stem = stemOf(word, language);
      if (stem) yield stemTerm(stem, language);
    }
  }
}

/** Returns the terms of names: their words, and keys that misspelled words share with them. */
export function nameTerms(names: readonly string[]): Set<string> {
  return new Set([...names.map(nameTerm), ...names.flatMap(errorKeys).map(errorTerm)]);
}

export function readerTerms({
  ownerId,
  ownerType,
  visibility,
  collaboratorIds,
}: Readers): string[] {
  return [
    ownerTerm(ownerId),
    ...(ownerType === 'organization' && isVisibleTo('member', visibility)
      ? [membersTerm(ownerId)]
      : []),
    ...(isVisibleTo('none', visibility) ? [PUBLIC] : []),
    ...collaboratorIds.slice(0, MAX_COLLABORATORS).map(collaboratorTerm),
  ];
}

/** The index queries for a search. */
export interface TermQueries {
  /** Finds what matches in names, whole or in part. */
  name: TermQuery;
  /** Finds what matches anywhere, whole or in part. Phrases must still be looked for in the text. */
  text: TermQuery;
  /** Finds whole matches anywhere; `undefined` if there are no others. */
  whole: TermQuery | undefined;
}

/** Builds the index queries for documents within reach. */
export function termQueries({ wanted, excluded }: SearchQuery, reach: Reach): TermQueries {
  const readers = readersQuery(reach);
  const none = excluded
    .filter(({ words }) => words.length === 1)
    .map((term) => wholeIn(term, textTerm));
  const build = (toQuery: (term: SearchTerm) => TermQuery): TermQuery => ({
    all: [...wanted.map((terms) => ({ any: terms.map(toQuery) })), readers],
    none,
  });
  const isWhole = wanted.flat().every(({ isPhrase }) => isPhrase);
  return {
    name: build((term) => partlyIn(term, nameTerm)),
    text: build((term) => ({ any: [partlyIn(term, textTerm), ...stemQueries(term)] })),
    whole: isWhole ? undefined : build((term) => wholeIn(term, textTerm)),
  };
}

/**
 * Builds the index query for documents whose names have some of the words despite typing errors, and
 * that have the others anywhere. It also finds documents that don't match, because different words
 * can share a key.
 */
export function forgivingQuery(terms: readonly SearchTerm[], reach: Reach): TermQuery {
  const forgiving = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index): TermQuery => {
      const prefix = isPrefix && index === words.length - 1;
      const keys = errorKeys(word).map((key) => ({ word: errorTerm(key) }));
      return { any: [{ word: textTerm(word), prefix }, ...keys] };
    }),
  );
  return { all: [...forgiving, readersQuery(reach)] };
}

/** Builds the index query for documents that have all these words anywhere. */
export function wordsQuery(words: readonly string[], reach: Reach): TermQuery {
  return { all: [...words.map((word) => ({ word: textTerm(word) })), readersQuery(reach)] };
}

function readersQuery({ actorId, organizations, only }: Reach): TermQuery {
  const readable = anyOf([
    PUBLIC,
    ownerTerm(actorId),
    collaboratorTerm(actorId),
    ...organizations.map(({ id, role }) => (role === 'admin' ? ownerTerm(id) : membersTerm(id))),
  ]);
  if (!only) return readable;
  const chosen = [...only.owners.map(ownerTerm), ...only.documents.map(idTerm)];
  return { all: [readable, anyOf(chosen)] };
}

const anyOf = (terms: readonly string[]): TermQuery => ({ any: terms.map((word) => ({ word })) });

type ToTerm = (word: string) => string;

function wholeIn({ words, name, isUnspaced }: SearchTerm, toTerm: ToTerm): TermQuery {
  const all = { all: words.map((word) => ({ word: toTerm(word) })) };
  if (name === undefined) return all;
  const whole = { word: toTerm(name) };
  return isUnspaced ? { any: [whole, all] } : whole;
}

function partlyIn({ words, name, isPrefix }: SearchTerm, toTerm: ToTerm): TermQuery {
  const all = {
    all: words.map((word, index) => ({
      word: toTerm(word),
      prefix: isPrefix && index === words.length - 1,
    })),
  };
  if (name === undefined) return all;
  return { any: [{ word: toTerm(name), prefix: isPrefix }, all] };
}

/** A stem matches only in texts of its language. */
function stemQueries({ stems }: SearchTerm): TermQuery[] {
  return stems.flatMap(({ stem, languages }) =>
    languages.map((language) => ({ word: stemTerm(stem, language) })),
  );
}

/** Returns the words of a name and a title in all their forms. */
export function nameWords({ name, title }: { name: string; title: string | null }): string[] {
  return [name, title ?? ''].flatMap((text) => [...findWords(text)].flatMap(formsOf));
}
