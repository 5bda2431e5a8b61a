import { ServiceError } from '../../base/errors.ts';
import type { Via } from '../../base/schema/means.ts';
import type { Reach } from '../../storage/sql/narrowed.ts';
import { ALL_SCOPES, type Scope } from './scope.ts';

/** The scopes that a program can have that is limited to some documents. */
export const REACHING_SCOPES: readonly Scope[] = [
  'documents:read',
  'documents:write',
  'comments',
  'sharing',
  'profile',
];

/** Reads a stored reach. @returns `undefined` for a program that isn't limited */
export function readReach(stored: string | null): Reach | undefined {
  return stored === null ? undefined : JSON.parse(stored);
}

/** Returns the scopes that a program with a reach has of those it was given. */
export function scopesWithin(reach: Reach | undefined, scopes: readonly Scope[]): readonly Scope[] {
  return reach
    ? ALL_SCOPES.filter((each) => scopes.includes(each) && REACHING_SCOPES.includes(each))
    : scopes;
}

/** A program that is limited to some documents can't do what is about more. */
export function beyondReach({ means }: Via): ServiceError {
  const program = means === 'application' ? 'app' : 'token';
  return new ServiceError('FORBIDDEN', `This ${program} reaches only the documents chosen for it.`);
}
