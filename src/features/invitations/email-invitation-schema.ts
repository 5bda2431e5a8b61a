import { Type } from 'typebox';
import {
  Id,
  NullableId,
  NullableUsername,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { PERMISSIONS } from '../../core/document/access-rules.ts';
import { isExpired } from '../../core/owner/invitation-state.ts';
import { ROLES } from '../../core/owner/organization-access.ts';
import type { InvitationToDocument, InvitationToOrganization } from './email-invitation-store.ts';

const email = Text({ description: 'The address.', maxLength: 254, examples: ['ada@example.com'] });
const permission = OneOf(PERMISSIONS, 'The permission of the person who accepts.');
const role = OneOf(ROLES, 'The role of the person who accepts.');

const FIELDS = {
  id: Id('The invitation’s id.'),
  email: Type.String({ description: 'The address.', examples: ['ada@example.com'] }),
  invitedBy: NullableId('The id of the user who sent the invitation.'),
  invitedByUsername: NullableUsername('The username of the user who sent the invitation.'),
  expired: Type.Boolean({ description: 'Whether it has expired and can no longer be accepted.' }),
  createdAt: Timestamp('When the invitation was created.'),
  expiresAt: Timestamp('When the invitation expires.'),
};

export const EmailInvitation = Type.Object({ ...FIELDS, permission }, { title: 'EmailInvitation' });

export const OrganizationEmailInvitation = Type.Object(
  { ...FIELDS, role },
  { title: 'OrganizationEmailInvitation' },
);

export const EmailInvitationBody = Type.Object(
  { email, permission },
  { title: 'InviteAddress', additionalProperties: false },
);

export const OrganizationEmailInvitationBody = Type.Object(
  { email, role: Type.Optional(OneOf(ROLES, 'The role; `member` when omitted.')) },
  { title: 'InviteAddressToOrganization', additionalProperties: false },
);

export function presentEmailInvitation(
  row: InvitationToDocument | InvitationToOrganization,
  now: string,
) {
  const { id, email, invitedBy, invitedByUsername, createdAt, expiresAt } = row;
  const expired = isExpired(row, now);
  const as = row.documentId === null ? { role: row.role } : { permission: row.permission };
  return { id, email, invitedBy, invitedByUsername, expired, createdAt, expiresAt, ...as };
}
