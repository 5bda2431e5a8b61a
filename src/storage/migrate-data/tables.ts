import type { Tables } from '../sql/tables.ts';

/** Describes a table for copying. */
export interface Table<Column = string> {
  /** The primary key's columns, which also order the rows. */
  key: readonly Column[];
  /**
   * All other columns with a unique index. Rows that swapped such values cannot be updated one by
   * one.
   */
  unique: readonly Column[];
  /** The column with large values, and the column with their size in bytes. */
  bulk?: { column: Column; bytes: Column };
  /** The column with a blob key. */
  blob?: Column;
}

/**
 * Tables that are derived from others, or whose rows last a minute. They are emptied, not copied;
 * then all documents are queued for the search index.
 */
export const DERIVED_TABLES = {
  rendition: { key: ['document_id', 'revision'], unique: [] },
  search_pending: { key: ['document_id'], unique: [] },
  editing: { key: ['document_id', 'session_id'], unique: [] },
} as const satisfies { [T in keyof Tables]?: Table<keyof Tables[T]> };

/**
 * All other tables, each after those it refers to. test/storage/migrate-data.test.ts compares this
 * list with the schema.
 */
export const TABLES = {
  owner: { key: ['id'], unique: ['type', 'namespace'] },
  released_namespace: { key: ['namespace'], unique: [] },
  account: { key: ['id'], unique: ['email_key'] },
  access_token: { key: ['id'], unique: ['token_hash'] },
  session: { key: ['id'], unique: ['token_hash'] },
  upstream_identity: { key: ['id'], unique: ['issuer', 'subject'] },
  organization: { key: ['id'], unique: [] },
  profile: {
    key: ['owner_id'],
    unique: [],
    bulk: { column: 'picture', bytes: 'picture_bytes' },
  },
  membership: { key: ['id'], unique: ['organization_id', 'account_id'] },
  organization_invitation: { key: ['id'], unique: ['organization_id', 'target_id'] },
  document: {
    key: ['id'],
    unique: ['owner_id', 'kind', 'name', 'storage_path'],
    bulk: { column: 'content', bytes: 'size_bytes' },
    blob: 'storage_path',
  },
  document_alias: { key: ['owner_id', 'kind', 'name'], unique: [] },
  protected_address: { key: ['owner_id', 'kind', 'name'], unique: [] },
  document_label: { key: ['document_id', 'key'], unique: [] },
  label_count: { key: ['owner_id', 'key', 'kind', 'visibility'], unique: [] },
  pinned_document: { key: ['document_id'], unique: [] },
  revision: { key: ['document_id', 'version'], unique: ['account_id', 'request_key'] },
  revision_text: {
    key: ['document_id', 'last_version'],
    unique: ['storage_path'],
    bulk: { column: 'body', bytes: 'stored_bytes' },
    blob: 'storage_path',
  },
  seen: { key: ['document_id', 'account_id'], unique: [] },
  event: { key: ['id'], unique: ['position'] },
  feed: { key: ['id'], unique: [] },
  inbox: { key: ['account_id', 'position'], unique: [] },
  watch: { key: ['document_id', 'account_id'], unique: [] },
  review_setting: { key: ['document_id'], unique: [] },
  thread: { key: ['id'], unique: [] },
  proposal: {
    key: ['thread_id'],
    unique: ['storage_path'],
    bulk: { column: 'body', bytes: 'stored_bytes' },
    blob: 'storage_path',
  },
  comment: { key: ['id'], unique: [] },
  review_request: { key: ['document_id', 'account_id'], unique: [] },
  review: { key: ['id'], unique: [] },
  mail: { key: ['id'], unique: ['account_id'] },
  unsubscribed_address: { key: ['address_hash'], unique: [] },
  mail_preference: { key: ['account_id', 'topic'], unique: [] },
  webhook: { key: ['id'], unique: [] },
  webhook_delivery: { key: ['id'], unique: [] },
  collaborator: { key: ['id'], unique: ['document_id', 'account_id'] },
  document_invitation: { key: ['id'], unique: ['document_id', 'target_id'] },
  email_invitation: {
    key: ['id'],
    unique: ['token_hash', 'document_id', 'organization_id', 'email_key'],
  },
  document_link: { key: ['id'], unique: ['secret_hash'] },
  trashed_document: {
    key: ['id'],
    unique: ['storage_path'],
    bulk: { column: 'content', bytes: 'size_bytes' },
    blob: 'storage_path',
  },
  trashed_collaborator: { key: ['id'], unique: ['document_id', 'account_id'] },
  file: { key: ['id'], unique: ['address', 'storage_path'], blob: 'storage_path' },
  signing_key: { key: ['id'], unique: [] },
  oauth_client: { key: ['id'], unique: [] },
  oauth_grant: { key: ['id'], unique: [] },
  upload_ticket: { key: ['id'], unique: ['secret_hash'] },
  oauth_token: { key: ['token_hash'], unique: [] },
  oauth_flow: { key: ['id_hash'], unique: [] },
  oauth_key: { key: ['purpose', 'generation'], unique: [] },
} as const satisfies {
  [T in Exclude<keyof Tables, keyof typeof DERIVED_TABLES>]: Table<keyof Tables[T]>;
};

export type NamedTable = readonly [name: string, table: Table];

export const COPIED: readonly NamedTable[] = Object.entries(TABLES);
export const DERIVED: readonly NamedTable[] = Object.entries(DERIVED_TABLES);
