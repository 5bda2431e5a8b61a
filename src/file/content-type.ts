import { fileTypeFromBuffer } from 'file-type';

/** What may be uploaded, and how a browser is told to treat it (specification, "File uploads"). */
export const FILE_TYPES = {
  'image/jpeg': { disposition: 'inline', text: false },
  'image/png': { disposition: 'inline', text: false },
  'image/gif': { disposition: 'inline', text: false },
  'image/webp': { disposition: 'inline', text: false },
  // A browser's own viewer takes no notice of the sandbox (Chromium's), or does not run in one.
  'application/pdf': { disposition: 'attachment', text: false },
  'text/plain': { disposition: 'inline', text: true },
  'text/markdown': { disposition: 'inline', text: true },
} as const;

export type FileType = keyof typeof FILE_TYPES;

/** How many bytes from the beginning {@link sniffType} needs. */
export const SNIFFED_BYTES = 4_100;

/** Claims that say nothing. */
const NO_CLAIM = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * The type that a file's first bytes show; `text` when they show none, which is then to be proved
 * of all of it.
 */
export async function sniffType(head: Uint8Array): Promise<string> {
  return (await fileTypeFromBuffer(head))?.mime ?? 'text';
}

/**
 * The type a file is stored as, or what is wrong with it as a phrase that follows "file".
 *
 * @param sniffed what {@link sniffType} found
 * @param claimed the client's claim, a media type
 * @param name the file's name, which tells Markdown from plain text where the claim does not
 */
export function decideType(
  sniffed: string,
  claimed: string,
  name: string,
): { type: FileType } | { problem: string } {
  const claim = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const type = sniffed === 'text' ? textType(claim, name) : sniffed;
  const allowed = Object.keys(FILE_TYPES).join(', ');
  if (!isFileType(type)) return { problem: `is ${type}; allowed are ${allowed}` };
  if (!NO_CLAIM.has(claim) && !isFileType(claim)) {
    return { problem: `claims to be ${claim.slice(0, 100)}; allowed are ${allowed}` };
  }
  if (!NO_CLAIM.has(claim) && claim !== type) {
    return { problem: `claims to be ${claim.slice(0, 100)}, but its bytes are ${type}` };
  }
  return { type };
}

function textType(claim: string, name: string): FileType {
  if (claim === 'text/markdown' || claim === 'text/plain') return claim;
  return /\.(md|markdown)$/i.test(name) ? 'text/markdown' : 'text/plain';
}

function isFileType(type: string): type is FileType {
  return Object.hasOwn(FILE_TYPES, type);
}
