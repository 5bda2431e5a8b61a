import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** An instance's logo. */
export interface Logo {
  type: 'image/svg+xml' | 'image/png';
  bytes: Buffer;
  /** Changes with it, for its address. */
  version: string;
}

const MAX_BYTES = 64 * 1024;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Reads the file of a logo.
 *
 * @throws Error with a sentence about the file: unreadable, too large, or neither SVG nor PNG
 */
export function readLogo(path: string): Logo {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (bytes.length > MAX_BYTES) throw new Error('must be a file of at most 64 KB');
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  const isSvg = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(
    bytes.toString('utf8'),
  );
  if (!isPng && !isSvg) throw new Error('must be an SVG or PNG file');
  const version = hash('sha256', bytes, 'hex').slice(0, 12);
  return { type: isPng ? 'image/png' : 'image/svg+xml', bytes, version };
}
