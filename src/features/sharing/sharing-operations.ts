import { Type } from 'typebox';
import { type AnyKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import {
  AdminInvitation,
  ChangedInvitation,
  CreatedInvitation,
  presentAdminInvitation,
  presentCreatedInvitation,
} from '../invitations/invitation-schema.ts';
import {
  cancelInvitation,
  changeInvitation,
  listInvitations,
} from '../invitations/invitation-service.ts';
import {
  getEffectivePermission,
  inviteOrChangeCollaborator,
  listDocumentCollaborators,
  removal,
  removeCollaborator,
} from './collaborator-service.ts';
import { Collaborator, EffectivePermission, PermissionBody } from './sharing-schema.ts';

/**
 * Adds the routes of collaborators and invitations, for all kinds of documents (specification,
 * parts "Collaborators" and "Brief invitations, admin view").
 */
export function addSharingOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) {
    addCollaboratorOperations(api, kind);
    addInvitationOperations(api, kind);
  }
}

function addCollaboratorOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: AnyKind,
): void {
  const can = documentRules(kind);
  const tag = 'Collaborators';
  const collection = `/${segment}/{owner}/{name}/collaborators` as const;
  const member = `${collection}/{username}` as const;

  addOperation(api, {
    method: 'GET',
    scope: 'documents:read',
    path: collection,
    id: `list${title}Collaborators`,
    tag,
    summary: `List a ${kind}’s collaborators`,
    description: 'The users who have a permission of their own. Excludes the owner.',
    paginated: true,
    answers: { 200: Type.Array(Collaborator) },
    rule: can('read'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(
        await listDocumentCollaborators(context, actor, { kind, ...params }, page),
        (collaborator) => collaborator,
      ),
  });

  addOperation(api, {
    method: 'GET',
    scope: 'documents:read',
    path: `${member}/permission`,
    id: `get${title}Permission`,
    tag,
    summary: `Get a user’s permission on a ${kind}`,
    description:
      'The effective permission: the highest that ownership, membership, collaboration and ' +
      'visibility give.',
    answers: { 200: EffectivePermission },
    rule: can('read'),
    handler: async ({ context, actor, params: { username, ...ref } }) => ({
      status: 200,
      data: await getEffectivePermission(context, actor, { kind, ...ref }, username),
    }),
  });

  addOperation(api, {
    method: 'PUT',
    scope: 'sharing',
    path: member,
    id: `put${title}Collaborator`,
    tag,
    summary: `Share a ${kind} with a user`,
    description:
      'Invites the user (201), or changes the permission of someone who is already a ' +
      'collaborator (204). Someone who can no longer share it loses the pending invitations and ' +
      'secret links that they made for it.',
    body: PermissionBody,
    bodyLimit,
    answers: { 201: CreatedInvitation, 204: null },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: can('share'),
    handler: async ({ context, actor, params: { username, ...params }, body }) => {
      const ref = { kind, ...params };
      const { permission } = body;
      const invitation = await inviteOrChangeCollaborator(
        context,
        actor,
        ref,
        username,
        permission,
      );
      if (!invitation) return NO_CONTENT;
      const location = `${documentLocation(segment, params)}/invitations/${invitation.id}`;
      return { status: 201, data: presentCreatedInvitation(invitation), location };
    },
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'sharing',
    path: member,
    id: `delete${title}Collaborator`,
    tag,
    summary: `Remove a collaborator from a ${kind}`,
    description:
      'You can remove yourself. The user keeps any access through membership and visibility. If they can no longer share ' +
      `the ${kind}, the pending invitations and secret links that they made for it end.`,
    bodyLimit,
    answers: { 204: null },
    rule: {
      ...can('share', 'admin; or to remove yourself'),
      check: (context, actor, params) =>
        can(removal(actor, params.username)).check(context, actor, params),
    },
    handler: async ({ context, actor, params: { username, ...ref } }) => {
      await removeCollaborator(context, actor, { kind, ...ref }, username);
      return NO_CONTENT;
    },
  });
}

function addInvitationOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: AnyKind,
): void {
  const can = documentRules(kind);
  const tag = 'Invitations to documents';
  const collection = `/${segment}/{owner}/{name}/invitations` as const;
  const item = `${collection}/{inviteId}` as const;

  addOperation(api, {
    method: 'GET',
    scope: 'sharing',
    path: collection,
    id: `list${title}Invitations`,
    tag,
    summary: `List a ${kind}’s invitations`,
    description: 'Pending invitations. Expired ones have `expired: true`.',
    paginated: true,
    answers: { 200: Type.Array(AdminInvitation) },
    rule: can('share'),
    handler: async ({ context, actor, params, page }) => {
      const now = context.now();
      return listAnswer(
        await listInvitations(context, actor, { kind, ...params }, 'users', page),
        (invitation) => presentAdminInvitation(invitation, now),
      );
    },
  });

  addOperation(api, {
    method: 'PATCH',
    scope: 'sharing',
    path: item,
    id: `update${title}Invitation`,
    tag,
    summary: `Change an invitation to a ${kind}`,
    description: 'Changes the permission that a pending invitation offers.',
    body: PermissionBody,
    bodyLimit,
    answers: { 200: ChangedInvitation },
    rule: can('share'),
    handler: async ({ context, actor, params: { inviteId, ...ref }, body: { permission } }) => ({
      status: 200,
      data: await changeInvitation(context, actor, { kind, ...ref }, inviteId, permission),
    }),
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'sharing',
    path: item,
    id: `delete${title}Invitation`,
    tag,
    summary: `Cancel an invitation to a ${kind}`,
    description: 'The invited user can no longer accept it.',
    bodyLimit,
    answers: { 204: null },
    rule: can('share'),
    handler: async ({ context, actor, params: { inviteId, ...ref } }) => {
      await cancelInvitation(context, actor, { kind, ...ref }, 'users', inviteId);
      return NO_CONTENT;
    },
  });
}
