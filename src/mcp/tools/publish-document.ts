import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { readerUrl } from '../../document/addresses.ts';
import { resolveOwner } from '../../document/document-owner-service.ts';
import type { DocumentRow } from '../../document/document-store.ts';
import { type PublishOutcome, publishDocument as publish } from '../../document/publish-service.ts';
import { resolving } from '../../document/review/suggestion-service.ts';
import { parseIfMatchArgument } from '../../http/conditional.ts';
import { Choice } from '../choice.ts';
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
} from '../document.ts';
import { feedbackSince } from '../review/feedback.ts';
import { defineTool } from '../tool.ts';

export const publishDocument = defineTool({
  name: 'publish_document',
  title: 'Publish a document',
  description:
    'Creates a document, or replaces the text of the one with this name. Without a name, the first ' +
    'heading (a page’s title) becomes the name, and nothing is replaced. New documents are public: use ' +
    '`private` unless the user wants anyone to read it. Give the user the address in the answer.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true, bringsIn: true },
  input: Type.Object(
    {
      kind: KindArgument,
      content: Type.String({
        description: 'Markdown, or one HTML document with everything inline, for a sandbox.',
      }),
      name: Type.Optional(
        Type.String({
          description: 'Letters, digits, `-`, `_`, `.`; or owner/name, or an address.',
        }),
      ),
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
  argumentNames: { username: 'owner', org: 'owner' },
  handler: async ({ context, actor, input }) => {
    const { content, visibility } = input;
    const named = refOf(context, actor, { ...input, name: input.name ?? '' });
    const { kind } = named;
    const owner = await resolveOwner(context.sql.read, actor, named.owner);
    const name = input.name === undefined ? undefined : named.name;
    const { outcome, seen, leftBehind } = await publish(
      context,
      actor,
      { kind, owner, name },
      { content, ...(visibility && { visibility }) },
      {
        ifMatch: parseIfMatchArgument(input.if_match),
        mayReplace: input.if_exists !== 'fail',
        baseRevision: input.base_revision,
        message: input.message,
        alongside: resolving(context, actor, input.resolves),
      },
    );
    const { merged } = seen;
    const left = leftBehind
      ? ` Until now, links to this name led to ${leftBehind.owner}/${leftBehind.name}, which had it before.`
      : '';
    const others = merged
      ? ` What others wrote since revision ${input.base_revision} is merged in: see changes_since.`
      : '';
    const document = presentSummary(context, seen);
    const feedback = await feedbackSince(context, actor, seen, input.base_revision);
    return {
      summary: `The ${inWords(seen.document)} ${says(outcome, seen.document)}.${others}${feedback.sentence}${left} ${whereToRead(context, seen.document)}`,
      data: { created: outcome === 'created', merged, document },
      quotations: feedback.quotations,
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

/** Says where to read the document. The `url` of a brief that isn't public shows nothing. */
function whereToRead({ webUrl }: Context, document: DocumentRow): string {
  const address = readerUrl(webUrl, document);
  const isForAll = document.visibility === 'public';
  return isForAll
    ? `Its address: ${address}`
    : `Its address, for signed-in users who can read it: ${address}`;
}
