import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import { Ignored } from './ignored.ts';
import { CommandError, NotADocument } from './outcome.ts';

const KIND_OF: Record<string, Kind> = {
  '.md': 'brief',
  '.markdown': 'brief',
  '.html': 'page',
  '.htm': 'page',
};
const EXTENSION_OF: Record<Kind, string> = { brief: '.md', page: '.html' };

/** Ends the stem of a file that shows a conflict; see {@link conflictPathOf}. */
const CONFLICT = '.conflict';

/** The largest file to read. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** A picture that is written into a brief. It is sent as an upload. */
const DATA_PICTURE = /data:image\/[a-z]+;base64,[\w+/=-]+/gi;

/** Keeps a byte order mark, so that it is still there when the file is written. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A file with a document's text. */
export interface LocalFile {
  /** The path as the user wrote it. */
  shown: string;
  path: string;
  kind: Kind;
  /** The folder of the command's arguments in which it was found, if it was. */
  folder?: string;
}

/** The files that arguments name, each once, and those that were skipped. */
export interface Found {
  files: LocalFile[];
  skipped: { shown: string; why: string }[];
  /** Files that the user excluded. Their documents aren't downloaded to other files. */
  ignored: LocalFile[];
}

/** Returns the kind of document that a file can be; `undefined` if none. */
export function kindOfFile(path: string): Kind | undefined {
  return KIND_OF[extname(path).toLowerCase()];
}

/** Tells whether a file or folder of this name is looked at: not hidden and unfinished ones. */
export function isSyncedName(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules';
}

/** Returns the file name of a document. Its name was checked by `isSafe`. */
export function fileNameOf(kind: Kind, name: string): string {
  return name + EXTENSION_OF[kind];
}

/** Returns a file's name without its extension. */
function stemOf(path: string): string {
  return basename(path, extname(path));
}

export function conflictPathOf(path: string): string {
  return join(dirname(path), stemOf(path) + CONFLICT + extname(path));
}

function isOfConflict(path: string): boolean {
  return stemOf(path).endsWith(CONFLICT);
}

/** Reverses {@link conflictPathOf}. */
function conflictedPathOf(path: string): string {
  return join(dirname(path), stemOf(path).slice(0, -CONFLICT.length) + extname(path));
}

/**
 * Finds files. Below folders, skips what {@link Ignored} excludes, names that begin with a period,
 * `node_modules`, files that show a conflict ({@link conflictPathOf}) and symbolic links, which could
 * lead to something that no one meant to publish.
 *
 * @param excludes patterns besides those of `.briefsignore`
 * @throws CommandError for an argument that doesn't exist, or is not a document
 */
export function findFiles(paths: readonly string[], excludes: readonly string[] = []): Found {
  const found: Found = { files: [], skipped: [], ignored: [] };
  for (const shown of paths) {
    const stat = statSync(shown, { throwIfNoEntry: false });
    if (!stat) throw new CommandError(`${shown}: there is no such file or folder.`);
    // An argument that is a link means its target.
    const path = realpathSync(shown);
    if (stat.isDirectory()) {
      walk({ shown, path, below: '', top: path }, found, Ignored.in(path, excludes));
      continue;
    }
    const kind = kindOfFile(path);
    if (!kind || !stat.isFile()) {
      throw new CommandError(
        `${shown}: only .md, .markdown, .html and .htm files can be documents.`,
      );
    }
    found.files.push({ shown, path, kind });
  }
  const byPath = new Map(found.files.toReversed().map((file) => [file.path, file]));
  return { ...found, files: found.files.filter((file) => byPath.get(file.path) === file) };
}

/** Returns the files in the same folder, not below it, as {@link findFiles} would, and ignored ones. */
export function filesBeside({ shown, path }: Pick<LocalFile, 'shown' | 'path'>): LocalFile[] {
  const found: Found = { files: [], skipped: [], ignored: [] };
  const top = dirname(path);
  const folder = { shown: dirname(shown), path: top, below: '', top };
  walk(folder, found, Ignored.in(folder.path, []), 'only this folder');
  return [...found.files, ...found.ignored];
}

/** A folder, and its path below the one of an argument, which ends in a slash unless empty. */
interface Folder {
  shown: string;
  path: string;
  below: string;
  /** The folder of the argument. */
  top: string;
}

function walk(folder: Folder, found: Found, around: Ignored, depth?: 'only this folder'): void {
  const ignored = folder.below === '' ? around : around.inside(folder.path, folder.below);
  const entries = readdirSync(folder.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map(({ name }) => name));
  const { top } = folder;
  for (const entry of entries) {
    if (!isSyncedName(entry.name)) continue;
    const [shown, path] = [join(folder.shown, entry.name), join(folder.path, entry.name)];
    const below = folder.below + entry.name;
    const kind = kindOfFile(path);
    if (entry.isDirectory()) {
      if (depth || ignored.has(`${below}/`)) continue;
      walk({ shown, path, below: `${below}/`, top }, found, ignored);
    } else if (kind && ignored.has(below)) {
      if (entry.isFile()) found.ignored.push({ shown, path, kind, folder: top });
    } else if (kind && entry.isSymbolicLink()) {
      found.skipped.push({ shown, why: 'it is a symbolic link.' });
    } else if (kind && entry.isFile() && isOfConflict(path)) {
      // If there is the file that it belongs to, that one's result tells of the conflict.
      if (names.has(basename(conflictedPathOf(path)))) continue;
      const own = basename(conflictedPathOf(path));
      found.skipped.push({ shown, why: `its name says that it shows a conflict of ${own}.` });
    } else if (kind && entry.isFile()) {
      found.files.push({ shown, path, kind, folder: top });
    }
  }
}

/** @throws NotADocument if the file is too long or not UTF-8 */
export function readText({ path, kind }: Pick<LocalFile, 'path' | 'kind'>): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat && path.includes('\ufffd')) throw new NotADocument('its name is not UTF-8.');
  const isTooLarge = (stat ?? statSync(path)).size > MAX_FILE_BYTES;
  if (isTooLarge) throw new NotADocument('a file can have at most 10 MB.');
  return decodeText(kind, readFileSync(path));
}

/** @throws NotADocument if the text is too long or not UTF-8 */
export function decodeText(kind: Kind, bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new NotADocument('it is not UTF-8.');
  }
  requireSize(kind, Buffer.byteLength(kind === 'brief' ? text.replace(DATA_PICTURE, '') : text));
  return text;
}

function requireSize(kind: Kind, bytes: number): void {
  const { contentLimitBytes } = KINDS[kind];
  // The line that links the file to its document is not sent.
  if (bytes <= contentLimitBytes + 4096) return;
  throw new NotADocument(`a ${kind} can have at most ${contentLimitBytes / 1024} KB.`);
}

/** Tells whether something is at a path, even a dangling link. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Writes a whole file or nothing: writes a file beside it and renames that. Synchronous, so that
 * Ctrl-C comes before or after. Never follows a link at `path`.
 *
 * @param mode the permissions; by default those of the old file
 */
export function writeWhole(path: string, text: string, mode?: number): void {
  const existing = lstatSync(path, { throwIfNoEntry: false });
  const kept = existing?.isFile() ? existing.mode & 0o777 : 0o644;
  const unfinished = join(dirname(path), `.briefs-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = openSync(unfinished, 'wx', mode ?? kept);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const { message } = error as Error;
    throw new CommandError(message.replaceAll(unfinished, path));
  }
}

/** Returns the path of a file below a folder, with slashes. */
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).split(/[\\/]/).join('/');
}
