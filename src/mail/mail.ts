/** What people can turn on and off. */
export const TOPICS = ['invitation', 'mention', 'review', 'answer', 'digest'] as const;
export type Topic = (typeof TOPICS)[number];

/** What is mailed unless someone chooses otherwise. The digest is a choice (decision 022). */
export const DEFAULT_TOPICS: Readonly<Record<Topic, boolean>> = {
  invitation: true,
  mention: true,
  review: true,
  answer: true,
  digest: false,
};

/** What waits in the queue. Mails of events are sent together, per document. */
export const EVENT_MAILS = ['mention', 'review', 'answer'] as const;
export type EventMail = (typeof EVENT_MAILS)[number];
export type MailKind =
  | EventMail
  | 'document_invitation'
  | 'organization_invitation'
  | 'digest'
  | 'verification';

/** The topic of each kind that can be turned off. */
export const TOPIC_OF: Readonly<Record<Exclude<MailKind, 'verification'>, Topic>> = {
  document_invitation: 'invitation',
  organization_invitation: 'invitation',
  mention: 'mention',
  review: 'review',
  answer: 'answer',
  digest: 'digest',
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long an event waits, so that what follows on the same document goes in the same mail. */
export const GATHER_MS = 3 * MINUTE_MS;

export const DIGEST_EVERY_MS = 24 * HOUR_MS;

/** A mail that can't be sent for this long is dropped. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

const BACKOFF_MS = [1, 5, 15, 60, 180].map((minutes) => minutes * MINUTE_MS);

/** Returns how long to wait after a number of failed attempts. */
export function backoffMs(attempts: number): number {
  return BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length) - 1] as number;
}

/** Returns the first time after `now` (ISO 8601) that is a whole number of days after `due`. */
export function nextDigestAt(due: string, now: string): string {
  const [from, until] = [Date.parse(due), Date.parse(now)];
  const days = Math.max(1, Math.floor((until - from) / DIGEST_EVERY_MS) + 1);
  return new Date(from + days * DIGEST_EVERY_MS).toISOString();
}
