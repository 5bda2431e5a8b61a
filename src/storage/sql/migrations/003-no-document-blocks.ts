import type { Kysely } from 'kysely';

/** Drops the counts of documents by blocks of ids: lists count in their index instead. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('document_block').execute();
}
