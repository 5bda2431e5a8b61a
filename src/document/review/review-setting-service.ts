import { changeOwned } from '../../account/owner-service.ts';
import type { Actor, Context } from '../../context.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import { requireAllowed } from '../../organization/organization-service.ts';
import type { Role } from '../../organization/roles.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Level } from '../access-rules.ts';
import type { DocumentRef } from '../document-ref.ts';
import type { DocumentRow } from '../document-store.ts';
import { rulingOn } from './protection.ts';
import { situationOf } from './protection-service.ts';
import {
  findProtection,
  releaseAddress,
  updateOrganizationProtection,
} from './protection-store.ts';
import { requireReview } from './review-authorize.ts';
import {
  findReviewSettings,
  type ReviewSettings,
  upsertReviewSettings,
} from './review-setting-store.ts';

/**
 * Returns who can comment on a document, and how it is protected. In an organization, `twoPeople` is
 * the organization's.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor can see comments
 */
export async function getReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<ReviewSettings> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'see');
  return loadSettings(context.sql.read, document);
}

async function loadSettings(db: Reader, { id, ownerId }: DocumentRow): Promise<ReviewSettings> {
  const { twoPeople } = await findProtection(db, { documentId: id, ownerId });
  return { ...(await findReviewSettings(db, id)), twoPeople };
}

/**
 * Changes who can comment on a document, and how it is protected.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, and for weakening the protection
 *   outside the web app; UNPROCESSABLE for `twoPeople` in an organization
 */
export async function changeReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  change: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  return changeOwned(context, ref.owner, async (tx) => {
    const { document, level } = await requireReview(tx, actor, ref, 'configure');
    const before = await loadSettings(tx, document);
    const settings = { ...before, ...change };
    if (document.ownerType === 'organization' && settings.twoPeople !== before.twoPeople) {
      throw new FieldError(
        'UNPROCESSABLE',
        'twoPeople',
        'is a setting of the organization: change it there.',
      );
    }
    if (isWeaker(before, settings)) requireEnding(actor, level);
    const { id } = document;
    const own = (await findReviewSettings(tx, id)).twoPeople;
    const twoPeople = document.ownerType === 'organization' ? own : settings.twoPeople;
    if (before.protected && !settings.protected) await releaseAddress(tx, id);
    await upsertReviewSettings(tx, id, { ...settings, twoPeople });
    return settings;
  });
}

/** How all documents of an organization are protected. */
export interface OrganizationProtection {
  protected: boolean;
  /** Whether who wrote unapproved words can't approve them alone. */
  twoPeople: boolean;
}

/**
 * Returns how an organization's documents are protected. @throws NOT_FOUND; FORBIDDEN unless the
 * actor is a member
 */
export async function getOrganizationProtection(
  context: Context,
  actor: Actor,
  org: string,
): Promise<OrganizationProtection> {
  const { read } = context.sql;
  const { id } = await requireAllowed(read, actor, 'seeMembers', org);
  return loadOrganizationProtection(read, id);
}

async function loadOrganizationProtection(
  db: Reader,
  ownerId: string,
): Promise<OrganizationProtection> {
  const { isInherited, twoPeople } = await findProtection(db, { documentId: '', ownerId });
  return { protected: isInherited, twoPeople };
}

/**
 * Changes how all documents of an organization are protected.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, and for weakening the protection
 *   outside the web app
 */
export async function changeOrganizationProtection(
  context: Context,
  actor: Actor,
  org: string,
  change: Partial<OrganizationProtection>,
): Promise<OrganizationProtection> {
  return changeOwned(context, org, async (tx) => {
    const { id, role } = await requireAllowed(tx, actor, 'changeSettings', org);
    const before = await loadOrganizationProtection(tx, id);
    const after = { ...before, ...change };
    // Documents with a protection of their own use the organization's `twoPeople`, too.
    if (isWeaker(before, after)) requireEnding(actor, role);
    const { protected: isOn, twoPeople } = after;
    await updateOrganizationProtection(tx, id, { isOn, twoPeople });
    return after;
  });
}

function isWeaker(before: OrganizationProtection, after: OrganizationProtection): boolean {
  return (before.protected && !after.protected) || (before.twoPeople && !after.twoPeople);
}

/** @throws FORBIDDEN */
function requireEnding(actor: Actor, level: Level | Role | null): void {
  if (rulingOn('endProtection', situationOf(actor, level)) === 'allowed') return;
  throw new ServiceError('FORBIDDEN', 'Only an admin can end the protection, in the web app.');
}
