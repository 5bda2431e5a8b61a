import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { numberedName } from '../../src/base/text/document-name.ts';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { fileNameOf, findFiles, isTaken, type LocalFile, writeWhole } from './files.ts';
import { identityOf, Links } from './links.ts';
import { memoryOf, remember } from './memory.ts';
import { CommandError, type Result } from './outcome.ts';
import { listDocuments } from './owner.ts';
import { documentOfTarget } from './target.ts';
import {
  conflict,
  isLinked,
  pullLinked,
  readLinked,
  refuseCopy,
  report,
  writeBack,
} from './transfer.ts';

/** Updates the files that an argument names. */
export async function pullPath(servers: Servers, path: string): Promise<Result[]> {
  const found = findFiles([path]);
  const links = Links.around(found);
  const results = found.skipped.map(skippedResult);
  for (const file of found.files) results.push(await pullFile(servers, file, links));
  return results;
}

function pullFile(servers: Servers, file: LocalFile, links: Links): Promise<Result> {
  return report(file, async () => {
    const read = readLinked(file);
    if (isLinked(read)) return refuseCopy(read, links) ?? pullLinked(servers, read);
    return { file: file.shown, status: 'skipped', message: 'it hasn’t been pushed yet.' };
  });
}

/** Writes the document that an argument names, or all of an owner's documents, to a folder. */
export async function pullDocuments(
  servers: Servers,
  target: string,
  into: string,
): Promise<Result[]> {
  const links = new Links(isTaken(into) ? findFiles([into]).files : []);
  if (/^[a-z0-9-]+$/i.test(target)) return pullOwner(servers, target, into, links, 'pull');
  const ref = documentOfTarget(servers, target);
  const api = await servers.at(ref.server);
  return [await pullInto(servers, api, ref, into, links)];
}

/**
 * Writes an owner's documents to a folder.
 *
 * @param links of the folder's files; new ones are added
 * @param linked whether to pull or leave the files that are already linked to one of the documents
 */
export async function pullOwner(
  servers: Servers,
  owner: string,
  into: string,
  links: Links,
  linked: 'pull' | 'leave',
): Promise<Result[]> {
  const api = await servers.at(undefined);
  const { documents, unsafe } = await listDocuments(api, owner);
  const results: Result[] = unsafe.map((name) => ({
    file: name,
    status: 'failed',
    message: 'the server sent a name that can’t be a file name.',
  }));
  for (const { id, kind, owner, name } of documents) {
    const document = { server: api.server, kind, owner, name };
    const files = links.filesOf({ document, id });
    if (files.length === 0) results.push(await pullInto(servers, api, document, into, links));
    else if (linked === 'pull') {
      for (const file of files) results.push(await pullFile(servers, file, links));
    }
  }
  return results;
}

/** Writes a document to the file that is linked to it, or to a new one. */
async function pullInto(
  servers: Servers,
  api: Api,
  ref: Omit<DocumentRef, 'server'>,
  into: string,
  links: Links,
): Promise<Result> {
  return report({ shown: join(into, fileNameOf(ref.kind, ref.name)) }, async () => {
    const document = await api.getDocument(ref);
    const [own] = links.filesOf(identityOf(document));
    if (own) return pullFile(servers, own, links);
    mkdirSync(into, { recursive: true });
    for (let number = 1; ; number++) {
      const { name } = document.ref;
      const fileName = fileNameOf(ref.kind, number === 1 ? name : numberedName(name, number));
      const path = join(realpathSync(into), fileName);
      const file = { shown: join(into, fileName), path, kind: ref.kind };
      if (!isTaken(path)) {
        links.add(file, identityOf(document));
        return writeNew(file, document);
      }
      if (
        !statSync(path, { throwIfNoEntry: false })?.isFile() ||
        lstatSync(path).isSymbolicLink()
      ) {
        throw new CommandError(
          'a folder or a symbolic link has this name, so nothing was written.',
        );
      }
      const read = readLinked(file);
      // That file has its own document. Names can move from one document to another.
      if (isLinked(read)) continue;
      if (read.text === document.text) {
        links.add(file, identityOf(document));
        return writeBack(read, document, 'pulled');
      }
      const message =
        'another file has this name, so nothing was written. Rename it, or push it with ' +
        `--to ${pathOf(document.ref)} to compare both.`;
      return conflict(read, document.ref, message);
    }
  });
}

function writeNew(file: LocalFile, document: RemoteDocument): Result {
  const { ref, revision, text, url } = document;
  writeWhole(file.path, remember(file.kind, text, memoryOf(document)));
  return { file: file.shown, status: 'pulled', document: pathOf(ref), url, revision };
}

/** Returns the result of a file that {@link findFiles} skipped. */
export function skippedResult({ shown, why }: { shown: string; why: string }): Result {
  return { file: shown, status: 'skipped', message: why };
}
