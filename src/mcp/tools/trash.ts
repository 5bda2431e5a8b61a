import { Type } from 'typebox';
import { presentTrashed, TrashedDocumentSchema } from '../../document/trash/trash-schema.ts';
import {
  deleteForever,
  listOrganizationTrash,
  listOwnTrash,
  restoreDocument,
} from '../../document/trash/trash-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { invalidArgument } from '../arguments.ts';
import { DocumentSummary, documentLink, inWords, presentSummary } from '../document.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

export const trash = defineTool({
  name: 'trash',
  title: 'Restore deleted documents',
  description:
    'Lists the deleted documents that you can restore, restores one with its history and ' +
    'collaborators, or deletes one for good. That can’t be undone: ask the user first.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      action: OneOf(['list', 'restore', 'delete_forever'], 'What to do.'),
      document_id: Type.Optional(
        Type.String({ description: 'The document’s id, from the list. Not for `list`.' }),
      ),
      new_name: Type.Optional(
        Type.String({
          description: 'For `restore`: a new name, if another document has the old one.',
        }),
      ),
      organization: Type.Optional(
        Type.String({ description: 'For `list`: an organization’s trash, not your own.' }),
      ),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    list: Type.Optional(PageResult(TrashedDocumentSchema)),
    document: Type.Optional(DocumentSummary),
    deleted: Type.Optional(Type.Boolean()),
  }),
  argumentNames: { id: 'document_id', name: 'new_name', org: 'organization' },
  handler: async ({ context, actor, input }) => {
    const { action, document_id: id, new_name: name, organization } = input;
    if (action === 'list') {
      const page = pageRequest(input);
      const found =
        organization === undefined
          ? await listOwnTrash(context, actor, page)
          : await listOrganizationTrash(context, actor, organization, page);
      const list = presentPage(found, page, presentTrashed);
      return { summary: pageSummary('Deleted documents', list), data: { list } };
    }
    if (id === undefined) throw invalidArgument('document_id', `is needed for ${action}`);
    if (action === 'delete_forever') {
      await deleteForever(context, actor, id);
      return { summary: 'The document is deleted for good.', data: { deleted: true } };
    }
    const seen = await restoreDocument(context, actor, id, name);
    return {
      summary: `Restored the ${inWords(seen.document)}.`,
      data: { document: presentSummary(context, seen) },
      links: [documentLink(seen.document)],
    };
  },
});
