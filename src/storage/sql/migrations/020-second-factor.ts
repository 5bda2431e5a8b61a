import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Stores passkeys, one-time codes and recovery codes, when a session last proved who its user is, and
 * which organizations require a second factor. `membership` is now a view of the memberships that
 * count: those of members whom their organization's rule does not shut out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const statements = [
    sql`alter table session add column proven_at ${text}`,
    sql`alter table account add column second_factor_at ${text}`,
    sql`create table passkey (
      id ${text} primary key,
      account_id ${text} not null references account (id) on delete cascade,
      credential_id ${text} not null unique,
      public_key ${text} not null,
      counter bigint not null,
      transports ${text} not null,
      name ${text} not null,
      created_at ${text} not null,
      last_used_at ${text}
    )`,
    sql`create index passkey_by_account_id_id on passkey (account_id, id)`,
    sql`create table code_generator (
      id ${text} primary key,
      account_id ${text} not null unique references account (id) on delete cascade,
      sealed_secret ${text} not null,
      last_step integer not null,
      created_at ${text} not null
    )`,
    sql`create table recovery_code (
      id ${text} primary key,
      account_id ${text} not null references account (id) on delete cascade,
      code_hash ${text} not null,
      created_at ${text} not null,
      used_at ${text},
      constraint recovery_code_once unique (account_id, code_hash)
    )`,
    sql`create table spent_challenge (
      hash ${text} primary key,
      expires_at ${text} not null
    )`,
    sql`create index spent_challenge_by_expires_at on spent_challenge (expires_at)`,
    sql`alter table organization add column second_factor_required integer default 0 not null`,
    sql`alter table membership rename to stored_membership`,
    // Subqueries, because SQLite can't flatten a view of several tables that stands in a left join.
    sql`create view membership as
      select id, organization_id, account_id, role, joined_at from stored_membership
      where not exists (select 1 from organization where organization.id = stored_membership.organization_id
          and organization.second_factor_required = 1)
        or exists (select 1 from account where account.id = stored_membership.account_id
          and account.second_factor_at is not null)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
