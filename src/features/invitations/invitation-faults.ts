import { FieldError } from '../../base/errors.ts';
import { type Faults, faultsOf, isCorrectable, isRefusal } from '../../surfaces/web/form.ts';
import { noLongerPending } from './invitation-state.ts';
import type { OfferRow } from './offer-store.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats a time as in `on 3 May 2026`. */
export function onDay(time: string): string {
  return `on ${DAY.format(new Date(time))}`;
}

/**
 * Returns the errors of the form that invites someone.
 *
 * @throws any error that the form can't correct
 */
export function inviteFaults(error: unknown): Faults {
  if (!isRefusal(error)) throw error;
  const isAboutUser = error instanceof FieldError && error.field === 'username';
  // An email address is typed into the field for usernames, so its error is shown there.
  if (error instanceof FieldError && error.field === 'email') return { username: error.sentence };
  if (isAboutUser || isCorrectable(error)) return faultsOf(error);
  throw error;
}

/** Explains why an invitation is gone. @throws always */
export function sayAnswered(error: unknown): never {
  if (error instanceof FieldError && ['inviteId', 'org'].includes(error.field)) {
    throw noLongerPending();
  }
  throw error;
}

/** Returns no offers if the request was refused: the change that follows says why. */
export function noOffers(error: unknown): OfferRow[] {
  if (isRefusal(error)) return [];
  throw error;
}
