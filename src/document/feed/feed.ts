import type { Context } from '../../context.ts';
import { BackEndUnavailable } from '../../errors.ts';
import { findFeedState, listNews } from './feed-store.ts';
import { placeEvents } from './place-service.ts';

/** How often a process looks for events, including those of other processes. */
const EVERY_MS = 1_000;

/** How long it waits after a write of this process, to place several events at once. */
const GATHER_MS = 25;

/** How long it waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/** Places events in the background and wakes the requests that wait for them. */
export interface Feed {
  /** Resolves after the current step. */
  stop(): Promise<void>;
}

/** @param onFailure called on failures; the feed retries after a while */
export function startFeed(context: Context, onFailure: (error: unknown) => void): Feed {
  let isStopping = false;
  let isWoken = false;
  let interrupt = () => {};
  /** The position up to which waiting requests were woken. */
  let toldUntil: number | undefined;

  context.wakeFeed = () => {
    isWoken = true;
    interrupt();
  };

  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    interrupt = () => {};
  }

  async function step(): Promise<void> {
    let { position, hasUnplaced } = await findFeedState(context.sql.read);
    while (hasUnplaced && !isStopping) {
      await placeEvents(context);
      context.wakeWebhooks();
      ({ position, hasUnplaced } = await findFeedState(context.sql.read));
    }
    if (toldUntil !== undefined && position > toldUntil && context.feedWaiters.isWaitedFor()) {
      const { documentIds, accountIds } = await listNews(context.sql.read, toldUntil);
      context.feedWaiters.wake(documentIds.map((id) => `document:${id}` as const));
      context.feedWaiters.wake(accountIds.map((id) => `account:${id}` as const));
    }
    toldUntil = position;
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false;
      try {
        await step();
        if (!isWoken && !isStopping) await rest(EVERY_MS);
        if (isWoken && !isStopping) await pause(GATHER_MS);
      } catch (error) {
        onFailure(error);
        if (!isStopping)
          await pause(error instanceof BackEndUnavailable ? WHILE_AWAY_MS : EVERY_MS);
      }
    }
  }

  /** Rests whatever is written meanwhile. */
  async function pause(ms: number): Promise<void> {
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && !isStopping; left = end - performance.now()) await rest(left);
  }

  const running = run();
  return {
    async stop() {
      isStopping = true;
      interrupt();
      await running;
    },
  };
}
