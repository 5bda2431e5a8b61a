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
import type { Config } from '../config/config.ts';
import { DocumentMoved } from '../document/document-moved.ts';
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
import { originOf, pathOf, type Surface } from './addresses.ts';
import type { BodyQueue } from './body-queue.ts';
import { clientAddress, proxyRule } from './client-address.ts';
import type { EventLoopWatch } from './event-loop-watch.ts';
import { type Answered, describeAnswer, ErrorsOnly, requestLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { targetOfMoved } from './moved.ts';
import { logRepeated } from './repeated-fault.ts';
import { requestIdOf } from './request-id.ts';

/** Handles a request of Node's HTTP server. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Renders an error for one surface. The default status is the error's own. */
export type ErrorRenderer = (
  error: ServiceError,
  request: { accept: string | undefined; path: string },
) => { status?: number; contentType: string; body: string; headers?: Record<string, string> };

/** Shared by all surfaces of a process. */
export interface HttpParts {
  config: Config;
  logger: FastifyBaseLogger;
  metrics: Metrics | undefined;
  eventLoop: EventLoopWatch | undefined;
  bodyQueue: BodyQueue;
}

export interface SurfaceOptions extends HttpParts {
  surface: Surface;
  /** The headers of every response. */
  headers: Record<string, string>;
  renderError: ErrorRenderer;
  /** Wraps the surface's handler, to serve several surfaces on its port. */
  dispatch?: (own: RawHandler) => RawHandler;
}

/**
 * The longest path parameter: a name of percent-encoded characters, up to 12 each, and some more.
 */
const MAX_PARAMETER_LENGTH = 15 * MAX_NAME_CHARACTERS;

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** How often these timeouts are checked. Node's default is 30 seconds. */
const TIMEOUT_CHECK_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/**
 * How long a client may stop reading in the middle of a response. Longer than the longest wait for
 * events, during which nothing is sent.
 */
const STALLED_TIMEOUT_MS = 330_000;

/** How long a shutdown waits for running requests. */
const FINISH_WITHIN_MS = 10_000;

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Creates a surface's HTTP application: request ids, common headers, and all errors, including
 * those of the HTTP server, in the surface's format.
 */
export function createSurface(options: SurfaceOptions): FastifyInstance {
  const { config, logger, metrics, eventLoop, surface } = options;
  const { headers, renderError, dispatch } = options;
  const logRequest = requestLog(logger);
  const trustProxy = proxyRule(config.trustProxy);
  let isStopping = false;

  function record(request: Answered): void {
    logRequest(request);
    metrics?.observe(surface, request);
  }

  /** Renders an error for this surface. */
  function render(error: ServiceError, request: Pick<IncomingMessage, 'headers' | 'url'>) {
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

  /** Returns the error to show to the caller. Logs an error that it hides. */
  function toAnswer(fault: unknown, requestId: string): ServiceError {
    const error = toServiceError(fault);
    if (error.status >= 500 && error !== fault) {
      if (fault instanceof BackEndUnavailable) {
        logRepeated(logger, { requestId, err: fault }, 'request failed');
      } else logger.error({ requestId, err: fault }, 'request failed');
    }
    return error;
  }

  /** Answers a request that does not reach a route. */
  function sendError(
    error: ServiceError,
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
  ): void {
    const start = performance.now();
    const { status, headers: own, body } = render(error, request);
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
      record({ requestId, method, path, route, status, ms, ip, account, aborted });
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new ErrorsOnly(),
    // Skip the child logger per request, which takes time. Log lines include the request id.
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
  // Must be async: no response may be in progress when the parser rejects what follows it.
  app.addHook('onRequest', async (request, reply) => {
    // Also fires if the client leaves early.
    reply.raw.once('close', () => {
      record(describeAnswer(request, reply));
      eventLoop?.leaves(request);
    });
    eventLoop?.arrives(surface, request);
    reply.headers(headers).header('x-request-id', request.id);
  });
  // `preValidation` runs before bodies are validated, `preHandler` before handlers.
  for (const hook of ['preValidation', 'preHandler'] as const) {
    app.addHook(hook, (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      eventLoop?.begins(surface, request);
      done();
    });
  }
  app.addHook('onSend', (request, reply, _payload, done) => {
    eventLoop?.answers(surface, request);
    // Tells proxies not to reuse the connection.
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
    // The framework would close the connection while a too large body arrives, and many clients
    // would fail before they read the error. Keep it open; the rest of the body is dropped.
    reply.removeHeader('connection');
    if (error instanceof DocumentMoved) {
      const target = targetOfMoved(request, error);
      // A document can take the name again at any time.
      reply.headers({ location: originOf(surface, config) + target, 'cache-control': 'no-store' });
    }
    const { status, headers: own, body } = render(error, request);
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
      // `refuse` checks it, so that the error has our format.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    handler,
  );
  server.setTimeout(STALLED_TIMEOUT_MS);
  server.on('clientError', answerClientError);
  server.on('checkExpectation', handler);
  // Node would close the connection without a response.
  server.on('connect', (_request, socket: Socket) => {
    // Node no longer handles the socket's errors and timeouts.
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), HEADERS_TIMEOUT_MS).unref();
    // Drop further data, so that the end is noticed.
    socket.once('close', () => clearTimeout(late)).resume();
    answerClientError(new Error(), socket);
  });
  return server;
}

/**
 * Closes each connection once it is idle. `server.close()` closes only connections that are idle at
 * that moment, and no longer enforces timeouts. After 10 seconds this closes all, before the stores
 * are closed.
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
 * Destroys a pipelined response when its connection ends. On CONNECT, Node abandons queued
 * responses, and their open files would wait for the garbage collector.
 */
function endWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) return;
  const end = () => response.destroy();
  // A client can pipeline any number of requests.
  socket.setMaxListeners(0);
  socket.once('close', end);
  response.once('close', () => socket.off('close', end));
}

/** Refuses what Node would refuse without a body. */
function refuse(request: IncomingMessage): ServiceError | undefined {
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    return new FieldError('BAD_REQUEST', 'Host', 'must be given once.');
  }
  const expect = request.headers.expect;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new FieldError('BAD_REQUEST', 'Expect', 'only 100-continue is supported.');
  }
  return undefined;
}

/** Counts the `Host` headers. `rawHeaders` alternates names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

const CLIENT_ERRORS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Answers malformed HTTP with an error body and closes the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The current response. Node's own handler uses the same field (node:_http_server).
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

/** Converts anything thrown to the error to show to the caller. */
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
    return new FieldError('BAD_REQUEST', 'Content-Type', 'this type is not supported here.');
  }
  if (statusCode === 400 && code === 'ECONNRESET') {
    return new ServiceError('BAD_REQUEST', 'The request ended early.');
  }
  // A path of static files that may not be served.
  if (statusCode === 403) return nothingAtAddress();
  // The framework's own errors about a request are safe to show.
  if (statusCode && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new ServiceError('BAD_REQUEST', message ?? 'The request is invalid.');
  }
  return internalError();
}
