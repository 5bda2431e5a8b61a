import { Type } from 'typebox';
import { OneOf } from '../../base/schema/fields.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import {
  acceptMembership,
  getMembership,
  leaveOrganization,
  listMemberships,
  requireInvited,
} from './membership-service.ts';
import { AcceptMembershipBody, Membership, presentMembership } from './organization-schema.ts';

/**
 * Adds the routes of the caller's memberships (specification, part "Organization memberships,
 * invitee view").
 */
export function addMembershipOperations(api: Api): void {
  const tag = 'Your memberships';
  const path = '/user/memberships/orgs/{org}';

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path: '/user/memberships/orgs',
    id: 'listMemberships',
    tag,
    summary: 'List your memberships',
    description: 'Active memberships and pending invitations. Expired invitations are left out.',
    query: Type.Object({
      state: Type.Optional(OneOf(['active', 'pending'], 'Only memberships, or only invitations.')),
    }),
    paginated: true,
    answers: { 200: Type.Array(Membership) },
    handler: async ({ context, actor, query, page }) =>
      listAnswer(await listMemberships(context, actor, query.state, page), presentMembership),
  });

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path,
    id: 'getMembership',
    tag,
    summary: 'Get your membership',
    description: 'Your membership of an organization, or your pending invitation to it.',
    answers: { 200: Membership },
    errors: [404],
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentMembership(await getMembership(context, actor, params.org)),
    }),
  });

  addOperation(api, {
    method: 'PATCH',
    scope: 'organizations',
    path,
    id: 'acceptMembership',
    tag,
    summary: 'Join an organization',
    description:
      'Accepts your pending invitation. 404 if the inviter can no longer invite, 422 if it has ' +
      'expired.',
    body: AcceptMembershipBody,
    answers: { 200: Membership },
    errors: [422],
    rule: {
      refusals: [404],
      check: ({ sql }, actor, { org }) => requireInvited(sql.read, actor, org),
    },
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentMembership(await acceptMembership(context, actor, params.org)),
    }),
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'organizations',
    path,
    id: 'leaveOrganization',
    tag,
    summary: 'Leave an organization or decline its invitation',
    description:
      'If you leave, you also stop being a collaborator on every document of the organization, ' +
      'even those you created, and your pending invitations to these documents end. So ' +
      'do the pending invitations and secret links that you made there. The documents stay. The last admin cannot leave.',
    answers: { 204: null },
    errors: [404, 422],
    handler: async ({ context, actor, params }) => {
      await leaveOrganization(context, actor, params.org);
      return NO_CONTENT;
    },
  });
}
