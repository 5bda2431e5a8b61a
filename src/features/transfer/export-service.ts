import { type PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { listLabelsOfAll } from '../../core/document/label-store.ts';
import { getOwnAccount } from '../../core/identity/account-service.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { listCoWriters, listRevisionRows } from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { type FileRow, listNextFiles } from '../files/file-store.ts';
import { listPinnedIds } from '../pins/pin-store.ts';
import {
  documentInExport,
  type ExportedReferences,
  exportedReferences,
  fileInExport,
} from './export-references.ts';
import {
  type ExportedRow,
  findExported,
  listCollaboratorsOf,
  listNextIds,
} from './export-store.ts';
import { EXPORT_COMMENT, EXPORT_INDEX, HISTORY_FOLDER, MARK } from './import-rules.ts';

/** How many ids or revisions are read at once. */
const BATCH = 100;

/**
 * Adds every stored text of a document to an archive, as `history/<path without
 * ending>/<number>.<ending>`.
 *
 * @param path the current text's path in the archive
 * @returns the index entries of the revisions, newest first
 */
async function addHistory(
  context: Context,
  archive: ArchiveWriter,
  { id, path }: { id: string; path: string },
): Promise<object[]> {
  const [, stem = path, ending = ''] = /^(.*)\.(\w+)$/.exec(path) ?? [];
  const entries: object[] = [];
  for (let number = 1; ; number++) {
    const { items } = await listRevisionRows(context.sql.read, id, { number, size: BATCH });
    const [to, from] = [items[0]?.version ?? 0, items.at(-1)?.version ?? 1];
    const coWriters = await listCoWriters(context.sql.read, id, { from, to });
    for (const { version, author, via, viaName, changed, message, at } of items) {
      const text = await loadRevisionText(context, id, version);
      const file = `${HISTORY_FOLDER}/${stem}/${version}.${ending}`;
      if (text !== undefined) {
        const bytes = Readable.from([Buffer.from(text)]);
        await archive.add({ path: file, bytes, modifiedAt: at });
      }
      const others = coWriters.filter((each) => each.version === version);
      const coAuthors = others.map(({ username }) => username);
      const about = {
        number: version,
        author,
        coAuthors,
        via,
        viaName,
        changed,
        message,
        createdAt: at,
      };
      entries.push({ ...(text !== undefined && { path: file }), ...about });
    }
    if (items.length < BATCH) return entries;
  }
}

const MARK_CHARACTER = MARK.toString();

/** How many characters of the index are converted to bytes at once. */
const PIECE_LENGTH = 65_536;

/** Collects index entries in pieces: together they may exceed the longest string. */
class IndexEntries {
  readonly #pieces: Buffer[] = [];
  #last = '';

  add(entry: object): void {
    const isFirst = this.#last === '' && this.#pieces.length === 0;
    this.#last += `${isFirst ? '' : ','}\n    ${JSON.stringify(entry)}`;
    if (this.#last.length < PIECE_LENGTH) return;
    this.#pieces.push(Buffer.from(this.#last));
    this.#last = '';
  }

  /** Returns what goes between the brackets. */
  text(): (Buffer | string)[] {
    const pieces = [...this.#pieces, this.#last];
    return pieces.some(({ length }) => length > 0) ? [...pieces, '\n  '] : [];
  }
}

function bytesOf(pieces: readonly (Buffer | string)[]): Readable {
  return Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );
}

/** Replaces the path in the index if the content is lost. */
const MISSING = { missing: true };

/** The most attempts to read a document whose content keeps being replaced. */
const READ_ATTEMPTS = 5;

/** The owner whose documents are exported. */
interface Owner {
  id: string;
  namespace: string;
  /** Only users have files. */
  hasFiles: boolean;
}

/**
 * Exports all documents that the actor or an organization owns as a zip archive:
 * `briefs/<name>.md`, `pages/<name>.html`, the actor's uploaded files and those that documents refer
 * to as `files/<id>-<name>`, and `briefs.json`, which describes them. References between them are
 * relative. The archive is created while it is read. So a document that
 * is changed during the export has either its old or its new text in it, and one that is deleted
 * may be missing.
 *
 * @param options.org an organization's namespace
 * @param options.history whether to include old texts, below `history/`
 * @param options.requireSession requires that the actor is still signed in, and throws UNAUTHORIZED
 *   otherwise. Called before each document and file, because the client decides how long it reads
 * @returns the archive; it fails if a back end does or the actor loses access, and stops when
 *   destroyed
 * @throws NOT_FOUND, FORBIDDEN unless the actor is an admin of the organization
 */
export async function exportDocuments(
  call: Call,
  options: { org?: string | undefined; history?: boolean; requireSession(): Promise<void> },
): Promise<Readable> {
  const { org, history = false, requireSession } = options;
  const owner = await requireExported(call, org);
  await call.sql.transaction((tx) =>
    audit(call, tx, {
      action: 'document.exported',
      actor: call.actor,
      ownerId: owner.id,
      subject: owner.namespace,
      detail: { history },
    }),
  );
  const archive = new ArchiveWriter();
  const requireAccess = async () => {
    await requireSession();
    await requireExported(call, org);
  };
  const references = exportedReferences(call, call.actor.id, owner);
  fill({ context: call, archive, owner, references, requireAccess }, history).catch((error) =>
    archive.output.destroy(error),
  );
  return archive.output;
}

/**
 * Returns the owner whose documents {@link exportDocuments} exports.
 *
 * @throws NOT_FOUND, FORBIDDEN unless the actor is an admin of the organization
 */
export async function requireExported(call: Call, org: string | undefined): Promise<Owner> {
  if (org !== undefined) {
    const { id, namespace } = await requireAllowed(call.sql.read, call.actor, 'export', org);
    return { id, namespace, hasFiles: false };
  }
  const { id, username } = await getOwnAccount(call);
  return { id, namespace: username, hasFiles: true };
}

/** An export that is being read. */
interface Export {
  context: Context;
  archive: ArchiveWriter;
  owner: Owner;
  references: ExportedReferences;
  /** Requires that the actor may still export. @throws UNAUTHORIZED, NOT_FOUND, FORBIDDEN */
  requireAccess(): Promise<void>;
}

async function fill(whole: Export, history: boolean): Promise<void> {
  const { context, archive, owner } = whole;
  const documents = new IndexEntries();
  for (const kind of ALL_KINDS) {
    for await (const entry of addDocuments(whole, { kind, history })) {
      documents.add(entry);
    }
  }
  const files = new IndexEntries();
  for await (const entry of addFiles(whole)) files.add(entry);
  const exportedAt = context.now();
  const about = JSON.stringify({ owner: owner.namespace, exportedAt }, null, 2);
  const index = [
    about.slice(0, -'\n}'.length),
    ',\n  "documents": [',
    ...documents.text(),
    '],\n  "files": [',
    ...files.text(),
    ']\n}\n',
  ];
  await archive.add({ path: EXPORT_INDEX, bytes: bytesOf(index), modifiedAt: exportedAt });
  archive.end(EXPORT_COMMENT);
}

/** Adds an owner's documents of one kind, oldest first. Yields their index entries. */
async function* addDocuments(
  { context, archive, owner, references, requireAccess }: Export,
  { kind, history }: { kind: Kind; history: boolean },
): AsyncGenerator<object> {
  const { read } = context.sql;
  const paths = new Set<string>();
  for (let after = ''; ; ) {
    const ids = await listNextIds(read, { ownerId: owner.id, kind, after, limit: BATCH });
    if (ids.length === 0) return;
    after = ids.at(-1) as string;
    const people = Map.groupBy(
      await listCollaboratorsOf(read, ids),
      ({ documentId }) => documentId,
    );
    const labelled = Map.groupBy(await listLabelsOfAll(read, ids), ({ documentId }) => documentId);
    const pinned = new Set(await listPinnedIds(read, owner.id));
    for (const id of ids) {
      await requireAccess();
      const found = await openDocument(context, id);
      if (!found) continue;
      const { row, bytes } = found;
      const { name, visibility, createdAt, updatedAt } = row;
      const path = freePath(paths, row);
      if (bytes) {
        const text = await references.relative(kind, (await buffer(bytes)).toString());
        await archive.add({ path, bytes: withMark(text), modifiedAt: updatedAt });
      }
      const collaborators = (people.get(id) ?? []).map(({ username, permission }) => ({
        username,
        permission,
      }));
      const labels = (labelled.get(id) ?? []).map(({ label }) => label);
      const marks = { labels, ...(pinned.has(id) && { pinned: true }) };
      const about = { id, kind, name, visibility, createdAt, updatedAt, ...marks, collaborators };
      const revisions = history ? await addHistory(context, archive, { id, path }) : undefined;
      yield { ...(bytes ? { path } : MISSING), ...about, ...(revisions && { revisions }) };
    }
  }
}

/** Opens a document and its content, if it isn't lost; `undefined` if the document is gone. */
async function openDocument(
  context: Context,
  id: string,
): Promise<{ row: ExportedRow; bytes: Readable | undefined } | undefined> {
  for (let attempt = 1; ; attempt++) {
    const row = await findExported(context.sql.read, id);
    if (!row) return undefined;
    const bytes = await openContent(context, row);
    if (bytes || attempt === READ_ATTEMPTS) return { row, bytes };
  }
}

async function openContent(
  context: Context,
  { content, storagePath }: ExportedRow,
): Promise<Readable | undefined> {
  return content === null
    ? context.blobs.read(storagePath as string)
    : Readable.from([Buffer.from(content)]);
}

/** Returns a text with a byte order mark if it begins with one, because importing removes one. */
function withMark(text: string): Readable {
  return Readable.from([
    Buffer.from(text.startsWith(MARK_CHARACTER) ? MARK_CHARACTER + text : text),
  ]);
}

/** Returns a free path: a document may take the name of one that was exported and renamed. */
function freePath(paths: Set<string>, { id, kind, name }: ExportedRow): string {
  const wanted = documentInExport(kind, name);
  const path = paths.has(wanted) ? documentInExport(kind, `${name}-${id}`) : wanted;
  paths.add(path);
  return path;
}

/** Adds a user's files, oldest first, and those that texts refer to. Yields their index entries. */
async function* addFiles(whole: Export): AsyncGenerator<object> {
  const { context, owner, references } = whole;
  const left = new Map(references.files);
  for (let after = ''; owner.hasFiles; ) {
    const rows = await listNextFiles(context.sql.read, owner.id, after, BATCH);
    for (const row of rows) {
      left.delete(row.id);
      yield await addFile(whole, row);
    }
    if (rows.length < BATCH) break;
    after = (rows.at(-1) as FileRow).id;
  }
  for (const row of left.values()) yield await addFile(whole, row);
}

async function addFile({ context, archive, requireAccess }: Export, row: FileRow): Promise<object> {
  await requireAccess();
  const bytes = await context.blobs.read(row.storagePath);
  const path = fileInExport(row);
  if (bytes) await archive.add({ path, bytes, modifiedAt: row.createdAt });
  const { id, name, contentType, sizeBytes, createdAt } = row;
  return { ...(bytes ? { path } : MISSING), id, name, contentType, sizeBytes, createdAt };
}

/** Owner can read and write, others can read. */
const MODE = 0o644;

interface ArchiveFile {
  path: string;
  bytes: Readable;
  modifiedAt: string;
}

/** Writes a zip archive, one file after another, as fast as it is read. */
class ArchiveWriter {
  /** The archive. Destroy it to stop. */
  readonly output: Readable;
  readonly #zip = new ZipFile();
  readonly #abandoned = new AbortController();

  constructor() {
    // The library's type doesn't say that it is a `PassThrough`.
    this.output = this.#zip.outputStream as PassThrough;
    this.output.once('close', () => this.#abandoned.abort());
    this.#zip.on('error', (error) => this.output.destroy(error as Error));
  }

  /**
   * Adds a file. Resolves once all of it has been read, so that the next doesn't wait in memory.
   *
   * @throws errors of `bytes`; an AbortError if the archive is no longer read
   */
  async add({ path, bytes, modifiedAt }: ArchiveFile): Promise<void> {
    const { signal } = this.#abandoned;
    try {
      signal.throwIfAborted();
      const done = finished(bytes, { signal });
      this.#zip.addReadStream(bytes, path, { mtime: new Date(modifiedAt), mode: MODE });
      await done;
    } finally {
      bytes.destroy();
    }
  }

  /** Ends the archive. @param comment plain ASCII */
  end(comment: string): void {
    this.#zip.end({ comment, forceZip64Format: false });
  }
}
