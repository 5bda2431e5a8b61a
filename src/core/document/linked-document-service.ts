import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import { countAttempt, forgiveAttempt, linkPasswordBudgets } from '../identity/attempts.ts';
import { verifyPassword } from '../identity/password.ts';
import { decide, NO_STANDING } from './access-rules.ts';
import { loadContent } from './content.ts';
import { type DocumentRow, findDocumentById, findStoredContent } from './document-store.ts';
import { isLinkSecret, isOpen } from './link.ts';
import { findLinkByHash, type LinkRow } from './link-store.ts';

/** How many links a browser has open at the same time. */
const MAX_UNLOCKED = 20;

interface Locked {
  id: string;
  passwordHash: string;
}

/**
 * Adds the proof that a browser was told a link's password to those that it stores. The password's
 * hash signs it, so another password voids it.
 *
 * @param stored what the browser sent
 * @returns what the browser should store instead
 */
function addUnlocked(stored: string | undefined, { id, passwordHash }: Locked): string {
  const others = proofsIn(stored).filter((proof) => !proof.startsWith(`${id}.`));
  const proof = `${id}.${macOf(signedText(id), passwordHash)}`;
  return [proof, ...others].slice(0, MAX_UNLOCKED).join('~');
}

/** Tells whether a browser has proved that it was told a link's password. */
function isUnlocked(stored: string | undefined, { id, passwordHash }: Locked): boolean {
  return proofsIn(stored).some((proof) => {
    const [of, mac = ''] = proof.split('.');
    return of === id && isMacOf(mac, signedText(id), passwordHash);
  });
}

function proofsIn(stored = ''): string[] {
  return stored.split('~', MAX_UNLOCKED);
}

function signedText(id: string): string {
  return `unlocked link ${id}`;
}

/** A document as anyone sees it through a secret link. */
export interface LinkedDocument {
  link: LinkRow;
  /** Includes the standing of someone who has only the link. */
  document: DocumentRow;
}

/** The link asks for a password, which the visitor hasn't given, or not the right one. */
export class LinkLocked extends ServiceError {
  constructor(message = 'This link asks for a password.') {
    super('UNAUTHORIZED', message);
  }
}

/**
 * Returns the document that a secret link opens, for anyone; for a link with a password, anyone who
 * was told it.
 *
 * @param unlocked what {@link unlockLink} gave the browser to store
 * @throws LinkLocked; NOT_FOUND if the link is malformed, unknown, revoked or expired, its document is gone, or
 *   its creator can no longer share it, indistinguishably
 */
export async function openLink(
  context: Context,
  secret: string,
  unlocked: string | undefined,
): Promise<LinkedDocument> {
  const linked = await findLinked(context, secret);
  const { id, passwordHash } = linked.link;
  if (passwordHash !== null && !isUnlocked(unlocked, { id, passwordHash })) throw new LinkLocked();
  return linked;
}

/**
 * Opens a secret link with its password. A link without one ignores it.
 *
 * @param attempt.address the visitor's IP address, for which attempts count
 * @param attempt.unlocked what the browser has stored of other links
 * @returns the document, and what the browser should store
 * @throws LinkLocked for a wrong password; TooManyAttempts; NOT_FOUND as {@link openLink};
 *   BackEndUnavailable
 */
export async function unlockLink(
  context: Context,
  secret: string,
  attempt: { password: string; address: string; unlocked: string | undefined },
): Promise<LinkedDocument & { unlocked: string }> {
  const linked = await findLinked(context, secret);
  const { id, passwordHash } = linked.link;
  if (passwordHash === null) return { ...linked, unlocked: attempt.unlocked ?? '' };
  const budgets = linkPasswordBudgets(id, attempt.address);
  await countAttempt(context.limiter, budgets);
  if (!(await verifyPassword(attempt.password, passwordHash))) {
    throw new LinkLocked('This is not the link’s password.');
  }
  await forgiveAttempt(context.limiter, budgets);
  return { ...linked, unlocked: addUnlocked(attempt.unlocked, { id, passwordHash }) };
}

/** @throws NOT_FOUND as {@link openLink} */
async function findLinked(context: Context, secret: string): Promise<LinkedDocument> {
  const { read } = context.sql;
  const link = isLinkSecret(secret) ? await findLinkByHash(read, hashSecret(secret)) : undefined;
  if (!link || !isOpen(link, context.now())) throw noSuchLink();
  // The standing of the link's creator comes with the document. Whoever takes the right to share
  // away ends the link too, so this is a second check that costs no query.
  const row = await findDocumentById(read, link.documentId, link.createdBy);
  if (!row || decide(row, 'share') !== 'allow') throw noSuchLink();
  return { link, document: { ...row, ...NO_STANDING, link: link.access } };
}

/**
 * Returns the current text of an opened document.
 *
 * @throws NOT_FOUND if it is deleted, or its content replaced, at the same time
 */
export async function readLinkedText(
  context: Context,
  { document }: LinkedDocument,
): Promise<string> {
  const stored = await findStoredContent(context.sql.read, document.id);
  const text = stored && (await loadContent(context, stored));
  if (text === undefined) throw noSuchLink();
  return text;
}

/** Returns the same error for every link that opens nothing. */
function noSuchLink(): ServiceError {
  return new ServiceError('NOT_FOUND', 'This link was revoked, has expired, or never existed.');
}
