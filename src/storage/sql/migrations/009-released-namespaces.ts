import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Adds the namespaces of deleted users and organizations, which stay reserved for a while. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('released_namespace')
    .addColumn('namespace', text, (column) => column.primaryKey())
    .addColumn('released_at', text, (column) => column.notNull())
    .execute();
}
