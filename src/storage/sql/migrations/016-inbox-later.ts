import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores until when somebody has put off an entry of their inbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`alter table inbox add column later_until ${text}`.execute(db);
}
