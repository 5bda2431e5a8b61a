import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules, inOrganization } from '../../surfaces/rest/rules.ts';
import {
  EmailInvitation,
  EmailInvitationBody,
  OrganizationEmailInvitation,
  OrganizationEmailInvitationBody,
  presentEmailInvitation,
} from './invitation-schema.ts';
import { cancelInvitation, inviteAddress, listInvitations } from './invitation-service.ts';

const tag = 'Invitations by email';

const MAILED =
  'Mails a link. Anyone who has it can accept, once, after signing in or creating an account. ' +
  'The response doesn’t reveal whether the address has an account. The caller’s own address must ' +
  'be verified. If the server sends no mail, the response has the link (`url`), which the caller ' +
  'passes on.';

/** Adds the routes of invitations that are mailed to an address (decision 014). */
export function addEmailInvitationOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addDocumentOperations(api, kind);
  addOrganizationOperations(api);
}

function addDocumentOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const can = documentRules(kind);
  const collection = `/${segment}/{owner}/{name}/email_invitations` as const;
  const of = { tag, scope: 'sharing' } as const;

  addOperation(api, {
    ...of,
    method: 'GET',
    path: collection,
    id: `list${title}EmailInvitations`,
    summary: `List a ${kind}’s invitations by email`,
    description: 'Pending invitations. Expired ones have `expired: true`.',
    paginated: true,
    answers: { 200: Type.Array(EmailInvitation) },
    rule: can('share'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(await listInvitations(context, actor, refOf(params), 'addresses', page), (row) =>
        presentEmailInvitation(row, context.now()),
      ),
  });

  addOperation(api, {
    ...of,
    method: 'POST',
    path: collection,
    id: `invite${title}Address`,
    bodyLimit,
    summary: `Invite an email address to a ${kind}`,
    description: MAILED,
    body: EmailInvitationBody,
    answers: { 201: EmailInvitation },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: can('share'),
    handler: async ({ context, actor, params, body }) => {
      const { email, permission: level } = body;
      const invitation = await inviteAddress(context, actor, refOf(params), { email, level });
      const location = `${documentLocation(segment, params)}/email_invitations/${invitation.id}`;
      return { status: 201, data: presentEmailInvitation(invitation, context.now()), location };
    },
  });

  addOperation(api, {
    ...of,
    method: 'DELETE',
    path: `${collection}/{inviteId}`,
    bodyLimit,
    id: `delete${title}EmailInvitation`,
    summary: `Cancel an invitation by email to a ${kind}`,
    description: 'The link stops working at once.',
    answers: { 204: null },
    rule: can('share'),
    handler: async ({ context, actor, params: { inviteId, ...params } }) => {
      await cancelInvitation(context, actor, refOf(params), 'addresses', inviteId);
      return NO_CONTENT;
    },
  });
}

function addOrganizationOperations(api: Api): void {
  const collection = '/orgs/{org}/email_invitations';
  const of = { tag, scope: 'organizations' } as const;

  addOperation(api, {
    ...of,
    method: 'GET',
    path: collection,
    id: 'listOrganizationEmailInvitations',
    summary: 'List an organization’s invitations by email',
    description: 'Pending invitations. Expired ones have `expired: true`.',
    paginated: true,
    answers: { 200: Type.Array(OrganizationEmailInvitation) },
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(await listInvitations(context, actor, params, 'addresses', page), (row) =>
        presentEmailInvitation(row, context.now()),
      ),
  });

  addOperation(api, {
    ...of,
    method: 'POST',
    path: collection,
    id: 'inviteOrganizationAddress',
    summary: 'Invite an email address to an organization',
    description: MAILED,
    body: OrganizationEmailInvitationBody,
    answers: { 201: OrganizationEmailInvitation },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params, body: { email, role = 'member' } }) => {
      const input = { email, level: role };
      const invitation = await inviteAddress(context, actor, params, input);
      const location = `${collection.replace('{org}', params.org)}/${invitation.id}`;
      return { status: 201, data: presentEmailInvitation(invitation, context.now()), location };
    },
  });

  addOperation(api, {
    ...of,
    method: 'DELETE',
    path: `${collection}/{inviteId}`,
    id: 'deleteOrganizationEmailInvitation',
    summary: 'Cancel an invitation by email to an organization',
    description: 'The link stops working at once.',
    answers: { 204: null },
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params: { org, inviteId } }) => {
      await cancelInvitation(context, actor, { org }, 'addresses', inviteId);
      return NO_CONTENT;
    },
  });
}
