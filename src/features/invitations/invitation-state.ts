import { FieldError, ServiceError } from '../../base/errors.ts';

/**
 * The lifecycle of an invitation: pending until it is accepted, declined or cancelled. A pending one
 * expires when its time is over (specification, part "States and transitions").
 */
export interface PendingInvitation {
  expiresAt: string;
}

/** Matches invitations that expire after one time and, if given, no later than another (ISO 8601). */
export interface ExpirySpan {
  after: string;
  until?: string;
}

/** How long the invited user still sees an expired invitation. */
const REMEMBERED_FOR_MS = 30 * 24 * 60 * 60_000;

/** Matches invitations that can be accepted at `now`. */
export function notExpiredAt(now: string): ExpirySpan {
  return { after: now };
}

/** Matches invitations that expired in the 30 days before `now`. */
export function recentlyExpiredAt(now: string): ExpirySpan {
  const after = new Date(Date.parse(now) - REMEMBERED_FOR_MS).toISOString();
  return { after, until: now };
}

/** Tells whether an invitation has expired at `now` (ISO 8601). */
export function isExpired(invitation: PendingInvitation, now: string): boolean {
  return invitation.expiresAt <= now;
}

/** Decides what inviting someone does who isn't in yet, but may have an invitation already. */
export function decideInvite(
  existing: PendingInvitation | undefined,
  now: string,
): 'refuse-duplicate' | 'replace-expired' | 'create' {
  if (!existing) return 'create';
  return isExpired(existing, now) ? 'replace-expired' : 'refuse-duplicate';
}

/**
 * Requires that an invitation can be accepted. An expired one stays as it is.
 *
 * @throws UNPROCESSABLE if it has expired
 */
export function requireNotExpired(invitation: PendingInvitation, now: string): void {
  if (!isExpired(invitation, now)) return;
  throw new ServiceError('UNPROCESSABLE', 'This invitation has expired. Ask for a new one.');
}

/** Returns the refusal of a second invitation to a username or an email address. */
export function alreadyInvited(field: 'username' | 'email', who: string): FieldError {
  return new FieldError('UNPROCESSABLE', field, `“${who}” already has a pending invitation.`);
}

/** Returns the error for people who look for an invitation that isn't pending any more. */
export function noLongerPending(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is no longer pending. It was accepted, declined or cancelled.',
  );
}
