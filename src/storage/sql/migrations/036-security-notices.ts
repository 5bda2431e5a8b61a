import { domainToASCII } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds mails about the security of an account. They have no account, so that they survive its deletion, but
 * say themselves what to send to whom. SQLite can't change a constraint, so the queue is created again. Also
 * compares addresses by the ASCII form of their domain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  const indexes = ['by_due_at', 'by_account_id', 'one_digest', 'one_verification'];
  for (const index of indexes) await db.schema.dropIndex(`mail_${index}`).execute();
  await db.schema.alterTable('mail').renameTo('mail_before').execute();
  await db.schema
    .createTable('mail')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('document_id', text)
    .addColumn('position', 'integer')
    .addColumn('invitation_id', text)
    .addColumn('sealed_token', text)
    .addColumn('notice', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('due_at', text, (column) => column.notNull())
    .addColumn('claimed_until', text)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addCheckConstraint('mail_kind', sql`kind in ${KINDS}`)
    .addCheckConstraint(
      'mail_subject',
      sql`(kind in ('document_invitation', 'organization_invitation', 'email_invitation'))
          = (invitation_id is not null)
        and (kind in ('mention', 'review', 'answer')) = (document_id is not null)
        and (kind in ('mention', 'review', 'answer', 'digest')) = (position is not null)
        and (kind in ('email_invitation', 'security')) = (account_id is null)
        and (kind = 'email_invitation') = (sealed_token is not null)
        and (kind = 'security') = (notice is not null)`,
    )
    .execute();
  await sql`insert into mail (id, account_id, kind, document_id, position, invitation_id, sealed_token, created_at,
      due_at, claimed_until, attempts)
    select id, account_id, kind, document_id, position, invitation_id, sealed_token, created_at, due_at,
      claimed_until, attempts from mail_before`.execute(db);
  await db.schema.dropTable('mail_before').execute();
  await db.schema.createIndex('mail_by_due_at').on('mail').columns(['due_at', 'id']).execute();
  await db.schema
    .createIndex('mail_by_account_id')
    .on('mail')
    .columns(['account_id', 'document_id'])
    .execute();
  for (const kind of ['digest', 'verification']) {
    await db.schema
      .createIndex(`mail_one_${kind}`)
      .unique()
      .on('mail')
      .column('account_id')
      .where(sql.ref('kind'), '=', sql.lit(kind))
      .execute();
  }
  await compareDomainsInAscii(db);
}

/** Leaves an address as it is if another account has its ASCII form. */
async function compareDomainsInAscii(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; email: string }>`
    select id, email from account where octet_length(email) <> length(email)`.execute(db);
  for (const { id, email } of rows) {
    const [, local, domain = ''] = /^([^@]+)@([^@]+)$/.exec(email) ?? [];
    const ascii = domainToASCII(domain);
    if (!local || ascii === '') continue;
    const key = `${local}@${ascii}`.toLowerCase();
    await sql`update account set email_key = ${key} where id = ${id}
      and not exists (select 1 from account as other where other.email_key = ${key})`.execute(db);
  }
}

const KINDS = sql`(
  'document_invitation', 'organization_invitation', 'email_invitation', 'mention', 'review', 'answer', 'digest',
  'verification', 'security'
)`;
