import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Stores which tokens and applications reach an organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const users = (column: string) => sql`alter table organization_policy
    add column ${sql.ref(column)} ${text} default 'anyone' not null
    check (${sql.ref(column)} in ('anyone', 'members', 'admins', 'nobody'))`;
  const statements = [
    users('token_holders'),
    users('app_users'),
    sql`alter table organization_policy
      add column program_days integer check (program_days between 1 and 365)`,
    // Almost always empty, so that a request learns at once that there are no such policies.
    sql`create index organization_policy_of_programs on organization_policy (organization_id)
      where token_holders <> 'anyone' or app_users <> 'anyone' or program_days is not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
