import { decide, type Standing } from '../../core/document/access-rules.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { findRole } from '../../core/owner/membership-store.ts';
import { mayInviteAs } from '../../core/owner/organization-access.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Invitation } from './invitation-store.ts';
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

/** Tells whether an invitation can be accepted as far as its inviter is concerned. */
export async function isStillOffered(
  db: Reader,
  { invitedBy, ...invitation }: Invitation,
): Promise<boolean> {
  if (invitedBy === null || (await findAccountById(db, invitedBy))?.disabledAt !== null) {
    return false;
  }
  if (invitation.documentId === null) {
    const role = await findRole(db, invitation.organizationId, invitedBy);
    return mayInviteAs(role ?? null, invitation.level);
  }
  const document = await findDocumentById(db, invitation.documentId, invitedBy);
  return decide(document, 'share') === 'allow';
}
