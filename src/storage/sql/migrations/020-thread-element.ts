import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Adds the element of a page that a thread is about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema.alterTable('thread').addColumn('element', text).execute();
}
