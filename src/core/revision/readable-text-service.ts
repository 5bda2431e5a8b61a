import type { Context } from '../context.ts';
import { isInsider } from '../document/access-rules.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { findRevision } from './revision-store.ts';
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
