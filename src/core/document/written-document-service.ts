import { FieldError } from '../../base/errors.ts';
import type { Actor, Context } from '../context.ts';
import type { WriteRow } from '../revision/revision-store.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import { see } from './authorize.ts';
import type { WholeDocument } from './document-service.ts';
import { findDocumentById } from './document-store.ts';

/**
 * Loads a document with the text that a write left, to answer a repeated request. Its other fields
 * are current.
 *
 * @throws UNPROCESSABLE if it has been deleted since, the actor can no longer read it, or the text
 *   is gone
 */
export async function getWrittenDocument(
  context: Context,
  actor: Actor,
  { documentId, version }: WriteRow,
): Promise<WholeDocument> {
  const row = await findDocumentById(context.sql.read, documentId, actor.id);
  const seen = row && see(row);
  if (!seen || seen.level === 'none') {
    throw noAnswer('the document has been deleted since, or you can no longer read it.');
  }
  const text = await loadRevisionText(context, documentId, version);
  if (text === undefined) throw noAnswer('the text that it wrote is no longer stored.');
  return { ...seen, text };
}

function noAnswer(reason: string): FieldError {
  const problem = `the first request with this key succeeded, but ${reason}`;
  return new FieldError('UNPROCESSABLE', 'Idempotency-Key', problem);
}
