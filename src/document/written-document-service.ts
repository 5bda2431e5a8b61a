import type { Actor, Context } from '../context.ts';
import { FieldError } from '../errors.ts';
import { see } from './authorize.ts';
import type { WholeDocument } from './document-service.ts';
import { findDocumentById } from './document-store.ts';
import type { WriteRow } from './revision/revision-store.ts';
import { loadRevisionText } from './revision/revision-text.ts';

/**
 * The document as a write left it, for the answer to a repeated request.
 *
 * @throws UNPROCESSABLE when it has been deleted since, or the actor may no longer read it
 */
export async function getWrittenDocument(
  context: Context,
  actor: Actor,
  { documentId, version }: WriteRow,
): Promise<WholeDocument> {
  const row = await findDocumentById(context.sql.read, documentId, actor.id);
  const seen = row && see(row);
  if (!seen || seen.level === 'none') {
    throw new FieldError(
      'UNPROCESSABLE',
      'Idempotency-Key',
      'the document of the first request has been deleted since, or you can no longer read it.',
    );
  }
  const text = await loadRevisionText(context, documentId, version);
  return { ...seen, text: text ?? '' };
}
