import { Type } from 'typebox';
import { listOrganizationDocuments, listUserDocuments } from '../../document/document-listing.ts';
import { PageQuery, pageRequest } from '../../page-schema.ts';
import { DocumentSummary, KindArgument, presentSummary } from '../document.ts';
import { resolveOwner } from '../owner.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

export const listDocuments = defineTool({
  name: 'list_documents',
  title: 'List documents',
  description:
    'Lists the briefs, or the pages, of one owner, newest first: your own, another user’s public ' +
    'ones, or what your role in an organization shows you. What others shared with you is listed ' +
    'under its owner only if it is public; you can always read it by owner and name.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    {
      kind: KindArgument,
      owner: Type.Optional(
        Type.String({
          description: 'A username or an organization’s namespace; yourself when omitted.',
        }),
      ),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  output: PageResult(DocumentSummary),
  argumentNames: { username: 'owner', org: 'owner' },
  handler: async ({ context, actor, input }) => {
    const { kind = 'brief' } = input;
    const owner = await resolveOwner(context, actor, input.owner);
    const page = pageRequest(input);
    const list = owner.type === 'user' ? listUserDocuments : listOrganizationDocuments;
    const found = await list(context, actor, kind, owner.namespace, page);
    const data = presentPage(found, page, (seen) => presentSummary(context, seen));
    return { summary: pageSummary(`Documents (${kind})`, data), data };
  },
});
