import { fileTypeFromBuffer } from 'file-type';

/** The types that can be uploaded, and how they are served (specification, "File uploads"). */
export const FILE_TYPES = {
  'image/jpeg': { disposition: 'inline', text: false },
  'image/png': { disposition: 'inline', text: false },
  'image/gif': { disposition: 'inline', text: false },
  'image/webp': { disposition: 'inline', text: false },
  // Downloaded instead of shown: Chromium's PDF viewer ignores the sandbox, and other browsers'
  // viewers don't run in one.
  'application/pdf': { disposition: 'attachment', text: false },
  'text/plain': { disposition: 'inline', text: true },
  'text/markdown': { disposition: 'inline', text: true },
} as const;

export type FileType = keyof typeof FILE_TYPES;

/** How many bytes {@link sniffType} needs. */
export const SNIFFED_BYTES = 4_100;

/** Declared types that say nothing about the content. */
const NO_CLAIM = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * Media types by file extension. An extension that isn't listed may have any type; `text` is any
 * text type. Also lists types outside {@link FILE_TYPES} that people are likely to upload by
 * mistake.
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

/** Text formats that some programs treat as more than text. */
const TEXT_FORMATS = /^text\/|xml|rtf|postscript/;

/**
 * Returns the type shown by a file's first bytes, or `text` if they show none; then the whole file
 * must be checked. Some signatures are a few letters ("BM", "MAC ") that can also begin a sentence.
 */
export async function sniffType(head: Uint8Array): Promise<string> {
  const type = (await fileTypeFromBuffer(head))?.mime ?? 'text';
  const isSure = isFileType(type) || TEXT_FORMATS.test(type);
  return isSure || !createTextCheck()(head) ? type : 'text';
}

/**
 * Returns the type a file is stored as, or what is wrong with it as a phrase that follows "file".
 * The bytes decide. The declared type and the name's extension must agree with them.
 *
 * @param sniffed from {@link sniffType}
 * @param claimed the declared media type
 * @param name the file's name; also tells Markdown from plain text if `claimed` doesn't
 */
export function decideType(
  sniffed: string,
  claimed: string,
  name: string,
): { type: FileType } | { problem: string } {
  const claim = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const type = sniffed === 'text' ? textType(claim, name) : sniffed;
  if (!isFileType(type)) return unsupported(type);
  if (!NO_CLAIM.has(claim) && !isFileType(claim)) {
    return unsupported(claim.slice(0, 100));
  }
  if (!NO_CLAIM.has(claim) && claim !== type) {
    return { problem: `the content is ${type}, but it was sent as ${claim.slice(0, 100)}` };
  }
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = TYPE_BY_EXTENSION.get(extension) ?? type;
  const isNamedSo = named === 'text' ? FILE_TYPES[type].text : named === type;
  if (isNamedSo) return { type };
  return named === 'text' || isFileType(named)
    ? { problem: `the content is ${type}, but the name ends in .${extension}` }
    : unsupported(named);
}

/** The types to use instead, for errors. */
export const USE_INSTEAD = 'Use JPEG, PNG, GIF, WebP, PDF, text or Markdown';

/** Names a type by its extension, or else by its media type. */
function unsupported(type: string): { problem: string } {
  const [extension] = [...TYPE_BY_EXTENSION].find(([, of]) => of === type) ?? [];
  return { problem: `${extension?.toUpperCase() ?? type} isn’t supported. ${USE_INSTEAD}` };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/**
 * Returns a function to call with each piece of a text. It returns whether all pieces so far are
 * UTF-8 text or, without a piece, whether the text is complete.
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
