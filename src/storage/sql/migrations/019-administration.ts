import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores when somebody last signed in, and why a mail could not be sent. Its indexes find the few
 * accounts that administrators filter for, and the size of what an owner has.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`alter table account add column signed_in_at ${text}`,
    // As far as it is known: sessions that have ended are gone.
    sql`update account set signed_in_at =
      (select max(created_at) from session where session.account_id = account.id)`,
    sql`alter table mail add column fault ${text}`,
    sql`create index account_admins on account (id) where admin_since is not null`,
    sql`create index account_disabled on account (id) where disabled_at is not null`,
    sql`create index account_never_signed_in on account (id) where signed_in_at is null`,
    sql`create index document_by_owner_id_size on stored_document (owner_id, size_bytes, deleted_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
