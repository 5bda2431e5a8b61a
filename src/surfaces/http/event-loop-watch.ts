import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Surface } from '../../core/config/listening-addresses.ts';

const CHECK_EVERY_MS = 20;

const MIN_REPORTED_MS = 100;

/** A request that has blocked the event loop, or may have. */
export interface Suspect {
  surface: Surface;
  request: FastifyRequest;
}

export interface Block {
  ms: number;
  /** The request that caused it, or all running requests if that is unclear. */
  suspects: Suspect[];
}

/**
 * A moment in a request: its work begins, its first synchronous part has ended, or its response is
 * ready.
 */
interface Mark extends Suspect {
  at: number;
  phase: 'begins' | 'pauses' | 'answers';
}

/** Reports blocks of the event loop and the requests that caused them. */
export interface EventLoopWatch {
  /** Call once requests can arrive. Until then blocks, such as loading the code, don't matter. */
  start(): void;
  arrives(surface: Surface, request: FastifyRequest): void;
  /** Call right before a request's body is parsed or its handler runs. */
  begins(surface: Surface, request: FastifyRequest): void;
  /** Call when a request's response is ready to send. */
  answers(surface: Surface, request: FastifyRequest): void;
  leaves(request: FastifyRequest): void;
  stop(): void;
}

/**
 * Watches the event loop by the delay of a timer. The timer doesn't keep the process alive. Blocks
 * of 100 to 120 ms may be missed.
 *
 * Requests leave marks, at about a microsecond each. The block is in the longest gap between two
 * marks since the timer last fired. It belongs to the request that had just begun or answered, or
 * to the one that answers right after. Otherwise it happened between two waits of a request, or in
 * the background; then every request that had already arrived is a suspect.
 */
export function watchEventLoop(onBlock: (block: Block) => void): EventLoopWatch {
  const underWay = new Map<FastifyRequest, Suspect & { since: number }>();
  let marks: Mark[] = [];
  let checkedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const now = performance.now();
    const ms = now - checkedAt - CHECK_EVERY_MS;
    if (ms >= MIN_REPORTED_MS) onBlock({ ms, suspects: suspectsOf(now) });
    checkedAt = now;
    if (marks.length > 0) marks = [];
  }

  function suspectsOf(now: number): Suspect[] {
    const gap = longestGap(marks, checkedAt, now);
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
    // Runs when the request's work first waits.
    queueMicrotask(() => mark('pauses', surface, request));
  }

  return {
    start() {
      checkedAt = performance.now();
      timer = setInterval(check, CHECK_EVERY_MS).unref();
    },
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

/** Finds the longest gap between marks from `start` to `end`, and the marks before and after it. */
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

/** The most requests in a log line. */
const MAX_LOGGED = 5;

export function logBlock(logger: Pick<FastifyBaseLogger, 'warn'>, { ms, suspects }: Block): void {
  const named = suspects.slice(0, MAX_LOGGED).map(({ surface, request }) => {
    return { surface, route: request.routeOptions.url, requestId: request.id };
  });
  const [only] = named;
  logger.warn(
    { ms: Math.round(ms), ...(named.length > 1 ? { suspects: named } : only) },
    'the event loop was blocked, so no request was answered',
  );
}
