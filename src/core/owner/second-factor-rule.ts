import { ServiceError } from '../../base/errors.ts';

/**
 * Tells whether a membership counts. In an organization that requires a second factor, that of
 * somebody without one doesn't: it gives no access to anything. The view `membership`, which
 * everything reads that decides about access, has only those that count.
 */
export function membershipCounts(membership: {
  secondFactorRequired: boolean;
  hasSecondFactor: boolean;
}): boolean {
  return !membership.secondFactorRequired || membership.hasSecondFactor;
}

/** Says that a membership doesn't count until the member has a second factor. */
export function needsSecondFactor(namespace: string): ServiceError {
  return new ServiceError(
    'FORBIDDEN',
    `The organization ${namespace} requires a second factor, and your account has none. ` +
      'Set one up in the web app under Settings, Security.',
  );
}
