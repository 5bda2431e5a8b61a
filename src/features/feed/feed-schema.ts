import { type Static, Type } from 'typebox';
import { FeedPart } from '../../base/pagination/result-page-schema.ts';
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
import { pickFields } from '../../base/schema/pick-fields.ts';
import { REASONS, WATCH_LEVELS } from '../../core/event/concerned.ts';
import type { Events } from '../../core/event/event-store.ts';
import type { InboxRow } from './inbox-store.ts';

type ShownEvent = Events['events'][number];

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

export const EventsSchema = FeedPart(EventSchema, 'Events', {
  reset: Type.Boolean({
    description:
      'Whether events may be missing: those after the requested position have been deleted, or ' +
      'the server was restored from a backup that is older than it. If so, read the documents ' +
      'again.',
  }),
});

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

export function presentEvent(event: ShownEvent) {
  return pickFields(EventSchema, named(event));
}

export function presentEvents({ events, cursor, reset }: Events): Static<typeof EventsSchema> {
  return { items: events.map(presentEvent), cursor: String(cursor), reset };
}

export function presentInboxEntry(entry: InboxRow) {
  return pickFields(InboxEntrySchema, named(entry));
}

/** Adds the fields that have other names in the API. */
function named<Event extends ShownEvent>(event: Event) {
  return {
    ...event,
    documentType: event.kind,
    fullName: `${event.owner}/${event.name}`,
    revision: event.version,
    firstRevision: event.firstVersion,
    thread: event.threadId,
    createdAt: event.at,
  };
}
