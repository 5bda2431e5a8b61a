import type { Permission, Visibility } from './scenario.ts';

// A second, independent implementation of decisions.md, part "Who may do what", with which the
// tests compare the service.

/** Nothing, read, write, admin. */
export type Rank = 0 | 1 | 2 | 3;

/** A caller's standing towards a document, and its source. */
export interface Caller {
  /** Owns the document as a user. */
  owns?: true;
  /** Role in the organization that owns the document. */
  role?: 'admin' | 'member';
  collaborates?: Permission;
  /** Invited to the document with this permission, not yet accepted. */
  invited?: Permission;
  /** Invited to the organization, not yet accepted. */
  invitedToOrganization?: true;
  /** Was a collaborator with this permission, and was removed. */
  collaborated?: Permission;
  /** Was a member, and was removed. */
  belonged?: true;
}

/** The caller's standing towards a document. */
export interface Situation {
  visibility: Visibility;
  /** For the owning organization; empty for a user's document. */
  defaultBriefPermission?: 'none' | 'read' | 'write';
}

/** Callers that exist for both users' and organizations' documents. */
const ANY_OWNER: Record<string, Caller> = {
  stranger: {},
  'invited-reader': { invited: 'read' },
  'invited-sharer': { invited: 'admin' },
  reader: { collaborates: 'read' },
  writer: { collaborates: 'write' },
  sharer: { collaborates: 'admin' },
  'former-sharer': { collaborated: 'admin' },
};

export const CALLERS_OF_A_USER: Record<string, Caller> = { ...ANY_OWNER, holder: { owns: true } };

export const CALLERS_OF_AN_ORGANIZATION: Record<string, Caller> = {
  ...ANY_OWNER,
  'org-chief': { role: 'admin' },
  fellow: { role: 'member' },
  'fellow-reader': { role: 'member', collaborates: 'read' },
  'fellow-writer': { role: 'member', collaborates: 'write' },
  'fellow-sharer': { role: 'member', collaborates: 'admin' },
  'fellow-invited': { role: 'member', invited: 'admin' },
  'fellow-former-sharer': { role: 'member', collaborated: 'admin' },
  'invited-fellow': { invitedToOrganization: true },
  'former-fellow': { belonged: true },
};

const RANKS = { read: 1, write: 2, admin: 3 } as const;

/** The caller's level: the highest from all sources. */
export function rankOf(caller: Caller, situation: Situation): Rank {
  const sources: Rank[] = [0];
  if (caller.owns) sources.push(3);
  if (caller.role === 'admin') sources.push(3);
  if (caller.collaborates) sources.push(RANKS[caller.collaborates]);
  if (situation.visibility === 'public') sources.push(1);
  if (caller.role === 'member' && situation.visibility !== 'private') {
    sources.push(situation.defaultBriefPermission === 'write' ? 2 : 1);
  }
  return Math.max(...sources) as Rank;
}

/** The level that each action needs, and the status on success. */
export const ACTIONS = {
  get: [1, 200],
  listCollaborators: [1, 200],
  getPermission: [1, 200],
  patchContent: [2, 200],
  patchName: [2, 200],
  patchVisibility: [3, 200],
  inviteCollaborator: [3, 201],
  changeCollaborator: [3, 204],
  deleteCollaborator: [3, 204],
  listInvitations: [3, 200],
  patchInvitation: [3, 200],
  deleteInvitation: [3, 204],
  delete: [3, 204],
} as const satisfies Record<string, [Rank, number]>;

export type Action = keyof typeof ACTIONS;

/** The status of an action: 404 without read, 403 with too little. */
export function statusOf(action: Action, rank: Rank): number {
  const [needed, success] = ACTIONS[action];
  if (rank === 0) return 404;
  return rank >= needed ? success : 403;
}

/** Whether an organization's list shows the document (specification, part "Briefs"). */
export function isListedInOrganization(caller: Caller, visibility: Visibility): boolean {
  if (caller.role === 'admin') return true;
  if (caller.role === 'member') return visibility !== 'private' || !!caller.collaborates;
  return visibility === 'public';
}
