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
import { CommandError } from './outcome.ts';

const KIND_OF: Record<string, Kind> = {
  '.md': 'brief',
  '.markdown': 'brief',
  '.html': 'page',
  '.htm': 'page',
};
const EXTENSION_OF: Record<Kind, string> = { brief: '.md', page: '.html' };

/** Ends the stem of a file that shows a conflict; see {@link conflictPathOf}. */
const CONFLICT = '.conflict';

/** Keeps a byte order mark, so that it is still there when the file is written. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A file with a document's text. */
export interface LocalFile {
  /** The path as the user wrote it. */
  shown: string;
  path: string;
  kind: Kind;
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

/** Tells whether a change of this path can matter: not those of hidden and unfinished files. */
export function isDocumentFile(path: string): boolean {
  const isHidden = path.split(/[\\/]/).some((name) => name.startsWith('.'));
  return !isHidden && (kindOfFile(path) !== undefined || extname(path) === '');
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
      walk({ shown, path, below: '' }, found, Ignored.in(path, excludes));
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
  const folder = { shown: dirname(shown), path: dirname(path), below: '' };
  walk(folder, found, Ignored.in(folder.path, []), 'only this folder');
  return [...found.files, ...found.ignored];
}

/** A folder, and its path below the one of an argument, which ends in a slash unless empty. */
interface Folder {
  shown: string;
  path: string;
  below: string;
}

function walk(folder: Folder, found: Found, around: Ignored, depth?: 'only this folder'): void {
  const ignored = folder.below === '' ? around : around.inside(folder.path, folder.below);
  const entries = readdirSync(folder.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const [shown, path] = [join(folder.shown, entry.name), join(folder.path, entry.name)];
    const below = folder.below + entry.name;
    const kind = kindOfFile(path);
    if (entry.isDirectory()) {
      if (depth || ignored.has(`${below}/`)) continue;
      walk({ shown, path, below: `${below}/` }, found, ignored);
    } else if (kind && ignored.has(below)) {
      if (entry.isFile()) found.ignored.push({ shown, path, kind });
    } else if (kind && entry.isSymbolicLink()) {
      found.skipped.push({ shown, why: 'it is a symbolic link.' });
    } else if (kind && entry.isFile() && isOfConflict(path)) {
      // If there is the file that it belongs to, that one's result tells of the conflict.
      if (names.has(basename(conflictedPathOf(path)))) continue;
      const own = basename(conflictedPathOf(path));
      found.skipped.push({ shown, why: `its name says that it shows a conflict of ${own}.` });
    } else if (kind && entry.isFile()) {
      found.files.push({ shown, path, kind });
    }
  }
}

/** @throws CommandError if the file is too long or not UTF-8 */
export function readText({ path, kind }: Pick<LocalFile, 'path' | 'kind'>): string {
  requireSize(kind, statSync(path).size);
  return decodeText(kind, readFileSync(path));
}

/** @throws CommandError if the text is too long or not UTF-8 */
export function decodeText(kind: Kind, bytes: Uint8Array): string {
  requireSize(kind, bytes.length);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CommandError('it is not UTF-8.');
  }
}

function requireSize(kind: Kind, bytes: number): void {
  const { contentLimitBytes } = KINDS[kind];
  // The line that links the file to its document is not sent.
  if (bytes <= contentLimitBytes + 4096) return;
  throw new CommandError(`a ${kind} can have at most ${contentLimitBytes / 1024} KB.`);
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
    throw error;
  }
}

/** Returns the path of a file below a folder, with slashes. */
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).split(/[\\/]/).join('/');
}
