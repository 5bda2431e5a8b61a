import { Type } from 'typebox';
import { nothingAtAddress } from '../../base/errors.ts';
import { NullableTimestamp, OneOf } from '../../base/schema/fields.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { InboxEntrySchema, MAX_POSITION, presentInboxEntry } from './feed-schema.ts';
import { getInbox, markRead, putOff } from './inbox-service.ts';
import { INBOX_VIEWS } from './inbox-store.ts';

const tag = 'Events';

/** Adds the routes of the inbox: what others did that concerns the caller. */
export function addInboxOperations(api: Api): void {
  addOperation(api, {
    method: 'GET',
    path: '/user/inbox',
    id: 'listInbox',
    tag,
    scope: 'documents:read',
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
    paginated: true,
    answers: { 200: Type.Array(InboxEntrySchema) },
    handler: async ({ context, actor, query, page }) => {
      const view = query.show ?? (query.unread === 'true' ? 'unread' : 'all');
      return listAnswer(await getInbox(context, actor, view, page), presentInboxEntry);
    },
  });

  addOperation(api, {
    method: 'PATCH',
    path: '/user/inbox',
    id: 'markInboxRead',
    tag,
    scope: 'documents:read',
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
    handler: async ({ context, actor, body }) => {
      await markRead(context, actor, body.readTo);
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    method: 'PATCH',
    path: '/user/inbox/{position}',
    id: 'putOffInboxEntry',
    tag,
    scope: 'documents:read',
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
    handler: async ({ context, actor, params, body }) => {
      if (!/^[1-9]\d{0,9}$/.test(params.position) || Number(params.position) > MAX_POSITION) {
        throw nothingAtAddress();
      }
      await putOff(context, actor, Number(params.position), body.laterUntil);
      return NO_CONTENT;
    },
  });
}
