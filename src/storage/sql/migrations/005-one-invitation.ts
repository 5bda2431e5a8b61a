import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Keeps all invitations in one table: to a document or an organization, of an account or an email
 * address. Ids stay, because queued mails and the API name them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`create table invitation (
      id ${text} primary key,
      document_id ${text} references stored_document (id) on delete cascade,
      organization_id ${text} references organization (id) on delete cascade,
      level ${text} not null,
      recipient_id ${text} references account (id) on delete cascade,
      email ${text},
      email_key ${text},
      token_hash ${text} unique,
      invited_by ${text} references account (id) on delete set null,
      created_at ${text} not null,
      expires_at ${text} not null,
      constraint invitation_target check ((document_id is null) <> (organization_id is null)),
      constraint invitation_level check ((document_id is not null and level in ('read', 'write', 'admin'))
        or (organization_id is not null and level in ('admin', 'member'))),
      constraint invitation_recipient check ((recipient_id is null) <> (email is null)
        and (email is null) = (email_key is null) and (email is null) = (token_hash is null)),
      constraint invitation_of_account_to_document unique (document_id, recipient_id),
      constraint invitation_of_address_to_document unique (document_id, email_key),
      constraint invitation_of_account_to_organization unique (organization_id, recipient_id),
      constraint invitation_of_address_to_organization unique (organization_id, email_key)
    )`,
    sql`insert into invitation (id, document_id, level, recipient_id, invited_by, created_at, expires_at)
      select id, document_id, permission, target_id, invited_by, created_at, expires_at
      from document_invitation`,
    sql`insert into invitation (id, organization_id, level, recipient_id, invited_by, created_at, expires_at)
      select id, organization_id, role, target_id, invited_by, created_at, expires_at
      from organization_invitation`,
    sql`insert into invitation (id, document_id, organization_id, level, email, email_key, token_hash,
        invited_by, created_at, expires_at)
      select id, document_id, organization_id, coalesce(permission, role), email, email_key, token_hash,
        invited_by, created_at, expires_at
      from email_invitation`,
    sql`drop table document_invitation`,
    sql`drop table organization_invitation`,
    sql`drop table email_invitation`,
    sql`create index invitation_by_document_id_id on invitation (document_id, id)`,
    sql`create index invitation_by_organization_id_id on invitation (organization_id, id)`,
    sql`create index invitation_by_recipient_id_id on invitation (recipient_id, id)`,
    sql`create index invitation_by_invited_by on invitation (invited_by)`,
    sql`create index invitation_of_address_by_expires_at on invitation (expires_at)
      where email_key is not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
