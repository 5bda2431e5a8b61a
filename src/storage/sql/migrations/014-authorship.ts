import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores which parts of a revision others than its author wrote, who wrote each part of a text, as far
 * as that was computed, and the first revision of the sitting that an event tells of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table written_span (
      document_id ${text} not null,
      version integer not null,
      start integer not null,
      length integer not null,
      account_id ${text} references account (id) on delete set null,
      via ${text},
      via_name ${text},
      constraint written_span_key primary key (document_id, version, start),
      foreign key (document_id, version) references revision (document_id, version) on delete cascade
    )`,
    sql`create index written_span_by_account_id on written_span (account_id)`,
    sql`create table authorship (
      document_id ${text} not null references stored_document (id) on delete cascade,
      version integer not null,
      spans ${text} not null,
      constraint authorship_key primary key (document_id, version)
    )`,
    sql`alter table event add column first_version integer`,
  ];
  for (const statement of statements) await statement.execute(db);
}
