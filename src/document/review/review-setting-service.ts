import { changeOwned } from '../../account/owner-service.ts';
import type { Actor, Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { requireAllowed } from '../../organization/organization-service.ts';
import type { DocumentRef } from '../document-ref.ts';
import { requireReview } from './review-authorize.ts';
import {
  findReviewSettings,
  type ReviewSettings,
  upsertReviewSettings,
} from './review-setting-store.ts';
import { isProtected, updateOrganizationProtected } from './review-store.ts';

/**
 * Returns who can comment on a document, and whether it is protected. @throws NOT_FOUND; FORBIDDEN
 * unless the actor can see comments
 */
export async function getReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<ReviewSettings> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'see');
  return findReviewSettings(context.sql.read, document.id);
}

/**
 * Changes who can comment on a document, and whether it is protected.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, and for removing the protection
 *   outside the web app
 */
export async function changeReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  change: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  return changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'configure');
    const before = await findReviewSettings(tx, document.id);
    const settings = { ...before, ...change };
    if (before.protected && !settings.protected) requireWeb(actor);
    await upsertReviewSettings(tx, document.id, settings);
    return settings;
  });
}

/**
 * Returns whether an organization's documents are protected. @throws NOT_FOUND; FORBIDDEN unless
 * the actor is a member
 */
export async function getOrganizationProtection(
  context: Context,
  actor: Actor,
  org: string,
): Promise<{ protected: boolean }> {
  const { read } = context.sql;
  const { id } = await requireAllowed(read, actor, 'seeMembers', org);
  return { protected: await isProtected(read, { documentId: '', ownerId: id }) };
}

/**
 * Changes whether all documents of an organization are protected.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, and for removing the protection
 *   outside the web app
 */
export async function changeOrganizationProtection(
  context: Context,
  actor: Actor,
  org: string,
  isOn: boolean,
): Promise<{ protected: boolean }> {
  await changeOwned(context, org, async (tx) => {
    const { id } = await requireAllowed(tx, actor, 'changeSettings', org);
    if (!isOn && (await isProtected(tx, { documentId: '', ownerId: id }))) requireWeb(actor);
    await updateOrganizationProtected(tx, id, isOn);
  });
  return { protected: isOn };
}

/** @throws FORBIDDEN */
function requireWeb({ via }: Actor): void {
  if (via.means === 'web') return;
  throw new ServiceError('FORBIDDEN', 'Only a person can end the protection, in the web app.');
}
