import { Type } from 'typebox';
import type { Call } from '../../core/context.ts';
import { PERMISSIONS } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { DocumentArguments, refOf } from '../../surfaces/mcp/document.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import {
  AnyObject,
  PageArgument,
  PageResult,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import {
  InvitationArgument,
  notByAddress,
  personOrInvitation,
  type Target,
} from '../../surfaces/mcp/person.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import {
  presentAdminInvitation,
  presentEmailInvitation,
} from '../invitations/invitation-schema.ts';
import {
  cancelInvitation,
  changeInvitation,
  inviteAddress,
  listInvitations,
} from '../invitations/invitation-service.ts';
import { presentLink } from '../links/link-schema.ts';
import { listLinks } from '../links/link-service.ts';
import { shareByLink } from '../links/share-by-link.ts';
import {
  getEffectivePermission,
  inviteOrChangeCollaborator,
  listDocumentCollaborators,
  removeCollaborator,
} from './collaborator-service.ts';

export const listAccess = defineTool({
  name: 'list_access',
  title: 'Who has access to a document?',
  description:
    'Lists a document’s collaborators. Its admins, with scope sharing, also see pending ' +
    'invitations and secret links. With a username: also that user’s effective permission.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    { ...DocumentArguments, username: OptionalText(), ...PageArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...PageResult.properties,
    invitations: Type.Optional(AnyObject),
    emailInvitations: Type.Optional(AnyObject),
    links: Type.Optional(AnyObject),
    effective: Type.Optional(AnyObject),
  }),
  handler: async ({ call, input }) => {
    const ref = refOf(call, input);
    const page = pageOf(input);
    const { level } = await requireDocument(call.sql.read, call.actor, ref, 'read');
    const found = await listDocumentCollaborators(call, ref, page);
    const { username } = input;
    const effective =
      username === undefined ? undefined : await getEffectivePermission(call, ref, username);
    const now = call.now();
    const forAdmins =
      level === 'admin' && call.actor.scopes.includes('sharing')
        ? {
            invitations: presentPage(await listInvitations(call, ref, 'users', page), page, (row) =>
              presentAdminInvitation(row, now),
            ),
            emailInvitations: presentPage(
              await listInvitations(call, ref, 'addresses', page),
              page,
              (row) => presentEmailInvitation(row, now),
            ),
            links: presentPage(await listLinks(call, ref, page), page, presentLink),
          }
        : {};
    const data = presentPage(found, page, (collaborator) => collaborator);
    return {
      summary: pageSummary('Collaborators', data),
      data: { ...data, ...forAdmins, ...(effective && { effective }) },
    };
  },
});

export const shareDocument = defineTool({
  name: 'share_document',
  title: 'Share a document, or stop sharing it',
  description:
    'Invites a user or an email address, who has to accept; or changes a collaborator’s or pending invitation’s ' +
    'permission. `anyone` creates a secret link to a document that isn’t public; it ' +
    'needs no account. `none` ends any of these. Needs admin. Ask the user before you create a ' +
    'link.',
  scope: 'sharing',
  effect: { destroys: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      username: OptionalText({
        description: 'Or an email address. Give this, invitation_id, anyone or link_id.',
      }),
      invitation_id: InvitationArgument,
      anyone: Type.Optional(
        Type.Boolean({
          description: 'With `read` or `comment`: creates a link; with `none`: revokes all.',
        }),
      ),
      link_id: OptionalText({ description: 'A link to revoke, with `none`.' }),
      permission: Choice([...PERMISSIONS, 'comment', 'none'], {
        description: '`write`: text and name; `admin`: everything; `comment`: links only.',
      }),
      expires_at: OptionalText({ description: 'When a new link ends (ISO 8601).' }),
      password: OptionalText({ description: 'A password that a new link asks for.' }),
      note: Type.Optional(Type.String({ description: 'What a link is for.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: Type.String(),
    invitation: Type.Optional(AnyObject),
    link: Type.Optional(AnyObject),
  }),
  argumentNames: { visibility: 'anyone', links: 'anyone', link: 'link_id', email: 'username' },
  handler: async ({ call, input }) => {
    const ref = refOf(call, input);
    if (input.anyone || input.link_id !== undefined) return shareByLink(call, ref, input);
    const { permission, expires_at, password, note } = input;
    if ((expires_at ?? password ?? note) !== undefined) {
      throw invalidArgument('anyone', 'must be true with expires_at, password or note');
    }
    const target = personOrInvitation(input);
    if (permission === 'none') return endAccess(call, ref, target);
    if (permission === 'comment') {
      throw invalidArgument('permission', '"comment" is only for links: with anyone');
    }
    if ('invitationId' in target) {
      await changeInvitation(call, ref, target.invitationId, permission);
      return {
        summary: `The invitation now offers ${permission}.`,
        data: { outcome: 'invitation_changed' },
      };
    }
    if ('email' in target) {
      const { email } = target;
      const invitation = await inviteAddress(call, ref, { email, level: permission });
      return {
        summary:
          invitation.url === null
            ? `Invited by mail; the link in it works until ${invitation.expiresAt}.`
            : `Not mailed: pass the link on. It works until ${invitation.expiresAt}.`,
        data: { outcome: 'invited', invitation: presentEmailInvitation(invitation, call.now()) },
      };
    }
    const { username } = target;
    const row = await inviteOrChangeCollaborator(call, ref, username, permission);
    if (!row) {
      return {
        summary: `The collaborator now has ${permission}.`,
        data: { outcome: 'permission_changed' },
      };
    }
    return {
      summary: `Invited; the user has until ${row.expiresAt} to accept.`,
      data: { outcome: 'invited', invitation: presentAdminInvitation(row, call.now()) },
    };
  },
});

async function endAccess(call: Call, ref: DocumentRef, target: Target) {
  if ('invitationId' in target) {
    await cancelInvitation(call, ref, 'anyone', target.invitationId);
    return { summary: 'The invitation was cancelled.', data: { outcome: 'invitation_cancelled' } };
  }
  if ('email' in target) throw notByAddress();
  await removeCollaborator(call, ref, target.username);
  return {
    summary: 'The user is no longer a collaborator.',
    data: { outcome: 'collaborator_removed' },
  };
}
