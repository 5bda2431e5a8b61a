import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores secret links sealed, so that who may create them can copy them again, with the hash of a
 * password; and the sealed tokens of invitations whose link the inviter passes on. What was made
 * before can't be shown again: only its hash is stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`alter table document_link add column sealed_secret ${text}`,
    sql`alter table document_link add column password_hash ${text}`,
    sql`alter table invitation add column sealed_token ${text}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
