import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Log2 of the longest match distance: 16 MB, more than two of the largest texts. */
const WINDOW_LOG = 24;

/** A larger text and dictionary need a larger table, or early matches are forgotten. */
const LARGE_BYTES = 2 * 1024 * 1024;
const LARGE_HASH_LOG = 22;

/** Larger pieces of output than the default, because each is a trip to the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Compresses a text with zstd, on libuv's thread pool. The result includes a checksum.
 *
 * @param dictionary a similar text; without it, the text is compressed alone
 */
export function encodeText(text: Uint8Array, dictionary?: Uint8Array): Promise<Buffer> {
  const isLarge = text.length + (dictionary?.length ?? 0) > LARGE_BYTES;
  return compress(text, {
    ...(dictionary && { dictionary }),
    chunkSize: CHUNK_BYTES,
    params: {
      [constants.ZSTD_c_compressionLevel]: 3,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_checksumFlag]: 1,
      ...(isLarge && { [constants.ZSTD_c_hashLog]: LARGE_HASH_LOG }),
    },
  });
}

/**
 * Decompresses the result of {@link encodeText}.
 *
 * @param sizeBytes length of the text
 * @throws Error if the bytes are damaged or the dictionary differs
 */
export function decodeText(
  packed: Uint8Array,
  sizeBytes: number,
  dictionary?: Uint8Array,
): Promise<Buffer> {
  return decompress(packed, {
    ...(dictionary && { dictionary }),
    // All at once: one trip to the thread pool, and nothing to join.
    chunkSize: Math.max(constants.Z_MIN_CHUNK, sizeBytes),
    maxOutputLength: Math.max(1, sizeBytes),
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
  });
}

/** The most texts that depend on one keyframe. */
export const MAX_DEPENDENTS = 64;

/** Tells whether a text differs so much from its keyframe that it becomes one itself. */
export function isNewKeyframe(deltaBytes: number, wholeBytes: number): boolean {
  return deltaBytes > wholeBytes / 4;
}
