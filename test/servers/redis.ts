import { Redis } from 'ioredis';
import { freePorts } from '../free-ports.ts';
import {
  findProgram,
  makeDirectory,
  removeDirectory,
  type ServerProcess,
  startServerProcess,
} from './server-process.ts';

/** An empty Redis without persistence. */
export interface RedisServer extends ServerProcess {
  port: number;
  /** `redis://…`, with the password if there is one. */
  url: string;
  stop(): Promise<void>;
}

/** Returns the missing program. */
export function redisMissing(): string | undefined {
  return findProgram('redis-server')
    ? undefined
    : 'redis-server (Debian: apt install redis-server)';
}

/** Starts a Redis, on a free port unless one is given. */
export async function startRedisServer(
  options: { port?: number; password?: string } = {},
): Promise<RedisServer> {
  const [port = 0] = options.port ? [options.port] : await freePorts(1);
  const password = options.password ?? '';
  const url = `redis://${password && `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`;
  const directory = makeDirectory('redis');
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    save: '',
    appendonly: 'no',
    ...(password && { requirepass: password }),
  };
  const server = await startServerProcess(
    findProgram('redis-server') ?? 'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { directory, answers: () => ping(url) },
  );
  return {
    ...server,
    port,
    url,
    async stop() {
      await server.kill('SIGKILL');
      removeDirectory(directory);
    },
  };
}

async function ping(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
