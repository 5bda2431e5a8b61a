import { Readable } from 'node:stream';
import { ServiceError } from '../../base/errors.ts';
import { DATA_PICTURES } from '../../base/markdown/reference.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { numberedName } from '../../base/text/document-name.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import { requireVisibility } from '../../core/document/document-input.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { isNameTaken } from '../../core/document/document-store.ts';
import { type OwnerRef, requireCreatableOwner } from '../../core/owner/document-owner-service.ts';
import { QuotaExceeded } from '../../core/quota/quota.ts';
import { requireQuota } from '../../core/quota/quota-service.ts';
import { FILE_LIMIT_BYTES } from '../files/file-service.ts';
import { type ArchivedFile, ArchiveProblem, readArchive } from './archive-reader.ts';
import { readMarks, setMarks } from './import-marks.ts';
import {
  type ArchiveResolver,
  type FileFate,
  planArchive,
  resolveReferences,
} from './import-references.ts';
import {
  ARCHIVE_LIMITS,
  decodeText,
  EXPORT_INDEX,
  ImportBudget,
  INDEX_LIMIT_BYTES,
  isArchive,
  kindOfFile,
  MARK,
  NESTED,
  overLimit,
  reasonToSkip,
  shownPath,
} from './import-rules.ts';
import { baseNameOf, type ImportOptions, type Target } from './import-target.ts';

/** The highest number that is added to a name. */
const MAX_NUMBER = 10_000;

export interface ImportFile {
  /** Its name, possibly with folders. */
  path: string;
  /** Always read to the end. */
  bytes: Readable;
}

/** The result of importing a file. */
export type ImportFate =
  | {
      path: string;
      outcome: 'created';
      kind: Kind;
      owner: string;
      name: string;
      /** What the text refers to that wasn't found, as it is written there. */
      unresolved: string[];
    }
  | ({ path: string } & FileFate);

/**
 * Imports files as documents: Markdown as briefs, HTML as pages, archives file by file. Each
 * document is created in its own transaction, so a failure doesn't undo earlier ones. References
 * between files of an archive lead to the new documents and uploads. Documents of an archive that
 * this service exported keep their labels and pins.
 *
 * @param files read one after another
 * @returns the result of each file, as it is known; of an archive, of each file in it
 * @throws NOT_FOUND, FORBIDDEN for the owner and BAD_REQUEST for the visibility, before reading any
 *   file; errors of the files' streams; UNAUTHORIZED; BackEndUnavailable
 */
export async function* importDocuments(
  call: Call,
  owner: OwnerRef,
  files: AsyncIterable<ImportFile>,
  options: ImportOptions,
): AsyncGenerator<ImportFate> {
  const found = await requireCreatableOwner(call.sql.read, call.actor, owner);
  requireVisibility(owner.type, options.visibility);
  const budget = new ImportBudget();
  const target = { call, owner: found, options, budget, numbers: new Map() };
  let documents = 0;
  try {
    for await (const fate of importEach(target, files)) {
      if (fate.outcome === 'created') documents++;
      yield fate;
    }
  } finally {
    if (documents > 0) {
      const about = { ownerId: found.id, subject: found.namespace };
      const detail = { documents, visibility: options.visibility };
      await call.sql.transaction((tx) =>
        audit(call, tx, { action: 'document.imported', actor: call.actor, ...about, detail }),
      );
    }
  }
}

async function* importEach(
  target: Target,
  files: AsyncIterable<ImportFile>,
): AsyncGenerator<ImportFate> {
  for await (const { path, bytes } of files) {
    if (isArchive(path)) {
      yield* importArchive(target, path, bytes);
    } else {
      const read = async (limitBytes: number) => {
        const whole = await readWhole(bytes, limitBytes);
        if ('bytes' in whole) target.budget.receive(whole.bytes.length);
        return whole;
      };
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
    yield* readArchive(bytes, (files, packedBytes) => {
      target.budget.receive(packedBytes);
      return importOpened(target, path, files);
    });
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) throw error;
    yield { path: shownPath(path), outcome: 'failed', reason: error.message };
  }
}

/**
 * Imports what is in an archive, with what is in the archives in it, as if they were unpacked where
 * they are: some products export large workspaces so. All together have the limits of one.
 *
 * @param others files of those that are open
 * @throws ArchiveProblem
 */
async function* importOpened(
  target: Target,
  path: string,
  files: readonly ArchivedFile[],
  others: readonly ArchivedFile[] = [],
): AsyncGenerator<ImportFate> {
  const inner = files.find((file) => reasonToSkip(file.path, file.isExport) === NESTED);
  if (!inner) return yield* importArchived(target, path, [...files, ...others]);
  const rest = files.filter((file) => file !== inner);
  const folder = inner.path.slice(0, inner.path.lastIndexOf('/') + 1);
  let isOpen = false;
  let problem = '';
  try {
    const read = await inner.read(ARCHIVE_LIMITS.packedBytes);
    if ('problem' in read) problem = read.problem;
    else {
      yield* readArchive(Readable.from([read.bytes], { objectMode: false }), (found) => {
        const opened = found.map((file) => ({ ...file, path: folder + file.path }));
        requireWithinLimits([...rest, ...others, ...opened]);
        isOpen = true;
        return importOpened(target, path, rest, [...others, ...opened]);
      });
    }
  } catch (error) {
    if (!(error instanceof ArchiveProblem) || isOpen) throw error;
    problem = error.message;
  }
  if (isOpen) return;
  yield { path: shownPath(`${path}/${inner.path}`), outcome: 'failed', reason: problem };
  yield* importOpened(target, path, rest, others);
}

/** @throws ArchiveProblem */
function requireWithinLimits(files: readonly ArchivedFile[]): void {
  const { entries, unpackedBytes } = ARCHIVE_LIMITS;
  if (files.length > entries) throw new ArchiveProblem(`makes it more than ${entries} files`);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes > unpackedBytes) {
    throw new ArchiveProblem(`unpacked, ${overLimit(unpackedBytes)} with the others`);
  }
}

async function* importArchived(
  target: Target,
  path: string,
  files: readonly ArchivedFile[],
): AsyncGenerator<ImportFate> {
  const created = new Map<string, { kind: Kind; name: string }>();
  const resolver = await planArchive(target, files);
  await requireRoomFor(target, files, resolver);
  for (const file of files) {
    const inArchive = `${path}/${file.path}`;
    const isIndex = file.isExport && file.path === EXPORT_INDEX;
    // Whether documents refer to it is known at the end.
    if (!isIndex && resolver.isFile(file.path)) continue;
    const fate = isIndex
      ? await importMarks(target, inArchive, file, created)
      : await importFile(target, inArchive, file, resolver);
    if (fate.outcome === 'created') created.set(file.path, fate);
    yield fate;
  }
  for (const file of files) {
    if (!resolver.isFile(file.path)) continue;
    yield { path: shownPath(`${path}/${file.path}`), ...resolver.fateOf(file.path) };
  }
}

/**
 * Counts the documents that an archive would make, before the first of them is made.
 *
 * @throws ArchiveProblem if they are too many, too large together, or more than the owner can have
 */
async function requireRoomFor(
  { call, owner, options, budget }: Target,
  files: readonly ArchivedFile[],
  resolver: ArchiveResolver,
): Promise<void> {
  const more = { documents: 0, bytes: 0 };
  for (const { path, isExport, sizeBytes } of files) {
    const kind = kindOfFile(path);
    if (!kind || reasonToSkip(path, isExport)) continue;
    if (sizeBytes > KINDS[kind].contentLimitBytes + MARK.length) continue;
    const name = resolver.nameOf(path);
    const wanted = name !== undefined && { ownerId: owner.id, kind, name, exceptId: '' };
    const isThere = wanted && options.ifTaken === 'skip';
    if (isThere && (await isNameTaken(call.sql.read, wanted))) continue;
    more.documents += 1;
    more.bytes += sizeBytes;
  }
  const problem = budget.problemWith(more);
  if (problem !== undefined) throw new ArchiveProblem(problem);
  try {
    await requireQuota(call, call.sql.read, owner.id, more, more.documents);
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error;
    throw new ArchiveProblem(`was refused: ${error.message}`);
  }
}

/**
 * Gives created documents the labels and pins that the index of an export lists. The index is the
 * last file of the archive.
 *
 * @param created the documents by their path in the archive
 */
async function importMarks(
  { call, owner }: Target,
  path: string,
  index: ArchivedFile,
  created: ReadonlyMap<string, { kind: Kind; name: string }>,
): Promise<ImportFate> {
  const shown = { path: shownPath(path) };
  const read = await index.read(INDEX_LIMIT_BYTES);
  if ('problem' in read) return { ...shown, outcome: 'failed', reason: read.problem };
  let failed = 0;
  for (const [archived, marks] of readMarks(read.bytes.toString())) {
    const document = created.get(archived);
    if (!document) continue;
    const { kind, name } = document;
    const ref = { kind, name, owner: owner.namespace };
    if (!(await setMarks(call, ref, marks))) failed += 1;
  }
  if (failed === 0) return { ...shown, outcome: 'skipped', reason: 'describes the archive' };
  const documents = failed === 1 ? 'one document' : `${failed} documents`;
  const reason = `has labels or pins that could not be restored for ${documents}`;
  return { ...shown, outcome: 'failed', reason };
}

/**
 * @param path as displayed
 * @param resolver finds what the file refers to; without it, references stay as they are
 */
async function importFile(
  target: Target,
  path: string,
  file: Pick<ArchivedFile, 'path' | 'isExport' | 'read'>,
  resolver?: ArchiveResolver,
): Promise<ImportFate> {
  const shown = { path: shownPath(path) };
  const skipped = reasonToSkip(file.path, file.isExport);
  if (skipped) return { ...shown, outcome: 'skipped', reason: skipped };
  const kind = kindOfFile(file.path) as Kind;
  const limitBytes = KINDS[kind].contentLimitBytes;
  // A brief can be larger with pictures written into it, which are uploaded.
  const read = await file.read(kind === 'brief' ? FILE_LIMIT_BYTES : limitBytes);
  if ('problem' in read) return { ...shown, outcome: 'failed', reason: read.problem };
  const decoded = decodeText(read.bytes);
  if ('problem' in decoded) return { ...shown, outcome: 'failed', reason: decoded.problem };
  const isTooLarge = Buffer.byteLength(decoded.text) > limitBytes;
  if (isTooLarge && !decoded.text.includes(`${DATA_PICTURES}/`)) {
    return { ...shown, outcome: 'failed', reason: overLimit(limitBytes) };
  }
  await target.options.requireSession();
  try {
    const base =
      resolver?.nameOf(file.path) ?? (await baseNameOf(target.call, kind, file.path, decoded.text));
    const resolved = await resolveReferences(target, kind, file.path, decoded.text, resolver);
    if (!resolved || Buffer.byteLength(resolved.text) > limitBytes) {
      // Making it was work, too.
      target.budget.take({ bytes: limitBytes });
      const reason = `${overLimit(limitBytes)} with its pictures`;
      return { ...shown, outcome: 'failed', reason };
    }
    const { text, unresolved } = resolved;
    const problem = target.budget.take({ documents: 1, bytes: Buffer.byteLength(text) });
    if (problem !== undefined) return { ...shown, outcome: 'failed', reason: problem };
    const created = await createNamed(target, kind, base, text);
    if ('taken' in created) {
      return { ...shown, outcome: 'skipped', reason: `already exists, as "${created.taken}"` };
    }
    const owner = target.owner.namespace;
    return { ...shown, outcome: 'created', kind, owner, name: created.name, unresolved };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'UNAUTHORIZED') throw error;
    return { ...shown, outcome: 'failed', reason: `was refused: ${error.message}` };
  }
}

/**
 * Creates a document under the first free name.
 *
 * @param base without it, the name is random
 */
async function createNamed(
  target: Target,
  kind: Kind,
  base: string | undefined,
  content: string,
): Promise<{ name: string } | { taken: string }> {
  const { call, owner, options, numbers } = target;
  const { visibility } = options;
  if (base === undefined) {
    const { document } = await createDocument(call, kind, owner, { content, visibility });
    return { name: document.name };
  }
  const key = `${kind}/${base}`;
  const first = options.ifTaken === 'number' ? (numbers.get(key) ?? 1) : 1;
  for (let number = first; number <= MAX_NUMBER; number++) {
    const name = number === 1 ? base : numberedName(base, number);
    // Finds most taken names before storing the content.
    const wanted = { ownerId: owner.id, kind, name, exceptId: '' };
    if (!(await isNameTaken(call.sql.read, wanted))) {
      const created = await createDocument(call, kind, owner, {
        content,
        name,
        visibility,
      }).catch(async (error) => {
        // Tries another name only after a definite refusal. After other errors, this very file may
        // have taken the name.
        const isRefused = error instanceof ServiceError && error.code === 'UNPROCESSABLE';
        if (isRefused && (await isNameTaken(call.sql.read, wanted))) return undefined;
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

/** Reads a stream up to a limit. The rest stays in it. */
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
