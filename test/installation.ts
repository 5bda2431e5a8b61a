import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/core/config/read-config.ts';
import type { Context } from '../src/core/context.ts';
import { createAccount } from '../src/core/identity/account-service.ts';
import { createToken } from '../src/core/identity/token-service.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import { freePorts } from './free-ports.ts';
import { type Answer, type Client, makeClient, readAnswer } from './harness.ts';
import { openApiChecker } from './openapi-checker.ts';
import { type Running, startBriefs, succeed } from './process.ts';
import { stackSettings } from './stack.ts';
import { until } from './until.ts';

/** Every request is answered within this time, whatever happens to the back ends. */
const ANSWER_WITHIN_MS = 25_000;

const DEFAULTS = {
  HOST: '127.0.0.1',
  // The public addresses of the service, which need not resolve.
  WEB_URL: 'http://briefs.test',
  RENDER_URL: 'http://render.briefs.test',
  RATE_LIMIT_API: 'off',
  RATE_LIMIT_INVITATIONS: 'off',
};

/** One process of the service. Its URLs lead to it only. */
export interface Replica extends Running {
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  metricsUrl: string;
  client(user: Omit<User, 'at'>): Client;
}

/** A user who can talk to any replica. */
export interface User {
  username: string;
  token: string;
  at(replica: Replica): Client;
}

/** Several processes of the service with shared data. */
export interface Installation {
  /** The settings of all replicas. */
  settings: Record<string, string>;
  /** The running replicas. */
  replicas: Set<Replica>;
  /** Starts another replica on its own ports. */
  start(settings?: Record<string, string>): Promise<Replica>;
  /** Starts several replicas in parallel. */
  startAll(count: number, settings?: Record<string, string>): Promise<Replica[]>;
  /** Stops a replica. @returns its exit code */
  end(replica: Replica, signal: NodeJS.Signals): Promise<number | null>;
  /** Runs a command and returns its output. */
  run(...args: string[]): Promise<string>;
  /** Creates an account and a token. */
  user(username: string): Promise<User>;
  /** Runs work with the services' context. */
  look<T>(work: (context: Context) => Promise<T>): Promise<T>;
  /** Stops all replicas. Fails if one has crashed or exits with an error. */
  stop(): Promise<void>;
}

/** Prepares the stack under test, with a data directory that is deleted at the end. */
export async function createInstallation(
  settings: Record<string, string> = {},
): Promise<Installation> {
  // Created only by a configuration that stores something there.
  const dataDir = join(tmpdir(), `briefs-installation-${randomUUID()}`);
  const shared: Record<string, string> = {
    ...DEFAULTS,
    ...(await stackSettings(dataDir)),
    DATA_DIR: dataDir,
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
      // Another process took a port before the replica could listen.
      if (/Port \d+ is in use/.test(running.stderr())) return startOn(await freePorts(3), own);
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
    // All at once, so that they differ.
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

  async function look<T>(work: (context: Context) => Promise<T>): Promise<T> {
    const context = await openContext(readConfig(shared));
    try {
      return await work(context);
    } finally {
      await closeContext(context);
    }
  }

  return {
    settings: shared,
    replicas,
    startAll,
    start: async (own) => (await startAll(1, own))[0] as Replica,
    end,
    run: (...args) => succeed(args, shared),
    async user(username) {
      const token = await look(async (context) => {
        await createAccount(context, { username, email: `${username}@example.com` });
        return createToken(context, { username, name: 'test', lifetimeMs: undefined });
      });
      const user = { username, token: token.token };
      return { ...user, at: (replica) => replica.client(user) };
    },
    look,
    async stop() {
      const codes = await Promise.all([...replicas].map((replica) => end(replica, 'SIGTERM')));
      const kept = existsSync(dataDir) ? readdirSync(dataDir) : [];
      rmSync(dataDir, { recursive: true, force: true });
      assert.ok(
        codes.every((code) => code === 0),
        `exit codes ${codes}`,
      );
      if (!keepsItsData(shared)) {
        assert.deepEqual(kept, [], 'a replica keeps nothing on its own disk');
      }
    },
  };
}

function keepsItsData({ DATABASE_URL, REDIS_URL, BLOB_URL }: Record<string, string>): boolean {
  return !(DATABASE_URL && REDIS_URL && BLOB_URL);
}

type Check = ReturnType<typeof openApiChecker>;

/** An API client for one replica. Checks every response against the OpenAPI document. */
function clientOf(baseUrl: string, { username, token }: Omit<User, 'at'>, check: Check): Client {
  return makeClient(baseUrl, check, token, username, inTime);
}

/** Requests any URL, with the time limit of all requests. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  return readAnswer(await fetch(url, { redirect: 'manual', signal: inTime(), ...init }));
}

function inTime(): AbortSignal {
  return AbortSignal.timeout(ANSWER_WITHIN_MS);
}

/** Returns path and query of a URL of the service, to request them from one replica. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}

/** Returns the response of `/readyz`. */
export async function readiness(replica: Replica): Promise<Answer> {
  return ask(`${replica.webUrl}/readyz`);
}

/** Asserts an error response that tells to retry later. */
export function assertUnavailable(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.json.error.code, 'UNAVAILABLE');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
}
