import type { Change } from '../../base/text/changes.ts';
import type { Comparison } from '../../base/text/comparison.ts';
import type { PageRange } from '../../base/text/page-quotes.ts';
import type { Call } from '../../core/context.ts';
import type { Seen } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { getRevision, textGone } from './revision-service.ts';

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
  call: Call,
  ref: DocumentRef,
  numbers: { from: number; to: number },
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<ComparedRevisions> {
  const { revision: from, text: before } = await getRevision(call, ref, numbers.from);
  const { revision: to, text: after, ...seen } = await getRevision(call, ref, numbers.to);
  if (before === undefined || after === undefined)
    return { ...seen, from, to, comparison: undefined };
  const options = shownOf({ isWhole });
  const comparison = await call.texts.run(call.actor.id, 'compare', [before, after, options]);
  return { ...seen, from, to, comparison };
}

/** A change of a page as its readers see it; what it has no visible words for is absent. */
export interface PageChange {
  before?: PageRange;
  after?: PageRange;
}

/** The most changes of a page to mark. */
const MOST_PAGE_CHANGES = 200;

/**
 * Finds the visible words that two revisions of a page don't share.
 *
 * @throws errors of {@link compareRevisions}; UNPROCESSABLE if a text is gone
 */
export async function comparePages(
  call: Call,
  ref: DocumentRef,
  { from, to }: { from: number; to: number },
): Promise<PageChange[]> {
  const { text: before } = await getRevision(call, ref, from);
  const { text: after } = await getRevision(call, ref, to);
  if (before === undefined) throw textGone(from);
  if (after === undefined) throw textGone(to);
  const changes = await call.texts.run(call.actor.id, 'changes', [before, after]);
  const pairs = rangesOf(changes.slice(0, MOST_PAGE_CHANGES));
  const [old, fresh] = [pairs.map((pair) => pair.before), pairs.map((pair) => pair.after)];
  const [gone, added] = [
    await call.texts.run(call.actor.id, 'pageWords', [before, old]),
    await call.texts.run(call.actor.id, 'pageWords', [after, fresh]),
  ];
  return changes.slice(0, MOST_PAGE_CHANGES).flatMap((_, index) => {
    const [one, other] = [gone[index], added[index]];
    const change = {
      ...(one && one.quote !== '' && { before: one }),
      ...(other && other.quote !== '' && { after: other }),
    };
    return change.before || change.after ? [change] : [];
  });
}

/** Returns where changes are in both texts. */
function rangesOf(changes: readonly Change[]) {
  let moved = 0;
  return changes.map(({ from, to, insert }) => {
    const start = from + moved;
    moved += insert.length - (to - from);
    return {
      before: { start: from, end: to },
      after: { start, end: start + insert.length },
    };
  });
}
