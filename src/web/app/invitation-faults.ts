import { FieldError, ServiceError } from '../../errors.ts';
import { type Faults, faultsOf, isCorrectable, isRefusal } from '../form.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `until 3 May 2026`. */
export function untilDay(time: string): string {
  return `until ${DAY.format(new Date(time))}`;
}

/**
 * What is wrong with the form that invites somebody, in sentences about that somebody.
 *
 * @throws the error itself where nobody can correct it in the form
 */
export function inviteFaults(error: unknown, username: string): Faults {
  if (!isRefusal(error)) throw error;
  if (!(error instanceof FieldError) || error.field !== 'username') {
    if (isCorrectable(error)) return faultsOf(error);
    throw error;
  }
  const isAboutThem = /^(is|has) /.test(error.problem);
  return isAboutThem ? { username: `${username} ${error.problem}` } : faultsOf(error);
}

/** Says of an invitation that is gone what must have become of it. */
export function sayAnswered(error: unknown): never {
  if (error instanceof FieldError && ['inviteId', 'org'].includes(error.field)) {
    throw new ServiceError(
      'NOT_FOUND',
      'This invitation is no longer pending: it was accepted, declined or cancelled.',
    );
  }
  throw error;
}
