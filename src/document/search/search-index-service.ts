import { type Context, later } from '../../context.ts';
import { BackEndUnavailable, TookTooLong } from '../../errors.ts';
import type { IndexableDocument } from '../../runtime/search-thread.ts';
import { loadWritten } from '../content.ts';
import { type LastOwner, takeTurns } from './choose-next.ts';
import {
  claimPending,
  deletePending,
  insertPendingAgain,
  listWaiting,
  type PendingDocument,
  releaseChanged,
  type SizeRange,
} from './search-pending-store.ts';
import { type IndexableRow, listCollaboratorIds, listIndexable } from './search-store.ts';
import { lengthOf, MAX_TEXT_LENGTH, type Written } from './search-text.ts';

/** How long a claim keeps others away: when a process dies at it, they go on after this. */
const CLAIM_MS = 30_000;

/** How much content goes into one transaction, in bytes, but for a document that has more. */
const BYTES_AT_ONCE = 256 * 1024;

/** How many waiting documents are looked at to choose from. */
const WINDOW = 512;

/** A document that is to be indexed, or forgotten where it is gone. */
interface Claimed {
  pending: PendingDocument;
  document: IndexableDocument | undefined;
}

/** What a step of indexing came to. */
export interface IndexStep {
  /** How many documents it claimed, and indexed where nothing failed. */
  done: number;
  /** Where the next step is to look on; '' when this one saw the last waiting document. */
  after: string;
  /** The owner whose turn was last; the next step goes on behind them. */
  lastOwner: LastOwner;
  /** The ids of documents that took too long. Words from the beginning of their text are indexed. */
  cut: string[];
}

/**
 * Brings the index up to date with some documents that have changed or are deleted. Owners take turns.
 * Other processes leave alone what this one has claimed. What changes meanwhile stays to be indexed.
 *
 * @param limit how many, at most
 * @param options.sizes only documents of this size; all by default
 * @param options.after what the step before returned; without it, the first waiting documents are
 *   looked at
 * @param options.lastOwner what the step before returned
 * @throws what one of them cannot be read or indexed for, once the others are; BackEndUnavailable
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
  const open = takeTurns(
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

/** Reads what has been claimed, without what is not to be had now: its turn comes again. */
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
      batch.push({ pending, document: undefined });
      continue;
    }
    // It takes long to say so, each time, and may be back when it is their turn again.
    if (isStoreAway && row.content === null) continue;
    let written: Written | undefined;
    try {
      written = await loadWritten(context, row);
    } catch (error) {
      isStoreAway ||= error instanceof BackEndUnavailable;
      onFailure(error);
      continue;
    }
    // It has changed since; where it has not, its content has got lost, and may be back after a while.
    if (!written) {
      await context.sql.transaction((tx) => releaseChanged(tx, pending));
      continue;
    }
    const collaboratorIds = collaborators.get(row.id) ?? [];
    batch.push({ pending, document: toIndexable(row, written, collaboratorIds) });
  }
  return batch;
}

function toIndexable(
  { id, updatedAt, name, title, ownerId, ownerType, visibility }: IndexableRow,
  written: Written,
  collaboratorIds: string[],
): IndexableDocument {
  const readers = { ownerId, ownerType, visibility, collaboratorIds };
  return {
    id,
    updatedAt: Date.parse(updatedAt) || 0,
    source: { name, title, written, ...readers },
  };
}

/**
 * Changes the index first, then takes the documents off the list: a process that ends in between leaves
 * them to be indexed once more. What cannot be taken off is queued again: it has changed since, or our
 * claim expired and another process may have indexed a newer version.
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
  const left = await sql.transaction((tx) =>
    deletePending(
      tx,
      batch.map(({ pending }) => pending),
    ),
  );
  // One transaction each: one may have to wait for a writer, which must not hold up the others.
  for (const pending of left) {
    await sql.transaction((tx) => insertPendingAgain(tx, pending));
  }
  return cut;
}

/**
 * {@link save}, one by one where that fails, so that a document that cannot be indexed does not keep
 * others from it. One that takes so long that its thread is ended is indexed by its name alone.
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

function withoutText({ pending, document }: Claimed): Claimed {
  const source = document && { ...document.source, written: { markdown: '' } };
  return { pending, document: document && source && { ...document, source } };
}
