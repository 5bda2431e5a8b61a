import { Type } from 'typebox';
import type { Actor, Context } from '../../context.ts';
import { PERMISSIONS } from '../../document/access.ts';
import { requireDocument } from '../../document/authorize.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { presentAdminInvitation } from '../../document/sharing/sharing-schema.ts';
import {
  cancelInvitation,
  changeInvitation,
  getEffectivePermission,
  inviteOrChangeCollaborator,
  listDocumentCollaborators,
  listDocumentInvitations,
  removeCollaborator,
} from '../../document/sharing/sharing-service.ts';
import { Choice } from '../choice.ts';
import { DocumentArguments, refOf } from '../document.ts';
import {
  AnyObject,
  PageArgument,
  PageResult,
  pageOf,
  pageSummary,
  presentPage,
} from '../paging.ts';
import { InvitationArgument, personOrInvitation, UsernameArgument } from '../person.ts';
import { defineTool } from '../tool.ts';

export const listAccess = defineTool({
  name: 'list_access',
  title: 'Who has access to a document?',
  description:
    'Lists a document’s collaborators, for its admins also the pending invitations (scope sharing). ' +
    'With a username, also that user’s permission, whatever gives it.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    { ...DocumentArguments, username: Type.Optional(Type.String()), ...PageArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...PageResult.properties,
    invitations: Type.Optional(AnyObject),
    effective: Type.Optional(AnyObject),
  }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const page = pageOf(input);
    const { level } = await requireDocument(context.sql.read, actor, ref, 'read');
    const found = await listDocumentCollaborators(context, actor, ref, page);
    const { username } = input;
    const effective =
      username === undefined
        ? undefined
        : await getEffectivePermission(context, actor, ref, username);
    const now = context.now();
    const invitations =
      level === 'admin' && actor.scopes.includes('sharing')
        ? presentPage(await listDocumentInvitations(context, actor, ref, page), page, (row) =>
            presentAdminInvitation(row, now),
          )
        : undefined;
    const data = presentPage(found, page, (collaborator) => collaborator);
    return {
      summary: pageSummary('Collaborators', data),
      data: { ...data, ...(invitations && { invitations }), ...(effective && { effective }) },
    };
  },
});

export const shareDocument = defineTool({
  name: 'share_document',
  title: 'Share a document, or stop sharing it',
  description:
    'Invites a user, who has to accept; or changes a collaborator’s or pending invitation’s ' +
    'permission; `none` removes the collaborator or cancels the invitation. Needs admin. Anyone can ' +
    'read a public document anyway.',
  scope: 'sharing',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      username: UsernameArgument,
      invitation_id: InvitationArgument,
      permission: Choice([...PERMISSIONS, 'none'], {
        description: '`write`: text and name; `admin`: everything, sharing included.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ outcome: Type.String(), invitation: Type.Optional(AnyObject) }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const { permission } = input;
    const target = personOrInvitation(input);
    if (permission === 'none') return endAccess(context, actor, ref, target);
    if ('invitationId' in target) {
      await changeInvitation(context, actor, ref, target.invitationId, permission);
      return {
        summary: `The invitation now is for ${permission}.`,
        data: { outcome: 'invitation_changed' },
      };
    }
    const { username } = target;
    const row = await inviteOrChangeCollaborator(context, actor, ref, username, permission);
    if (!row) {
      return {
        summary: `The collaborator now has ${permission}.`,
        data: { outcome: 'permission_changed' },
      };
    }
    return {
      summary: `Invited; the user has until ${row.expiresAt} to accept.`,
      data: { outcome: 'invited', invitation: presentAdminInvitation(row, context.now()) },
    };
  },
});

async function endAccess(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  target: ReturnType<typeof personOrInvitation>,
) {
  if ('invitationId' in target) {
    await cancelInvitation(context, actor, ref, target.invitationId);
    return { summary: 'The invitation is cancelled.', data: { outcome: 'invitation_cancelled' } };
  }
  await removeCollaborator(context, actor, ref, target.username);
  return {
    summary: 'The user is no longer a collaborator.',
    data: { outcome: 'collaborator_removed' },
  };
}
