import { FieldError, nothingAtAddress, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { loadContent } from '../../core/document/content.ts';
import { requireSameDocument } from '../../core/document/document-input.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import {
  type DocumentToTakeDown,
  findTakedown,
  findTakenDownContent,
  findToTakeDown,
  listTakedowns,
  listTakedownsOf,
  storeTakedown,
  type Takedown,
} from '../../core/document/takedown-store.ts';
import { isAdmin, requireAdmin } from '../../core/identity/admin.ts';
import { queueNoticeTo } from '../../core/outbox/plain-notice.ts';
import { listAdminIds } from '../../core/owner/membership-store.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
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
export async function listOwnTakedowns(call: Call, page: PageRequest): Promise<Page<Takedown>> {
  return listTakedownsOf(call.sql.read, call.actor.id, page);
}

/**
 * Lists the documents of an organization that are taken down, for its admins.
 *
 * @throws NOT_FOUND; FORBIDDEN
 */
export async function listOrganizationTakedowns(
  call: Call,
  org: string,
  page: PageRequest,
): Promise<Page<Takedown>> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'seeTakedowns', org);
  return listTakedownsOf(call.sql.read, id, page);
}

/** A document that is taken down, as administrators see it. */
export interface ShownTakedown {
  takedown: Takedown;
  /** Its text if it was public; `undefined` otherwise, because nobody showed it to everybody. */
  text: string | undefined;
}

/** Returns what an administrator sees of a document that is taken down. @throws FORBIDDEN, NOT_FOUND */
export async function showTakedown(call: Call, id: string): Promise<ShownTakedown> {
  const { read } = call.sql;
  await requireAdmin(read, call.actor);
  const takedown = await requireTakedown(read, { id });
  if (!wasPublic(takedown)) return { takedown, text: undefined };
  const stored = await findTakenDownContent(read, takedown.id);
  return { takedown, text: stored && (await loadContent(call, stored)) };
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

/** Writes the audit trail, and mails the user who owns the document, or its organization's admins. */
async function tell(
  context: Context,
  tx: Writer,
  actor: Actor | undefined,
  document: DocumentToTakeDown,
  reason: string | null,
): Promise<void> {
  const { id, kind, ownerId, ownerType, ownerNamespace, name } = document;
  const fullName = `${ownerNamespace}/${name}`;
  await audit(context, tx, {
    action: reason === null ? 'document.takedown_ended' : 'document.taken_down',
    ...(actor && { actor }),
    ownerId,
    documentId: id,
    subject: fullName,
    detail: { kind, ...(reason !== null && { reason }) },
  });
  const isUser = ownerType === 'user';
  await queueNoticeTo(context, tx, isUser ? [ownerId] : await listAdminIds(tx, ownerId), {
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
    reason: isUser
      ? 'You get this mail because it is yours.'
      : `You get this mail because you are an admin of ${ownerNamespace}.`,
  });
}
