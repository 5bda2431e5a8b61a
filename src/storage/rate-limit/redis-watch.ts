import type { Redis } from 'ioredis';

const RETRY_MS = 500;

const AWAY = 'Redis does not answer: each process counts requests on its own';
const BACK = 'Redis answers again: all processes count requests together';

export interface Log {
  warn(details: object, message: string): void;
  info(message: string): void;
}

/** Tells whether Redis currently counts requests. */
export interface RedisWatch {
  /** Why it does not; `undefined` if it does. */
  readonly fault: string | undefined;
  /** Reports that counting failed. */
  failed(error: unknown): void;
  stop(): void;
}

/**
 * Watches whether Redis counts requests. After a failure it retries every half second in the
 * background, so that no request has to. Logs the failure once, and the recovery once.
 *
 * @param attempt counts something; rejects soon if that fails
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
    retry = setTimeout(tryAgain, RETRY_MS).unref();
  }

  async function tryAgain(): Promise<void> {
    try {
      if (redis.status === 'ready') {
        await attempt();
        fault = undefined;
      }
    } catch (error) {
      failed(error);
      // This server became a replica. Reconnect, because its name may now lead to the new primary.
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
 * Returns an error's message, such as `connect ECONNREFUSED 127.0.0.1:6379`. The error itself is
 * not logged: it may contain the failed command, and with it the password.
 */
export function reasonOf(error: unknown): string {
  // If a name has several addresses, only the single errors have a message.
  const [one] = error instanceof AggregateError ? error.errors : [error];
  return (one instanceof Error ? one.message : String(one)).trim();
}
