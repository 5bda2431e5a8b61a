import { Type } from 'typebox';
import { EVENT_TYPES } from '../../base/schema/event.ts';
import { Id, Nullable, NullableOneOf, OneOf, Timestamp } from '../../base/schema/fields.ts';
import { ALL_KINDS } from '../../base/schema/kind.ts';
import { MEANS } from '../../base/schema/means.ts';

/** The body of a webhook's request about an event. */
export const WebhookEventSchema = Type.Object(
  {
    type: OneOf(EVENT_TYPES, 'What happened.'),
    timestamp: Timestamp('When it happened.'),
    data: Type.Object({
      document: Type.Object({
        kind: OneOf(ALL_KINDS, 'The kind of document.'),
        owner: Type.String({ description: 'The owner’s namespace.' }),
        name: Type.String({ description: 'The document’s name.' }),
        id: Id('The document’s id.'),
      }),
      revision: Nullable('integer', 'The revision that it is about.'),
      firstRevision: Nullable('integer', 'For a sitting in the editor, its first revision.'),
      thread: Nullable('string', 'The id of the thread that it is about.'),
      actor: Nullable(
        'string',
        'The username of the person who did it; `null` if the account was deleted.',
      ),
      coAuthors: Type.Array(Type.String(), {
        description: 'The usernames of others who wrote in that sitting.',
      }),
      via: NullableOneOf(MEANS, 'How it was done.'),
    }),
  },
  { title: 'WebhookEvent' },
);

const HEADERS = {
  'webhook-id': 'The event’s id. The same event can arrive twice.',
  'webhook-timestamp': 'When it was sent, as Unix time in seconds.',
  'webhook-signature': 'Signatures of the request (Standard Webhooks).',
};

/** The `webhooks` of the OpenAPI document: what the service posts to others. */
export const WEBHOOKS = Object.fromEntries(
  EVENT_TYPES.map((type) => [
    type,
    {
      post: {
        operationId: `on ${type}`.replace(/[ .](\w)/g, (_all, letter) => letter.toUpperCase()),
        tags: ['Webhooks'],
        summary: `The event ${type}`,
        security: [],
        parameters: Object.entries(HEADERS).map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: WebhookEventSchema } },
        },
        responses: { '2XX': { description: 'Received. Anything else: it is sent again.' } },
      },
    },
  ]),
);
