import type { Expression } from 'kysely';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { lockFeed } from '../event/feed-store.ts';

// Deletes the rows that refer to a document only by id: former names, labels, its pin, revisions
// with their texts, events, watchers, threads and reviews. No cascade deletes them, because a
// document in the trash keeps them.

/** Deletes documents' rows in other tables for good. @returns the blob keys of the texts */
export async function deleteRemains(db: Writer, documentIds: readonly string[]): Promise<string[]> {
  return documentIds.length === 0 ? [] : deleteWhere(db, documentIds);
}

/**
 * Does the same as {@link deleteRemains} for all documents of an owner, including those in the
 * trash.
 */
export async function deleteRemainsOf(db: Writer, ownerId: string): Promise<string[]> {
  const documents = db
    .selectFrom('document')
    .select('id')
    .where('owner_id', '=', ownerId)
    .unionAll(db.selectFrom('trashed_document').select('id').where('owner_id', '=', ownerId));
  return deleteWhere(db, documents.$castTo<string>());
}

/**
 * Tables with a column `document_id` whose rows refer to no blob. Comments are deleted with their
 * threads, by cascade.
 */
const TABLES = [
  'document_alias',
  'document_label',
  'pinned_document',
  'event',
  'watch',
  'thread',
  'review_request',
  'review',
  'review_setting',
  'revision',
] as const;

async function deleteWhere(
  db: Writer,
  documentIds: readonly string[] | Expression<string>,
): Promise<string[]> {
  const isOfThem = ['document_id', 'in', documentIds] as const;
  // Otherwise an event that is placed at the same time would add inbox entries that are never
  // deleted.
  await lockFeed(db);
  await db.deleteFrom('inbox').where('position', 'in', positionsOf(db, documentIds)).execute();
  const proposals = await db
    .deleteFrom('proposal')
    .where('thread_id', 'in', (threads) =>
      threads
        .selectFrom('thread')
        .where(...isOfThem)
        .select('id'),
    )
    .returning('storage_path as path')
    .execute();
  for (const table of TABLES) {
    await db
      .deleteFrom(table)
      .where(...isOfThem)
      .execute();
  }
  const texts = await db
    .deleteFrom('revision_text')
    .where(...isOfThem)
    .returning('storage_path as path')
    .execute();
  return [...texts, ...proposals].map(({ path }) => path).filter((path) => path !== null);
}

function positionsOf(db: Reader, documentIds: readonly string[] | Expression<string>) {
  return db
    .selectFrom('event')
    .where('document_id', 'in', documentIds)
    .where('position', 'is not', null)
    .select('position')
    .$castTo<number>();
}
