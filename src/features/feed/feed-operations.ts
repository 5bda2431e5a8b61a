import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { unknownCursor } from '../../base/pagination/result-page-schema.ts';
import { OneOf } from '../../base/schema/fields.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import type { Events } from '../../core/event/event-store.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import {
  type Answer,
  type Api,
  type ApiRequest,
  addOperation,
} from '../../surfaces/rest/operation.ts';
import { EventsSchema, MAX_POSITION, presentEvents } from './feed-schema.ts';
import {
  type EventQuery,
  getDocumentEvents,
  getOwnEvents,
  requireInsider,
} from './feed-service.ts';
import { addInboxOperations } from './inbox-operations.ts';
import { addSubscriptionOperations } from './subscription-operations.ts';
import { answerInTime, eventStream } from './waiting-answers.ts';

/** In seconds. */
const MAX_WAIT = 300;

const EventsQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT,
      default: 0,
      description: 'How many seconds to wait for an event if there are none.',
    }),
  ),
});

const OwnEventsQuery = Type.Object({
  ...EventsQuery.properties,
  own: Type.Optional(
    OneOf(['true', 'false'], 'Whether to include what this token or application did.'),
  ),
});

/** Adds the routes of events, with the inbox and notification levels. */
export function addFeedOperations(api: Api): void {
  const tag = 'Events';
  const description =
    'Oldest first; without `after`, from now on. With `Accept: text/event-stream`, the response is a ' +
    'stream of server-sent events, which continues after `Last-Event-ID`.';
  const answer = (asked: EventsCall, read: (query: EventQuery) => Promise<Events>) =>
    answerEvents(api, asked, read);

  addOperation(api, {
    method: 'GET',
    path: '/user/events',
    waits: true,
    id: 'listOwnEvents',
    tag,
    scope: 'documents:read',
    summary: 'List events that concern you',
    description:
      'What happened to your documents and to those that you watch, wrote or commented on, ' +
      `except what this token or application did, unless \`own\` is \`true\`. ${description}`,
    query: OwnEventsQuery,
    paginated: 'cursor',
    answers: { 200: EventsSchema },
    handler: (asked) =>
      answer(asked, (query) =>
        getOwnEvents(asked.call, query, { withOwn: asked.query.own === 'true' }),
      ),
  });

  addInboxOperations(api);
  for (const kind of Object.values(KINDS)) {
    addDocumentRoutesOf(api, kind, description, answer);
    addSubscriptionOperations(api, kind);
  }
}

type EventsCall = Pick<
  ApiRequest<string, { wait?: number }, unknown>,
  'call' | 'query' | 'after' | 'page' | 'request'
>;

function addDocumentRoutesOf(
  api: Api,
  { kind, segment, title }: DocumentKind,
  description: string,
  answer: (asked: EventsCall, read: (query: EventQuery) => Promise<Events>) => Promise<Answer>,
): void {
  const tag = 'Events';
  const refOf = refsOf(kind);
  const document = `/${segment}/{owner}/{name}` as const;

  addOperation(api, {
    method: 'GET',
    path: `${document}/events`,
    waits: true,
    id: `list${title}Events`,
    tag,
    scope: 'documents:read',
    summary: `List the events of a ${kind}`,
    description: `Only for the owner, collaborators and members. ${description}`,
    query: EventsQuery,
    paginated: 'cursor',
    answers: { 200: EventsSchema },
    rule: {
      needs: 'read',
      refusals: [404, 451],
      check: (call, params) => requireInsider(call, refOf(params)),
    },
    handler: (asked) =>
      answer(asked, (query) =>
        getDocumentEvents(asked.call, [refOf(asked.params)], query, { withOwn: true }),
      ),
  });
}

/** Answers with events, or with a stream of them if the request asks for one. */
async function answerEvents(
  { context }: Api,
  { query, page, request, call, after: cursor }: EventsCall,
  read: (query: EventQuery) => Promise<Events>,
): Promise<Answer> {
  const { feedWaiters } = context;
  const { requireToken } = request;
  const sent = cursor === undefined ? undefined : readPosition(cursor);
  if (sent === null) throw unknownCursor();
  if (request.headers.accept?.includes('text/event-stream')) {
    const after = lastEventId(request.headers['last-event-id']) ?? sent;
    const leave = feedWaiters.enter(call.actor.id);
    const body = eventStream(after, { feedWaiters, requireToken, read }).once('close', leave);
    return { status: 200, stream: { type: 'text/event-stream', body } };
  }
  const { wait = 0 } = query;
  const limit = page.size;
  if (wait === 0) return { status: 200, data: presentEvents(await read({ after: sent, limit })) };
  const after = sent ?? (await read({ after: undefined })).cursor;
  const leave = feedWaiters.enter(call.actor.id);
  const waiting = untilClientLeaves(request, (signal) =>
    read({ after, limit, wait: { ms: wait * 1_000, signal, requireToken } }),
  ).finally(leave);
  const nothing = presentEvents({ events: [], cursor: after, reset: false });
  return answerInTime(waiting.then(presentEvents), nothing, feedWaiters.pauseMs);
}

/** Reads a position of the feed; `null` if the text isn't one. */
function readPosition(text: string): number | null {
  return /^\d+$/.test(text) && Number(text) <= MAX_POSITION ? Number(text) : null;
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const position = readPosition(String(header));
  if (position !== null) return position;
  throw new FieldError('BAD_REQUEST', 'Last-Event-ID', 'must be the id of an event.');
}

/**
 * Calls `work` with a signal that aborts when the client closes the connection. For long requests.
 */
async function untilClientLeaves<Result>(
  { raw: { socket } }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const left = new AbortController();
  const leave = () => left.abort();
  socket.once('close', leave);
  try {
    return await work(left.signal);
  } finally {
    socket.off('close', leave);
  }
}
