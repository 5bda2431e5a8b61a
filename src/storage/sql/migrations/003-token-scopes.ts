import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Tokens that may not be used for everything. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('access_token').addColumn('scopes', capabilitiesOf(db).text).execute();
}
