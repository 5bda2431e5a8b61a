import { randomUUID } from 'node:crypto';
import {
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

/** A document in the index queue, as it was claimed. */
export type PendingDocument = {
  documentId: string;
  /** Identifies the change to index; every change has a new one. */
  stamp: string;
};

const marked = prepared<PendingDocument, unknown>((db, parameter) =>
  db
    .insertInto('search_pending')
    .values({
      documentId: parameter('documentId'),
      stamp: parameter('stamp'),
      claimedUntil: '',
    })
    // A process that has claimed the document finishes its work, and this change stays queued.
    .onConflict((conflict) =>
      conflict.column('documentId').doUpdateSet((pending) => ({
        stamp: pending.ref('excluded.stamp'),
      })),
    ),
);

/** Queues a document for indexing, because its words or readers change or it is deleted. */
export async function insertPending(db: Writer, documentId: string): Promise<void> {
  await marked(db, { documentId, stamp: randomUUID() });
}

/** Queues all documents of an owner, like {@link insertPending}. */
export async function insertPendingOf(db: Writer, ownerId: string): Promise<void> {
  await insertPendingWhere(db, (document) => document('ownerId', '=', ownerId));
}

/** Queues an owner's documents that a user collaborates on, like {@link insertPending}. */
export async function insertPendingOfCollaborator(
  db: Writer,
  ownerId: string,
  accountId: string,
): Promise<void> {
  await insertPendingWhere(db, (document) =>
    document.and([
      document('ownerId', '=', ownerId),
      document(
        'id',
        'in',
        document.selectFrom('collaborator').where('accountId', '=', accountId).select('documentId'),
      ),
    ]),
  );
}

async function insertPendingWhere(
  db: Writer,
  condition: (document: ExpressionBuilder<Tables, 'document'>) => Expression<SqlBool>,
): Promise<void> {
  const stamp = randomUUID();
  await db
    .insertInto('search_pending')
    .columns(['documentId', 'stamp', 'claimedUntil'])
    .expression((build) =>
      build
        .selectFrom('document')
        .where(condition)
        .select(['id', sql.lit(stamp).as('stamp'), sql.lit('').as('claimedUntil')])
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.column('documentId').doUpdateSet({ stamp }))
    .execute();
}

/** A queued document with owner and size; `null` and 0 if it is deleted. */
export type WaitingDocument = PendingDocument & { ownerId: string | null; sizeBytes: number };

export type SizeRange = { above: number; upTo: number };

type Window = { now: string; after: string; limit: number };

const waiting = prepared<Window, WaitingDocument>((db, parameter) =>
  db
    .selectFrom((sub) =>
      sub
        .selectFrom('search_pending')
        .where('claimedUntil', '<', parameter('now'))
        .where('documentId', '>', parameter('after'))
        .select(['documentId', 'stamp'])
        .orderBy('documentId')
        .limit(parameter('limit'))
        .as('pending'),
    )
    .leftJoin('document', 'document.id', 'pending.documentId')
    .select(({ fn, val }) => [
      'pending.documentId',
      'pending.stamp',
      'document.ownerId',
      fn.coalesce('document.sizeBytes', val(0)).as('sizeBytes'),
    ])
    .orderBy('pending.documentId'),
);

/** Lists unclaimed documents in the order of their ids, after `after`. */
export async function listWaiting(db: Reader, window: Window): Promise<readonly WaitingDocument[]> {
  return waiting(db, window);
}

/** Claims documents for a while. @returns those that no one else has claimed */
export async function claimPending(
  db: Writer,
  documents: readonly PendingDocument[],
  now: string,
  until: string,
): Promise<PendingDocument[]> {
  const ids = documents.map(({ documentId }) => documentId);
  const free = db
    .selectFrom('search_pending')
    .where('documentId', 'in', ids)
    .where('claimedUntil', '<', now)
    .select('documentId');
  return db
    .updateTable('search_pending')
    .set({ claimedUntil: until })
    .where('documentId', 'in', unlockedOf(db, free))
    .returning(['documentId', 'stamp'])
    .execute();
}

/** Skips locked rows, which are being written or claimed: waiting for them would block others. */
function unlockedOf<O>(db: Reader, rows: SelectQueryBuilder<Tables, 'search_pending', O>) {
  return capabilitiesOf(db).concurrentTransactions ? rows.forUpdate().skipLocked() : rows;
}

/**
 * Removes documents from the queue.
 *
 * @returns those that it didn't remove: they have changed, another transaction has locked them, or
 *   another process has removed them
 */
export async function deletePending(
  db: Writer,
  documents: readonly PendingDocument[],
): Promise<PendingDocument[]> {
  const ids = documents.map(({ documentId }) => documentId);
  const changes = documents.map(({ documentId, stamp }) => `${documentId} ${stamp}`);
  const due = db
    .selectFrom('search_pending')
    .where('documentId', 'in', ids)
    .where(sql<string>`"documentId" || ' ' || stamp`, 'in', changes)
    .select('documentId');
  const ended = await db
    .deleteFrom('search_pending')
    .where('documentId', 'in', unlockedOf(db, due))
    .returning('documentId as id')
    .execute();
  const endedIds = new Set(ended.map(({ id }) => id));
  return documents.filter(({ documentId }) => !endedIds.has(documentId));
}

/** Releases the claim on a document that has changed since. */
export async function releaseChanged(
  db: Writer,
  { documentId, stamp }: PendingDocument,
): Promise<void> {
  await db
    .updateTable('search_pending')
    .set({ claimedUntil: '' })
    .where('documentId', '=', documentId)
    .where('stamp', '<>', stamp)
    .execute();
}

/** Queues a document again, even if it is claimed. */
export async function insertPendingAgain(
  db: Writer,
  { documentId }: PendingDocument,
): Promise<void> {
  const row = { documentId, stamp: randomUUID(), claimedUntil: '' };
  await db
    .insertInto('search_pending')
    .values(row)
    .onConflict((conflict) => conflict.column('documentId').doUpdateSet(row))
    .execute();
}
