import { nothingAtAddress } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import type { Context } from '../context.ts';
import { changeOwned } from '../owner/owner-service.ts';
import { documentUrl } from './addresses.ts';
import { findPublicName } from './document-alias-store.ts';
import { DocumentMoved } from './document-moved.ts';
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
 * @throws errors of {@link refuseMissing}
 */
export async function readPublicDocument(
  context: Context,
  ref: DocumentRef,
): Promise<PublicBriefRow> {
  const { read } = context.sql;
  return (await findPublicDocument(read, normaliseRef(ref))) ?? refuseMissing(read, ref);
}

/**
 * Returns a public document with its rendition of this version, if there is one.
 *
 * @param revision identifies the code and settings that render
 * @throws errors of {@link refuseMissing}
 */
export async function readPublicRendition(
  context: Context,
  ref: DocumentRef,
  revision: string,
): Promise<PublicRenditionRow> {
  const { read } = context.sql;
  const row = await findPublicRendition(read, normaliseRef(ref), revision);
  return row ?? refuseMissing(read, ref);
}

/**
 * Refuses a document that is missing or not public.
 *
 * @throws DocumentMoved if the name was last that of a document that was public then and is now;
 *   NOT_FOUND otherwise, indistinguishably
 */
export async function refuseMissing(db: Reader, ref: DocumentRef): Promise<never> {
  const to = await findPublicName(db, normaliseRef(ref));
  throw to ? new DocumentMoved(ref, to) : nothingAtAddress();
}

/** Returns a public document without its content. @throws errors of {@link refuseMissing} */
export async function readPublicState(
  context: Context,
  ref: DocumentRef,
): Promise<PublicDocumentRow> {
  const { read } = context.sql;
  return (await findPublicDocumentState(read, normaliseRef(ref))) ?? refuseMissing(read, ref);
}

/** Returns a public document's URL. @throws errors of {@link refuseMissing} */
export async function getPublicAddress(context: Context, ref: DocumentRef): Promise<string> {
  return documentUrl(context.webUrl, { ...(await readPublicState(context, ref)), kind: ref.kind });
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
