import { type RawBuilder, sql } from 'kysely';
import { type LibraryRow, libraryRows } from '../../core/document/library-row-store.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

export type IndexableRow = RowOf<typeof indexable>;

function indexable(db: Reader, ids: string[], characters: number) {
  return db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .where('document.id', 'in', ids)
    .select([
      'document.id',
      'document.kind',
      'name',
      'title',
      'ownerId',
      'owner.namespace as ownerNamespace',
      'ownerType',
      'visibility',
      'updatedAt',
      beginning(sql.lit(characters)).as('content'),
      'storagePath',
    ]);
}

/** Lists documents with the beginning of their content; deleted ones are left out. */
export async function listIndexable(
  db: Reader,
  ids: string[],
  characters: number,
): Promise<IndexableRow[]> {
  return indexable(db, ids, characters).execute();
}

export async function listCollaboratorIds(
  db: Reader,
  documentIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('collaborator')
    .where('documentId', 'in', documentIds)
    .select(['documentId', 'accountId'])
    .orderBy('id')
    .execute();
  const byDocument = Map.groupBy(rows, ({ documentId }) => documentId);
  return new Map([...byDocument].map(([id, found]) => [id, found.map((row) => row.accountId)]));
}

/** An organization that the user belongs to. */
export type ReachableOrganization = { id: string; role: 'admin' | 'member' };

const organizations = prepared<{ accountId: string; limit: number }, ReachableOrganization>(
  (db, parameter) =>
    db
      .selectFrom('membership')
      .where('accountId', '=', parameter('accountId'))
      .select(['organizationId as id', 'role'])
      .orderBy('membership.id', 'desc')
      .limit(parameter('limit')),
);

/** Lists the organizations a user belongs to, the one joined last first. */
export async function listReachableOrganizations(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<readonly ReachableOrganization[]> {
  return organizations(db, { accountId, limit });
}

/**
 * How many of the documents that wait to be indexed are compared, so that many of others cost little.
 */
const MAX_COMPARED = 5_000;

const pending = prepared<{ owners: string; actorId: string; limit: number }, { id: string }>(
  (db, parameter) => {
    const { isAmong, idsIn } = capabilitiesOf(db);
    return db
      .selectFrom((sub) =>
        sub
          .selectFrom('search_pending')
          .select('documentId')
          .limit(sql.lit(MAX_COMPARED))
          .as('pending'),
      )
      .innerJoin('document', 'document.id', 'pending.documentId')
      .where(({ or, exists, selectFrom }) =>
        or([
          isAmong(sql.ref('document.ownerId'), idsIn(parameter('owners'))),
          exists(
            selectFrom('collaborator')
              .whereRef('collaborator.documentId', '=', 'document.id')
              .where('accountId', '=', parameter('actorId'))
              .select('collaborator.id'),
          ),
        ]),
      )
      .select('document.id')
      .limit(parameter('limit'));
  },
);

/**
 * Lists ids of documents that wait to be indexed: those of some owners and those that a user
 * collaborates on.
 */
export async function listReachablePending(
  db: Reader,
  { owners, ...rest }: { owners: readonly string[]; actorId: string; limit: number },
): Promise<string[]> {
  const rows = await pending(db, { owners: JSON.stringify(owners), ...rest });
  return rows.map(({ id }) => id);
}

const found = prepared<{ ids: string; actorId: string }, LibraryRow>((db, parameter) => {
  const { isAmong, idsIn } = capabilitiesOf(db);
  const ids = idsIn(parameter('ids'));
  return libraryRows(db, parameter('actorId')).where(isAmong(sql.ref('document.id'), ids));
});

/** Lists documents as in lists, unordered; deleted ones are left out. */
export async function listFound(
  db: Reader,
  ids: readonly string[],
  actorId: string,
): Promise<readonly LibraryRow[]> {
  return found(db, { ids: JSON.stringify(ids), actorId });
}

/**
 * Lists documents with the beginning of their content, unordered.
 *
 * @param most how many characters of each document to read, by id
 */
export async function listWithContent(
  db: Reader,
  most: ReadonlyMap<string, number>,
  actorId: string,
): Promise<(LibraryRow & { content: string | null })[]> {
  const byLength = [...Map.groupBy(most, ([, characters]) => characters)];
  const characters = byLength.map(
    ([length, documents]) =>
      sql`when document.id in (${sql.join(documents.map(([id]) => id))}) then ${sql.lit(length)}`,
  );
  return libraryRows(db, sql<string>`${actorId}`)
    .where('document.id', 'in', [...most.keys()])
    .select(beginning(sql`case ${sql.join(characters, sql` `)} end`).as('content'))
    .execute();
}

function beginning(characters: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`substr(document.content, 1, ${characters})`;
}
