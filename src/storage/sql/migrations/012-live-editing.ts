import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores the numbered changes of documents that are being edited, which become revisions from time
 * to time, everyone who wrote a revision, and in which lines it was merged by words.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table live_document (
      document_id ${text} primary key references stored_document (id) on delete cascade,
      list_id ${text} not null,
      last_number integer not null,
      text_number integer not null,
      text_version integer not null,
      seen_version integer not null,
      sitting_id ${text},
      unsaved_since ${text},
      changed_at ${text} not null
    )`,
    sql`create index live_document_by_changed_at on live_document (changed_at)`,
    sql`create table live_change (
      document_id ${text} not null references live_document (document_id) on delete cascade,
      number integer not null,
      client_id ${text} not null,
      account_id ${text} references account (id) on delete set null,
      via ${text},
      via_name ${text},
      changes ${text} not null,
      version integer,
      at ${text} not null,
      constraint live_change_key primary key (document_id, number)
    )`,
    sql`create index live_change_by_account_id on live_change (account_id)`,
    sql`create table co_writer (
      document_id ${text} not null,
      version integer not null,
      account_id ${text} not null references account (id) on delete cascade,
      constraint co_writer_key primary key (document_id, version, account_id),
      foreign key (document_id, version) references revision (document_id, version) on delete cascade
    )`,
    sql`create index co_writer_by_account_id on co_writer (account_id)`,
    sql`alter table revision add column sitting_id ${text}`,
    sql`alter table revision add column word_lines ${text}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
