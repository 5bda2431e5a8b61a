import { type SelectQueryBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { deleteRemains } from '../../core/document/document-remains-store.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A deleted document with the actor's standing. */
export interface TrashedRow extends DocumentRow {
  deletedAt: string;
  /** An account's id; `null` if the account is gone. */
  deletedBy: string | null;
  deletedByUsername: string | null;
}

/** Whose deleted documents to list: an organization's, or those the actor owned or managed. */
export interface TrashList {
  actorId: string;
  organizationId?: string;
  /** Whether the actor manages all of the organization's documents. */
  isAdmin?: boolean;
  /** Only documents that were deleted after this time. */
  after: string;
}

/** Lists a result page of deleted documents, latest deleted first. */
export async function listTrash(
  db: Reader,
  list: TrashList,
  page: PageRequest,
): Promise<Page<TrashedRow>> {
  const parts = partsOf(db, list);
  const counts = await Promise.all(
    parts.map((part) => part.select(({ fn }) => fn.countAll<number>().as('total')).execute()),
  );
  const total = counts.flat().reduce((sum, count) => sum + Number(count.total), 0);
  const offset = offsetOf(page);
  if (offset >= total) return { items: [], total };
  // An index returns an owner's documents latest deleted first.
  const ids = parts
    .map((part) => part.select(['trashed_document.deleted_at', 'trashed_document.id']))
    .map((part) => latestFirst(part).limit(offset + page.size))
    .map((part) => db.selectFrom(part.as('part')).selectAll())
    .reduce((all, part) => all.unionAll(part));
  const shown = latestFirst(db.selectFrom(ids.as('trashed_document')))
    .select('trashed_document.id')
    .limit(page.size)
    .offset(offset);
  const rows = trashed(db, list.actorId).where('trashed_document.id', 'in', shown);
  return { items: await latestFirst(rows).execute(), total };
}

/** Selects what to list, in parts that have no document in common. */
function partsOf(db: Reader, { actorId, organizationId, isAdmin, after }: TrashList) {
  const deleted = db
    .selectFrom('trashed_document')
    .where('trashed_document.deleted_at', '>', after);
  const managed = deleted
    .innerJoin('trashed_collaborator', 'trashed_collaborator.document_id', 'trashed_document.id')
    .where('trashed_collaborator.account_id', '=', actorId)
    .where('trashed_collaborator.permission', '=', 'admin');
  if (organizationId === undefined) {
    return [
      deleted.where('trashed_document.owner_id', '=', actorId),
      managed.where('trashed_document.owner_id', '<>', actorId),
    ];
  }
  const ofOrganization = ['trashed_document.owner_id', '=', organizationId] as const;
  return [isAdmin ? deleted.where(...ofOrganization) : managed.where(...ofOrganization)];
}

function latestFirst<DB extends { trashed_document: object }, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
): SelectQueryBuilder<DB, TB, Row> {
  return rows
    .orderBy(sql.ref('trashed_document.deleted_at'), 'desc')
    .orderBy(sql.ref('trashed_document.id'), 'desc');
}

/** Finds a deleted document, unless it was deleted at `after` or before. */
export async function findTrashed(
  db: Reader,
  { id, actorId, after }: { id: string; actorId: string; after: string },
): Promise<TrashedRow | undefined> {
  return trashed(db, actorId)
    .where('trashed_document.id', '=', id)
    .where('trashed_document.deleted_at', '>', after)
    .executeTakeFirst();
}

/** Lists the ids of documents that were deleted at `until` or before. */
export async function listExpired(db: Reader, until: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('trashed_document')
    .where('deleted_at', '<=', until)
    .select('id')
    .orderBy('deleted_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes documents in the trash for good, with their revisions. Skips those that are no longer in
 * the trash.
 *
 * @returns how many were deleted, and the blob keys of their texts
 */
export async function deleteTrashed(
  db: Writer,
  ids: readonly string[],
): Promise<{ count: number; storagePaths: (string | null)[] }> {
  if (ids.length === 0) return { count: 0, storagePaths: [] };
  const deleted = await db
    .deleteFrom('trashed_document')
    .where('id', 'in', ids)
    .returning(['id', 'storage_path as storagePath'])
    .execute();
  const replaced = await deleteRemains(
    db,
    deleted.map(({ id }) => id),
  );
  const current = deleted.map(({ storagePath }) => storagePath);
  return { count: deleted.length, storagePaths: [...current, ...replaced] };
}

/** Removes a user from the collaborators of every deleted document of an owner. */
export async function deleteTrashedCollaborationsWith(
  db: Writer,
  ownerId: string,
  accountId: string,
): Promise<void> {
  const documents = db.selectFrom('trashed_document').where('owner_id', '=', ownerId).select('id');
  await db
    .deleteFrom('trashed_collaborator')
    .where('account_id', '=', accountId)
    .where('document_id', 'in', documents)
    .execute();
}

function trashed(db: Reader, actorId: string) {
  return db
    .selectFrom('trashed_document')
    .innerJoin('owner', 'owner.id', 'trashed_document.owner_id')
    .leftJoin('organization', 'organization.id', 'trashed_document.owner_id')
    .leftJoin('owner as deleter', 'deleter.id', 'trashed_document.deleted_by')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'trashed_document.owner_id')
        .on('membership.account_id', '=', actorId),
    )
    .leftJoin('trashed_collaborator', (join) =>
      join
        .onRef('trashed_collaborator.document_id', '=', 'trashed_document.id')
        .on('trashed_collaborator.account_id', '=', actorId),
    )
    .select(({ val }) => [
      'trashed_document.id',
      'trashed_document.kind',
      'trashed_document.name',
      'trashed_document.visibility',
      'trashed_document.version',
      'trashed_document.size_bytes as sizeBytes',
      'trashed_document.created_by as createdBy',
      'trashed_document.updated_by as updatedBy',
      'trashed_document.created_at as createdAt',
      'trashed_document.updated_at as updatedAt',
      'trashed_document.owner_id as ownerId',
      'trashed_document.owner_type as ownerType',
      'owner.namespace as ownerNamespace',
      'trashed_document.title',
      'trashed_document.storage_path as storagePath',
      'membership.role',
      'trashed_collaborator.permission',
      'organization.default_brief_permission as defaultBriefPermission',
      val(actorId).as('actorId'),
      'trashed_document.deleted_at as deletedAt',
      'trashed_document.deleted_by as deletedBy',
      'deleter.namespace as deletedByUsername',
    ]);
}
