import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { get, put } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { Labels, LabelsBody, OwnerLabel } from './label-schema.ts';
import { getLabels, listOwnerLabels, setLabels } from './label-service.ts';
import { addOwnerLists } from './owner-lists.ts';

const tag = 'Labels';

/** Adds the routes of a document's labels, for all kinds, and of an owner's (decision 005). */
export function addLabelOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addDocumentOperations(api, kind);
  addOwnerLists(api, {
    tag,
    segment: 'labels',
    what: 'labels',
    item: OwnerLabel,
    description: 'Labels of the documents that you can see, sorted.',
    find: listOwnerLabels,
    present: (label) => label,
  });
}

function addDocumentOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes: bodyLimit }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const can = documentRules(kind);
  const path = `/${segment}/{owner}/{name}/labels` as const;

  get(api, {
    tag,
    path,
    id: `get${title}Labels`,
    scope: 'documents:read',
    summary: `Get a ${kind}’s labels`,
    description: 'Everyone who can read the document can see them.',
    answer: Labels,
    rule: can('read'),
    handler: async ({ call, params }) => ({ labels: await getLabels(call, refOf(params)) }),
  });

  put(api, {
    tag,
    path,
    id: `set${title}Labels`,
    scope: 'documents:write',
    bodyLimit,
    summary: `Set a ${kind}’s labels`,
    description: `Replaces all labels. Writes no revision and doesn’t change the ${kind}’s \`updatedAt\`.`,
    body: LabelsBody,
    answer: Labels,
    rule: can('label'),
    handler: async ({ call, params, body }) => ({
      labels: await setLabels(call, refOf(params), body.labels),
    }),
  });
}
