import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { readerUrl } from '../../document/addresses.ts';
import { resolveOwner } from '../../document/document-owner-service.ts';
import type { DocumentRow } from '../../document/document-store.ts';
import { KINDS } from '../../document/kind.ts';
import { MAX_NAME_CHARACTERS } from '../../document/name.ts';
import { publishDocument as publish } from '../../document/publish-service.ts';
import { resolving } from '../../document/review/suggestion-service.ts';
import { parseIfMatchArgument } from '../../http/conditional.ts';
import {
  BaseRevisionArgument,
  DocumentSummary,
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
import { defineTool } from '../tool.ts';

const { brief, page } = KINDS;

export const publishDocument = defineTool({
  name: 'publish_document',
  title: 'Publish a document',
  description:
    'Creates a document, or replaces the text of the one with this name. New documents are public: ' +
    'use `private` unless the user wants anyone to read it. Without a name, the first heading (of a ' +
    'page: its title) becomes the name, and nothing is replaced. To replace a text that someone else ' +
    'wrote, give the revision that you read as base_revision: what others wrote since is merged in. ' +
    'For a small change to a long text use edit_document. Give the user the address in the answer.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      kind: KindArgument,
      content: Type.String({
        description:
          `The whole text. A brief: Markdown, at most ${brief.contentLimitBytes} bytes. A page: ` +
          'one HTML document with all styles, scripts and assets inline, at most ' +
          `${page.contentLimitBytes} bytes; it runs in a sandbox without network or storage.`,
      }),
      name: Type.Optional(
        Type.String({
          description:
            'The name in the address: lowercased, hyphens for spaces; ' +
            `1 to ${MAX_NAME_CHARACTERS} letters, digits, ` +
            '`-`, `_` and `.`. Unique per owner and kind. `owner/name` and addresses work, too.',
        }),
      ),
      owner: Type.Optional(
        Type.String({
          description: 'Yourself when omitted, or the namespace of an organization of yours.',
        }),
      ),
      visibility: VisibilityArgument,
      base_revision: BaseRevisionArgument,
      message: MessageArgument,
      resolves: ResolvesArgument,
      if_match: IfMatchArgument,
      if_exists: Type.Optional(
        Type.Unsafe<'replace' | 'fail'>({
          type: 'string',
          enum: ['replace', 'fail'],
          default: 'replace',
          description: 'What to do where there is a document of this name.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    created: Type.Boolean({ description: 'Whether it is new, or a new text of what was there.' }),
    merged: Type.Boolean({ description: 'Whether what others wrote was merged in.' }),
    document: DocumentSummary,
  }),
  argumentNames: { username: 'owner', org: 'owner' },
  handler: async ({ context, actor, input }) => {
    const { content, visibility } = input;
    const named = refOf(context, actor, { ...input, name: input.name ?? '' });
    const { kind } = named;
    const owner = await resolveOwner(context.sql.read, actor, named.owner);
    const name = input.name === undefined ? undefined : named.name;
    const { isNew, seen, leftBehind } = await publish(
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
    const verb = isNew ? 'is published' : 'has a new text';
    const { merged } = seen;
    const left = leftBehind
      ? ` Until now, links to this name led to ${leftBehind.owner}/${leftBehind.name}, which had it before.`
      : '';
    const others = merged
      ? ` What others wrote since revision ${input.base_revision} is merged in: see changes_since.`
      : '';
    const document = presentSummary(context, seen);
    return {
      summary: `The ${inWords(seen.document)} ${verb}.${others}${left} ${whereToRead(context, seen.document)}`,
      data: { created: isNew, merged, document },
      links: [documentLink(seen.document)],
    };
  },
});

/** Says where to read the document. The `url` of a brief that isn't public shows nothing. */
function whereToRead({ webUrl }: Context, document: DocumentRow): string {
  const address = readerUrl(webUrl, document);
  const isForAll = document.visibility === 'public';
  return isForAll
    ? `Its address: ${address}`
    : `Its address, for signed-in users who can read it: ${address}`;
}
