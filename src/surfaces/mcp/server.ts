import {
  type AuthInfo,
  createMcpHandler,
  type McpHttpHandler,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { queryOf } from '../../core/config/listening-addresses.ts';
import type { Context } from '../../core/context.ts';
import { resourceAddress, resourceAsCalled } from '../../core/identity/resources.ts';
import { InsufficientScope } from '../../core/identity/scope.ts';
import { authenticate } from '../../core/identity/token-service.ts';
import { callFor } from '../../core/owner/program-service.ts';
import { requireAuthentication, resourceMetadataOf } from '../http/authentication.ts';
import { BARE_HEADERS } from '../http/bare-headers.ts';
import { allowOtherOrigins } from '../http/cors.ts';
import { isJsonType, readJson } from '../http/json.ts';
import { createSurface, type HttpParts } from '../http/surface.ts';
import { ACCEPT_BOTH, acceptedBy, inAcceptedForm, isStream } from './accepted.ts';
import type { McpFeatures } from './features.ts';
import { hostnameOf, isLoopback, originRule } from './origin.ts';
import { createProtocolServer } from './protocol.ts';
import { requireMessageScope, scopesOfRequest } from './scope-gate.ts';
import { askedToolset, type Toolset } from './toolset.ts';

/**
 * The most values in a message. The library validates each several times, which takes some
 * microseconds. The largest call, a hundred edits, has about 600.
 */
const MAX_VALUES = 2_000;

/** What an address offers. */
interface Offer {
  toolset: Toolset;
  isStructured: boolean;
}

/** The protocol's error for a body that is not a message (JSON-RPC 2.0, section 5.1). */
interface ProtocolFault {
  code: -32700 | -32600;
  message: string;
}

/**
 * Parses the one JSON-RPC message of a body. Refuses batches: the protocol has none since
 * 2025-06-18, and a batch would count as one request.
 */
function readMessage(body: Buffer | undefined): { message: unknown } | { fault: ProtocolFault } {
  const read = readJson(body ?? Buffer.alloc(0), MAX_VALUES);
  if ('problem' in read) return { fault: { code: -32700, message: `The body ${read.problem}.` } };
  const message = read.value;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    const isBatch = Array.isArray(message);
    const more = isBatch ? ' There are no batches here: send each message by itself.' : '';
    return { fault: { code: -32600, message: `The body must be one JSON-RPC message.${more}` } };
  }
  return { message };
}

function isListening(message: unknown): boolean {
  return (message as { method?: unknown }).method === 'subscriptions/listen';
}

const HEADERS = {
  ...BARE_HEADERS,
  // Compressing proxies would delay streamed answers.
  'cache-control': 'private, no-cache, no-transform',
  vary: 'Authorization, Accept',
};

/** The largest body of a call (specification, part "Size"). */
const BODY_LIMIT_BYTES = 6 * 1024 * 1024;

/**
 * Creates the MCP surface: streamable HTTP at `{base_url}/mcp`, for the current revision of the
 * protocol and earlier ones. Requests share no state.
 *
 * HTTP errors (no token, too many requests, a body that is too large, a missing scope) have the
 * API's shape; errors of the protocol have the protocol's.
 */
export async function createMcpSurface(
  http: HttpParts,
  parts: {
    context: Context;
    limiter: RateLimiter;
    accountQueue: FairQueue;
    version: string;
    features: McpFeatures;
  },
): Promise<FastifyInstance> {
  const { context, limiter, accountQueue, version, features } = parts;
  const { tools, resources, complete, subscriptions } = features;
  const offerOf = (request: FastifyRequest): Offer => ({
    toolset: askedToolset(tools, (request.query as { tools?: string | string[] }).tools),
    isStructured: isStructured(request),
  });
  const { config, logger, bodyQueue, unread } = http;
  const address = new URL(resourceAddress(config.baseUrl, 'mcp'));
  const metadata = (query: string) => resourceMetadataOf(resourceAsCalled(address.href, query));

  const app = createSurface({
    ...http,
    surface: 'mcp',
    headers: HEADERS,
    renderError: (error, request) => renderError(error, metadata(request.query)),
  });
  await allowOtherOrigins(app, CORS);
  requireAuthentication(app, {
    authenticate: (token) => authenticate(context, token, 'mcp'),
    limiter,
    unread,
    challenge: (request) => {
      const scopes = scopesOfRequest(request.headers, offerOf(request).toolset, tools.all);
      const hint = addressHint(address, request.headers.host);
      return [...hint, `scope="${scopes.join(' ')}"`, metadata(queryOf(request.url))].join(', ');
    },
  });
  const refusal = originRule(config);
  app.addHook('onRequest', async ({ headers }) => {
    const problem = refusal(headers.host, headers.origin);
    if (problem) throw new ServiceError('FORBIDDEN', problem);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  const createHandler = (bus?: ServerEventBus) =>
    createMcpHandler(
      ({ era, authInfo }) =>
        createProtocolServer({
          call: callFor(context, callerOf(authInfo).actor),
          accountQueue,
          resources,
          complete,
          version,
          era,
          ...callerOf(authInfo),
        }),
      {
        onerror: (error) => logger.debug({ err: error }, 'a message was refused'),
        ...(bus && { bus, keepAliveMs: context.feedWaiters.pauseMs() }),
      },
    );
  const shared = createHandler();

  /** Answers with a stream of changes to documents, until the caller leaves or loses access. */
  async function listen(
    request: FastifyRequest,
    reply: FastifyReply,
    message: unknown,
    uris: readonly string[],
  ): Promise<Response> {
    // Refuse an unknown set of tools before the subscription is opened.
    const offer = offerOf(request);
    const { bus, ended, end, hasListener } = await subscriptions.open(
      callFor(context, request.actor),
      request,
      reply,
      uris,
    );
    const handler = createHandler(bus);
    ended.addEventListener('abort', () => void handler.close(), { once: true });
    try {
      return await answer(handler, { address, offer, message }, request, reply);
    } finally {
      // The library refused the message, so no one will end the subscription.
      if (!hasListener()) end();
    }
  }

  const serve: RouteOptions = {
    method: 'POST',
    url: address.pathname,
    bodyLimit: BODY_LIMIT_BYTES,
    handler: async (request, reply) => {
      const accepted = acceptedBy(request.headers.accept);
      if (!accepted.json && !accepted.stream) return refuseForm(reply);
      if (!isJsonType(request.headers['content-type'])) return refuseType(reply);
      const read = await bodyQueue.read(request, () =>
        readMessage(request.body as Buffer | undefined),
      );
      if ('fault' in read) {
        return reply.code(400).send({ jsonrpc: '2.0', id: null, error: read.fault });
      }
      unread.requireRoom(request.actor.id);
      const { message } = read;
      requireMessageScope(request.actor, message, tools.all);
      const uris = subscriptions.uris(message);
      // A stream has no end that a JSON answer could wait for.
      if (!accepted.stream && isListening(message)) return refuseForm(reply);
      const response = uris
        ? await listen(request, reply, message, uris)
        : await answer(shared, { address, offer: offerOf(request), message }, request, reply);
      return send(reply, await inAcceptedForm(response, accepted));
    },
  };
  app.route(serve);
  // Hosts don't follow a redirect with a POST.
  app.route({ ...serve, url: `${address.pathname}/` });
  // Closing the surface ends no calls: those that run may finish.
  return app;
}

/**
 * Tells whether `?results=structured` asks for structured results of all tools.
 *
 * @throws BAD_REQUEST for another value
 */
function isStructured({ query }: FastifyRequest): boolean {
  const { results } = query as { results?: unknown };
  if (results === undefined || results === 'structured') return results !== undefined;
  throw new FieldError('BAD_REQUEST', 'results', 'can only be structured.');
}

const CORS = {
  methods: ['GET', 'POST', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Accept',
    'Last-Event-ID',
    'Mcp-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
  ],
  exposedHeaders: [
    'Retry-After',
    'WWW-Authenticate',
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ],
};

function renderError(error: ServiceError, metadata: string) {
  const challenge =
    error instanceof InsufficientScope &&
    `Bearer error="insufficient_scope", scope="${error.wanted.join(' ')}", ${metadata}`;
  return {
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(error.toBody()),
    ...(challenge && { headers: { 'www-authenticate': challenge } }),
  };
}

/**
 * Returns a parameter of the challenge for a client that calls this machine by another name than
 * ours: it would refuse the metadata, which has our address.
 */
function addressHint({ host, hostname, href }: URL, called = ''): string[] {
  const isAlias = isLoopback(hostname) && isLoopback(hostnameOf(called)) && host !== called;
  return isAlias ? [`error_description="Use the address ${href}"`] : [];
}

/** Passes a message to the protocol library, with the request's caller. */
function answer(
  handler: McpHttpHandler,
  { address, offer, message: parsedBody }: { address: URL; offer: Offer; message: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Response> {
  const left = new AbortController();
  reply.raw.once('close', () => {
    // After a complete response there is nothing to abort, and creating the reason costs a stack
    // trace.
    if (!reply.raw.writableFinished) left.abort();
  });
  const { actor, log, requireToken } = request;
  // Leaves out the body, which would be parsed again.
  const message = new Request(address, {
    method: 'POST',
    headers: headersOf(request),
    signal: left.signal,
  });
  const caller = { actor, log, requireToken, ...offer };
  return handler.fetch(message, { parsedBody, authInfo: authInfoOf(caller) });
}

function headersOf({ headers }: FastifyRequest): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const all = new Headers(pairs);
  // We negotiate ourselves: the library would search the header for texts.
  all.set('accept', ACCEPT_BOTH);
  return all;
}

/** A request's caller, with the tools at its address and its log. */
type Caller = Pick<FastifyRequest, 'actor' | 'log' | 'requireToken'> & Offer;

/** Wraps the caller in the library's type. The library passes it to {@link callerOf}. */
function authInfoOf(caller: Caller): AuthInfo {
  const { actor } = caller;
  return { token: '', clientId: actor.id, scopes: [...actor.scopes], extra: { caller } };
}

function callerOf(authInfo: AuthInfo | undefined): Caller {
  const caller = authInfo?.extra?.caller;
  if (!caller) throw new Error('A message reached the protocol without a caller.');
  return caller as Caller;
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const { headers, body } = response;
  // Every answer is for one caller, which the library doesn't know.
  headers.delete('cache-control');
  // Only the HTTP server decides whether the connection stays open.
  headers.delete('connection');
  reply.code(response.status).headers(Object.fromEntries(headers));
  if (!body) return reply.send();
  // Sent as bytes, because a text would be decoded here and encoded again.
  return reply.send(isStream(response) ? body : Buffer.from(await response.arrayBuffer()));
}

/** Answers 415 for a wrong content type. The library would accept any parameters of the type. */
function refuseType(reply: FastifyReply): FastifyReply {
  const message = 'Unsupported Media Type: Content-Type must be application/json';
  return reply.code(415).send({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
}

/** Answers 406 for a client that accepts no form of the answer. */
function refuseForm(reply: FastifyReply): FastifyReply {
  const message = 'Not Acceptable: Accept must allow application/json or text/event-stream';
  return reply.code(406).send({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
}
