import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ifMatch, pathIn } from './api.ts';
import { addressOfDocument, parseDocumentAddress, pathOf } from './document-ref.ts';
import { type LocalFile, pathBelow } from './files.ts';
import { FOLDER, type FolderMemory, readFolderMemory, writeFolderMemory } from './folder-memory.ts';
import { Links } from './links.ts';
import { Lists } from './lists.ts';
import { hasHash } from './memory.ts';
import type { Result } from './outcome.ts';
import { each, type Run, report } from './run.ts';
import { DocumentGone, findLinked, type Linked } from './transfer.ts';

/** Fewer deletions than this are never too many. */
const FEW = 5;

type Documents = NonNullable<FolderMemory['documents']>;

/**
 * Follows deletions in a folder, on both sides. A deleted document goes to the trash of the server, a
 * deleted file to one in the folder. Does nothing if more than half of all would be deleted, which
 * more likely means that a disk or a permission is missing.
 */
export class Deletions {
  readonly #run: Run;
  readonly #folder: string;
  readonly #shown: string;
  readonly #gone = new Map<string, Linked>();

  /** @param shown the folder as the user wrote it */
  constructor(run: Run, folder: string, shown: string) {
    this.#run = run;
    this.#folder = folder;
    this.#shown = shown;
  }

  /** Deletes documents whose files were there at the last sync, and are gone. */
  async deleteDocuments(): Promise<void> {
    const { documents = {} } = readFolderMemory(this.#folder);
    const all = Object.entries(documents);
    const missing = all.filter(([id, { file, address }]) => {
      const document = parseDocumentAddress(address);
      const isLinked = document && this.#run.links.filesOf({ document, id }).length > 0;
      return !isLinked && !existsSync(join(this.#folder, file));
    });
    if (isTooMuch(missing.length, all.length)) {
      const counts = `${missing.length} of ${all.length} files are gone`;
      this.#run.output.notice(`${counts}, so their documents were not deleted.`);
      return;
    }
    await each(this.#run, missing, (entry) => {
      const shown = join(this.#shown, entry[1].file);
      return report({ shown }, () => this.#deleteDocument(shown, entry));
    });
  }

  async #deleteDocument(
    file: string,
    [id, { address, revision }]: [string, Documents[string]],
  ): Promise<Result> {
    const document = parseDocumentAddress(address);
    if (!document) throw new Error('its address is damaged.');
    const api = await this.#run.servers.at(document.server);
    const memory = { document, id };
    const found = await findLinked({ lists: new Lists() }, api, { memory, text: '' }).catch(
      (error) => {
        if (error instanceof DocumentGone) return undefined;
        throw error;
      },
    );
    const result = { file, document: pathOf(found?.current.ref ?? document) };
    if (!found) return { ...result, status: 'deleted', message: 'its document was deleted, too.' };
    const { ref } = found.current;
    if (found.current.revision !== revision) {
      const message = 'the file was deleted, but its document has changed since, so it is kept.';
      return { ...result, status: 'skipped', message };
    }
    const headers = ifMatch(found.current);
    if (!this.#run.dryRun) await api.request(pathIn(ref), { method: 'DELETE', headers });
    const message = this.#run.dryRun
      ? 'its file was deleted. The document would go to the trash on the server.'
      : 'its file was deleted. The document is in the trash on the server.';
    return { ...result, status: 'deleted', message };
  }

  /**
   * Takes a file whose document is gone, if its text wasn't changed.
   *
   * @returns whether it was taken; {@link deleteFiles} deletes it
   */
  take(linked: Linked): boolean {
    if (!hasHash(linked.text, linked.memory.hash)) return false;
    this.#gone.set(linked.file.path, linked);
    return true;
  }

  /** @param count how many files there are */
  async deleteFiles(count: number): Promise<void> {
    const gone = [...this.#gone.values()];
    const tooMuch = isTooMuch(gone.length, count);
    await each(this.#run, gone, ({ file, memory }) =>
      report(file, async () => {
        const result = { file: file.shown, document: pathOf(memory.document) };
        if (tooMuch) {
          const counts = `${gone.length} of ${count} documents can’t be found`;
          return { ...result, status: 'failed', message: `${counts}, so no file was deleted.` };
        }
        const kept = this.#run.dryRun ? join(FOLDER, 'trash') : this.#toTrash(file);
        const where = join(this.#shown, kept);
        const message = this.#run.dryRun
          ? `its document was deleted. The file would go to ${where}.`
          : `its document was deleted. The file is in ${where}.`;
        return { ...result, status: 'deleted', message };
      }),
    );
  }

  /** @returns where the file is now, below the folder */
  #toTrash({ path }: LocalFile): string {
    const trash = join(FOLDER, 'trash');
    mkdirSync(join(this.#folder, trash), { recursive: true });
    for (let number = 1; ; number++) {
      const kept = join(trash, `${number === 1 ? '' : `${number}-`}${basename(path)}`);
      if (existsSync(join(this.#folder, kept))) continue;
      renameSync(path, join(this.#folder, kept));
      return kept;
    }
  }

  /** Stores which documents have files, for the next sync. */
  remember(files: readonly LocalFile[]): void {
    if (this.#run.dryRun) return;
    const before = readFolderMemory(this.#folder);
    const documents: Documents = {};
    for (const { file, memory } of Links.read(files)) {
      const { id, revision, document } = memory;
      if (id === undefined || revision === undefined) continue;
      const address = addressOfDocument(document);
      documents[id] = { file: pathBelow(this.#folder, file.path), address, revision };
    }
    writeFolderMemory(this.#folder, { ...before, documents });
  }
}

function isTooMuch(count: number, all: number): boolean {
  return count > FEW && count > all / 2;
}
