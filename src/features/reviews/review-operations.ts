import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import {
  ProtectionBody,
  ProtectionSchema,
  presentReviews,
  RequestBody,
  ReviewBody,
  ReviewsSchema,
} from '../../core/review/review-schema.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { change, get, make, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules, inOrganization, reviewRules } from '../../surfaces/rest/rules.ts';
import { getReviews, giveReview, requestReview, withdrawRequest } from './review-service.ts';
import {
  changeOrganizationProtection,
  getOrganizationProtection,
} from './review-setting-service.ts';

const tag = 'Reviews';

/** Adds the routes of approvals, requests for changes and protected documents. */
export function addReviewOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addRoutesOf(api, kind);
  addOrganizationProtection(api);
}

function addRoutesOf(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const can = documentRules(kind);
  const canReview = reviewRules(kind);
  const document = `/${segment}/{owner}/{name}` as const;
  const reviewer = `${document}/reviewers/{username}` as const;

  get(api, {
    path: `${document}/reviews`,
    id: `get${title}Reviews`,
    tag,
    scope: 'documents:read',
    summary: `Get the reviews of a ${kind}`,
    description:
      'Whether it is approved, the requested reviewers, and the latest verdict of each person.',
    answer: ReviewsSchema,
    rule: canReview('see'),
    handler: async ({ call, params }) => presentReviews(await getReviews(call, refOf(params))),
  });

  make(api, {
    path: `${document}/reviews`,
    id: `review${title}`,
    tag,
    scope: 'comments',
    summary: `Approve a ${kind} or request changes`,
    description:
      'A verdict is valid until the text changes. A protected document can only be approved in ' +
      'the web app.',
    body: ReviewBody,
    bodyLimit,
    answer: ReviewsSchema,
    errors: [409],
    rule: canReview('comment'),
    handler: async ({ call, params, body }) => {
      const reviews = await giveReview(call, refOf(params), body);
      const location = `${documentLocation(segment, params)}/reviews`;
      return { data: presentReviews(reviews), location };
    },
  });

  addOperation(api, {
    method: 'PUT',
    path: reviewer,
    id: `request${title}Review`,
    tag,
    scope: 'comments',
    summary: `Ask someone to review a ${kind}`,
    description:
      'The reviewer must be able to read it and its comments. If you invited them, they have to ' +
      'accept first. Asking again renews the request.',
    body: RequestBody,
    bodyLimit,
    answers: { 204: null },
    errors: [422],
    rule: can('editContent'),
    handler: async ({ call, params, body }) => {
      const { username } = params;
      await requestReview(call, refOf(params), { username, note: body.note });
      return NO_CONTENT;
    },
  });

  remove(api, {
    path: reviewer,
    id: `withdraw${title}ReviewRequest`,
    tag,
    scope: 'comments',
    summary: `Withdraw a request to review a ${kind}`,
    description: 'Reviews that were already given stay.',
    rule: can('editContent'),
    handler: ({ call, params }) => withdrawRequest(call, refOf(params), params.username),
  });
}

function addOrganizationProtection(api: Api): void {
  const path = '/orgs/{org}/protection';

  get(api, {
    path,
    id: 'getOrganizationProtection',
    tag,
    scope: 'organizations',
    summary: 'Get whether an organization’s documents are protected',
    description: 'Protected documents need an approval before they become public.',
    answer: ProtectionSchema,
    rule: inOrganization('seeMembers'),
    handler: ({ call, params }) => getOrganizationProtection(call, params.org),
  });

  change(api, {
    path,
    id: 'changeOrganizationProtection',
    tag,
    scope: 'organizations',
    summary: 'Protect an organization’s documents',
    description: 'Protection can only be removed or weakened in the web app.',
    body: ProtectionBody,
    answer: ProtectionSchema,
    rule: inOrganization('changeSettings'),
    handler: ({ call, params, body }) => changeOrganizationProtection(call, params.org, body),
  });
}
