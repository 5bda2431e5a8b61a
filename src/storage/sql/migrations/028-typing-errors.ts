import { type Kysely, sql } from 'kysely';

/**
 * Search forgives typing errors in names and titles: the entries of all documents in the index are
 * made again, in the background.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into search_pending (document_id, stamp, claimed_until)
    select id, '', '' from document
    where true
    on conflict do nothing`.execute(db);
}
