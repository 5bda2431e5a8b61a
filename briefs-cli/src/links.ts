import type { RemoteDocument } from './api.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { conflictPathOf, type Found, filesBeside, type LocalFile } from './files.ts';
import type { Memory } from './memory.ts';
import { recallFile } from './recall-file.ts';

/** What identifies a document: its id, or for a line without one, its address. */
type Identity = Pick<Memory, 'document' | 'id'>;

/**
 * Which files are linked to which documents, in the folders of a command's arguments. A copied file
 * keeps its line, so two files can be linked to one document.
 */
export class Links {
  /** The files by the id of their document. */
  readonly #byId = new Map<string, LocalFile[]>();
  /** All files by the address of their document, and whether their line has an id. */
  readonly #byAddress = new Map<string, { file: LocalFile; hasId: boolean }[]>();
  readonly #memories: Memory[] = [];

  /** Reads the lines of these files. */
  constructor(files: readonly LocalFile[]) {
    for (const { file, memory } of Links.read(files)) {
      this.add(file, memory);
      this.#memories.push(memory);
    }
  }

  /** Reads what files say about their documents. An unreadable file is not linked. */
  static read(files: readonly LocalFile[]): { file: LocalFile; memory: Memory }[] {
    return files.flatMap((file) => {
      try {
        const { memory } = recallFile(file);
        return memory ? [{ file, memory }] : [];
      } catch {
        return [];
      }
    });
  }

  /** Reads the lines of the files that arguments name, and of those beside them. */
  static around(found: Found): Links {
    return new Links(Links.filesAround(found));
  }

  static filesAround({ files, ignored }: Found): LocalFile[] {
    const folders = new Map(files.map((file) => [pathOfFolder(file), file]));
    const all = new Map<string, LocalFile>();
    for (const file of folders.values()) {
      for (const beside of filesBeside(file)) all.set(beside.path, beside);
    }
    for (const file of [...files, ...ignored]) all.set(file.path, file);
    return [...all.values()];
  }

  /** Returns what the files said at the beginning. */
  memories(): readonly Memory[] {
    return this.#memories;
  }

  /** Records that a file is now linked to a document. */
  add(file: LocalFile, { document, id }: Identity): void {
    if (id !== undefined) push(this.#byId, `${document.server}\n${id}`, file);
    push(this.#byAddress, addressKey(document), { file, hasId: id !== undefined });
  }

  /** Finds the files that are linked to a document. */
  filesOf({ document, id }: Identity): LocalFile[] {
    const byAddress = this.#byAddress.get(addressKey(document)) ?? [];
    const files = byAddress
      .filter(({ hasId }) => id === undefined || !hasId)
      .map(({ file }) => file);
    if (id !== undefined) files.push(...(this.#byId.get(`${document.server}\n${id}`) ?? []));
    return [...new Map(files.map((file) => [file.path, file])).values()];
  }

  /** Finds a file other than this one that is linked to a document. */
  otherFileOf(file: LocalFile, identity: Identity): LocalFile | undefined {
    return this.filesOf(identity).find(({ path }) => path !== file.path);
  }
}

/** Returns what identifies a document that was read. */
export function identityOf({ ref, id }: Pick<RemoteDocument, 'ref' | 'id'>): Identity {
  return { document: ref, id };
}

/** Says why a file isn't synced if another is linked to the same document. */
export function linkedTwice(file: LocalFile, other: LocalFile, document: DocumentRef): string {
  if (conflictPathOf(other.path) === file.path) {
    return `it shows a conflict of ${other.shown}. Resolve that with "briefs resolve ${other.shown}".`;
  }
  const names = [file.shown, other.shown].sort().join(' and ');
  return (
    `${names} are both linked to ${pathOf(document)}, so nothing was written. Push the copy with ` +
    '--new to make it a new document.'
  );
}

function pathOfFolder({ path }: LocalFile): string {
  return path.replace(/[^\\/]*$/, '');
}

function addressKey({ server, kind, owner, name }: DocumentRef): string {
  return [server, kind, owner, name].join('\n');
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
