import { Type } from 'typebox';
import { PERMISSIONS } from '../../document/access.ts';
import {
  AdminInvitation,
  Collaborator,
  EffectivePermission,
  presentAdminInvitation,
} from '../../document/sharing/sharing-schema.ts';
import {
  cancelInvitation,
  changeInvitation,
  getEffectivePermission,
  inviteOrChangeCollaborator,
  listDocumentCollaborators,
  listDocumentInvitations,
  removeCollaborator,
} from '../../document/sharing/sharing-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { DocumentArguments, refOf } from '../document.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { InvitationArgument, personOrInvitation, UsernameArgument } from '../person.ts';
import { defineTool } from '../tool.ts';

export const listAccess = defineTool({
  name: 'list_access',
  title: 'Who has access to a document?',
  description:
    'Lists a document’s collaborators. With a username, also tells what that user can do, whether as ' +
    'owner, collaborator or member, or because the document is public. Pending invitations are in ' +
    'list_document_invitations.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      username: Type.Optional(Type.String({ description: 'The user whose permission to show.' })),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...PageResult(Collaborator).properties,
    effective: Type.Optional(EffectivePermission),
  }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const page = pageRequest(input);
    const found = await listDocumentCollaborators(context, actor, ref, page);
    const { username } = input;
    const effective =
      username === undefined
        ? undefined
        : await getEffectivePermission(context, actor, ref, username);
    const data = presentPage(found, page, (collaborator) => collaborator);
    return {
      summary: pageSummary('Collaborators', data),
      data: { ...data, ...(effective && { effective }) },
    };
  },
});

export const listInvitationsOfDocument = defineTool({
  name: 'list_document_invitations',
  title: 'Who is invited to a document?',
  description:
    'Lists the pending invitations to a document. Expired ones are flagged. ' +
    'Needs admin. For invitations to you, see list_invitations.',
  scope: 'sharing',
  effect: { reads: true },
  input: Type.Object({ ...DocumentArguments, ...PageQuery }, { additionalProperties: false }),
  output: PageResult(AdminInvitation),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listDocumentInvitations(context, actor, refOf(context, actor, input), page);
    const now = context.now();
    const data = presentPage(found, page, (row) => presentAdminInvitation(row, now));
    return { summary: pageSummary('Pending invitations', data), data };
  },
});

export const shareDocument = defineTool({
  name: 'share_document',
  title: 'Share a document',
  description:
    'Invites a user to a document; the user has to accept. Or changes the permission of a ' +
    'collaborator or of a pending invitation (invitation_id). Needs admin.',
  scope: 'sharing',
  effect: { repeatable: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      username: UsernameArgument,
      invitation_id: InvitationArgument,
      permission: OneOf(
        PERMISSIONS,
        '`read`: view; `write`: change text and name too; `admin`: everything, sharing included.',
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: OneOf(
      ['invited', 'permission_changed', 'invitation_changed'],
      'Whether the user was invited, or already was a collaborator or invited.',
    ),
    permission: OneOf(PERMISSIONS, 'The permission that was given.'),
    invitation: Type.Optional(Type.Object(AdminInvitation.properties)),
  }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const { permission } = input;
    const target = personOrInvitation(input);
    if ('invitationId' in target) {
      await changeInvitation(context, actor, ref, target.invitationId, permission);
      return {
        summary: `The invitation now is for ${permission}.`,
        data: { outcome: 'invitation_changed' as const, permission },
      };
    }
    const { username } = target;
    const row = await inviteOrChangeCollaborator(context, actor, ref, username, permission);
    if (!row) {
      return {
        summary: `The collaborator now has ${permission}.`,
        data: { outcome: 'permission_changed' as const, permission },
      };
    }
    const invitation = presentAdminInvitation(row, context.now());
    return {
      summary: `Invited; the user has until ${row.expiresAt} to accept.`,
      data: { outcome: 'invited' as const, permission, invitation },
    };
  },
});

export const unshareDocument = defineTool({
  name: 'unshare_document',
  title: 'End a user’s access to a document',
  description:
    'Removes a collaborator (username), or cancels a pending invitation (invitation_id). Needs ' +
    'admin. Anyone can still read a public document.',
  scope: 'sharing',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    { ...DocumentArguments, username: UsernameArgument, invitation_id: InvitationArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: OneOf(['collaborator_removed', 'invitation_cancelled'], 'What was ended.'),
  }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const target = personOrInvitation(input);
    if ('invitationId' in target) {
      await cancelInvitation(context, actor, ref, target.invitationId);
      return {
        summary: 'The invitation is taken back.',
        data: { outcome: 'invitation_cancelled' as const },
      };
    }
    await removeCollaborator(context, actor, ref, target.username);
    return {
      summary: 'The user is no collaborator now.',
      data: { outcome: 'collaborator_removed' as const },
    };
  },
});
