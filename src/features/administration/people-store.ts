import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { holdingPrefix } from './prefix.ts';

/** Which accounts to list. */
export const PEOPLE_FILTERS = [
  'all',
  'admins',
  'disabled',
  'new',
  'unverified',
  'singleFactor',
  'unlinked',
] as const;
export type PeopleFilter = (typeof PEOPLE_FILTERS)[number];

/** An account, as administrators see it. */
export type PersonRow = RowOf<typeof people>;

/** The most names, and the most addresses, with a prefix that a search considers. */
const LOOKED_THROUGH = 5_000;

/**
 * Lists accounts, newest first. Counts and skips ids only, in their index.
 *
 * @param which.prefix what the username or the address begins with, in lower case
 */
export async function listPeopleRows(
  db: Reader,
  { filter, prefix }: { filter: PeopleFilter; prefix?: string | undefined },
  page: PageRequest,
): Promise<Page<PersonRow>> {
  const ids = db
    .selectFrom('account')
    .select('account.id')
    .$if(filter === 'admins', (rows) => rows.where('account.adminSince', 'is not', null))
    .$if(filter === 'disabled', (rows) => rows.where('account.disabledAt', 'is not', null))
    .$if(filter === 'new', (rows) => rows.where('account.signedInAt', 'is', null))
    .$if(filter === 'unverified', (rows) => rows.where('account.emailVerifiedAt', 'is', null))
    .$if(filter === 'singleFactor', (rows) => rows.where('account.secondFactorAt', 'is', null))
    .$if(filter === 'unlinked', (rows) =>
      rows.where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('upstream_identity as identity')
              .whereRef('identity.accountId', '=', 'account.id')
              .select('identity.id'),
          ),
        ),
      ),
    )
    .$if(prefix !== undefined, (rows) => {
      const [from, to] = holdingPrefix(prefix as string);
      const named = db
        .selectFrom('owner')
        .where('namespace', '>=', from)
        .where('namespace', '<', to)
        .select('id')
        .orderBy('namespace')
        .limit(LOOKED_THROUGH);
      const addressed = db
        .selectFrom('account')
        .where('emailKey', '>=', from)
        .where('emailKey', '<', to)
        .select('id')
        .orderBy('emailKey')
        .limit(LOOKED_THROUGH);
      return rows.where((is) =>
        is.or([
          is('account.id', 'in', db.selectFrom(named.as('named')).select('id')),
          is('account.id', 'in', db.selectFrom(addressed.as('addressed')).select('id')),
        ]),
      );
    });
  const { items, total } = await paginate(ids, 'account.id', page);
  if (items.length === 0) return { items: [], total };
  const found = items.map(({ id }) => id);
  const rows = people(db).where('account.id', 'in', found).orderBy('account.id', 'desc');
  return { items: await rows.execute(), total };
}

/** Finds the account with a username (normalised). */
export async function findPersonRow(db: Reader, username: string): Promise<PersonRow | undefined> {
  return people(db).where('owner.namespace', '=', username).executeTakeFirst();
}

function people(db: Reader) {
  return db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .select([
      'account.id',
      'owner.namespace as username',
      'account.email',
      'account.emailVerifiedAt',
      'account.createdAt',
      'account.signedInAt',
      'account.adminSince',
      'account.secondFactorAt',
      'account.disabledAt',
      'account.refusedAt',
    ]);
}

/** What an owner stores, in bytes. Texts count uncompressed where they are current. */
export interface Usage {
  /** How many documents, without those in the trash. */
  documents: number;
  /** Current texts. */
  currentBytes: number;
  /** The current texts of documents in the trash. */
  trashBytes: number;
  /** Older texts, as they are stored. */
  historyBytes: number;
  fileBytes: number;
}

/** Adds up what each of some owners, at most 100, stores. */
export async function listUsage(
  db: Reader,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, Usage>> {
  const usage = new Map<string, Usage>(
    ownerIds.map((id) => [
      id,
      { documents: 0, currentBytes: 0, trashBytes: 0, historyBytes: 0, fileBytes: 0 },
    ]),
  );
  if (ownerIds.length === 0) return usage;
  const add = (
    rows: readonly { id: string; documents?: unknown; bytes: unknown }[],
    to: keyof Usage,
  ) => {
    for (const { id, documents, bytes } of rows) {
      const one = usage.get(id) as Usage;
      one[to] += Number(bytes ?? 0);
      if (to === 'currentBytes') one.documents += Number(documents ?? 0);
    }
  };
  const documents = db
    .selectFrom('stored_document')
    .where('ownerId', 'in', ownerIds)
    .groupBy('ownerId')
    .select(({ fn }) => [
      'ownerId as id',
      fn.countAll<number>().as('documents'),
      fn.sum<number>('sizeBytes').as('bytes'),
    ]);
  const history = db
    .selectFrom('revision_text')
    .innerJoin('stored_document as document', 'document.id', 'revision_text.documentId')
    .where('document.ownerId', 'in', ownerIds)
    .groupBy('document.ownerId')
    .select(({ fn }) => [
      'document.ownerId as id',
      fn.sum<number>('revision_text.storedBytes').as('bytes'),
    ]);
  const files = db
    .selectFrom('file')
    .where('accountId', 'in', ownerIds)
    .groupBy('accountId')
    .select(({ fn }) => ['accountId as id', fn.sum<number>('sizeBytes').as('bytes')]);
  add(await documents.where('deletedAt', 'is', null).execute(), 'currentBytes');
  add(await documents.where('deletedAt', 'is not', null).execute(), 'trashBytes');
  add(await history.execute(), 'historyBytes');
  add(await files.execute(), 'fileBytes');
  return usage;
}

/** A document as administrators see it: never its text or its title. */
export interface SizedDocument {
  kind: Kind;
  name: string;
  visibility: 'public' | 'private' | 'internal';
  isTakenDown: boolean;
  /** Bytes of the current text. */
  bytes: number;
}

/** Lists an owner's largest documents, without those in the trash. */
export async function listLargestDocuments(
  db: Reader,
  ownerId: string,
  limit: number,
): Promise<SizedDocument[]> {
  const rows = await db
    .selectFrom('stored_document')
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .select(['kind', 'name', 'visibility', 'takenDownAt', 'sizeBytes as bytes'])
    .orderBy('sizeBytes', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ takenDownAt, ...row }) => ({ ...row, isTakenDown: takenDownAt !== null }));
}

/** How somebody can sign in to the web app. */
export interface WaysIn {
  password: boolean;
  /** The OpenID provider. */
  provider: boolean;
  passkeys: number;
}

/** Finds how a user can sign in, whether or not the instance still accepts it. */
export async function findPersonWaysIn(db: Reader, accountId: string): Promise<WaysIn> {
  const { password, identities, passkeys } = await db
    .selectFrom('account')
    .where('account.id', '=', accountId)
    .select(({ selectFrom, fn }) => [
      'account.passwordHash as password',
      selectFrom('upstream_identity')
        .where('accountId', '=', accountId)
        .select(fn.countAll<number>().as('n'))
        .as('identities'),
      selectFrom('passkey')
        .where('accountId', '=', accountId)
        .select(fn.countAll<number>().as('n'))
        .as('passkeys'),
    ])
    .executeTakeFirstOrThrow();
  return {
    password: password !== null,
    provider: Number(identities) > 0,
    passkeys: Number(passkeys),
  };
}

/** Counts a user's sessions that are valid at a time. */
export async function countSessions(db: Reader, accountId: string, now: string): Promise<number> {
  const { sessions } = await db
    .selectFrom('session')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .executeTakeFirstOrThrow();
  return Number(sessions);
}

/** Revokes all tokens of a user that work. @returns how many */
export async function revokeAllTokens(db: Writer, accountId: string, at: string): Promise<number> {
  const revoked = await db
    .updateTable('access_token')
    .set({ revokedAt: at })
    .where('accountId', '=', accountId)
    .where('revokedAt', 'is', null)
    .returning('id')
    .execute();
  return revoked.length;
}

/** Deletes stored pages that show a user's name: of their documents, and those they last changed. */
export async function deleteRenditionsNaming(db: Writer, accountId: string): Promise<void> {
  for (const column of ['ownerId', 'updatedBy'] as const) {
    const documents = db.selectFrom('stored_document').where(column, '=', accountId).select('id');
    await db.deleteFrom('rendition').where('documentId', 'in', documents).execute();
  }
}

/** What has been created per day, in UTC, since the first of the days. */
export interface CreatedPerDay {
  day: string;
  accounts: number;
  documents: number;
}

/** How much there is in all. */
export interface Totals {
  accounts: number;
  organizations: number;
  documents: number;
  revisions: number;
  files: number;
  /** Of the database, with its indexes. */
  databaseBytes: number;
  /** Of HTML pages, long texts and uploaded files in the blob store. */
  blobBytes: number;
}

/** Counts everything. Reads whole indexes and tables, so it isn't for every request. */
export async function countTotals(db: Reader): Promise<Totals> {
  const count = async (table: 'account' | 'organization' | 'document' | 'revision' | 'file') => {
    const { n } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  const bytes = async (query: { execute(): Promise<{ n: unknown }[]> }) =>
    Number((await query.execute())[0]?.n ?? 0);
  const stored = db
    .selectFrom('stored_document')
    .where('storagePath', 'is not', null)
    .select(({ fn }) => fn.sum<number>('sizeBytes').as('n'));
  const older = db
    .selectFrom('revision_text')
    .where('storagePath', 'is not', null)
    .select(({ fn }) => fn.sum<number>('storedBytes').as('n'));
  const proposed = db
    .selectFrom('proposal')
    .where('storagePath', 'is not', null)
    .select(({ fn }) => fn.sum<number>('sizeBytes').as('n'));
  const files = db.selectFrom('file').select(({ fn }) => fn.sum<number>('sizeBytes').as('n'));
  const size = capabilitiesOf(db).choose({
    sqlite: sql<{ n: number }>`select page_count * page_size as n
      from pragma_page_count(), pragma_page_size()`,
    postgres: sql<{ n: number }>`select pg_database_size(current_database()) as n`,
  });
  const { rows } = await size.execute(db);
  const blobs = [
    await bytes(stored),
    await bytes(older),
    await bytes(proposed),
    await bytes(files),
  ];
  return {
    accounts: await count('account'),
    organizations: await count('organization'),
    documents: await count('document'),
    revisions: await count('revision'),
    files: await count('file'),
    databaseBytes: Number(rows[0]?.n ?? 0),
    blobBytes: blobs.reduce((sum, each) => sum + each, 0),
  };
}

/**
 * Counts accounts and documents by the day on which they were created. Documents that were deleted
 * for good are missing.
 *
 * @param sinceId the smallest id that counts: ids begin with the time of their creation
 */
export async function countCreated(
  db: Reader,
  sinceId: string,
): Promise<Map<string, { accounts: number; documents: number }>> {
  const days = new Map<string, { accounts: number; documents: number }>();
  for (const [table, what] of [
    ['account', 'accounts'],
    ['stored_document', 'documents'],
  ] as const) {
    const day = sql<string>`substr("createdAt", 1, 10)`;
    const rows = await db
      .selectFrom(table)
      .where('id', '>=', sinceId)
      .groupBy(day)
      .select(({ fn }) => [day.as('day'), fn.countAll<number>().as('n')])
      .execute();
    for (const { day: on, n } of rows) {
      const one = days.get(on) ?? { accounts: 0, documents: 0 };
      one[what] = Number(n);
      days.set(on, one);
    }
  }
  return days;
}
