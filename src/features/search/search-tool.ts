import { Type } from 'typebox';
import { ALL_KINDS } from '../../base/schema/kind.ts';
import { requireTime } from '../../base/schema/time.ts';
import type { Call } from '../../core/context.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { requireLabelKey } from '../labels/label-service.ts';
import { fitting } from '../library/entry.ts';
import { isListed } from '../library/library-filter.ts';
import { listDocuments, readPage } from '../library/list.ts';
import { searchDocuments as search } from './search-service.ts';

/** The most results of a query. They include excerpts. */
const SIZE = 6;

/** The most bytes of a query's results, so that an answer stays below 2 KB. */
const MAX_BYTES = 1_600;

const NOTHING_FOUND =
  'All words must match: try fewer or other words, OR between them, or no quotation marks or filters.';
const PARTIAL = 'None has all words; these have most of them.';

const Input = Type.Object(
  {
    query: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Words, "exact phrase", a OR b, -without. The last word can be partial.',
      }),
    ),
    which: Type.Optional(
      Choice(['all', 'mine', 'shared'], {
        default: 'all',
        description: '`all`: also your organizations’.',
      }),
    ),
    owner: OptionalText({ description: 'A user or organization.' }),
    kind: Type.Optional(Choice(ALL_KINDS)),
    label: OptionalText(),
    changed_since: OptionalText({ description: 'A time (ISO 8601).' }),
    cursor: OptionalText({ description: 'The `next` of the last result.' }),
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof Input>;

export const searchDocuments = defineTool({
  name: 'search_documents',
  title: 'Search or list documents',
  description:
    'Finds documents with all words of a query in text, name or title, and shows why each ' +
    'matches. Without a query, lists documents, last changed first.',
  scope: 'documents:read',
  effect: { reads: true, bringsIn: true },
  input: Input,
  reading: Type.Object({ next: Type.Optional(Type.String()) }),
  argumentNames: { username: 'owner', org: 'owner', before: 'cursor' },
  handler: async ({ call, input }) => {
    const { changed_since: since, query } = input;
    const after = since === undefined ? undefined : requireTime('changed_since', since);
    const { entries, next, notes } =
      query === undefined
        ? { ...(await listDocuments(call, { ...input, after })), notes: [] }
        : await find(call, { ...input, query, after });
    const more = next === undefined ? [] : ['There are more: call again with next as cursor.'];
    return {
      summary: [`Documents: ${entries.length}.`, ...more, ...notes].join(' '),
      data: { ...(next !== undefined && { next }) },
      quotations:
        entries.length === 0
          ? []
          : [{ what: 'the documents (one per line)', isPlural: true, rows: entries }],
    };
  },
});

async function find(
  call: Call,
  {
    query,
    which,
    owner,
    kind,
    label,
    after,
    cursor,
  }: Input & { query: string; after?: string | undefined },
): Promise<{ entries: object[]; next: string | undefined; notes: string[] }> {
  const filter = {
    kind,
    owner: owner?.toLowerCase(),
    changedAfter: after,
    isShared: which === 'shared',
    label: label === undefined ? undefined : requireLabelKey(label),
  };
  const found = await search(call, {
    query,
    size: SIZE,
    page: readPage(cursor),
    isWanted: (item) =>
      isListed(item, filter) && (which !== 'mine' || item.ownerNamespace === call.actor.username),
  });
  const room = Math.floor(MAX_BYTES / Math.max(1, found.items.length));
  return {
    entries: found.items.map(({ excerpt, ...item }) => fitting(item, excerpt.text, room)),
    next: found.next?.toString(),
    notes: [
      ...(found.total === 0 ? [NOTHING_FOUND] : []),
      ...(found.isPartial ? [PARTIAL] : []),
      ...(found.isBehind ? ['Some recent changes can’t be found yet: repeat in a moment.'] : []),
    ],
  };
}
