import type { UnifiedDiff, UnifiedDiffOptions } from '../../base/text/unified-diff.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getRevision, textGone } from './revision-service.ts';

/** The longest diff returned, in UTF-16 code units. */
export const MAX_DIFF_LENGTH = 256 * 1024;

export type RevisionDiff = UnifiedDiff & { from: number; to: number };

/**
 * Compares the texts of two revisions.
 *
 * @throws NOT_FOUND if the document or a revision is missing or the actor can't read it;
 *   UNPROCESSABLE if a text is no longer stored; RATE_LIMITED if too many of the actor's
 *   comparisons wait
 */
export async function diffRevisions(
  call: Call,
  ref: DocumentRef,
  { from, to }: { from: number; to: number },
): Promise<RevisionDiff> {
  return diffTexts(call, await read(from), await read(to));

  async function read(number: number) {
    const { text } = await getRevision(call, ref, number);
    if (text === undefined) throw textGone(number);
    return { number, text };
  }
}

/** Compares the texts of two revisions that the actor has read. */
export async function diffTexts(
  call: Call,
  before: { number: number; text: string },
  after: { number: number; text: string },
  shown: Pick<UnifiedDiffOptions, 'context' | 'maxUnchanged'> = {},
): Promise<RevisionDiff> {
  const options = {
    names: [`revision ${before.number}`, `revision ${after.number}`] as [string, string],
    maxLength: MAX_DIFF_LENGTH,
    ...shown,
  };
  const diff = await call.texts.run(call.actor.id, 'diff', [before.text, after.text, options]);
  return { from: before.number, to: after.number, ...diff };
}
