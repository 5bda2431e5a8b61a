import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Permission } from '../document/access-rules.ts';
import type { DocumentRef } from '../document/document-ref.ts';
import type { ExpirySpan } from './invitation-state.ts';
import { expiresWithin } from './invitation-store.ts';

/** A pending invitation to a document. */
export interface DocumentInvitationRow {
  id: string;
  documentId: string;
  kind: Kind;
  documentName: string;
  ownerNamespace: string;
  targetId: string;
  targetUsername: string;
  permission: Permission;
  invitedBy: string | null;
  /** `null` if the account is gone. */
  invitedByUsername: string | null;
  createdAt: string;
  expiresAt: string;
}

/** Lists a document's pending invitations, newest first, including expired ones. */
export async function listInvitationsOfDocument(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<DocumentInvitationRow>> {
  const rows = invitations(db).where('invitation.document_id', '=', documentId);
  return paginate(rows, 'invitation.id', page);
}

/** Lists a user's pending invitations that expire within `expiry`, newest first. */
export async function listInvitationsOfTarget(
  db: Reader,
  targetId: string,
  expiry: ExpirySpan,
  page: PageRequest,
): Promise<Page<DocumentInvitationRow>> {
  const rows = invitations(db)
    .where('invitation.target_id', '=', targetId)
    .where(expiresWithin(sql.ref('invitation.expires_at'), expiry));
  return paginate(rows, 'invitation.id', page);
}

export async function findInvitation(
  db: Reader,
  id: string,
): Promise<DocumentInvitationRow | undefined> {
  return invitations(db).where('invitation.id', '=', id).executeTakeFirst();
}

/** Finds a user's pending invitation to a document. */
export async function findInvitationOf(
  db: Reader,
  documentId: string,
  targetId: string,
): Promise<DocumentInvitationRow | undefined> {
  return invitations(db)
    .where('invitation.document_id', '=', documentId)
    .where('invitation.target_id', '=', targetId)
    .executeTakeFirst();
}

/** Finds a user's pending invitation to a document by its normalised name. */
export async function findInvitationTo(
  db: Reader,
  { kind, owner, name }: DocumentRef,
  targetId: string,
): Promise<DocumentInvitationRow | undefined> {
  return invitations(db)
    .where('invitation.target_id', '=', targetId)
    .where('owner.namespace', '=', owner)
    .where('document.kind', '=', kind)
    .where('document.name', '=', name)
    .executeTakeFirst();
}

export async function insertInvitation(
  db: Writer,
  invitation: {
    id: string;
    documentId: string;
    targetId: string;
    permission: Permission;
    invitedBy: string;
    createdAt: string;
    expiresAt: string;
  },
): Promise<void> {
  await db
    .insertInto('document_invitation')
    .values({
      id: invitation.id,
      document_id: invitation.documentId,
      target_id: invitation.targetId,
      permission: invitation.permission,
      invited_by: invitation.invitedBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

export async function updateInvitation(
  db: Writer,
  id: string,
  permission: Permission,
): Promise<void> {
  await db.updateTable('document_invitation').set({ permission }).where('id', '=', id).execute();
}

export async function deleteInvitation(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('document_invitation').where('id', '=', id).execute();
}

/** Deletes a user's pending invitations to all documents of an owner. */
export async function deleteInvitationsWith(
  db: Writer,
  ownerId: string,
  targetId: string,
): Promise<void> {
  await db
    .deleteFrom('document_invitation')
    .where('target_id', '=', targetId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('document')
          .whereRef('document.id', '=', 'document_invitation.document_id')
          .where('document.owner_id', '=', ownerId)
          .select('document.id'),
      ),
    )
    .execute();
}

function invitations(db: Reader) {
  return db
    .selectFrom('document_invitation as invitation')
    .innerJoin('document', 'document.id', 'invitation.document_id')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .innerJoin('owner as target', 'target.id', 'invitation.target_id')
    .leftJoin('owner as inviter', 'inviter.id', 'invitation.invited_by')
    .select([
      'invitation.id',
      'invitation.document_id as documentId',
      'document.kind',
      'document.name as documentName',
      'owner.namespace as ownerNamespace',
      'invitation.target_id as targetId',
      'target.namespace as targetUsername',
      'invitation.permission',
      'invitation.invited_by as invitedBy',
      'inviter.namespace as invitedByUsername',
      'invitation.created_at as createdAt',
      'invitation.expires_at as expiresAt',
    ]);
}
