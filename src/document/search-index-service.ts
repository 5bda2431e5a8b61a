import { type Context, later } from '../context.ts';
import { BackEndUnavailable } from '../errors.ts';
import { walkWithPauses } from './pausing.ts';
import { loadText } from './search-document-text.ts';
import {
  claimPending,
  deletePending,
  listPending,
  type PendingDocument,
} from './search-pending-store.ts';
import {
  holdDocuments,
  type IndexableRow,
  listCollaboratorIds,
  listIndexable,
  upsertTerms,
} from './search-store.ts';
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
  updatedAt: string;
  terms: string[];
  characters: number;
}

/**
 * Indexes documents that have changed, in this process's turn: others leave alone what it has
 * claimed. What changes meanwhile stays to be indexed.
 *
 * @param limit how many, at most
 * @returns how many it was at; 0 when nothing is to be done
 * @throws what one of them cannot be read for, once the others are indexed
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
  let batch: Indexed[] = [];
  let characters = 0;
  let failure: Error | undefined;
  for (const row of rows) {
    // A store that is away takes long to say so, each time, and may be back when it is their turn again.
    if (failure instanceof BackEndUnavailable && row.content === null) continue;
    const pending = claimed.find(({ documentId }) => documentId === row.id) as PendingDocument;
    const collaboratorIds = collaborators.get(row.id) ?? [];
    const indexed = await index(context, row, pending, collaboratorIds).catch((error) => {
      failure ??= error;
    });
    if (!indexed) continue;
    batch.push(indexed);
    characters += indexed.characters;
    if (characters < CHARACTERS_AT_ONCE) continue;
    await save(context, batch);
    batch = [];
    characters = 0;
  }
  await save(context, batch);
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
  return { pending, updatedAt: row.updatedAt, terms, characters };
}

async function save(context: Context, batch: readonly Indexed[]): Promise<void> {
  if (batch.length === 0) return;
  await context.sql.transaction(async (tx) => {
    const held = await holdDocuments(
      tx,
      batch.map(({ pending }) => pending.documentId),
    );
    const due = [];
    for (const { pending, updatedAt, terms } of batch) {
      const id = pending.documentId;
      if (!held.has(id) || !(await deletePending(tx, pending))) continue;
      due.push({ id, updatedAt, terms });
    }
    if (due.length > 0) await upsertTerms(tx, due);
  });
}
