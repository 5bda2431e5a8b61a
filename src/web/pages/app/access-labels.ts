import { levelOfMembers, type Permission, type Visibility } from '../../../document/access.ts';
import type { DefaultBriefPermission, Role } from '../../../organization/roles.ts';

/** What each level is called. */
export const LEVEL_LABELS = {
  read: 'Can read',
  write: 'Can edit',
  admin: 'Full access',
} as const satisfies Record<Permission, string>;

/** What somebody with a level can do, after "can". */
export const LEVEL_ABILITIES = {
  read: 'read it',
  write: 'read and edit it',
  admin: 'edit, share and delete it',
} as const satisfies Record<Permission, string>;

/** What each role is called. */
export const ROLE_LABELS = {
  member: 'Member',
  admin: 'Admin',
} as const satisfies Record<Role, string>;

/** What an owner's documents take their words from. */
export interface OwnerInWords {
  namespace: string;
  /** Where the owner is an organization. */
  organization?: { name: string; defaultBriefPermission: DefaultBriefPermission } | undefined;
}

/**
 * Who may do what at a visibility, as a sentence.
 *
 * @param people what those who have access by name are called
 */
export function consequenceOf(
  visibility: Visibility,
  owner: OwnerInWords,
  people = 'the people below',
): string {
  const { namespace, organization } = owner;
  const membersEdit =
    organization !== undefined &&
    levelOfMembers(visibility, organization.defaultBriefPermission) === 'write';
  const inside = organization?.name ?? namespace;
  switch (visibility) {
    case 'public':
      return membersEdit
        ? `Anyone on the web can read this. Members of ${inside} can edit it.`
        : 'Anyone on the web can read this.';
    case 'internal':
      return `Members of ${inside} can ${membersEdit ? 'read and edit' : 'read'} this.`;
    case 'private': {
      const who = organization ? `admins of ${organization.name}` : namespace;
      return `Only ${who} and ${people} can read this.`;
    }
  }
}
