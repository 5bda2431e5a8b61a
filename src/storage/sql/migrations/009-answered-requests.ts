import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Keeps the answers of requests with an `Idempotency-Key` for all operations, and no longer the keys of
 * writes in their revisions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  const statements = [
    sql`create table answered_request (
      account_id ${text} not null references account (id) on delete cascade,
      request_key ${text} not null,
      request_hash ${text} not null,
      answer ${text},
      at ${text} not null,
      constraint answered_request_key primary key (account_id, request_key)
    ) ${keptWithKey}`,
    sql`create index answered_request_by_at on answered_request (at)`,
    sql`drop index revision_by_account_id_request_key`,
    sql`alter table revision drop column request_key`,
    sql`alter table revision drop column request_hash`,
  ];
  for (const statement of statements) await statement.execute(db);
}
