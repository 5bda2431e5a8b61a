import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { insertPending } from '../outbox/search-pending-store.ts';
import type { DocumentRef } from './document-ref.ts';
import type { StoredDocument } from './document-store.ts';
import { touchLabels } from './label-store.ts';

/** A document that an administrator of the instance can take down, or has taken down. */
export type DocumentToTakeDown = RowOf<typeof stored>;

/** A document that is taken down. It may be in the trash. */
export type Takedown = DocumentToTakeDown & { takenDownAt: string; takenDownReason: string };

/** Finds a document by its normalised name, whether it is taken down or not. */
export async function findToTakeDown(
  db: Reader,
  { kind, owner, name }: DocumentRef,
): Promise<DocumentToTakeDown | undefined> {
  return stored(db)
    .where('owner.namespace', '=', owner)
    .where('document.kind', '=', kind)
    .where('document.name', '=', name)
    .where('document.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Finds a document that is taken down, also in the trash. */
export async function findTakedown(db: Reader, id: string): Promise<Takedown | undefined> {
  return takedowns(db).where('document.id', '=', id).executeTakeFirst() as Promise<
    Takedown | undefined
  >;
}

/** Lists what is taken down, the documents' newest first. */
export async function listTakedowns(db: Reader, page: PageRequest): Promise<Page<Takedown>> {
  return paginate(takedowns(db), 'document.id', page) as Promise<Page<Takedown>>;
}

/** Lists what is taken down of an owner, without what is in the trash. */
export async function listTakedownsOf(
  db: Reader,
  ownerId: string,
  page: PageRequest,
): Promise<Page<Takedown>> {
  const rows = takedowns(db)
    .where('document.ownerId', '=', ownerId)
    .where('document.deletedAt', 'is', null);
  return paginate(rows, 'document.id', page) as Promise<Page<Takedown>>;
}

const since = prepared<{ since: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom('stored_document')
    .where(sql<boolean>`"takenDownAt" > ${parameter('since')}`)
    .select('id'),
);

/** Lists the ids of the documents that were taken down after a time. */
export async function listTakenDownSince(db: Reader, time: string): Promise<string[]> {
  return (await since(db, { since: time })).map(({ id }) => id);
}

const latest = prepared<object, { at: string | null }>((db) =>
  db
    .selectFrom('stored_document')
    .where('takenDownAt', 'is not', null)
    .select(({ fn }) => fn.max('takenDownAt').as('at')),
);

/** Returns when the last document was taken down of those that are; '' if none is. */
export async function latestTakedown(db: Reader): Promise<string> {
  return (await latest(db, {}))[0]?.at ?? '';
}

/**
 * Takes a document down, or gives another reason. Not a change of the document: it keeps its version,
 * visibility, links, collaborators and labels, and no event tells of it. The transaction has locked its
 * owner.
 */
export async function storeTakedown(
  db: Writer,
  id: string,
  takedown: { at: string; reason: string } | null,
): Promise<void> {
  await db
    .updateTable('stored_document')
    .set({ takenDownAt: takedown?.at ?? null, takenDownReason: takedown?.reason ?? null })
    .where('id', '=', id)
    .execute();
  await touchLabels(db, id);
  await insertPending(db, id);
}

/** Finds the content of a document that is taken down, also in the trash. */
export async function findTakenDownContent(
  db: Reader,
  id: string,
): Promise<Pick<StoredDocument, 'version' | 'content' | 'storagePath'> | undefined> {
  return db
    .selectFrom('stored_document')
    .where('id', '=', id)
    .where('takenDownAt', 'is not', null)
    .select(['version', 'content', 'storagePath'])
    .executeTakeFirst();
}

function takedowns(db: Reader) {
  return stored(db).where('document.takenDownAt', 'is not', null);
}

function stored(db: Reader) {
  return db
    .selectFrom('stored_document as document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('withdrawn_document as withdrawn', 'withdrawn.documentId', 'document.id')
    .select([
      'document.id',
      'document.kind',
      'document.ownerId',
      'document.ownerType',
      'owner.namespace as ownerNamespace',
      'document.name',
      'document.title',
      'document.visibility',
      // What it is again once its owner's account is enabled; `null` if that isn't disabled.
      'withdrawn.visibility as visibilityBefore',
      'document.deletedAt',
      'document.takenDownAt',
      'document.takenDownReason',
    ]);
}
