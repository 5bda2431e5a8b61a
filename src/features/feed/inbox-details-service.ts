import { type EventType, isOfEvent } from '../../base/schema/event.ts';
import { changes } from '../../base/text/changes.ts';
import { shorten } from '../../base/text/shorten.ts';
import type { Context } from '../../core/context.ts';
import type { Verdict } from '../../core/review/review.ts';
import type { ThreadKind } from '../../core/review/thread.ts';
import {
  listCommentsAt,
  listNotesAt,
  listReviewsAt,
  listThreadsBriefly,
} from './inbox-details-store.ts';
import type { InboxRow } from './inbox-store.ts';

/** The longest excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 160;

/** An entry with what its author wrote, as far as that still exists. */
export interface InboxEntryDetails extends InboxRow {
  threadKind: ThreadKind | undefined;
  /** The verdict of its review. */
  verdict: Verdict | undefined;
  /** The first words that it suggests to change, and those in their place; either can be empty. */
  suggested: { removed: string; added: string } | undefined;
  /** The beginning of its comment, review or request on one line; Markdown. */
  excerpt: string | undefined;
}

/**
 * Adds what was written to entries of an inbox. Sends at most four queries, for any number of
 * entries.
 *
 * @param entries that their reader can see, as `getInbox` returns them
 */
export async function withDetails(
  { sql: { read } }: Context,
  entries: readonly InboxRow[],
): Promise<InboxEntryDetails[]> {
  const inThreads = entries.filter(({ threadId }) => threadId !== null);
  const threadIds = distinct(inThreads.flatMap(({ threadId }) => threadId ?? []));
  const given = ofType(entries, 'review.given');
  const requested = ofType(entries, 'review.requested');
  const [threads, comments, reviews, requests] = await Promise.all([
    listThreadsBriefly(read, threadIds),
    listCommentsAt(read, threadIds, timesOf(inThreads)),
    listReviewsAt(read, documentsOf(given), timesOf(given)),
    listNotesAt(read, documentsOf(requested), timesOf(requested)),
  ]);
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  return entries.map((entry) => {
    const { type, documentId, threadId, target } = entry;
    const thread = threadId === null ? undefined : byId.get(threadId);
    const comment = comments.find((one) => one.threadId === threadId && isOfEvent(entry, one));
    const review =
      type === 'review.given'
        ? reviews.find((one) => one.documentId === documentId && isOfEvent(entry, one))
        : undefined;
    const request =
      type === 'review.requested'
        ? requests.find(
            (one) =>
              one.documentId === documentId && one.target === target && isOfEvent(entry, one),
          )
        : undefined;
    return {
      ...entry,
      threadKind: thread?.kind,
      verdict: review?.verdict,
      suggested:
        type === 'thread.opened' && thread?.kind === 'replacement'
          ? suggestedIn(thread.quote ?? '', thread.replacement)
          : undefined,
      excerpt: excerptOf(comment?.body ?? review?.body ?? request?.note ?? ''),
    };
  });
}

/** @returns `undefined` if there is nothing to show, as after the text was erased */
function suggestedIn(quote: string, replacement: string | null): InboxEntryDetails['suggested'] {
  const [first] = replacement === null || quote === '' ? [] : changes(quote, replacement);
  if (!first) return undefined;
  const [removed, added] = [quote.slice(first.from, first.to), first.insert];
  return { removed: excerptOf(removed) ?? '', added: excerptOf(added) ?? '' };
}

function ofType(entries: readonly InboxRow[], type: EventType): InboxRow[] {
  return entries.filter((entry) => entry.type === type);
}

const timesOf = (entries: readonly InboxRow[]) => distinct(entries.map(({ at }) => at));
const documentsOf = (entries: readonly InboxRow[]) =>
  distinct(entries.map(({ documentId }) => documentId));

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** @returns `undefined` if there is no text */
function excerptOf(text: string): string | undefined {
  return shorten(text.replace(/\s+/g, ' ').trim(), MAX_EXCERPT) || undefined;
}
