import { type RawBuilder, sql } from 'kysely';
import type { Kind } from '../../base/schema/kind.ts';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import { type LibraryRow, libraryRows } from '../../core/document/library-row-store.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';

export interface IndexableRow {
  id: string;
  name: string;
  title: string | null;
  kind: Kind;
  ownerId: string;
  ownerNamespace: string;
  ownerType: OwnerType;
  visibility: Visibility;
  updatedAt: string;
  /** Its beginning; `null` if the blob store has it. */
  content: string | null;
  storagePath: string | null;
}

/** Lists documents with the beginning of their content; deleted ones are left out. */
export async function listIndexable(
  db: Reader,
  ids: string[],
  characters: number,
): Promise<IndexableRow[]> {
  return db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .where('document.id', 'in', ids)
    .select([
      'document.id',
      'document.kind',
      'name',
      'title',
      'owner_id as ownerId',
      'owner.namespace as ownerNamespace',
      'owner_type as ownerType',
      'visibility',
      'updated_at as updatedAt',
      beginning(sql.lit(characters)).as('content'),
      'storage_path as storagePath',
    ])
    .execute();
}

/** Lists the collaborators' ids of documents, by document. */
export async function listCollaboratorIds(
  db: Reader,
  documentIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('collaborator')
    .where('document_id', 'in', documentIds)
    .select(['document_id as documentId', 'account_id as accountId'])
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
      .where('account_id', '=', parameter('accountId'))
      .select(['organization_id as id', 'role'])
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
