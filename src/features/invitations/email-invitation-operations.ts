import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { list, make, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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

  list(api, {
    ...of,
    path: collection,
    id: `list${title}EmailInvitations`,
    summary: `List a ${kind}’s invitations by email`,
    description: 'Pending invitations. Expired ones have `expired: true`.',
    items: EmailInvitation,
    rule: can('share'),
    find: ({ call, params, page }) => listInvitations(call, refOf(params), 'addresses', page),
    present: (row, { call }) => presentEmailInvitation(row, call.now()),
  });

  make(api, {
    ...of,
    path: collection,
    id: `invite${title}Address`,
    bodyLimit,
    summary: `Invite an email address to a ${kind}`,
    description: MAILED,
    body: EmailInvitationBody,
    answer: EmailInvitation,
    errors: [422],
    rule: can('share'),
    handler: async ({ call, params, body }) => {
      const { email, permission: level } = body;
      const invitation = await inviteAddress(call, refOf(params), { email, level });
      const location = `${documentLocation(segment, params)}/email_invitations/${invitation.id}`;
      return { data: presentEmailInvitation(invitation, call.now()), location };
    },
  });

  remove(api, {
    ...of,
    path: `${collection}/{inviteId}`,
    bodyLimit,
    id: `delete${title}EmailInvitation`,
    summary: `Cancel an invitation by email to a ${kind}`,
    description: 'The link stops working at once.',
    rule: can('share'),
    handler: ({ call, params: { inviteId, ...params } }) =>
      cancelInvitation(call, refOf(params), 'addresses', inviteId),
  });
}

function addOrganizationOperations(api: Api): void {
  const collection = '/orgs/{org}/email_invitations';
  const of = { tag, scope: 'organizations' } as const;

  list(api, {
    ...of,
    path: collection,
    id: 'listOrganizationEmailInvitations',
    summary: 'List an organization’s invitations by email',
    description: 'Pending invitations. Expired ones have `expired: true`.',
    items: OrganizationEmailInvitation,
    rule: inOrganization('invite'),
    find: ({ call, params, page }) => listInvitations(call, params, 'addresses', page),
    present: (row, { call }) => presentEmailInvitation(row, call.now()),
  });

  make(api, {
    ...of,
    path: collection,
    id: 'inviteOrganizationAddress',
    summary: 'Invite an email address to an organization',
    description: MAILED,
    body: OrganizationEmailInvitationBody,
    answer: OrganizationEmailInvitation,
    errors: [422],
    rule: inOrganization('invite'),
    handler: async ({ call, params, body: { email, role = 'member' } }) => {
      const input = { email, level: role };
      const invitation = await inviteAddress(call, params, input);
      const location = `${collection.replace('{org}', params.org)}/${invitation.id}`;
      return { data: presentEmailInvitation(invitation, call.now()), location };
    },
  });

  remove(api, {
    ...of,
    path: `${collection}/{inviteId}`,
    id: 'deleteOrganizationEmailInvitation',
    summary: 'Cancel an invitation by email to an organization',
    description: 'The link stops working at once.',
    rule: inOrganization('invite'),
    handler: ({ call, params: { org, inviteId } }) =>
      cancelInvitation(call, { org }, 'addresses', inviteId),
  });
}
