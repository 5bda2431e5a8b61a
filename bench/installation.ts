import { join } from 'node:path';
import { postgresMissing, startPostgresServer } from '../test/servers/postgres.ts';
import { redisMissing, startRedisServer } from '../test/servers/redis.ts';
import { s3ServerMissing, startS3Server } from '../test/servers/s3.ts';
import { makeDirectory, removeDirectory } from '../test/servers/server-process.ts';

export const STACKS = ['embedded', 'servers'] as const;

/** What the service stands on: files of its own, or PostgreSQL, Redis and S3. */
export type Stack = (typeof STACKS)[number];

/** Where the data of a service is, however many processes it has. */
export interface Installation {
  stack: Stack;
  /** What the service and its commands are told. */
  settings: Record<string, string>;
  /** What else opens the database: the data directory, or `postgres://…`. */
  database: string;
  /** Another one on the same servers, without data. */
  another(): Promise<Installation>;
  remove(): Promise<void>;
}

/** @throws Error when there is no such stack */
export function readStack(text: string): Stack {
  const stack = STACKS.find((each) => each === text);
  if (!stack) throw new Error(`There is no stack "${text}".`);
  return stack;
}

/** What this machine lacks for a stack. */
export function missingFor(stack: Stack): string[] {
  const missing = [postgresMissing, redisMissing, s3ServerMissing];
  return stack === 'servers' ? missing.flatMap((find) => find() ?? []) : [];
}

/** Makes an installation without data, with servers of its own where it needs any. */
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

/** PostgreSQL with the disk's guarantees, unlike in most tests. */
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
