import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Permission } from './access-rules.ts';

/** A collaborator; `id` is the user's. */
export type CollaboratorRow = RowOf<typeof collaborators>;

function collaborators(db: Reader, documentId: string) {
  return db
    .selectFrom('collaborator')
    .innerJoin('owner', 'owner.id', 'collaborator.accountId')
    .where('collaborator.documentId', '=', documentId)
    .select([
      'collaborator.accountId as id',
      'owner.namespace as username',
      'collaborator.permission',
      'collaborator.addedAt',
    ]);
}

/** Lists a document's collaborators, newest first. */
export async function listCollaborators(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<CollaboratorRow>> {
  return paginate(collaborators(db, documentId), 'collaborator.id', page);
}

export type NewCollaborator = Row<'collaborator'>;

const inserted = prepared<NewCollaborator, unknown>((db, parameter) =>
  db
    .insertInto('collaborator')
    .columns(['id', 'documentId', 'accountId', 'permission', 'addedAt'])
    .expression((build) =>
      build
        .selectFrom('document')
        .select([
          parameter('id').as('id'),
          'document.id as documentId',
          parameter('accountId').as('accountId'),
          parameter('permission').as('permission'),
          parameter('addedAt').as('addedAt'),
        ])
        .where('document.id', '=', parameter('documentId')),
    ),
);

/** Adds a collaborator to a document, if it exists. */
export async function insertCollaborator(db: Writer, collaborator: NewCollaborator): Promise<void> {
  await inserted(db, collaborator);
}

/** Changes a collaborator's permission; `false` if the user isn't one. */
export async function updateCollaborator(
  db: Writer,
  documentId: string,
  accountId: string,
  permission: Permission,
): Promise<boolean> {
  const updated = await db
    .updateTable('collaborator')
    .set({ permission })
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Removes a collaborator; `false` if the user isn't one. */
export async function deleteCollaborator(
  db: Writer,
  documentId: string,
  accountId: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('collaborator')
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Counts an owner's documents that a user collaborates on. */
export async function countCollaborationsWith(
  db: Reader,
  ownerId: string,
  accountId: string,
): Promise<number> {
  const { documents } = await db
    .selectFrom('collaborator')
    .innerJoin('document', 'document.id', 'collaborator.documentId')
    .where('collaborator.accountId', '=', accountId)
    .where('document.ownerId', '=', ownerId)
    .select((builder) => builder.fn.countAll<number>().as('documents'))
    .executeTakeFirstOrThrow();
  return Number(documents);
}

/**
 * Removes a user from the collaborators of all documents of an owner, including deleted ones, and from
 * those whose access its policies have stopped.
 */
export async function deleteCollaborationsWith(
  db: Writer,
  ownerId: string,
  accountId: string,
): Promise<void> {
  const documents = db
    .selectFrom('stored_document')
    .where('ownerId', '=', ownerId)
    .select('id')
    .$castTo<string>();
  for (const table of ['collaborator', 'stopped_collaborator'] as const) {
    await db
      .deleteFrom(table)
      .where('accountId', '=', accountId)
      .where('documentId', 'in', documents)
      .execute();
  }
}
