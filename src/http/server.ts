import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { InsufficientScope } from '../account/scope.ts';
import type { Config } from '../config.ts';
import { MAX_NAME_CHARACTERS } from '../document/name.ts';
import {
  BackEndUnavailable,
  type ErrorBody,
  FieldError,
  internalError,
  nothingAtAddress,
  ServiceError,
  unavailable,
} from '../errors.ts';
import { pathOf, type Surface } from './addresses.ts';
import type { BodyTurns } from './body-turns.ts';
import { clientAddress, proxyRule } from './client-address.ts';
import type { EventLoopWatch } from './event-loop-watch.ts';
import { type Answered, describeAnswer, ErrorsOnly, requestLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { logRepeated } from './repeated-fault.ts';
import { requestIdOf } from './request-id.ts';

/** Answers a request that no framework has looked at yet. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Shows an error the way a surface does; with its own status unless another is given. */
export type ErrorRenderer = (
  error: ServiceError,
  request: { accept: string | undefined; path: string },
) => { status?: number; contentType: string; body: string; headers?: Record<string, string> };

/** What all surfaces of one process share. */
export interface HttpParts {
  config: Config;
  logger: FastifyBaseLogger;
  metrics: Metrics | undefined;
  eventLoop: EventLoopWatch | undefined;
  bodyTurns: BodyTurns;
}

export interface SurfaceOptions extends HttpParts {
  surface: Surface;
  /** Headers of every answer. */
  headers: Record<string, string>;
  renderError: ErrorRenderer;
  /** What the surface's port calls instead of the surface itself, where it carries several. */
  dispatch?: (own: RawHandler) => RawHandler;
}

/** Longest path parameter: a name, with up to 12 characters for each when percent-encoded, and some more. */
const MAX_PARAMETER_LENGTH = 15 * MAX_NAME_CHARACTERS;

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** How often somebody looks for those who take longer; Node would look every 30 seconds. */
const LATE_CHECKED_EVERY_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** How long a connection may stand still in the middle of an answer, nothing of it being read. */
const STALLED_TIMEOUT_MS = 300_000;

/** How long a stop waits for requests under way, and for clients that never finish theirs. */
const FINISH_WITHIN_MS = 10_000;

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Makes one surface's HTTP application: request ids, common headers, and every error, also one
 * raised below the application, in the surface's own form.
 */
export function createSurface(options: SurfaceOptions): FastifyInstance {
  const { config, logger, metrics, eventLoop, surface } = options;
  const { headers, renderError, dispatch } = options;
  const logRequest = requestLog(logger);
  const trustProxy = proxyRule(config.trustProxy);
  let isStopping = false;

  function tell(request: Answered): void {
    logRequest(request);
    metrics?.observe(surface, request);
  }

  /** An error as this surface shows it to whoever made the request. */
  function show(error: ServiceError, request: Pick<IncomingMessage, 'headers' | 'url'>) {
    const asked = { accept: request.headers.accept, path: pathOf(request.url ?? '') };
    const { status = error.status, contentType, body, headers: own } = renderError(error, asked);
    return {
      status,
      headers: {
        ...own,
        ...(error.retryAfterSeconds !== undefined && {
          'retry-after': `${error.retryAfterSeconds}`,
        }),
        'content-type': contentType,
      },
      body,
    };
  }

  /** The error that callers see of whatever went wrong; what they cannot be told is logged. */
  function toAnswer(fault: unknown, requestId: string): ServiceError {
    const error = toServiceError(fault);
    if (error.status >= 500 && error !== fault) {
      if (fault instanceof BackEndUnavailable) {
        logRepeated(logger, { requestId, err: fault }, 'request failed');
      } else logger.error({ requestId, err: fault }, 'request failed');
    }
    return error;
  }

  /** Answers a request that never reaches a route. */
  function sendError(
    error: ServiceError,
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
  ): void {
    const start = performance.now();
    const { status, headers: own, body } = show(error, request);
    const ip = clientAddress(request, trustProxy);
    response.writeHead(status, {
      ...headers,
      ...own,
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      ...(isStopping && { connection: 'close' }),
    });
    response.once('close', () => {
      const { method = '', url = '' } = request;
      const ms = performance.now() - start;
      const aborted = !response.writableFinished;
      const path = pathOf(url);
      const [route, account] = [undefined, undefined];
      tell({ requestId, method, path, route, status, ms, ip, account, aborted });
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new ErrorsOnly(),
    // The lines name their request themselves: a logger of its own for each takes time.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    trustProxy,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      sendError(toServiceError(error), request.raw, request.id, reply.raw);
    },
    serverFactory: (handler: RawHandler) => {
      const answer = dispatch ? dispatch(handler) : handler;
      return createHttpServer((request, response) => {
        endWithConnection(request, response);
        const error = refuse(request);
        if (error) sendError(error, request, requestIdOf(request), response);
        else answer(request, response);
      });
    },
  });

  app.decorateRequest('accountId', undefined);
  // Asynchronous: no answer may be on its way when the parser finds fault with what follows it.
  app.addHook('onRequest', async (request, reply) => {
    // Also comes when the client leaves before the answer has ended.
    reply.raw.once('close', () => {
      tell(describeAnswer(request, reply));
      eventLoop?.leaves(request);
    });
    eventLoop?.arrives(surface, request);
    reply.headers(headers).header('x-request-id', request.id);
  });
  // Bodies are parsed after the one, handlers called after the other.
  for (const hook of ['preValidation', 'preHandler'] as const) {
    app.addHook(hook, (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      eventLoop?.begins(surface, request);
      done();
    });
  }
  app.addHook('onSend', (request, reply, _payload, done) => {
    eventLoop?.answers(surface, request);
    // So that no proxy sends another request down a connection that is about to end.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    closeConnectionsOnceIdle(app.server);
  });
  app.setErrorHandler((fault, request, reply) => {
    const error = toAnswer(fault, request.id);
    if (error instanceof InsufficientScope) {
      reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${error.scope}"`);
    }
    // The framework would end the connection under a body that is too large, at which many clients
    // fail before they read why. What is still to come is read and dropped, as after any answer.
    reply.removeHeader('connection');
    const { status, headers: own, body } = show(error, request);
    return reply.code(status).headers(own).send(body);
  });
  app.setNotFoundHandler(() => {
    throw nothingAtAddress();
  });
  return app;
}

function createHttpServer(handler: RawHandler): Server {
  const server = createServer(
    {
      // Answered below, in the error shape.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: LATE_CHECKED_EVERY_MS,
    },
    handler,
  );
  server.setTimeout(STALLED_TIMEOUT_MS);
  server.on('clientError', answerClientError);
  server.on('checkExpectation', handler);
  // Node would end the connection without a word.
  server.on('connect', (_request, socket: Socket) => {
    // It has just let go of it: nobody else looks after its errors, or whether it ever ends.
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), HEADERS_TIMEOUT_MS).unref();
    // What else comes is dropped, so that its end is noticed.
    socket.once('close', () => clearTimeout(late)).resume();
    answerClientError(new Error(), socket);
  });
  return server;
}

/**
 * Ends each connection as its last request is answered. The server's own close ends those that are
 * idle already; one that is busy then would be kept alive, and the stop would wait for its client.
 * One whose request or answer never comes to its end is cut off in time for the stores to be closed:
 * a server that closes no longer looks for those who are late.
 */
function closeConnectionsOnceIdle(server: Server): void {
  if (!server.listening) return;
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const end = setTimeout(() => server.closeAllConnections(), FINISH_WITHIN_MS);
  server.once('close', () => {
    clearInterval(timer);
    clearTimeout(end);
  });
}

/**
 * Has an answer that waits behind others end with the connection: on CONNECT Node lets go of it, and
 * would leave what is waiting, with the files that are open for it, to the garbage collector.
 */
function endWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) return;
  const end = () => response.destroy();
  // As many as somebody sends without waiting for answers.
  socket.setMaxListeners(0);
  socket.once('close', end);
  response.once('close', () => socket.off('close', end));
}

/** What Node would refuse by itself, without a body, had it not been told to leave that to us. */
function refuse(request: IncomingMessage): ServiceError | undefined {
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    return new FieldError('BAD_REQUEST', 'Host', 'must be given once.');
  }
  const expect = request.headers.expect;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new FieldError('BAD_REQUEST', 'Expect', 'only 100-continue is known.');
  }
  return undefined;
}

/** How often the name comes among headers as they arrived: names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

const CLIENT_ERRORS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request’s head is too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Answers a request that is not even HTTP, in the error shape, and ends the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Node knows by this which answer has begun, and asks it in a handler of its own (node:_http_server).
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not well-formed HTTP.',
  ];
  const body = JSON.stringify({ error: { code: 'BAD_REQUEST', message } } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** The error that callers see of whatever was thrown. */
function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof BackEndUnavailable) return unavailable();
  const { statusCode, code, message } = fault as {
    statusCode?: number;
    code?: string;
    message?: string;
  };
  if (statusCode === 413) {
    return new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is over the size limit.');
  }
  if (statusCode === 414) return new ServiceError('BAD_REQUEST', 'The address is too long.');
  if (statusCode === 415) {
    return new FieldError('BAD_REQUEST', 'Content-Type', 'this type is not understood here.');
  }
  if (statusCode === 400 && code === 'ECONNRESET') {
    return new ServiceError('BAD_REQUEST', 'The request broke off.');
  }
  // A path among the static files that may not be served: for callers it is not there.
  if (statusCode === 403) return nothingAtAddress();
  // The framework's own complaints about a request are fit to be shown.
  if (statusCode && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new ServiceError('BAD_REQUEST', message ?? 'The request cannot be understood.');
  }
  return internalError();
}
