import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { capabilitiesOf, type DocumentWords, type WordQuery } from '../storage/sql/dialect.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import type { OwnerType, Visibility } from './access.ts';
import { type LibraryRow, libraryRows } from './library-store.ts';

/** What is indexed of a document. */
export interface IndexableRow {
  id: string;
  name: string;
  title: string | null;
  ownerId: string;
  ownerType: OwnerType;
  visibility: Visibility;
  updatedAt: string;
  /** The beginning; `null` where the blob store has it. */
  content: string | null;
  storagePath: string | null;
}

/** Documents with the beginning of their content, as far as they are still there. */
export async function listIndexable(
  db: Reader,
  ids: string[],
  characters: number,
): Promise<IndexableRow[]> {
  return db
    .selectFrom('document')
    .where('id', 'in', ids)
    .select([
      'id',
      'name',
      'title',
      'owner_id as ownerId',
      'owner_type as ownerType',
      'visibility',
      'updated_at as updatedAt',
      beginning(characters).as('content'),
      'storage_path as storagePath',
    ])
    .execute();
}

/** The collaborators of documents, by document. */
export async function listCollaboratorIds(
  db: Reader,
  documentIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('collaborator')
    .where('document_id', 'in', documentIds)
    .select(['document_id as documentId', 'account_id as accountId'])
    .orderBy('id')
    .execute();
  const byDocument = Map.groupBy(rows, ({ documentId }) => documentId);
  return new Map([...byDocument].map(([id, found]) => [id, found.map((row) => row.accountId)]));
}

/** Which of some documents are there, and not just being renamed or removed. They stay there. */
export async function holdDocuments(db: Writer, ids: string[]): Promise<Set<string>> {
  const present = db.selectFrom('document').where('id', 'in', ids).select('id').orderBy('id');
  const held = capabilitiesOf(db).concurrentTransactions
    ? present.forKeyShare().skipLocked()
    : present;
  return new Set((await held.execute()).map(({ id }) => id));
}

/** Puts documents' terms into the index, in the place of those they had. */
export async function upsertTerms(
  db: Writer,
  documents: readonly { id: string; updatedAt: string; terms: readonly string[] }[],
): Promise<void> {
  const places = new Set<number>();
  const indexed: DocumentWords[] = [];
  for (const { id, updatedAt, terms } of documents) {
    const recency = await placeOf(db, id, updatedAt, places);
    places.add(recency);
    indexed.push({ id, recency, words: terms.join(' ') });
  }
  await capabilitiesOf(db).indexWords(db, indexed);
}

/**
 * A free place in the order of documents: the one it has, where it has not changed.
 *
 * @param given places that others are about to take
 */
async function placeOf(
  db: Writer,
  documentId: string,
  updatedAt: string,
  given: ReadonlySet<number>,
): Promise<number> {
  const { placesPerMs } = capabilitiesOf(db);
  const first = (Date.parse(updatedAt) || 0) * placesPerMs;
  const [current] = await taken(db, { documentId, recency: -1 });
  if (current && current.recency >= first && current.recency < first + placesPerMs) {
    return current.recency;
  }
  // The more are taken, as after an import, the farther it looks.
  for (let places = placesPerMs; ; places *= 2) {
    const recency = first + randomInt(places);
    if (given.has(recency)) continue;
    if ((await taken(db, { documentId: '', recency })).length === 0) return recency;
  }
}

const taken = prepared<{ documentId: string; recency: number }, { recency: number }>(
  (db, parameter) =>
    db
      .selectFrom('document_text')
      .where((row) =>
        row.or([
          row('document_id', '=', parameter('documentId')),
          row('recency', '=', parameter('recency')),
        ]),
      )
      .select('recency'),
);

/** An organization that somebody belongs to. */
export type ReachableOrganization = { id: string; role: 'admin' | 'member' };

const organizations = prepared<{ accountId: string; limit: number }, ReachableOrganization>(
  (db, parameter) =>
    db
      .selectFrom('membership')
      .where('account_id', '=', parameter('accountId'))
      .select(['organization_id as id', 'role'])
      .orderBy('id', 'desc')
      .limit(parameter('limit')),
);

/** The organizations that somebody belongs to, the latest joined first. */
export async function listReachableOrganizations(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<readonly ReachableOrganization[]> {
  return organizations(db, { accountId, limit });
}

type Search = { words: string; actorId: string; limit: number };

const matching = prepared<Search, LibraryRow>((db, parameter) => {
  const { isAmong, matchingWords } = capabilitiesOf(db);
  const recencies = sql`
    select recency from (${matchingWords(parameter('words'), parameter('limit'))}) as worded`;
  const ids = sql`
    select document_id from document_text where ${isAmong(sql.ref('recency'), recencies)}`;
  return libraryRows(db, parameter('actorId')).where(isAmong(sql.ref('document.id'), ids));
});

/**
 * Documents that the index has for two queries, the latest of each, in no order. The index may be
 * older than the rows: whether the actor may read them is for the caller to see.
 *
 * @param limit for each query
 */
export async function listMatching(
  db: Reader,
  query: { name: WordQuery; text: WordQuery },
  actorId: string,
  limit: number,
): Promise<readonly LibraryRow[]> {
  const { writeWordQuery } = capabilitiesOf(db);
  const matchingIn = async (words: WordQuery) =>
    matching(db, { words: writeWordQuery(await withWordsNamed(db, words)), actorId, limit });
  const found = await matchingIn(query.text);
  // Words of names are among those of texts, so that all that have them in their names are there.
  if (found.length < limit) return found;
  const byId = new Map([...found, ...(await matchingIn(query.name))].map((row) => [row.id, row]));
  return [...byId.values()];
}

/** The same query, with the words themselves in place of their beginnings where that is quicker. */
async function withWordsNamed(db: Reader, query: WordQuery): Promise<WordQuery> {
  if ('all' in query) {
    return { all: await Promise.all(query.all.map((part) => withWordsNamed(db, part))) };
  }
  if (!('prefix' in query && query.prefix)) return query;
  const words = await capabilitiesOf(db).listBeginningWith(db, query.word);
  if (!words) return query;
  // Where no word begins so, the beginning is no word either: nothing has it.
  return words.length > 0 ? { any: words.map((word) => ({ word })) } : { word: query.word };
}

/** Documents with the beginning of their content, in no order. */
export async function listWithContent(
  db: Reader,
  ids: string[],
  actorId: string,
  characters: number,
): Promise<(LibraryRow & { content: string | null })[]> {
  return libraryRows(db, sql<string>`${actorId}`)
    .where('document.id', 'in', ids)
    .select(beginning(characters).as('content'))
    .execute();
}

function beginning(characters: number): RawBuilder<string | null> {
  return sql`substr(document.content, 1, ${sql.lit(characters)})`;
}
