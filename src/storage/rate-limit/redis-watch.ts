import type { Redis } from 'ioredis';

const TRY_AGAIN_AFTER_MS = 500;

const AWAY = 'Redis is away: each process counts requests on its own';
const BACK = 'Redis is back: all processes count requests together';

/** What an operator is told. */
export interface Log {
  warn(details: object, message: string): void;
  info(message: string): void;
}

/** Knows whether Redis counts just now. */
export interface RedisWatch {
  /** Why it does not; `undefined` while it does. */
  readonly fault: string | undefined;
  /** Tells that it did not. */
  failed(error: unknown): void;
  stop(): void;
}

/**
 * Watches whether Redis counts. Once it has failed, one `attempt` every half second finds out when
 * it does again, so that no request has to. Says so once when it is away, and once when it is back.
 *
 * @param attempt counts something, and rejects soon where that fails
 */
export function watchRedis(redis: Redis, attempt: () => Promise<unknown>, log: Log): RedisWatch {
  let fault: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  function failed(error: unknown): void {
    if (stopped) return;
    if (fault === undefined) {
      log.warn({ reason: reasonOf(error) }, AWAY);
      tryAgainLater();
    }
    fault = reasonOf(error);
  }

  function tryAgainLater(): void {
    retry = setTimeout(tryAgain, TRY_AGAIN_AFTER_MS).unref();
  }

  async function tryAgain(): Promise<void> {
    try {
      if (redis.status === 'ready') {
        await attempt();
        fault = undefined;
      }
    } catch (error) {
      failed(error);
      // A primary that became a replica keeps its clients; its name may lead to the new primary.
      if (fault?.includes('READONLY')) redis.disconnect(true);
    }
    if (stopped) return;
    if (fault === undefined) log.info(BACK);
    else tryAgainLater();
  }

  redis.on('error', failed);
  redis.on('close', () => {
    if (fault === undefined) failed(new Error('the connection was closed'));
  });
  return {
    get fault() {
      return fault;
    },
    failed,
    stop() {
      stopped = true;
      clearTimeout(retry);
    },
  };
}

/**
 * An error in few words, such as `connect ECONNREFUSED 127.0.0.1:6379`. The error itself may hold
 * the command that failed, and with it the password, so it is neither logged nor passed on.
 */
export function reasonOf(error: unknown): string {
  // Where a name has several addresses, the error of the whole says nothing.
  const [one] = error instanceof AggregateError ? error.errors : [error];
  return (one instanceof Error ? one.message : String(one)).trim();
}
