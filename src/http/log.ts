import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { isoNow } from '../clock.ts';
import { pathOf } from './addresses.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whoever knows the path may read what is there, so it stays out of the logs. */
    secretPath?: boolean;
  }
}

/** Lines are written together, this many characters or this often. */
const WRITE_AT_LENGTH = 16_384;
const WRITE_EVERY_MS = 100;

/** Characters that wait for a reader who does not read, or for room on a disk; more are lost. */
const MOST_WAITING = 4_000_000;

/** JSON lines on standard output; whatever could hold a secret is left out. */
export function createLogger(level: string): FastifyBaseLogger {
  standardOutput ??= gatherLines();
  return pino(
    {
      level,
      redact: ['*.headers', '*.authorization', '*.token', '*.cookie', '*.password'],
      timestamp: () => `,"time":"${isoNow()}"`,
    },
    standardOutput,
  );
}

/** One for all loggers: there is one standard output, and one exit. */
let standardOutput: DestinationStream | undefined;

/** Standard output, for lines that it gets many at a time: what it does for each piece adds up. */
function gatherLines(): DestinationStream {
  let lines = '';
  let isWritable = true;
  process.once('beforeExit', pass);
  process.once('exit', () => {
    pass();
    // Where nothing can be written, the last of it would be tried for ever.
    if (isWritable) output.flushSync();
    else output.destroy();
  });
  let output = openOutput();
  setInterval(pass, WRITE_EVERY_MS).unref();

  /** Where it cannot be written to, there is nobody to tell: what it has is lost, the rest goes on. */
  function openOutput() {
    const opened = pino.destination({ sync: false, maxLength: MOST_WAITING });
    opened.on('drain', () => {
      isWritable = true;
    });
    opened.on('error', () => {
      isWritable = false;
      opened.destroy();
      if (output === opened) output = openOutput();
    });
    return opened;
  }

  function pass(): void {
    if (lines === '') return;
    output.write(lines);
    lines = '';
  }

  return {
    write(line) {
      lines += line;
      if (lines.length >= WRITE_AT_LENGTH) pass();
    },
  };
}

/** What is told of one request. Queries may carry signatures, so it is the path alone. */
export interface Answered {
  requestId: string;
  method: string;
  path: string;
  /** The pattern that the path goes by; absent where nothing is at it. */
  route: string | undefined;
  status: number;
  /** From the request's head to the end of the answer. */
  ms: number;
  ip: string | undefined;
}

/** Makes what writes the line of a request. */
export function requestLog(logger: FastifyBaseLogger): (request: Answered) => void {
  // There is nothing in it to be left out, and looking for it takes time.
  const unredacted = logger.child({}, { redact: [] });
  return ({ requestId, method, path, status, ms, ip }) => {
    unredacted.info(
      { requestId, method, path, status, ms: Math.round(ms * 100) / 100, ip },
      'request',
    );
  };
}

/** Has the framework tell of each request once, when it has been answered. */
export class TellOfRequests extends LogController {
  readonly #tell: (request: Answered) => void;

  constructor(tell: (request: Answered) => void) {
    super();
    this.#tell = tell;
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
    this.#tell({
      requestId,
      method,
      path: config.secretPath ? (route ?? '') : pathOf(url),
      route,
      status: reply.statusCode,
      ms: reply.elapsedTime,
      ip,
    });
  }
}
