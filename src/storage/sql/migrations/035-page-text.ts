import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * The search index also stores the plain text of pages, for excerpts. On PostgreSQL, this creates
 * its table and queues the pages. On SQLite, the next start creates the index again, with its texts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = capabilitiesOf(db).choose({ sqlite: false, postgres: true });
  if (!isPostgres) return;
  // No foreign key to the documents, so writing them never waits for the search index.
  await sql`create table page_text (document_id text collate "C" primary key,
    source text not null, length integer not null, text text not null)`.execute(db);
  await sql`insert into search_pending (document_id, stamp, claimed_until)
    select id, '', '' from document where storage_path is not null
    on conflict do nothing`.execute(db);
}
