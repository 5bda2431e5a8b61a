import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores who is at a document, in place of who edits it. Without foreign keys, because rows count
 * for a minute: those of what is gone are never found, and writing them locks nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`drop table editing`.execute(db);
  await sql`create table presence (
    document_id ${text} not null,
    key ${text} not null,
    account_id ${text} not null,
    session_id ${text},
    via ${text} not null,
    via_name ${text},
    doing ${text} not null,
    line integer,
    at ${text} not null,
    constraint presence_key primary key (document_id, key)
  )`.execute(db);
}
