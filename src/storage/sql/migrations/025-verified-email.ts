import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds when an account's email address was verified, and a kind of mail for that. SQLite can't change a
 * constraint, so the queue is created again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema.alterTable('account').addColumn('email_verified_at', text).execute();

  for (const index of ['mail_by_due_at', 'mail_by_account_id', 'mail_one_digest']) {
    await db.schema.dropIndex(index).execute();
  }
  await db.schema.alterTable('mail').renameTo('mail_before').execute();
  await db.schema
    .createTable('mail')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('document_id', text)
    .addColumn('position', 'integer')
    .addColumn('invitation_id', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('due_at', text, (column) => column.notNull())
    .addColumn('claimed_until', text)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addCheckConstraint('mail_kind', sql`kind in ${KINDS}`)
    .addCheckConstraint(
      'mail_subject',
      sql`(kind in ('document_invitation', 'organization_invitation')) = (invitation_id is not null)
        and (kind in ('mention', 'review', 'answer')) = (document_id is not null)
        and (kind in ('mention', 'review', 'answer', 'digest')) = (position is not null)`,
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

const KINDS = sql`(
  'document_invitation', 'organization_invitation', 'mention', 'review', 'answer', 'digest', 'verification'
)`;
