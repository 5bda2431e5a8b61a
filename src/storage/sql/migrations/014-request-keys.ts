import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** A write remembers the `Idempotency-Key` of its request, so that a repeated request is recognised. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  for (const column of ['request_key', 'request_hash']) {
    await db.schema.alterTable('revision').addColumn(column, text).execute();
  }
  await db.schema
    .createIndex('revision_by_account_id_request_key')
    .unique()
    .on('revision')
    .columns(['account_id', 'request_key'])
    .where('request_key', 'is not', null)
    .execute();
}
