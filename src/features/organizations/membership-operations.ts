import { Type } from 'typebox';
import { OneOf } from '../../base/schema/fields.ts';
import type { Call } from '../../core/context.ts';
import { change, get, list, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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
  const common = { tag: 'Your memberships', scope: 'organizations' } as const;
  const path = '/user/memberships/orgs/{org}';

  list(api, {
    ...common,
    path: '/user/memberships/orgs',
    id: 'listMemberships',
    summary: 'List your memberships',
    description: 'Active memberships and pending invitations. Expired invitations are left out.',
    query: Type.Object({
      state: Type.Optional(OneOf(['active', 'pending'], 'Only memberships, or only invitations.')),
    }),
    items: Membership,
    find: ({ call, query, page }) => listMemberships(call, query.state, page),
    present: presentMembership,
  });

  get(api, {
    ...common,
    path,
    id: 'getMembership',
    summary: 'Get your membership',
    description: 'Your membership of an organization, or your pending invitation to it.',
    answer: Membership,
    errors: [404],
    handler: async ({ call, params }) => presentMembership(await getMembership(call, params.org)),
  });

  change(api, {
    ...common,
    path,
    id: 'acceptMembership',
    summary: 'Join an organization',
    description:
      'Accepts your pending invitation. 404 if the inviter can no longer invite, 422 if it has ' +
      'expired.',
    body: AcceptMembershipBody,
    answer: Membership,
    errors: [422],
    rule: {
      refusals: [404],
      check: ({ sql, actor }: Call, { org }) => requireInvited(sql.read, actor, org),
    },
    handler: async ({ call, params }) =>
      presentMembership(await acceptMembership(call, params.org)),
  });

  remove(api, {
    ...common,
    path,
    id: 'leaveOrganization',
    summary: 'Leave an organization or decline its invitation',
    description:
      'If you leave, you also stop being a collaborator on every document of the organization, ' +
      'even those you created, and your pending invitations to these documents end. So ' +
      'do the pending invitations and secret links that you made there. The documents stay. The last admin cannot leave.',
    errors: [404, 422],
    handler: ({ call, params }) => leaveOrganization(call, params.org),
  });
}
