import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Keeps which visibility the documents of a disabled account had. While it is disabled they are
 * private, those of accounts that are disabled already, too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  const disabled = sql`select id from account where disabled_at is not null`;
  const statements = [
    sql`create table withdrawn_document (
      document_id ${text} primary key references stored_document (id) on delete cascade,
      visibility ${text} not null,
      constraint withdrawn_document_visibility check (visibility in ('public', 'internal'))
    ) ${keptWithKey}`,
    sql`insert into withdrawn_document (document_id, visibility)
      select id, visibility from stored_document
      where owner_id in (${disabled}) and visibility <> 'private'`,
    sql`update stored_document set visibility = 'private'
      where id in (select document_id from withdrawn_document)`,
    sql`update document_label set visibility = 'private'
      where visibility is not null and document_id in (select document_id from withdrawn_document)`,
    sql`delete from label_count where owner_id in (${disabled})`,
    sql`insert into label_count (owner_id, key, kind, visibility, documents)
      select owner_id, key, kind, visibility, count(*) from document_label
      where owner_id in (${disabled}) and visibility is not null
      group by owner_id, key, kind, visibility`,
    sql`insert into search_pending (document_id, stamp, claimed_until)
      select document_id, 'withdrawn', '' from withdrawn_document
      where document_id not in (select document_id from search_pending)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
