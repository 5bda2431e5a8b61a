/**
 * Removes an image's metadata: place and camera of a photo, texts, the thumbnail. Leaves a JPEG's
 * orientation, without which photos from phones lie on their side. Returns bytes of types other
 * than JPEG, PNG and WebP unchanged.
 */
export function withoutMetadata(type: string, bytes: Buffer): Buffer {
  if (type === 'image/jpeg') return cleanJpeg(bytes);
  if (type === 'image/png') return cleanPng(bytes);
  return type === 'image/webp' ? cleanWebp(bytes) : bytes;
}

const APP1 = 0xe1;
const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;
/** Segments that change how pixels look: JFIF, Adobe's colour transform and the colour profile. */
const APP_KEPT = [0xe0, 0xe2, 0xee];

/** Cleans a JPEG (ITU T.81, annex B): marker segments before the scan. */
function cleanJpeg(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== START_OF_SCAN) {
    const marker = bytes[at + 1] as number;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const segment = bytes.subarray(at, end);
    const isApp = marker >= 0xe0 && marker <= 0xef;
    if (marker === APP1) {
      const orientation = orientationOf(segment);
      if (orientation > 1) kept.push(orientationSegment(orientation));
    } else if (marker !== COMMENT && (!isApp || APP_KEPT.includes(marker))) kept.push(segment);
    at = end;
  }
  return Buffer.concat([...kept, bytes.subarray(at)]);
}

const ORIENTATION = 0x0112;
/** The offset of TIFF data after the marker, the length and `Exif\0\0`. */
const TIFF_AT = 10;

/** Returns the orientation in an Exif segment (TIFF 6.0, section 2); 1 if there is none. */
function orientationOf(segment: Buffer): number {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return 1;
  const tiff = segment.subarray(TIFF_AT);
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

/** Returns an Exif segment with only the orientation. */
function orientationSegment(orientation: number): Buffer {
  const segment = Buffer.from(
    'ffe100224578696600004d4d002a00000008000101120003000000010000000000000000',
    'hex',
  );
  segment.writeUInt16BE(orientation, 28);
  return segment;
}

const PNG_METADATA = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME'];

/** Cleans a PNG (W3C, section 5.3): chunks of length, type, data and checksum. */
function cleanPng(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 8)];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!PNG_METADATA.includes(type)) kept.push(bytes.subarray(at, end));
    at = end;
    // Anything after the end chunk is not part of the image.
    if (type === 'IEND') break;
  }
  return Buffer.concat(kept);
}

const VP8X_EXIF_AND_XMP = 0b1100;

/**
 * Cleans a WebP (RFC 9649): RIFF chunks, padded to even lengths. The VP8X chunk says which others
 * exist.
 */
function cleanWebp(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let at = 12;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    const type = bytes.toString('latin1', at, at + 4);
    const chunk = Buffer.from(bytes.subarray(at, end));
    if (type === 'VP8X' && chunk.length > 8) chunk[8] = (chunk[8] as number) & ~VP8X_EXIF_AND_XMP;
    if (type !== 'EXIF' && type !== 'XMP ') kept.push(chunk);
    at = end;
  }
  const body = Buffer.concat([bytes.subarray(8, 12), ...kept]);
  const head = Buffer.from(bytes.subarray(0, 8));
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
