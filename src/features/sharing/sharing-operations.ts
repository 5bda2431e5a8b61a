import { type AnyKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation } from '../../surfaces/rest/document-path.ts';
import { change, get, list, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
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

  list(api, {
    scope: 'documents:read',
    path: collection,
    id: `list${title}Collaborators`,
    tag,
    summary: `List a ${kind}’s collaborators`,
    description: 'The users who have a permission of their own. Excludes the owner.',
    items: Collaborator,
    rule: can('read'),
    find: ({ call, params, page }) => listDocumentCollaborators(call, { kind, ...params }, page),
    present: (collaborator) => collaborator,
  });

  get(api, {
    scope: 'documents:read',
    path: `${member}/permission`,
    id: `get${title}Permission`,
    tag,
    summary: `Get a user’s permission on a ${kind}`,
    description:
      'The effective permission: the highest that ownership, membership, collaboration and ' +
      'visibility give.',
    answer: EffectivePermission,
    rule: can('read'),
    handler: ({ call, params: { username, ...ref } }) =>
      getEffectivePermission(call, { kind, ...ref }, username),
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
    handler: async ({ call, params: { username, ...params }, body }) => {
      const ref = { kind, ...params };
      const { permission } = body;
      const invitation = await inviteOrChangeCollaborator(call, ref, username, permission);
      if (!invitation) return NO_CONTENT;
      const location = `${documentLocation(segment, params)}/invitations/${invitation.id}`;
      return { status: 201, data: presentCreatedInvitation(invitation), location };
    },
  });

  remove(api, {
    scope: 'sharing',
    path: member,
    id: `delete${title}Collaborator`,
    tag,
    summary: `Remove a collaborator from a ${kind}`,
    description:
      'You can remove yourself. The user keeps any access through membership and visibility. If they can no longer share ' +
      `the ${kind}, the pending invitations and secret links that they made for it end.`,
    bodyLimit,
    rule: {
      ...can('share', 'admin; or to remove yourself'),
      check: (call, params) => can(removal(call.actor, params.username)).check(call, params),
    },
    handler: ({ call, params: { username, ...ref } }) =>
      removeCollaborator(call, { kind, ...ref }, username),
  });
}

function addInvitationOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: AnyKind,
): void {
  const can = documentRules(kind);
  const common = { tag: 'Invitations to documents', scope: 'sharing', bodyLimit } as const;
  const collection = `/${segment}/{owner}/{name}/invitations` as const;
  const item = `${collection}/{inviteId}` as const;

  list(api, {
    ...common,
    path: collection,
    id: `list${title}Invitations`,
    summary: `List a ${kind}’s invitations`,
    description: 'Pending invitations. Expired ones have `expired: true`.',
    items: AdminInvitation,
    rule: can('share'),
    find: ({ call, params, page }) => listInvitations(call, { kind, ...params }, 'users', page),
    present: (invitation, { call }) => presentAdminInvitation(invitation, call.now()),
  });

  change(api, {
    ...common,
    path: item,
    id: `update${title}Invitation`,
    summary: `Change an invitation to a ${kind}`,
    description: 'Changes the permission that a pending invitation offers.',
    body: PermissionBody,
    answer: ChangedInvitation,
    rule: can('share'),
    handler: ({ call, params: { inviteId, ...ref }, body: { permission } }) =>
      changeInvitation(call, { kind, ...ref }, inviteId, permission),
  });

  remove(api, {
    ...common,
    path: item,
    id: `delete${title}Invitation`,
    summary: `Cancel an invitation to a ${kind}`,
    description: 'The invited user can no longer accept it.',
    rule: can('share'),
    handler: ({ call, params: { inviteId, ...ref } }) =>
      cancelInvitation(call, { kind, ...ref }, 'users', inviteId),
  });
}
