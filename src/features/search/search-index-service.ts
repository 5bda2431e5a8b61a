import { BackEndUnavailable, TookTooLong } from '../../base/errors.ts';
import { chooseNext, type LastOwner } from '../../base/search/choose-next.ts';
import { lengthOf, MAX_TEXT_LENGTH, type Written } from '../../base/search/search-text.ts';
import { type Context, later } from '../../core/context.ts';
import { loadWritten } from '../../core/document/content.ts';
import type { OwnedName } from '../../core/document/document-alias-store.ts';
import { replaceReferences } from '../../core/document/reference-store.ts';
import {
  claimPending,
  deletePending,
  insertPendingAgain,
  listWaiting,
  type PendingDocument,
  releaseChanged,
  type SizeRange,
} from '../../core/outbox/search-pending-store.ts';
import type { IndexableDocument } from '../../storage/word-index/search-thread.ts';
import { readTargets } from './link-targets.ts';
import { type IndexableRow, listCollaboratorIds, listIndexable } from './search-store.ts';

/** When a claim expires, in case its process died. */
const CLAIM_MS = 30_000;

/** The most content indexed in one transaction, in bytes, unless one document is larger. */
const BYTES_AT_ONCE = 1024 * 1024;

/** How many waiting documents are considered at a time. */
const WINDOW = 512;

/** A claimed document, to be indexed, or removed from the index if `document` is gone. */
interface Claimed {
  pending: PendingDocument;
  document: IndexableDocument | undefined;
  /** What it links to. */
  targets: OwnedName[];
}

export interface IndexStep {
  /** How many documents it claimed. */
  done: number;
  /** Where the next step starts looking; `''` after the last waiting document. */
  after: string;
  /** The owner whose turn was last. */
  lastOwner: LastOwner;
  /**
   * The ids of documents that took too long. Only the beginning of their text is indexed, or only
   * their name if the thread had to be ended.
   */
  cut: string[];
}

/**
 * Updates the index for some changed or deleted documents. Owners take turns. Claims keep other
 * processes away; a document that changes in the meantime stays queued.
 *
 * @param limit the most documents
 * @param options.sizes only documents of this size; all by default
 * @param options.after from the step before; without it, starts with the first waiting documents
 * @param options.lastOwner from the step before
 * @throws the first failure, after indexing the other documents; BackEndUnavailable if a back end
 *   is down
 */
export async function indexPending(
  context: Context,
  limit: number,
  options: { sizes?: SizeRange; after?: string; lastOwner?: LastOwner } = {},
): Promise<IndexStep> {
  const { sizes = { above: -1, upTo: Number.POSITIVE_INFINITY }, after = '' } = options;
  const now = context.now();
  const window = await listWaiting(context.sql.read, { now, after, limit: WINDOW });
  const next = window.length < WINDOW ? '' : (window.at(-1)?.documentId ?? '');
  const open = chooseNext(
    window.filter(({ sizeBytes }) => sizeBytes > sizes.above && sizeBytes <= sizes.upTo),
    { documents: limit, bytes: BYTES_AT_ONCE },
    options.lastOwner,
  );
  const lastOwner = open.length > 0 ? open.at(-1)?.ownerId : options.lastOwner;
  const nothing = { done: 0, after: next, lastOwner, cut: [] };
  if (open.length === 0) return nothing;
  const claimed = await context.sql.transaction((tx) =>
    claimPending(tx, open, now, later(now, CLAIM_MS)),
  );
  if (claimed.length === 0) return nothing;
  const failures: unknown[] = [];
  const batch = await readClaimed(context, claimed, (error) => failures.push(error));
  const cut = batch.length > 0 ? await saveEach(context, batch, (e) => failures.push(e)) : [];
  if (failures.length > 0) throw failures[0];
  return { done: claimed.length, after: next, lastOwner, cut };
}

/** Reads claimed documents. Skips those that can't be read now; they are retried later. */
async function readClaimed(
  context: Context,
  claimed: readonly PendingDocument[],
  onFailure: (error: unknown) => void,
): Promise<Claimed[]> {
  const { read } = context.sql;
  const ids = claimed.map(({ documentId }) => documentId);
  const [rows, collaborators] = await Promise.all([
    listIndexable(read, ids, MAX_TEXT_LENGTH),
    listCollaboratorIds(read, ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const batch: Claimed[] = [];
  let isStoreAway = false;
  for (const pending of claimed) {
    const row = byId.get(pending.documentId);
    if (!row) {
      batch.push({ pending, document: undefined, targets: [] });
      continue;
    }
    // Each failing read takes long, and the store may be back at the next try.
    if (isStoreAway && row.content === null) continue;
    let written: Written | undefined;
    try {
      written = await loadWritten(context, row);
    } catch (error) {
      isStoreAway ||= error instanceof BackEndUnavailable;
      onFailure(error);
      continue;
    }
    // The document has changed since, or its content is lost; try again later.
    if (!written) {
      await context.sql.transaction((tx) => releaseChanged(tx, pending));
      continue;
    }
    const collaboratorIds = collaborators.get(row.id) ?? [];
    const document = toIndexable(row, written, collaboratorIds);
    try {
      batch.push({ pending, document, targets: await readTargets(context, row, written) });
    } catch (error) {
      onFailure(error);
    }
  }
  return batch;
}

function toIndexable(
  { id, updatedAt, storagePath, name, title, ownerId, ownerType, visibility }: IndexableRow,
  written: Written,
  collaboratorIds: string[],
): IndexableDocument {
  const readers = { ownerId, ownerType, visibility, collaboratorIds };
  return {
    id,
    updatedAt: Date.parse(updatedAt) || 0,
    storagePath,
    source: { id, name, title, written, ...readers },
  };
}

/**
 * Updates the index and what the documents link to, then removes the documents from the queue: if the process dies in between,
 * they are indexed again. A document that can't be removed is queued again: it has changed since,
 * or our claim expired and another process may have indexed a newer version.
 *
 * @returns the ids of documents that took too long
 */
async function save({ sql, searchThreads }: Context, batch: readonly Claimed[]): Promise<string[]> {
  const gone = batch.filter(({ document }) => !document);
  const changed = batch.flatMap(({ document }) => document ?? []);
  const { documents, cut } =
    changed.length > 0 ? await searchThreads.divide(changed) : { documents: [], cut: [] };
  await sql.words.change(
    documents,
    gone.map(({ pending }) => pending.documentId),
  );
  const left = await sql.transaction(async (tx) => {
    await replaceReferences(
      tx,
      batch.map(({ pending, targets }) => ({ documentId: pending.documentId, targets })),
    );
    return deletePending(
      tx,
      batch.map(({ pending }) => pending),
    );
  });
  // One transaction each, because one may wait for a writer and must not block the others.
  for (const pending of left) {
    await sql.transaction((tx) => insertPendingAgain(tx, pending));
  }
  return cut;
}

/**
 * Saves like {@link save}. After a failure, saves one document at a time, so that one that can't be
 * indexed doesn't block the others. If one takes so long that its thread is ended, indexes only its
 * name.
 */
async function saveEach(
  context: Context,
  batch: readonly Claimed[],
  onFailure: (error: unknown) => void,
): Promise<string[]> {
  try {
    return await save(context, batch);
  } catch (error) {
    const isTooLong = error instanceof TookTooLong;
    if (batch.length > 1 && (isTooLong || !(error instanceof BackEndUnavailable))) {
      const each = await Promise.all(batch.map((one) => saveEach(context, [one], onFailure)));
      return each.flat();
    }
    const [document] = batch.flatMap(({ document }) => document ?? []);
    const isByName = document && lengthOf(document.source.written) === 0;
    if (isTooLong && document && !isByName) {
      await saveEach(context, batch.map(withoutText), onFailure);
      return [document.id];
    }
    onFailure(error);
    return [];
  }
}

function withoutText({ pending, document, targets }: Claimed): Claimed {
  const source = document && { ...document.source, written: { markdown: '' } };
  return { pending, targets, document: document && source && { ...document, source } };
}
