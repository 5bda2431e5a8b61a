import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores who administers the instance, and the audit trail. An entry refers to nothing, so that it
 * outlives what it tells of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`alter table account add column admin_since ${text}`,
    sql`create table audit_entry (
      id ${text} primary key,
      at ${text} not null,
      action ${text} not null,
      actor_id ${text},
      actor_name ${text},
      means ${text} not null,
      means_name ${text},
      address ${text},
      device ${text},
      account_id ${text},
      owner_id ${text},
      document_id ${text},
      subject ${text},
      detail ${text},
      constraint audit_entry_means
        check (means in ('web', 'token', 'application', 'command', 'service'))
    )`,
    sql`create index audit_entry_by_actor_id on audit_entry (actor_id, id)`,
    sql`create index audit_entry_by_account_id on audit_entry (account_id, id)`,
    sql`create index audit_entry_by_owner_id on audit_entry (owner_id, id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
