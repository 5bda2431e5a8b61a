import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { capabilitiesOf } from '../storage/sql/dialect.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';

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
  // What is being written, or claimed, comes next time.
  const unlocked = capabilitiesOf(db).concurrentTransactions ? free.forUpdate().skipLocked() : free;
  return db
    .updateTable('search_pending')
    .set({ claimed_until: until })
    .where('document_id', 'in', unlocked)
    .returning(['document_id as documentId', 'stamp'])
    .execute();
}

const deleted = prepared<PendingDocument, unknown>((db, parameter) =>
  db
    .deleteFrom('search_pending')
    .where('document_id', '=', parameter('documentId'))
    .where('stamp', '=', parameter('stamp'))
    .returning('document_id'),
);

/** Ends the waiting of a document; `false` when it has changed since, or somebody was faster. */
export async function deletePending(db: Writer, pending: PendingDocument): Promise<boolean> {
  return (await deleted(db, pending)).length > 0;
}
