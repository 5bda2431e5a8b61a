import { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import { newStoragePath } from '../../file/blob-lifecycle.ts';
import type { PackedText } from './packing-store.ts';

/** A larger packed text becomes a blob, so that rows stay small. */
const ROW_BYTES = 64 * 1024;

/** A packed text before it is stored. */
export interface EncodedText {
  bytes: Buffer;
  dictVersion: number | null;
}

/**
 * Stores a packed text that is too large for its row. The caller deletes the blob if no row refers
 * to it.
 */
export async function storePacked(context: Context, encoded: EncodedText): Promise<PackedText> {
  const { bytes, dictVersion } = encoded;
  const coding = dictVersion === null ? 'zst' : 'zst+dict';
  const packed = { coding, dictVersion, storedBytes: bytes.length } as const;
  if (bytes.length <= ROW_BYTES) return { ...packed, storagePath: null, body: bytes };
  const storagePath = newStoragePath('revisions', context.newId(), '.zst');
  context.sql.requireRoom();
  await context.blobs.write(storagePath, Readable.from([bytes]));
  return { ...packed, storagePath, body: null };
}
