import { buffer as readBytes } from 'node:stream/consumers';
import type { Context } from '../context.ts';
import { loadContent } from '../document/content.ts';
import { findStoredContent } from '../document/document-store.ts';
import { findText, type RevisionTextWithBody } from './revision-text-store.ts';
import { decodeText } from './text-codec.ts';

/** How often a read is tried, because a write or the packer can move the text meanwhile. */
const READ_ATTEMPTS = 5;

/**
 * Returns the text of a version.
 *
 * @returns `undefined` if it is gone: erased, removed to save space, or older than the history of
 *   texts
 * @throws Error if there is no such version, or the document has been deleted
 */
export async function loadRevisionText(
  context: Context,
  documentId: string,
  version: number,
): Promise<string | undefined> {
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
    const row = await findText(context.sql.read, documentId, version);
    if (row?.coding === 'gone') return undefined;
    const text = row
      ? (await decodeRow(context, documentId, row))?.toString()
      : await loadCurrent(context, documentId, version);
    if (text !== undefined) return text;
  }
  throw new Error(`The text of version ${version} of document ${documentId} cannot be found.`);
}

async function loadCurrent(
  context: Context,
  documentId: string,
  version: number,
): Promise<string | undefined> {
  const row = await findStoredContent(context.sql.read, documentId);
  if (!row || row.version < version) return undefined;
  // A write since the first look may have replaced the text.
  const isReplaced =
    row.version > version && (await findText(context.sql.read, documentId, version));
  return isReplaced ? undefined : loadContent(context, row);
}

/** Returns the bytes of a replaced text; `undefined` if it has been stored differently since. */
export async function decodeRow(
  context: Context,
  documentId: string,
  row: RevisionTextWithBody,
): Promise<Buffer | undefined> {
  const packed = await loadBody(context, row);
  if (!packed || row.coding === 'raw') return packed;
  if (row.dictVersion === null) return decodeText(packed, row.sizeBytes);
  const keyframe = await findText(context.sql.read, documentId, row.dictVersion);
  if (keyframe?.lastVersion !== row.dictVersion || keyframe.coding !== 'zst') return undefined;
  const dictionary = await decodeRow(context, documentId, keyframe);
  return dictionary && decodeText(packed, row.sizeBytes, dictionary);
}

/** Returns the stored bytes of a text; `undefined` if they are no longer there. */
export async function loadBody(
  context: Context,
  { body, storagePath }: Pick<RevisionTextWithBody, 'body' | 'storagePath'>,
): Promise<Buffer | undefined> {
  if (body) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (storagePath === null) return undefined;
  const bytes = await context.blobs.read(storagePath);
  return bytes && readBytes(bytes);
}
