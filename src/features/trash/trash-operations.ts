import { Type } from 'typebox';
import { KINDS } from '../../base/schema/kind.ts';
import { documentSchema, presentDocument } from '../../core/document/document-schema.ts';
import { documentLocation } from '../../surfaces/rest/document-path.ts';
import { list, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import { presentTrashed, RestoreBody, TrashedDocumentSchema } from './trash-schema.ts';
import {
  deleteForever,
  listOrganizationTrash,
  listOwnTrash,
  requireTrashed,
  restoreDocument,
} from './trash-service.ts';

/** What is in the trash is hidden from all but those who can restore it. */
const TRASHED: Rule<{ id: string }> = {
  needs: 'admin',
  refusals: [404],
  check: (call, { id }) => requireTrashed(call, id),
};

/** Adds the routes of deleted documents that can still be restored (decision 010). */
export function addTrashOperations(api: Api): void {
  const tag = 'Trash';
  const trashed = {
    scope: 'documents:read',
    tag,
    items: TrashedDocumentSchema,
    present: presentTrashed,
  } as const;

  list(api, {
    ...trashed,
    path: '/user/trash',
    id: 'listOwnTrash',
    summary: 'List your deleted documents',
    description:
      'The documents that you can restore: those you owned, and those of others that you could ' +
      'manage as a collaborator. Last deleted first.',
    find: ({ call, page }) => listOwnTrash(call, page),
  });

  list(api, {
    ...trashed,
    path: '/orgs/{org}/trash',
    id: 'listOrganizationTrash',
    summary: 'List an organization’s deleted documents',
    description:
      'Admins see all. Other members see those that they could manage as a collaborator. Last ' +
      'deleted first.',
    rule: inOrganization('seeTrash'),
    find: ({ call, params, page }) => listOrganizationTrash(call, params.org, page),
  });

  addOperation(api, {
    method: 'POST',
    scope: 'documents:write',
    path: '/trash/{id}/restore',
    id: 'restoreDocument',
    tag,
    summary: 'Restore a deleted document',
    description:
      'Restores its id, content, history, visibility and collaborators, but not pending ' +
      'invitations. If another document has taken the name, the response is 422 with a free ' +
      'name: send that as `name`.',
    body: RestoreBody,
    conditional: true,
    answers: {
      200: Type.Union(Object.values(KINDS).map((kind) => documentSchema(kind, 'full'))),
    },
    sends: { 200: ['Location', 'X-Revision'] },
    errors: [422, 451],
    rule: TRASHED,
    handler: async ({ call, params, body }) => {
      const restored = await restoreDocument(call, params.id, body.name);
      const { kind, ownerNamespace, name, version } = restored.document;
      return {
        status: 200,
        data: presentDocument(call, 'full', restored),
        etag: restored.etag,
        location: documentLocation(KINDS[kind].segment, { owner: ownerNamespace, name }),
        revision: version,
      };
    },
  });

  remove(api, {
    scope: 'documents:write',
    path: '/trash/{id}',
    id: 'deleteForever',
    tag,
    summary: 'Delete a document for good',
    description: 'Deletes a document in the trash with its history. This can’t be undone.',
    rule: TRASHED,
    handler: ({ call, params }) => deleteForever(call, params.id),
  });
}
