import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores a digest of what is around the passage of a suggestion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`alter table thread add column at_around ${text}`.execute(db);
}
