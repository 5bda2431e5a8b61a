import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds the queue of mails and what each user wants mailed. A mail refers to documents, invitations and
 * events by id alone: what is gone when the mail is due isn't mailed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
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
        and (invitation_id is null) = (position is not null)`,
    )
    .execute();
  await db.schema.createIndex('mail_by_due_at').on('mail').columns(['due_at', 'id']).execute();
  await db.schema
    .createIndex('mail_by_account_id')
    .on('mail')
    .columns(['account_id', 'document_id'])
    .execute();
  await db.schema
    .createIndex('mail_one_digest')
    .unique()
    .on('mail')
    .column('account_id')
    .where(sql.ref('kind'), '=', sql.lit('digest'))
    .execute();
  await db.schema
    .createTable('mail_preference')
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('topic', text, (column) => column.notNull())
    .addColumn('is_on', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_preference_key', ['account_id', 'topic'])
    .addCheckConstraint(
      'mail_preference_topic',
      sql`topic in ('invitation', 'mention', 'review', 'answer', 'digest')`,
    )
    .addCheckConstraint('mail_preference_is_on', sql`is_on in (0, 1)`)
    .modifyEnd(keptWithKey)
    .execute();
}

const KINDS = sql`(
  'document_invitation', 'organization_invitation', 'mention', 'review', 'answer', 'digest'
)`;
