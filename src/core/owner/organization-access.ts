/** Member roles (specification, part "Organization"). */
export const ROLES = ['admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** What members can do with documents that are not private. */
export const DEFAULT_BRIEF_PERMISSIONS = ['none', 'read', 'write'] as const;
export type DefaultBriefPermission = (typeof DEFAULT_BRIEF_PERMISSIONS)[number];

/** The role needed for each action in an organization (specification, part "Organizations"). */
const NEEDED = {
  seeMembers: 'member',
  seeTrash: 'member',
  seeTakedowns: 'admin',
  invite: 'admin',
  changeRole: 'admin',
  removeMember: 'admin',
  changeSettings: 'admin',
  manageWebhooks: 'admin',
  seeAudit: 'admin',
  export: 'admin',
  delete: 'admin',
} as const satisfies Record<string, Role>;

export type OrganizationAction = keyof typeof NEEDED;

/** Tells whether a role allows `action`; `null` for a non-member. */
export function roleAllows(role: Role | null, action: OrganizationAction): boolean {
  return role === 'admin' || (role !== null && NEEDED[action] === 'member');
}

/**
 * Tells whether a role allows inviting someone as `invited`. Someone who can't change roles can
 * invite only members.
 */
export function mayInviteAs(role: Role | null, invited: Role): boolean {
  return roleAllows(role, 'invite') && (invited !== 'admin' || roleAllows(role, 'changeRole'));
}

/** Names the roles that allow `action`, for messages. */
export function whoMay(action: OrganizationAction): 'admins' | 'members' {
  return NEEDED[action] === 'admin' ? 'admins' : 'members';
}

/** Tells whether someone can create documents there. For members, a setting decides. */
export function mayCreateDocuments(organization: {
  role: Role | null;
  membersCanCreate: boolean;
}): boolean {
  const { role, membersCanCreate } = organization;
  return role === 'admin' || (role === 'member' && membersCanCreate);
}
