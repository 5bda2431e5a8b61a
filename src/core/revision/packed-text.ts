import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { newStoragePath } from '../document/blob-lifecycle.ts';
import type { PackedText } from './packing-store.ts';

/** A larger packed text becomes a blob, so that rows stay small. */
const ROW_BYTES = 64 * 1024;

/** A packed text before it is stored. */
export interface EncodedText {
  bytes: Buffer;
  /** The last version of the keyframe; `null` for a text compressed alone. */
  dictVersion: number | null;
}

/**
 * Returns a packed text as its row stores it. Writes a blob first if the text is too large for the
 * row. The caller deletes the blob if no row refers to it.
 *
 * @throws BackEndUnavailable if the disk is full
 */
export async function storePacked(context: Context, encoded: EncodedText): Promise<PackedText> {
  const { bytes, dictVersion } = encoded;
  const coding = dictVersion === null ? 'zst' : 'zst+dict';
  const packed = { coding, dictVersion, storedBytes: bytes.length } as const;
  if (bytes.length <= ROW_BYTES) return { ...packed, storagePath: null, body: bytes };
  const storagePath = newStoragePath('revisions', context.newId(), '.zst');
  await context.blobs.write(storagePath, Readable.from([bytes]));
  return { ...packed, storagePath, body: null };
}
