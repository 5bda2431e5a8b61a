import { type Static, Type } from 'typebox';
import { Nullable, OneOf } from '../../base/schema/fields.ts';
import {
  LINK_MAKERS,
  MAX_PROGRAM_DAYS,
  OUTSIDE_INVITERS,
  PROGRAM_USERS,
} from '../../core/owner/policy.ts';
import { change, get } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { inOrganization } from '../../surfaces/rest/rules.ts';
import { changePolicies, getPolicies, type PoliciesWithEffects } from './policy-change-service.ts';

const FIELDS = {
  linkMakers: OneOf(
    LINK_MAKERS,
    'Who can make secret links, of those who can share a document: all of them, members, admins of ' +
      'the organization, or nobody. Links of others don’t work.',
  ),
  outsideInviters: OneOf(
    OUTSIDE_INVITERS,
    'Who can invite people who aren’t members to documents, of those who can share them: all of ' +
      'them, admins of the organization, or nobody. With `nobody`, outside collaborators have no ' +
      'access.',
  ),
  publicDocuments: Type.Boolean({
    description: 'Whether documents can become public. Those that are public stay so.',
  }),
  tokenHolders: OneOf(
    PROGRAM_USERS,
    'Whose personal access tokens reach what isn’t public in the organization: anyone’s who has ' +
      'access, those of members, of admins, or of nobody. To other tokens, their user is neither a ' +
      'member nor a collaborator.',
  ),
  appUsers: OneOf(
    PROGRAM_USERS,
    'Through whose connected applications it is reached, in the same way.',
  ),
};

const PROGRAM_DAYS =
  'How many days a token that reaches the organization can live, from its creation until it ' +
  'expires, and how long an application reaches it after it was connected. `null` for any time.';

const count = (description: string) => Type.Integer({ description });

const PoliciesSchema = Type.Object(
  {
    ...FIELDS,
    programDays: Nullable('integer', PROGRAM_DAYS),
    effects: Type.Object({
      links: count('Secret links that work.'),
      stoppedLinks: count('Secret links that don’t work because of the policies.'),
      outsideCollaborators: count('Collaborations of people who aren’t members.'),
      stoppedCollaborators: count('Such collaborations without access because of the policies.'),
      publicDocuments: count('Documents that are public.'),
      tokens: count('Members’ tokens that reach the organization.'),
      stoppedTokens: count('Members’ tokens that don’t because of the policies.'),
      apps: count('Members’ connected applications through which it is reached.'),
      stoppedApps: count('Those through which it isn’t because of the policies.'),
    }),
  },
  { title: 'OrganizationPolicies' },
);

const PoliciesBody = Type.Object(
  {
    linkMakers: Type.Optional(FIELDS.linkMakers),
    outsideInviters: Type.Optional(FIELDS.outsideInviters),
    publicDocuments: Type.Optional(FIELDS.publicDocuments),
    tokenHolders: Type.Optional(FIELDS.tokenHolders),
    appUsers: Type.Optional(FIELDS.appUsers),
    programDays: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        maximum: MAX_PROGRAM_DAYS,
        description: PROGRAM_DAYS,
      }),
    ),
  },
  { title: 'UpdatePolicies', additionalProperties: false, minProperties: 1 },
);

/** Adds the routes of organizations' policies. */
export function addPolicyOperations(api: Api): void {
  const tag = 'Organizations';

  get(api, {
    scope: 'organizations',
    path: '/orgs/{org}/policies',
    id: 'getOrganizationPolicies',
    tag,
    summary: 'Get an organization’s policies',
    description: 'What it allows with its documents and to programs, and what that stops.',
    answer: PoliciesSchema,
    rule: inOrganization('changeSettings'),
    handler: async ({ call, params }) => present(await getPolicies(call, params.org)),
  });

  change(api, {
    scope: 'organizations',
    path: '/orgs/{org}/policies',
    id: 'changeOrganizationPolicies',
    tag,
    summary: 'Change an organization’s policies',
    description:
      'A stricter policy stops links, collaborators, tokens and applications at once, a looser one ' +
      'lets them work again. A policy becomes looser in the web app only. The response says how many ' +
      'are stopped.',
    body: PoliciesBody,
    answer: PoliciesSchema,
    rule: inOrganization('changeSettings'),
    handler: async ({ call, params, body }) =>
      present(await changePolicies(call, params.org, body)),
  });
}

function present({ policies, effects }: PoliciesWithEffects): Static<typeof PoliciesSchema> {
  return { ...policies, effects };
}
