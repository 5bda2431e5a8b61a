import type { Actor, Context } from '../../context.ts';
import type { Comparison } from '../../text/comparison.ts';
import type { Seen } from '../authorize.ts';
import type { DocumentRef } from '../document-ref.ts';
import type { DocumentRow } from '../document-store.ts';
import type { Revision } from './revision.ts';
import { getRevision } from './revision-service.ts';

/** The most of both texts that is shown, in UTF-16 units with their markup. */
const MAX_SHOWN = 96 * 1024;

/** Two revisions of a document, and how their texts differ. */
export interface ComparedRevisions extends Seen<DocumentRow> {
  from: Revision;
  to: Revision;
  /** `undefined` if one of the texts is gone. */
  comparison: Comparison | undefined;
}

/**
 * Compares two revisions for people, off the event loop.
 *
 * @throws NOT_FOUND when the document or a revision is missing or not for the actor; RATE_LIMITED when
 *   too many comparisons of the actor's wait
 */
export async function compareRevisions(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  numbers: { from: number; to: number },
): Promise<ComparedRevisions> {
  const { revision: from, text: before } = await getRevision(context, actor, ref, numbers.from);
  const { revision: to, text: after, ...seen } = await getRevision(context, actor, ref, numbers.to);
  if (before === undefined || after === undefined)
    return { ...seen, from, to, comparison: undefined };
  const options = { maxLength: MAX_SHOWN };
  const comparison = await context.texts.run(actor.id, 'compare', [before, after, options]);
  return { ...seen, from, to, comparison };
}
