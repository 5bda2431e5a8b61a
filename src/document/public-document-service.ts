import { changeOwned } from '../account/owner-service.ts';
import type { Context } from '../context.ts';
import { nothingAtAddress } from '../errors.ts';
import { bestEffortWrite } from '../runtime/best-effort-write.ts';
import { documentUrl } from './addresses.ts';
import { type DocumentRef, normaliseRef } from './document-ref.ts';
import {
  findPublicDocument,
  findPublicDocumentState,
  findPublicRendition,
  type PublicBriefRow,
  type PublicDocumentRow,
  type PublicRenditionRow,
  upsertRendition,
} from './public-document-store.ts';

/**
 * Returns a public document with its content, for anyone.
 *
 * @throws NOT_FOUND if it is missing or not public, indistinguishably
 */
export async function readPublicDocument(
  context: Context,
  ref: DocumentRef,
): Promise<PublicBriefRow> {
  const row = await findPublicDocument(context.sql.read, normaliseRef(ref));
  if (!row) throw nothingAtAddress();
  return row;
}

/**
 * Returns a public document with its rendition of this version, if there is one.
 *
 * @param revision identifies the code and settings that render
 * @throws NOT_FOUND if it is missing or not public, indistinguishably
 */
export async function readPublicRendition(
  context: Context,
  ref: DocumentRef,
  revision: string,
): Promise<PublicRenditionRow> {
  const row = await findPublicRendition(context.sql.read, normaliseRef(ref), revision);
  if (!row) throw nothingAtAddress();
  return row;
}

/** Returns a public document's URL; `undefined` if it is missing or not public. */
export async function findPublicAddress(
  context: Context,
  ref: DocumentRef,
): Promise<string | undefined> {
  const row = await findPublicDocumentState(context.sql.read, normaliseRef(ref));
  return row && documentUrl(context.webUrl, { ...row, kind: ref.kind });
}

/** Stores the rendition of a document's version, unless the document has changed since. */
export async function saveRendition(
  context: Context,
  document: Pick<PublicDocumentRow, 'id' | 'version' | 'updatedBy' | 'ownerNamespace'>,
  page: { revision: string; html: Uint8Array },
): Promise<void> {
  const { id: documentId, version, updatedBy, ownerNamespace } = document;
  await bestEffortWrite(context, () =>
    changeOwned(context, ownerNamespace, (tx) =>
      upsertRendition(tx, { documentId, version, updatedBy, createdAt: context.now(), ...page }),
    ),
  );
}
