import { Type } from 'typebox';
import { Id, NullableId, NullableUsername, OneOf, Timestamp } from '../../base/schema/fields.ts';
import { LEVELS, PERMISSIONS } from '../../core/document/access-rules.ts';
import type { DocumentInvitationRow } from '../../core/owner/document-invitation-store.ts';
import { isExpired } from '../../core/owner/invitation-state.ts';

const Permission = OneOf(
  PERMISSIONS,
  '`read`: view; `write`: also change content and name; `admin`: also share, publish and delete.',
  'Permission',
);
const username = Type.String({ description: 'The user’s namespace.', examples: ['grace'] });

export const Collaborator = Type.Object(
  {
    id: Id('The user’s id.'),
    username,
    permission: Permission,
    addedAt: Timestamp('When the user became a collaborator.'),
  },
  { title: 'Collaborator' },
);

export const EffectivePermission = Type.Object(
  {
    username,
    permission: OneOf(
      LEVELS,
      'The user’s effective permission, from any source; `none`: no access.',
    ),
  },
  { title: 'EffectivePermission' },
);

export const PermissionBody = Type.Object(
  { permission: Permission },
  { title: 'SetPermission', additionalProperties: false },
);

const invitation = {
  id: Id('The invitation’s id.'),
  briefId: Id('The document’s id.'),
  briefFullName: Type.String({ examples: ['ada/release-notes'] }),
  briefOwnerNamespace: Type.String({ examples: ['ada'] }),
  briefName: Type.String({ examples: ['release-notes'] }),
  documentType: OneOf(['brief', 'page'], 'The kind of document.'),
  invitedBy: NullableId('The id of the user who sent the invitation.'),
  invitedByUsername: NullableUsername('The username of the user who sent the invitation.'),
  targetUid: Id('The id of the invited user.'),
  targetUsername: Type.String({ examples: ['grace'] }),
  permission: Permission,
  createdAt: Timestamp('When the invitation was created.'),
  expiresAt: Timestamp('When the invitation expires.'),
};

/** An invitation as shown to the document's admins. */
export const AdminInvitation = Type.Object(
  {
    ...invitation,
    expired: Type.Boolean({ description: 'Whether it has expired and can no longer be accepted.' }),
  },
  { title: 'Invitation' },
);

/** An invitation as shown to the invited user. */
export const InviteeInvitation = Type.Object(invitation, { title: 'ReceivedInvitation' });

/** The response to inviting a user. */
export const CreatedInvitation = Type.Object(
  {
    id: invitation.id,
    briefId: invitation.briefId,
    briefName: invitation.briefName,
    briefFullName: invitation.briefFullName,
    invitedBy: invitation.invitedBy,
    invitedByUsername: invitation.invitedByUsername,
    targetUsername: invitation.targetUsername,
    permission: Permission,
  },
  { title: 'CreatedInvitation' },
);

export const ChangedInvitation = Type.Object(
  { id: invitation.id, permission: Permission },
  { title: 'ChangedInvitation' },
);

export function presentInviteeInvitation(row: DocumentInvitationRow) {
  return {
    ...presentCreatedInvitation(row),
    briefOwnerNamespace: row.ownerNamespace,
    documentType: row.kind,
    targetUid: row.targetId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

export function presentAdminInvitation(row: DocumentInvitationRow, now: string) {
  return { ...presentInviteeInvitation(row), expired: isExpired(row, now) };
}

export function presentCreatedInvitation(row: DocumentInvitationRow) {
  return {
    id: row.id,
    briefId: row.documentId,
    briefName: row.documentName,
    briefFullName: `${row.ownerNamespace}/${row.documentName}`,
    invitedBy: row.invitedBy,
    invitedByUsername: row.invitedByUsername,
    targetUsername: row.targetUsername,
    permission: row.permission,
  };
}
