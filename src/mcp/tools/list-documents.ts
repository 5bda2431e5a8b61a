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
    'Lists documents: your own, those shared with you, those that changed recently, or those of an ' +
    'owner that you can see. For the text see read_document.',
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
            '`mine`: those you own. `shared`: those shared with you. `recent`: all of these and those ' +
            'of your organizations, the last changed first.',
        }),
      ),
      owner: Type.Optional(
        Type.String({
          description: 'The documents of this user or organization instead, newest first.',
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
        Type.String({ description: 'The `nextCursor` of the previous answer.' }),
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
            description: 'Who changed it last; with `shared` and `recent`.',
          }),
        ),
      }),
    ),
    total: Type.Optional(Type.Integer({ description: 'How many there are in all, if known.' })),
    page: Type.Optional(Type.Integer({ description: 'The number of this result page.' })),
    nextPage: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The next result page; null on the last.',
      }),
    ),
    nextCursor: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The cursor for the next part; null if there is none.',
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
