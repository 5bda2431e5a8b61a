import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { type ErrorBody, FieldError, type ServiceError } from '../../base/errors.ts';
import { BARE_HEADERS } from './bare-headers.ts';

export type RawHandler = (request: IncomingMessage, response: ServerResponse) => void;

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

/** Where the web host has WebSockets (`features/live`). */
const LIVE_PATH = '/live/';

/** How long a shutdown waits for running requests. */
const FINISH_WITHIN_MS = 10_000;

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Creates Node’s server with our timeouts, and with error bodies in our format for malformed HTTP.
 */
export function createHttpServer(handler: RawHandler): Server {
  const server = createServer(
    {
      // `refuse` checks it, so that the error has our format.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Some clients offer HTTP/2 with every request, for example. They get the usual response.
      shouldUpgradeCallback: ({ headers, url }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && url?.startsWith(LIVE_PATH) === true,
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
    // Read and drop further data. Otherwise the end of the connection would go unnoticed.
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
export function closeConnectionsOnceIdle(server: Server): void {
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
export function endWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) return;
  const end = () => response.destroy();
  // A client can pipeline any number of requests.
  socket.setMaxListeners(0);
  socket.once('close', end);
  response.once('close', () => socket.off('close', end));
}

/**
 * Keeps the connection of an answer that comes before the end of its request until the rest of the
 * request has arrived, and is dropped. Otherwise, Node closes it if the client asked for that, and
 * clients that first send everything, as Python's do, never read the answer.
 */
export function closeAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.shouldKeepAlive) return;
  const { socket } = request;
  response.shouldKeepAlive = true;
  // Node would write “keep-alive”.
  response.removeHeader('connection');
  response.once('finish', () => finished(request, () => socket.end()));
}

/** Returns the error for a request that Node would refuse without a body; `undefined` if valid. */
export function refuse(request: IncomingMessage): ServiceError | undefined {
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
  const headers = Object.entries(BARE_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n${headers.join('')}` +
      // It is the same for everybody, and programs in browsers can't read it otherwise.
      'Access-Control-Allow-Origin: *\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
