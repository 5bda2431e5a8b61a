import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores how many changes of each editor its document has taken, which outlives the list of changes,
 * and which changes put a version in place of a newer one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table live_client (
      document_id ${text} not null references stored_document (id) on delete cascade,
      client_id ${text} not null,
      account_id ${text} not null references account (id) on delete cascade,
      taken integer not null,
      at ${text} not null,
      constraint live_client_key primary key (document_id, client_id)
    )`,
    sql`create index live_client_by_account_id on live_client (account_id)`,
    sql`create index live_client_by_at on live_client (at)`,
    sql`alter table live_change add column replaces integer default 0 not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
