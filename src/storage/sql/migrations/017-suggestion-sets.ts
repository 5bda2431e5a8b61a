import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores which suggestions were made together, in one sitting of the editor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`alter table thread add column set_id ${text}`.execute(db);
}
