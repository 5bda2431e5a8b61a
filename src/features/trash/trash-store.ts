import { type SelectQueryBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Standing } from '../../core/document/access-rules.ts';
import { documents } from '../../core/document/document-store.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** A deleted document with the actor's standing. */
export type TrashedRow = RowOf<typeof trashed> & Standing;

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
    .map((part) => part.select(['document.deletedAt', 'document.id']))
    .map((part) => latestFirst(part).limit(offset + page.size))
    .map((part) => db.selectFrom(part.as('part')).selectAll())
    .reduce((all, part) => all.unionAll(part));
  const shown = latestFirst(db.selectFrom(ids.as('document')))
    .select('document.id')
    .limit(page.size)
    .offset(offset);
  const rows = trashed(db, list.actorId).where('document.id', 'in', shown);
  return { items: await latestFirst(rows).execute(), total };
}

/** Selects what to list, in parts that have no document in common. */
function partsOf(db: Reader, { actorId, organizationId, isAdmin, after }: TrashList) {
  const deleted = db
    .selectFrom('stored_document as document')
    .where('document.deletedAt', '>', after);
  const managed = deleted
    .innerJoin('collaborator', 'collaborator.documentId', 'document.id')
    .where('collaborator.accountId', '=', actorId)
    .where('collaborator.permission', '=', 'admin')
    // Only those who manage it learn of a document that was taken down.
    .where('document.takenDownAt', 'is', null);
  if (organizationId === undefined) {
    return [
      deleted.where('document.ownerId', '=', actorId),
      managed.where('document.ownerId', '<>', actorId),
    ];
  }
  const ofOrganization = ['document.ownerId', '=', organizationId] as const;
  return [isAdmin ? deleted.where(...ofOrganization) : managed.where(...ofOrganization)];
}

function latestFirst<DB extends { document: object }, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
): SelectQueryBuilder<DB, TB, Row> {
  return rows
    .orderBy(sql.ref('document.deletedAt'), 'desc')
    .orderBy(sql.ref('document.id'), 'desc');
}

/** Finds a deleted document, unless it was deleted at `after` or before. */
export async function findTrashed(
  db: Reader,
  { id, actorId, after }: { id: string; actorId: string; after: string },
): Promise<TrashedRow | undefined> {
  return trashed(db, actorId)
    .where('document.id', '=', id)
    .where(sql.ref('document.deletedAt'), '>', after)
    .executeTakeFirst();
}

/** Lists the ids of documents that were deleted at `until` or before. */
export async function listExpired(db: Reader, until: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('stored_document')
    .where('deletedAt', '<=', until)
    .select('id')
    .orderBy('deletedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function trashed(db: Reader, actorId: string) {
  const [deletedAt, deletedBy] = [
    sql.ref<string>('document.deletedAt'),
    sql.ref<string | null>('document.deletedBy'),
  ];
  return (
    documents(db, sql`${actorId}`, 'stored_document as document')
      .leftJoin('owner as deleter', (join) => join.on('deleter.id', '=', deletedBy))
      // An account's id; `null` if the account is gone.
      .select([deletedAt.as('deletedAt'), deletedBy.as('deletedBy')])
      .select('deleter.namespace as deletedByUsername')
  );
}
