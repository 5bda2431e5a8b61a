import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { requireTime } from '../../base/schema/time.ts';
import { unwantedCharacter } from '../../base/text/shown-name.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import type { LinkAccess } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { LINK_LIMITS, LINK_SECRET_BYTES, linkUrl } from '../../core/document/link.ts';
import {
  countLinksOf,
  deleteExpiredLinks,
  deleteLink,
  deleteLinksOf,
  insertLink,
  type LinkRow,
  listLinksOf,
} from '../../core/document/link-store.ts';
import { canCreateLink, type ShownLink, withUrls } from '../../core/document/shown-link-service.ts';
import { hashPassword } from '../../core/identity/password.ts';
import { normalisePassword, passwordFault } from '../../core/identity/password-rules.ts';
import { sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { requireVerified } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireLinkMaker } from '../../core/owner/policy-service.ts';
import { hideEarlierThreads } from '../../core/review/opening-service.ts';
import { requireLinkable } from '../../core/review/protection-service.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';

/**
 * Lists a document's active links, newest first, with their addresses if the actor could create
 * such links.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function listLinks(
  call: Call,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Page<ShownLink>> {
  const { read } = call.sql;
  const { document } = await requireDocument(read, call.actor, ref, 'share');
  const { items, total } = await listLinksOf(
    read,
    { documentId: document.id, now: call.now() },
    page,
  );
  const isShown = items.length > 0 && (await canCreateLink(read, call.actor, document));
  return { items: isShown ? await withUrls(call, items) : items.map(withoutUrl), total };
}

function withoutUrl(link: LinkRow): ShownLink {
  return { ...link, url: null };
}

/**
 * Creates a secret link to a document that isn't public. If no other link shows its threads, this
 * one doesn't show earlier ones.
 *
 * @throws NOT_FOUND, FORBIDDEN, also for a protected document outside the web app; BAD_REQUEST for
 *   the expiry or the note; UNPROCESSABLE for the password, for a public document and for a document
 *   with too many links; BackEndUnavailable
 */
export async function createLink(
  call: Call,
  ref: DocumentRef,
  input: {
    access: LinkAccess;
    expiresAt?: string | null | undefined;
    password?: string | undefined;
    note?: string | undefined;
  },
): Promise<ShownLink & { url: string }> {
  const { actor } = call;
  const createdAt = call.now();
  const expiresAt = readEnd(input.expiresAt ?? null, createdAt);
  const note = readNote(input.note ?? '');
  if (input.password !== undefined) await requireFitPassword(input.password);
  const secret = randomBytes(LINK_SECRET_BYTES).toString('base64url');
  // A request of somebody who can't share the document costs no hash.
  await requireDocument(call.sql.read, actor, ref, 'share');
  const sealedSecret = await sealSecret(call, 'secret link', secret);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  return changeOwned(call, ref.owner, async (tx) => {
    const { document, level } = await requireDocument(tx, actor, ref, 'share');
    await requireVerified(call, tx, actor, 'create a secret link');
    await requireLinkable(tx, actor, document, level);
    await requireLinkMaker(tx, document);
    if (document.visibility === 'public') {
      throw unprocessable(
        'visibility',
        `this ${ref.kind} is public, so anyone can read it anyway.`,
      );
    }
    const { all, comment } = await countLinksOf(tx, document.id, createdAt);
    if (all >= LINK_LIMITS.links) {
      throw unprocessable('links', `this ${ref.kind} has ${all} links. Revoke some first.`);
    }
    const { comments } = await findReviewSettings(tx, document.id);
    const opensThreads =
      (input.access === 'comment' && comment === 0) || (comments === 'readers' && all === 0);
    if (opensThreads) await hideEarlierThreads(tx, document.id, createdAt);
    const link = {
      id: call.newId(),
      documentId: document.id,
      access: input.access,
      note,
      createdBy: actor.id,
      createdAt,
      expiresAt,
      sealedSecret,
      passwordHash,
    };
    await insertLink(tx, { ...link, secretHash: hashSecret(secret) });
    await audit(call, tx, {
      action: 'link.created',
      actor,
      ...aboutDocument(document),
      detail: { link: link.id, access: link.access, expiresAt, password: passwordHash !== null },
    });
    return { ...link, createdByUsername: actor.username, url: linkUrl(call.webUrl, secret) };
  });
}

/** Revokes a link. @throws NOT_FOUND, FORBIDDEN */
export async function revokeLink(call: Call, ref: DocumentRef, linkId: string): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'share');
    const link = normaliseId(linkId);
    if (await deleteLink(tx, document.id, link)) {
      const about = { ...aboutDocument(document), detail: { link } };
      await audit(call, tx, { action: 'link.revoked', actor: call.actor, ...about });
      return;
    }
    throw new FieldError('NOT_FOUND', 'link', `this ${ref.kind} has no such link.`);
  });
}

/** Revokes all links to a document. @returns how many @throws NOT_FOUND, FORBIDDEN */
export async function revokeLinks(call: Call, ref: DocumentRef): Promise<number> {
  return changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'share');
    const links = await deleteLinksOf(tx, document.id);
    const about = { ...aboutDocument(document), detail: { links } };
    if (links > 0) await audit(call, tx, { action: 'link.revoked', actor: call.actor, ...about });
    return links;
  });
}

/** Deletes expired links. @returns how many */
export async function sweepLinks(context: Context): Promise<number> {
  return context.sql.transaction((tx) => deleteExpiredLinks(tx, context.now()));
}

/** @throws UNPROCESSABLE */
async function requireFitPassword(password: string): Promise<void> {
  const fault = await passwordFault(normalisePassword(password), []);
  if (fault) throw unprocessable('password', fault);
}

/** @throws BAD_REQUEST */
function readEnd(text: string | null, now: string): string | null {
  if (text === null) return null;
  const time = requireTime('expiresAt', text);
  if (time > now) return time;
  throw new FieldError('BAD_REQUEST', 'expiresAt', 'must be in the future.');
}

/** @throws BAD_REQUEST */
function readNote(text: string): string {
  const note = text.trim();
  if (Array.from(note).length > LINK_LIMITS.note) {
    throw new FieldError(
      'BAD_REQUEST',
      'note',
      `must have at most ${LINK_LIMITS.note} characters.`,
    );
  }
  const unwanted = unwantedCharacter(note);
  if (unwanted === undefined) return note;
  throw new FieldError('BAD_REQUEST', 'note', `must not contain the character ${unwanted}.`);
}

function unprocessable(field: string, problem: string): FieldError {
  return new FieldError('UNPROCESSABLE', field, problem);
}
