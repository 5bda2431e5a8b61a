import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores which documents hosts subscribe to in sessions of MCP versions before 2026-07-28. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table mcp_subscription (
      account_id ${text} not null references account (id) on delete cascade,
      session_id ${text} not null,
      uri ${text} not null,
      position integer not null,
      expires_at ${text} not null,
      constraint mcp_subscription_key primary key (account_id, session_id, uri)
    )`,
    sql`create index mcp_subscription_by_expires_at on mcp_subscription (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
