import { join } from 'node:path';
import { postgresMissing, startPostgresServer } from '../test/servers/postgres.ts';
import { redisMissing, startRedisServer } from '../test/servers/redis.ts';
import { s3ServerMissing, startS3Server } from '../test/servers/s3.ts';
import { makeDirectory, removeDirectory } from '../test/servers/server-process.ts';

export const STACKS = ['embedded', 'servers'] as const;

/** The back ends: files, or PostgreSQL, Redis and S3. */
export type Stack = (typeof STACKS)[number];

/** The data of a service, shared by all its processes. */
export interface Installation {
  stack: Stack;
  /** The settings of the service and its commands. */
  settings: Record<string, string>;
  /** The database's location: the data directory, or `postgres://…`. */
  database: string;
  /** Creates an empty installation on the same servers. */
  another(): Promise<Installation>;
  remove(): Promise<void>;
}

/** @throws Error when there is no such stack */
export function readStack(text: string): Stack {
  const stack = STACKS.find((each) => each === text);
  if (!stack) throw new Error(`There is no stack "${text}".`);
  return stack;
}

/** Lists programs that a stack needs and this machine lacks. */
export function missingFor(stack: Stack): string[] {
  const missing = [postgresMissing, redisMissing, s3ServerMissing];
  return stack === 'servers' ? missing.flatMap((find) => find() ?? []) : [];
}

/** Creates an empty installation and starts its servers. */
export function createInstallation(stack: Stack): Promise<Installation> {
  return stack === 'servers' ? onServers() : Promise.resolve(embedded());
}

function embedded(): Installation {
  const dataDir = makeDirectory('bench');
  return {
    stack: 'embedded',
    settings: { DATA_DIR: dataDir },
    database: dataDir,
    another: async () => embedded(),
    remove: async () => removeDirectory(dataDir),
  };
}

/** Starts PostgreSQL with `fsync` on, unlike most tests. */
async function onServers(): Promise<Installation> {
  const [postgres, redis, s3] = await Promise.all([
    startPostgresServer({ durable: true }),
    startRedisServer(),
    startS3Server(),
  ]);
  let made = 0;
  const one = async (remove: () => Promise<void>): Promise<Installation> => {
    made += 1;
    const database = await postgres.createDatabase();
    const settings = {
      DATA_DIR: join('/nonexistent', 'briefs'),
      DATABASE_URL: database,
      REDIS_URL: `${redis.url}?prefix=${made}:`,
      BLOB_URL: s3.url(String(made)),
      ...s3.environment,
    };
    return {
      ...({ stack: 'servers', settings, database, remove } as const),
      another: () => one(async () => {}),
    };
  };
  return one(async () => {
    await Promise.all([postgres, redis, s3].map((server) => server.stop()));
  });
}
