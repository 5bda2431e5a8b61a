import { KINDS } from '../../src/document/kind.ts';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { pathIn } from './api.ts';
import { awaitsDecision, hasMarks, howToDecide, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { type LocalFile, readText, writeWhole } from './files.ts';
import { hashOf, type Memory, remember } from './memory.ts';
import { ApiError, CommandError, EXIT, type Result, type Status } from './outcome.ts';
import { recallFile } from './target.ts';

/** A file as it was read. */
export interface Read {
  file: LocalFile;
  /** The whole content, to notice changes since. */
  whole: string;
  /** The text without the line that links it. */
  text: string;
}

/** A file that is linked to its document. */
type Linked = Read & { memory: Memory };

/** Turns an error about one file into its result, so that the others continue. */
export async function report(
  { shown }: Pick<LocalFile, 'shown'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof CommandError ? error.exitCode : EXIT.failed;
    // Every other file would fail in the same way.
    if (code === EXIT.signedOut || code === EXIT.usage) throw error;
    return { file: shown, status: 'failed', message: (error as Error).message };
  }
}

/**
 * Sends a file's text to its document. The service merges later changes by others. A conflict is
 * written beside the file.
 */
export async function pushLinked(
  servers: Servers,
  linked: Linked,
  note: { message?: string | undefined },
): Promise<Result> {
  const { file, text, memory } = linked;
  if (awaitsDecision(file)) return conflict(linked, memory.document, howToDecide(file));
  if (hasMarks(text))
    return conflict(linked, memory.document, 'it still has conflict marks. Resolve them first.');
  if (hashOf(text) === memory.hash) return outcome(linked, 'unchanged', memory.document);
  const api = await servers.at(memory.document.server);
  const { revision: baseRevision } = memory;
  if (baseRevision === undefined) return pushOver(api, linked, memory.document);
  try {
    const written = await patch(api, memory.document, text, { baseRevision, ...note });
    return writeBack(linked, written, written.merged ? 'merged' : 'pushed');
  } catch (error) {
    const isBaseGone = error instanceof ApiError && error.message.startsWith('baseRevision');
    if (!(error instanceof ApiError && error.code === 'CONFLICT') && !isBaseGone) throw error;
    const current = await api.getDocument(memory.document);
    const base = await loadText(api, memory.document, baseRevision);
    return conflict(linked, current.ref, leaveConflict(file, text, current, base));
  }
}

/** Links a file without a revision to a document with the same text, or writes a conflict. */
async function pushOver(api: Api, read: Read, ref: DocumentRef): Promise<Result> {
  const current = await api.getDocument(ref);
  if (current.text === read.text) return writeBack(read, current, 'unchanged');
  return conflict(read, current.ref, leaveConflict(read.file, read.text, current, undefined));
}

/** Writes a document's text to its linked file, unless the file was changed. */
export async function pullLinked(servers: Servers, linked: Linked): Promise<Result> {
  const { file, text, memory } = linked;
  if (awaitsDecision(file)) return conflict(linked, memory.document, howToDecide(file));
  const api = await servers.at(memory.document.server);
  const current = await api.getDocument(memory.document);
  const isChangedThere = hashOf(current.text) !== memory.hash;
  const isChangedHere = hashOf(text) !== memory.hash;
  if (current.text === text) return writeBack(linked, current, 'unchanged');
  if (!isChangedThere) return outcome(linked, 'ahead', current.ref, current);
  if (!isChangedHere) return writeBack(linked, current, 'pulled');
  const message = 'it changed here and on the server. "briefs sync" merges both.';
  return { ...outcome(linked, 'conflict', current.ref, current), message };
}

/** Pulls, and then pushes local changes. */
export async function syncLinked(
  servers: Servers,
  linked: Linked,
  note: { message?: string | undefined },
): Promise<Result> {
  const pulled = await pullLinked(servers, linked);
  const isWaiting = awaitsDecision(linked.file) || !['ahead', 'conflict'].includes(pulled.status);
  return isWaiting ? pulled : pushLinked(servers, linked, note);
}

/** Replaces a document's text. */
export async function patch(
  api: Api,
  ref: DocumentRef,
  text: string,
  note: { baseRevision: number; message?: string | undefined },
): Promise<RemoteDocument> {
  const body = { [KINDS[ref.kind].contentField]: text, ...note };
  return api.documentOf(ref.kind, await api.request(pathIn(ref), { method: 'PATCH', body }));
}

/** Returns an old text; `undefined` if it is gone or the caller can't read it. */
async function loadText(api: Api, ref: DocumentRef, revision: number): Promise<string | undefined> {
  try {
    const { json } = await api.request(`${pathIn(ref)}/revisions/${revision}`);
    const text = json?.data?.[KINDS[ref.kind].contentField];
    return typeof text === 'string' ? text : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Writes the document's current text and the line that links it. Leaves the file if it was changed
 * since it was read.
 */
export function writeBack(read: Read, current: RemoteDocument, status: Status): Result {
  const { file, whole } = read;
  const { ref, revision, text } = current;
  const result = outcome(read, status, ref, current);
  const next = remember(file.kind, text, { document: ref, revision, hash: hashOf(text) });
  if (next === whole) return result;
  if (readText(file) !== whole) {
    const message = 'it was changed in the meantime. Run "briefs sync" on it.';
    return { ...result, status: 'conflict', message };
  }
  writeWhole(file.path, next);
  return result;
}

export function outcome(
  { file }: Pick<Read, 'file'>,
  status: Status,
  ref: DocumentRef,
  current?: RemoteDocument,
): Result {
  return {
    ...{ file: file.shown, status, document: pathOf(ref) },
    ...(current && { url: current.url, revision: current.revision }),
  };
}

export function conflict(read: Pick<Read, 'file'>, ref: DocumentRef, message: string): Result {
  return { ...outcome(read, 'conflict', ref), message };
}

/** Reads a file. `memory` is absent if it isn't linked to a document. */
export function readLinked(file: LocalFile): Read & { memory: Memory | undefined } {
  return { file, ...recallFile(file) };
}

export function isLinked(read: Read & { memory: Memory | undefined }): read is Linked {
  return read.memory !== undefined;
}
