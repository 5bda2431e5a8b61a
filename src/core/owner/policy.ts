import type { Role } from './organization-access.ts';

/**
 * Who can make secret links to an organization's documents, of those who can share them. `sharers`
 * are all of them, also outside collaborators with full access.
 */
export const LINK_MAKERS = ['sharers', 'members', 'admins', 'nobody'] as const;
export type LinkMakers = (typeof LINK_MAKERS)[number];

/** Who can invite people who aren't members to documents, of those who can share them. */
export const OUTSIDE_INVITERS = ['sharers', 'admins', 'nobody'] as const;
export type OutsideInviters = (typeof OUTSIDE_INVITERS)[number];

/** Whose personal access tokens or connected applications reach an organization. */
export const PROGRAM_USERS = ['anyone', 'members', 'admins', 'nobody'] as const;
export type ProgramUsers = (typeof PROGRAM_USERS)[number];

/** The most days of `programDays`. */
export const MAX_PROGRAM_DAYS = 365;

/** What an organization allows. */
export interface Policies {
  linkMakers: LinkMakers;
  outsideInviters: OutsideInviters;
  /** Whether its documents can become public. */
  publicDocuments: boolean;
  /** Whose personal access tokens reach what isn't public (`program-rule.ts`). */
  tokenHolders: ProgramUsers;
  /** Through whose connected applications it is reached. */
  appUsers: ProgramUsers;
  /**
   * How many days a token that reaches it lives at most, and how long ago an application was connected
   * at most; `null` for any time.
   */
  programDays: number | null;
}

/** What is allowed unless an organization says otherwise, and with a user's documents. */
export const ALLOW_ALL: Policies = {
  linkMakers: 'sharers',
  outsideInviters: 'sharers',
  publicDocuments: true,
  tokenHolders: 'anyone',
  appUsers: 'anyone',
  programDays: null,
};

/** How strict each policy is; larger is stricter. */
const STRICTNESS: { [Name in keyof Policies]: (value: Policies[Name]) => number } = {
  linkMakers: (value) => LINK_MAKERS.indexOf(value),
  outsideInviters: (value) => OUTSIDE_INVITERS.indexOf(value),
  publicDocuments: (value) => (value ? 0 : 1),
  tokenHolders: (value) => PROGRAM_USERS.indexOf(value),
  appUsers: (value) => PROGRAM_USERS.indexOf(value),
  programDays: (value) => -(value ?? Number.POSITIVE_INFINITY),
};

/** Tells whether policies allow anything that others don't. */
export function isLooser(policies: Policies, before: Policies): boolean {
  const looser = <Name extends keyof Policies>(name: Name) =>
    STRICTNESS[name](policies[name]) < STRICTNESS[name](before[name]);
  return (Object.keys(STRICTNESS) as (keyof Policies)[]).some(looser);
}

/**
 * Tells whether someone who can share a document can make a link to it, and whether a link that they
 * made works.
 *
 * @param role in the organization; `null` for outsiders
 */
export function mayMakeLinks(makers: LinkMakers, role: Role | null): boolean {
  if (makers === 'sharers') return true;
  return role === 'admin' ? makers !== 'nobody' : role === 'member' && makers === 'members';
}

/**
 * Tells whether someone who can share a document can invite an outsider to it, and whether such an
 * invitation can be accepted.
 *
 * @param role of who invites; `null` for outsiders
 */
export function mayInviteOutsiders(inviters: OutsideInviters, role: Role | null): boolean {
  return inviters === 'sharers' || (inviters === 'admins' && role === 'admin');
}

/**
 * Tells whether an organization restricts who its documents can be shown to. Then only its admins move
 * them to other owners, where no such rule holds, or delete their texts for good.
 */
export function keepsDocuments(policies: Policies): boolean {
  const { linkMakers, outsideInviters, publicDocuments } = policies;
  return isLooser(ALLOW_ALL, { ...ALLOW_ALL, linkMakers, outsideInviters, publicDocuments });
}

/** Tells whether outsiders can collaborate on documents. */
export function allowsOutsiders({ outsideInviters }: Pick<Policies, 'outsideInviters'>): boolean {
  return outsideInviters !== 'nobody';
}
