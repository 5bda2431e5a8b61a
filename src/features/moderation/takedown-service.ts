import { setTimeout as sleep } from 'node:timers/promises';
import { FieldError, nothingAtAddress, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { loadContent } from '../../core/document/content.ts';
import { requireSameDocument } from '../../core/document/document-input.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import {
  type DocumentToTakeDown,
  findTakedown,
  findTakenDownContent,
  findToTakeDown,
  listPublicToTakeDown,
  listTakedowns,
  listTakedownsOf,
  storeTakedown,
  type Takedown,
} from '../../core/document/takedown-store.ts';
import { isAdmin, requireAdmin } from '../../core/identity/admin.ts';
import { queueNoticeTo } from '../../core/outbox/plain-notice.ts';
import { listAdminIds } from '../../core/owner/membership-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { answerReports } from './report-service.ts';

/** The longest reason, in UTF-16 code units. */
export const MAX_REASON = 500;

/** Which document to take down or to restore: by its address, or by its id. */
export type Which = DocumentRef | { id: string };

/**
 * Takes a document down: at once it is there for nobody. Those who manage it learn why, and are mailed.
 * One that is taken down already gets the new reason. Closes its open reports.
 *
 * @param actor who does it; without one, an operator's command
 * @throws FORBIDDEN; BAD_REQUEST naming `reason`; NOT_FOUND; CONFLICT if it isn't the document that the
 *   actor's form was about
 */
export async function takeDown(
  context: Context,
  actor: Actor | undefined,
  ref: DocumentRef,
  { reason: given }: { reason: string },
): Promise<Takedown> {
  if (actor) await requireAdmin(context.sql.read, actor);
  const reason = requireReason(given);
  const document = await changeOwned(context, ref.owner, async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const before = await findToTakeDown(tx, normaliseRef(ref));
    if (!before) throw noDocument(ref);
    requireSameDocument(actor?.documentId, before);
    const at = before.takenDownAt ?? context.now();
    if (before.takenDownReason !== reason) {
      await storeTakedown(tx, before.id, { at, reason });
      await tell(context, tx, actor, before, reason);
      const fullName = `${before.ownerNamespace}/${before.name}`;
      await answerReports(context, tx, { ...before, fullName }, 'taken_down');
    }
    return { ...before, takenDownAt: at, takenDownReason: reason };
  });
  context.documentChanged();
  return document;
}

/**
 * Brings a document back as it was: with its visibility, links, collaborators and labels. One in the
 * trash stays there, and can be restored from it again.
 *
 * @param actor as for {@link takeDown}
 * @throws FORBIDDEN; NOT_FOUND if it isn't taken down
 */
export async function endTakedown(
  context: Context,
  actor: Actor | undefined,
  which: Which,
): Promise<Takedown> {
  if (actor) await requireAdmin(context.sql.read, actor);
  const { ownerNamespace } = await requireTakedown(context.sql.read, which);
  const restored = await changeOwned(context, ownerNamespace, async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const before = await requireTakedown(tx, which);
    await storeTakedown(tx, before.id, null);
    await tell(context, tx, actor, before, null);
    return before;
  });
  context.documentChanged();
  return restored;
}

/** Lists all documents that are taken down, for administrators and commands. @throws FORBIDDEN */
export async function listAllTakedowns(
  context: Context,
  actor: Actor | undefined,
  page: PageRequest,
): Promise<Page<Takedown>> {
  if (actor) await requireAdmin(context.sql.read, actor);
  return listTakedowns(context.sql.read, page);
}

/** Lists the actor's own documents that are taken down. */
export async function listOwnTakedowns(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<Takedown>> {
  return listTakedownsOf(context.sql.read, actor.id, page);
}

/**
 * Lists the documents of an organization that are taken down, for its admins.
 *
 * @throws NOT_FOUND; FORBIDDEN
 */
export async function listOrganizationTakedowns(
  context: Context,
  actor: Actor,
  org: string,
  page: PageRequest,
): Promise<Page<Takedown>> {
  const { id } = await requireAllowed(context.sql.read, actor, 'seeTakedowns', org);
  return listTakedownsOf(context.sql.read, id, page);
}

/** A document that is taken down, as administrators see it. */
export interface ShownTakedown {
  takedown: Takedown;
  /** Its text if it was public; `undefined` otherwise, because nobody showed it to everybody. */
  text: string | undefined;
}

/** Returns what an administrator sees of a document that is taken down. @throws FORBIDDEN, NOT_FOUND */
export async function showTakedown(
  context: Context,
  actor: Actor,
  id: string,
): Promise<ShownTakedown> {
  const { read } = context.sql;
  await requireAdmin(read, actor);
  const takedown = await requireTakedown(read, { id });
  if (!wasPublic(takedown)) return { takedown, text: undefined };
  const stored = await findTakenDownContent(read, takedown.id);
  return { takedown, text: stored && (await loadContent(context, stored)) };
}

/** Tells whether everybody could read a document before it was taken down. */
export function wasPublic({ visibility, visibilityBefore }: DocumentToTakeDown): boolean {
  return (visibilityBefore ?? visibility) === 'public';
}

/** Tells whether someone can take a document down from its page: only one that everybody sees. */
export async function canTakeDown(
  db: Reader,
  actor: Actor,
  document: { visibility: string },
): Promise<boolean> {
  return document.visibility === 'public' && isAdmin(db, actor.id);
}

/** Checks that somebody may see the screens of administrators. @throws NOT_FOUND */
export async function requireAdminScreen(db: Reader, actor: Actor): Promise<void> {
  if (!(await isAdmin(db, actor.id))) throw nothingAtAddress();
}

async function requireTakedown(db: Reader, which: Which): Promise<Takedown> {
  const found =
    'id' in which
      ? await findTakedown(db, normaliseId(which.id))
      : await findToTakeDown(db, normaliseRef(which));
  if (found?.takenDownAt && found.takenDownReason !== null) return found as Takedown;
  throw new ServiceError('NOT_FOUND', 'No such document is taken down.');
}

/** @throws BAD_REQUEST naming `reason` */
function requireReason(given: string): string {
  const reason = given.replace(/\s+/gu, ' ').trim();
  if (reason !== '' && reason.length <= MAX_REASON && isStorableText(reason)) return reason;
  const problem = `must be a text of 1 to ${MAX_REASON} characters.`;
  throw new FieldError('BAD_REQUEST', 'reason', problem);
}

function noDocument({ kind }: DocumentRef): ServiceError {
  return new ServiceError('NOT_FOUND', `This ${kind} doesn’t exist.`);
}

/** How many documents one transaction takes down. Each needs some statements of its own. */
const BATCH = 25;

/**
 * Changes an owner's documents some at a time, and rests in between as long as it worked, so that others
 * aren't kept waiting.
 *
 * @param work changes at most {@link BATCH} documents and returns how many; fewer are the last
 * @returns how many in all
 */
async function inBatches(
  context: Context,
  owner: string,
  work: (tx: Writer, isFirst: boolean) => Promise<number>,
): Promise<number> {
  for (let count = 0; ; ) {
    const start = performance.now();
    const changed = await changeOwned(context, owner, (tx) => work(tx, count === 0));
    context.documentChanged();
    count += changed;
    if (changed < BATCH) return count;
    await sleep(performance.now() - start);
  }
}

/** Returns the user or the organization with a namespace. @throws FORBIDDEN; NOT_FOUND */
export async function requireOwnerToTakeDown(
  context: Context,
  actor: Actor | undefined,
  namespace: string,
): Promise<{ id: string; type: OwnerType; namespace: string }> {
  const { read } = context.sql;
  if (actor) await requireAdmin(read, actor);
  const name = parseNamespace(namespace);
  const owner = name && (await findOwner(read, name));
  if (owner) return owner;
  const shown = namespace.slice(0, 100);
  throw new FieldError('NOT_FOUND', 'owner', `no user or organization “${shown}”.`);
}

/**
 * Takes down everything that a user or an organization has made public, some at a time, so that others
 * can write meanwhile. If it fails on the way, what is down stays down. Those who manage it get one
 * mail. Closes open reports.
 *
 * @param actor who does it; without one, an operator's command
 * @returns how many documents
 * @throws FORBIDDEN; BAD_REQUEST naming `reason`; NOT_FOUND naming `owner`
 */
export async function takeDownAll(
  context: Context,
  actor: Actor | undefined,
  owner: string,
  { reason: given }: { reason: string },
): Promise<number> {
  const { id, type, namespace } = await requireOwnerToTakeDown(context, actor, owner);
  const reason = requireReason(given);
  const at = context.now();
  return inBatches(context, namespace, async (tx, isFirst) => {
    if (actor) await requireAdmin(tx, actor);
    const documents = await listPublicToTakeDown(tx, id, BATCH);
    for (const document of documents) {
      await storeTakedown(tx, document.id, { at, reason });
      await record(context, tx, actor, document, reason);
      const fullName = `${namespace}/${document.name}`;
      await answerReports(context, tx, { ...document, fullName }, 'taken_down');
    }
    if (isFirst && documents.length > 0) {
      await mailManagers(
        context,
        tx,
        { ownerId: id, ownerType: type, ownerNamespace: namespace },
        {
          subject: `Everything public of ${namespace} was taken down`,
          says: [
            `An administrator of this instance took down what ${namespace} has made public. It is hidden from everybody, and all you can do is delete it. Ask an administrator if you think that this is wrong. The reason:`,
          ],
          quote: reason,
        },
      );
    }
    return documents.length;
  });
}

/**
 * Brings back everything of an owner that is taken down, one after the other, each as
 * {@link endTakedown} does, without a mail for each.
 *
 * @param actor who does it; without one, an operator's command
 * @returns how many documents
 * @throws FORBIDDEN; NOT_FOUND naming `owner`
 */
export async function endTakedownsOf(
  context: Context,
  actor: Actor | undefined,
  owner: string,
): Promise<number> {
  const { id, type, namespace } = await requireOwnerToTakeDown(context, actor, owner);
  return inBatches(context, namespace, async (tx, isFirst) => {
    if (actor) await requireAdmin(tx, actor);
    const { items } = await listTakedownsOf(tx, id, { number: 1, size: BATCH });
    for (const document of items) {
      await storeTakedown(tx, document.id, null);
      await record(context, tx, actor, document, null);
    }
    if (isFirst && items.length > 0) {
      const about = { ownerId: id, ownerType: type, ownerNamespace: namespace };
      await mailManagers(context, tx, about, {
        subject: `What was taken down of ${namespace} is back`,
        says: [
          `An administrator of this instance restored what was taken down of ${namespace}. It is there again as it was before.`,
        ],
      });
    }
    return items.length;
  });
}

/** Writes the audit trail, and mails those who manage the document. */
async function tell(
  context: Context,
  tx: Writer,
  actor: Actor | undefined,
  document: DocumentToTakeDown,
  reason: string | null,
): Promise<void> {
  await record(context, tx, actor, document, reason);
  const { kind, ownerNamespace, name } = document;
  const fullName = `${ownerNamespace}/${name}`;
  await mailManagers(context, tx, document, {
    ...(reason === null
      ? {
          subject: `${fullName} is back`,
          says: [
            `An administrator of this instance restored the ${kind} ${fullName}. It is there again as it was before it was taken down.`,
          ],
        }
      : {
          subject: `${fullName} was taken down`,
          says: [
            `An administrator of this instance took the ${kind} ${fullName} down. It is hidden from everybody, and all you can do is delete it. Ask an administrator if you think that this is wrong. The reason:`,
          ],
          quote: reason,
        }),
  });
}

/** Writes the audit trail. */
async function record(
  context: Context,
  tx: Writer,
  actor: Actor | undefined,
  { id, kind, ownerId, ownerNamespace, name }: DocumentToTakeDown,
  reason: string | null,
): Promise<void> {
  await audit(context, tx, {
    action: reason === null ? 'document.takedown_ended' : 'document.taken_down',
    ...(actor && { actor }),
    ownerId,
    documentId: id,
    subject: `${ownerNamespace}/${name}`,
    detail: { kind, ...(reason !== null && { reason }) },
  });
}

/** Mails the user who owns something, or the admins of the organization that does. */
async function mailManagers(
  context: Context,
  tx: Writer,
  owner: Pick<DocumentToTakeDown, 'ownerId' | 'ownerType' | 'ownerNamespace'>,
  notice: { subject: string; says: string[]; quote?: string },
): Promise<void> {
  const { ownerId, ownerType, ownerNamespace } = owner;
  const isUser = ownerType === 'user';
  const managers = isUser ? [ownerId] : await listAdminIds(tx, ownerId);
  await queueNoticeTo(context, tx, managers, {
    ...notice,
    reason: isUser
      ? 'You get this mail because it is yours.'
      : `You get this mail because you are an admin of ${ownerNamespace}.`,
  });
}
