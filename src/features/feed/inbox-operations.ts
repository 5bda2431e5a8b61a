import { Type } from 'typebox';
import { OneOf } from '../../base/schema/fields.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { InboxEntrySchema, MAX_POSITION, presentInboxEntry } from './feed-schema.ts';
import { getInbox, markRead } from './inbox-service.ts';

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
    description: 'Events by others that concern you, from the last 90 days, newest first.',
    query: Type.Object({
      unread: Type.Optional(
        OneOf(['true', 'false'], 'Whether to list only what you haven’t read.'),
      ),
    }),
    paginated: true,
    answers: { 200: Type.Array(InboxEntrySchema) },
    handler: async ({ context, actor, query, page }) => {
      const options = { onlyUnread: query.unread === 'true' };
      return listAnswer(await getInbox(context, actor, options, page), presentInboxEntry);
    },
  });

  addOperation(api, {
    method: 'PATCH',
    path: '/user/inbox',
    id: 'markInboxRead',
    tag,
    scope: 'documents:read',
    summary: 'Mark your inbox as read',
    description: 'All entries up to a position.',
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
}
