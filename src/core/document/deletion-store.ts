import { type Expression, sql } from 'kysely';
import { batchQueries } from '../../storage/sql/batch-queries.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { lockFeed } from '../event/feed-store.ts';
import { insertPending } from '../outbox/search-pending-store.ts';
import {
  adjustUsage,
  listFeedbackBytes,
  type UsageChange,
  type WriterBytes,
} from '../quota/usage-store.ts';
import { holdAddress } from '../review/protection-store.ts';
import { touchLabels } from './label-store.ts';

type Deletion = { id: string; deletedBy: string; deletedAt: string };

const trashed = prepared<Deletion, unknown>((db, parameter) =>
  db
    .updateTable('stored_document')
    .set({ deletedBy: parameter('deletedBy'), deletedAt: parameter('deletedAt') })
    .where('id', '=', parameter('id')),
);

/** A document in the trash is no longer one of its owner's documents; its bytes still are. */
const uncounted = prepared<{ id: string }, unknown>((db, parameter) =>
  db
    .updateTable('owner_usage')
    .set({ documents: sql`documents - 1` })
    .where('ownerId', '=', (build) =>
      build.selectFrom('stored_document').where('id', '=', parameter('id')).select('ownerId'),
    ),
);

/** What ends when a document is deleted, even if it is restored. */
const ended = (['invitation', 'document_link', 'upload_ticket', 'rendition', 'seen'] as const).map(
  (table) =>
    prepared<{ id: string }, unknown>((db, parameter) =>
      db.deleteFrom(table).where('documentId', '=', parameter('id')),
    ),
);

/** Moves a document to the trash, where it keeps its collaborators and everything about its texts. */
export async function moveToTrash(db: Writer, deletion: Deletion): Promise<void> {
  const { id } = deletion;
  await batchQueries([
    holdAddress(db, id),
    insertPending(db, id),
    trashed(db, deletion),
    uncounted(db, { id }),
    ...ended.map((end) => end(db, { id })),
  ]);
  await touchLabels(db, id);
}

/** The name of a restored document, and its last change. */
export type RestoredName = Row<'stored_document', 'name' | 'version' | 'updatedBy' | 'updatedAt'>;

/**
 * Moves a document back from the trash. The name must be free. Charge its owner for one more
 * document.
 *
 * @returns `false` if it is no longer in the trash
 */
export async function moveFromTrash(
  db: Writer,
  id: string,
  { name, version, updatedBy, updatedAt }: RestoredName,
): Promise<boolean> {
  const restored = await db
    .updateTable('stored_document')
    .set({ name, version, updatedBy, updatedAt })
    .set({ deletedBy: null, deletedAt: null })
    .where('id', '=', id)
    .where('deletedAt', 'is not', null)
    .returning('id')
    .execute();
  if (restored.length === 0) return false;
  await touchLabels(db, id);
  await insertPending(db, id);
  return true;
}

/** A document as it was before it was deleted for good. */
export type DeletedDocument = Row<'stored_document', 'id' | 'ownerId' | 'kind' | 'name'> & {
  ownerNamespace: string;
};

/** How many documents were deleted for good, and the keys of blobs that nothing refers to any more. */
export interface Deleted {
  count: number;
  /** Those that a list named; empty if an owner's were deleted. */
  documents: DeletedDocument[];
  storagePaths: (string | null)[];
}

/**
 * Deletes documents in the trash for good, with all rows that refer to them. Skips those that are
 * no longer in the trash.
 */
export async function deleteTrashed(db: Writer, ids: readonly string[]): Promise<Deleted> {
  if (ids.length === 0) return { count: 0, documents: [], storagePaths: [] };
  await lockFeed(db);
  const found = await db
    .selectFrom('stored_document')
    .where('stored_document.id', 'in', ids)
    .where('deletedAt', 'is not', null)
    .innerJoin('owner', 'owner.id', 'stored_document.ownerId')
    .select(['stored_document.id', 'ownerId', 'owner.namespace as ownerNamespace'])
    .select(['kind', 'name'])
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate('stored_document'))
    .execute();
  const deleted = await deleteStored(
    db,
    found.map(({ id }) => id),
  );
  return { ...deleted, documents: found };
}

/** Deletes all documents of an owner for good, including those in the trash. */
export async function deleteDocumentsOf(db: Writer, ownerId: string): Promise<Deleted> {
  await lockFeed(db);
  const ids = db.selectFrom('stored_document').where('ownerId', '=', ownerId).select('id');
  return deleteStored(db, ids.$castTo<string>());
}

/**
 * Deletes documents with all rows that refer to them, most by cascade. The feed must be locked:
 * otherwise an event that is placed at the same time would add inbox entries that are never deleted.
 */
async function deleteStored(
  db: Writer,
  ids: readonly string[] | Expression<string>,
): Promise<Deleted> {
  const events = db.selectFrom('event').where('documentId', 'in', ids).select('position');
  await db
    .deleteFrom('inbox')
    .where('position', 'in', events.where('position', 'is not', null).$castTo<number>())
    .execute();
  const hasNone = Array.isArray(ids) && ids.length === 0;
  const feedback = hasNone ? [] : await listFeedbackBytes(db, { documents: ids });
  const threads = db.selectFrom('thread').where('documentId', 'in', ids).select('id');
  const proposals = await db
    .deleteFrom('proposal')
    .where('threadId', 'in', threads)
    .returning('storagePath as path')
    .execute();
  const texts = await db
    .deleteFrom('revision_text')
    .where('documentId', 'in', ids)
    .returning(['storagePath as path', 'documentId', 'storedBytes as bytes'])
    .execute();
  const documents = await db
    .deleteFrom('stored_document')
    .where('id', 'in', ids)
    .returning(['id', 'ownerId', 'storagePath as path', 'sizeBytes as bytes'])
    .returning('deletedAt')
    .execute();
  await uncharge(db, documents, texts, feedback);
  const storagePaths = [...documents, ...texts, ...proposals].map(({ path }) => path);
  return { count: documents.length, documents: [], storagePaths };
}

/**
 * Subtracts deleted documents and their old texts from what their owners have, and what was said there
 * from what its writers have.
 */
async function uncharge(
  db: Writer,
  documents: readonly { id: string; ownerId: string; bytes: number; deletedAt: string | null }[],
  texts: readonly { documentId: string; bytes: number }[],
  feedback: readonly WriterBytes[],
): Promise<void> {
  const owners = new Map(documents.map(({ id, ownerId }) => [id, ownerId]));
  const changes = new Map<string, Required<Pick<UsageChange, 'documents' | 'bytes'>>>();
  const subtract = (ownerId: string, bytes: number, count: number) => {
    const change = changes.get(ownerId) ?? { documents: 0, bytes: 0 };
    changes.set(ownerId, { documents: change.documents - count, bytes: change.bytes - bytes });
  };
  for (const { ownerId, bytes, deletedAt } of documents) {
    subtract(ownerId, bytes, deletedAt === null ? 1 : 0);
  }
  for (const { documentId, bytes } of texts) {
    const ownerId = owners.get(documentId);
    if (ownerId !== undefined) subtract(ownerId, bytes, 0);
  }
  for (const { accountId, bytes } of feedback) {
    if (accountId !== null) subtract(accountId, bytes, 0);
  }
  // Always in the same order, so that two such changes can't deadlock.
  for (const ownerId of [...changes.keys()].sort()) {
    await adjustUsage(db, ownerId, changes.get(ownerId) as UsageChange);
  }
}
