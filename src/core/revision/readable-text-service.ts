import type { Reader } from '../../storage/sql/sql.ts';
import type { Context } from '../context.ts';
import { isInsider, type Standing } from '../document/access-rules.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { findLastVisibilityChange, findRevision } from './revision-store.ts';
import { loadRevisionText } from './revision-text.ts';
import { findText } from './revision-text-store.ts';

/**
 * Tells whether the reader can read a text: insiders can read all, others the current and pinned
 * ones.
 */
export function mayReadText(document: DocumentRow, number: number, isPinned: boolean): boolean {
  return isPinned || number === document.version || isInsider(document);
}

/**
 * Returns the text of a revision. The caller has checked that the reader can read the document.
 *
 * @returns `undefined` if the reader can't read this text, or it is gone
 */
export async function findReadableText(
  context: Context,
  document: DocumentRow,
  number: number,
): Promise<string | undefined> {
  const { read } = context.sql;
  const row = await findRevision(read, document.id, number);
  if (!row) return undefined;
  const isReplaced = (await findText(read, document.id, number)) !== undefined;
  if (isReplaced && !mayReadText(document, number, row.pinned === 1)) return undefined;
  return loadRevisionText(context, document.id, number);
}

/**
 * Returns the first revision whose message and token's name the reader may see. For readers who
 * aren't insiders, it is the one that made the document public: no one wrote earlier ones for them.
 */
export async function firstWithNotes(
  db: Reader,
  document: Standing & { id: string },
): Promise<number> {
  if (isInsider(document)) return 0;
  if (document.visibility !== 'public') return Number.POSITIVE_INFINITY;
  return findLastVisibilityChange(db, document.id);
}
