import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { pino } from 'pino';
import { pathOf } from './addresses.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whoever knows the path may read what is there, so it stays out of the logs. */
    secretPath?: boolean;
  }
}

/** Lines are written together, this many bytes or this often. */
const WRITE_AT_BYTES = 4096;
const WRITE_EVERY_MS = 100;

/** JSON lines on standard output; whatever could hold a secret is left out. */
export function createLogger(level: string): FastifyBaseLogger {
  return pino(
    {
      level,
      redact: ['*.headers', '*.authorization', '*.token', '*.cookie', '*.password'],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({
      sync: false,
      minLength: WRITE_AT_BYTES,
      periodicFlush: WRITE_EVERY_MS,
    }),
  );
}

/** What is told of one request. Queries may carry signatures, so it is the path alone. */
interface RequestEntry {
  requestId: string;
  method: string | undefined;
  path: string | undefined;
  status: number;
  ip: string | undefined;
  /** From the request's head to the end of the answer. */
  ms?: number;
}

/** Writes the line of a request. */
export type LogRequest = (entry: RequestEntry) => void;

/** There is nothing in a {@link RequestEntry} to be left out, and looking for it takes time. */
export function requestLog(logger: FastifyBaseLogger): LogRequest {
  const unredacted = logger.child({}, { redact: [] });
  return (entry) => unredacted.info(entry, 'request');
}

/** Has the framework write one line for each request, by itself. */
export class OneLinePerRequest extends LogController {
  readonly #log: LogRequest;

  constructor(log: LogRequest) {
    super();
    this.#log = log;
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { id: requestId, method, url, ip } = request;
    if (error) reply.log.error({ requestId, err: error }, 'answering failed');
    const { config, url: route } = request.routeOptions;
    this.#log({
      requestId,
      method,
      path: config.secretPath ? route : pathOf(url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ip,
    });
  }
}
