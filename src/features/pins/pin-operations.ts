import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentSchema, presentDocument } from '../../core/document/document-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { addOwnerLists } from '../labels/owner-lists.ts';
import { listPinned, MAX_PINNED, pinToTop, unpinFromTop } from './pin-service.ts';

const tag = 'Pins';

/** Adds the routes that pin documents of all kinds to the top of their owner's lists. */
export function addPinOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addDocumentOperations(api, kind);
  const schemas = Object.values(KINDS).map((kind) => documentSchema(kind, 'listed'));
  addOwnerLists(api, {
    tag,
    segment: 'pins',
    what: 'documents pinned to the top',
    item: Type.Union(schemas),
    description: 'Briefs and pages that you can see, the last pinned first.',
    find: listPinned,
    present: (seen, context) => presentDocument(context, 'listed', seen),
  });
}

function addDocumentOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const one = {
    tag,
    scope: 'documents:write',
    bodyLimit,
    path: `/${segment}/{owner}/{name}/pin`,
    rule: documentRules(kind)('pinToTop'),
    answers: { 204: null },
  } as const;

  addOperation(api, {
    ...one,
    method: 'PUT',
    id: `pin${title}`,
    errors: [422],
    summary: `Pin a ${kind} to the top`,
    description:
      'Puts it first in its owner’s lists in the web app and, if it is public, on the owner’s ' +
      `profile page. An owner can have ${MAX_PINNED}. Pinning a revision is something else.`,
    handler: async ({ call, params }) => {
      await pinToTop(call, refOf(params));
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    ...one,
    method: 'DELETE',
    id: `unpin${title}`,
    summary: `Unpin a ${kind} from the top`,
    description: 'Nothing changes if it isn’t pinned.',
    handler: async ({ call, params }) => {
      await unpinFromTop(call, refOf(params));
      return NO_CONTENT;
    },
  });
}
