import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFindFile, type FindFile } from '../../src/base/markdown/reference-paths.ts';
import { findFiles, isSyncedName } from './files.ts';
import { folderMemoryPath, type Place, readFolderMemory } from './folder-memory.ts';
import { Links } from './links.ts';

/** A folder whose files refer to one another. */
export interface Root {
  folder: string;
  /** The paths of its files, below it. */
  paths: readonly string[];
  /** Finds the file below the folder that a reference means. */
  find: FindFile;
  /** Which of its files are linked to which documents. */
  links(): Links;
  /** The files that were there and aren't any more: moved, renamed or deleted. */
  gone(): Gone;
}

interface Gone {
  isEmpty: boolean;
  find: FindFile;
  /** Returns the document of such a file. */
  at(path: string): Place | undefined;
  /** Returns the hash of such a picture. */
  hashOf(path: string): string | undefined;
  /** Returns where the file of a document was, below the folder. */
  pathOf(id: string | undefined): string | undefined;
}

/**
 * Finds the folders that references are relative to: the nearest one around a file that stores
 * something, one of the command's arguments, or else the file's own folder without those in it.
 * So a file is understood in the same way whether it is named itself or found in its folder.
 */
export class Roots {
  readonly #folders: readonly string[];
  readonly #ofFolder = new Map<string, string | undefined>();
  readonly #opened = new Map<string, Root>();

  /** @param folders the folders among the arguments, without symbolic links */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  of(path: string): Root {
    const own = dirname(path);
    const folder = this.#around(own);
    const root = folder === undefined ? open(own, 'only this folder') : undefined;
    const key = folder ?? own;
    const opened = this.#opened.get(key) ?? root ?? open(key);
    this.#opened.set(key, opened);
    return opened;
  }

  /** Makes the next reference read files again. */
  forget(): void {
    this.#opened.clear();
  }

  #around(folder: string): string | undefined {
    if (!this.#ofFolder.has(folder)) this.#ofFolder.set(folder, this.#findAround(folder));
    return this.#ofFolder.get(folder);
  }

  #findAround(folder: string): string | undefined {
    for (let each = folder; ; each = dirname(each)) {
      if (existsSync(folderMemoryPath(each))) return each;
      if (dirname(each) === each) break;
    }
    return this.#folders.find((each) => folder === each || folder.startsWith(join(each, '/')));
  }
}

function open(folder: string, depth?: 'only this folder'): Root {
  let links: Links | undefined;
  let gone: Gone | undefined;
  const paths = depth ? namesIn(folder) : pathsBelow(folder, '');
  return {
    folder,
    paths,
    find: createFindFile(paths),
    links() {
      links ??= new Links(depth ? [] : filesOf(folder));
      return links;
    },
    gone() {
      gone ??= goneFrom(folder, new Set(paths));
      return gone;
    },
  };
}

function goneFrom(folder: string, there: ReadonlySet<string>): Gone {
  const memory = readFolderMemory(folder);
  const missing = <Value>(all: Record<string, Value> = {}) =>
    new Map(Object.entries(all).filter(([path]) => !there.has(path)));
  const places = missing(memory.places);
  const pictures = missing(memory.pictures);
  const byId = new Map(Array.from(places, ([path, { id }]) => [id, path]));
  return {
    isEmpty: places.size + pictures.size === 0,
    find: createFindFile([...places.keys(), ...pictures.keys()]),
    at: (path) => places.get(path),
    hashOf: (path) => pictures.get(path),
    pathOf: (id) => (id === undefined ? undefined : byId.get(id)),
  };
}

function filesOf(folder: string) {
  const { files, ignored } = findFiles([folder]);
  return [...files, ...ignored];
}

function namesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function pathsBelow(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (!isSyncedName(name)) return [];
    if (entry.isDirectory()) return pathsBelow(folder, `${below}${name}/`);
    return entry.isFile() ? [below + name] : [];
  });
}
