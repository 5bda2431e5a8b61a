import { type TObject, Type } from 'typebox';
import {
  PageArgument,
  PageResult,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import { defineTool, type Tool } from '../../surfaces/mcp/tool.ts';
import { MAX_POSITION } from './feed-schema.ts';
import { type InboxEntryDetails, withDetails } from './inbox-details-service.ts';
import { getInbox, markRead } from './inbox-service.ts';
import { detailedDeedOf } from './inbox-words.ts';

const Input = Type.Object(
  {
    all: Type.Optional(Type.Boolean({ description: 'Also what you have read.' })),
    read_to: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_POSITION,
        description: 'First marks entries up to this position as read.',
      }),
    ),
    ...PageArgument,
  },
  { additionalProperties: false },
);

export const inbox = defineInbox(Input);

/** The same without marking entries as read, which is a write. */
export const readOnlyInbox = defineInbox(
  Type.Omit(Input, ['read_to'], { additionalProperties: false }),
);

function defineInbox(input: TObject): Tool {
  const canMark = 'read_to' in input.properties;
  return defineTool({
    name: 'inbox',
    title: 'What awaits me?',
    description:
      'Lists what others did that concerns you and that you have not read, newest first: review ' +
      'requests, mentions, comments, changes, with their first words.',
    scope: 'documents:read',
    effect: { reads: true, bringsIn: true },
    input: input as typeof Input,
    reading: Type.Omit(PageResult, ['items']),
    argumentNames: { readTo: 'read_to' },
    handler: async ({ call, input }) => {
      const { all = false, read_to: readTo } = input;
      if (readTo !== undefined) await markRead(call, readTo);
      const page = pageOf(input);
      const found = await getInbox(call, all ? 'all' : 'unread', page);
      const entries = await withDetails(call, found.items);
      const { items, ...data } = presentPage({ ...found, items: entries }, page, (entry) =>
        presentEntry(entry, call.actor.username),
      );
      const [newest] = entries;
      const hint = canMark && newest && !all ? ` When done, give read_to ${newest.position}.` : '';
      return {
        summary: pageSummary(all ? 'Inbox' : 'Unread', { items, ...data }) + hint,
        data,
        quotations:
          items.length === 0 ? [] : [{ what: 'the inbox (one entry per line)', rows: items }],
      };
    },
  });
}

/** Presents an entry for a model. Leaves out empty fields. */
function presentEntry(entry: InboxEntryDetails, reader: string) {
  const { position, kind, owner, name, author, via, version, threadId, reason, readAt } = entry;
  const { coAuthors, firstVersion } = entry;
  return {
    position,
    by: author,
    ...(coAuthors.length > 0 && { with: coAuthors }),
    ...(via !== null && { via }),
    did: detailedDeedOf(entry, reader),
    document: `${owner}/${name}`,
    ...(kind === 'page' && { kind }),
    ...(version !== null && { revision: version }),
    ...(firstVersion !== null && firstVersion !== version && { firstRevision: firstVersion }),
    ...(threadId !== null && { thread: threadId }),
    ...(entry.excerpt !== undefined && { says: entry.excerpt }),
    reason,
    at: entry.at,
    ...(readAt !== null && { read: true }),
  };
}
