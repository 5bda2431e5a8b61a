import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LocalFile, writeWhole } from './files.ts';
import { FOLDER, folderMemoryPath } from './folder-memory.ts';

/** What a file and its document had in common last: a revision, and the hash of its text. */
export interface Synced {
  revision: number;
  hash: string;
}

const HEAD = '# What "briefs" synced last. Keep it with the files, for example in Git.\n';

const LINE = /^([0-9a-f-]{36}) (\d{1,10}) ([0-9a-f]{16})$/gm;

/** How many lines that say nothing any more a file can have besides as many others. */
const SPARE = 100;

interface Stored {
  /** Which content this was read from. */
  stamp: string;
  lines: number;
  byId: Map<string, Synced>;
}

const opened = new Map<string, Stored>();

/** Returns what was synced last of a document whose file is there. */
export function syncedOf(file: Pick<LocalFile, 'path' | 'folder'>, id: string): Synced | undefined {
  return open(folderOf(file)).byId.get(id);
}

/**
 * Stores what was synced of a file's document, in the folder `.briefs` around it. One line each, so
 * that a crash loses at most the last one, and Git can merge both sides' lines: the highest revision
 * counts.
 */
export function storeSynced(
  file: Pick<LocalFile, 'path' | 'folder'>,
  id: string,
  { revision, hash }: Synced,
): void {
  const folder = folderOf(file);
  const path = pathIn(folder);
  const stored = open(folder);
  const before = stored.byId.get(id);
  if (before?.revision === revision && before.hash === hash) return;
  stored.byId.set(id, { revision, hash });
  // After restoring a backup, revisions count from a lower number again.
  const isOlder = before !== undefined && before.revision >= revision;
  if (isOlder || stored.lines > 2 * stored.byId.size + SPARE) {
    const lines = Array.from(stored.byId, ([each, synced]) => lineOf(each, synced)).sort();
    writeWhole(path, HEAD + lines.join(''));
    stored.lines = lines.length;
  } else {
    if (stored.stamp === '') begin(folder);
    appendFileSync(path, lineOf(id, { revision, hash }));
    stored.lines += 1;
  }
  stored.stamp = stampOf(path);
}

function begin(folder: string): void {
  mkdirSync(join(folder, FOLDER), { recursive: true });
  const attributes = join(folder, FOLDER, '.gitattributes');
  if (!existsSync(attributes)) writeWhole(attributes, 'synced merge=union\n');
  writeWhole(pathIn(folder), HEAD);
}

function lineOf(id: string, { revision, hash }: Synced): string {
  return `${id} ${revision} ${hash}\n`;
}

/** Returns the nearest folder that stores something, or else the one that the command was given. */
function folderOf({ path, folder }: Pick<LocalFile, 'path' | 'folder'>): string {
  for (let each = dirname(path); ; each = dirname(each)) {
    if (existsSync(pathIn(each)) || existsSync(folderMemoryPath(each))) return each;
    if (dirname(each) === each) return folder ?? dirname(path);
  }
}

function open(folder: string): Stored {
  const path = pathIn(folder);
  const stamp = stampOf(path);
  const known = opened.get(folder);
  // Something else, such as Git, may have changed it.
  if (known?.stamp === stamp) return known;
  const byId = new Map<string, Synced>();
  let lines = 0;
  for (const [, id, revision, hash] of (stamp && readFileSync(path, 'utf8')).matchAll(LINE)) {
    lines += 1;
    const before = byId.get(id as string)?.revision ?? 0;
    if (Number(revision) < before) continue;
    byId.set(id as string, { revision: Number(revision), hash: hash as string });
  }
  const stored = { stamp, lines, byId };
  opened.set(folder, stored);
  return stored;
}

/** @returns an empty text if there is no such file */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : '';
}

function pathIn(folder: string): string {
  return join(folder, FOLDER, 'synced');
}
