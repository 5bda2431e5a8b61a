import { Type } from 'typebox';
import {
  Id,
  Nullable,
  NullableId,
  NullableUsername,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { PERMISSIONS } from '../../core/document/access-rules.ts';
import { ROLES } from '../../core/owner/organization-access.ts';
import { isExpired } from './invitation-state.ts';
import type {
  Invitation,
  OfAddress,
  OfUser,
  ToDocument,
  ToOrganization,
} from './invitation-store.ts';

// The four kinds of invitations look different in the API: the specification describes those of
// users, and decision 014 those of addresses.

/** A collaborator's permission. */
export const Permission = OneOf(
  PERMISSIONS,
  '`read`: view; `write`: also change content and name; `admin`: also share, publish and delete.',
  'Permission',
);

/** A member's role. */
export const Role = OneOf(
  ROLES,
  '`admin`: full control; `member`: what the organization’s settings allow.',
  'Role',
);

const id = Id('The invitation’s id.');
const invitedBy = NullableId('The id of the user who sent the invitation.');
const invitedByUsername = NullableUsername('The username of the user who sent the invitation.');
const targetUid = Id('The id of the invited user.');
const targetUsername = Type.String({ examples: ['grace'] });
const expired = Type.Boolean({
  description: 'Whether it has expired and can no longer be accepted.',
});
const createdAt = Timestamp('When the invitation was created.');
const expiresAt = Timestamp('When the invitation expires.');

const toDocument = {
  id,
  briefId: Id('The document’s id.'),
  briefFullName: Type.String({ examples: ['ada/release-notes'] }),
  briefOwnerNamespace: Type.String({ examples: ['ada'] }),
  briefName: Type.String({ examples: ['release-notes'] }),
  documentType: OneOf(['brief', 'page'], 'The kind of document.'),
  invitedBy,
  invitedByUsername,
  targetUid,
  targetUsername,
  permission: Permission,
  createdAt,
  expiresAt,
};

/** A user's invitation to a document as shown to the document's admins. */
export const AdminInvitation = Type.Object({ ...toDocument, expired }, { title: 'Invitation' });

/** A user's invitation to a document as shown to the invited user. */
export const InviteeInvitation = Type.Object(toDocument, { title: 'ReceivedInvitation' });

/** The response to inviting a user to a document. */
export const CreatedInvitation = Type.Object(
  {
    id,
    briefId: toDocument.briefId,
    briefName: toDocument.briefName,
    briefFullName: toDocument.briefFullName,
    invitedBy,
    invitedByUsername,
    targetUsername,
    permission: Permission,
  },
  { title: 'CreatedInvitation' },
);

export const ChangedInvitation = Type.Object(
  { id, permission: Permission },
  { title: 'ChangedInvitation' },
);

export function presentInviteeInvitation(row: Invitation<ToDocument, OfUser>) {
  return {
    ...presentCreatedInvitation(row),
    briefOwnerNamespace: row.ownerNamespace,
    documentType: row.kind,
    targetUid: row.recipientId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

export function presentAdminInvitation(row: Invitation<ToDocument, OfUser>, now: string) {
  return { ...presentInviteeInvitation(row), expired: isExpired(row, now) };
}

export function presentCreatedInvitation(row: Invitation<ToDocument, OfUser>) {
  return {
    id: row.id,
    briefId: row.documentId,
    briefName: row.documentName,
    briefFullName: `${row.ownerNamespace}/${row.documentName}`,
    invitedBy: row.invitedBy,
    invitedByUsername: row.invitedByUsername,
    targetUsername: row.recipientUsername,
    permission: row.level,
  };
}

export const CreatedOrganizationInvitation = Type.Object(
  { id },
  { title: 'CreatedOrganizationInvitation' },
);

/** A user's invitation to an organization as shown to its admins. */
export const OrganizationInvitation = Type.Object(
  {
    id,
    orgId: Id('The organization’s id.'),
    orgName: Type.String({ description: 'The display name.', examples: ['Engines'] }),
    orgNamespace: Type.String({ description: 'The namespace.', examples: ['engines'] }),
    invitedBy,
    invitedByUsername,
    targetUid,
    targetUsername,
    role: Role,
    expired,
    createdAt: Timestamp('When the invitation was sent.'),
    expiresAt: Timestamp('When it expires.'),
  },
  { title: 'OrganizationInvitation' },
);

export function presentOrganizationInvitation(
  row: Invitation<ToOrganization, OfUser>,
  now: string,
) {
  return {
    id: row.id,
    orgId: row.organizationId,
    orgName: row.organizationName,
    orgNamespace: row.ownerNamespace,
    invitedBy: row.invitedBy,
    invitedByUsername: row.invitedByUsername,
    targetUid: row.recipientId,
    targetUsername: row.recipientUsername,
    role: row.level,
    expired: isExpired(row, now),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

const email = Text({ description: 'The address.', maxLength: 254, examples: ['ada@example.com'] });
const permission = OneOf(PERMISSIONS, 'The permission of the person who accepts.');
const role = OneOf(ROLES, 'The role of the person who accepts.');

const ofAddress = {
  id,
  email: Type.String({ description: 'The address.', examples: ['ada@example.com'] }),
  invitedBy,
  invitedByUsername,
  expired,
  url: Nullable(
    'string',
    'The link to pass on, if the server sends no mail; `null` if it was mailed, or if the caller ' +
      'could not make this invitation.',
  ),
  createdAt,
  expiresAt,
};

export const EmailInvitation = Type.Object(
  { ...ofAddress, permission },
  { title: 'EmailInvitation' },
);

export const OrganizationEmailInvitation = Type.Object(
  { ...ofAddress, role },
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
  row: Invitation<ToDocument | ToOrganization, OfAddress> & { url: string | null },
  now: string,
) {
  const { id, email, invitedBy, invitedByUsername, url, createdAt, expiresAt } = row;
  const expired = isExpired(row, now);
  const as = row.documentId === null ? { role: row.level } : { permission: row.level };
  return { id, email, invitedBy, invitedByUsername, expired, url, createdAt, expiresAt, ...as };
}
