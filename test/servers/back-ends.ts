import { postgresMissing, startPostgresServer } from './postgres.ts';
import { redisMissing, startRedisServer } from './redis.ts';
import { s3ServerMissing, startS3Server } from './s3.ts';

/** Servers, as tests get them. */
export interface BackEnds {
  /** `TEST_…_URL`, and other variables needed to reach them. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** One kind of server, started only if `variable` is unset. */
interface Kind {
  variable: string;
  missing(): string | undefined;
  start(): Promise<BackEnds>;
}

const KINDS: Kind[] = [
  {
    variable: 'TEST_DATABASE_URL',
    missing: postgresMissing,
    async start() {
      const { url, stop } = await startPostgresServer();
      return { environment: { TEST_DATABASE_URL: url }, stop };
    },
  },
  {
    variable: 'TEST_REDIS_URL',
    missing: redisMissing,
    async start() {
      const { url, stop } = await startRedisServer();
      return { environment: { TEST_REDIS_URL: url }, stop };
    },
  },
  {
    variable: 'TEST_BLOB_URL',
    missing: s3ServerMissing,
    async start() {
      const { url, environment, stop } = await startS3Server();
      return { environment: { TEST_BLOB_URL: url('test'), ...environment }, stop };
    },
  },
];

const notGiven = () => KINDS.filter(({ variable }) => !process.env[variable]);

/** Returns the programs that are missing to start the remaining servers. */
export function missingBackEnds(): string[] {
  return notGiven().flatMap((kind) => kind.missing() ?? []);
}

/**
 * Starts the servers that the environment does not name, all at once.
 *
 * @throws Error if one does not start; then none keeps running
 */
export async function startBackEnds(): Promise<BackEnds> {
  const outcomes = await Promise.allSettled(notGiven().map((kind) => kind.start()));
  const started = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return { environment: Object.assign({}, ...started.map((server) => server.environment)), stop };
}
