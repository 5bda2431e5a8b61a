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
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
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
    .values({ document_id: documentId, account_id: accountId, level })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'account_id']).doUpdateSet({ level }),
    )
    .execute();
}

export async function deleteWatch(db: Writer, { documentId, accountId }: Watcher): Promise<void> {
  await db
    .deleteFrom('watch')
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .execute();
}

/** Tells whether somebody wrote a document or commented on it. */
export async function hasWorkedOn(
  db: Reader,
  { documentId, accountId }: Watcher,
): Promise<boolean> {
  const wrote = db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .select('document_id');
  const commented = db
    .selectFrom('comment')
    .innerJoin('thread', 'thread.id', 'comment.thread_id')
    .where('thread.document_id', '=', documentId)
    .where('comment.account_id', '=', accountId)
    .select('thread.document_id');
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
        document_id: documentId,
        account_id: accountId,
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
    .where('owner_type', '=', 'user')
    .select(['id as documentId', 'owner_id as accountId', sql.lit('all' as WatchLevel).as('level')])
    .execute();
  const chosen = await db
    .selectFrom('watch')
    .where('document_id', 'in', documentIds)
    .select(['document_id as documentId', 'account_id as accountId', 'level'])
    .execute();
  return [...byOwning, ...chosen];
}
