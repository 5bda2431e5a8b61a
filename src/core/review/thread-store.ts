import { type SqlBool, sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Means } from '../../base/schema/means.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { adjustWriters, feedbackBytes } from '../quota/usage-store.ts';
import { EVERYTHING, type Opening, type Sight, type ThreadOrigin } from './sight.ts';
import type { PlaceState, ThreadKind, ThreadState } from './thread.ts';
import { type NewPlace, newPlaceColumns } from './thread-place-store.ts';

/** A thread without its comments. */
export interface ThreadRow {
  id: string;
  documentId: string;
  kind: ThreadKind;
  state: ThreadState;
  madeVersion: number;
  madeStart: number | null;
  madeEnd: number | null;
  quote: string | null;
  prefix: string | null;
  suffix: string | null;
  /** The element of a page that it is about: `ElementPath`. */
  element: string | null;
  atVersion: number;
  atStart: number | null;
  atEnd: number | null;
  atState: PlaceState | null;
  /** A digest of what is around the passage of a suggestion; `null` if it isn't known yet. */
  atAround: string | null;
  shownStart: number | null;
  shownEnd: number | null;
  shownState: PlaceState | null;
  replacement: string | null;
  /** The id of the first of the suggestions that were made together; `null` for others. */
  setId: string | null;
  accountId: string | null;
  /** Who wrote its words, if somebody else, `accountId`, moved it. */
  wordsBy: string | null;
  /** Who has seen it whole in the web app: see `seenByMaking` and `afterMoving`. */
  seenBy: string | null;
  /** A username; `null` if the account is gone. */
  author: string | null;
  via: Means | null;
  viaName: string | null;
  assignee: string | null;
  createdAt: string;
  updatedAt: string;
  closedBy: string | null;
  closedVersion: number | null;
  /**
   * The number of lines that a proposal adds and removes; `null` for other threads, and if its text
   * is gone.
   */
  added: number | null;
  removed: number | null;
}

export interface NewThread {
  id: string;
  documentId: string;
  kind: ThreadKind;
  version: number;
  /** `null` for the whole document. */
  place: NewPlace | null;
  replacement: string | null;
  setId: string | null;
  accountId: string;
  seenBy: string | null;
  via: Means;
  viaName: string | null;
  assigneeId: string | null;
  at: string;
}

export async function insertThread(db: Writer, thread: NewThread): Promise<void> {
  const { place, version, at } = thread;
  await db
    .insertInto('thread')
    .values({
      id: thread.id,
      documentId: thread.documentId,
      kind: thread.kind,
      state: 'open',
      madeVersion: version,
      atVersion: version,
      ...newPlaceColumns(place),
      replacement: thread.replacement,
      setId: thread.setId,
      accountId: thread.accountId,
      seenBy: thread.seenBy,
      via: thread.via,
      viaName: thread.viaName,
      assigneeId: thread.assigneeId,
      createdAt: at,
      updatedAt: at,
      closedBy: null,
      closedVersion: null,
    })
    .execute();
  await adjustWriters(db, [
    { accountId: thread.accountId, bytes: feedbackBytes(thread.replacement) },
  ]);
}

/**
 * Closes or reopens a thread. Unless it is accepted, its author has seen it only as it was, so it
 * counts as seen by no one if it is opened again.
 *
 * @param from the state that it must have
 * @returns `false` if its state has changed
 */
export async function updateThreadState(
  db: Writer,
  id: string,
  from: ThreadState,
  to: { state: ThreadState; at: string; closedBy: string | null; closedVersion: number | null },
): Promise<boolean> {
  const changed = await db
    .updateTable('thread')
    .set({
      state: to.state,
      updatedAt: to.at,
      closedBy: to.closedBy,
      closedVersion: to.closedVersion,
      ...(to.state !== 'accepted' && { seenBy: null }),
    })
    .where('id', '=', id)
    .where('state', '=', from)
    .returning('id')
    .execute();
  return changed.length > 0;
}

/**
 * Makes a suggestion that of someone else, and says who has seen it as it is now.
 *
 * @param before as it was
 * @param replacement its suggested text, which counts for whom it belongs to
 */
export async function updateAuthor(
  db: Writer,
  before: Pick<ThreadRow, 'id' | 'accountId' | 'replacement'>,
  replacement: string | null,
  by: Pick<ThreadRow, 'accountId' | 'wordsBy' | 'seenBy' | 'via' | 'viaName'>,
): Promise<void> {
  await db
    .updateTable('thread')
    .set({
      accountId: by.accountId,
      wordsBy: by.wordsBy,
      seenBy: by.seenBy,
      via: by.via,
      viaName: by.viaName,
    })
    .where('id', '=', before.id)
    .execute();
  await adjustWriters(db, [
    { accountId: before.accountId, bytes: -feedbackBytes(before.replacement) },
    { accountId: by.accountId, bytes: feedbackBytes(replacement) },
  ]);
}

export async function touchThread(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('thread').set({ updatedAt: at }).where('id', '=', id).execute();
}

/** Deletes a thread without comments that suggests nothing. */
export async function deleteThread(
  db: Writer,
  { id, accountId }: Pick<ThreadRow, 'id' | 'accountId'>,
): Promise<void> {
  await db.deleteFrom('thread').where('id', '=', id).execute();
  await adjustWriters(db, [{ accountId, bytes: -feedbackBytes(null) }]);
}

/**
 * Starts a query of the threads of a document that someone sees (`isThreadInSight`).
 *
 * @param most how much of a suggested text to read, in characters
 */
export function threads(
  db: Reader,
  documentId: string,
  { accountId, opening }: Sight,
  most?: number,
) {
  return db
    .selectFrom('thread')
    .leftJoin('owner as author', 'author.id', 'thread.accountId')
    .leftJoin('owner as assignee', 'assignee.id', 'thread.assigneeId')
    .leftJoin('owner as closer', 'closer.id', 'thread.closedBy')
    .leftJoin('proposal', 'proposal.threadId', 'thread.id')
    .where('thread.documentId', '=', documentId)
    .$if(opening !== null, (query) =>
      query.where((thread) =>
        thread.or([
          thread('thread.accountId', '=', accountId),
          thread.and([
            thread('thread.createdAt', '>=', opening?.at as string),
            thread('thread.madeVersion', '>=', opening?.version as number),
          ]),
        ]),
      ),
    )
    .select([
      'thread.id',
      'thread.documentId',
      'thread.kind',
      'thread.state',
      'thread.madeVersion',
      'thread.madeStart',
      'thread.madeEnd',
      'thread.quote',
      'thread.prefix',
      'thread.suffix',
      'thread.element',
      'thread.atVersion',
      'thread.atStart',
      'thread.atEnd',
      'thread.atState',
      'thread.atAround',
      'thread.shownStart',
      'thread.shownEnd',
      'thread.shownState',
      most === undefined
        ? 'thread.replacement'
        : sql<string | null>`substr(thread.replacement, 1, ${sql.lit(most)})`.as('replacement'),
      'thread.setId',
      'thread.accountId',
      'thread.wordsBy',
      'thread.seenBy',
      'author.namespace as author',
      'thread.via',
      'thread.viaName',
      'assignee.namespace as assignee',
      'thread.createdAt',
      'thread.updatedAt',
      'closer.namespace as closedBy',
      'thread.closedVersion',
      'proposal.added',
      'proposal.removed',
    ]);
}

export interface ThreadFilter {
  states: readonly ThreadState[];
  /** Only threads that changed after this time. */
  since: string | undefined;
  anchor: PlaceState | undefined;
}

/**
 * Returns the condition that a thread's position is in a version older than `version`, or that what
 * is around a suggestion isn't known.
 */
function isBehind(version: number) {
  return sql<SqlBool>`((thread."atVersion" < ${version}
    or (thread.kind = 'replacement' and thread."atAround" is null))
    and thread.quote is not null and thread."atState" <> 'unverified')`;
}

/**
 * Lists the threads of a document that someone sees, newest first.
 *
 * @param version the current one
 */
export async function listThreadRows(
  db: Reader,
  { id: documentId, version }: { id: string; version: number },
  sight: Sight,
  { states, since, anchor }: ThreadFilter,
  page: PageRequest,
): Promise<Page<ThreadRow>> {
  const rows = threads(db, documentId, sight)
    .where('thread.state', 'in', states)
    .$if(since !== undefined, (query) => query.where('thread.updatedAt', '>', since as string))
    .$if(anchor === 'pending', (query) => query.where(isBehind(version)))
    .$if(anchor !== undefined && anchor !== 'pending', (query) =>
      query
        .where('thread.shownState', '=', anchor as Exclude<PlaceState, 'pending'>)
        .where(({ not }) => not(isBehind(version))),
    );
  return paginate(rows, 'thread.id', page);
}

export async function findThread(
  db: Reader,
  documentId: string,
  sight: Sight,
  id: string,
): Promise<ThreadRow | undefined> {
  return threads(db, documentId, sight).where('thread.id', '=', id).executeTakeFirst();
}

/** @param most how much of a suggested text to read, in characters; all by default */
export async function findThreads(
  db: Reader,
  documentId: string,
  sight: Sight,
  ids: readonly string[],
  most?: number,
): Promise<ThreadRow[]> {
  if (ids.length === 0) return [];
  return threads(db, documentId, sight, most).where('thread.id', 'in', ids).execute();
}

/** Lists the suggestions that were made together, in the order of the text that they were made in. */
export async function listSet(
  db: Reader,
  documentId: string,
  sight: Sight,
  setId: string,
): Promise<ThreadRow[]> {
  return threads(db, documentId, sight)
    .where('thread.setId', '=', setId)
    .orderBy('thread.madeStart')
    .orderBy('thread.id')
    .execute();
}

/**
 * Lists the threads to carry: those whose position is in a version older than `version`, without
 * their suggested texts.
 */
export async function listBehind(
  db: Reader,
  documentId: string,
  states: readonly ThreadState[],
  version: number,
): Promise<ThreadRow[]> {
  return threads(db, documentId, EVERYTHING, 0)
    .where('thread.state', 'in', states)
    .where(isBehind(version))
    .orderBy('thread.id')
    .execute();
}

/** Finds what decides who sees some threads, by id. */
export async function findThreadOrigins(
  db: Reader,
  ids: readonly string[],
): Promise<Map<string, ThreadOrigin>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('thread')
    .where('id', 'in', ids)
    .select(['id', 'accountId', 'createdAt', 'madeVersion'])
    .execute();
  return new Map(rows.map(({ id, ...origin }) => [id, origin]));
}

/** Counts the threads of a document that readers don't see, unless they opened them. */
export async function countHiddenThreads(
  db: Reader,
  documentId: string,
  { at, version }: Opening,
): Promise<number> {
  const { count } = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .where((thread) =>
      thread.or([thread('createdAt', '<', at), thread('madeVersion', '<', version)]),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Counts all threads of a document, and its open threads.
 *
 * @param accountId only those of this account
 */
export async function countThreads(
  db: Reader,
  documentId: string,
  accountId?: string,
): Promise<{ all: number; open: number }> {
  const rows = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .execute();
  const all = rows.reduce((sum, { count }) => sum + Number(count), 0);
  return { all, open: Number(rows.find(({ state }) => state === 'open')?.count ?? 0) };
}
