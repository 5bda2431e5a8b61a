import type { Comparison } from '../../base/text/comparison.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { Seen } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { getRevision } from './revision-service.ts';

/** The most text shown of both sides, in UTF-16 code units with markup. */
export const MAX_SHOWN = 96 * 1024;

/** The same for someone who wants to see everything. */
export const MAX_WHOLE = 1024 * 1024;

/** Returns how much of a comparison to show. */
export function shownOf({ isWhole }: { isWhole: boolean }) {
  return isWhole ? { maxLength: MAX_WHOLE, maxPart: MAX_WHOLE } : { maxLength: MAX_SHOWN };
}

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
 * @param options.isWhole whether to show everything, up to `MAX_WHOLE`
 * @throws NOT_FOUND if the document or a revision is missing or the actor can't read it;
 *   RATE_LIMITED if too many of the actor's comparisons wait
 */
export async function compareRevisions(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  numbers: { from: number; to: number },
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<ComparedRevisions> {
  const { revision: from, text: before } = await getRevision(context, actor, ref, numbers.from);
  const { revision: to, text: after, ...seen } = await getRevision(context, actor, ref, numbers.to);
  if (before === undefined || after === undefined)
    return { ...seen, from, to, comparison: undefined };
  const options = shownOf({ isWhole });
  const comparison = await context.texts.run(actor.id, 'compare', [before, after, options]);
  return { ...seen, from, to, comparison };
}
