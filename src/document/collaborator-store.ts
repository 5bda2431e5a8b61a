import type { Page, PageRequest } from '../page.ts';
import { paginate } from '../storage/sql/paginate.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import type { Permission } from './access.ts';

/** A collaborator; `id` is the user's. */
export interface CollaboratorRow {
  id: string;
  username: string;
  permission: Permission;
  addedAt: string;
}

/** One page of a document's collaborators, newest first. */
export async function listCollaborators(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<CollaboratorRow>> {
  const rows = db
    .selectFrom('collaborator')
    .innerJoin('owner', 'owner.id', 'collaborator.account_id')
    .where('collaborator.document_id', '=', documentId)
    .select([
      'collaborator.account_id as id',
      'owner.namespace as username',
      'collaborator.permission',
      'collaborator.added_at as addedAt',
    ]);
  return paginate(rows, 'collaborator.id', page);
}

export async function insertCollaborator(
  db: Writer,
  collaborator: {
    id: string;
    documentId: string;
    accountId: string;
    permission: Permission;
    addedAt: string;
  },
): Promise<void> {
  await db
    .insertInto('collaborator')
    .values({
      id: collaborator.id,
      document_id: collaborator.documentId,
      account_id: collaborator.accountId,
      permission: collaborator.permission,
      added_at: collaborator.addedAt,
    })
    .execute();
}

/** Gives a collaborator another permission; `false` when the user is none. */
export async function updateCollaborator(
  db: Writer,
  documentId: string,
  accountId: string,
  permission: Permission,
): Promise<boolean> {
  const updated = await db
    .updateTable('collaborator')
    .set({ permission })
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Takes a collaborator away; `false` when the user is none. */
export async function deleteCollaborator(
  db: Writer,
  documentId: string,
  accountId: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('collaborator')
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  return deleted.length === 1;
}
