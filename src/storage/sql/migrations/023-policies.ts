import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores what organizations allow, and the outside collaborators who have no access while their
 * organization allows none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table organization_policy (
      organization_id ${text} primary key references organization (id) on delete cascade,
      link_makers ${text} not null,
      outside_inviters ${text} not null,
      public_documents integer not null,
      constraint organization_policy_link_makers
        check (link_makers in ('sharers', 'members', 'admins', 'nobody')),
      constraint organization_policy_outside_inviters
        check (outside_inviters in ('sharers', 'admins', 'nobody')),
      constraint organization_policy_public_documents check (public_documents in (0, 1))
    )`,
    sql`create table stopped_collaborator (
      id ${text} primary key,
      document_id ${text} not null references stored_document (id) on delete cascade,
      account_id ${text} not null references account (id) on delete cascade,
      permission ${text} not null,
      added_at ${text} not null
    )`,
    sql`create unique index stopped_collaborator_by_document
      on stopped_collaborator (document_id, account_id)`,
    sql`create index stopped_collaborator_by_account on stopped_collaborator (account_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
