import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { list, make, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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

  list(api, {
    ...of,
    path: collection,
    id: `list${title}Links`,
    summary: `List a ${kind}’s secret links`,
    description: 'Active links, with their addresses.',
    items: SecretLink,
    rule: can('share'),
    find: ({ call, params, page }) => listLinks(call, refOf(params), page),
    present: presentLink,
  });

  make(api, {
    ...of,
    path: collection,
    id: `create${title}Link`,
    bodyLimit,
    summary: `Create a secret link to a ${kind}`,
    description:
      `Anyone who has the link can read the ${kind}, without an account, until the link expires ` +
      'or is revoked, or you can no longer share it. Programs get Markdown there. Only for ' +
      'documents that aren’t public.',
    body: SecretLinkBody,
    answer: CreatedSecretLink,
    errors: [422],
    rule: can('share'),
    handler: async ({ call, params, body }) => {
      const link = await createLink(call, refOf(params), body);
      const location = `${documentLocation(segment, params)}/links/${link.id}`;
      return { data: presentLink(link), location };
    },
  });

  remove(api, {
    ...of,
    path: `${collection}/{linkId}`,
    bodyLimit,
    id: `delete${title}Link`,
    summary: `Revoke a secret link to a ${kind}`,
    description: 'The link stops working at once.',
    rule: can('share'),
    handler: ({ call, params: { linkId, ...params } }) => revokeLink(call, refOf(params), linkId),
  });
}
