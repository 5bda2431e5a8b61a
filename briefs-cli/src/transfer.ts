import { KINDS } from '../../src/document/kind.ts';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { pathIn } from './api.ts';
import { awaitsDecision, hasMarks, howToDecide, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { type LocalFile, readText, writeWhole } from './files.ts';
import { type Links, linkedTwice } from './links.ts';
import { hashOf, type Memory, memoryOf, remember } from './memory.ts';
import { ApiError, CommandError, EXIT, type Result, type Status } from './outcome.ts';
import { findListed } from './owner.ts';
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
  const { revision: baseRevision, id } = memory.id
    ? memory
    : (await findLinked(api, memory)).memory;
  if (baseRevision === undefined || id === undefined) {
    const { current } = await findLinked(api, memory);
    if (current.text === text) return writeBack(linked, current, 'unchanged');
    return leave(linked, current, undefined);
  }
  const known = { ...memory, id };
  try {
    const written = await patchLinked(api, known, text, { baseRevision, ...note });
    return writeBack(linked, written, written.merged ? 'merged' : 'pushed');
  } catch (error) {
    if (!(error instanceof ApiError) || isOfAnother(error)) throw error;
    const isBaseGone = error.message.startsWith('baseRevision');
    if (error.code !== 'CONFLICT' && !isBaseGone) throw error;
    const { current } = await findLinked(api, known);
    return leave(linked, current, await loadText(api, current.ref, baseRevision));
  }
}

/** Returns a conflict if another file is linked to the same document. */
export function refuseCopy(linked: Linked, links: Links): Result | undefined {
  const { file, memory } = linked;
  const other = links.otherFileOf(file, memory);
  return other && conflict(linked, memory.document, linkedTwice(file, other, memory.document));
}

/** Writes a conflict beside a file. */
function leave(linked: Linked, current: RemoteDocument, base: string | undefined): Result {
  leaveConflict(linked.file, linked.text, current, base);
  return conflict(linked, current.ref, howToDecide(linked.file));
}

/** Replaces the text of a file's document, also if that has another name now. */
async function patchLinked(
  api: Api,
  memory: Memory & { id: string },
  text: string,
  note: { baseRevision: number; message?: string | undefined },
): Promise<RemoteDocument> {
  const { document, id } = memory;
  try {
    return await patch(api, { id, ref: document }, text, note);
  } catch (error) {
    const isLost =
      error instanceof ApiError && ([403, 404].includes(error.status) || isOfAnother(error));
    if (!isLost) throw error;
    const { current } = await findLinked(api, memory);
    return patch(api, current, text, note);
  }
}

/** Tells whether a write was refused because another document has the name. */
function isOfAnother({ code, message }: ApiError): boolean {
  return code === 'CONFLICT' && message.startsWith('documentId');
}

/** Writes a document's text to its linked file, unless the file was changed. */
export async function pullLinked(servers: Servers, linked: Linked): Promise<Result> {
  const { file, text } = linked;
  if (awaitsDecision(file)) return conflict(linked, linked.memory.document, howToDecide(file));
  const api = await servers.at(linked.memory.document.server);
  const { current, memory } = await findLinked(api, linked.memory);
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

/**
 * Finds a file's document by its id: at its address, where that leads after a rename, or in its
 * owner's list if another document has taken the name.
 *
 * @returns the document, and what the file stores about it. A line without an id counts only if the
 *   document had its text; otherwise the revision is left out, as if someone wrote it by hand.
 * @throws CommandError if it is gone
 */
async function findLinked(
  api: Api,
  memory: Memory,
): Promise<{ current: RemoteDocument; memory: Memory }> {
  const { document, id, revision, hash } = memory;
  const current = await api.findDocument(document);
  if (id === undefined && current) {
    const isSame = revision !== undefined && (await hadText(api, current, revision, hash));
    return { current, memory: isSame ? { ...memory, id: current.id } : { document } };
  }
  if (current && current.id === id) return { current, memory };
  const listed = id === undefined ? undefined : await findListed(api, document, id);
  const moved = listed && (await api.findDocument(listed));
  if (moved && moved.id === id) return { current: moved, memory };
  const why = current
    ? `${pathOf(document)} is another document now, and this file’s document can’t be found`
    : `${pathOf(document)} was deleted, or you can’t read it any more`;
  throw new CommandError(`${why}. Push the file with --new to make it a new document.`);
}

/** Tells whether a document's text had this hash at a revision. */
async function hadText(
  api: Api,
  current: RemoteDocument,
  revision: number,
  hash: string | undefined,
): Promise<boolean> {
  if (revision === current.revision) return hashOf(current.text) === hash;
  const text = await loadText(api, current.ref, revision);
  return text !== undefined && hashOf(text) === hash;
}

/**
 * Replaces a document's text.
 *
 * @throws ApiError 409 if both sides changed the same lines since the base, or if the name belongs to
 *   another document
 */
export async function patch(
  api: Api,
  { id, ref }: { id: string; ref: DocumentRef },
  text: string,
  note: { baseRevision: number; message?: string | undefined },
): Promise<RemoteDocument> {
  const { baseRevision, message } = note;
  const body = { [KINDS[ref.kind].contentField]: text, documentId: id, baseRevision, message };
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
export function writeBack(
  read: Read & { memory?: Memory | undefined },
  current: RemoteDocument,
  status: Status,
): Result {
  const { file, whole } = read;
  const { ref, text } = current;
  const result = { ...outcome(read, status, ref, current), ...renamed(read, ref) };
  const next = remember(file.kind, text, memoryOf(current));
  if (next === whole) return result;
  if (readText(file) !== whole) {
    const message = 'it was changed in the meantime. Run "briefs sync" on it.';
    return { ...result, status: 'conflict', message };
  }
  writeWhole(file.path, next);
  return result;
}

/** Says that a file's document has another name now. */
function renamed(
  { memory }: { memory?: Memory | undefined },
  ref: DocumentRef,
): Pick<Result, 'message'> {
  if (!memory || pathOf(memory.document) === pathOf(ref)) return {};
  return { message: `renamed from ${pathOf(memory.document)}; the file keeps its name.` };
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
