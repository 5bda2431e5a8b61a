import type { Kind } from '../../base/schema/kind.ts';
import { withoutUnwanted } from '../../base/text/shown-name.ts';

const KB = 1024;
const MB = 1024 * KB;

/** UTF-8's byte order mark, which may precede a file's content. */
export const MARK = Buffer.from('\ufeff');

export const ARCHIVE_LIMITS = {
  packedBytes: 50 * MB,
  entries: 1_000,
  /** The most bytes of all its files together, unpacked. */
  unpackedBytes: 200 * MB,
} as const;

/**
 * How many times as much as what was sent one import may write, and how much it always may: ordinary
 * texts and pictures pack to a tenth at best.
 */
const MOST_PER_BYTE = 50;
const ALWAYS_BYTES = 20 * MB;

/** Counts what one import writes, over all its files and archives, before it is written. */
export class ImportBudget {
  #received = 0;
  #bytes = 0;
  #documents = 0;

  /** Counts bytes that were sent. */
  receive(bytes: number): void {
    this.#received += bytes;
  }

  /** Returns why so much more is too much, as a phrase that follows a name, or `undefined`. */
  problemWith(more: { bytes: number; documents?: number }): string | undefined {
    const { unpackedBytes, entries } = ARCHIVE_LIMITS;
    const most = Math.min(unpackedBytes, Math.max(ALWAYS_BYTES, MOST_PER_BYTE * this.#received));
    if (this.#bytes + more.bytes > most) {
      return `would make more than ${Math.floor(most / MB)} MB of all that was sent`;
    }
    const documents = this.#documents + (more.documents ?? 0);
    return documents > entries ? `would make more than ${entries} documents at once` : undefined;
  }

  /** Counts what will be written, unless it is too much. @returns why it is, as a phrase */
  take(more: { bytes: number; documents?: number }): string | undefined {
    const problem = this.problemWith(more);
    if (problem !== undefined) return problem;
    this.#bytes += more.bytes;
    this.#documents += more.documents ?? 0;
    return undefined;
  }
}

const KIND_BY_ENDING: Record<string, Kind> = {
  md: 'brief',
  markdown: 'brief',
  html: 'page',
  htm: 'page',
};

const MAX_SHOWN_CHARACTERS = 200;

/** Returns the kind of document for a file, by its extension. */
export function kindOfFile(path: string): Kind | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(KIND_BY_ENDING, ending) ? KIND_BY_ENDING[ending] : undefined;
}

export function isArchive(path: string): boolean {
  return /\.zip$/i.test(path);
}

/** Returns the last part of a path without its extension, and without the id that Notion adds. */
export function stemOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return withoutId(name.replace(/\.[^.]*$/, ''));
}

export function withoutId(name: string): string {
  return name.replace(/ [0-9a-f]{32}$/, '');
}

/** Why an archive in an archive is skipped. One level of them is opened before. */
export const NESTED = 'is an archive inside an archive';

/**
 * Returns why to skip a file, as a phrase that follows its name, or `undefined`.
 *
 * @param isExport whether it comes from an archive written by this service, whose folders are
 *   known and in which a name with a leading period isn't a hidden file
 */
export function reasonToSkip(path: string, isExport: boolean): string | undefined {
  const parts = path.split(/[/\\]/);
  if (isExport && parts[0] === 'files') return 'is an uploaded file, not a document';
  if (isExport && parts[0] === HISTORY_FOLDER) return 'is an old revision';
  if (parts.includes('__MACOSX')) return 'is macOS metadata';
  if (!isExport && parts.some((part) => /^\.[^.]/.test(part))) return 'is hidden';
  if (isArchive(path)) return NESTED;
  if (!kindOfFile(path)) return 'is neither Markdown (.md, .markdown) nor HTML (.html, .htm)';
  return undefined;
}

/** Tells whether documents of an archive can refer to a file of it, by what its path says. */
export function canBeMeant(path: string, isExport: boolean): boolean {
  if (isArchive(path) || (isExport && path === EXPORT_INDEX)) return false;
  return isUpload(path, isExport) || reasonToSkip(`${path}.md`, isExport) === undefined;
}

/** Tells whether a file of an archive was uploaded where the archive was written. */
export function isUpload(path: string, isExport: boolean): boolean {
  return isExport && path.startsWith('files/');
}

/** Returns the name of an uploaded file, which in an export has an id before it. */
export function uploadName(path: string, isExport: boolean): string {
  const name = path.split('/').at(-1) ?? path;
  return isUpload(path, isExport)
    ? name.replace(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-/, '')
    : name;
}

/** The comment that marks archives written by this service. */
export const EXPORT_COMMENT = 'Briefs export, version 1';

/** The folder of old texts in such an archive. */
export const HISTORY_FOLDER = 'history';

/** The file in such an archive that describes the others. */
export const EXPORT_INDEX = 'briefs.json';

/**
 * The largest index that is read. An index of 1,000 documents without their history has half a
 * megabyte.
 */
export const INDEX_LIMIT_BYTES = 5 * MB;

/** Returns a phrase for a file that is too large. */
export function overLimit(limitBytes: number): string {
  return `is over ${limitBytes % MB === 0 ? `${limitBytes / MB} MB` : `${limitBytes / KB} KB`}`;
}

/** Makes a client's path safe to display. */
export function shownPath(path: string): string {
  const characters = Array.from(withoutUnwanted(path));
  if (characters.length <= MAX_SHOWN_CHARACTERS) return characters.join('');
  return `…${characters.slice(1 - MAX_SHOWN_CHARACTERS).join('')}`;
}

/** Decodes UTF-8 without its byte order mark, or returns what is wrong as a phrase. */
export function decodeText(bytes: Uint8Array): { text: string } | { problem: string } {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { problem: 'is UTF-16 text; save it as UTF-8 first' };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'is not text: it contains a NUL character' } : { text };
  } catch {
    return { problem: 'is not UTF-8 text; save it as UTF-8 first' };
  }
}
