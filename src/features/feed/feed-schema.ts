import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../../base/schema/event.ts';
import {
  Nullable,
  NullableOneOf,
  NullableTimestamp,
  OneOf,
  Timestamp,
} from '../../base/schema/fields.ts';
import { ALL_KINDS } from '../../base/schema/kind.ts';
import { MEANS } from '../../base/schema/means.ts';
import { REASONS, WATCH_LEVELS } from '../../core/event/concerned.ts';
import type { EventRow, Events } from '../../core/event/event-store.ts';
import type { InboxRow } from './inbox-store.ts';

/** The largest position that the database can store. */
export const MAX_POSITION = 2_147_483_647;

const FIELDS = {
  position: Type.Integer({
    description: 'Its position in the feed: later events have higher ones.',
  }),
  type: OneOf(EVENT_TYPES, 'What happened.'),
  documentType: OneOf(ALL_KINDS, 'The kind of document.'),
  fullName: Type.String({ description: 'The document’s owner and name.', examples: ['ada/plans'] }),
  author: Nullable(
    'string',
    'The username of the person who did it; `null` if the account was deleted.',
  ),
  coAuthors: Type.Array(Type.String(), {
    description:
      'The usernames of others who wrote with that person, in one sitting in the editor.',
  }),
  via: NullableOneOf(MEANS, 'How it was done.'),
  viaName: Nullable('string', 'The name of the token or application at that time.'),
  revision: Nullable('integer', 'The revision that it is about.'),
  firstRevision: Nullable(
    'integer',
    'For a sitting in the editor, its first revision; `revision` is its last.',
  ),
  thread: Nullable('string', 'The id of the thread that it is about.'),
  target: Nullable('string', 'For `review.requested`, the username of the reviewer.'),
  createdAt: Timestamp('When it happened.'),
};

const EventSchema = Type.Object(
  {
    ...FIELDS,
    reason: Type.Optional(OneOf(REASONS, 'Why it concerns you; only in your own events.')),
  },
  { title: 'Event' },
);

export const EventsSchema = Type.Object(
  {
    events: Type.Array(EventSchema),
    cursor: Type.Integer({ description: 'The value of `after` for the next request.' }),
    reset: Type.Boolean({
      description:
        'Whether events after the requested position have been deleted. If so, read the ' +
        'documents again.',
    }),
  },
  { title: 'Events' },
);

export const InboxEntrySchema = Type.Object(
  {
    ...FIELDS,
    reason: OneOf(REASONS, 'Why it is in your inbox.'),
    readAt: NullableTimestamp('When you read it; `null` if you haven’t.'),
    laterUntil: NullableTimestamp('Until when you have put it off, also in the past.'),
  },
  { title: 'InboxEntry' },
);

export const SubscriptionSchema = Type.Object(
  {
    level: OneOf(
      WATCH_LEVELS,
      'The events that you get: all, only mentions and review requests, or none.',
    ),
  },
  { title: 'Subscription', additionalProperties: false },
);

export function presentEvent(event: EventRow) {
  const { position, type, kind, owner, name, author, via, viaName, version, target, at } = event;
  const { coAuthors, firstVersion } = event;
  return {
    position,
    type,
    documentType: kind,
    fullName: `${owner}/${name}`,
    author,
    coAuthors,
    via,
    viaName,
    revision: version,
    firstRevision: firstVersion,
    thread: event.threadId,
    target,
    createdAt: at,
  };
}

export function presentEvents({ events, cursor, reset }: Events): Static<typeof EventsSchema> {
  const presented = events.map((event) => ({
    ...presentEvent(event),
    ...(event.reason && { reason: event.reason }),
  }));
  return { events: presented, cursor, reset };
}

export function presentInboxEntry(entry: InboxRow): Static<typeof InboxEntrySchema> {
  const { reason, readAt, laterUntil } = entry;
  return { ...presentEvent(entry), reason, readAt, laterUntil };
}
