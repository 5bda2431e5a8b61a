import { sql } from 'kysely';
import { describeTables, type TableSchema } from '../../storage/sql/schema.ts';
import type { Reader } from '../../storage/sql/sql.ts';

type Value = string | number | Uint8Array | null;

/** A row, by column. */
export type PersonalRow = Record<string, Value>;

/** Which rows of a table are about a person. */
interface Personal {
  /** The columns that have the person's id. */
  by: readonly string[];
  /** The columns that are left out: secrets, and what others wrote. */
  without?: readonly string[];
  /** Leaves out of a row what is about somebody else. */
  show?(row: PersonalRow, accountId: string): PersonalRow;
}

/** Where others were who did something to an account is theirs. */
function withoutOthersOrigin(row: PersonalRow, accountId: string): PersonalRow {
  const isUnknown = row.actor_id === null && row.means === 'web';
  if (row.actor_id === accountId || isUnknown) return row;
  return { ...row, means_name: null, address: null, device: null };
}

/**
 * Of a document of somebody else, only what the person did to it is theirs: not what it is called now,
 * which they may not be able to read.
 */
function ownPartOfDocument(row: PersonalRow, accountId: string): PersonalRow {
  if (row.owner_id === accountId) return row;
  const own: PersonalRow = { id: row.id ?? null, kind: row.kind ?? null };
  for (const done of ['created', 'updated', 'deleted']) {
    const [by, at] = [`${done}_by`, `${done}_at`];
    if (row[by] !== accountId) continue;
    own[by] = accountId;
    own[at] = row[at] ?? null;
  }
  return own;
}

/** Of what belongs to an organization, only that the person created it: others may have changed it. */
function ownPartOfCreated(by: string, owner: string) {
  return (row: PersonalRow, accountId: string): PersonalRow => {
    if (row[owner] === accountId) return row;
    return { id: row.id ?? null, [by]: accountId, created_at: row.created_at ?? null };
  };
}

/** What is stored about a person, by table. Documents are exported as files. */
export const PERSONAL: Readonly<Record<string, Personal>> = {
  owner: { by: ['id'] },
  account: { by: ['id'], without: ['email_key', 'password_hash'] },
  profile: { by: ['owner_id'] },
  session: { by: ['account_id'], without: ['token_hash'] },
  access_token: { by: ['account_id'], without: ['token_hash'] },
  oauth_grant: { by: ['account_id'] },
  upstream_identity: { by: ['account_id'] },
  passkey: { by: ['account_id'] },
  code_generator: { by: ['account_id'], without: ['sealed_secret'] },
  recovery_code: { by: ['account_id'], without: ['code_hash'] },
  mail_preference: { by: ['account_id'] },
  stored_membership: { by: ['account_id'] },
  organization: { by: ['created_by'], show: ownPartOfCreated('created_by', 'id') },
  invitation: {
    by: ['recipient_id', 'invited_by'],
    without: ['email_key', 'token_hash', 'sealed_token'],
  },
  // Addresses are those of others.
  sign_up_invitation: { by: ['created_by'], without: ['token_hash', 'sealed_token', 'email'] },
  collaborator: { by: ['account_id'] },
  stored_document: {
    by: ['owner_id', 'created_by', 'updated_by', 'deleted_by'],
    without: ['content'],
    show: ownPartOfDocument,
  },
  document_link: {
    by: ['created_by'],
    without: ['secret_hash', 'sealed_secret', 'password_hash'],
  },
  file: { by: ['account_id'] },
  webhook: {
    by: ['account_id', 'owner_id'],
    without: ['secret', 'previous_secret'],
    show: ownPartOfCreated('account_id', 'owner_id'),
  },
  revision: { by: ['account_id', 'seen_by'] },
  co_writer: { by: ['account_id'] },
  thread: {
    by: ['account_id', 'assignee_id', 'closed_by', 'seen_by', 'words_by'],
    without: ['quote', 'prefix', 'suffix'],
  },
  thread_writer: { by: ['account_id'] },
  comment: { by: ['account_id'] },
  review: { by: ['account_id'] },
  review_request: { by: ['account_id', 'requested_by', 'appointed_by'] },
  event: { by: ['account_id', 'target_id'] },
  inbox: { by: ['account_id'] },
  watch: { by: ['account_id'] },
  seen: { by: ['account_id'] },
  mail: { by: ['account_id'], without: ['sealed_token'] },
  quota: { by: ['owner_id'] },
  owner_usage: { by: ['owner_id'] },
  stopped_collaborator: { by: ['account_id'] },
  audit_entry: { by: ['actor_id', 'account_id'], show: withoutOthersOrigin },
};

/** Tables that name people and are left out, and why. */
export const NOT_PERSONAL: Readonly<Record<string, string>> = {
  answered_request: 'encrypted with keys that aren’t stored, for a day',
  oauth_flow: 'a sign-in with an app that is under way',
  upload_ticket: 'secrets for uploads, for minutes',
  mcp_subscription: 'of open connections',
  presence: 'says for a minute who is at a document',
  live_change: 'keystrokes of the current sitting, which become revisions',
  live_client: 'counts of those keystrokes, for a month',
  written_span: 'who wrote which characters, counted from the revisions',
  document_alias: 'earlier names of documents',
  document_label: 'labels are in the documents',
  document_reference: 'links are in the documents',
  label_count: 'how many documents have a label',
  pinned_document: 'which documents stand first; they are in the export of documents',
  protected_address: 'which addresses are protected',
};

const ROWS_AT_ONCE = 500;

/** Described once in a process: it takes milliseconds in which nothing else runs. */
let described: ReturnType<typeof describeTables> | undefined;

async function findTable(table: string): Promise<TableSchema | undefined> {
  described ??= describeTables();
  return (await described).find(({ name }) => name === table);
}

/** Lists the rows of one table that are about a person, in the order of its key, some at a time. */
export async function* personalRows(
  db: Reader,
  accountId: string,
  table: string,
): AsyncGenerator<PersonalRow[]> {
  const found = await findTable(table);
  const { by, without = [], show } = PERSONAL[table] ?? { by: [] };
  if (!found || by.length === 0) return;
  const key = sql.join(found.key.map((column) => sql.ref(column)));
  const isTheirs = sql.join(
    by.map((column) => sql`${sql.ref(column)} = ${accountId}`),
    sql` or `,
  );
  const left = found.columns.filter((column) => !without.includes(column));
  const columns = sql.join([...new Set([...left, ...found.key])].map((column) => sql.ref(column)));
  let last: PersonalRow | undefined;
  for (;;) {
    const values = last && sql.join(found.key.map((column) => last?.[column]));
    const isAfter = values ? sql`and (${key}) > (${values})` : sql``;
    const { rows } = await sql<PersonalRow>`select ${columns} from ${sql.table(table)}
      where (${isTheirs}) ${isAfter} order by ${key} limit ${ROWS_AT_ONCE}`.execute(db);
    if (rows.length === 0) return;
    yield show ? rows.map((row) => show(row, accountId)) : rows;
    last = rows.at(-1);
  }
}
