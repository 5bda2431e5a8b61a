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

/** A document with what is to be indexed of it. */
interface Claimed {
  pending: PendingDocument;
  document: IndexableDocument;
}

/**
 * Has the index follow documents that have changed or are gone, in this process's turn: others leave
 * alone what it has claimed. What changes meanwhile stays to be indexed.
 *
 * @param limit how many, at most
 * @returns how many it was at; 0 when nothing is to be done
 * @throws what one of them cannot be read for, once the others are indexed; BackEndUnavailable
 */
export async function indexPending(context: Context, limit: number): Promise<number> {
  const { read } = context.sql;
  const now = context.now();
  const open = await listPending(read, now, limit);
  if (open.length === 0) return 0;
  const claimed = await context.sql.transaction((tx) =>
    claimPending(tx, open, now, later(now, CLAIM_MS)),
  );
  if (claimed.length === 0) return 0;
  const ids = claimed.map(({ documentId }) => documentId);
  const [rows, collaborators] = await Promise.all([
    listIndexable(read, ids, MAX_TEXT_LENGTH),
    listCollaboratorIds(read, ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  await save(
    context,
    [],
    claimed.filter(({ documentId }) => !byId.has(documentId)),
  );
  let batch: Claimed[] = [];
  let characters = 0;
  let failure: Error | undefined;
  const saveBatch = async () => {
    await saveEach(context, batch).catch((error) => {
      failure ??= error;
    });
    batch = [];
    characters = 0;
  };
  for (const pending of claimed) {
    const row = byId.get(pending.documentId);
    // A store that is away takes long to say so, each time, and may be back when it is their turn again.
    if (!row || (failure instanceof BackEndUnavailable && row.content === null)) continue;
    let written: Written | undefined;
    try {
      written = await loadWritten(context, row);
    } catch (error) {
      failure ??= error as Error;
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
    if (characters >= CHARACTERS_AT_ONCE) await saveBatch();
  }
  await saveBatch();
  if (failure) throw failure;
  return claimed.length;
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
async function save(
  context: Context,
  batch: readonly Claimed[],
  gone: readonly PendingDocument[],
): Promise<void> {
  const done = [...batch.map(({ pending }) => pending), ...gone];
  if (done.length === 0) return;
  await context.sql.words.change(
    batch.map(({ document }) => document),
    gone.map(({ documentId }) => documentId),
  );
  const left = await context.sql.transaction((tx) => deletePending(tx, done));
  // One at a time: each may have to wait for whoever is changing it, and nobody may wait for the others.
  for (const pending of left) {
    await context.sql.transaction((tx) => insertPendingAgain(tx, pending));
  }
}

/** {@link save}; a document that cannot be indexed does not keep others from it. */
async function saveEach(context: Context, batch: readonly Claimed[]): Promise<void> {
  try {
    await save(context, batch, []);
  } catch (error) {
    if (batch.length === 1 || error instanceof BackEndUnavailable) throw error;
    const outcomes = await Promise.allSettled(batch.map((one) => saveEach(context, [one])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
