import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { closeContext, openContext } from '../../src/open-context.ts';
import { freePorts } from '../free-ports.ts';
import { type Answer, type Client, readAnswer } from '../harness.ts';
import { openApiChecker } from '../openapi-checker.ts';
import { type Running, startBriefs, succeed } from '../process.ts';
import { type PostgresServer, startPostgresServer } from '../servers/postgres.ts';
import { type RedisServer, startRedisServer } from '../servers/redis.ts';
import { STACK, stackSettings } from '../stack.ts';

/** Why a file's tests are skipped; `false` where they run. */
export const SKIP = STACK !== 'servers' && 'replicas share servers: TEST_STACK is not "servers"';

/** Every request is answered within this time, whatever happens to the back ends. */
const ANSWER_WITHIN_MS = 25_000;

const DEFAULTS = {
  HOST: '127.0.0.1',
  // The addresses of the one service that all are; nobody has to be able to resolve them.
  WEB_URL: 'http://briefs.test',
  RENDER_URL: 'http://render.briefs.test',
  RATE_LIMIT_API: 'off',
  LOG_LEVEL: 'silent',
};

/** One process of the service. Its addresses lead to it alone. */
export interface Replica extends Running {
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  metricsUrl: string;
  client(user: Omit<User, 'at'>): Client;
}

/** Somebody who talks to whichever replica. */
export interface User {
  username: string;
  token: string;
  at(replica: Replica): Client;
}

/** Replicas of the service, and the servers that they share, which are this test's own. */
export interface Cluster {
  postgres: PostgresServer;
  redis: RedisServer;
  /** What all replicas are told. */
  settings: Record<string, string>;
  /** Those that run. */
  replicas: Set<Replica>;
  /** Starts another replica, on ports of its own. */
  start(settings?: Record<string, string>): Promise<Replica>;
  /** Starts several, at once. */
  startAll(count: number, settings?: Record<string, string>): Promise<Replica[]>;
  /** Ends a replica. @returns its exit code */
  end(replica: Replica, signal: NodeJS.Signals): Promise<number | null>;
  /** Runs a command and gives what it said. */
  run(...args: string[]): Promise<string>;
  /** Makes an account and a token, with the commands. */
  user(username: string): Promise<User>;
  /** Runs some work on what the services work with. */
  look<T>(work: (context: Context) => Promise<T>): Promise<T>;
  /** Stops what runs; fails when a replica has died, or does not end well. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL that keeps its word and a Redis. Blobs are below a prefix of their own in the
 * store under test, unless `settings` say otherwise.
 *
 * @param toDatabaseUrl what the replicas are told instead of the database's own address
 */
export async function startCluster(
  settings: Record<string, string> = {},
  toDatabaseUrl: (url: string) => string | Promise<string> = (url) => url,
): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([
    startPostgresServer({ durable: true }),
    startRedisServer(),
  ]);
  // Only a configuration that keeps something there makes it.
  const dataDir = join(tmpdir(), `briefs-replicas-${randomUUID()}`);
  const shared: Record<string, string> = {
    ...DEFAULTS,
    ...(await stackSettings(dataDir)),
    DATA_DIR: dataDir,
    DATABASE_URL: await toDatabaseUrl(await postgres.createDatabase()),
    REDIS_URL: redis.url,
    ...settings,
  };
  const replicas = new Set<Replica>();

  let check: Check | undefined;

  async function startOn(ports: number[], own: Record<string, string>): Promise<Replica> {
    const [port, renderPort, metricsPort] = ports.map(String) as [string, string, string];
    const running = startBriefs(['serve'], {
      ...shared,
      PORT: port,
      RENDER_PORT: renderPort,
      METRICS_PORT: metricsPort,
      ...own,
    });
    const up = () => running.stdout().includes('Briefs is running.');
    let ended = false;
    void running.ended.then(() => {
      ended = true;
    });
    await until('the start of a replica', () => up() || ended);
    if (!up()) {
      // Somebody took one between our looking and the replica's listening.
      if (/Port \d+ is taken/.test(running.stderr())) return startOn(await freePorts(3), own);
      throw new Error(`A replica did not start: ${running.stderr()}`);
    }
    const webUrl = `http://127.0.0.1:${port}`;
    const baseUrl = `${webUrl}/api`;
    const renderUrl = `http://127.0.0.1:${renderPort}`;
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    check ??= openApiChecker((await ask(`${baseUrl}/openapi.json`)).json);
    const client = (user: Omit<User, 'at'>) => clientOf(baseUrl, user, check as Check);
    const replica = { ...running, webUrl, baseUrl, renderUrl, metricsUrl, client };
    replicas.add(replica);
    return replica;
  }

  async function startAll(count: number, own: Record<string, string> = {}): Promise<Replica[]> {
    // All taken together, so that no two are the same.
    const ports = await freePorts(3 * count);
    return Promise.all(
      Array.from({ length: count }, (_, index) =>
        startOn(ports.slice(3 * index, 3 * index + 3), own),
      ),
    );
  }

  async function end(replica: Replica, signal: NodeJS.Signals): Promise<number | null> {
    replicas.delete(replica);
    return (await replica.kill(signal)).code;
  }

  const run = (...args: string[]) => succeed(args, shared);
  return {
    postgres,
    redis,
    settings: shared,
    replicas,
    startAll,
    start: async (own) => (await startAll(1, own))[0] as Replica,
    end,
    run,
    async user(username) {
      await run('users', 'create', username, '--email', `${username}@example.com`);
      const token = (await run('tokens', 'create', username)).trim();
      return { username, token, at: (replica) => replica.client({ username, token }) };
    },
    async look(work) {
      const context = await openContext(readConfig(shared));
      try {
        return await work(context);
      } finally {
        await closeContext(context);
      }
    },
    async stop() {
      const codes = await Promise.all([...replicas].map((replica) => end(replica, 'SIGTERM')));
      await Promise.all([postgres.stop(), redis.stop()]);
      const kept = existsSync(dataDir) ? readdirSync(dataDir) : [];
      rmSync(dataDir, { recursive: true, force: true });
      assert.ok(
        codes.every((code) => code === 0),
        `exit codes ${codes}`,
      );
      if (shared.BLOB_URL) assert.deepEqual(kept, [], 'a replica keeps nothing on its own disk');
    },
  };
}

type Check = ReturnType<typeof openApiChecker>;

/** Talks to the API of one replica. Every answer is held against the OpenAPI document. */
function clientOf(baseUrl: string, { username, token }: Omit<User, 'at'>, check: Check): Client {
  async function request(path: string, init: RequestInit): Promise<Answer> {
    const authorization = `Bearer ${token}`;
    const answer = await ask(baseUrl + path, {
      ...init,
      headers: { authorization, ...init.headers },
    });
    check(init.method ?? 'GET', path, answer);
    return answer;
  }
  const send =
    (method: string) =>
    (path: string, body?: unknown, headers = {}) =>
      request(path, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      });
  return {
    username,
    token,
    request,
    get: (path, headers = {}) => request(path, { headers }),
    delete: (path, headers = {}) => request(path, { method: 'DELETE', headers }),
    post: send('POST'),
    patch: send('PATCH'),
    put: send('PUT'),
  };
}

/** Asks for any address, and waits no longer than any request may take. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return readAnswer(await fetch(url, { redirect: 'manual', signal, ...init }));
}

/** Path and query of an address of the service, which only a replica's own address leads to. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}

/** Waits until something holds, and fails when it takes longer than a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`It took longer than a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What `/readyz` says. */
export async function readiness(replica: Replica): Promise<Answer> {
  return ask(`${replica.webUrl}/readyz`);
}
