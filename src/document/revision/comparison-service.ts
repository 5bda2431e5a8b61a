import type { Actor, Context } from '../../context.ts';
import type { Comparison } from '../../text/comparison.ts';
import type { Seen } from '../authorize.ts';
import type { DocumentRef } from '../document-ref.ts';
import type { DocumentRow } from '../document-store.ts';
import type { Revision } from './revision.ts';
import { getRevision } from './revision-service.ts';

/** The most text shown of both sides, in UTF-16 code units with markup. */
export const MAX_SHOWN = 96 * 1024;

/** Two revisions of a document and their differences. */
export interface ComparedRevisions extends Seen<DocumentRow> {
  from: Revision;
  to: Revision;
  /** `undefined` if one of the texts is gone. */
  comparison: Comparison | undefined;
}

/**
 * Compares two revisions for display, off the event loop.
 *
 * @throws NOT_FOUND if the document or a revision is missing or the actor can't read it;
 *   RATE_LIMITED if too many of the actor's comparisons wait
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
