import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { isoNow } from '../time/clock.ts';
import { pathOf } from './addresses.ts';
import { shownAddress } from './client-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that makes the request, once it is known; for the log. */
    accountId: string | undefined;
  }
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

/** How one request ended. Queries can carry signatures, so only the path is recorded. */
export interface Answered {
  requestId: string;
  method: string;
  path: string;
  /** The pattern of the route; `undefined` where nothing is at the path. */
  route: string | undefined;
  /** `undefined` when the connection ended before an answer began. */
  status: number | undefined;
  /** From the request's head to the end of the answer. */
  ms: number;
  ip: string | undefined;
  /** The id of the account that made the request, where one is known. */
  account: string | undefined;
  /** Whether the connection ended before the answer did, mostly because the client left. */
  aborted: boolean;
}

/** Makes the function that logs one line per request. */
export function requestLog(logger: FastifyBaseLogger): (request: Answered) => void {
  // Nothing in it needs redaction, and looking for what does takes time.
  const unredacted = logger.child({}, { redact: [] });
  return ({ requestId, method, path, status, ms, ip, account, aborted }) => {
    unredacted.info(
      {
        ...{ requestId, method, path, status, ms: Math.round(ms * 100) / 100 },
        ...{ ip: shownAddress(ip), account },
        ...(aborted && { aborted }),
      },
      'request',
    );
  };
}

/** Keeps the framework from logging requests, since `server.ts` does. Errors are still logged. */
export class ErrorsOnly extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (error) reply.log.error({ requestId: request.id, err: error }, 'answering failed');
  }
}

/** Describes a request that a route of the framework has answered. */
export function describeAnswer(request: FastifyRequest, reply: FastifyReply): Answered {
  const { id: requestId, method, url, ip, accountId: account } = request;
  const { config, url: route } = request.routeOptions;
  const { headersSent, writableFinished } = reply.raw;
  return {
    requestId,
    method,
    path: config.secretPath ? (route ?? '') : pathOf(url),
    route,
    status: headersSent ? reply.raw.statusCode : undefined,
    ms: reply.elapsedTime,
    ip,
    account,
    aborted: !writableFinished,
  };
}
