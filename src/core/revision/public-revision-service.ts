import { nothingAtAddress } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import { type DocumentRef, normaliseRef } from '../document/document-ref.ts';
import { refuseMissing } from '../document/public-document-service.ts';
import {
  findPublicDocumentState,
  type PublicDocumentRow,
} from '../document/public-document-store.ts';
import { findRevision } from './revision-store.ts';
import { loadRevisionText } from './revision-text.ts';

/** A pinned revision with its text. */
export interface PublicRevision {
  /** The document's current state. */
  document: PublicDocumentRow;
  number: number;
  /** A username; `null` if the account is gone. */
  author: string | null;
  createdAt: string;
  text: string;
}

/**
 * Returns a pinned revision of a public document, for anyone.
 *
 * @throws DocumentMoved; NOT_FOUND, indistinguishably, if the document is missing or not public,
 *   or the revision is missing, not pinned, or without a text
 */
export async function readPublicRevision(
  context: Context,
  ref: DocumentRef,
  number: number,
): Promise<PublicRevision> {
  const { read } = context.sql;
  const document =
    (await findPublicDocumentState(read, normaliseRef(ref))) ?? (await refuseMissing(read, ref));
  const revision = await findRevision(read, document.id, number);
  if (revision?.pinned !== 1) throw nothingAtAddress();
  const text = await loadRevisionText(context, document.id, number);
  if (text === undefined) throw nothingAtAddress();
  return { document, number, author: revision.author, createdAt: revision.at, text };
}
