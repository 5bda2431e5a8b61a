import { Type } from 'typebox';
import {
  Id,
  NullableId,
  NullableUsername,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { MAX_SHOWN_NAME_CHARACTERS } from '../../base/text/shown-name.ts';
import type { MemberRow } from '../../core/owner/membership-store.ts';
import { DEFAULT_BRIEF_PERMISSIONS, ROLES } from '../../core/owner/organization-access.ts';
import type { OrganizationRow } from '../../core/owner/organization-store.ts';
import { Role } from '../invitations/invitation-schema.ts';
import type { ActiveMembership, RelationRow } from './relation-store.ts';

const namespace = Type.String({ description: 'The namespace.', examples: ['engines'] });
const name = Type.String({ description: 'The display name.', examples: ['Engines'] });
const id = Id('The organization’s id.');

const publicFields = { id, namespace, name };
const settings = {
  defaultBriefPermission: OneOf(
    DEFAULT_BRIEF_PERMISSIONS,
    'What members can do with documents that aren’t private, in addition to what their ' +
      'visibility allows.',
  ),
  membersCanCreate: Type.Boolean({ description: 'Whether members can create documents.' }),
};

export const CreatedOrganization = Type.Object(publicFields, { title: 'CreatedOrganization' });

/** An organization; only members get the optional fields. */
export const Organization = Type.Object(
  {
    ...publicFields,
    createdAt: Timestamp('When it was created.'),
    createdBy: Type.Optional(NullableId('The id of the user who created it.')),
    createdByUsername: Type.Optional(NullableUsername('The username of the user who created it.')),
    defaultBriefPermission: Type.Optional(settings.defaultBriefPermission),
    membersCanCreate: Type.Optional(settings.membersCanCreate),
    role: Type.Optional(OneOf(ROLES, 'The caller’s role.')),
    updatedAt: Type.Optional(Timestamp('When its settings were last changed.')),
  },
  { title: 'Organization' },
);

export const OwnOrganization = Type.Object(
  {
    ...publicFields,
    role: Role,
    joinedAt: Timestamp('When the caller joined.'),
  },
  { title: 'OwnOrganization' },
);

export const CreateOrganizationBody = Type.Object(
  {
    namespace: Text({
      description:
        '1 to 39 letters `a-z`, digits or single inner hyphens; converted to lower case.',
      examples: ['engines'],
    }),
    name: Text({
      description:
        `The display name: 1 to ${MAX_SHOWN_NAME_CHARACTERS} characters, without control or ` +
        'bidirectional control characters.',
      examples: ['Engines'],
    }),
  },
  { title: 'CreateOrganization', additionalProperties: false },
);

export const UpdateOrganizationBody = Type.Object(
  {
    membersCanCreate: Type.Optional(settings.membersCanCreate),
    defaultBriefPermission: Type.Optional(settings.defaultBriefPermission),
  },
  { title: 'UpdateOrganization', additionalProperties: false, minProperties: 1 },
);

export const Member = Type.Object(
  {
    id: Id('The user’s id.'),
    username: Type.String({ examples: ['grace'] }),
    role: Role,
    joinedAt: Timestamp('When the user joined.'),
  },
  { title: 'Member' },
);

export const MemberBody = Type.Object(
  { role: Type.Optional(OneOf(ROLES, 'The role; `member` when omitted.')) },
  { title: 'SetMember', additionalProperties: false },
);

/** The caller's relation to an organization; only pending ones have the optional fields. */
export const Membership = Type.Object(
  {
    state: OneOf(['active', 'pending'], '`pending`: invited, not yet accepted.'),
    role: Role,
    organization: Type.Object(publicFields),
    inviteId: Type.Optional(Id('The invitation’s id.')),
    invitedBy: Type.Optional(NullableId('The id of the user who sent the invitation.')),
    invitedByUsername: Type.Optional(
      NullableUsername('The username of the user who sent the invitation.'),
    ),
    createdAt: Type.Optional(Timestamp('When the invitation was created.')),
  },
  { title: 'Membership' },
);

export const AcceptMembershipBody = Type.Object(
  { state: OneOf(['active'], 'Accepts the invitation.') },
  { title: 'AcceptMembership', additionalProperties: false },
);

/** Presents an organization; members get more fields. */
export function presentOrganization(row: OrganizationRow) {
  const { id, namespace, name, createdAt, role } = row;
  if (role === null) return { id, namespace, name, createdAt };
  const { createdBy, createdByUsername, defaultBriefPermission, membersCanCreate, updatedAt } = row;
  return {
    id,
    namespace,
    name,
    createdAt,
    createdBy,
    createdByUsername,
    defaultBriefPermission,
    membersCanCreate,
    role,
    updatedAt,
  };
}

/** Presents a member, without what only admins see. */
export function presentMember({ id, username, role, joinedAt }: MemberRow) {
  return { id, username, role, joinedAt };
}

export function presentMembership(row: RelationRow | ActiveMembership) {
  const membership = {
    state: row.state,
    role: row.role,
    organization: {
      id: row.organizationId,
      namespace: row.organizationNamespace,
      name: row.organizationName,
    },
  };
  if (row.state === 'active') return membership;
  const { id: inviteId, invitedBy, invitedByUsername, createdAt } = row;
  return { ...membership, inviteId, invitedBy, invitedByUsername, createdAt };
}
