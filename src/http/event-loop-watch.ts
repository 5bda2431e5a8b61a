import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Surface } from './addresses.ts';

/** The event loop is looked at this often. */
const LOOK_EVERY_MS = 20;

/** Blocks from this length on are reported. */
const REPORT_FROM_MS = 100;

/** A request that has blocked the event loop, or may have. */
export interface Suspect {
  surface: Surface;
  request: FastifyRequest;
}

/** A block of the event loop. */
export interface Block {
  ms: number;
  /** Whose work it was: one request where that can be told, else all that were under way. */
  suspects: Suspect[];
}

/**
 * What a mark says about its request: its work begins now; the part of it that runs without a pause
 * has just ended; it has its answer ready.
 */
interface Mark extends Suspect {
  at: number;
  phase: 'begins' | 'pauses' | 'answers';
}

/** Reports when the event loop was blocked, so that nobody was answered, and by which requests. */
export interface EventLoopWatch {
  arrives(surface: Surface, request: FastifyRequest): void;
  /** Notes that a request's work begins; call it right before its body is parsed or handled. */
  begins(surface: Surface, request: FastifyRequest): void;
  /** Notes that a request's answer is ready to be sent. */
  answers(surface: Surface, request: FastifyRequest): void;
  leaves(request: FastifyRequest): void;
  stop(): void;
}

/**
 * Watches the event loop by the delay of a timer, which doesn't keep the process alive. Blocks of
 * 100 to 120 ms may be missed.
 *
 * Requests leave marks, at a cost of about a microsecond each. The block lies in the longest gap
 * between two marks since the timer last fired. It is the work of the request that had just begun or
 * answered, or of the one that answers right after. Otherwise it happened between two things that a
 * request waited for, or in the background: then every request that had arrived before is a suspect.
 */
export function watchEventLoop(onBlock: (block: Block) => void): EventLoopWatch {
  const underWay = new Map<FastifyRequest, Suspect & { since: number }>();
  let marks: Mark[] = [];
  let lookedAt = performance.now();

  const timer = setInterval(() => {
    const now = performance.now();
    const ms = now - lookedAt - LOOK_EVERY_MS;
    if (ms >= REPORT_FROM_MS) onBlock({ ms, suspects: suspectsOf(now) });
    lookedAt = now;
    if (marks.length > 0) marks = [];
  }, LOOK_EVERY_MS).unref();

  function suspectsOf(now: number): Suspect[] {
    const gap = longestGap(marks, lookedAt, now);
    const { before, after } = gap;
    if (before && before.phase !== 'pauses') return [before];
    if (after?.phase === 'answers') return [after];
    return [...underWay.values()].filter(({ since }) => since <= gap.from);
  }

  const mark = (phase: Mark['phase'], surface: Surface, request: FastifyRequest): void => {
    marks.push({ at: performance.now(), phase, surface, request });
  };

  function begins(surface: Surface, request: FastifyRequest): void {
    mark('begins', surface, request);
    // Runs as soon as the request's work waits for something for the first time.
    queueMicrotask(() => mark('pauses', surface, request));
  }

  return {
    arrives(surface, request) {
      underWay.set(request, { surface, request, since: performance.now() });
      begins(surface, request);
    },
    begins,
    answers: (surface, request) => mark('answers', surface, request),
    leaves: (request) => underWay.delete(request),
    stop: () => clearInterval(timer),
  };
}

/** Finds the longest time between two marks from `start` to `end`, and the marks beside it. */
function longestGap(marks: readonly Mark[], start: number, end: number) {
  let longest: { ms: number; from: number; before?: Mark | undefined; after?: Mark | undefined } = {
    ms: -1,
    from: start,
  };
  for (let index = 0; index <= marks.length; index++) {
    const [before, after] = [marks[index - 1], marks[index]];
    const from = before?.at ?? start;
    const ms = (after?.at ?? end) - from;
    if (ms > longest.ms) longest = { ms, from, before, after };
  }
  return longest;
}

/** Most requests that a log line names. */
const NAMED = 5;

/** Logs a block of the event loop. */
export function logBlock(logger: Pick<FastifyBaseLogger, 'warn'>, { ms, suspects }: Block): void {
  const named = suspects.slice(0, NAMED).map(({ surface, request }) => {
    return { surface, route: request.routeOptions.url, requestId: request.id };
  });
  const [only] = named;
  logger.warn(
    { ms: Math.round(ms), ...(named.length > 1 ? { suspects: named } : only) },
    'the event loop was blocked, so no request was answered meanwhile',
  );
}
