import { isVisibleTo, type OwnerType, type Visibility } from '../access.ts';
import type { SearchQuery } from './search-query.ts';
import { plainText, type Written } from './search-text.ts';
import { findWords } from './search-words.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';

// What the index has of a document are terms: its words, and who may come to see it. The first
// letter says which, so that words and readers are looked up in one index, at one time.

/** Who a document is for, whoever they are by now: the rule itself is asked after the index. */
export interface Readers {
  ownerId: string;
  ownerType: OwnerType;
  visibility: Visibility;
  collaboratorIds: readonly string[];
}

/** What a document's terms are made of. */
export interface TermSource extends Readers {
  name: string;
  title: string | null;
  written: Written;
}

/** Where somebody may find documents besides what is public. */
export interface Reach {
  actorId: string;
  organizations: readonly { id: string; role: 'admin' | 'member' }[];
}

/** A term, a beginning of one, or terms of which all, or any, are there. */
type TermQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly TermQuery[] }
  | { any: readonly TermQuery[] };

/** More collaborators of one document find it by its address alone. */
const MAX_COLLABORATORS = 5_000;

/**
 * The most characters of words of one document, and of spaces between them: three bytes each, besides those of
 * readers and names, are less than the 1 MB that PostgreSQL takes.
 */
const MAX_CHARACTERS = 256 * 1024;

const bare = (id: string) => id.replaceAll('-', '');

export const nameTerm = (word: string) => `n${word}`;
export const textTerm = (word: string) => `t${word}`;
const ownerTerm = (id: string) => `o${bare(id)}`;
const membersTerm = (id: string) => `m${bare(id)}`;
const collaboratorTerm = (id: string) => `c${bare(id)}`;
const PUBLIC = 'p';

/**
 * Returns the terms of a document, each once, separated by spaces. Where the time is over before the
 * end of its text, they are those of its name, its readers and the beginning of its text.
 */
export function documentTerms(source: TermSource, isOver: IsOver = noLimit): string {
  const names = nameWords(source);
  const words = new Set(names);
  let left = MAX_CHARACTERS;
  for (const word of whileInTime(wordsOf(plainText(source.written, isOver)), isOver)) {
    if (words.has(word)) continue;
    left -= word.length + 1;
    if (left < 0) break;
    words.add(word);
  }
  const terms = [
    ...readerTerms(source),
    ...new Set(names.map(nameTerm)),
    ...[...words].map(textTerm),
  ];
  return terms.join(' ');
}

/** The terms of a document's readers. */
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

/** What to ask the index for: all words in names, or anywhere, of documents within reach. */
export function termQueries(
  query: SearchQuery,
  reach: Reach,
): { name: TermQuery; text: TermQuery } {
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
  const wanted = (toTerm: (word: string) => string): TermQuery => ({
    all: [
      ...query.words.map((word, index) => ({
        word: toTerm(word),
        prefix: query.lastIsPrefix && index === query.words.length - 1,
      })),
      readers,
    ],
  });
  return { name: wanted(nameTerm), text: wanted(textTerm) };
}

function* wordsOf(text: string): Generator<string> {
  for (const { words } of findWords(text)) yield* words;
}

/** The words of what a document is called. */
export function nameWords({ name, title }: { name: string; title: string | null }): string[] {
  return [...wordsOf(`${name} ${title ?? ''}`)];
}
