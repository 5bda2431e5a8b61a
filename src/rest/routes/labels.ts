import { Type } from 'typebox';
import { requireAccount } from '../../account/account-service.ts';
import type { Actor, Context } from '../../context.ts';
import { requireDocument } from '../../document/authorize.ts';
import type { OwnerRef } from '../../document/document-owner-service.ts';
import { type DocumentKind, KINDS } from '../../document/kind.ts';
import { Labels, LabelsBody, OwnerLabel } from '../../document/label/label-schema.ts';
import { getLabels, listOwnerLabels, setLabels } from '../../document/label/label-service.ts';
import { requireOrganization } from '../../organization/organization-service.ts';
import type { PageRequest } from '../../pagination/result-page.ts';
import { refsOf } from '../document-path.ts';
import { type Api, addOperation, listAnswer } from '../operation.ts';

const tag = 'Labels';

/** Labels of documents of all kinds, and of all documents of an owner (decision 028). */
export function addLabelRoutes(api: Api): void {
  for (const kind of Object.values(KINDS)) addDocumentRoutes(api, kind);
  addOwnerRoutes(api);
}

function addDocumentRoutes(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const path = `/${segment}/{owner}/{name}/labels` as const;

  addOperation(api, {
    ...{ tag, path, method: 'GET', id: `get${title}Labels`, scope: 'documents:read' },
    summary: `Get a ${kind}’s labels`,
    description: 'Everyone who can read the document sees them.',
    answers: { 200: Labels },
    errors: [404],
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: { labels: await getLabels(context, actor, refOf(params)) },
    }),
  });

  addOperation(api, {
    ...{ tag, path, method: 'PUT', id: `set${title}Labels`, scope: 'documents:write', bodyLimit },
    summary: `Set a ${kind}’s labels`,
    needs: 'write',
    description: `Replaces all labels. That writes no revision, and the ${kind}’s \`updatedAt\` stays.`,
    body: LabelsBody,
    answers: { 200: Labels },
    errors: [400, 403, 404],
    gate: ({ sql }, actor, params) => requireDocument(sql.read, actor, refOf(params), 'label'),
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: { labels: await setLabels(context, actor, refOf(params), body.labels) },
    }),
  });
}

function addOwnerRoutes(api: Api): void {
  const list = {
    ...({ tag, method: 'GET', scope: 'documents:read', paginated: true } as const),
    answers: { 200: Type.Array(OwnerLabel) },
    description:
      'Labels of the documents that you can see, sorted. The labels of the documents created last ' +
      'count, up to 5,000.',
  };
  const answer = async (
    call: { context: Context; actor: Actor; page: PageRequest },
    of: OwnerRef,
  ) => listAnswer(await listOwnerLabels(call.context, call.actor, of, call.page), (label) => label);

  addOperation(api, {
    ...{ ...list, path: '/user/labels', id: 'listOwnLabels', errors: [400] },
    summary: 'List your labels',
    handler: (call) => answer(call, { type: 'user', namespace: call.actor.username }),
  });

  addOperation(api, {
    ...{ ...list, path: '/users/{username}/labels', id: 'listUserLabels', errors: [400, 404] },
    summary: 'List a user’s labels',
    gate: ({ sql }, _actor, { username }) => requireAccount(sql.read, username),
    handler: (call) => answer(call, { type: 'user', namespace: call.params.username }),
  });

  addOperation(api, {
    ...{ ...list, path: '/orgs/{org}/labels', id: 'listOrganizationLabels', errors: [400, 404] },
    summary: 'List an organization’s labels',
    gate: ({ sql }, actor, { org }) => requireOrganization(sql.read, actor, org),
    handler: (call) => answer(call, { type: 'organization', namespace: call.params.org }),
  });
}
