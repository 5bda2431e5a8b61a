import type { Visibility } from '../../../base/schema/visibility.ts';
import { levelOfMembers, type Permission } from '../../../core/document/access-rules.ts';
import type { DocumentAccess } from '../../../core/document/shown-link-service.ts';
import type { DefaultBriefPermission, Role } from '../../../core/owner/organization-access.ts';

export const LEVEL_LABELS = {
  read: 'Can read',
  write: 'Can edit',
  admin: 'Full access',
} as const satisfies Record<Permission, string>;

/** What each level allows, as a phrase that follows "can". */
export const LEVEL_ABILITIES = {
  read: 'read it',
  write: 'read and edit it',
  admin: 'edit, share and delete it',
} as const satisfies Record<Permission, string>;

/** What an invitation to a document allows, as a phrase that follows "to". */
export const INVITED_TO = {
  read: 'read',
  write: 'edit',
  admin: 'manage',
} as const satisfies Record<Permission, string>;

/** The role that an invitation to an organization gives. */
export const INVITED_AS = {
  member: 'a member',
  admin: 'an admin',
} as const satisfies Record<Role, string>;

export const ROLE_LABELS = {
  member: 'Member',
  admin: 'Admin',
} as const satisfies Record<Role, string>;

const WORKS_FOR = {
  public: 'Works for anyone.',
  internal: 'Works for members and people who are invited.',
  private: 'Works for people who are invited.',
} as const satisfies Record<Visibility, string>;

/** Says whom the address that “Copy link” copies works for. */
export function worksFor(visibility: Visibility, access: DocumentAccess): string {
  switch (access.worksFor) {
    case 'link':
      return 'Works for anyone with the link.';
    case 'password':
      return 'Works for anyone with the link and its password.';
    case 'readers':
      return WORKS_FOR[visibility];
  }
}

/** The facts about an owner that the texts below need. */
export interface OwnerInWords {
  namespace: string;
  /** Set if the owner is an organization. */
  organization?: { name: string; defaultBriefPermission: DefaultBriefPermission } | undefined;
}

/**
 * Describes in a sentence who can access documents of a visibility.
 *
 * @param people what to call the people who have access by name
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
