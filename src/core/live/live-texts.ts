import type { ChangeSet } from '@codemirror/state';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Context } from '../context.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import { findLive, type LiveRow, listChanges } from './live-store.ts';
import { applied, type LiveText, sizeOf, storedChanges, textOf } from './live-text.ts';

/** The most UTF-16 code units of texts in memory, in all. */
const MAX_KEPT = 32_000_000;

/** The texts of documents that are being edited, as of their last change that this process knows. */
const kept = new WeakMap<Context['sql'], Map<string, LiveText>>();

/** Keeps a text, and forgets those that were used longest ago if there are too many. */
export function keepText(context: Context, documentId: string, text: LiveText): void {
  const texts = kept.get(context.sql) ?? new Map<string, LiveText>();
  kept.set(context.sql, texts);
  texts.delete(documentId);
  texts.set(documentId, text);
  let all = texts.values().reduce((sum, each) => sum + each.text.length, 0);
  for (const [id, each] of texts) {
    if (all <= MAX_KEPT || id === documentId) break;
    texts.delete(id);
    all -= each.text.length;
  }
}

export function forgetText(context: Context, documentId: string): void {
  kept.get(context.sql)?.delete(documentId);
}

/** Returns a text that this process knows, maybe one before the last change. */
export function keptText(
  context: Context,
  { documentId, listId }: Pick<LiveRow, 'documentId' | 'listId'>,
): LiveText | undefined {
  const known = kept.get(context.sql)?.get(documentId);
  return known?.listId === listId ? known : undefined;
}

/**
 * Returns the text of a list's last change.
 *
 * @returns `undefined` if there is no list, or the text that it starts from is gone
 */
export async function loadLiveText(
  context: Context,
  documentId: string,
): Promise<LiveText | undefined> {
  const { read } = context.sql;
  const row = await findLive(read, documentId);
  if (!row) return undefined;
  let from = keptText(context, row);
  // Changes before the last revision may be gone.
  if (!from || from.number < row.textNumber) {
    const content = await loadRevisionText(context, documentId, row.textVersion);
    if (content === undefined) return undefined;
    const text = textOf(content);
    from = { listId: row.listId, number: row.textNumber, text, sizeBytes: sizeOf(text) };
  }
  const loaded = applied(from, await changesAfter(read, documentId, from.number));
  keepText(context, documentId, loaded);
  return loaded;
}

export async function changesAfter(
  db: Reader,
  documentId: string,
  number: number,
): Promise<ChangeSet[]> {
  const rows = await listChanges(db, documentId, number);
  return rows.map(({ changes }) => storedChanges(changes));
}
