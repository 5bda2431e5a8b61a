import {
  type BackgroundLoop,
  type LoopState,
  startLoop,
} from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { findFeedState, listNews } from '../../core/event/feed-store.ts';
import { placeEvents } from './place-service.ts';

/** How often a process looks for events, including those of other processes. */
const EVERY_MS = 1_000;

/** How long a process waits after its own write, so that it places several events at once. */
const GATHER_MS = 25;

/** How long a process waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/**
 * Places events in the background and wakes the requests that wait for them.
 *
 * @param onFailure called on failures; the feed retries after a while
 */
export function startFeed(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  /** The last position that waiting requests were woken for. */
  let wokenUntil: number | undefined;

  async function step({ isStopping }: LoopState): Promise<undefined> {
    let { position, hasUnplaced } = await findFeedState(context.sql.read);
    while (hasUnplaced && !isStopping()) {
      const { deliveries } = await placeEvents(context);
      if (deliveries > 0) context.wakeWebhooks();
      ({ position, hasUnplaced } = await findFeedState(context.sql.read));
    }
    if (wokenUntil !== undefined && position > wokenUntil && context.feedWaiters.isWaitedFor()) {
      const { documentIds, accountIds } = await listNews(context.sql.read, wokenUntil);
      context.feedWaiters.wake(documentIds.map((id) => `document:${id}` as const));
      context.feedWaiters.wake(accountIds.map((id) => `account:${id}` as const));
    }
    wokenUntil = position;
  }

  const times = { everyMs: EVERY_MS, gatherMs: GATHER_MS, whileAwayMs: WHILE_AWAY_MS };
  const loop = startLoop({ step, ...times, onFailure });
  context.wakeFeed = loop.wake;
  return loop;
}
