import { createInstallation, type Installation } from '../installation.ts';
import { type PostgresServer, startPostgresServer } from '../servers/postgres.ts';
import { type RedisServer, startRedisServer } from '../servers/redis.ts';
import { STACK } from '../stack.ts';

/** Why a file's tests are skipped; `false` if they run. */
export const SKIP = STACK !== 'servers' && 'replicas share servers: TEST_STACK is not "servers"';

/** Replicas of the service, and shared servers of this test. */
export interface Cluster extends Installation {
  postgres: PostgresServer;
  redis: RedisServer;
}

/**
 * Starts a durable PostgreSQL and a Redis. Blobs have their own prefix in the store under test,
 * unless `settings` say otherwise.
 *
 * @param toDatabaseUrl the database URL for the replicas, instead of the database's own
 */
export async function startCluster(
  settings: Record<string, string> = {},
  toDatabaseUrl: (url: string) => string | Promise<string> = (url) => url,
): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([
    startPostgresServer({ durable: true }),
    startRedisServer(),
  ]);
  const installation = await createInstallation({
    DATABASE_URL: await toDatabaseUrl(await postgres.createDatabase()),
    REDIS_URL: redis.url,
    ...settings,
  });
  return {
    ...installation,
    postgres,
    redis,
    async stop() {
      await installation.stop().finally(() => Promise.all([postgres.stop(), redis.stop()]));
    },
  };
}
