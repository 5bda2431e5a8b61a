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

const utf8 = new TextDecoder('utf-8', { fatal: true });

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
}

function kindOfFile(path: string): Kind | undefined {
  return KIND_OF[extname(path).toLowerCase()];
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

/**
 * Finds files. Below folders, skips names that begin with a period, `node_modules`, files that show
 * a conflict ({@link conflictPathOf}) and symbolic links, which could lead to something that no one
 * meant to publish.
 *
 * @throws CommandError for an argument that doesn't exist, or is not a document
 */
export function findFiles(paths: readonly string[]): Found {
  const found: Found = { files: [], skipped: [] };
  for (const shown of paths) {
    const stat = statSync(shown, { throwIfNoEntry: false });
    if (!stat) throw new CommandError(`${shown}: there is no such file or folder.`);
    // An argument that is a link means its target.
    const path = realpathSync(shown);
    if (stat.isDirectory()) {
      walk(shown, path, found);
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

/** Returns the files in the same folder, not below it, as {@link findFiles} would. */
export function filesBeside({ shown, path }: Pick<LocalFile, 'shown' | 'path'>): LocalFile[] {
  const found: Found = { files: [], skipped: [] };
  walk(dirname(shown), dirname(path), found, 'only this folder');
  return found.files;
}

function walk(shown: string, folder: string, found: Found, depth?: 'only this folder'): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const [name, path] = [join(shown, entry.name), join(folder, entry.name)];
    const kind = kindOfFile(path);
    if (entry.isDirectory()) {
      if (!depth) walk(name, path, found);
    } else if (kind && entry.isSymbolicLink()) {
      found.skipped.push({ shown: name, why: 'it is a symbolic link.' });
    } else if (kind && entry.isFile() && !stemOf(path).endsWith(CONFLICT)) {
      found.files.push({ shown: name, path, kind });
    }
  }
}

/** @throws CommandError if the file is too long or not UTF-8 */
export function readText({ path, kind }: Pick<LocalFile, 'path' | 'kind'>): string {
  const { contentLimitBytes } = KINDS[kind];
  // The line that links the file to its document is not sent.
  if (statSync(path).size > contentLimitBytes + 4096) {
    throw new CommandError(`a ${kind} can have at most ${contentLimitBytes / 1024} KB.`);
  }
  try {
    return utf8.decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError('it is not UTF-8.');
    throw error;
  }
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
