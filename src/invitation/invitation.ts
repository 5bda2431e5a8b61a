/**
 * The life of an invitation, to a document and to an organization alike: pending until it is
 * accepted, declined or cancelled; a pending one is flagged expired once its time is over
 * (specification, part "States and transitions").
 */
export interface PendingInvitation {
  /** ISO 8601. */
  expiresAt: string;
}

/** When invitations expire: after one moment and, if given, by another (ISO 8601). */
export interface ExpirySpan<Time = string> {
  after: Time;
  until?: Time;
}

/** For how long after it an expired invitation is still told of to whoever was invited. */
const REMEMBERED_FOR_MS = 30 * 24 * 60 * 60_000;

/** The invitations that can be accepted at `now`. */
export function stillGood<Time>(now: Time): ExpirySpan<Time> {
  return { after: now };
}

/** The invitations that expired in the 30 days before `now`. */
export function lapsedLately(now: string): ExpirySpan {
  const after = new Date(Date.parse(now) - REMEMBERED_FOR_MS).toISOString();
  return { after, until: now };
}

/** Whether the invitation's time is over at `now` (ISO 8601). */
export function isExpired(invitation: PendingInvitation, now: string): boolean {
  return invitation.expiresAt <= now;
}

/** What inviting somebody comes to, given where they stand already. */
export function decideInvite(
  existing: { isMember: boolean; invitation: PendingInvitation | undefined },
  now: string,
): 'change-member' | 'refuse-duplicate' | 'replace-expired' | 'create' {
  if (existing.isMember) return 'change-member';
  if (!existing.invitation) return 'create';
  return isExpired(existing.invitation, now) ? 'replace-expired' : 'refuse-duplicate';
}

/** What accepting comes to. An expired invitation stays as it is. */
export function decideAccept(
  invitation: PendingInvitation,
  now: string,
): 'accept' | 'refuse-expired' {
  return isExpired(invitation, now) ? 'refuse-expired' : 'accept';
}
