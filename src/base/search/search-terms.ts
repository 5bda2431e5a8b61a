import { isVisibleTo, type OwnerType, type Visibility } from '../../base/schema/visibility.ts';
import type { SearchQuery } from './search-query.ts';
import { findWords } from './search-words.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';
import { errorKeys } from './typing-errors.ts';

// The index stores terms: a document's words and its possible readers. The first letter tells them
// apart, so that one index look-up covers both.

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
  name: string;
  title: string | null;
}

/** Where a user can find documents, besides public ones. */
export interface Reach {
  actorId: string;
  organizations: readonly { id: string; role: 'admin' | 'member' }[];
}

/** A term, a prefix, or terms of which all or any must match. */
type TermQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly TermQuery[] }
  | { any: readonly TermQuery[] };

/** Collaborators beyond these don't find the document by search. */
const MAX_COLLABORATORS = 5_000;

/**
 * The most characters of a document's words, with spaces between them. At three bytes each, plus
 * readers and names, they stay below PostgreSQL's limit of 1 MB.
 */
const MAX_CHARACTERS = 256 * 1024;

const bare = (id: string) => id.replaceAll('-', '');

const nameTerm = (word: string) => `n${word}`;
export const textTerm = (word: string) => `t${word}`;
const errorTerm = (key: string) => `f${key}`;
const ownerTerm = (id: string) => `o${bare(id)}`;
const membersTerm = (id: string) => `m${bare(id)}`;
const collaboratorTerm = (id: string) => `c${bare(id)}`;
const PUBLIC = 'p';

/**
 * Returns a document's terms, each once, separated by spaces. If time runs out, they cover its
 * name, its readers and the beginning of its text.
 *
 * @param text its plain text
 */
export function documentTerms(source: TermSource, text: string, isOver: IsOver = noLimit): string {
  const names = nameWords(source);
  const words = new Set(names);
  let left = MAX_CHARACTERS;
  for (const word of whileInTime(wordsOf(text), isOver)) {
    if (words.has(word)) continue;
    left -= word.length + 1;
    if (left < 0) break;
    words.add(word);
  }
  const terms = [...readerTerms(source), ...nameTerms(names), ...[...words].map(textTerm)];
  return terms.join(' ');
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

/**
 * Builds the index queries for documents within reach: `name` finds all words in names, `text`
 * anywhere, and `forgiving` in names despite typing errors. `forgiving` also finds documents that
 * don't match, because different words can share a key.
 */
export function termQueries(
  query: SearchQuery,
  reach: Reach,
): { name: TermQuery; text: TermQuery; forgiving: TermQuery } {
  const readers: TermQuery = {
    any: [
      PUBLIC,
      ownerTerm(reach.actorId),
      collaboratorTerm(reach.actorId),
      ...reach.organizations.map(({ id, role }) =>
        role === 'admin' ? ownerTerm(id) : membersTerm(id),
      ),
    ].map((word) => ({ word })),
  };
  const wanted = (toTerm: (word: string) => string) =>
    query.words.map((word, index) => ({
      word: toTerm(word),
      prefix: query.lastIsPrefix && index === query.words.length - 1,
    }));
  const inName = wanted(nameTerm);
  const forgiving = query.words.map((word, index): TermQuery => {
    const keys = errorKeys(word).map((key) => ({ word: errorTerm(key) }));
    return { any: [inName[index] as TermQuery, ...keys] };
  });
  return {
    name: { all: [...inName, readers] },
    text: { all: [...wanted(textTerm), readers] },
    forgiving: { all: [...forgiving, readers] },
  };
}

function* wordsOf(text: string): Generator<string> {
  for (const { words } of findWords(text)) yield* words;
}

export function nameWords({ name, title }: { name: string; title: string | null }): string[] {
  return [...wordsOf(`${name} ${title ?? ''}`)];
}
