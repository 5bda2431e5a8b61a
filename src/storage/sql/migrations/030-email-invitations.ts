import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds invitations that are mailed to an address, and the addresses that want none. Such a mail has no
 * account, so the queue's column becomes nullable. SQLite can't change a constraint, so the queue is created
 * again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('email_invitation')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('email_key', text, (column) => column.notNull())
    .addColumn('document_id', text, (column) =>
      column.references('document.id').onDelete('cascade'),
    )
    .addColumn('permission', text)
    .addColumn('organization_id', text, (column) =>
      column.references('organization.id').onDelete('cascade'),
    )
    .addColumn('role', text)
    .addColumn('invited_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addCheckConstraint(
      'email_invitation_to',
      sql`(document_id is null) <> (organization_id is null)
        and (document_id is null) = (permission is null)
        and (organization_id is null) = (role is null)`,
    )
    .addCheckConstraint(
      'email_invitation_permission',
      sql`permission in ('read', 'write', 'admin')`,
    )
    .addCheckConstraint('email_invitation_role', sql`role in ('admin', 'member')`)
    .execute();
  for (const columns of [
    ['document_id', 'email_key'],
    ['organization_id', 'email_key'],
  ]) {
    await db.schema
      .createIndex(`email_invitation_by_${columns.join('_')}`)
      .unique()
      .on('email_invitation')
      .columns(columns)
      .execute();
  }
  for (const column of ['invited_by', 'expires_at']) {
    await db.schema
      .createIndex(`email_invitation_by_${column}`)
      .on('email_invitation')
      .column(column)
      .execute();
  }
  await db.schema
    .createTable('unsubscribed_address')
    .addColumn('address_hash', text, (column) => column.primaryKey())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await createQueueAgain(db, text);
}

async function createQueueAgain(db: Kysely<unknown>, text: Text): Promise<void> {
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
        and (kind = 'email_invitation') = (account_id is null)
        and (kind = 'email_invitation') = (sealed_token is not null)`,
    )
    .execute();
  await sql`insert into mail (id, account_id, kind, document_id, position, invitation_id, created_at, due_at,
      claimed_until, attempts)
    select id, account_id, kind, document_id, position, invitation_id, created_at, due_at, claimed_until,
      attempts from mail_before`.execute(db);
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
}

type Text = ReturnType<typeof capabilitiesOf>['text'];

const KINDS = sql`(
  'document_invitation', 'organization_invitation', 'email_invitation', 'mention', 'review', 'answer', 'digest',
  'verification'
)`;
