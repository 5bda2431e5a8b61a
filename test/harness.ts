import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp, type Overrides } from '../src/app.ts';
import type { Config } from '../src/core/config/config.ts';
import { readConfig } from '../src/core/config/read-config.ts';
import { createAccount } from '../src/core/identity/account-service.ts';
import { createToken } from '../src/core/identity/token-service.ts';
import { closeThreads, openThreads, type Threads } from '../src/open-context.ts';
import { freePorts } from './free-ports.ts';
import { openApiChecker } from './openapi-checker.ts';
import { stackSettings } from './stack.ts';
import { atEnd, IS_WORKER } from './worker-end.ts';

/** The whole service in this process, with its own ports and data directory. */
export interface Service {
  app: App;
  config: Config;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  /** Creates an account and a token, and returns a client that uses them. */
  user(username: string): Promise<Client>;
  /** Returns a client with this token, or none. */
  client(token?: string): Client;
  /** Moves the service's clock, which continues from there. */
  advance(ms: number): void;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. Fails the test if it isn't. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
  /** `json.data`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any;
}

/** An API client. Checks every response against the OpenAPI document. */
export interface Client {
  username: string;
  token: string | undefined;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends any request below `{base_url}`, with `body` as it is. */
  request(path: string, init: RequestInit): Promise<Answer>;
}

/**
 * The threads of all services in this worker: a new thread takes longer to load its modules than most
 * tests run.
 */
let threads: Threads | undefined;

function sharedThreads(): Threads {
  if (!threads) {
    const opened = openThreads();
    atEnd.push(() => closeThreads(opened));
    const close = async () => {};
    threads = {
      markdown: { ...opened.markdown, close },
      searchThreads: { ...opened.searchThreads, close },
      texts: { ...opened.texts, close },
    };
  }
  return threads;
}

/** Names of what is deleted stay reserved, as in production. In other tests they are free at once. */
export const RESERVING_NAMES = { namespaceReservedMs: 90 * 24 * 60 * 60_000 };

/**
 * Starts the service. Rate limits are off and logs silent unless `settings` say otherwise.
 *
 * @param settings environment variables
 */
export async function startService(
  settings: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<Service> {
  const dataDir = settings.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const [port, renderPort] = await freePorts(2);
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    RENDER_PORT: String(renderPort),
    DATA_DIR: dataDir,
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_INVITATIONS: 'off',
    LOG_LEVEL: 'silent',
    ...(await stackSettings(dataDir)),
    ...settings,
  });
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead).toISOString();
  // A service that logs has its own threads, which log there.
  const isShared = IS_WORKER && !overrides.logger;
  const app = await createApp(config, {
    now,
    mailEveryMs: 50,
    namespaceReservedMs: 0,
    ...(isShared && { threads: sharedThreads() }),
    ...overrides,
  });
  await app.listen();
  const check = await checkerOf(config.baseUrl);
  const client = (token?: string, username = '') =>
    makeClient(config.baseUrl, check, token, username);
  return {
    app,
    config,
    webUrl: config.webUrl,
    baseUrl: config.baseUrl,
    renderUrl: config.renderUrl,
    client,
    async user(username) {
      await createAccount(app.context, { username, email: `${username}@example.com` });
      const lifetimeMs = undefined;
      const { token } = await createToken(app.context, { username, name: 'test', lifetimeMs });
      return client(token, username);
    },
    advance(ms) {
      ahead += ms;
    },
    async stop() {
      await app.close();
      if (!settings.DATA_DIR) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let checker: ReturnType<typeof openApiChecker> | undefined;

/**
 * Returns the check of answers, which is the same for every service: making the OpenAPI document takes
 * more than half of a service's start.
 */
async function checkerOf(baseUrl: string): Promise<ReturnType<typeof openApiChecker>> {
  checker ??= openApiChecker(await (await fetch(`${baseUrl}/openapi.json`)).json());
  return checker;
}

/**
 * Creates a client of the API at `baseUrl`.
 *
 * @param signal creates a signal for each request that aborts it if it takes too long
 */
export function makeClient(
  baseUrl: string,
  check: ReturnType<typeof openApiChecker>,
  token: string | undefined,
  username: string,
  signal: () => AbortSignal | null = () => null,
): Client {
  async function request(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(baseUrl + path, {
      redirect: 'manual',
      signal: signal(),
      ...init,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...init.headers },
    });
    const answer = await readAnswer(response);
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

/** A response with its body read. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
    get data() {
      return JSON.parse(text).data;
    },
  };
}

/** Asserts an error response with the standard fields and no others. */
export function assertError(answer: Answer, status: number, code: string, field?: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  // A conflict of texts has more fields, to resolve it.
  const isOfTexts = status === 409 && !answer.json.error.message.startsWith('documentId:');
  assert.deepEqual(Object.keys(answer.json), isOfTexts ? ['error', 'data'] : ['error']);
  assert.deepEqual(Object.keys(answer.json.error).sort(), ['code', 'message']);
  assert.equal(answer.json.error.code, code);
  if (field) assert.match(answer.json.error.message, field);
}
