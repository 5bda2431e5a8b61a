import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

interface EmailInvitation {
  id: string;
  email: string;
  /** The address in the form used for comparisons. */
  emailKey: string;
  /** The document's owner, or the organization. */
  ownerNamespace: string;
  invitedBy: string | null;
  /** `null` if the account is gone. */
  invitedByUsername: string | null;
  createdAt: string;
  expiresAt: string;
}

/** A pending invitation of an address to a document. */
export interface InvitationToDocument extends EmailInvitation {
  documentId: string;
  kind: Kind;
  documentName: string;
  permission: Permission;
}

/** A pending invitation of an address to an organization. */
export interface InvitationToOrganization extends EmailInvitation {
  documentId: null;
  organizationId: string;
  organizationName: string;
  role: Role;
}

export type EmailInvitationRow = InvitationToDocument | InvitationToOrganization;

/** The document or organization that an address is invited to. */
export type InvitedTo =
  | { documentId: string; permission: Permission }
  | { organizationId: string; role: Role };

/** Names the document or the organization. */
export type Inviting = { documentId: string } | { organizationId: string };

/**
 * Lists the pending invitations to a document or an organization, newest first, expired ones
 * included.
 */
export async function listEmailInvitationsTo<To extends Inviting>(
  db: Reader,
  to: To,
  page: PageRequest,
): Promise<
  Page<To extends { documentId: string } ? InvitationToDocument : InvitationToOrganization>
> {
  const rows = invitations(db).where(columnOf(to), '=', idOf(to));
  return paginate(rows, 'invitation.id', page) as never;
}

/** Counts the pending invitations to a document or an organization, expired ones included. */
export async function countEmailInvitationsTo(db: Reader, to: Inviting): Promise<number> {
  const { pending } = await db
    .selectFrom('email_invitation as invitation')
    .where(columnOf(to), '=', idOf(to))
    .select((builder) => builder.fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow();
  return Number(pending);
}

export async function findEmailInvitation(
  db: Reader,
  id: string,
): Promise<EmailInvitationRow | undefined> {
  return one(invitations(db).where('invitation.id', '=', id));
}

export async function findEmailInvitationByHash(
  db: Reader,
  tokenHash: string,
): Promise<EmailInvitationRow | undefined> {
  return one(invitations(db).where('invitation.token_hash', '=', tokenHash));
}

/** Finds the pending invitation of an address to a document or an organization. */
export async function findEmailInvitationOf(
  db: Reader,
  to: Inviting,
  emailKey: string,
): Promise<EmailInvitationRow | undefined> {
  const rows = invitations(db).where(columnOf(to), '=', idOf(to));
  return one(rows.where('invitation.email_key', '=', emailKey));
}

export async function insertEmailInvitation(
  db: Writer,
  invitation: {
    id: string;
    tokenHash: string;
    email: string;
    emailKey: string;
    to: InvitedTo;
    invitedBy: string;
    createdAt: string;
    expiresAt: string;
  },
): Promise<void> {
  const { to } = invitation;
  const toDocument = 'documentId' in to;
  await db
    .insertInto('email_invitation')
    .values({
      id: invitation.id,
      token_hash: invitation.tokenHash,
      email: invitation.email,
      email_key: invitation.emailKey,
      document_id: toDocument ? to.documentId : null,
      permission: toDocument ? to.permission : null,
      organization_id: toDocument ? null : to.organizationId,
      role: toDocument ? null : to.role,
      invited_by: invitation.invitedBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

export async function deleteEmailInvitation(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('email_invitation').where('id', '=', id).execute();
}

/** Deletes the invitations that expired by a time. @returns how many */
export async function deleteExpiredEmailInvitations(db: Writer, by: string): Promise<number> {
  const deleted = await db
    .deleteFrom('email_invitation')
    .where('expires_at', '<=', by)
    .returning('id')
    .execute();
  return deleted.length;
}

function columnOf(to: Inviting) {
  return 'documentId' in to ? 'invitation.document_id' : 'invitation.organization_id';
}

function idOf(to: Inviting): string {
  return 'documentId' in to ? to.documentId : to.organizationId;
}

/** Returns the first row. A check constraint makes each row one of the two kinds. */
async function one(rows: ReturnType<typeof invitations>): Promise<EmailInvitationRow | undefined> {
  return (await rows.executeTakeFirst()) as EmailInvitationRow | undefined;
}

function invitations(db: Reader) {
  return db
    .selectFrom('email_invitation as invitation')
    .leftJoin('document', 'document.id', 'invitation.document_id')
    .leftJoin('organization', 'organization.id', 'invitation.organization_id')
    .innerJoin('owner', (join) =>
      join.on('owner.id', '=', sql<string>`coalesce(document.owner_id, organization.id)`),
    )
    .leftJoin('owner as inviter', 'inviter.id', 'invitation.invited_by')
    .select([
      'invitation.id',
      'invitation.email',
      'invitation.email_key as emailKey',
      'owner.namespace as ownerNamespace',
      'invitation.document_id as documentId',
      'document.kind',
      'document.name as documentName',
      'invitation.permission',
      'invitation.organization_id as organizationId',
      'organization.name as organizationName',
      'invitation.role',
      'invitation.invited_by as invitedBy',
      'inviter.namespace as invitedByUsername',
      'invitation.created_at as createdAt',
      'invitation.expires_at as expiresAt',
    ]);
}
