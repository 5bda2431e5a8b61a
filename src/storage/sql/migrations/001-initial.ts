import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * The first schema. What the specification calls invariants are constraints here, so that they
 * hold even where the code above is wrong.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, bytes } = capabilitiesOf(db);
  await db.schema
    .createTable('owner')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('namespace', text, (column) => column.notNull().unique())
    .addUniqueConstraint('owner_id_type', ['id', 'type'])
    .addCheckConstraint('owner_type', sql`type in ('user', 'organization')`)
    .addCheckConstraint(
      'owner_namespace',
      sql`length(namespace) between 1 and 39 and namespace = lower(namespace)
        and namespace not like '-%' and namespace not like '%-' and namespace not like '%--%'`,
    )
    .execute();

  // The pair (id, type) ties a row to an owner of its own type: no id can be a user and an
  // organization at once.
  await db.schema
    .createTable('account')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('type', text, (column) => column.notNull().defaultTo('user'))
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('email_key', text, (column) => column.notNull().unique())
    .addColumn('disabled_at', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addCheckConstraint('account_type', sql`type = 'user'`)
    .addForeignKeyConstraint('account_owner', ['id', 'type'], 'owner', ['id', 'type'], (key) =>
      key.onDelete('cascade'),
    )
    .execute();

  await db.schema
    .createTable('access_token')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text)
    .addColumn('last_used_at', text)
    .addColumn('revoked_at', text)
    .addCheckConstraint('access_token_hash', sql`length(token_hash) = 64`)
    .execute();
  await index(db, 'access_token', ['account_id', 'id']);

  await db.schema
    .createTable('organization')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('type', text, (column) => column.notNull().defaultTo('organization'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('members_can_create', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('default_brief_permission', text, (column) => column.notNull().defaultTo('read'))
    .addColumn('created_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addCheckConstraint('organization_type', sql`type = 'organization'`)
    .addCheckConstraint('organization_members_can_create', sql`members_can_create in (0, 1)`)
    .addCheckConstraint(
      'organization_default_brief_permission',
      sql`default_brief_permission in ('none', 'read', 'write')`,
    )
    .addForeignKeyConstraint('organization_owner', ['id', 'type'], 'owner', ['id', 'type'], (key) =>
      key.onDelete('cascade'),
    )
    .execute();
  await index(db, 'organization', ['created_by']);

  await db.schema
    .createTable('membership')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organization.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('joined_at', text, (column) => column.notNull())
    .addUniqueConstraint('membership_once', ['organization_id', 'account_id'])
    .addCheckConstraint('membership_role', sql`role in ('admin', 'member')`)
    .execute();
  await index(db, 'membership', ['organization_id', 'id']);
  await index(db, 'membership', ['account_id', 'id']);

  await db.schema
    .createTable('organization_invitation')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organization.id').onDelete('cascade'),
    )
    .addColumn('target_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('invited_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addUniqueConstraint('organization_invitation_once', ['organization_id', 'target_id'])
    .addCheckConstraint('organization_invitation_role', sql`role in ('admin', 'member')`)
    .execute();
  await index(db, 'organization_invitation', ['organization_id', 'id']);
  await index(db, 'organization_invitation', ['target_id', 'id']);
  await index(db, 'organization_invitation', ['invited_by']);

  await db.schema
    .createTable('document')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('owner_type', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('updated_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('title', text)
    .addColumn('storage_path', text)
    .addColumn('content', text)
    .addForeignKeyConstraint(
      'document_owner',
      ['owner_id', 'owner_type'],
      'owner',
      ['id', 'type'],
      (key) => key.onDelete('cascade'),
    )
    .addUniqueConstraint('document_name', ['owner_id', 'kind', 'name'])
    .addCheckConstraint('document_kind', sql`kind in ('brief', 'page')`)
    .addCheckConstraint('document_name_length', sql`length(name) between 1 and 100`)
    .addCheckConstraint(
      'document_visibility',
      sql`visibility in ('public', 'private')
        or (visibility = 'internal' and owner_type = 'organization')`,
    )
    .addCheckConstraint('document_version', sql`version >= 1`)
    .addCheckConstraint('document_size', sql`size_bytes >= 0`)
    .addCheckConstraint(
      'document_content',
      sql`(kind = 'brief' and content is not null and storage_path is null)
        or (kind = 'page' and content is null and storage_path is not null)`,
    )
    .execute();
  await db.schema
    .createIndex('document_by_storage_path')
    .unique()
    .on('document')
    .column('storage_path')
    .where('storage_path', 'is not', null)
    .execute();
  await index(db, 'document', ['owner_id', 'kind', 'visibility', 'id']);
  await index(db, 'document', ['owner_id', 'kind', 'id']);
  await index(db, 'document', ['created_by']);
  await index(db, 'document', ['updated_by']);

  await db.schema
    .createTable('collaborator')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('permission', text, (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .addUniqueConstraint('collaborator_once', ['document_id', 'account_id'])
    .addCheckConstraint('collaborator_permission', sql`permission in ('read', 'write', 'admin')`)
    .execute();
  await index(db, 'collaborator', ['document_id', 'id']);
  await index(db, 'collaborator', ['account_id', 'document_id']);

  await db.schema
    .createTable('document_invitation')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('target_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('permission', text, (column) => column.notNull())
    .addColumn('invited_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addUniqueConstraint('document_invitation_once', ['document_id', 'target_id'])
    .addCheckConstraint(
      'document_invitation_permission',
      sql`permission in ('read', 'write', 'admin')`,
    )
    .execute();
  await index(db, 'document_invitation', ['document_id', 'id']);
  await index(db, 'document_invitation', ['target_id', 'id']);
  await index(db, 'document_invitation', ['invited_by']);

  await db.schema
    .createTable('rendition')
    .addColumn('document_id', text, (column) =>
      column.primaryKey().references('document.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('revision', text, (column) => column.notNull())
    .addColumn('html', bytes, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('file')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('address', text, (column) => column.notNull().unique())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('content_type', text, (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('storage_path', text, (column) => column.notNull().unique())
    .addColumn('created_at', text, (column) => column.notNull())
    .addCheckConstraint('file_size', sql`size_bytes >= 0`)
    .execute();
  await index(db, 'file', ['account_id', 'id']);

  await db.schema
    .createTable('signing_key')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
