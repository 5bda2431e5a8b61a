import { sql } from 'kysely';
import type { Writer } from '../../storage/sql/sql.ts';
import { insertPendingOf } from '../outbox/search-pending-store.ts';
import { relistLabelsOf } from './label-store.ts';

/**
 * Makes all documents of a user private, those in the trash, too, and keeps which visibility they
 * had. Not a change of the documents: no version, event or history entry.
 */
export async function withdrawDocuments(db: Writer, ownerId: string): Promise<void> {
  await sql`insert into withdrawn_document (document_id, visibility)
    select id, visibility from stored_document
    where owner_id = ${ownerId} and visibility <> 'private'
    on conflict (document_id) do update set visibility = excluded.visibility`.execute(db);
  await sql`update stored_document set visibility = 'private'
    where owner_id = ${ownerId} and visibility <> 'private'`.execute(db);
  await relistAll(db, ownerId);
}

/** Gives the documents of a user the visibility back that {@link withdrawDocuments} took. */
export async function returnDocuments(db: Writer, ownerId: string): Promise<void> {
  await sql`update stored_document set visibility = withdrawn_document.visibility
    from withdrawn_document
    where withdrawn_document.document_id = stored_document.id
      and stored_document.owner_id = ${ownerId}`.execute(db);
  await sql`delete from withdrawn_document where document_id in (
    select id from stored_document where owner_id = ${ownerId})`.execute(db);
  await relistAll(db, ownerId);
}

async function relistAll(db: Writer, ownerId: string): Promise<void> {
  await relistLabelsOf(db, ownerId);
  await insertPendingOf(db, ownerId);
}
