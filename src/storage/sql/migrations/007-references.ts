import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores which documents a document links to, by the names that it uses. Queues all documents for
 * the index, which reads their texts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  const statements = [
    sql`create table document_reference (
      document_id ${text} not null references stored_document (id) on delete cascade,
      owner_id ${text} not null,
      kind ${text} not null,
      name ${text} not null,
      constraint document_reference_key primary key (document_id, owner_id, kind, name)
    ) ${keptWithKey}`,
    sql`create index document_reference_by_target
      on document_reference (owner_id, kind, name, document_id)`,
    sql`insert into search_pending (document_id, stamp, claimed_until)
      select id, 'references', '' from stored_document where deleted_at is null
      on conflict (document_id) do nothing`,
  ];
  for (const statement of statements) await statement.execute(db);
}
