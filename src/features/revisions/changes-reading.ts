import { undefinedIfNotFound } from '../../base/errors.ts';
import type { Place } from '../../base/text/places.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { inWords } from '../../surfaces/mcp/document.ts';
import { excerpt } from '../../surfaces/mcp/excerpt.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { diffTexts } from './diff-service.ts';
import { getRevision } from './revision-service.ts';
import type { WholeRevision } from './whole-reading.ts';

/** The reader knows the older text, so a little unchanged text shows where a change is. */
const SHORT = { context: 1, maxUnchanged: 100 };

/**
 * Describes how a text differs from an older revision.
 *
 * @param from where in the diff to begin
 * @returns `undefined` if the older text is no longer stored or the actor can't see it
 * @throws InvalidArguments if the revision is newer than the text
 */
export async function changesSince(
  call: Call,
  ref: DocumentRef,
  whole: WholeRevision,
  { since, maxBytes, from }: { since: number; maxBytes: number; from: Place },
): Promise<ReadingOutcome | undefined> {
  const { document, revision, text } = whole;
  if (since > revision) {
    throw invalidArgument('changes_since', `is ${since}, but the text is of revision ${revision}`);
  }
  if (since === revision) return unchanged(`Not changed since revision ${since}.`, revision);
  const older = await undefinedIfNotFound(getRevision(call, ref, since));
  if (older?.text === undefined) return undefined;
  const before = { number: since, text: older.text };
  const diff = await diffTexts(call, before, { number: revision, text }, SHORT);
  if (diff.unified === '') {
    const same = `Revision ${revision} has the same text as revision ${since}.`;
    return unchanged(same, revision);
  }
  const part = excerpt(diff.unified, from, Number.MAX_SAFE_INTEGER, maxBytes);
  if (!part) throw invalidArgument('from_line', 'the diff has no such line and column');
  const isCut = diff.isCut || part.next !== null;
  const next = part.next && {
    revision,
    changes_since: since,
    from_line: part.next.line,
    from_column: part.next.column,
  };
  const { added, removed } = diff;
  const more = next
    ? ' There are more changes: call again with the arguments in "next".'
    : diff.isCut
      ? ' There are more changes: read the text to see all.'
      : '';
  return {
    summary:
      `Changes in the ${inWords(document)} from revision ${since} to ${revision}. ` +
      `Lines added: ${added}; removed: ${removed}.${more}`,
    data: { revision, isChanged: true, added, removed, isCut, next },
    quotations: [{ what: 'a unified diff', text: part.content }],
  };
}

/** Returns a short answer, so that polling for changes costs few tokens. */
export function unchanged(summary: string, revision: number): ReadingOutcome {
  return { summary, data: { revision, isChanged: false }, quotations: [] };
}
