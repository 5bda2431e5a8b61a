import { Type } from 'typebox';
import { changeDocument } from '../../document/document-change-service.ts';
import { deleteDocument } from '../../document/document-service.ts';
import { createSignedAddress } from '../../document/page-service.ts';
import { SIGNED_ADDRESS_LIFETIME } from '../../document/signed-address.ts';
import { parseIfMatchArgument } from '../../http/conditional.ts';
import { Id, Timestamp } from '../../schema/fields.ts';
import { invalidArgument } from '../arguments.ts';
import {
  DocumentArguments,
  DocumentSummary,
  documentLink,
  IfMatchArgument,
  inWords,
  presentSummary,
  refOf,
  VisibilityArgument,
} from '../document.ts';
import { defineTool } from '../tool.ts';

export const updateDocumentSettings = defineTool({
  name: 'update_document_settings',
  title: 'Rename a document, or change who sees it',
  description:
    'Changes the name or the visibility of a document, or both. Links to the old name lead to the new one until ' +
    'another document takes it. ' +
    'The name needs write, the visibility admin.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      new_name: Type.Optional(Type.String({ description: 'The new name, unique per owner.' })),
      visibility: VisibilityArgument,
      if_match: IfMatchArgument,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ document: DocumentSummary }),
  argumentNames: { name: 'new_name' },
  handler: async ({ context, actor, input }) => {
    const { new_name: name, visibility } = input;
    if (name === undefined && visibility === undefined) {
      throw invalidArgument('arguments', 'need new_name, visibility or both');
    }
    const ref = refOf(context, actor, input);
    const fields = { ...(name !== undefined && { name }), ...(visibility && { visibility }) };
    const ifMatch = parseIfMatchArgument(input.if_match);
    const seen = await changeDocument(context, actor, ref, fields, ifMatch);
    const document = presentSummary(context, seen);
    return {
      summary: `It is now the ${inWords(seen.document)}, ${document.visibility}.`,
      data: { document },
      links: [documentLink(seen.document)],
    };
  },
});

export const removeDocument = defineTool({
  name: 'delete_document',
  title: 'Delete a document',
  description:
    'Deletes a document. Until `restorableUntil` the trash tool can restore it; without that field it ' +
    'is deleted for good. Be sure that the user wants this.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    { ...DocumentArguments, if_match: IfMatchArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Id('The document’s id, for restoring it.'),
    restorableUntil: Type.Optional(Timestamp('Until when it can be restored.')),
  }),
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const ifMatch = parseIfMatchArgument(input.if_match);
    const { id, restorableUntil } = await deleteDocument(context, actor, ref, ifMatch);
    if (restorableUntil === null) {
      return { summary: `The ${ref.kind} is deleted for good.`, data: { deleted: true, id } };
    }
    return {
      summary: `The ${ref.kind} is deleted. It can be restored until ${restorableUntil}.`,
      data: { deleted: true, id, restorableUntil },
    };
  },
});

export const getPageLink = defineTool({
  name: 'get_page_link',
  title: 'Get an address to look at a page with',
  description:
    `Returns an address at which anyone who has it can see a page for about ${SIGNED_ADDRESS_LIFETIME}, ` +
    'without signing in. Use it to look at a page that isn’t public. To share a page for good, invite ' +
    'people or make it public.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    { owner: DocumentArguments.owner, name: DocumentArguments.name },
    { additionalProperties: false },
  ),
  output: Type.Object({
    url: Type.String({ description: 'Works until it expires, or access or the page changes.' }),
    expiresAt: Timestamp('When it expires.'),
  }),
  handler: async ({ context, actor, input }) => {
    const address = await createSignedAddress(
      context,
      actor,
      refOf(context, actor, { kind: 'page', ...input }),
    );
    return { summary: `The address works until ${address.expiresAt}.`, data: address };
  },
});
