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
  const isUnknown = row.actorId === null && row.means === 'web';
  if (row.actorId === accountId || isUnknown) return row;
  return { ...row, meansName: null, address: null, device: null };
}

/**
 * Of a document of somebody else, only what the person did to it is theirs: not what it is called now,
 * which they may not be able to read.
 */
function ownPartOfDocument(row: PersonalRow, accountId: string): PersonalRow {
  if (row.ownerId === accountId) return row;
  const own: PersonalRow = { id: row.id ?? null, kind: row.kind ?? null };
  for (const done of ['created', 'updated', 'deleted']) {
    const [by, at] = [`${done}By`, `${done}At`];
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
    return { id: row.id ?? null, [by]: accountId, createdAt: row.createdAt ?? null };
  };
}

/** What is stored about a person, by table. Documents are exported as files. */
export const PERSONAL: Readonly<Record<string, Personal>> = {
  owner: { by: ['id'] },
  account: { by: ['id'], without: ['emailKey', 'passwordHash'] },
  profile: { by: ['ownerId'] },
  session: { by: ['accountId'], without: ['tokenHash'] },
  access_token: { by: ['accountId'], without: ['tokenHash'] },
  oauth_grant: { by: ['accountId'] },
  upstream_identity: { by: ['accountId'], without: ['sealedTokens'] },
  passkey: { by: ['accountId'] },
  code_generator: { by: ['accountId'], without: ['sealedSecret'] },
  recovery_code: { by: ['accountId'], without: ['codeHash'] },
  mail_preference: { by: ['accountId'] },
  stored_membership: { by: ['accountId'] },
  organization: { by: ['createdBy'], show: ownPartOfCreated('createdBy', 'id') },
  invitation: {
    by: ['recipientId', 'invitedBy'],
    without: ['emailKey', 'tokenHash', 'sealedToken'],
  },
  // Addresses are those of others.
  sign_up_invitation: { by: ['createdBy'], without: ['tokenHash', 'sealedToken', 'email'] },
  collaborator: { by: ['accountId'] },
  stored_document: {
    by: ['ownerId', 'createdBy', 'updatedBy', 'deletedBy'],
    without: ['content'],
    show: ownPartOfDocument,
  },
  document_link: {
    by: ['createdBy'],
    without: ['secretHash', 'sealedSecret', 'passwordHash'],
  },
  file: { by: ['accountId'] },
  webhook: {
    by: ['accountId', 'ownerId'],
    without: ['secret', 'previousSecret'],
    show: ownPartOfCreated('accountId', 'ownerId'),
  },
  revision: { by: ['accountId', 'seenBy'] },
  co_writer: { by: ['accountId'] },
  thread: {
    by: ['accountId', 'assigneeId', 'closedBy', 'seenBy', 'wordsBy'],
    without: ['quote', 'prefix', 'suffix'],
  },
  thread_writer: { by: ['accountId'] },
  comment: { by: ['accountId'] },
  review: { by: ['accountId'] },
  review_request: { by: ['accountId', 'requestedBy', 'appointedBy'] },
  event: { by: ['accountId', 'targetId'] },
  inbox: { by: ['accountId'] },
  watch: { by: ['accountId'] },
  seen: { by: ['accountId'] },
  mail: { by: ['accountId'], without: ['sealedToken'] },
  quota: { by: ['ownerId'] },
  owner_usage: { by: ['ownerId'] },
  stopped_collaborator: { by: ['accountId'] },
  audit_entry: { by: ['actorId', 'accountId'], show: withoutOthersOrigin },
};

/** Tables that name people and are left out, and why. */
export const NOT_PERSONAL: Readonly<Record<string, string>> = {
  answered_request: 'encrypted with keys that aren’t stored, for a day',
  oauth_flow: 'a sign-in with an app that is under way',
  upload_ticket: 'secrets for uploads, for minutes',
  presence: 'says for a minute who is at a document',
  live_change: 'keystrokes of the current sitting, which become revisions',
  live_client: 'counts of those keystrokes, for a month',
  written_span: 'who wrote which characters, counted from the revisions',
  document_alias: 'earlier names of documents',
  document_label: 'labels are in the documents',
  document_reference: 'links are in the documents',
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
