import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Finds entries of the audit trail by their time. Stores what each owner may have, where that differs
 * from the settings, and counts what each has.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create index audit_entry_by_at on audit_entry (at)`,
    sql`create index audit_entry_by_account_at on audit_entry (account_id, at)`,
    sql`create table quota (
      owner_id ${text} not null references owner (id) on delete cascade,
      name ${text} not null,
      amount bigint,
      primary key (owner_id, name)
    )`,
    sql`create table owner_usage (
      owner_id ${text} primary key references owner (id) on delete cascade,
      documents bigint not null,
      bytes bigint not null,
      file_bytes bigint not null,
      day_start ${text} not null,
      day_documents bigint not null
    )`,
    sql`insert into owner_usage
      select owner.id,
        (select count(*) from stored_document
          where stored_document.owner_id = owner.id and deleted_at is null),
        (select coalesce(sum(size_bytes), 0) from stored_document
          where stored_document.owner_id = owner.id)
        + (select coalesce(sum(stored_bytes), 0) from revision_text
            join stored_document on stored_document.id = revision_text.document_id
            where stored_document.owner_id = owner.id)
        + (select coalesce(sum(size_bytes), 0) from file where file.account_id = owner.id),
        (select coalesce(sum(size_bytes), 0) from file where file.account_id = owner.id),
        '', 0
      from owner`,
  ];
  for (const statement of statements) await statement.execute(db);
}
