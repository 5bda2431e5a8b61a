import { batchQueries } from '../../storage/sql/batch-queries.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { insertPending } from '../outbox/search-pending-store.ts';
import { deleteDocument } from './document-write-store.ts';
import { relistLabels, unlistLabels } from './label-store.ts';

/** The columns that a document and its row in the trash share. */
const COLUMNS = [
  'id',
  'kind',
  'owner_id',
  'owner_type',
  'visibility',
  'size_bytes',
  'created_by',
  'created_at',
  'title',
  'storage_path',
  'content',
] as const;

/** The columns that change when a document is restored under another name. */
const VERSIONED = ['name', 'version', 'updated_by', 'updated_at'] as const;

const COLLABORATOR = ['id', 'document_id', 'account_id', 'permission', 'added_at'] as const;

type Deletion = { id: string; deletedBy: string; deletedAt: string };

const documentTrashed = prepared<Deletion, unknown>((db, parameter) =>
  db
    .insertInto('trashed_document')
    .columns([...COLUMNS, ...VERSIONED, 'deleted_by', 'deleted_at'])
    .expression((build) =>
      build
        .selectFrom('document')
        .where('id', '=', parameter('id'))
        .select([
          ...COLUMNS,
          ...VERSIONED,
          parameter('deletedBy').as('deleted_by'),
          parameter('deletedAt').as('deleted_at'),
        ]),
    ),
);

const collaboratorsTrashed = prepared<{ id: string }, unknown>((db, parameter) =>
  db
    .insertInto('trashed_collaborator')
    .columns(COLLABORATOR)
    .expression((build) =>
      build
        .selectFrom('collaborator')
        .where('document_id', '=', parameter('id'))
        .select(COLLABORATOR),
    ),
);

/** Moves a document with its collaborators to the trash. Its revisions stay where they are. */
export async function moveToTrash(db: Writer, deletion: Deletion): Promise<void> {
  const { id } = deletion;
  await batchQueries([
    insertPending(db, id),
    documentTrashed(db, deletion),
    collaboratorsTrashed(db, { id }),
  ]);
  await unlistLabels(db, id);
  await deleteDocument(db, id);
}

/** The name of a restored document, and its last change. */
export interface RestoredName {
  name: string;
  version: number;
  updatedBy: string | null;
  updatedAt: string;
}

/**
 * Moves a document with its collaborators back from the trash. The name must be free.
 *
 * @returns `false` if it is no longer in the trash; then roll back
 */
export async function moveFromTrash(
  db: Writer,
  id: string,
  { name, version, updatedBy, updatedAt }: RestoredName,
): Promise<boolean> {
  await db
    .insertInto('document')
    .columns([...COLUMNS, ...VERSIONED])
    .expression((build) =>
      build
        .selectFrom('trashed_document')
        .where('id', '=', id)
        .select(({ val }) => [
          ...COLUMNS,
          val(name).as('name'),
          val(version).as('version'),
          val(updatedBy).as('updated_by'),
          val(updatedAt).as('updated_at'),
        ]),
    )
    .execute();
  await db
    .insertInto('collaborator')
    .columns(COLLABORATOR)
    .expression((build) =>
      build.selectFrom('trashed_collaborator').where('document_id', '=', id).select(COLLABORATOR),
    )
    .execute();
  const moved = await db
    .deleteFrom('trashed_document')
    .where('id', '=', id)
    .returning('id')
    .execute();
  if (moved.length === 0) return false;
  await relistLabels(db, id);
  await insertPending(db, id);
  return true;
}
