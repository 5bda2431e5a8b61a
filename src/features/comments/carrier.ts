import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { carryWaiting } from '../../core/review/anchor-service.ts';

/** How long the carrier waits after a failure. Otherwise it is woken when there is work. */
const EVERY_MS = 5_000;

/** How long the carrier waits while a back end is down. */
const WHILE_AWAY_MS = 10_000;

/** How many times as long as it worked the carrier rests, because requests come first. */
const REST_PER_WORK = 1;

/**
 * Carries threads to the current text in the background, where requests left some behind.
 *
 * @param onFailure called on failures; the document waits until its threads are read again
 */
export function startCarrier(
  context: Context,
  onFailure: (error: unknown) => void,
): BackgroundLoop {
  async function step(): Promise<number | undefined> {
    const start = performance.now();
    const isDone = await carryWaiting(context);
    return isDone ? undefined : (performance.now() - start) * REST_PER_WORK;
  }

  const loop = startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
  context.carryQueue.onAdd = loop.wake;
  return loop;
}
