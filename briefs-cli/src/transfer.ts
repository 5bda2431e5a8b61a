import { KINDS } from '../../src/base/schema/kind.ts';
import { type Api, pathIn, type RemoteDocument, type Servers } from './api.ts';

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
  if (awaitsDecision(file)) return waiting(linked);
  if (hasMarks(text)) return marked(linked);
  if (hashOf(text) === memory.hash) return outcome(linked, 'unchanged', memory.document);
  const api = await servers.at(memory.document.server);
  return pushFound(api, linked, await findLinked(api, linked), note);
}

async function pushFound(
  api: Api,
  linked: Linked,
  { current, base: baseRevision }: Found,
  { message }: { message?: string | undefined },
): Promise<Result> {
  const { text } = linked;
  if (current.text === text) return writeBack(linked, current, 'unchanged');
  if (baseRevision === undefined) return leave(linked, current, undefined);
  try {
    const written = await patch(api, current, text, { baseRevision, message });
    return writeBack(linked, written, written.merged ? 'merged' : 'pushed');
  } catch (error) {
    if (!(error instanceof ApiError) || error.message.startsWith('documentId')) throw error;
    const isBaseGone = error.message.startsWith('baseRevision');
    if (error.code !== 'CONFLICT' && !isBaseGone) throw error;
    const newest = (await findLinked(api, linked)).current;
    return leave(linked, newest, await loadText(api, newest.ref, baseRevision));
  }
}

function waiting(linked: Linked): Result {
  return conflict(linked, linked.memory.document, howToDecide(linked.file));
}

function marked(linked: Linked): Result {
  const message = 'it still has conflict marks. Resolve them first.';
  return conflict(linked, linked.memory.document, message);
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

/** Writes a document's text to its linked file, unless the file was changed. */
export async function pullLinked(servers: Servers, linked: Linked): Promise<Result> {
  if (awaitsDecision(linked.file)) return waiting(linked);
  const api = await servers.at(linked.memory.document.server);
  return pullFound(linked, await findLinked(api, linked));
}

function pullFound(linked: Linked, { current, base, isChanged }: Found): Result {
  const { text, memory } = linked;
  if (current.text === text) return writeBack(linked, current, 'unchanged');
  if (!isChanged) return outcome(linked, 'ahead', current.ref, current);
  if (base !== undefined && hashOf(text) === memory.hash) {
    return writeBack(linked, current, 'pulled');
  }
  const message = 'it changed here and on the server. "briefs sync" merges both.';
  return { ...outcome(linked, 'conflict', current.ref, current), message };
}

/** Pulls, and then pushes local changes. */
export async function syncLinked(
  servers: Servers,
  linked: Linked,
  note: { message?: string | undefined },
): Promise<Result> {
  if (awaitsDecision(linked.file)) return waiting(linked);
  const api = await servers.at(linked.memory.document.server);
  const found = await findLinked(api, linked);
  const isChangedHere = found.base === undefined || hashOf(linked.text) !== linked.memory.hash;
  if (found.current.text === linked.text || !isChangedHere) return pullFound(linked, found);
  return hasMarks(linked.text) ? marked(linked) : pushFound(api, linked, found, note);
}

/** A file's document. */
interface Found {
  current: RemoteDocument;
  /**
   * The revision that the file's text is based on; `undefined` if the document didn't have that
   * text, for example because the line was written by hand or the server was restored from a backup.
   */
  base: number | undefined;
  /** Whether the document's text differs from the remembered one. */
  isChanged: boolean;
}

/**
 * Finds a file's document by its id: at its address, where that leads after a rename, or in its
 * owner's list if another document has taken the name.
 *
 * @throws CommandError if it is gone
 */
async function findLinked(api: Api, { memory, text }: Linked): Promise<Found> {
  const { document, id } = memory;
  const there = await api.findDocument(document);
  let current = there;
  if (id !== undefined && there?.id !== id) {
    const listed = await findListed(api, document, id);
    const moved = listed && (await api.findDocument(listed));
    current = moved?.id === id ? moved : undefined;
  }
  if (!current) {
    const why = there
      ? `${pathOf(document)} is another document now, and this file’s document can’t be found`
      : `${pathOf(document)} was deleted, or you can’t read it any more`;
    throw new CommandError(`${why}. Push the file with --new to make it a new document.`);
  }
  const isChanged = hashOf(current.text) !== memory.hash;
  if (!isChanged) return { current, base: current.revision, isChanged };
  // Then the base doesn't matter.
  if (current.text === text) return { current, base: undefined, isChanged };
  return { current, base: await baseOf(api, current, memory), isChanged };
}

/** Returns the remembered revision if the document had the remembered text then. */
async function baseOf(
  api: Api,
  { ref, revision: newest }: RemoteDocument,
  { id, revision, hash }: Memory,
): Promise<number | undefined> {
  if (revision === undefined || revision >= newest) return undefined;
  const text = await loadText(api, ref, revision);
  // The text may be gone. Then only the id shows that it is the same document.
  const isBase = text === undefined ? id !== undefined : hashOf(text) === hash;
  return isBase ? revision : undefined;
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
    file: file.shown,
    status,
    document: pathOf(ref),
    ...(current && { url: current.url, revision: current.revision }),
    ...(current && current.warnings.length > 0 && { warnings: current.warnings }),
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
