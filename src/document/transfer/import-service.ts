import type { Readable } from 'node:stream';
import type { Actor, Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { Visibility } from '../access.ts';
import { requireVisibility } from '../document-input.ts';
import { type OwnerRef, requireCreatableOwner } from '../document-owner-service.ts';
import { createDocument } from '../document-service.ts';
import { isNameTaken } from '../document-store.ts';
import { KINDS, type Kind } from '../kind.ts';
import { nameFromFile, nameFromHeading, numberedName } from '../name.ts';
import { type ArchivedFile, ArchiveProblem, readArchive } from './archive-reader.ts';
import {
  decodeText,
  isArchive,
  kindOfFile,
  MARK,
  overLimit,
  reasonToSkip,
  shownPath,
  stemOf,
} from './import-rules.ts';

/** How many names are tried for one file. */
const MAX_NUMBER = 10_000;

/** A file to be imported. */
export interface ImportFile {
  /** Its name, perhaps with folders before it. */
  path: string;
  /** Taken to its end, or set flowing so that it gets there. */
  bytes: Readable;
}

/** What became of a file, in the order in which they came. */
export type ImportFate =
  | { path: string; outcome: 'created'; kind: Kind; owner: string; name: string }
  /** `reason`: a phrase that follows the path. */
  | { path: string; outcome: 'skipped' | 'failed'; reason: string };

export interface ImportOptions {
  visibility: Visibility;
  /** Where the name is taken: leave the file out, or put a number behind the name. */
  ifTaken: 'skip' | 'number';
}

/** Where to, and in whose name. */
interface Target {
  context: Context;
  actor: Actor;
  owner: OwnerRef & { id: string };
  options: ImportOptions;
  /** The numbers that names have come to, by kind and name. */
  numbers: Map<string, number>;
}

/**
 * Makes documents of files: Markdown becomes briefs, HTML pages, and an archive is opened. Each is a
 * transaction of its own, so what came before a failure stays.
 *
 * @param files asked for the next when the one before is dealt with
 * @returns the fate of each file, as it is decided; in an archive, of each file there
 * @throws NOT_FOUND, FORBIDDEN for the owner; BAD_REQUEST for the visibility; before any file is
 *   looked at. What the files' streams throw; BackEndUnavailable
 */
export async function* importDocuments(
  context: Context,
  actor: Actor,
  owner: OwnerRef,
  files: AsyncIterable<ImportFile>,
  options: ImportOptions,
): AsyncGenerator<ImportFate> {
  const found = await requireCreatableOwner(context.sql.read, actor, owner);
  requireVisibility(owner.type, options.visibility);
  const target = { context, actor, owner: found, options, numbers: new Map() };
  for await (const { path, bytes } of files) {
    if (isArchive(path)) {
      yield* importArchive(target, path, bytes);
    } else {
      const read = (limitBytes: number) => readWhole(bytes, limitBytes);
      yield await importFile(target, path, { path, isExport: false, read });
      bytes.resume();
    }
  }
}

async function* importArchive(
  target: Target,
  path: string,
  bytes: Readable,
): AsyncGenerator<ImportFate> {
  try {
    for await (const file of readArchive(bytes)) {
      yield await importFile(target, `${path}/${file.path}`, file);
    }
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) throw error;
    yield { path: shownPath(path), outcome: 'failed', reason: error.message };
  }
}

/** @param path as it is shown */
async function importFile(target: Target, path: string, file: ArchivedFile): Promise<ImportFate> {
  const shown = { path: shownPath(path) };
  const skipped = reasonToSkip(file.path, file.isExport);
  if (skipped) return { ...shown, outcome: 'skipped', reason: skipped };
  const kind = kindOfFile(file.path) as Kind;
  const limitBytes = KINDS[kind].contentLimitBytes;
  const read = await file.read(limitBytes);
  if ('problem' in read) return { ...shown, outcome: 'failed', reason: read.problem };
  const decoded = decodeText(read.bytes);
  if ('problem' in decoded) return { ...shown, outcome: 'failed', reason: decoded.problem };
  // Where there is no mark, the reader lets through what one would take.
  if (Buffer.byteLength(decoded.text) > limitBytes) {
    return { ...shown, outcome: 'failed', reason: overLimit(limitBytes) };
  }
  try {
    const own = nameFromFile(stemOf(file.path));
    const base = own ?? (await nameFromContent(target, kind, decoded.text));
    const created = await createNamed(target, kind, base, decoded.text);
    if ('taken' in created) {
      return { ...shown, outcome: 'skipped', reason: `is there already, as "${created.taken}"` };
    }
    const owner = target.owner.namespace;
    return { ...shown, outcome: 'created', kind, owner, name: created.name };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...shown, outcome: 'failed', reason: `was refused: ${error.message}` };
  }
}

async function nameFromContent(
  { context: { markdown }, actor }: Target,
  kind: Kind,
  text: string,
): Promise<string | undefined> {
  const heading = await (kind === 'brief'
    ? markdown.firstHeading(actor.id, text)
    : markdown.htmlTitle(actor.id, text));
  return heading && nameFromHeading(heading);
}

/**
 * Makes a document under the first name that is free.
 *
 * @param base without it, the name is a random one
 */
async function createNamed(
  target: Target,
  kind: Kind,
  base: string | undefined,
  content: string,
): Promise<{ name: string } | { taken: string }> {
  const { context, actor, owner, options, numbers } = target;
  const { visibility } = options;
  if (base === undefined) {
    const { document } = await createDocument(context, actor, kind, owner, { content, visibility });
    return { name: document.name };
  }
  const key = `${kind}/${base}`;
  const first = options.ifTaken === 'number' ? (numbers.get(key) ?? 1) : 1;
  for (let number = first; number <= MAX_NUMBER; number++) {
    const name = number === 1 ? base : numberedName(base, number);
    // Most of those that are taken are found before their content is stored.
    const wanted = { ownerId: owner.id, kind, name, exceptId: '' };
    if (!(await isNameTaken(context.sql.read, wanted))) {
      const created = await createDocument(context, actor, kind, owner, {
        ...{ content, name, visibility },
      }).catch(async (error) => {
        // Not where it is unknown what became of it: then the name may be taken by this very file.
        const isRefused = error instanceof ServiceError && error.code === 'UNPROCESSABLE';
        if (isRefused && (await isNameTaken(context.sql.read, wanted))) return undefined;
        throw error;
      });
      if (created) {
        numbers.set(key, number + 1);
        return { name };
      }
    }
    if (options.ifTaken === 'skip') return { taken: name };
  }
  return { taken: base };
}

/** All that a stream gives. What is too much stays in it. */
async function readWhole(
  bytes: Readable,
  limitBytes: number,
): Promise<{ bytes: Buffer } | { problem: string }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > limitBytes + MARK.length) return { problem: overLimit(limitBytes) };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}
