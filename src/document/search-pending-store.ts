import { randomUUID } from 'node:crypto';
import { type SelectQueryBuilder, sql } from 'kysely';
import { capabilitiesOf } from '../storage/sql/dialect.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import type { Tables } from '../storage/sql/tables.ts';

/** A document to be indexed, as it was claimed. */
export type PendingDocument = {
  documentId: string;
  /** Of the change that is to be indexed; another change has another. */
  stamp: string;
};

const marked = prepared<PendingDocument, unknown>((db, parameter) =>
  db
    .insertInto('search_pending')
    .columns(['document_id', 'stamp', 'claimed_until'])
    .expression((build) =>
      build
        .selectFrom('document')
        .select(['id', parameter('stamp').as('stamp'), sql.lit('').as('claimed_until')])
        .where('id', '=', parameter('documentId')),
    )
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet((pending) => ({
        stamp: pending.ref('excluded.stamp'),
        claimed_until: '',
      })),
    ),
);

/** Has a document, if there is one, indexed after this transaction: its words or its readers are others. */
export async function insertPending(db: Writer, documentId: string): Promise<void> {
  await marked(db, { documentId, stamp: randomUUID() });
}

const open = prepared<{ now: string; limit: number }, PendingDocument>((db, parameter) =>
  db
    .selectFrom('search_pending')
    .where('claimed_until', '<', parameter('now'))
    .select(['document_id as documentId', 'stamp'])
    .limit(parameter('limit')),
);

/** Documents that nobody is at. */
export async function listPending(db: Reader, now: string, limit: number) {
  return open(db, { now, limit });
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

const deleted = prepared<PendingDocument, unknown>((db, parameter) => {
  const due = db
    .selectFrom('search_pending')
    .where('document_id', '=', parameter('documentId'))
    .where('stamp', '=', parameter('stamp'))
    .select('document_id');
  return db
    .deleteFrom('search_pending')
    .where('document_id', 'in', unlockedOf(db, due))
    .returning('document_id');
});

/**
 * Ends the waiting of a document; `false` when it has changed since, or is just being changed, or
 * somebody was faster.
 */
export async function deletePending(db: Writer, pending: PendingDocument): Promise<boolean> {
  return (await deleted(db, pending)).length > 0;
}
