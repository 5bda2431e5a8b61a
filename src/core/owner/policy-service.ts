import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { findRole } from './membership-store.ts';
import type { Role } from './organization-access.ts';
import { ALLOW_ALL, keepsDocuments, mayInviteOutsiders, mayMakeLinks } from './policy.ts';
import { findPolicies, listPolicies } from './policy-store.ts';

/** A document, as far as its owner's policies matter, with the role of who acts. */
interface Governed {
  ownerId: string;
  ownerType: 'user' | 'organization';
  role: Role | null;
}

/** Requires that the organization lets who can share a document make links to it. @throws FORBIDDEN */
export async function requireLinkMaker(db: Reader, document: Governed): Promise<void> {
  if (document.ownerType === 'user') return;
  const { linkMakers } = await findPolicies(db, document.ownerId);
  if (mayMakeLinks(linkMakers, document.role)) return;
  throw new ServiceError(
    'FORBIDDEN',
    linkMakers === 'nobody'
      ? 'This organization allows no secret links.'
      : `In this organization, only ${linkMakers} can make secret links.`,
  );
}

/**
 * Requires that the organization lets who can share a document invite someone who isn't a member.
 *
 * @param account who is invited; `undefined` for an email address
 * @throws FORBIDDEN
 */
export async function requireOutsideInviter(
  db: Reader,
  document: Governed,
  account?: { id: string },
): Promise<void> {
  const { ownerId, ownerType, role } = document;
  if (ownerType === 'user') return;
  const { outsideInviters } = await findPolicies(db, ownerId);
  if (mayInviteOutsiders(outsideInviters, role)) return;
  if (account && (await findRole(db, ownerId, account.id))) return;
  throw new ServiceError(
    'FORBIDDEN',
    outsideInviters === 'nobody'
      ? 'This organization allows no collaborators who aren’t members.'
      : 'In this organization, only admins can invite people who aren’t members.',
  );
}

/**
 * Tells whether an invitation to a document can be accepted as far as its organization's policies
 * are concerned.
 */
export async function mayJoinDocument(
  db: Reader,
  ownerId: string,
  { invitedBy, accountId }: { invitedBy: string; accountId: string },
): Promise<boolean> {
  const { outsideInviters } = await findPolicies(db, ownerId);
  if (outsideInviters === 'sharers' || (await findRole(db, ownerId, accountId))) return true;
  const role = await findRole(db, ownerId, invitedBy);
  return mayInviteOutsiders(outsideInviters, role ?? null);
}

/** Tells whether an owner restricts who its documents can be shown to (see {@link keepsDocuments}). */
export async function restrictsSharing(db: Reader, ownerId: string): Promise<boolean> {
  return keepsDocuments(await findPolicies(db, ownerId));
}

/**
 * Returns those documents that their organizations' policies let the actor move to another owner, or
 * delete for good.
 */
export async function takeable<Document extends Governed>(
  db: Reader,
  documents: readonly Document[],
): Promise<Set<Document>> {
  const isFree = ({ ownerType, role }: Document) => ownerType === 'user' || role === 'admin';
  const governed = documents.filter((document) => !isFree(document));
  const policies = await listPolicies(db, [...new Set(governed.map(({ ownerId }) => ownerId))]);
  const isKept = ({ ownerId }: Document) => keepsDocuments(policies.get(ownerId) ?? ALLOW_ALL);
  return new Set(documents.filter((document) => isFree(document) || !isKept(document)));
}

/**
 * Requires that an organization's policies let the actor do what takes a document, or a text of it,
 * away from the organization.
 *
 * @throws FORBIDDEN
 */
export async function requireTakeAway(
  db: Reader,
  document: Governed,
  act: 'move its documents to other owners' | 'delete its documents for good' | 'erase texts',
): Promise<void> {
  if ((await takeable(db, [document])).has(document)) return;
  throw new ServiceError(
    'FORBIDDEN',
    'This organization restricts public documents, secret links or people from outside, so only its ' +
      `admins can ${act}.`,
  );
}

/** Tells whether a document of this owner can become public, if it is about to. */
export async function mayPublish(
  db: Reader,
  ownerId: string,
  visibility: Visibility,
): Promise<boolean> {
  return visibility !== 'public' || (await findPolicies(db, ownerId)).publicDocuments;
}

/**
 * Requires that an owner's documents can become public, if one is about to.
 *
 * @param field the request's field that leads to it
 * @throws UNPROCESSABLE
 */
export async function requirePublishable(
  db: Reader,
  ownerId: string,
  visibility: Visibility,
  field = 'visibility',
): Promise<void> {
  if (await mayPublish(db, ownerId, visibility)) return;
  const says = 'this organization allows no public documents.';
  const choices = field === 'visibility' ? ' Choose internal or private.' : '';
  throw new FieldError('UNPROCESSABLE', field, says + choices);
}
