import { sql } from 'kysely';
import type { WatchLevel } from '../../core/event/concerned.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

type Watcher = { documentId: string; accountId: string };

export async function findWatch(
  db: Reader,
  { documentId, accountId }: Watcher,
): Promise<WatchLevel | undefined> {
  const row = await db
    .selectFrom('watch')
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .select('level')
    .executeTakeFirst();
  return row?.level;
}

export async function upsertWatch(
  db: Writer,
  { documentId, accountId }: Watcher,
  level: WatchLevel,
): Promise<void> {
  await db
    .insertInto('watch')
    .values({ documentId, accountId, level })
    .onConflict((conflict) => conflict.columns(['documentId', 'accountId']).doUpdateSet({ level }))
    .execute();
}

export async function deleteWatch(db: Writer, { documentId, accountId }: Watcher): Promise<void> {
  await db
    .deleteFrom('watch')
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .execute();
}

/** Tells whether somebody wrote a document or commented on it. */
export async function hasWorkedOn(
  db: Reader,
  { documentId, accountId }: Watcher,
): Promise<boolean> {
  const wrote = db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .select('documentId');
  const commented = db
    .selectFrom('comment')
    .innerJoin('thread', 'thread.id', 'comment.threadId')
    .where('thread.documentId', '=', documentId)
    .where('comment.accountId', '=', accountId)
    .select('thread.documentId');
  const [row] = await wrote.unionAll(commented).limit(1).execute();
  return row !== undefined;
}

/** Makes the authors of events watch the documents, unless they already have a level. */
export async function insertWatches(
  db: Writer,
  watches: readonly { documentId: string; accountId: string }[],
): Promise<void> {
  if (watches.length === 0) return;
  await db
    .insertInto('watch')
    .values(
      watches.map(({ documentId, accountId }) => ({
        documentId,
        accountId,
        level: 'all' as const,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Lists who watches documents. A user watches their own. If an owner has chosen a level, it comes
 * after this default, so the later entry counts.
 */
export async function listWatchers(
  db: Reader,
  documentIds: readonly string[],
): Promise<{ documentId: string; accountId: string; level: WatchLevel }[]> {
  const byOwning = await db
    .selectFrom('stored_document')
    .where('id', 'in', documentIds)
    .where('ownerType', '=', 'user')
    .select(['id as documentId', 'ownerId as accountId', sql.lit('all' as WatchLevel).as('level')])
    .execute();
  const chosen = await db
    .selectFrom('watch')
    .where('documentId', 'in', documentIds)
    .select(['documentId', 'accountId', 'level'])
    .execute();
  return [...byOwning, ...chosen];
}
