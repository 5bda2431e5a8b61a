import zlib from 'node:zlib';

/** A piece of the cleaned image. */
type Pieces = AsyncGenerator<Buffer, void, void>;

/**
 * Removes an image's metadata: place and camera of a photo, texts, thumbnails, further images and
 * anything after the image. Leaves the orientation, without which photos from phones lie on their
 * side, and the colour profile. Doesn't change the pixels. Holds at most one metadata segment in
 * memory.
 *
 * Returns bytes of types other than JPEG, PNG, WebP and GIF unchanged. Where an image isn't as its
 * format says, the rest is left out.
 *
 * @param onSize called with each size that the image names, in pixels, before its bytes come; what it
 *   throws ends the image
 */
export async function* withoutMetadata(
  type: string,
  bytes: AsyncIterable<Buffer>,
  onSize: OnSize = () => {},
): Pieces {
  const clean = CLEANERS[type];
  if (!clean) return yield* bytes;
  const source = new Source(bytes);
  yield* clean(source, onSize);
  // Until everything is read, who sends it waits.
  await source.skip(Number.POSITIVE_INFINITY);
}

type OnSize = (width: number, height: number) => void;

const CLEANERS: Record<string, (source: Source, onSize: OnSize) => Pieces> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/gif': cleanGif,
};

/** Bytes that are read in pieces of any length. */
class Source {
  readonly #bytes: AsyncIterator<Buffer>;
  /** Read and not yet used. */
  held: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  /** Holds at least `count` bytes. @returns `false` if there are fewer */
  async has(count: number): Promise<boolean> {
    const more: Buffer[] = [];
    for (let length = this.held.length; length < count; ) {
      const { done, value } = await this.#bytes.next();
      if (done) break;
      more.push(value);
      length += value.length;
    }
    if (more.length > 0) this.held = Buffer.concat([this.held, ...more]);
    return this.held.length >= count;
  }

  /** Takes up to `count` held bytes. */
  take(count: number): Buffer {
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  /** Takes the next `count` bytes, however many that are, as they come. */
  async *pass(count: number): Pieces {
    for (let left = count; left > 0 && (await this.has(1)); ) {
      const piece = this.take(left);
      left -= piece.length;
      yield piece;
    }
  }

  /** Leaves out the next `count` bytes. */
  async skip(count: number): Promise<void> {
    for await (const _ of this.pass(count));
  }
}

const MARKER = { start: 0xd8, end: 0xd9, scan: 0xda, app0: 0xe0, app15: 0xef, comment: 0xfe };
/** Markers between C0 and CF that begin no frame. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];
const APP1 = 0xe1;

/** Segments of applications that change how pixels look: JFIF, the colour profile, Adobe's. */
const APP_KEPT: Record<number, string> = { 224: 'JFIF\0', 226: 'ICC_PROFILE\0', 238: 'Adobe' };

/**
 * Cleans a JPEG (ITU T.81, annex B): marker segments, before, between and after scans, until the
 * first image ends. Fill bytes before a marker are left out.
 */
async function* cleanJpeg(source: Source, onSize: OnSize): Pieces {
  let isOriented = false;
  while (await source.has(2)) {
    const marker = source.held.readUInt8(1);
    if (source.held[0] !== 0xff || marker === 0xff || marker === 0) {
      source.take(1);
      continue;
    }
    if (marker === MARKER.end) {
      yield source.take(2);
      return;
    }
    // Without a length: the start, restarts and 01.
    if (marker === 1 || (marker >= 0xd0 && marker <= MARKER.start)) {
      yield source.take(2);
      continue;
    }
    if (!(await source.has(4))) return;
    const length = 2 + source.held.readUInt16BE(2);
    if (length < 4 || !(await source.has(length))) return;
    const segment = source.take(length);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker);
    if (isFrame && length >= 9) onSize(segment.readUInt16BE(7), segment.readUInt16BE(5));
    if (marker === APP1) {
      const isExif = segment.toString('latin1', 4, 10) === 'Exif\0\0';
      const orientation: number = isExif && !isOriented ? orientationOf(segment.subarray(10)) : 1;
      isOriented ||= orientation > 1;
      if (orientation > 1) yield orientationSegment(orientation);
    } else if (isKept(marker, segment)) yield segment;
    if (marker === MARKER.scan) yield* scanOf(source);
  }
}

function isKept(marker: number, segment: Buffer): boolean {
  if (marker === MARKER.comment) return false;
  if (marker < MARKER.app0 || marker > MARKER.app15) return true;
  const name = APP_KEPT[marker];
  return name !== undefined && segment.toString('latin1', 4, 4 + name.length) === name;
}

/** Takes the coded data of a scan, until a marker other than a restart. */
async function* scanOf(source: Source): Pieces {
  while (await source.has(2)) {
    const end = endOfScan(source.held);
    yield source.take(end);
    if ((await source.has(2)) && endOfScan(source.held.subarray(0, 2)) === 0) return;
  }
  yield source.take(1);
}

/** Returns where a marker begins that isn't a restart or a coded FF, or may begin at the end. */
function endOfScan(bytes: Buffer): number {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1];
    if (next === undefined || !(next === 0 || (next >= 0xd0 && next <= 0xd7))) return at;
  }
  return bytes.length;
}

const ORIENTATION = 0x0112;

/** Returns the orientation in Exif data (TIFF 6.0, section 2); 1 if there is none. */
function orientationOf(tiff: Buffer): number {
  if (tiff.length < 10) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  for (let entry = start + 2; entry + 12 <= tiff.length; entry += 12) {
    if (entry >= start + 2 + 12 * short(start)) break;
    if (short(entry) !== ORIENTATION) continue;
    const value = short(entry + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Returns Exif data with only the orientation. */
function orientationData(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

function orientationSegment(orientation: number): Buffer {
  return Buffer.concat([Buffer.from('ffe10022457869660000', 'hex'), orientationData(orientation)]);
}

/** The optional chunks that change how an image looks: its colours, size on paper, frames. */
const PNG_KEPT =
  'tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' ');

/** The longest Exif data in which an orientation is looked for, as in a JPEG. */
const MAX_EXIF_BYTES = 65_536;

/**
 * Cleans a PNG (W3C, section 5.3): chunks of length, type, data and checksum. A chunk is optional if
 * its type starts with a small letter.
 */
async function* cleanPng(source: Source, onSize: OnSize): Pieces {
  yield* source.pass(8);
  while (await source.has(8)) {
    const length = source.held.readUInt32BE(0);
    const type = source.held.toString('latin1', 4, 8);
    if (type === 'IHDR' && (await source.has(16))) {
      onSize(source.held.readUInt32BE(8), source.held.readUInt32BE(12));
    }
    if (type === 'eXIf' && length <= MAX_EXIF_BYTES && (await source.has(12 + length))) {
      const orientation = orientationOf(source.take(12 + length).subarray(8, 8 + length));
      if (orientation > 1) yield pngChunk('eXIf', orientationData(orientation));
    } else if (/^[A-Z]/.test(type) || PNG_KEPT.includes(type)) yield* source.pass(12 + length);
    else await source.skip(12 + length);
    if (type === 'IEND') return;
  }
}

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(type, 'latin1'),
    data,
    Buffer.alloc(4),
  ]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(zlib.crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const WEBP_KEPT = ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
const VP8X_XMP = 0b100;

/**
 * Cleans a WebP (RFC 9649): RIFF chunks, padded to even lengths. The file says first how long it
 * is, so metadata is replaced by zeros.
 */
async function* cleanWebp(source: Source, onSize: OnSize): Pieces {
  if (!(await source.has(12))) return;
  let left = source.held.readUInt32LE(4) - 4;
  yield source.take(12);
  while (left >= 8 && (await source.has(8))) {
    const type = source.held.toString('latin1', 0, 4);
    const size = source.held.readUInt32LE(4);
    const length = Math.min(8 + size + (size % 2), left);
    left -= length;
    // The shortest lossless image is shorter than that.
    await source.has(18);
    onSize(...sizeOfWebp(type, source.held));
    if (type === 'VP8X' && (await source.has(9))) {
      const head = Buffer.from(source.take(9));
      head.writeUInt8(head.readUInt8(8) & ~VP8X_XMP, 8);
      yield head;
      yield* source.pass(length - 9);
    } else if (WEBP_KEPT.includes(type)) yield* source.pass(length);
    else yield* cleanedChunk(source, type, length);
  }
}

/** Reads the canvas or the frame (RFC 9649, sections 2.5 to 2.7); 0 in other chunks. */
function sizeOfWebp(type: string, chunk: Buffer): [width: number, height: number] {
  if (type === 'VP8L' && chunk.length >= 13) {
    const packed = chunk.readUInt32LE(9);
    return [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
  }
  if (chunk.length < 18) return [0, 0];
  if (type === 'VP8X') return [1 + chunk.readUIntLE(12, 3), 1 + chunk.readUIntLE(15, 3)];
  if (type === 'VP8 ') return [chunk.readUInt16LE(14) & 0x3fff, chunk.readUInt16LE(16) & 0x3fff];
  return [0, 0];
}

/** Replaces a chunk by one of the same length: with the orientation only, or of no meaning. */
async function* cleanedChunk(source: Source, type: string, length: number): Pieces {
  const head = Buffer.from(source.take(8));
  if (type !== 'EXIF') head.write('JUNK', 'latin1');
  yield head;
  const size = length - 8;
  if (type === 'EXIF' && size <= MAX_EXIF_BYTES && (await source.has(size))) {
    const exif = source.take(size);
    // Some programs write it like in a JPEG.
    const at = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0;
    const data = orientationData(orientationOf(exif.subarray(at)));
    yield Buffer.concat([data, Buffer.alloc(size)]).subarray(0, size);
  } else for await (const piece of source.pass(size)) yield Buffer.alloc(piece.length);
}

const GIF = { extension: 0x21, application: 0xff, comment: 0xfe, image: 0x2c };
/** Applications whose extension says how often an animation is repeated. */
const GIF_LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

/** Cleans a GIF (version 89a): blocks, most of which consist of sub-blocks. */
async function* cleanGif(source: Source, onSize: OnSize): Pieces {
  if (!(await source.has(13))) return;
  onSize(source.held.readUInt16LE(6), source.held.readUInt16LE(8));
  yield* source.pass(13 + colourTableBytes(source.held.readUInt8(10)));
  while (await source.has(1)) {
    const introducer = source.held.readUInt8(0);
    if (introducer === GIF.image && (await source.has(10))) {
      onSize(source.held.readUInt16LE(5), source.held.readUInt16LE(7));
      yield* source.pass(11 + colourTableBytes(source.held.readUInt8(9)));
      for await (const block of subBlocksOf(source)) yield block;
    } else if (introducer === GIF.extension && (await source.has(3))) {
      const label = source.held.readUInt8(1);
      const isNamed = label === GIF.application && (await source.has(14));
      const isLoop = isNamed && GIF_LOOPS.includes(source.held.toString('latin1', 3, 14));
      const isMetadata = label === GIF.comment || (label === GIF.application && !isLoop);
      const head = source.take(2);
      if (!isMetadata) yield head;
      for await (const block of subBlocksOf(source)) if (!isMetadata) yield block;
    } else {
      // The trailer, or nothing that a GIF can contain.
      yield Buffer.from([0x3b]);
      return;
    }
  }
}

function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Takes blocks of a length and as many bytes, until one of length 0. */
async function* subBlocksOf(source: Source): Pieces {
  while (await source.has(1)) {
    const length = source.held.readUInt8(0);
    await source.has(1 + length);
    yield source.take(1 + length);
    if (length === 0) return;
  }
}
