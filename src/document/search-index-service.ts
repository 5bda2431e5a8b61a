import { type Context, later } from '../context.ts';
import { BackEndUnavailable } from '../errors.ts';
import type { DocumentWords } from '../storage/word-index/word-index.ts';
import { walkWithPauses } from './pausing.ts';
import { loadText } from './search-document-text.ts';
import {
  claimPending,
  deletePending,
  listPending,
  type PendingDocument,
  releasePending,
} from './search-pending-store.ts';
import { type IndexableRow, listCollaboratorIds, listIndexable } from './search-store.ts';
import { nameTerm, nameWords, readerTerms, textTerm } from './search-terms.ts';
import { MAX_TEXT_LENGTH } from './search-text.ts';
import { findWords } from './search-words.ts';

/** How long a claim keeps others away: when a process dies at it, they go on after this. */
const CLAIM_MS = 30_000;

/** How many characters of words go into one transaction, or from one document. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/** How many words are divided without a pause: some tenths of a millisecond. */
const WORDS_AT_ONCE = 1_000;

/** A document with its terms. */
interface Indexed {
  pending: PendingDocument;
  words: DocumentWords;
  characters: number;
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
  let batch: Indexed[] = [];
  let characters = 0;
  let failure: Error | undefined;
  for (const pending of claimed) {
    const row = byId.get(pending.documentId);
    // A store that is away takes long to say so, each time, and may be back when it is their turn again.
    if (!row || (failure instanceof BackEndUnavailable && row.content === null)) continue;
    const collaboratorIds = collaborators.get(row.id) ?? [];
    let indexed: Indexed | undefined;
    try {
      indexed = await index(context, row, pending, collaboratorIds);
    } catch (error) {
      failure ??= error as Error;
      continue;
    }
    if (!indexed) {
      await release(context, pending);
      continue;
    }
    batch.push(indexed);
    characters += indexed.characters;
    if (characters < CHARACTERS_AT_ONCE) continue;
    await save(context, batch, []);
    batch = [];
    characters = 0;
  }
  await save(context, batch, []);
  if (failure) throw failure;
  return claimed.length;
}

/** A document's terms; `undefined` when it has changed since, and is to be indexed again. */
async function index(
  context: Context,
  row: IndexableRow,
  pending: PendingDocument,
  collaboratorIds: string[],
): Promise<Indexed | undefined> {
  const text = await loadText(context, row);
  if (text === undefined) return undefined;
  const names = nameWords(row);
  const words = new Set(names);
  let characters = 0;
  await walkWithPauses(findWords(text), WORDS_AT_ONCE, (found) => {
    for (const word of found.words) {
      if (words.has(word)) continue;
      words.add(word);
      characters += word.length;
    }
    return characters > CHARACTERS_AT_ONCE;
  });
  const terms = [
    ...readerTerms({ ...row, collaboratorIds }),
    ...new Set(names.map(nameTerm)),
    ...[...words].map(textTerm),
  ];
  const updatedAt = Date.parse(row.updatedAt) || 0;
  return { pending, words: { id: row.id, updatedAt, words: terms }, characters };
}

/**
 * The index first, then that it is done: whoever is ended in between does it once more. Nobody else is at
 * these documents, so that none gets older words after newer ones.
 */
async function save(
  context: Context,
  batch: readonly Indexed[],
  gone: readonly PendingDocument[],
): Promise<void> {
  const done = [...batch.map(({ pending }) => pending), ...gone];
  if (done.length === 0) return;
  await context.sql.words.change(
    batch.map(({ words }) => words),
    gone.map(({ documentId }) => documentId),
  );
  const left = await context.sql.transaction((tx) => deletePending(tx, done));
  for (const pending of left) await release(context, pending);
}

/** By itself: it may have to wait for whoever is changing the document, and nobody may wait for others. */
function release({ sql }: Context, pending: PendingDocument): Promise<void> {
  return sql.transaction((tx) => releasePending(tx, pending));
}
