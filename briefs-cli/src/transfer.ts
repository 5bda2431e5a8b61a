import { KINDS } from '../../src/base/schema/kind.ts';
import { merge3 } from '../../src/base/text/merge.ts';
import { type Api, pathIn, type RemoteDocument } from './api.ts';

import { awaitsDecision, hasMarks, howToDecide, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { type LocalFile, readText, writeWhole } from './files.ts';
import { isSame, unified, withBreaksOf } from './line-breaks.ts';
import { linkedTwice } from './links.ts';
import { isFine } from './lists.ts';
import { hasHash, type Memory, memoryOf, recall, remember } from './memory.ts';
import { ApiError, NotADocument, type Result, type Status } from './outcome.ts';
import { partsOf } from './parts.ts';
import { recallFile } from './recall-file.ts';
import type { Run } from './run.ts';
import { storeSynced } from './synced.ts';

/** A file as it was read. */
export interface Read {
  file: LocalFile;
  /** The whole content, to notice changes since. */
  whole: string;
  /** The text without the line that links it, as it is in the file. */
  body: string;
  /** The text as it is sent. If the file isn't linked, `publish` finds that out. */
  text: string;
}

/** A file that is linked to its document. */
export type Linked = Read & { memory: Memory };

/**
 * Sends a file's text to its document. The service merges later changes by others. A conflict is
 * written beside the file.
 */
export async function pushLinked(run: Run, given: Linked): Promise<Result> {
  const { file, memory } = given;
  if (awaitsDecision(file)) return waiting(given);
  if (hasMarks(given.text)) return marked(given);
  const unchanged = (): Result => {
    renew(run, given);
    return {
      ...outcome(given, 'unchanged', memory.document),
      ...unresolved(run.bodies.unresolvedIn(file, given.body, 'gone')),
    };
  };
  if (hasHash(given.text, memory.hash)) return unchanged();
  const api = await run.servers.at(memory.document.server);
  const linked = await withPictures(run, api, given, 'upload');
  if (hasHash(linked.text, memory.hash)) return unchanged();
  return pushFound(run, api, linked, await findLinked(run, api, linked));
}

async function pushFound(run: Run, api: Api, linked: Linked, found: Found): Promise<Result> {
  const { current, base: baseRevision } = found;
  if (isSame(current.text, linked.text)) return writeBack(run, linked, current, 'unchanged');
  if (baseRevision === undefined) return leave(run, linked, current, undefined);
  if (run.dryRun) return foresee(run, api, linked, found);
  const text = withBreaksOf(current.text, linked.text);
  try {
    const { message } = run;
    const written = await patch(api, current, text, { baseRevision, message });
    return writeBack(run, linked, written, written.merged ? 'merged' : 'pushed');
  } catch (error) {
    if (!(error instanceof ApiError) || error.message.startsWith('documentId')) throw error;
    const isBaseGone = error.message.startsWith('baseRevision');
    if (error.code !== 'CONFLICT' && !isBaseGone) throw error;
    const newest = (await findLinked(run, api, linked)).current;
    return leave(run, linked, newest, await loadText(api, newest.ref, baseRevision));
  }
}

/** Returns what a push would do to a file and a document that differ. */
async function foresee(
  run: Run,
  api: Api,
  linked: Linked,
  { current, base, isChanged }: Found,
): Promise<Result> {
  if (!isChanged) return outcome(linked, 'pushed', current.ref, current);
  const before = base === undefined ? undefined : await loadText(api, current.ref, base);
  if (before === undefined) return leave(run, linked, current, before);
  const { conflicts } = merge3(unified(before), unified(current.text), unified(linked.text));
  if (conflicts.length > 0) return leave(run, linked, current, before);
  return outcome(linked, 'merged', current.ref, current);
}

function waiting(linked: Linked): Result {
  return conflict(linked, linked.memory.document, howToDecide(linked.file));
}

function marked(linked: Linked): Result {
  const message = 'it still has conflict marks. Resolve them first.';
  return conflict(linked, linked.memory.document, message);
}

/** Returns a conflict if another file is linked to the same document. */
export function refuseCopy({ links }: Run, linked: Linked): Result | undefined {
  const { file, memory } = linked;
  const other = links.otherFileOf(file, memory);
  return other && conflict(linked, memory.document, linkedTwice(file, other, memory.document));
}

/** Writes a conflict beside a file. */
function leave(
  run: Run,
  linked: Linked,
  current: RemoteDocument,
  base: string | undefined,
): Result {
  if (run.dryRun) return conflict(linked, current.ref, 'both sides changed the same lines.');
  leaveConflict(run, linked, current, base);
  return conflict(linked, current.ref, howToDecide(linked.file));
}

/** Writes a document's text to its linked file, unless the file was changed. */
export async function pullLinked(run: Run, given: Linked): Promise<Result> {
  if (awaitsDecision(given.file)) return waiting(given);
  const api = await run.servers.at(given.memory.document.server);
  const linked = await withPictures(run, api, given, 'find');
  return (
    (await findUntouched(run, api, linked)) ??
    pullFound(run, linked, await findLinked(run, api, linked))
  );
}

function pullFound(run: Run, linked: Linked, { current, base, isChanged }: Found): Result {
  const { text, memory } = linked;
  if (isSame(current.text, text)) return writeBack(run, linked, current, 'unchanged');
  if (!isChanged) return outcome(linked, 'ahead', current.ref, current);
  if (base !== undefined && hasHash(text, memory.hash)) {
    return writeBack(run, linked, current, 'pulled');
  }
  const message = 'it changed here and on the server. "briefs sync" merges both.';
  return { ...outcome(linked, 'conflict', current.ref, current), message };
}

/** Pulls, and then pushes local changes. */
export async function syncLinked(run: Run, given: Linked): Promise<Result> {
  if (awaitsDecision(given.file)) return waiting(given);
  const api = await run.servers.at(given.memory.document.server);
  const linked = await withPictures(run, api, given, 'upload');
  const untouched = await findUntouched(run, api, linked);
  if (untouched) return untouched;
  const found = await findLinked(run, api, linked);
  const isChangedHere = found.base === undefined || !hasHash(linked.text, linked.memory.hash);
  if (isSame(found.current.text, linked.text) || !isChangedHere) {
    return pullFound(run, linked, found);
  }
  return hasMarks(linked.text) ? marked(linked) : pushFound(run, api, linked, found);
}

/** Finds the addresses of the pictures of a file, which belong to its text as it is sent. */
export async function withPictures(
  { bodies, dryRun }: Run,
  api: Api,
  linked: Linked,
  mode: 'find' | 'upload',
): Promise<Linked> {
  const { file, body, memory } = linked;
  const hasOwnText = !hasHash(linked.text, memory.hash);
  const isNew = await bodies.provide(api, file, body, dryRun ? 'find' : mode, hasOwnText);
  return isNew ? { ...linked, text: bodies.toDocument(memory.document, file, body) } : linked;
}

/** Returns a result if a list shows that neither the file nor its document has changed. */
async function findUntouched(
  { lists, bodies, dryRun }: Run,
  api: Api,
  linked: Linked,
): Promise<Result | undefined> {
  const { document, revision, hash } = linked.memory;
  if (!hasHash(linked.text, hash)) return undefined;
  const listed = await lists.find(api, linked.memory);
  const isSamePlace = listed && isFine(listed, document.owner) && listed.name === document.name;
  if (!isSamePlace || revision === undefined || listed.revision !== revision) return undefined;
  renew({ dryRun }, linked);
  const gone = unresolved(bodies.unresolvedIn(linked.file, linked.body, 'gone'));
  return { ...outcome(linked, 'unchanged', document), url: listed.url, revision, ...gone };
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

/** A file's document can't be found or read any more. */
export class DocumentGone extends NotADocument {}

/**
 * Finds a file's document by its id: at its address, where that leads after a rename, or in its
 * owner's list if another document has taken the name.
 *
 * @throws DocumentGone
 */
export async function findLinked(
  { lists }: Pick<Run, 'lists'>,
  api: Api,
  { memory, text }: Pick<Linked, 'memory' | 'text'>,
): Promise<Found> {
  const { document, id } = memory;
  const there = await api.findDocument(document);
  let current = there;
  if (id !== undefined && there?.id !== id) {
    const listed = await lists.search(api, document, id).catch((error) => {
      // The owner is gone, too.
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    const isUsable = listed && isFine(listed, document.owner);
    const moved = isUsable ? await api.findDocument(listed) : undefined;
    current = moved?.id === id ? moved : undefined;
  }
  if (!current) {
    const why = there
      ? `${pathOf(document)} is another document now, and this file’s document can’t be found`
      : `${pathOf(document)} was deleted, or you can’t read it any more`;
    throw new DocumentGone(
      `${why}. Delete the file, or push it with --new to make it a new document.`,
    );
  }
  const isChanged = !hasHash(current.text, memory.hash);
  if (!isChanged) return { current, base: current.revision, isChanged };
  // Then the base doesn't matter.
  if (isSame(current.text, text)) return { current, base: undefined, isChanged };
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
  const isBase = text === undefined ? id !== undefined : hasHash(text, hash);
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
 * Writes the document's current text and the line that links it. What was changed in the file since
 * it was read stays; if it can't be merged, leaves the file.
 */
export function writeBack(
  { bodies, dryRun }: Pick<Run, 'bodies' | 'dryRun'>,
  read: Read & { memory?: Memory | undefined },
  current: RemoteDocument,
  status: Status,
): Result {
  const { file, whole, body } = read;
  const { ref, text } = current;
  const result = {
    ...outcome(read, status, ref, current),
    ...renamed(read, ref),
    ...unresolved(bodies.unresolvedIn(file, body, status === 'unchanged' ? 'gone' : 'all')),
  };
  const memory = memoryOf(current);
  if (dryRun) return result;
  const next = remember(file.kind, bodies.toFile(ref, file, body, text), memory);
  const { mark, rest } = partsOf(whole);
  if (next !== rest) {
    const now = partsOf(readText(file)).rest;
    // What was written in the meantime is for the next time.
    const merged = now === rest ? undefined : merge3(rest, next, now);
    if (merged && merged.conflicts.length > 0) {
      const message = 'it was changed in the meantime. Run "briefs sync" on it.';
      return { ...result, status: 'conflict', message };
    }
    writeWhole(file.path, mark + (merged?.text ?? next));
  }
  storeSynced(file, memory.id, memory);
  return result;
}

/** Writes the line of a file, and what its folder stores, as they are today: once after an update. */
function renew({ dryRun }: Pick<Run, 'dryRun'>, { file, whole, memory }: Linked): void {
  const { document, id, revision, hash } = memory;
  if (dryRun || id === undefined || revision === undefined || hash === undefined) return;
  const { mark, rest } = partsOf(whole);
  const before = recall(file.kind, rest);
  if (before.memory?.hash === undefined || readText(file) !== whole) return;
  const next = remember(file.kind, before.text, { document, id, revision, hash });
  writeWhole(file.path, mark + next);
  storeSynced(file, id, { revision, hash });
}

function unresolved(references: string[]): Pick<Result, 'unresolved'> {
  return references.length === 0 ? {} : { unresolved: references };
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

/**
 * Reads a file. `memory` is absent if it isn't linked to a document. Its references lead to where
 * files are now.
 */
export function readLinked(
  { bodies, servers }: Pick<Run, 'bodies' | 'servers'>,
  file: LocalFile,
): Read & { memory: Memory | undefined } {
  const recalled = recallFile(file);
  const { whole } = recalled;
  // Written by hand, it can be a line of the text that means something else.
  const { document, id, hash } = recalled.memory ?? {};
  const isByHand = document?.server !== undefined && id === undefined && hash === undefined;
  const isOther = isByHand && !servers.known().includes(document.server as string);
  const before = isOther ? partsOf(whole).rest : recalled.text;
  const memory = isOther ? undefined : recalled.memory;
  const body = bodies.follow(file, before, memory);
  const text = memory ? bodies.toDocument(memory.document, file, body) : body;
  return { file, whole, body, text, memory };
}

export function isLinked(read: Read & { memory: Memory | undefined }): read is Linked {
  return read.memory !== undefined;
}
