import { HOUR_MS, MINUTE_MS } from '../time/clock.ts';

/** The topics that a user can turn on and off. */
export const TOPICS = ['invitation', 'mention', 'review', 'answer', 'digest'] as const;
export type Topic = (typeof TOPICS)[number];

/** The topics that are mailed by default. The digest is off (decision 011). */
export const DEFAULT_TOPICS: Readonly<Record<Topic, boolean>> = {
  invitation: true,
  mention: true,
  review: true,
  answer: true,
  digest: false,
};

/** The kinds of mails about events. Those of one document are sent together. */
export const EVENT_MAILS = ['mention', 'review', 'answer'] as const;
export type EventMail = (typeof EVENT_MAILS)[number];
export type MailKind =
  | EventMail
  | 'document_invitation'
  | 'organization_invitation'
  | 'email_invitation'
  | 'digest'
  | 'verification'
  | 'security';

/** The kinds of mail that no preference turns off. */
export type PlainMail = 'verification' | 'email_invitation' | 'security';

/** The topic of each other kind. */
export const TOPIC_OF: Readonly<Record<Exclude<MailKind, PlainMail>, Topic>> = {
  document_invitation: 'invitation',
  organization_invitation: 'invitation',
  mention: 'mention',
  review: 'review',
  answer: 'answer',
  digest: 'digest',
};

/** How long an event waits, so that later events on the same document join its mail. */
export const GATHER_MS = 3 * MINUTE_MS;

export const DIGEST_EVERY_MS = 24 * HOUR_MS;

/** How old a mail that can't be sent gets before it is dropped. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

const BACKOFF_MS = [1, 5, 15, 60, 180].map((minutes) => minutes * MINUTE_MS);

/** Returns how long to wait after `attempts` failed attempts, at least one. */
export function backoffMs(attempts: number): number {
  return BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length) - 1] as number;
}

/**
 * Returns the first time after `now` that is a whole number of days after `due` (both ISO 8601).
 */
export function nextDigestAt(due: string, now: string): string {
  const [from, until] = [Date.parse(due), Date.parse(now)];
  const days = Math.max(1, Math.floor((until - from) / DIGEST_EVERY_MS) + 1);
  return new Date(from + days * DIGEST_EVERY_MS).toISOString();
}
