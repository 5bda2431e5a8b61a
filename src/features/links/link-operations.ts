import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { CreatedSecretLink, presentLink, SecretLink, SecretLinkBody } from './link-schema.ts';
import { createLink, listLinks, revokeLink } from './link-service.ts';

/** Adds the routes of secret links to documents (decision 014), for all kinds. */
export function addLinkOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addRoutes(api, kind);
}

function addRoutes(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const tag = 'Secret links';
  const refOf = refsOf(kind);
  const can = documentRules(kind);
  const collection = `/${segment}/{owner}/{name}/links` as const;
  const of = { tag, scope: 'sharing' } as const;

  addOperation(api, {
    ...of,
    method: 'GET',
    path: collection,
    id: `list${title}Links`,
    summary: `List a ${kind}’s secret links`,
    description: 'Active links, with their addresses.',
    paginated: true,
    answers: { 200: Type.Array(SecretLink) },
    rule: can('share'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(await listLinks(context, actor, refOf(params), page), presentLink),
  });

  addOperation(api, {
    ...of,
    method: 'POST',
    path: collection,
    id: `create${title}Link`,
    bodyLimit,
    summary: `Create a secret link to a ${kind}`,
    description:
      `Anyone who has the link can read the ${kind}, without an account, until the link expires ` +
      'or is revoked, or you can no longer share it. Programs get Markdown there. Only for ' +
      'documents that aren’t public.',
    body: SecretLinkBody,
    answers: { 201: CreatedSecretLink },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: can('share'),
    handler: async ({ context, actor, params, body }) => {
      const link = await createLink(context, actor, refOf(params), body);
      const location = `${documentLocation(segment, params)}/links/${link.id}`;
      return { status: 201, data: presentLink(link), location };
    },
  });

  addOperation(api, {
    ...of,
    method: 'DELETE',
    path: `${collection}/{linkId}`,
    bodyLimit,
    id: `delete${title}Link`,
    summary: `Revoke a secret link to a ${kind}`,
    description: 'The link stops working at once.',
    answers: { 204: null },
    rule: can('share'),
    handler: async ({ context, actor, params: { linkId, ...params } }) => {
      await revokeLink(context, actor, refOf(params), linkId);
      return NO_CONTENT;
    },
  });
}
