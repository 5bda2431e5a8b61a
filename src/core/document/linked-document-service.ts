import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import { decide, NO_STANDING } from './access-rules.ts';
import { loadContent } from './content.ts';
import { type DocumentRow, findDocumentById, findStoredContent } from './document-store.ts';
import { isLinkSecret, isOpen } from './link.ts';
import { findLinkByHash, type LinkRow } from './link-store.ts';

/** A document as anyone sees it through a secret link. */
export interface LinkedDocument {
  link: LinkRow;
  /** Includes the standing of someone who has only the link. */
  document: DocumentRow;
}

/**
 * Returns the document that a secret link opens, for anyone.
 *
 * @throws NOT_FOUND if the link is malformed, unknown, revoked or expired, its document is gone, or
 *   its creator can no longer share it, indistinguishably
 */
export async function openLink(context: Context, secret: string): Promise<LinkedDocument> {
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
