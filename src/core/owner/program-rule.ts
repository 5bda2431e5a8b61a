import { ServiceError } from '../../base/errors.ts';
import type { Means } from '../../base/schema/means.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import type { Role } from './organization-access.ts';
import type { Policies } from './policy.ts';

/** A personal access token or the connection of an application, with what policies look at. */
export interface Program {
  means: Exclude<Means, 'web'>;
  /** When the token was made, or the application connected. ISO 8601. */
  createdAt: string;
  /** When the token expires; `null` for never. Of no matter for an application. */
  expiresAt: string | null;
}

/** Why a program doesn't reach an organization. */
export const SHUT_OUT_REASONS = [
  'nobody',
  'admins_only',
  'members_only',
  'never_expires',
  'lives_too_long',
  'connected_too_long_ago',
] as const;
export type ShutOutReason = (typeof SHUT_OUT_REASONS)[number];

/** An organization that shuts a program out. */
export interface ClosedOwner {
  id: string;
  namespace: string;
  /** The role of the person behind the program; `null` for a collaborator or someone invited. */
  role: Role | null;
  reason: ShutOutReason;
  /** The organization's `programDays`. */
  days: number | null;
}

/**
 * Tells why a program doesn't reach what isn't public in an organization; `undefined` if it does.
 *
 * @param role of the person behind the program; `null` for outsiders
 * @param now in ISO 8601
 */
export function whyShutOut(
  policies: Pick<Policies, 'tokenHolders' | 'appUsers' | 'programDays'>,
  role: Role | null,
  program: Program,
  now: string,
): ShutOutReason | undefined {
  const isToken = program.means === 'token';
  const users = isToken ? policies.tokenHolders : policies.appUsers;
  if (users === 'nobody') return 'nobody';
  if (users === 'admins' && role !== 'admin') return 'admins_only';
  if (users === 'members' && role === null) return 'members_only';
  if (policies.programDays === null) return undefined;
  const until = isToken ? program.expiresAt : now;
  if (until === null) return 'never_expires';
  const age = Date.parse(until) - Date.parse(program.createdAt);
  if (age <= policies.programDays * DAY_MS) return undefined;
  return isToken ? 'lives_too_long' : 'connected_too_long_ago';
}

/** Says why a program doesn't reach an organization, as a clause that follows a colon. */
export function shutOutClause(
  { reason, days }: Pick<ClosedOwner, 'reason' | 'days'>,
  means: Program['means'],
): string {
  const programs = means === 'token' ? 'tokens' : 'apps';
  switch (reason) {
    case 'nobody':
      return `no ${programs} do`;
    case 'admins_only':
      return `only ${programs} of its admins do`;
    case 'members_only':
      return `only ${programs} of its members do`;
    case 'never_expires':
      return `it never expires, and ${daysOf(days)} are the limit`;
    case 'lives_too_long':
      return `it lives longer than ${daysOf(days)}`;
    case 'connected_too_long_ago':
      return `it was connected more than ${daysOf(days)} ago. Connect it again`;
  }
}

/**
 * Says what an organization demands of somebody's new program, as a clause that follows a colon.
 *
 * @returns `undefined` if it demands nothing
 */
export function demandClause(
  policies: Pick<Policies, 'tokenHolders' | 'appUsers' | 'programDays'>,
  role: Role | null,
  means: Program['means'],
): string | undefined {
  const { programDays: days } = policies;
  const now = new Date(0).toISOString();
  const program = { means, createdAt: now, expiresAt: now };
  const reason = whyShutOut(policies, role, program, now);
  if (reason) return shutOutClause({ reason, days }, means);
  if (days === null) return undefined;
  return means === 'token'
    ? `only tokens that expire within ${daysOf(days)} do`
    : `connect it again after ${daysOf(days)}`;
}

function daysOf(days: number | null): string {
  return days === 1 ? '24 hours' : `${days} days`;
}

/** Says that a program doesn't reach an organization, and why. */
export function closedToProgram(owner: ClosedOwner, means: Means): ServiceError {
  const program = means === 'application' ? 'application' : 'token';
  const what = program === 'token' ? 'token' : 'app';
  return new ServiceError(
    'FORBIDDEN',
    `This ${what} doesn’t reach the organization ${owner.namespace}: ${shutOutClause(owner, program)}.`,
  );
}
