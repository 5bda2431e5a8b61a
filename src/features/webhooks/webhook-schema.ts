import { Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../base/schema/event.ts';
import {
  Id,
  NullableOneOf,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { pickFields } from '../../base/schema/pick-fields.ts';
import type { DeliveryRow } from './webhook-delivery-store.ts';
import type { WebhookRow } from './webhook-store.ts';

const URL_FIELD = Text({
  description:
    'The address to post to. It must be https; the server’s settings can allow http and private ' +
    'networks.',
  examples: ['https://example.com/briefs'],
});

const TYPES_FIELD = Type.Array(OneOf(EVENT_TYPES, 'A type of event.'), {
  description: 'Which events to send.',
  minItems: 1,
  examples: [['revision.created']],
});

const FIELDS = {
  id: Id('The webhook’s id.'),
  url: Type.String({ description: 'The address that events are posted to.' }),
  types: TYPES_FIELD,
  enabled: Type.Boolean({ description: 'Whether events are sent.' }),
  disabledBecause: NullableOneOf(
    ['request', 'gone', 'failing'],
    'Why it is disabled: someone disabled it, the receiver returned 410, or all attempts of ' +
      'five days failed.',
  ),
  failingSince: NullableTimestamp(
    'Since when every attempt has failed; `null` if the last one succeeded.',
  ),
  previousSecretUntil: NullableTimestamp(
    'When the previous secret stops signing; `null` if there is none.',
  ),
  createdBy: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The username of its creator; `null` if the account is gone.',
  }),
  createdAt: Timestamp('When it was created.'),
};

const SECRET = Type.String({
  description: 'The secret for verifying signatures. Shown only in this response.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
});

export const WebhookSchema = Type.Object(FIELDS, { title: 'Webhook' });

export const CreatedWebhook = Type.Object(
  { ...FIELDS, secret: SECRET },
  { title: 'CreatedWebhook' },
);

export const UpdatedWebhook = Type.Object(
  { ...FIELDS, secret: Type.Optional(SECRET) },
  { title: 'UpdatedWebhook' },
);

export const CreateWebhookBody = Type.Object(
  { url: URL_FIELD, types: TYPES_FIELD },
  { title: 'CreateWebhook', additionalProperties: false },
);

export const UpdateWebhookBody = Type.Object(
  {
    url: Type.Optional(URL_FIELD),
    types: Type.Optional(TYPES_FIELD),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'Whether to send events. `false` also drops queued deliveries.',
      }),
    ),
    rotateSecret: Type.Optional(
      Type.Boolean({
        description:
          'Whether to return a new `secret`. The previous one also signs for another 24 hours.',
      }),
    ),
  },
  { title: 'UpdateWebhook', additionalProperties: false, minProperties: 1 },
);

export const TestSchema = Type.Object(
  { id: Id('The delivery’s id, sent as `webhook-id`.') },
  { title: 'WebhookTest' },
);

const TEST_TYPE = 'webhook.test';

export const DeliverySchema = Type.Object(
  {
    id: Id('Sent as `webhook-id`, the same at every attempt.'),
    type: OneOf([...EVENT_TYPES, TEST_TYPE], 'What happened.'),
    status: OneOf(['pending', 'delivered', 'failed'], 'The state of the delivery.'),
    attempts: Type.Integer({ description: 'How many times it was sent.' }),
    nextAttemptAt: NullableTimestamp('When it will be sent next; `null` for never.'),
    code: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the last response; `null` if there was none.',
    }),
    fault: NullableOneOf(
      ['address', 'connection', 'timeout', 'status', 'disabled'],
      'Why it failed: the address isn’t allowed, there was no connection, there was no response ' +
        'in 15 seconds, the status wasn’t 2xx, or the webhook was disabled.',
    ),
    createdAt: Timestamp('When it was created.'),
    attemptedAt: NullableTimestamp('When it was last sent.'),
  },
  { title: 'WebhookDelivery' },
);

export function presentWebhook(webhook: WebhookRow) {
  return pickFields(WebhookSchema, {
    ...webhook,
    types: webhook.types.split(' ') as EventType[],
    enabled: webhook.disabledAt === null,
    previousSecretUntil: webhook.previousUntil,
  });
}

export function presentDelivery(delivery: DeliveryRow) {
  return pickFields(DeliverySchema, {
    ...delivery,
    type: delivery.type ?? TEST_TYPE,
    nextAttemptAt: delivery.nextAt,
  });
}
