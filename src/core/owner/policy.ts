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

/** What an organization allows. */
export interface Policies {
  linkMakers: LinkMakers;
  outsideInviters: OutsideInviters;
  /** Whether its documents can become public. */
  publicDocuments: boolean;
}

/** What is allowed unless an organization says otherwise, and with a user's documents. */
export const ALLOW_ALL: Policies = {
  linkMakers: 'sharers',
  outsideInviters: 'sharers',
  publicDocuments: true,
};

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

/** Tells whether outsiders can collaborate on documents. */
export function allowsOutsiders({ outsideInviters }: Pick<Policies, 'outsideInviters'>): boolean {
  return outsideInviters !== 'nobody';
}
