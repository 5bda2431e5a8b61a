import { type Kysely, sql } from 'kysely';

/** Finds entries of the audit trail by their time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create index audit_entry_by_at on audit_entry (at)`,
    sql`create index audit_entry_by_account_at on audit_entry (account_id, at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
