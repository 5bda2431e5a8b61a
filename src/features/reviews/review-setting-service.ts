import { FieldError, ServiceError } from '../../base/errors.ts';
import { requireTime } from '../../base/schema/time.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Actor, Call } from '../../core/context.ts';
import type { Level } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requirePublishable } from '../../core/owner/policy-service.ts';
import { rulingOn } from '../../core/review/protection.ts';
import {
  findAnswerable,
  requireReleasable,
  situationOf,
} from '../../core/review/protection-service.ts';
import {
  findProtection,
  releaseAddresses,
  releaseOrganizationAddresses,
  updateOrganizationProtection,
} from '../../core/review/protection-store.ts';
import { type Reviewed, requireReview } from '../../core/review/review-authorize.ts';
import {
  findReviewSettings,
  type ReviewSettings,
  upsertReviewSettings,
} from '../../core/review/review-setting-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/**
 * Returns who can comment on a document, since when readers see threads, and how it is protected. In an organization, `twoPeople` is
 * the organization's.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor can see comments
 */
export async function getReviewSettings(call: Call, ref: DocumentRef): Promise<ReviewSettings> {
  const { document } = await requireReview(call.sql.read, call.actor, ref, 'see');
  return loadSettings(call.sql.read, document);
}

async function loadSettings(db: Reader, { id, ownerId }: DocumentRow): Promise<ReviewSettings> {
  const { twoPeople } = await findProtection(db, { documentId: id, ownerId });
  return { ...(await findReviewSettings(db, id)), twoPeople };
}

/**
 * Returns since when readers see threads after a change. Letting readers comment hides earlier ones,
 * unless the change says otherwise.
 *
 * @throws BAD_REQUEST; FORBIDDEN for showing readers more threads of a protected document outside the
 *   web app; UNPROCESSABLE for more of a public one in an organization that allows no public documents
 */
async function threadsSinceAfter(
  tx: Reader,
  actor: Actor,
  { document, level }: Reviewed,
  before: ReviewSettings,
  change: Partial<ReviewSettings>,
  now: string,
): Promise<string | null> {
  const isOpened = change.comments === 'readers' && before.comments !== 'readers';
  const usual = isOpened ? now : before.threadsSince;
  if (change.threadsSince === undefined) return usual;
  const wanted = requirePast(change.threadsSince, now);
  const showsMore = usual !== null && (wanted === null || wanted < usual);
  if (!showsMore) return wanted;
  const { id: documentId, ownerId } = document;
  await requirePublishable(tx, ownerId, document.visibility, 'threadsSince');
  const { isOwn, isInherited } = await findProtection(tx, { documentId, ownerId });
  const { isActor: isAdmin, inWords } = await findAnswerable(tx, actor, document, {
    isInherited,
    level,
  });
  const isProtectedHere = isOwn || isInherited;
  const situation = situationOf(actor, level, { isProtected: isProtectedHere, isAdmin });
  if (rulingOn('showThreads', situation) === 'allowed') return wanted;
  throw new ServiceError(
    'FORBIDDEN',
    `This ${document.kind} is protected, and earlier threads quote texts that aren’t approved. Only ` +
      `${inWords} can show them to readers, in the web app.`,
  );
}

/** @throws BAD_REQUEST */
function requirePast(since: string | null, now: string): string | null {
  if (since === null) return null;
  const time = requireTime('threadsSince', since);
  if (time <= now) return time;
  throw new FieldError('BAD_REQUEST', 'threadsSince', 'must not be in the future.');
}

/**
 * Changes who can comment on a document, since when readers see threads, and how it is protected.
 *
 * @throws NOT_FOUND; BAD_REQUEST for `threadsSince`; FORBIDDEN unless the actor is an admin, and
 *   outside the web app for weakening the protection and for showing readers more threads of a
 *   protected document, or by {@link requireReleasable}; UNPROCESSABLE for `twoPeople` in an
 *   organization
 */
export async function changeReviewSettings(
  call: Call,
  ref: DocumentRef,
  change: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  const { actor } = call;
  return changeOwned(call, ref.owner, async (tx) => {
    const reviewed = await requireReview(tx, actor, ref, 'configure');
    const { document, level } = reviewed;
    const before = await loadSettings(tx, document);
    const threadsSince = await threadsSinceAfter(tx, actor, reviewed, before, change, call.now());
    const settings = { ...before, ...change, threadsSince };
    if (document.ownerType === 'organization' && settings.twoPeople !== before.twoPeople) {
      throw new FieldError(
        'UNPROCESSABLE',
        'twoPeople',
        'is a setting of the organization: change it there.',
      );
    }
    if (isWeaker(before, settings)) {
      requireEnding(actor, level);
      await requireReleasable(tx, actor, document);
    }
    const { id } = document;
    const own = (await findReviewSettings(tx, id)).twoPeople;
    const twoPeople = document.ownerType === 'organization' ? own : settings.twoPeople;
    if (before.protected && !settings.protected) await releaseAddresses(tx, id);
    await upsertReviewSettings(tx, id, { ...settings, twoPeople });
    const { comments, protected: isOn } = settings;
    const of = { actor, ...aboutDocument(document) };
    if (isOn !== before.protected || settings.twoPeople !== before.twoPeople) {
      const detail = { protected: isOn, twoPeople: settings.twoPeople };
      await audit(call, tx, { action: 'document.protection_changed', ...of, detail });
    }
    if (comments !== before.comments || threadsSince !== before.threadsSince) {
      const detail = { comments, threadsSince };
      await audit(call, tx, { action: 'document.review_changed', ...of, detail });
    }
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
  call: Call,
  org: string,
): Promise<OrganizationProtection> {
  const { read } = call.sql;
  const { id } = await requireAllowed(read, call.actor, 'seeMembers', org);
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
  call: Call,
  org: string,
  change: Partial<OrganizationProtection>,
): Promise<OrganizationProtection> {
  return changeOwned(call, org, async (tx) => {
    const { id, namespace, role } = await requireAllowed(tx, call.actor, 'changeSettings', org);
    const before = await loadOrganizationProtection(tx, id);
    const after = { ...before, ...change };
    // Documents with a protection of their own use the organization's `twoPeople`, too.
    if (isWeaker(before, after)) requireEnding(call.actor, role);
    const { protected: isOn, twoPeople } = after;
    if (before.protected && !isOn) await releaseOrganizationAddresses(tx, id);
    await updateOrganizationProtection(tx, id, { isOn, twoPeople });
    if (isOn !== before.protected || twoPeople !== before.twoPeople) {
      await audit(call, tx, {
        action: 'organization.protection_changed',
        actor: call.actor,
        ownerId: id,
        subject: namespace,
        detail: { protected: isOn, twoPeople },
      });
    }
    return after;
  });
}

function isWeaker(before: OrganizationProtection, after: OrganizationProtection): boolean {
  return (before.protected && !after.protected) || (before.twoPeople && !after.twoPeople);
}

/** @throws FORBIDDEN */
function requireEnding(actor: Actor, level: Level | Role | null): void {
  if (rulingOn('endProtection', situationOf(actor, level)) === 'allowed') return;
  const what = 'end the protection, or that two people approve';
  throw new ServiceError('FORBIDDEN', `Only an admin can ${what}, in the web app.`);
}
