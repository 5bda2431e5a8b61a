import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

const state = prepared<object, { position: number | null; hasUnplaced: number | boolean }>((db) =>
  db.selectNoFrom(({ exists, selectFrom }) => [
    selectFrom('feed').select('position').as('position'),
    exists(selectFrom('event').where('position', 'is', null).select('id')).as('hasUnplaced'),
  ]),
);

/** Returns the newest position, and whether events wait to be placed. */
export async function findFeedState(
  db: Reader,
): Promise<{ position: number; hasUnplaced: boolean }> {
  const [row] = await state(db, {});
  return { position: row?.position ?? 0, hasUnplaced: Boolean(row?.hasUnplaced) };
}

/** Returns the position up to which events are removed. */
export async function findRemovedUntil(db: Reader): Promise<number> {
  const row = await db.selectFrom('feed').select('removedUntil as until').executeTakeFirst();
  return row?.until ?? 0;
}

/**
 * Locks the feed until the transaction ends, so that no other transaction can place events.
 *
 * @returns the newest position
 */
export async function lockFeed(db: Writer): Promise<number> {
  await db
    .insertInto('feed')
    .values({ id: 1, position: 0, removedUntil: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { position } = await db
    .selectFrom('feed')
    .select('position')
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return position;
}

export async function updatePosition(db: Writer, position: number): Promise<void> {
  await db.updateTable('feed').set({ position }).execute();
}

/** An event that has just been given its position. */
export type PlacedEvent = Omit<Row<'event'>, 'position' | 'via' | 'viaName'> & { position: number };

const placed = prepared<{ after: number; limit: number }, PlacedEvent>((db, parameter) => {
  const waiting = db
    .selectFrom('event')
    .where('position', 'is', null)
    .select([
      'id',
      sql<number>`cast(${parameter('after')} as integer) + row_number() over (order by id)`.as(
        'number',
      ),
    ])
    .orderBy('id')
    .limit(parameter('limit'));
  return db
    .updateTable('event')
    .from(waiting.as('waiting'))
    .whereRef('event.id', '=', 'waiting.id')
    .set(({ ref }) => ({ position: ref('waiting.number') }))
    .returning([
      'event.id',
      'event.position',
      'event.documentId',
      'event.ownerId',
      'event.type',
      'event.accountId',
      'event.targetId',
      'event.threadId',
      'event.version',
      'event.firstVersion',
      'event.mentions',
      'event.at',
    ])
    .$castTo<PlacedEvent>();
});

/**
 * Gives the positions after `after` to at most `limit` events that have no position, in the order
 * of their ids.
 *
 * @returns the placed events, in that order
 */
export async function placeNext(db: Writer, after: number, limit: number): Promise<PlacedEvent[]> {
  const events = await placed(db, { after, limit });
  return events.toSorted((one, other) => one.position - other.position);
}

/**
 * Lists the documents that have events after a position, and the accounts that have inbox entries
 * after it.
 */
export async function listNews(
  db: Reader,
  after: number,
): Promise<{ documentIds: string[]; accountIds: string[] }> {
  const documents = await db
    .selectFrom('event')
    .where('position', '>', after)
    .select('documentId as id')
    .distinct()
    .execute();
  const accounts = await db
    .selectFrom('inbox')
    .where('position', '>', after)
    .select('accountId as id')
    .distinct()
    .execute();
  return { documentIds: documents.map(({ id }) => id), accountIds: accounts.map(({ id }) => id) };
}

/**
 * Deletes the events before a time, at most `limit`, with their inbox entries. @returns how many
 */
export async function deleteOldEvents(db: Writer, before: string, limit: number): Promise<number> {
  const oldest = await db
    .selectFrom('event')
    .where('position', 'is not', null)
    .select(['position', 'at'])
    .orderBy('position')
    .limit(limit)
    .$castTo<{ position: number; at: string }>()
    .execute();
  const firstKept = oldest.findIndex(({ at }) => at >= before);
  const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
  const until = old.at(-1)?.position;
  if (until === undefined) return 0;
  await db.deleteFrom('inbox').where('position', '<=', until).execute();
  await db.deleteFrom('event').where('position', '<=', until).execute();
  await db.updateTable('feed').set({ removedUntil: until }).execute();
  return old.length;
}

/**
 * Marks somebody’s inbox entries about a document as read.
 *
 * @param withLater also those that are put off, which otherwise still come back
 */
export async function updateDocumentRead(
  db: Writer,
  {
    accountId,
    documentId,
    at,
    withLater = false,
  }: { accountId: string; documentId: string; at: string; withLater?: boolean },
): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ readAt: at, laterUntil: null })
    .where('accountId', '=', accountId)
    .where('readAt', 'is', null)
    .where('position', 'in', positionsOf(db, documentId))
    .$if(!withLater, (query) =>
      query.where((is) => is.or([is('laterUntil', 'is', null), is('laterUntil', '<=', at)])),
    )
    .execute();
}

/** Selects the positions of a document's events. */
export function positionsOf(db: Writer, documentId: string) {
  return db
    .selectFrom('event')
    .where('documentId', '=', documentId)
    .where('position', 'is not', null)
    .select('position')
    .$castTo<number>();
}
