import type { FastifyBaseLogger } from 'fastify';

/** How often to log the same fault. */
const LINE_EVERY_MS = 10_000;

/** How many different faults to count at once. */
const MAX_FAULTS = 100;

/**
 * Logs a fault of a back end: first with its stack, then its count every ten seconds. A full disk
 * fails every write, and one line for each would fill it further.
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
  if (repeats.size >= MAX_FAULTS) return;
  const repeat = { count: 0, timer: setInterval(logCount, LINE_EVERY_MS).unref() };
  repeats.set(key, repeat);

  function logCount(): void {
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
