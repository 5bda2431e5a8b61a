import type { FastifyBaseLogger } from 'fastify';

/** How often the same fault gets a line. */
const LINE_EVERY_MS = 10_000;

/** How many different faults are told apart. */
const MOST_FAULTS = 100;

/**
 * Logs a fault of a back end: the first time with its stack, then once each ten seconds as a count. A
 * disk that is full fails every write, and a log of all of them would fill it further.
 */
export function logRepeated(
  logger: FastifyBaseLogger,
  details: { err: unknown; requestId?: string },
  message: string,
): void {
  const text = details.err instanceof Error ? details.err.message : String(details.err);
  const key = `${message}: ${text}`;
  const running = repeats.get(key);
  if (running) {
    running.count += 1;
    return;
  }
  logger.error(details, message);
  if (repeats.size >= MOST_FAULTS) return;
  const repeat = { count: 0, timer: setInterval(tell, LINE_EVERY_MS).unref() };
  repeats.set(key, repeat);

  function tell(): void {
    if (repeat.count === 0) {
      clearInterval(repeat.timer);
      repeats.delete(key);
      return;
    }
    const { count } = repeat;
    repeat.count = 0;
    logger.error({ reason: text, count, seconds: LINE_EVERY_MS / 1000 }, `${message}, again`);
  }
}

const repeats = new Map<string, { count: number; timer: NodeJS.Timeout }>();
