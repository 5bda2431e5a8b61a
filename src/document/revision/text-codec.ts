import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Log2 of how far back a match can lie: 16 MB, more than two of the largest texts. */
const WINDOW_LOG = 24;

/** Text and dictionary above this need a larger table, or matches of early passages are forgotten. */
const LARGE_BYTES = 2 * 1024 * 1024;
const LARGE_HASH_LOG = 22;

/** Fewer and larger pieces of output: each takes a trip to the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Compresses a text with zstd, on libuv's thread pool. The result carries a checksum.
 *
 * @param dictionary another text that is alike; without it, the text is compressed by itself
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
 * Gives back what {@link encodeText} compressed.
 *
 * @param sizeBytes how long the text is
 * @throws Error when the bytes are damaged or the dictionary is another
 */
export function decodeText(
  packed: Uint8Array,
  sizeBytes: number,
  dictionary?: Uint8Array,
): Promise<Buffer> {
  return decompress(packed, {
    ...(dictionary && { dictionary }),
    chunkSize: CHUNK_BYTES,
    maxOutputLength: Math.max(1, sizeBytes),
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
  });
}

/** After so many texts that depend on it, a keyframe is followed by another. */
export const MAX_DEPENDENTS = 64;

/** Whether a text is so unlike its keyframe that it becomes a keyframe itself. */
export function isNewKeyframe(deltaBytes: number, wholeBytes: number): boolean {
  return deltaBytes > wholeBytes / 4;
}
