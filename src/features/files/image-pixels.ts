/**
 * Returns how many pixels a PNG, JPEG or WebP image has; `undefined` if it doesn't say.
 *
 * @param bytes the image without metadata, at least until the size
 */
export function pixelsOf(type: string, bytes: Buffer): number | undefined {
  const size = SIZES[type]?.(bytes);
  return size && size[0] * size[1];
}

type Size = [width: number, height: number] | undefined;

const SIZES: Record<string, (bytes: Buffer) => Size> = {
  'image/png': sizeOfPng,
  'image/jpeg': sizeOfJpeg,
  'image/webp': sizeOfWebp,
};

/** Reads the header (W3C, section 11.2.1), which is the first chunk. */
function sizeOfPng(bytes: Buffer): Size {
  if (bytes.length < 24) return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** Markers between C0 and CF that begin no frame. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];

/** Reads the header of the frame (ITU T.81, B.2.2). */
function sizeOfJpeg(bytes: Buffer): Size {
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (bytes[at] !== 0xff || marker === 0xda) return undefined;
    if (marker < 0xc0 || marker > 0xcf || NO_FRAME.includes(marker)) continue;
    return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
  return undefined;
}

/** Reads the canvas or the frame (RFC 9649, sections 2.5 to 2.7), which is in the first chunk. */
function sizeOfWebp(bytes: Buffer): Size {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3)];
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
    }
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    default:
      return undefined;
  }
}
