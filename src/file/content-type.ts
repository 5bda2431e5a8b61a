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
 * The types that names of files claim, by extension. Extensions that are not listed claim nothing;
 * `text` is any text. Types outside of {@link FILE_TYPES} are listed where a mistake is likely.
 */
const TYPE_BY_EXTENSION = new Map(
  Object.entries({
    'image/jpeg': 'jpg jpeg jpe jfif',
    'image/png': 'png',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'application/pdf': 'pdf',
    text: 'txt text log md markdown csv tsv json yaml yml xml css js mjs ts',
    'text/html': 'html htm xhtml',
    'image/svg+xml': 'svg svgz',
    'image/avif': 'avif',
    'image/bmp': 'bmp',
    'image/heic': 'heic heif',
    'image/tiff': 'tif tiff',
    'image/x-icon': 'ico',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'video/mp4': 'mp4 m4v',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'application/zip': 'zip',
    'application/gzip': 'gz tgz',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  }).flatMap(([type, extensions]) => extensions.split(' ').map((one) => [one, type] as const)),
);

/** Formats that are text, and more to some programs. */
const TEXT_FORMATS = /^text\/|xml|rtf|postscript/;

/**
 * The type that a file's first bytes show; `text` when they show none, which is then to be proved
 * of all of it. A few letters make pictures and songs ("BM", "MAC "), and begin sentences, too.
 */
export async function sniffType(head: Uint8Array): Promise<string> {
  const type = (await fileTypeFromBuffer(head))?.mime ?? 'text';
  const isSure = isFileType(type) || TEXT_FORMATS.test(type);
  return isSure || !createTextCheck()(head) ? type : 'text';
}

/**
 * Returns the type a file is stored as, or what is wrong with it as a phrase that follows "file".
 * The bytes decide; the claimed type and the name's extension must agree with them.
 *
 * @param sniffed what {@link sniffType} found
 * @param claimed the client's claim, a media type
 * @param name the file's name, which also tells Markdown from plain text where the claim does not
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
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = TYPE_BY_EXTENSION.get(extension) ?? type;
  const isNamedSo = named === 'text' ? FILE_TYPES[type].text : named === type;
  if (isNamedSo) return { type };
  return named === 'text' || isFileType(named)
    ? { problem: `is named .${extension}, but its bytes are ${type}` }
    : { problem: `is named .${extension}, which is ${named}; allowed are ${allowed}` };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/**
 * Makes a function that tells of each piece of something whether it goes on being UTF-8 text; without
 * a piece, whether it may end there.
 */
export function createTextCheck(): (piece?: Uint8Array) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (piece) => {
    try {
      return !CONTROL.test(piece ? decoder.decode(piece, { stream: true }) : decoder.decode());
    } catch {
      return false;
    }
  };
}

function textType(claim: string, name: string): FileType {
  if (claim === 'text/markdown' || claim === 'text/plain') return claim;
  return /\.(md|markdown)$/i.test(name) ? 'text/markdown' : 'text/plain';
}

function isFileType(type: string): type is FileType {
  return Object.hasOwn(FILE_TYPES, type);
}
