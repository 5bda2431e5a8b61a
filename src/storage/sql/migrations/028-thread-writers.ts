import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores whose words a proposal has beside its author's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table thread_writer (
      thread_id ${text} not null references thread (id) on delete cascade,
      number integer not null,
      account_id ${text} references account (id) on delete set null,
      constraint thread_writer_key primary key (thread_id, number)
    )`,
    sql`create index thread_writer_by_account_id on thread_writer (account_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
