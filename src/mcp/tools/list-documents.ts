import { Type } from 'typebox';
import type { Actor, Context } from '../../context.ts';
import { listOrganizationDocuments, listUserDocuments } from '../../document/document-listing.ts';
import { resolveOwner } from '../../document/document-owner-service.ts';
import type { Kind } from '../../document/kind.ts';
import { seeLibrary } from '../../document/library-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { invalidArgument } from '../arguments.ts';
import { DocumentSummary, KIND_NAMES, presentSummary } from '../document.ts';
import { pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

const WHICH = ['mine', 'shared', 'recent'] as const;

/** The summaries of the lists that are ordered by the last change. */
const SUMMARIES = { shared: 'Shared with you', recent: 'Recently changed' };

interface Input {
  which?: (typeof WHICH)[number];
  kind?: Kind;
  owner?: string;
  cursor?: string;
  per_page?: number;
  page?: number;
}

export const listDocuments = defineTool({
  name: 'list_documents',
  title: 'List documents',
  description:
    'Lists documents: your own, what others share with you, what changed recently, or those of an ' +
    'owner as far as you may see them. Contents are not included: see read_document.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(
    {
      which: Type.Optional(
        Type.Unsafe<(typeof WHICH)[number]>({
          type: 'string',
          enum: [...WHICH],
          default: 'mine',
          description:
            '`mine`: those that you own. `shared`: what others share with you. `recent`: all that ' +
            'is yours, shared with you or of your organizations, the last changed first.',
        }),
      ),
      owner: Type.Optional(
        Type.String({
          description: 'Those of this user or organization instead, newest first.',
          examples: ['ada'],
        }),
      ),
      kind: Type.Optional(
        Type.Unsafe<Kind>({
          type: 'string',
          enum: KIND_NAMES,
          description:
            '`brief` or `page`. When omitted: both for `shared` and `recent`, else briefs.',
        }),
      ),
      ...PageQuery,
      cursor: Type.Optional(
        Type.String({ description: 'The `nextCursor` of the answer before, to go on.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        ...DocumentSummary.properties,
        updatedBy: Type.Optional(
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            description: 'Who wrote it last; with `shared` and `recent`.',
          }),
        ),
      }),
    ),
    total: Type.Optional(Type.Integer({ description: 'How long the whole list is, if known.' })),
    page: Type.Optional(Type.Integer({ description: 'Which page this is.' })),
    nextPage: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The page to ask for next; null on the last.',
      }),
    ),
    nextCursor: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The cursor to ask with next; null when there is no more.',
      }),
    ),
  }),
  argumentNames: { username: 'owner', org: 'owner', before: 'cursor' },
  handler: ({ context, actor, input }) => {
    const { which = 'mine' } = input;
    return which === 'mine'
      ? listOfOwner(context, actor, input)
      : listByChange(context, actor, which, input);
  },
});

/** What one owner has, in numbered pages. */
async function listOfOwner(context: Context, actor: Actor, input: Input) {
  const { kind = 'brief', cursor } = input;
  if (cursor !== undefined) throw invalidArgument('cursor', 'give page, which goes with this list');
  const owner = await resolveOwner(context.sql.read, actor, input.owner);
  const page = pageRequest(input);
  const list = owner.type === 'user' ? listUserDocuments : listOrganizationDocuments;
  const found = await list(context, actor, kind, owner.namespace, page);
  const data = presentPage(found, page, (seen) => presentSummary(context, seen));
  return { summary: pageSummary(`Documents (${kind})`, data), data };
}

/** What the actor may see of many owners, in parts that lead to the next. */
async function listByChange(
  context: Context,
  actor: Actor,
  which: 'shared' | 'recent',
  { owner, page, kind, cursor, ...rest }: Input,
) {
  if (owner !== undefined) throw invalidArgument('owner', `cannot be given with which "${which}"`);
  if (page !== undefined && page !== 1) {
    throw invalidArgument('page', 'give cursor, which goes with this list');
  }
  const { size } = pageRequest(rest);
  const list = { place: which, kind, before: cursor, size };
  const { items, next = null } = await seeLibrary(context, actor, list);
  const data = {
    items: items.map((seen) => ({
      ...presentSummary(context, seen),
      updatedBy: seen.document.updatedByUsername,
    })),
    nextCursor: next,
  };
  const more = next === null ? '' : ' There is more: call again with nextCursor as cursor.';
  return { summary: `${SUMMARIES[which]}: ${items.length}.${more}`, data };
}
