import { ServiceError } from '../../errors.ts';
import { type Faults, faultsOf, isRefusal } from '../form.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `until 3 May 2026`. */
export function untilWords(time: string): string {
  return `until ${DAY.format(new Date(time))}`;
}

/**
 * What is wrong with the form that invites somebody, in sentences about that somebody.
 *
 * @throws the error itself where nobody can correct it in the form
 */
export function inviteFaults(error: unknown, username: string): Faults {
  if (!isRefusal(error)) throw error;
  const [, phrase] = /^username: (.*)$/s.exec(error.message) ?? [];
  if (phrase === undefined) {
    if (error.code === 'BAD_REQUEST' || error.code === 'UNPROCESSABLE') return faultsOf(error);
    throw error;
  }
  const isAboutThem = /^(is|has) /.test(phrase);
  return isAboutThem ? { username: `${username} ${phrase}` } : faultsOf(error);
}

/** Says of an invitation that is gone what must have become of it. */
export function sayAnswered(error: unknown): never {
  if (error instanceof ServiceError && /^(inviteId|org): /.test(error.message)) {
    throw new ServiceError(
      'NOT_FOUND',
      'This invitation is no longer pending: it was accepted, declined or cancelled.',
    );
  }
  throw error;
}
