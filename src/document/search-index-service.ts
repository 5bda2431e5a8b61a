import { type Context, later } from '../context.ts';
import { BackEndUnavailable } from '../errors.ts';
import type { IndexableDocument } from '../storage/word-index/word-index.ts';
import { loadWritten } from './search-document-text.ts';
import {
  claimPending,
  deletePending,
  insertPendingAgain,
  listPending,
  type PendingDocument,
  releaseChanged,
} from './search-pending-store.ts';
import { type IndexableRow, listCollaboratorIds, listIndexable } from './search-store.ts';
import { MAX_TEXT_LENGTH, type Written } from './search-text.ts';

/** How long a claim keeps others away: when a process dies at it, they go on after this. */
const CLAIM_MS = 30_000;

/** How much content goes into one transaction, in characters, but for a document that has more. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/** A document that is to be indexed, or forgotten where it is gone. */
interface Claimed {
  pending: PendingDocument;
  document: IndexableDocument | undefined;
}

/**
 * Has the index follow documents that have changed or are gone, in this process's turn: others leave
 * alone what it has claimed. What changes meanwhile stays to be indexed.
 *
 * @param limit how many, at most
 * @returns how many it was at; 0 when nothing is to be done
 * @throws what one of them cannot be read or indexed for, once the others are; BackEndUnavailable
 */
export async function indexPending(context: Context, limit: number): Promise<number> {
  const now = context.now();
  const open = await listPending(context.sql.read, now, limit);
  if (open.length === 0) return 0;
  const claimed = await context.sql.transaction((tx) =>
    claimPending(tx, open, now, later(now, CLAIM_MS)),
  );
  if (claimed.length === 0) return 0;
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  for await (const batch of inBatches(context, claimed, note)) {
    await saveEach(context, batch).catch(note);
  }
  if (failures.length > 0) throw failures[0];
  return claimed.length;
}

/** Reads documents, as many at a time as go into one transaction. */
async function* inBatches(
  context: Context,
  claimed: readonly PendingDocument[],
  onFailure: (error: unknown) => void,
): AsyncGenerator<Claimed[]> {
  const { read } = context.sql;
  const ids = claimed.map(({ documentId }) => documentId);
  const [rows, collaborators] = await Promise.all([
    listIndexable(read, ids, MAX_TEXT_LENGTH),
    listCollaboratorIds(read, ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  let batch: Claimed[] = [];
  let characters = 0;
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
    characters += ('markdown' in written ? written.markdown : written.html).length;
    if (characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
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
 * The index first, then that it is done: whoever is ended in between does it once more. Whatever cannot be
 * ended is indexed again. It may have changed since; or all this took longer than the claim, somebody else
 * was faster, and what is in the index now is older.
 */
async function save({ sql }: Context, batch: readonly Claimed[]): Promise<void> {
  const gone = batch.filter(({ document }) => !document);
  await sql.words.change(
    batch.flatMap(({ document }) => document ?? []),
    gone.map(({ pending }) => pending.documentId),
  );
  const left = await sql.transaction((tx) =>
    deletePending(
      tx,
      batch.map(({ pending }) => pending),
    ),
  );
  // One at a time: each may have to wait for whoever is changing it, and nobody may wait for the others.
  for (const pending of left) {
    await sql.transaction((tx) => insertPendingAgain(tx, pending));
  }
}

/** {@link save}; a document that cannot be indexed does not keep others from it. */
async function saveEach(context: Context, batch: readonly Claimed[]): Promise<void> {
  try {
    await save(context, batch);
  } catch (error) {
    if (batch.length === 1 || error instanceof BackEndUnavailable) throw error;
    const outcomes = await Promise.allSettled(batch.map((one) => saveEach(context, [one])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
