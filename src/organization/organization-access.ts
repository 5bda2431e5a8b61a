import type { Role } from './roles.ts';

/** The role that each action in an organization needs (specification, part "Organizations"). */
const NEEDED = {
  seeMembers: 'member',
  invite: 'admin',
  changeRole: 'admin',
  removeMember: 'admin',
  changeSettings: 'admin',
  export: 'admin',
  delete: 'admin',
} as const satisfies Record<string, Role>;

export type OrganizationAction = keyof typeof NEEDED;

/** Whether somebody with this role may do `action`; `null` for someone who is no member. */
export function roleAllows(role: Role | null, action: OrganizationAction): boolean {
  return role === 'admin' || (role !== null && NEEDED[action] === 'member');
}

/** Who may do `action`, as a sentence names them. */
export function whoMay(action: OrganizationAction): 'admins' | 'members' {
  return NEEDED[action] === 'admin' ? 'admins' : 'members';
}

/** Whether somebody may create documents there. The organization's setting decides for members. */
export function mayCreateDocuments(organization: {
  role: Role | null;
  membersCanCreate: boolean;
}): boolean {
  const { role, membersCanCreate } = organization;
  return role === 'admin' || (role === 'member' && membersCanCreate);
}
