import { promisify } from 'node:util';
import { constants, type ZstdOptions, zstdCompress, zstdDecompress } from 'node:zlib';

/** How a text is compressed: by itself, or with a keyframe as dictionary. */
export type Coding = 'zst' | 'zst+dict';

export interface Encoded {
  coding: Coding;
  body: Buffer;
}

/** A text that later ones are compressed with, so that reading any text needs at most two. */
export interface Keyframe {
  text: Buffer;
  /** How many texts are compressed with it already. */
  deltas: number;
}

/** Beyond so many, erasing a keyframe would have to encode too many texts again. */
export const MAX_DELTAS = 64;

/** A text whose delta is a larger part of what it takes by itself becomes a keyframe. */
const MAX_DELTA_SHARE = 1 / 4;

const LEVEL = 3;

/**
 * From this size of text and dictionary on, what level 3 remembers of a dictionary (a window of 2 MB,
 * 2^17 places) may not reach its beginning.
 */
const LARGE_BYTES = 256 * 1024;
const LARGE_WINDOW_LOG = 24;
const MAX_HASH_LOG = 22;

const compress = promisify<Buffer, ZstdOptions, Buffer>(zstdCompress);
const decompress = promisify<Buffer, ZstdOptions, Buffer>(zstdDecompress);

/**
 * Compresses a text, off the event loop. Without a keyframe, and where one no longer pays, the text
 * is encoded by itself and can be the next keyframe.
 */
export async function encodeText(text: Buffer, keyframe?: Keyframe): Promise<Encoded> {
  const whole = compress(text, options(text));
  if (!keyframe || keyframe.deltas >= MAX_DELTAS) return { coding: 'zst', body: await whole };
  const delta = await compress(text, options(text, keyframe.text));
  const isSmall = delta.length <= (await whole).length * MAX_DELTA_SHARE;
  return isSmall ? { coding: 'zst+dict', body: delta } : { coding: 'zst', body: await whole };
}

/**
 * Decompresses a text, off the event loop.
 *
 * @param sizeBytes the size of the text, which bounds what a damaged body can become
 * @param keyframe the text it was compressed with; only for `zst+dict`
 * @throws an error of zlib for a damaged body, or one with another keyframe or size
 */
export async function decodeText(
  { coding, body }: Encoded,
  sizeBytes: number,
  keyframe?: Buffer,
): Promise<Buffer> {
  if ((coding === 'zst+dict') !== (keyframe !== undefined)) {
    throw new TypeError(`coding ${coding}: a keyframe is ${keyframe ? 'given' : 'missing'}`);
  }
  const text = await decompress(body, {
    maxOutputLength: Math.max(1, sizeBytes),
    params: { [constants.ZSTD_d_windowLogMax]: LARGE_WINDOW_LOG },
    ...(keyframe && { dictionary: keyframe }),
  });
  if (text.length === sizeBytes) return text;
  throw new RangeError(`the text has ${text.length} bytes instead of ${sizeBytes}`);
}

function options(text: Buffer, dictionary?: Buffer): ZstdOptions {
  const size = text.length + (dictionary?.length ?? 0);
  const hashLog = Math.min(MAX_HASH_LOG, Math.ceil(Math.log2(size)));
  return {
    pledgedSrcSize: text.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
      ...(size >= LARGE_BYTES && {
        [constants.ZSTD_c_windowLog]: LARGE_WINDOW_LOG,
        [constants.ZSTD_c_hashLog]: hashLog,
        [constants.ZSTD_c_chainLog]: hashLog,
        [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      }),
    },
    ...(dictionary && { dictionary }),
  };
}
