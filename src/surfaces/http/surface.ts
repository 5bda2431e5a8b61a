import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import {
  BackEndUnavailable,
  FieldError,
  internalError,
  nothingAtAddress,
  ServiceError,
  unavailable,
} from '../../base/errors.ts';
import { MAX_NAME_CHARACTERS } from '../../base/text/document-name.ts';
import { withOrigin } from '../../core/audit/origin.ts';
import type { Config } from '../../core/config/config.ts';
import { originOf, pathOf, queryOf, type Surface } from '../../core/config/listening-addresses.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import { InsufficientScope } from '../../core/identity/scope.ts';
import { MethodNotAllowed } from './allowed-methods.ts';
import type { BodyQueue } from './body-queue.ts';
import { clientAddress, proxyRule, shownAddress, warnOfProxy } from './client-address.ts';
import { type Answered, describeAnswer, ErrorsOnly, loggedPath, requestLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import {
  closeAfterRequest,
  closeConnectionsOnceIdle,
  createHttpServer,
  endWithConnection,
  type RawHandler,
  refuse,
} from './node-server.ts';
import { logRepeated } from './repeated-fault.ts';
import { requestIdOf } from './request-id.ts';
import { holdUntilRead, keyOf, type Unread } from './unread.ts';

/** Renders an error for one surface. The default status is the error's own. */
export type ErrorRenderer = (
  error: ServiceError,
  request: { accept: string | undefined; path: string; query: string },
) => { status?: number; contentType: string; body: string; headers?: Record<string, string> };

declare module 'fastify' {
  interface FastifyRequest {
    /** Renders errors where they have another format than the surface’s: error handlers set it and throw. */
    renderError: ErrorRenderer | undefined;
  }
}

/** Shared by all surfaces of a process. */
export interface HttpParts {
  config: Config;
  logger: FastifyBaseLogger;
  metrics: Metrics | undefined;
  bodyQueue: BodyQueue;
  unread: Unread;
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

/**
 * Creates a surface's HTTP application: request ids, common headers, and all errors, including
 * those of the HTTP server, in the surface's format.
 */
export function createSurface(options: SurfaceOptions): FastifyInstance {
  const { config, logger, metrics, surface, unread } = options;
  const { renderError, dispatch } = options;
  const headers = { ...options.headers, ...transportHeaders(originOf(surface, config)) };
  const logRequest = requestLog(logger);
  const trustProxy = proxyRule(config.trustProxy);
  let isStopping = false;

  function record(request: Answered): void {
    logRequest(request);
    metrics?.observe(surface, request);
  }

  function render(
    error: ServiceError,
    request: Pick<IncomingMessage, 'headers' | 'url'> & { renderError?: ErrorRenderer | undefined },
  ) {
    const { url = '' } = request;
    const asked = { accept: request.headers.accept, path: pathOf(url), query: queryOf(url) };
    const rendered = (request.renderError ?? renderError)(error, asked);
    const { status = error.status, contentType, body, headers: own } = rendered;
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
      const path = loggedPath(url);
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
    routerOptions: {
      maxParamLength: MAX_PARAMETER_LENGTH,
      ignoreTrailingSlash: surface === 'rest',
    },
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
  app.decorateRequest('renderError', undefined);
  // Must be async, so that no response has begun when the parser rejects the bytes after a request.
  app.addHook('onRequest', async (request, reply) => {
    // Read now: a closed connection no longer knows its address.
    const { ip } = request;
    if (!trustProxy) warnOfProxy(request.raw, logger);
    // Also fires if the client leaves early.
    reply.raw.once('close', () => record(describeAnswer(request, reply, ip)));
    reply.headers(headers).header('x-request-id', request.id);
    const other = surface === 'web' ? withoutSlash(request.raw) : undefined;
    if (other) return reply.header('cache-control', 'no-store').redirect(other, 308);
  });
  // Not earlier: what reads the body runs its handler from the connection's own events.
  app.addHook('preHandler', (request, _reply, done) => {
    const { 'user-agent': userAgent } = request.headers;
    const address = shownAddress(request.ip);
    withOrigin({ ...(address && { address }), ...(userAgent && { userAgent }) }, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // Tells proxies not to reuse the connection.
    if (isStopping) reply.header('connection', 'close');
    holdUntilRead(unread, keyOf(request), reply, payload);
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
    closeAfterRequest(request.raw, reply.raw);
    if (error instanceof DocumentMoved) {
      const target = targetOfMoved(request, error);
      // Not to be cached: a document can take the old name at any time.
      reply.headers({ location: originOf(surface, config) + target, 'cache-control': 'no-store' });
    }
    if (error instanceof MethodNotAllowed) reply.header('allow', error.allowed.join(', '));
    const { status, headers: own, body } = render(error, request);
    return reply.code(status).headers(own).send(body);
  });
  app.setNotFoundHandler(() => {
    throw nothingAtAddress();
  });
  return app;
}

/** Returns the headers that make browsers use only https for a host, if that is how it is reached. */
function transportHeaders(origin: string): Record<string, string> {
  return origin.startsWith('https:')
    ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
    : {};
}

/**
 * Returns a request's path and query with the document's current owner and name: `/ada/old@2.md?x`
 * becomes `/ada/new@2.md?x`. The route says which segments are the owner and the name.
 */
function targetOfMoved(
  request: Pick<FastifyRequest, 'url' | 'routeOptions'>,
  { from, to }: DocumentMoved,
): string {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  const route = request.routeOptions.url?.split('/') ?? [];
  const segments = pathname.split('/').map((segment, index) => {
    if (route[index] === ':owner') return encodeURIComponent(to.owner);
    if (route[index] !== ':name') return segment;
    const suffix = decodeURIComponent(segment).slice(from.name.length);
    return encodeURIComponent(to.name) + suffix;
  });
  return segments.join('/') + search;
}

/** A path of up to three segments and a slash, such as `/ada/pages/plans/`, and its query. */
const WITH_SLASH = /^((?:\/[^/\\?]+){1,3})\/(\?.*)?$/s;

/**
 * Returns the address without the slash at its end; `undefined` if it has none.
 */
function withoutSlash({ method = '', url = '' }: IncomingMessage): string | undefined {
  if (!['GET', 'HEAD'].includes(method)) return undefined;
  const [, path, query = ''] = WITH_SLASH.exec(url) ?? [];
  return path === undefined ? undefined : path + query;
}

/** Converts anything thrown to the error to show to the caller. */
function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof BackEndUnavailable) return unavailable(fault);
  const { statusCode, code, message } = fault as {
    statusCode?: number;
    code?: string;
    message?: string;
  };
  if (statusCode === 413) {
    return new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is over the size limit.');
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new ServiceError(
      'BAD_REQUEST',
      'The address isn’t valid: after each % come two hexadecimal digits of UTF-8.',
    );
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
