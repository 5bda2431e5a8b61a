import { lookup } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { ConfigError } from '../../base/config-error.ts';
import type { Limits, RateLimiter } from '../../base/limits/rate-limit.ts';
import { splitRedisUrl } from '../../base/net/redis-url.ts';
import {
  countRequest,
  createLimiters,
  forgetRequests,
  LONGEST_WINDOW_IN_MEMORY_S,
  settle,
  uncountRequest,
} from './limiters.ts';
import { type Log, reasonOf, watchRedis } from './redis-watch.ts';

/**
 * Connects to Redis like the library's own connector, but looks up its name only once at a time. A process
 * runs two look-ups at once and can't end them. With a name server that doesn't answer, those of attempts
 * that were given up would keep PostgreSQL and S3 from being looked up.
 */
class RedisConnector extends AbstractConnector {
  readonly #options: RedisOptions;
  /** Those who wait for the look-up that runs. */
  #waiting: Parameters<LookupFunction>[2][] = [];

  /** @param options those of the client, without a path */
  constructor(options: unknown) {
    const { disconnectTimeout = 0 } = options as RedisOptions;
    super(disconnectTimeout);
    this.#options = options as RedisOptions;
  }

  override async connect(): Promise<Socket> {
    this.connecting = true;
    // The library may give up before it has the connection.
    await new Promise((resolve) => process.nextTick(resolve));
    if (!this.connecting) throw new Error('the connection was closed');
    const { host = 'localhost', port = 6379, tls } = this.#options;
    const place = { host, port, lookup: this.#lookUp };
    const socket = tls ? connectTls({ ...place, ...tls }) : connect(place);
    socket.once('error', (error) => {
      this.firstError = error;
    });
    this.stream = socket;
    return socket;
  }

  /** All ask for the same name, with the same options. */
  readonly #lookUp: LookupFunction = (host, options, done) => {
    this.#waiting.push(done);
    if (this.#waiting.length > 1) return;
    lookup(host, options, (...answer) => {
      for (const each of this.#waiting.splice(0)) each(...answer);
    });
  };
}

/** How long a request waits for Redis before this process counts it. */
const COUNT_WITHIN_MS = 250;
const ANSWER_WITHIN_MS = 1_000;

const CONNECTION = {
  Connector: RedisConnector,
  connectTimeout: ANSWER_WITHIN_MS,
  // Reconnects if a command is not answered for this long.
  socketTimeout: 2 * ANSWER_WITHIN_MS,
  disconnectTimeout: COUNT_WITHIN_MS,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  // A count that cannot be sent at once is counted here. Sent later, it would count twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // The ready check needs permission for INFO. The first count shows more.
  enableReadyCheck: false,
} satisfies RedisOptions;

/** Answers that mean REDIS_URL is wrong. */
const REFUSAL = /^(NOAUTH|WRONGPASS|NOPERM|DENIED|ERR (invalid password|(invalid )?DB index))/;

/**
 * Counts requests in Redis, for all processes that share it. If Redis is unavailable, each process
 * counts on its own against the same limits. No request fails or waits long because of it.
 *
 * @param url `redis://` or `rediss://user:password@host:port/database?prefix=briefs:`
 * @param options `onFallback` is called for each request that Redis did not count
 * @throws ConfigError that begins with `REDIS_URL:` if Redis refuses it
 */
export async function openRedisRateLimiter(
  url: string,
  limits: Limits,
  options: { logger: Log; onFallback(): void },
): Promise<RateLimiter> {
  const { address, prefix } = splitRedisUrl(url);
  const redis = new Redis(address, CONNECTION);
  const shared = createLimiters(
    limits,
    ({ keyPrefix, points, duration }) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: prefix + keyPrefix,
        points,
        // The library's script needs whole seconds.
        duration: Math.ceil(duration),
      }),
  );
  const local = createLimiters(limits, (limit) => {
    const duration = Math.min(limit.duration, LONGEST_WINDOW_IN_MEMORY_S);
    return new RateLimiterMemory({ ...limit, duration });
  });
  const trial = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}trial`,
    points: 1,
    duration: 1,
  });
  // Count something: a PING would not show that Redis accepts writes.
  const attempt = () => within(COUNT_WITHIN_MS, settle(trial.consume('count')));

  const fault = await within(ANSWER_WITHIN_MS, connected(redis))
    .then(attempt)
    .then(() => undefined, reasonOf);
  if (fault !== undefined && REFUSAL.test(fault)) {
    redis.disconnect();
    throw new ConfigError(`REDIS_URL: Redis refuses it: ${fault}`);
  }
  const watch = watchRedis(redis, attempt, options.logger);
  if (fault !== undefined) watch.failed(new Error(fault));
  return {
    async consume(name, key, count) {
      if (!shared.has(name)) return undefined;
      if (watch.fault === undefined) {
        try {
          return await within(COUNT_WITHIN_MS, countRequest(shared, name, key, count));
        } catch (error) {
          watch.failed(error);
        }
      }
      options.onFallback();
      return countRequest(local, name, key, count);
    },
    async refund(name, key) {
      if (watch.fault !== undefined) return uncountRequest(local, name, key);
      await within(COUNT_WITHIN_MS, uncountRequest(shared, name, key)).catch(watch.failed);
    },
    async reset(name, key) {
      await forgetRequests(local, name, key);
      try {
        if (watch.fault !== undefined) throw new Error(watch.fault);
        await within(ANSWER_WITHIN_MS, forgetRequests(shared, name, key));
      } catch (error) {
        throw new Error(`Redis: ${reasonOf(error)}`);
      }
    },
    async ping() {
      try {
        if (watch.fault !== undefined) throw new Error(watch.fault);
        await within(ANSWER_WITHIN_MS, redis.ping());
      } catch (error) {
        throw new Error(`Redis: ${reasonOf(error)}`);
      }
    },
    async close() {
      watch.stop();
      redis.disconnect();
    },
  };
}

function connected(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    redis.once('ready', resolve).on('error', reject);
  });
}

/**
 * Rejects if `work` takes longer than `ms`. If the process itself was busy, it first reads the
 * answers that have arrived.
 */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const expire = () => late.reject(new Error(`no answer within ${ms} ms`));
  const timer = setTimeout(() => setImmediate(expire), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
