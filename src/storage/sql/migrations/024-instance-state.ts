import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores what is known of the instance itself: when it was last backed up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await sql`create table instance_state (
    name ${text} primary key,
    value ${text} not null
  ) ${keptWithKey}`.execute(db);
}
