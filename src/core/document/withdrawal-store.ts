import { sql } from 'kysely';
import type { Visibility } from '../../base/schema/visibility.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { insertPendingOf } from '../outbox/search-pending-store.ts';
import { touchLabelsOf } from './label-store.ts';

/**
 * Makes all documents of a user private, those in the trash, too, and keeps which visibility they
 * had. Not a change of the documents: no version, event or history entry.
 */
export async function withdrawDocuments(db: Writer, ownerId: string): Promise<void> {
  await sql`insert into withdrawn_document ("documentId", visibility)
    select id, visibility from stored_document
    where "ownerId" = ${ownerId} and visibility <> 'private'
    on conflict ("documentId") do update set visibility = excluded.visibility`.execute(db);
  await sql`update stored_document set visibility = 'private'
    where "ownerId" = ${ownerId} and visibility <> 'private'`.execute(db);
  await relistAll(db, ownerId);
}

/** Gives the documents of a user the visibility back that {@link withdrawDocuments} took. */
export async function returnDocuments(db: Writer, ownerId: string): Promise<void> {
  await sql`update stored_document set visibility = withdrawn_document.visibility
    from withdrawn_document
    where withdrawn_document."documentId" = stored_document.id
      and stored_document."ownerId" = ${ownerId}`.execute(db);
  await sql`delete from withdrawn_document where "documentId" in (
    select id from stored_document where "ownerId" = ${ownerId})`.execute(db);
  await relistAll(db, ownerId);
}

/**
 * Forgets which visibility {@link withdrawDocuments} took from a document that goes to another owner.
 *
 * @returns that visibility; `undefined` if it was private or wasn't withdrawn
 */
export async function deleteWithdrawal(
  db: Writer,
  documentId: string,
): Promise<Visibility | undefined> {
  const row = await db
    .deleteFrom('withdrawn_document')
    .where('documentId', '=', documentId)
    .returning('visibility')
    .executeTakeFirst();
  return row?.visibility;
}

async function relistAll(db: Writer, ownerId: string): Promise<void> {
  await touchLabelsOf(db, ownerId);
  await insertPendingOf(db, ownerId);
}
