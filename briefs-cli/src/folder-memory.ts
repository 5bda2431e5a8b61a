import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './files.ts';
import { CommandError } from './outcome.ts';

/** The folder in which a synced folder keeps what its files can't say. */
export const FOLDER = '.briefs';

/** What a folder stores, besides the lines in its files. */
export interface FolderMemory {
  /** The addresses of uploaded files, by server and hash of their content. Right in every copy. */
  uploads: Record<string, Record<string, string>>;
  /**
   * The documents that had a file at the last sync with `--delete`, by id. Absent until then.
   */
  documents?: Record<string, { file: string; address: string; revision: number }>;
  /** The references to files that came with documents' texts, by the paths of the documents' files. */
  received?: Record<string, string[]>;
  /** Where files with documents were that refer to others or are referred to, by their paths. */
  places?: Record<string, Place>;
  /** The hashes of the pictures that files refer to, by their paths. */
  pictures?: Record<string, string>;
}

/** The document of a file that may be elsewhere now. */
export interface Place {
  id: string;
  address: string;
}

export function folderMemoryPath(folder: string): string {
  return join(folder, FOLDER, 'folder.json');
}

/** @throws CommandError if the file is damaged */
export function readFolderMemory(folder: string): FolderMemory {
  const path = folderMemoryPath(folder);
  try {
    const memory = JSON.parse(readFileSync(path, 'utf8')) as FolderMemory;
    const { uploads = {}, documents, received, places, pictures } = memory;
    return {
      uploads: { ...uploads },
      ...(documents && { documents: { ...documents } }),
      ...(received && { received: { ...received } }),
      ...(places && { places: { ...places } }),
      ...(pictures && { pictures: { ...pictures } }),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { uploads: {} };
    throw new CommandError(`${path} is damaged. Delete it, then try again.`);
  }
}

export function writeFolderMemory(folder: string, memory: FolderMemory): void {
  mkdirSync(join(folder, FOLDER), { recursive: true });
  writeWhole(folderMemoryPath(folder), `${JSON.stringify(memory, null, 2)}\n`);
}
