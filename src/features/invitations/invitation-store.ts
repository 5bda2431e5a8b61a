import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { INVITER_ENABLED } from '../../core/identity/account-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { ExpirySpan } from './invitation-state.ts';

/** What someone is invited to: a document, with the permission there. */
export interface ToDocument {
  documentId: string;
  kind: Kind;
  documentName: string;
  level: Permission;
}

/** What someone is invited to: an organization, with the role there. */
export interface ToOrganization {
  documentId: null;
  organizationId: string;
  organizationName: string;
  level: Role;
}

/** Who is invited: a user. */
export interface OfUser {
  recipientId: string;
  recipientUsername: string;
  email: null;
}

/** Who is invited: whoever has the link that was made for an address. */
export interface OfAddress {
  recipientId: null;
  email: string;
  /** The address in the form used for comparisons. */
  emailKey: string;
  /** The sealed token of a link that the inviter passes on; `null` if the link was mailed. */
  sealedToken: string | null;
}

/** A pending invitation. It may have expired. */
export type Invitation<
  To extends ToDocument | ToOrganization = ToDocument | ToOrganization,
  Of extends OfUser | OfAddress = OfUser | OfAddress,
> = To &
  Of & {
    id: string;
    /** The document's owner, or the organization. */
    ownerNamespace: string;
    ownerId: string;
    invitedBy: string | null;
    /** Whether they gave the level in the web app: 1 or 0. */
    isByPerson: number;
    /** `null` if the account is gone. */
    invitedByUsername: string | null;
    createdAt: string;
    expiresAt: string;
  };

/** The document or the organization that someone is invited to. */
export type Target = { documentId: string } | { organizationId: string };

/** The user, or the compared form of the address, who is invited. */
export type Recipient = { userId: string } | { emailKey: string };

type To<T extends Target> = T extends { documentId: string } ? ToDocument : ToOrganization;
type Of<R extends Recipient> = R extends { userId: string } ? OfUser : OfAddress;

/** The invitations of one of the two kinds of recipients. */
export interface OfRecipients {
  users: OfUser;
  addresses: OfAddress;
}

/** The invitations to one of the two kinds of targets. */
export interface ToTargets {
  documents: ToDocument;
  organizations: ToOrganization;
}

/** Lists the invitations of users, or of addresses, to a target, newest first. */
export async function listInvitationsTo<T extends Target, R extends keyof OfRecipients>(
  db: Reader,
  target: T,
  recipients: R,
  page: PageRequest,
): Promise<Page<Invitation<To<T>, OfRecipients[R]>>> {
  const column = recipients === 'users' ? 'invitation.recipientId' : 'invitation.emailKey';
  const rows = invitations(db).where(isTo(target)).where(column, 'is not', null);
  return paginate(rows, 'invitation.id', page) as never;
}

export async function countInvitedAddresses(db: Reader, target: Target): Promise<number> {
  const { pending } = await db
    .selectFrom('invitation')
    .where(isTo(target))
    .where('invitation.emailKey', 'is not', null)
    .select((builder) => builder.fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow();
  return Number(pending);
}

/**
 * Lists a user's invitations that expire within `expiry`, newest first, without those of disabled
 * accounts, which can't be accepted.
 */
export async function listInvitationsOf<T extends keyof ToTargets>(
  db: Reader,
  userId: string,
  targets: T,
  expiry: ExpirySpan,
  page: PageRequest,
): Promise<Page<Invitation<ToTargets[T], OfUser>>> {
  const column = targets === 'documents' ? 'invitation.documentId' : 'invitation.organizationId';
  let rows = invitations(db)
    .where('invitation.recipientId', '=', userId)
    .where(column, 'is not', null)
    .where('invitation.expiresAt', '>', expiry.after)
    .where(INVITER_ENABLED);
  if (expiry.until !== undefined) rows = rows.where('invitation.expiresAt', '<=', expiry.until);
  return paginate(rows, 'invitation.id', page) as never;
}

export async function findInvitation(db: Reader, id: string): Promise<Invitation | undefined> {
  return one(invitations(db).where('invitation.id', '=', id));
}

/** Finds the invitation of an address whose link has a token with this hash. */
export async function findInvitationByToken(
  db: Reader,
  tokenHash: string,
): Promise<Invitation<ToDocument | ToOrganization, OfAddress> | undefined> {
  return one(invitations(db).where('invitation.tokenHash', '=', tokenHash));
}

/** Finds the invitation of a user or an address to a target. */
export async function findInvitationOf<T extends Target, R extends Recipient>(
  db: Reader,
  target: T,
  recipient: R,
): Promise<Invitation<To<T>, Of<R>> | undefined> {
  return one(invitations(db).where(isTo(target)).where(isOf(recipient)));
}

/** Finds a user's invitation to a document by its normalised name. */
export async function findInvitationTo(
  db: Reader,
  { kind, owner, name }: DocumentRef,
  userId: string,
): Promise<Invitation<ToDocument, OfUser> | undefined> {
  return one(
    invitations(db)
      .where('invitation.recipientId', '=', userId)
      .where('owner.namespace', '=', owner)
      .where('document.kind', '=', kind)
      .where('document.name', '=', name),
  );
}

export async function insertInvitation(
  db: Writer,
  invitation: {
    id: string;
    to: Target;
    level: Permission | Role;
    recipient:
      | { userId: string }
      | { emailKey: string; email: string; tokenHash: string; sealedToken: string | null };
    invitedBy: string;
    isByPerson: boolean;
    createdAt: string;
    expiresAt: string;
  },
): Promise<void> {
  const { to, recipient } = invitation;
  const address = 'emailKey' in recipient ? recipient : undefined;
  await db
    .insertInto('invitation')
    .values({
      id: invitation.id,
      documentId: 'documentId' in to ? to.documentId : null,
      organizationId: 'organizationId' in to ? to.organizationId : null,
      level: invitation.level,
      recipientId: 'userId' in recipient ? recipient.userId : null,
      email: address?.email ?? null,
      emailKey: address?.emailKey ?? null,
      tokenHash: address?.tokenHash ?? null,
      sealedToken: address?.sealedToken ?? null,
      invitedBy: invitation.invitedBy,
      byPerson: invitation.isByPerson ? 1 : 0,
      createdAt: invitation.createdAt,
      expiresAt: invitation.expiresAt,
    })
    .execute();
}

export async function updateInvitation(
  db: Writer,
  id: string,
  level: Permission | Role,
  isByPerson: boolean,
): Promise<void> {
  const byPerson = isByPerson ? 1 : 0;
  await db.updateTable('invitation').set({ level, byPerson }).where('id', '=', id).execute();
}

export async function deleteInvitation(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('invitation').where('id', '=', id).execute();
}

/** Deletes the invitation of a user or an address to a target, if there is one. */
export async function deleteInvitationOf(
  db: Writer,
  target: Target,
  recipient: Recipient,
): Promise<void> {
  await db.deleteFrom('invitation').where(isTo(target)).where(isOf(recipient)).execute();
}

/** Deletes a user's invitations to all documents of an owner. */
export async function deleteInvitationsWith(
  db: Writer,
  ownerId: string,
  userId: string,
): Promise<void> {
  await db
    .deleteFrom('invitation')
    .where('recipientId', '=', userId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('stored_document')
          .whereRef('stored_document.id', '=', 'invitation.documentId')
          .where('stored_document.ownerId', '=', ownerId)
          .select('stored_document.id'),
      ),
    )
    .execute();
}

/** Deletes the invitations of addresses that expired by a time. @returns how many */
export async function deleteExpiredAddresses(db: Writer, by: string): Promise<number> {
  const deleted = await db
    .deleteFrom('invitation')
    .where('emailKey', 'is not', null)
    .where('expiresAt', '<=', by)
    .returning('id')
    .execute();
  return deleted.length;
}

function isTo(target: Target) {
  return 'documentId' in target
    ? sql<boolean>`invitation."documentId" = ${target.documentId}`
    : sql<boolean>`invitation."organizationId" = ${target.organizationId}`;
}

function isOf(recipient: Recipient) {
  return 'userId' in recipient
    ? sql<boolean>`invitation."recipientId" = ${recipient.userId}`
    : sql<boolean>`invitation."emailKey" = ${recipient.emailKey}`;
}

/** Returns the first row. Constraints of the table make it one of the kinds of invitations. */
async function one<Row>(rows: ReturnType<typeof invitations>): Promise<Row | undefined> {
  return (await rows.executeTakeFirst()) as Row | undefined;
}

function invitations(db: Reader) {
  return db
    .selectFrom('invitation')
    .leftJoin('document', 'document.id', 'invitation.documentId')
    .leftJoin('organization', 'organization.id', 'invitation.organizationId')
    .innerJoin('owner', (join) =>
      join.on('owner.id', '=', sql<string>`coalesce(document."ownerId", organization.id)`),
    )
    .leftJoin('owner as recipient', 'recipient.id', 'invitation.recipientId')
    .leftJoin('owner as inviter', 'inviter.id', 'invitation.invitedBy')
    .select([
      'invitation.id',
      'owner.id as ownerId',
      'owner.namespace as ownerNamespace',
      'invitation.documentId',
      'document.kind',
      'document.name as documentName',
      'invitation.organizationId',
      'organization.name as organizationName',
      'invitation.level',
      'invitation.recipientId',
      'recipient.namespace as recipientUsername',
      'invitation.email',
      'invitation.emailKey',
      'invitation.sealedToken',
      'invitation.invitedBy',
      'invitation.byPerson as isByPerson',
      'inviter.namespace as invitedByUsername',
      'invitation.createdAt',
      'invitation.expiresAt',
    ]);
}
