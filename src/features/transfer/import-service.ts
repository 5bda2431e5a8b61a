import type { Readable } from 'node:stream';
import { ServiceError } from '../../base/errors.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { numberedName } from '../../base/text/document-name.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireVisibility } from '../../core/document/document-input.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { isNameTaken } from '../../core/document/document-store.ts';
import { type OwnerRef, requireCreatableOwner } from '../../core/owner/document-owner-service.ts';
import { QuotaExceeded } from '../../core/quota/quota.ts';
import { requireQuota } from '../../core/quota/quota-service.ts';
import { type ArchivedFile, ArchiveProblem, readArchive } from './archive-reader.ts';
import { readMarks, setMarks } from './import-marks.ts';
import {
  type ArchiveResolver,
  type FileFate,
  planArchive,
  resolveReferences,
} from './import-references.ts';
import {
  decodeText,
  EXPORT_INDEX,
  ImportBudget,
  INDEX_LIMIT_BYTES,
  isArchive,
  kindOfFile,
  MARK,
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
  context: Context,
  actor: Actor,
  owner: OwnerRef,
  files: AsyncIterable<ImportFile>,
  options: ImportOptions,
): AsyncGenerator<ImportFate> {
  const found = await requireCreatableOwner(context.sql.read, actor, owner);
  requireVisibility(owner.type, options.visibility);
  const budget = new ImportBudget();
  const target = { context, actor, owner: found, options, budget, numbers: new Map() };
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
      await context.sql.transaction((tx) =>
        audit(context, tx, { action: 'document.imported', actor, ...about, detail }),
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
      return importArchived(target, path, files);
    });
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) throw error;
    yield { path: shownPath(path), outcome: 'failed', reason: error.message };
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
  { context, owner, options, budget }: Target,
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
    if (isThere && (await isNameTaken(context.sql.read, wanted))) continue;
    more.documents += 1;
    more.bytes += sizeBytes;
  }
  const problem = budget.problemWith(more);
  if (problem !== undefined) throw new ArchiveProblem(problem);
  try {
    await requireQuota(context, context.sql.read, owner.id, more, more.documents);
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
  { context, actor, owner }: Target,
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
    if (!(await setMarks(context, actor, ref, marks))) failed += 1;
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
  const read = await file.read(limitBytes);
  if ('problem' in read) return { ...shown, outcome: 'failed', reason: read.problem };
  const decoded = decodeText(read.bytes);
  if ('problem' in decoded) return { ...shown, outcome: 'failed', reason: decoded.problem };
  // `read` allows three more bytes for a byte order mark, even if the file has none.
  if (Buffer.byteLength(decoded.text) > limitBytes) {
    return { ...shown, outcome: 'failed', reason: overLimit(limitBytes) };
  }
  await target.options.requireSession();
  try {
    const base =
      resolver?.nameOf(file.path) ?? (await baseNameOf(target, kind, file.path, decoded.text));
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
    // Finds most taken names before storing the content.
    const wanted = { ownerId: owner.id, kind, name, exceptId: '' };
    if (!(await isNameTaken(context.sql.read, wanted))) {
      const created = await createDocument(context, actor, kind, owner, {
        content,
        name,
        visibility,
      }).catch(async (error) => {
        // Tries another name only after a definite refusal. After other errors, this very file may
        // have taken the name.
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
