import { Type } from 'typebox';
import { requireAccount } from '../../account/account-service.ts';
import type { Actor, Context } from '../../context.ts';
import { requireDocument } from '../../document/authorize.ts';
import type { OwnerRef } from '../../document/document-owner-service.ts';
import { documentSchema, presentDocument } from '../../document/document-schema.ts';
import { type DocumentKind, KINDS } from '../../document/kind.ts';
import { listPinned, pinToTop, unpinFromTop } from '../../document/pin/pin-service.ts';
import { requireOrganization } from '../../organization/organization-service.ts';
import type { PageRequest } from '../../pagination/result-page.ts';
import { refsOf } from '../document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../operation.ts';

const tag = 'Pins';

/** Documents pinned to the top of their owner's lists (decision 028), of all kinds. */
export function addPinRoutes(api: Api): void {
  for (const kind of Object.values(KINDS)) addDocumentRoutes(api, kind);
  addOwnerRoutes(api);
}

function addDocumentRoutes(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const one = {
    ...({ tag, scope: 'documents:write', bodyLimit } as const),
    path: `/${segment}/{owner}/{name}/pin` as const,
    needs: 'owner, or admin of the organization',
    answers: { 204: null },
  };
  const gate = ({ sql }: Context, actor: Actor, params: { owner: string; name: string }) =>
    requireDocument(sql.read, actor, refOf(params), 'pinToTop');

  addOperation(api, {
    ...{ ...one, gate, method: 'PUT', id: `pin${title}`, errors: [403, 404, 422] },
    summary: `Pin a ${kind} to the top`,
    description:
      'It stands first in its owner’s lists in the web app and, if it is public, on the owner’s profile ' +
      'page. An owner can have 12. Not to be confused with pinned revisions.',
    handler: async ({ context, actor, params }) => {
      await pinToTop(context, actor, refOf(params));
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    ...{ ...one, gate, method: 'DELETE', id: `unpin${title}`, errors: [403, 404] },
    summary: `Unpin a ${kind} from the top`,
    description: 'Nothing changes if it isn’t pinned.',
    handler: async ({ context, actor, params }) => {
      await unpinFromTop(context, actor, refOf(params));
      return NO_CONTENT;
    },
  });
}

function addOwnerRoutes(api: Api): void {
  const schemas = Object.values(KINDS).map((kind) => documentSchema(kind, 'listed'));
  const list = {
    ...({ tag, method: 'GET', scope: 'documents:read', paginated: true } as const),
    answers: { 200: Type.Array(Type.Union(schemas)) },
    description: 'Briefs and pages that you can see, the last pinned first.',
  };
  const answer = async (
    { context, actor, page }: { context: Context; actor: Actor; page: PageRequest },
    owner: OwnerRef,
  ) =>
    listAnswer(await listPinned(context, actor, owner, page), (seen) =>
      presentDocument(context, 'listed', seen),
    );

  addOperation(api, {
    ...{ ...list, path: '/user/pins', id: 'listOwnPins', errors: [400] },
    summary: 'List your documents pinned to the top',
    handler: (call) => answer(call, { type: 'user', namespace: call.actor.username }),
  });

  addOperation(api, {
    ...{ ...list, path: '/users/{username}/pins', id: 'listUserPins', errors: [400, 404] },
    summary: 'List a user’s documents pinned to the top',
    gate: ({ sql }, _actor, { username }) => requireAccount(sql.read, username),
    handler: (call) => answer(call, { type: 'user', namespace: call.params.username }),
  });

  addOperation(api, {
    ...{ ...list, path: '/orgs/{org}/pins', id: 'listOrganizationPins', errors: [400, 404] },
    summary: 'List an organization’s documents pinned to the top',
    gate: ({ sql }, actor, { org }) => requireOrganization(sql.read, actor, org),
    handler: (call) => answer(call, { type: 'organization', namespace: call.params.org }),
  });
}
