import { Type } from 'typebox';
import { byWords } from '../../base/text/conflict-lines.ts';
import type { Context } from '../../core/context.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import {
  type PublishOutcome,
  publishDocument as publish,
} from '../../core/document/create-or-replace-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { resolveOwner } from '../../core/owner/document-owner-service.ts';
import { parseIfMatchArgument } from '../../surfaces/http/conditional.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import {
  BaseRevisionArgument,
  documentLink,
  IfMatchArgument,
  inWords,
  KindArgument,
  MessageArgument,
  presentSummary,
  ResolvesArgument,
  refOf,
  VisibilityArgument,
} from '../../surfaces/mcp/document.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import { AnyObject } from '../../surfaces/mcp/paging.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { warningsForModel } from '../../surfaces/mcp/warnings.ts';
import { feedbackSince } from '../discussion/feedback.ts';
import { resolving } from '../suggestions/suggestion-service.ts';
import { issueDocumentTicket } from '../uploads/ticket-service.ts';
import { ticketAnswer } from '../uploads/upload.ts';

export const publishDocument = defineTool({
  name: 'publish_document',
  title: 'Publish a document',
  description:
    'Creates a document, or replaces the text of the one with this name. Without a name, the ' +
    'first heading (a page’s title) names it, and nothing is replaced. New documents are ' +
    'public: use `private` unless anyone can read it. Give the user its address.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true, bringsIn: true },
  input: Type.Object(
    {
      kind: KindArgument,
      content: Type.Optional(
        Type.String({
          description:
            'Markdown, or one HTML document with all but uploaded images inline; runs in a sandbox.',
        }),
      ),
      upload: Type.Optional(
        Type.Boolean({
          description: 'Instead of content: an address for `curl -T FILE`.',
        }),
      ),
      name: OptionalText({
        description: 'Letters, digits, `-`, `_`, `.`; or owner/name, or an address.',
      }),
      owner: Type.Optional(Type.String({ description: 'You, or an organization.' })),
      visibility: VisibilityArgument,
      base_revision: BaseRevisionArgument,
      message: MessageArgument,
      resolves: ResolvesArgument,
      if_match: IfMatchArgument,
      if_exists: Type.Optional(Choice(['replace', 'fail'], { default: 'replace' })),
    },
    { additionalProperties: false },
  ),
  reading: Type.Object({
    created: Type.Optional(Type.Boolean()),
    merged: Type.Optional(Type.Boolean()),
    document: Type.Optional(AnyObject),
    upload: Type.Optional(AnyObject),
  }),
  argumentNames: { username: 'owner', org: 'owner' },
  handler: async ({ call, input }) => {
    const { content, visibility, upload = false } = input;
    if (upload === (content !== undefined)) {
      throw invalidArgument('content', 'give either this or upload: true');
    }
    const named = refOf(call, { ...input, name: input.name ?? '' });
    const { kind } = named;
    const owner = await resolveOwner(call.sql.read, call.actor, named.owner);
    const name = input.name === undefined ? undefined : named.name;
    const { base_revision: baseRevision, message, resolves } = input;
    const ifMatch = parseIfMatchArgument(input.if_match);
    const mayReplace = input.if_exists !== 'fail';
    if (content === undefined) {
      const note = { ifMatch, baseRevision, message, resolves };
      const task = { what: kind, owner, name, visibility, ...note };
      const ticket = await issueDocumentTicket(call, task, mayReplace);
      return { ...ticketAnswer(ticket), quotations: [] };
    }
    const { outcome, seen, formerDocument } = await publish(
      call,
      { kind, owner, name },
      { content, ...(visibility && { visibility }) },
      { ifMatch, mayReplace, baseRevision, message, alongside: resolving(call, resolves) },
    );
    const { merged, wordLines } = seen;
    const left = formerDocument
      ? ` Until now, links to this name redirected to ${formerDocument.owner}/${formerDocument.name}, ` +
        'its former document.'
      : '';
    const others = merged
      ? ` Changes since revision ${baseRevision} were merged in${byWords(wordLines)}: see changes_since.`
      : '';
    const document = presentSummary(call, seen);
    const feedback = await feedbackSince(call, seen, baseRevision);
    const warned = warningsForModel(await warningsAbout(call, seen));
    return {
      summary:
        `The ${inWords(seen.document)} ` +
        `${says(outcome, seen.document)}.${others}${feedback.sentence}${left} ` +
        `${whereToRead(call, seen.document)}${warned.sentence}`,
      data: { created: outcome === 'created', merged, document },
      quotations: [...feedback.quotations, ...warned.quotations],
      links: [documentLink(seen.document)],
    };
  },
});

function says(outcome: PublishOutcome, { visibility }: DocumentRow): string {
  switch (outcome) {
    case 'created':
      return 'is published';
    case 'new text':
      return 'has a new text';
    case 'new visibility':
      return `is now ${visibility}; its text is unchanged`;
    case 'unchanged':
      return 'has this text already, so nothing changed';
  }
}

/**
 * Says where people can read the document. The `url` of a brief that isn't public is a 404, so this
 * uses its address in the app.
 */
function whereToRead({ webUrl }: Context, document: DocumentRow): string {
  const address = readerUrl(webUrl, document);
  const isForAll = document.visibility === 'public';
  return isForAll
    ? `Its address: ${address}`
    : `Its address, for signed-in users who can read it: ${address}`;
}
