import { type Kysely, sql } from 'kysely';

/** Indexes public documents by id alone, for the site map, which lists those of every owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index document_public_by_id on document (id) where visibility = 'public'`.execute(
    db,
  );
}
