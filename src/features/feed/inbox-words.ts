import type { Verdict } from '../../core/review/review.ts';
import type { ThreadKind } from '../../core/review/thread.ts';
import { DEEDS_TO_YOU, deedOf } from './event-words.ts';
import type { InboxEntryDetails } from './inbox-details-service.ts';

const OPENED = {
  comment: 'commented on',
  replacement: 'suggested a change to',
  proposal: 'proposed changes to',
} as const satisfies Record<ThreadKind, string>;

const REVIEWED = {
  approved: 'approved',
  changes_requested: 'requested changes to',
} as const satisfies Record<Verdict, string>;

/**
 * Describes an entry of an inbox as {@link deedOf} does, in more detail.
 *
 * @param reader whose inbox it is: a username
 */
export function detailedDeedOf(entry: InboxEntryDetails, reader: string): string {
  const { type, reason, target, threadKind, verdict } = entry;
  if (reason === 'mention') return DEEDS_TO_YOU.mention;
  if (type === 'review.requested' && target !== null) {
    return target === reader ? DEEDS_TO_YOU.review : `asked ${target} to review`;
  }
  if (type === 'thread.opened' && threadKind) return OPENED[threadKind];
  if (verdict) return REVIEWED[verdict];
  return deedOf(entry);
}
