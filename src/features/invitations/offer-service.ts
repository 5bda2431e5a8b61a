import { decide, type Standing } from '../../core/document/access-rules.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { findRole } from '../../core/owner/membership-store.ts';
import { mayInviteAs, type Role } from '../../core/owner/organization-access.ts';

import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { deleteOffers, listOffers, type OfferRow, type OfferScope } from './offer-store.ts';

// An offer lets someone in: a pending invitation, or a secret link. It ends when its maker can no
// longer make it (decision 014).

/** What someone has after a change: a role in the organization, or a permission on the document. */
export type Rights = Partial<Pick<Standing, 'role' | 'permission'>>;

/**
 * Ends the offers whose makers can no longer make them. Every change that can take away the right
 * to invite or to share calls it afterwards, in the same transaction.
 */
export async function endOffers(tx: Writer, scope: OfferScope): Promise<void> {
  const offers = await listOffers(tx, scope);
  await deleteOffers(
    tx,
    offers.filter((offer) => !mayMake(offer, {})),
  );
}

/**
 * Lists the offers that would end if their maker had only `rights`, without invitations that
 * expired by `now`.
 */
export async function listEndingOffers(
  db: Reader,
  scope: OfferScope & { makerId: string },
  rights: Rights,
  now: string,
): Promise<OfferRow[]> {
  const offers = await listOffers(db, scope);
  return offers
    .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
    .filter((offer) => !mayMake(offer, rights));
}

/** Tells whether the maker of an offer can make it, with `rights` in place of the current ones. */
function mayMake(offer: OfferRow, rights: Rights): boolean {
  if (offer.documentId === null) {
    return mayInviteAs(rights.role === undefined ? offer.makerRole : rights.role, offer.gives);
  }
  return decide(offer.standing && { ...offer.standing, ...rights }, 'share') === 'allow';
}

/**
 * Returns the document of an invitation, with the inviter's standing, if the inviter can still
 * share it.
 */
export async function findStillShared(
  db: Reader,
  { documentId, invitedBy }: { documentId: string; invitedBy: string | null },
): Promise<DocumentRow | undefined> {
  if (invitedBy === null || !(await isActive(db, invitedBy))) return undefined;
  const document = await findDocumentById(db, documentId, invitedBy);
  return decide(document, 'share') === 'allow' ? document : undefined;
}

/** Tells whether the inviter to an organization can still invite someone in this role. */
export async function isStillInvited(
  db: Reader,
  invitation: { organizationId: string; invitedBy: string | null; role: Role },
): Promise<boolean> {
  const { organizationId, invitedBy, role } = invitation;
  if (invitedBy === null || !(await isActive(db, invitedBy))) return false;
  return mayInviteAs((await findRole(db, organizationId, invitedBy)) ?? null, role);
}

async function isActive(db: Reader, accountId: string): Promise<boolean> {
  return (await findAccountById(db, accountId))?.disabledAt === null;
}
