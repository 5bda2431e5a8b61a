import type { Tables } from '../sql/tables.ts';

/** What carrying a table's rows has to know about it. */
export interface Table<Column = string> {
  /** The columns of its primary key. Their order is the order that rows are read in. */
  key: readonly Column[];
  /**
   * Every other column that a unique index has. Rows that exchange such values cannot be changed one
   * after the other.
   */
  unique: readonly Column[];
  /** The column that may be long, and the one that says how many bytes it has. */
  bulk?: { column: Column; bytes: Column };
  /** The column that names a blob. */
  blob?: Column;
}

/**
 * What is made of other tables at need, and therefore not carried but emptied. What is to be indexed
 * for searches is then all there is.
 */
export const DERIVED_TABLES = {
  rendition: { key: ['document_id', 'revision'], unique: [] },
  search_pending: { key: ['document_id'], unique: [] },
} as const satisfies { [T in keyof Tables]?: Table<keyof Tables[T]> };

/**
 * The tables of an installation, each after those it refers to. Whoever adds a table adds it here;
 * test/storage/migrate-data.test.ts holds this list against the schema.
 */
export const TABLES = {
  owner: { key: ['id'], unique: ['type', 'namespace'] },
  released_namespace: { key: ['namespace'], unique: [] },
  account: { key: ['id'], unique: ['email_key'] },
  access_token: { key: ['id'], unique: ['token_hash'] },
  session: { key: ['id'], unique: ['token_hash'] },
  upstream_identity: { key: ['id'], unique: ['issuer', 'subject'] },
  organization: { key: ['id'], unique: [] },
  membership: { key: ['id'], unique: ['organization_id', 'account_id'] },
  organization_invitation: { key: ['id'], unique: ['organization_id', 'target_id'] },
  document: {
    key: ['id'],
    unique: ['owner_id', 'kind', 'name', 'storage_path'],
    bulk: { column: 'content', bytes: 'size_bytes' },
    blob: 'storage_path',
  },
  document_block: { key: ['owner_id', 'first_id', 'kind', 'visibility'], unique: [] },
  revision: { key: ['document_id', 'version'], unique: ['account_id', 'request_key'] },
  revision_text: {
    key: ['document_id', 'last_version'],
    unique: ['storage_path'],
    bulk: { column: 'body', bytes: 'stored_bytes' },
    blob: 'storage_path',
  },
  seen: { key: ['document_id', 'account_id'], unique: [] },
  collaborator: { key: ['id'], unique: ['document_id', 'account_id'] },
  document_invitation: { key: ['id'], unique: ['document_id', 'target_id'] },
  file: { key: ['id'], unique: ['address', 'storage_path'], blob: 'storage_path' },
  signing_key: { key: ['id'], unique: [] },
  oauth_client: { key: ['id'], unique: [] },
  oauth_grant: { key: ['id'], unique: [] },
  oauth_token: { key: ['token_hash'], unique: [] },
  oauth_flow: { key: ['id_hash'], unique: [] },
  oauth_key: { key: ['purpose', 'generation'], unique: [] },
} as const satisfies {
  [T in Exclude<keyof Tables, keyof typeof DERIVED_TABLES>]: Table<keyof Tables[T]>;
};

/** A name, and what there is to know. */
export type NamedTable = readonly [name: string, table: Table];

/** The same, to be walked over. */
export const CARRIED: readonly NamedTable[] = Object.entries(TABLES);
export const DERIVED: readonly NamedTable[] = Object.entries(DERIVED_TABLES);
