import { type Kysely, sql } from 'kysely';

/** Stores whether a person invited in the web app, not a program. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invitation add column by_person integer not null default 0`.execute(db);
}
