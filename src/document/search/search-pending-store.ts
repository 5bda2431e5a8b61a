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

/** A document to be indexed, as it was claimed. */
export type PendingDocument = {
  documentId: string;
  /** Of the change that is to be indexed; another change has another. */
  stamp: string;
};

const marked = prepared<PendingDocument, unknown>((db, parameter) =>
  db
    .insertInto('search_pending')
    .values({
      document_id: parameter('documentId'),
      stamp: parameter('stamp'),
      claimed_until: '',
    })
    // Whoever is at it goes on, and leaves it for the next.
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet((pending) => ({
        stamp: pending.ref('excluded.stamp'),
      })),
    ),
);

/**
 * Has the search index follow a document after this transaction: its words or its readers are others, or it
 * is deleted.
 */
export async function insertPending(db: Writer, documentId: string): Promise<void> {
  await marked(db, { documentId, stamp: randomUUID() });
}

/** {@link insertPending} of all that an owner has. */
export async function insertPendingOf(db: Writer, ownerId: string): Promise<void> {
  await insertPendingWhere(db, (document) => document('owner_id', '=', ownerId));
}

/** {@link insertPending} of the documents of an owner on which a user collaborates. */
export async function insertPendingOfCollaborator(
  db: Writer,
  ownerId: string,
  accountId: string,
): Promise<void> {
  await insertPendingWhere(db, (document) =>
    document.and([
      document('owner_id', '=', ownerId),
      document(
        'id',
        'in',
        document
          .selectFrom('collaborator')
          .where('account_id', '=', accountId)
          .select('document_id'),
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
    .columns(['document_id', 'stamp', 'claimed_until'])
    .expression((build) =>
      build
        .selectFrom('document')
        .where(condition)
        .select(['id', sql.lit(stamp).as('stamp'), sql.lit('').as('claimed_until')])
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet({ stamp }))
    .execute();
}

/** A document that waits, with whose it is and how large; where it is deleted, nobody's and 0. */
export type WaitingDocument = PendingDocument & { ownerId: string | null; sizeBytes: number };

/** Which documents are wanted, by their size in bytes. */
export type SizeRange = { above: number; upTo: number };

type Window = { now: string; after: string; limit: number };

const waiting = prepared<Window, WaitingDocument>((db, parameter) =>
  db
    .selectFrom((sub) =>
      sub
        .selectFrom('search_pending')
        .where('claimed_until', '<', parameter('now'))
        .where('document_id', '>', parameter('after'))
        .select(['document_id', 'stamp'])
        .orderBy('document_id')
        .limit(parameter('limit'))
        .as('pending'),
    )
    .leftJoin('document', 'document.id', 'pending.document_id')
    .select(({ fn, val }) => [
      'pending.document_id as documentId',
      'pending.stamp',
      'document.owner_id as ownerId',
      fn.coalesce('document.size_bytes', val(0)).as('sizeBytes'),
    ])
    .orderBy('pending.document_id'),
);

/** Lists documents that no one has claimed, in the order of their ids, from behind `after` on. */
export async function listWaiting(db: Reader, window: Window): Promise<readonly WaitingDocument[]> {
  return waiting(db, window);
}

/** Keeps others from these documents for a while. @returns those that were still to be had */
export async function claimPending(
  db: Writer,
  documents: readonly PendingDocument[],
  now: string,
  until: string,
): Promise<PendingDocument[]> {
  const ids = documents.map(({ documentId }) => documentId);
  const free = db
    .selectFrom('search_pending')
    .where('document_id', 'in', ids)
    .where('claimed_until', '<', now)
    .select('document_id');
  return db
    .updateTable('search_pending')
    .set({ claimed_until: until })
    .where('document_id', 'in', unlockedOf(db, free))
    .returning(['document_id as documentId', 'stamp'])
    .execute();
}

/** Without what is being written, or claimed: its turn comes, and who waited for it would hold others up. */
function unlockedOf<O>(db: Reader, rows: SelectQueryBuilder<Tables, 'search_pending', O>) {
  return capabilitiesOf(db).concurrentTransactions ? rows.forUpdate().skipLocked() : rows;
}

/**
 * Ends the waiting of documents.
 *
 * @returns the others: they have changed since, or are just being changed, or are somebody else's by now
 */
export async function deletePending(
  db: Writer,
  documents: readonly PendingDocument[],
): Promise<PendingDocument[]> {
  const ids = documents.map(({ documentId }) => documentId);
  const changes = documents.map(({ documentId, stamp }) => `${documentId} ${stamp}`);
  const due = db
    .selectFrom('search_pending')
    .where('document_id', 'in', ids)
    .where(sql<string>`document_id || ' ' || stamp`, 'in', changes)
    .select('document_id');
  const ended = await db
    .deleteFrom('search_pending')
    .where('document_id', 'in', unlockedOf(db, due))
    .returning('document_id as id')
    .execute();
  const endedIds = new Set(ended.map(({ id }) => id));
  return documents.filter(({ documentId }) => !endedIds.has(documentId));
}

/** Lets a document that has changed since be had by whoever comes next. */
export async function releaseChanged(
  db: Writer,
  { documentId, stamp }: PendingDocument,
): Promise<void> {
  await db
    .updateTable('search_pending')
    .set({ claimed_until: '' })
    .where('document_id', '=', documentId)
    .where('stamp', '<>', stamp)
    .execute();
}

/** Has a document indexed once more, whoever is at it. */
export async function insertPendingAgain(
  db: Writer,
  { documentId }: PendingDocument,
): Promise<void> {
  const row = { document_id: documentId, stamp: randomUUID(), claimed_until: '' };
  await db
    .insertInto('search_pending')
    .values(row)
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(row))
    .execute();
}
