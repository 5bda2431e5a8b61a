import { ServiceError } from '../../base/errors.ts';
import { type AnyKind, KINDS } from '../../base/schema/kind.ts';
import {
  documentBodies,
  documentSchema,
  presentDocument,
} from '../../core/document/document-schema.ts';
import {
  deleteDocument,
  getDocument,
  type WholeDocument,
} from '../../core/document/document-service.ts';
import { howMerged, updateDocument, updateFromBase } from '../../core/document/merge-service.ts';
import { withWarnings, writtenSchema } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { parseIfMatch } from '../../surfaces/http/conditional.ts';
import { remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { resolving } from '../suggestions/suggestion-service.ts';
import { addBatchOperations } from './batch-operations.ts';
import { addCreateOperations } from './creation-operations.ts';
import { documentInputOf } from './document-body.ts';
import { addListOperations } from './list-operations.ts';

/** Adds the routes of documents, the same for each kind (specification, part "Briefs"). */
export function addDocumentOperations(api: Api): void {
  addBatchOperations(api);
  for (const kind of Object.values(KINDS)) {
    addListOperations(api, kind);
    addCreateOperations(api, kind);
    addItemOperations(api, kind);
  }
}

function addItemOperations(api: Api, kind: AnyKind): void {
  const can = documentRules(kind.kind);
  const full = documentSchema(kind, 'full');
  const item = {
    tag: kind.titlePlural,
    path: `/${kind.segment}/{owner}/{name}`,
    conditional: true,
  } as const;
  const answer = (seen: WholeDocument) => ({
    status: 200,
    data: presentDocument(api.context, 'full', seen),
    etag: seen.etag,
    revision: seen.document.version,
  });

  addOperation(api, {
    ...item,
    method: 'GET',
    scope: 'documents:read',
    id: `get${kind.title}`,
    summary: `Get a ${kind.kind}`,
    description: `With its content${kind.kind === 'page' ? ' as HTML' : ' as Markdown'}.`,
    answers: { 200: full },
    sends: { 200: ['X-Revision'] },
    rule: can('read'),
    handler: async ({ call, params }) =>
      answer(await getDocument(call, { kind: kind.kind, ...params })),
  });

  addOperation(api, {
    ...item,
    method: 'PATCH',
    scope: 'documents:write',
    id: `update${kind.title}`,
    summary: `Update a ${kind.kind}`,
    description:
      'Send at least one field. If no value differs, the document, its `updatedAt` and its entity ' +
      'tag stay. After a rename, the old address returns 308 until ' +
      'another document takes the name.',
    body: documentBodies(kind).update,
    bodyLimit: kind.bodyLimitBytes,
    answers: { 200: writtenSchema(kind, 'full') },
    sends: { 200: ['X-Revision', 'X-Merged'] },
    errors: [409, 412, 422],
    rule: can('editContent', 'write; admin for visibility'),
    handler: async ({ call, params, body, ifMatch }) => {
      const ref = { kind: kind.kind, ...params };
      const { baseRevision, documentId, revision, message, resolves, ...fields } =
        body as UpdateBody;
      const input = documentInputOf(kind, fields);
      if (Object.keys(input).length === 0) throw nothingToUpdate(kind);
      const alongside = resolving(call, resolves);
      const condition = parseIfMatch(ifMatch);
      const after =
        baseRevision !== undefined && input.content !== undefined
          ? await updateFromBase(
              call,
              ref,
              { ...input, content: input.content },
              { baseRevision, documentId, shown: revision, message, alongside },
              condition,
            )
          : await updateDocument(call, ref, input, condition, {
              documentId,
              message,
              alongside,
              // Without a text there is nothing to merge.
              shown: revision ?? baseRevision,
            });
      const isRead = input.content !== undefined || input.visibility !== undefined;
      const warnings = isRead ? await warningsAbout(call, after) : [];
      const { data, ...rest } = answer(after);
      const merged = howMerged(after);
      return { ...rest, data: withWarnings(data, warnings), merged };
    },
  });

  remove(api, {
    ...item,
    scope: 'documents:write',
    id: `delete${kind.title}`,
    summary: `Delete a ${kind.kind}`,
    description:
      'Moves it to the trash, from which it can be restored for a while, with its history and ' +
      'collaborators. Pending invitations end. Its name is free at once.',
    bodyLimit: kind.bodyLimitBytes,
    errors: [412],
    rule: can('delete'),
    handler: async ({ call, params, ifMatch }) => {
      const ref = { kind: kind.kind, ...params };
      await deleteDocument(call, ref, parseIfMatch(ifMatch));
    },
  });
}

interface UpdateBody {
  baseRevision?: number;
  revision?: number;
  documentId?: string;
  message?: string;
  resolves?: string[];
}

function nothingToUpdate({ contentField }: AnyKind): ServiceError {
  const fields = `${contentField}, name and visibility`;
  return new ServiceError('BAD_REQUEST', `Send at least one of ${fields}.`);
}
