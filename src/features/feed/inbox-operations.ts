import { Type } from 'typebox';
import { nothingAtAddress } from '../../base/errors.ts';
import { NullableTimestamp, OneOf } from '../../base/schema/fields.ts';
import { list } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { InboxEntrySchema, MAX_POSITION, presentInboxEntry } from './feed-schema.ts';
import { getInbox, markRead, putOff } from './inbox-service.ts';
import { INBOX_VIEWS } from './inbox-store.ts';

const common = { tag: 'Events', scope: 'documents:read' } as const;

/** Adds the routes of the inbox: what others did that concerns the caller. */
export function addInboxOperations(api: Api): void {
  list(api, {
    ...common,
    path: '/user/inbox',
    id: 'listInbox',
    summary: 'List your inbox',
    description:
      'Events by others that concern you, from the last 90 days, newest first. Those that you have ' +
      'put off are listed only with `show=later`.',
    query: Type.Object({
      unread: Type.Optional(
        OneOf(['true', 'false'], 'Whether to list only what you haven’t read.'),
      ),
      show: Type.Optional(
        OneOf(
          INBOX_VIEWS,
          'What to list: everything, what you haven’t read, requests for your review, mentions, ' +
            'answers, or what you have put off.',
        ),
      ),
    }),
    items: InboxEntrySchema,
    find: ({ call, query, page }) => {
      const view = query.show ?? (query.unread === 'true' ? 'unread' : 'all');
      return getInbox(call, view, page);
    },
    present: presentInboxEntry,
  });

  addOperation(api, {
    ...common,
    method: 'PATCH',
    path: '/user/inbox',
    id: 'markInboxRead',
    summary: 'Mark your inbox as read',
    description:
      'All entries up to a position, but not those that an organization hides from your token.',
    body: Type.Object(
      {
        readTo: Type.Integer({
          minimum: 1,
          maximum: MAX_POSITION,
          description: 'The position of the newest entry that you have read.',
          examples: [1],
        }),
      },
      { title: 'MarkInboxRead', additionalProperties: false },
    ),
    answers: { 204: null },
    handler: async ({ call, body }) => {
      await markRead(call, body.readTo);
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    ...common,
    method: 'PATCH',
    path: '/user/inbox/{position}',
    id: 'putOffInboxEntry',
    summary: 'Put off an entry of your inbox',
    description: 'It leaves the inbox, and comes back at the given time, unread.',
    body: Type.Object(
      {
        laterUntil: {
          ...NullableTimestamp('When it comes back; `null` for now.'),
          examples: ['2027-01-04T08:00:00.000Z'],
        },
      },
      { title: 'PutOffInboxEntry', additionalProperties: false },
    ),
    answers: { 204: null },
    errors: [404],
    handler: async ({ call, params, body }) => {
      if (!/^[1-9]\d{0,9}$/.test(params.position) || Number(params.position) > MAX_POSITION) {
        throw nothingAtAddress();
      }
      await putOff(call, Number(params.position), body.laterUntil);
      return NO_CONTENT;
    },
  });
}
