import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { isoNow } from '../../base/time/clock.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';
import { withoutSecrets } from '../../core/document/link.ts';
import { withoutTickets } from '../../core/identity/ticket.ts';
import { shownAddress } from './client-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated account, for the log. */
    accountId: string | undefined;
  }
  interface FastifyContextConfig {
    /** Keeps the path out of the logs, because it contains a secret. */
    secretPath?: boolean;
  }
}

/** Lines are written in batches of this many characters, or this often. */
const WRITE_AT_LENGTH = 16_384;
const WRITE_EVERY_MS = 100;

/** Characters to buffer while output is blocked. More are lost. */
const MAX_BUFFERED = 4_000_000;

/** Creates a logger of JSON lines on standard output. Redacts fields that could hold a secret. */
export function createLogger(level: string): FastifyBaseLogger {
  standardOutput ??= bufferLines();
  return pino(
    {
      level,
      redact: ['*.headers', '*.authorization', '*.token', '*.cookie', '*.password'],
      timestamp: () => `,"time":"${isoNow()}"`,
    },
    standardOutput,
  );
}

/** Shared by all loggers. */
let standardOutput: DestinationStream | undefined;

/** Writes lines to standard output in batches, because each write is expensive. */
function bufferLines(): DestinationStream {
  let lines = '';
  let isWritable = true;
  process.once('beforeExit', flush);
  process.once('exit', () => {
    flush();
    // `flushSync` would retry for ever if output is blocked.
    if (isWritable) output.flushSync();
    else output.destroy();
  });
  let output = openOutput();
  setInterval(flush, WRITE_EVERY_MS).unref();

  /** Opens the output again after an error, and loses what was buffered. */
  function openOutput() {
    const opened = pino.destination({ sync: false, maxLength: MAX_BUFFERED });
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

  function flush(): void {
    if (lines === '') return;
    output.write(lines);
    lines = '';
  }

  return {
    write(line) {
      lines += line;
      if (lines.length >= WRITE_AT_LENGTH) flush();
    },
  };
}

/** A finished request. Without the query, which can contain a signature. */
export interface Answered {
  requestId: string;
  method: string;
  path: string;
  /** The route's pattern; `undefined` if no route matches. */
  route: string | undefined;
  /** `undefined` if the connection ended before the response began. */
  status: number | undefined;
  /** From the request's headers to the end of the response. */
  ms: number;
  ip: string | undefined;
  /** The authenticated account's id. */
  account: string | undefined;
  /** Whether the connection ended before the response did, mostly because the client left. */
  aborted: boolean;
}

/** Creates the function that logs one line per request. */
export function requestLog(logger: FastifyBaseLogger): (request: Answered) => void {
  // Redaction takes time, and these fields don't need it.
  const unredacted = logger.child({}, { redact: [] });
  return ({ requestId, method, path, status, ms, ip, account, aborted }) => {
    unredacted.info(
      {
        requestId,
        method,
        path,
        status,
        ms: Math.round(ms * 100) / 100,
        ip: shownAddress(ip),
        account,
        ...(aborted && { aborted }),
      },
      'request',
    );
  };
}

/** Turns off the framework's request log, because `surface.ts` logs requests. Still logs errors. */
export class ErrorsOnly extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (error) reply.log.error({ requestId: request.id, err: error }, 'response failed');
  }
}

/**
 * Returns the path to log: the route's pattern if the path has a secret. Leaves out anything that
 * could be a secret link or a ticket, because a mistyped one matches another route or none.
 */
export function loggedPath(url: string, secretRoute?: string): string {
  return secretRoute ?? withoutTickets(withoutSecrets(pathOf(url)));
}

export function describeAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  ip: string | undefined,
): Answered {
  const { id: requestId, method, url, accountId: account } = request;
  const { config, url: route } = request.routeOptions;
  const { headersSent, writableFinished } = reply.raw;
  return {
    requestId,
    method,
    path: loggedPath(url, config.secretPath ? (route ?? '') : undefined),
    route,
    status: headersSent ? reply.raw.statusCode : undefined,
    ms: reply.elapsedTime,
    ip,
    account,
    aborted: !writableFinished,
  };
}
