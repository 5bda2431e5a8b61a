import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { fileNameOf, findFiles, isTaken, type LocalFile, writeWhole } from './files.ts';
import { hashOf, remember } from './memory.ts';
import { CommandError, type Result } from './outcome.ts';
import { listDocuments } from './owner.ts';
import { documentOfTarget } from './target.ts';
import { conflict, isLinked, pullLinked, readLinked, report, writeBack } from './transfer.ts';

/** Updates the files that an argument names. */
export async function pullPath(servers: Servers, path: string): Promise<Result[]> {
  const { files, skipped } = findFiles([path]);
  const results = skipped.map(skippedResult);
  for (const file of files) results.push(await pullFile(servers, file));
  return results;
}

function pullFile(servers: Servers, file: LocalFile): Promise<Result> {
  return report(file, async () => {
    const read = readLinked(file);
    if (isLinked(read)) return pullLinked(servers, read);
    return { file: file.shown, status: 'skipped', message: 'it hasn’t been pushed yet.' };
  });
}

/** Writes the document that an argument names, or all of an owner's documents, to a folder. */
export async function pullDocuments(
  servers: Servers,
  target: string,
  into: string,
): Promise<Result[]> {
  if (/^[a-z0-9-]+$/i.test(target)) {
    return pullOwner(servers, target, into, 'pull');
  }
  const ref = documentOfTarget(servers, target);
  const api = await servers.at(ref.server);
  mkdirSync(into, { recursive: true });
  return [await pullInto(servers, api, ref, into)];
}

/**
 * Writes an owner's documents to a folder.
 *
 * @param linked whether to pull or leave the folder's files that are already linked to one of them
 */
export async function pullOwner(
  servers: Servers,
  owner: string,
  into: string,
  linked: 'pull' | 'leave',
): Promise<Result[]> {
  const api = await servers.at(undefined);
  const { documents, unsafe } = await listDocuments(api, owner);
  mkdirSync(into, { recursive: true });
  const files = linkedFiles(into);
  const results: Result[] = unsafe.map((name) => ({
    ...{ file: name, status: 'failed' as const },
    message: 'the server sent a name that can’t be a file name.',
  }));
  for (const document of documents) {
    const file = files.get(keyOf({ ...document, server: api.server }));
    if (!file) results.push(await pullInto(servers, api, document, into));
    else if (linked === 'pull') results.push(await pullFile(servers, file));
  }
  return results;
}

/** Finds the files below a folder that are linked to a document, by {@link keyOf}. */
function linkedFiles(folder: string): Map<string, LocalFile> {
  const files = new Map<string, LocalFile>();
  for (const file of findFiles([folder]).files) {
    try {
      const { memory } = readLinked(file);
      if (memory) files.set(keyOf(memory.document), file);
    } catch {
      // An unreadable file is not linked.
    }
  }
  return files;
}

function keyOf({ server, kind, owner, name }: DocumentRef): string {
  return [server, kind, owner, name].join('\n');
}

/** Writes a document to a new file, or to the existing one if that is linked to it. */
async function pullInto(
  servers: Servers,
  api: Api,
  ref: Omit<DocumentRef, 'server'>,
  into: string,
): Promise<Result> {
  const shown = join(into, fileNameOf(ref.kind, ref.name));
  return report({ shown }, async () => {
    const document = await api.getDocument(ref);
    const path = join(realpathSync(into), fileNameOf(ref.kind, document.ref.name));
    const file = { shown, path, kind: ref.kind };
    if (!isTaken(path)) return writeNew(file, document);
    const [existing] = findFiles([shown]).files.filter((each) => each.path === path);
    if (!existing) throw new CommandError('it is a symbolic link, so it was left unchanged.');
    const read = readLinked(existing);
    if (isLinked(read) && keyOf(read.memory.document) === keyOf(document.ref)) {
      return pullLinked(servers, read);
    }
    if (!isLinked(read) && read.text === document.text) return writeBack(read, document, 'pulled');
    return conflict(
      read,
      document.ref,
      'another file has this name, so nothing was written. "briefs push --to" links the two.',
    );
  });
}

function writeNew(file: LocalFile, document: RemoteDocument): Result {
  const { ref, revision, text, url } = document;
  const memory = { document: ref, revision, hash: hashOf(text) };
  writeWhole(file.path, remember(file.kind, text, memory));
  return { file: file.shown, status: 'pulled', document: pathOf(ref), url, revision };
}

/** Returns the result of a file that {@link findFiles} skipped. */
export function skippedResult({ shown, why }: { shown: string; why: string }): Result {
  return { file: shown, status: 'skipped', message: why };
}
