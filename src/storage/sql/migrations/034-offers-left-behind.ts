import { type Kysely, type RawBuilder, sql } from 'kysely';

/**
 * Deletes the pending invitations and secret links of people who may no longer invite or share there: those
 * who were removed, demoted, or left before these losses ended what they had made. The owner of a document,
 * admins of the organization that owns it, and collaborators with `admin` may share it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, maker] of [
    ['document_invitation', 'invited_by'],
    ['email_invitation', 'invited_by'],
    ['document_link', 'created_by'],
  ] as const) {
    const madeBy = sql.ref(`${table}.${maker}`);
    await sql`delete from ${sql.table(table)}
      where document_id is not null and not exists (
        select 1 from document
        where document.id = ${sql.ref(`${table}.document_id`)} and (
          document.owner_id = ${madeBy}
          or ${isAdmin(sql`document.owner_id`, madeBy)}
          or exists (
            select 1 from collaborator
            where collaborator.document_id = document.id and collaborator.account_id = ${madeBy}
              and collaborator.permission = 'admin')))`.execute(db);
  }
  for (const table of ['organization_invitation', 'email_invitation']) {
    const organization = sql.ref(`${table}.organization_id`);
    await sql`delete from ${sql.table(table)}
      where organization_id is not null
        and not ${isAdmin(organization, sql.ref(`${table}.invited_by`))}`.execute(db);
  }
}

function isAdmin(organization: RawBuilder<unknown>, account: RawBuilder<unknown>) {
  return sql`exists (
    select 1 from membership
    where membership.organization_id = ${organization} and membership.account_id = ${account}
      and membership.role = 'admin')`;
}
