import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import type { Events } from '../../core/event/event-store.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Answer, type Api, addOperation, type Call } from '../../surfaces/rest/operation.ts';
import { eventStream } from './event-stream.ts';
import { EventsSchema, MAX_POSITION, presentEvents } from './feed-schema.ts';
import {
  type EventQuery,
  getDocumentEvents,
  getOwnEvents,
  requireInsider,
} from './feed-service.ts';
import { answerInTime } from './held-answer.ts';
import { addInboxOperations } from './inbox-operations.ts';
import { addSubscriptionOperations } from './subscription-operations.ts';

/** In seconds. */
const MAX_WAIT = 300;

const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_POSITION,
      description: 'A cursor: returns events after it. Without it, returns events from now on.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT,
      default: 0,
      description: 'How many seconds to wait for an event if there are none.',
    }),
  ),
});

/** Adds the routes of events, with the inbox and notification levels. */
export function addFeedOperations(api: Api): void {
  const tag = 'Events';
  const description =
    'Oldest first, at most 100. To continue, send `cursor` as `after`. With `Accept: ' +
    'text/event-stream`, the response is a stream of server-sent events, which continues after ' +
    '`Last-Event-ID`.';
  const answer = (call: EventsCall, read: (query: EventQuery) => Promise<Events>) =>
    answerEvents(api, call, read);

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
      `except what this token or application did. ${description}`,
    query: EventsQuery,
    answers: { 200: EventsSchema },
    handler: (call) => answer(call, (query) => getOwnEvents(call.context, call.actor, query)),
  });

  addInboxOperations(api);
  for (const kind of Object.values(KINDS)) {
    addDocumentRoutesOf(api, kind, description, answer);
    addSubscriptionOperations(api, kind);
  }
}

type EventsCall = Pick<
  Call<string, { after?: number; wait?: number }, unknown>,
  'query' | 'request' | 'actor'
>;

function addDocumentRoutesOf(
  api: Api,
  { kind, segment, title }: DocumentKind,
  description: string,
  answer: (call: EventsCall, read: (query: EventQuery) => Promise<Events>) => Promise<Answer>,
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
    answers: { 200: EventsSchema },
    rule: {
      needs: 'read',
      refusals: [404, 451],
      check: (context, actor, params) => requireInsider(context, actor, refOf(params)),
    },
    handler: (call) =>
      answer(call, (query) =>
        getDocumentEvents(call.context, call.actor, [refOf(call.params)], query, { withOwn: true }),
      ),
  });
}

/** Answers with events, or with a stream of them if the request asks for one. */
async function answerEvents(
  { context }: Api,
  { query, request, actor }: EventsCall,
  read: (query: EventQuery) => Promise<Events>,
): Promise<Answer> {
  const { feedWaiters } = context;
  const { requireToken } = request;
  if (request.headers.accept?.includes('text/event-stream')) {
    const after = lastEventId(request.headers['last-event-id']) ?? query.after;
    const leave = feedWaiters.enter(actor.id);
    const body = eventStream(after, { feedWaiters, requireToken, read }).once('close', leave);
    return { status: 200, stream: { type: 'text/event-stream', body } };
  }
  const { wait = 0 } = query;
  if (wait === 0) return { status: 200, data: presentEvents(await read({ after: query.after })) };
  const after = query.after ?? (await read({ after: undefined })).cursor;
  const leave = feedWaiters.enter(actor.id);
  const waiting = untilClientLeaves(request, (signal) =>
    read({ after, wait: { ms: wait * 1_000, signal, requireToken } }),
  ).finally(leave);
  const nothing = { events: [], cursor: after, reset: false };
  return answerInTime(waiting.then(presentEvents), nothing, feedWaiters.pauseMs);
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const position = Number(header);
  if (Number.isInteger(position) && position >= 0 && position <= MAX_POSITION) return position;
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
