import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentSchema, moveBody, presentDocument } from '../../core/document/document-schema.ts';
import { parseIfMatch } from '../../surfaces/http/conditional.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { moveDocument } from './document-move-service.ts';

/** Adds `POST …/move`, which gives a document of any kind to another owner (decision 010). */
export function addMoveOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addRouteOf(api, kind);
}

function addRouteOf(api: Api, kind: DocumentKind): void {
  const refOf = refsOf(kind.kind);
  const can = documentRules(kind.kind);
  addOperation(api, {
    method: 'POST',
    path: `/${kind.segment}/{owner}/{name}/move`,
    id: `move${kind.title}`,
    tag: kind.titlePlural,
    scope: 'documents:write',
    conditional: true,
    summary: `Give a ${kind.kind} to another owner`,
    description:
      'It keeps its content, history, collaborators, threads and reviews, and the invitations and ' +
      'links of those who can still share it. ' +
      'Its old address returns 308 until another document takes the name. In an organization, ' +
      'you and its admins have full access to it, and its members have the access that the ' +
      'organization’s settings give.',
    body: moveBody(kind),
    bodyLimit: kind.bodyLimitBytes,
    answers: { 200: documentSchema(kind, 'full') },
    sends: { 200: ['Location', 'X-Revision'] },
    errors: [412, 422],
    rule: can('move'),
    handler: async ({ call, params, body, ifMatch }) => {
      const condition = parseIfMatch(ifMatch);
      const moved = await moveDocument(call, refOf(params), body, condition);
      const { ownerNamespace, name, version } = moved.document;
      return {
        status: 200,
        data: presentDocument(call, 'full', moved),
        etag: moved.etag,
        location: documentLocation(kind.segment, { owner: ownerNamespace, name }),
        revision: version,
      };
    },
  });
}
