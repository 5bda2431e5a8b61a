import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { InsufficientScope } from '../account/scope.ts';
import type { Config } from '../config.ts';
import { BackEndUnavailable, type ErrorBody, internalError, ServiceError } from '../errors.ts';
import { pathOf, type Surface } from './addresses.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whoever knows the path may read what is there, so it stays out of the logs. */
    secretPath?: boolean;
  }
}

/** Answers a request that no framework has looked at yet. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Shows an error the way a surface does; with its own status unless another is given. */
export type ErrorRenderer = (
  error: ServiceError,
  request: { accept: string | undefined },
) => { status?: number; contentType: string; body: string; headers?: Record<string, string> };

/** What all surfaces of one process share. */
export interface HttpParts {
  config: Config;
  logger: FastifyBaseLogger;
  metrics: Metrics | undefined;
}

export interface SurfaceOptions extends HttpParts {
  surface: Surface;
  /** Headers of every answer. */
  headers: Record<string, string>;
  renderError: ErrorRenderer;
  /** What the surface's port calls instead of the surface itself, where it carries several. */
  dispatch?: (own: RawHandler) => RawHandler;
}

/** Longest path parameter: 100 characters of a name, each up to 12 when percent-encoded. */
const MAX_PARAMETER_LENGTH = 1_500;

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

const CLOSE_IDLE_EVERY_MS = 50;

/** When callers may try again that came while a back end was away. */
const RETRY_AFTER_S = 2;

/**
 * Makes one surface's HTTP application: request ids, common headers, and every error, also one
 * raised below the application, in the surface's own form.
 */
export function createSurface(options: SurfaceOptions): FastifyInstance {
  const { config, logger, metrics, surface, headers, renderError, dispatch } = options;

  /** An error as this surface shows it to whoever made the request. */
  function show(error: ServiceError, accept: string | undefined) {
    const {
      status = error.status,
      contentType,
      body,
      headers: own,
    } = renderError(error, { accept });
    return { status, headers: { ...own, 'content-type': contentType }, body };
  }

  /** Answers a request that never reaches a route. */
  function sendError(
    error: ServiceError,
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
  ): void {
    const { status, headers: own, body } = show(error, request.headers.accept);
    response.writeHead(status, {
      ...headers,
      ...own,
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    const { method, url = '', socket } = request;
    const ip = socket.remoteAddress;
    logger.info({ requestId, method, path: pathOf(url), status, ip }, 'request');
  }

  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new OneLinePerRequest({ requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: trustProxy(config.trustProxy),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      sendError(toServiceError(error), request.raw, request.id, reply.raw);
    },
    serverFactory: (handler: RawHandler) => {
      const answer = dispatch ? dispatch(handler) : handler;
      return createHttpServer((request, response) => {
        const error = refuse(request);
        if (error) sendError(error, request, randomUUID(), response);
        else answer(request, response);
      });
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id);
  });
  let isStopping = false;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // So that no proxy sends another request down a connection that is about to end.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    closeConnectionsOnceIdle(app.server);
  });
  app.addHook('onResponse', async (request, reply) => {
    metrics?.observe(surface, request, reply);
  });
  app.setErrorHandler((fault, request, reply) => {
    const error = toServiceError(fault);
    if (error.status >= 500 && error !== fault) request.log.error({ err: fault }, 'request failed');
    if (error instanceof InsufficientScope) {
      reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${error.scope}"`);
    }
    if (error.code === 'UNAVAILABLE') reply.header('retry-after', RETRY_AFTER_S);
    const { status, headers: own, body } = show(error, request.headers.accept);
    return reply.code(status).headers(own).send(body);
  });
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND', 'There is nothing at this address.');
  });
  return app;
}

/** A number says how many proxies stand in front; the framework takes that as a function. */
function trustProxy(setting: Config['trustProxy']) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}

class OneLinePerRequest extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { method, ip } = request;
    const entry = {
      method,
      // Queries may carry signatures, and some paths are all it takes to read something.
      path: request.routeOptions.config.secretPath ? request.routeOptions.url : pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ip,
    };
    if (error) reply.log.error({ ...entry, err: error }, 'request failed');
    else reply.log.info(entry, 'request');
  }
}

function createHttpServer(handler: RawHandler): Server {
  const server = createServer(
    {
      // Answered below, in the error shape.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    handler,
  );
  server.on('clientError', answerClientError);
  server.on('checkExpectation', handler);
  // Node would end the connection without a word.
  server.on('connect', (_request, socket: Socket) => answerClientError(new Error(), socket));
  return server;
}

/**
 * Ends each connection as its last request is answered. The server's own close ends those that are
 * idle already; one that is busy then would be kept alive, and the stop would wait for its client.
 */
function closeConnectionsOnceIdle(server: Server): void {
  if (!server.listening) return;
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  server.once('close', () => clearInterval(timer));
}

/** What Node would refuse by itself, without a body, had it not been told to leave that to us. */
function refuse(request: IncomingMessage): ServiceError | undefined {
  const hosts = request.headersDistinct.host ?? [];
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersion === '1.1')) {
    return new ServiceError('BAD_REQUEST', 'Host: must be given once.');
  }
  const expect = request.headers.expect;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new ServiceError('BAD_REQUEST', 'Expect: only 100-continue is known.');
  }
  return undefined;
}

const CLIENT_ERRORS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request’s head is too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Answers a request that is not even HTTP, in the error shape, and ends the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
  if (fault instanceof BackEndUnavailable) {
    return new ServiceError('UNAVAILABLE', 'The service cannot do this right now. Try again soon.');
  }
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
    return new ServiceError('BAD_REQUEST', 'Content-Type: is not one that is understood here.');
  }
  // A path among the static files that may not be served: for callers it is not there.
  if (statusCode === 403) {
    return new ServiceError('NOT_FOUND', 'There is nothing at this address.');
  }
  // The framework's own complaints about a request are fit to be shown.
  if (statusCode && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new ServiceError('BAD_REQUEST', message ?? 'The request cannot be understood.');
  }
  return internalError();
}
