import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/core/config/read-config.ts';
import { createBodyQueue } from '../../src/surfaces/http/body-queue.ts';
import { createSurface } from '../../src/surfaces/http/surface.ts';
import { createUnread } from '../../src/surfaces/http/unread.ts';
import { createUser, startServe, within } from '../process.ts';
import { lines } from '../raw-http.ts';
import { clientMissing } from '../web/built-client.ts';

const HOST = 'Host: localhost';
const PAGE_BYTES = 5_000_000;

/** The timeout for headers, plus the interval of its check, plus a margin. */
const HEAD_CUT_WITHIN_MS = 25_000;
/** A stop waits for running requests, up to this long. */
const STOPPED_WITHIN_MS = 14_000;

/** A connection with scripted behaviour. */
interface Connection {
  socket: Socket;
  received(): string;
  /** Resolves when the service has closed it. */
  closed: Promise<void>;
}

async function open(port: number, bytes: string): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  if (bytes) socket.write(bytes);
  return { socket, received: () => received, closed };
}

describe('Slow clients and half-open connections', {
  skip: clientMissing,
  // They mostly wait.
  concurrency: true,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-slow-clients-'));

  const token = await createUser(dataDir, 'ada');
  const service = await startServe({ DATA_DIR: dataDir });
  const ports = [service.port, Number(new URL(service.renderUrl).port)];
  const made = await fetch(`${service.baseUrl}/user/pages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'large', html: 'x'.repeat(PAGE_BYTES) }),
  });
  assert.equal(made.status, 201);
  after(async () => {
    await service?.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Asserts that others are served normally. */
  async function assertServing(): Promise<void> {
    const signal = AbortSignal.timeout(30_000);
    const headers = { authorization: `Bearer ${token}` };
    const user = await fetch(`${service.baseUrl}/user`, { headers, signal });
    const page = await fetch(`${service.renderUrl}/ada/large`, { signal });
    assert.deepEqual([user.status, page.status], [200, 200]);
    assert.equal((await page.text()).length, PAGE_BYTES);
    await user.text();
  }

  const stalledBody = () =>
    `${lines(
      'POST /api/user/briefs HTTP/1.1',
      HOST,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    )}{"content":`;

  it('headers that don’t arrive get 408, and others are served', async () => {
    const heads = ['', 'G', 'GET / HTTP/1.1\r\n', `GET / HTTP/1.1\r\n${HOST}\r\nX: `];
    const opened = await Promise.all(
      ports.flatMap((port) =>
        Array.from({ length: 100 }, (_, at) => open(port, heads[at % 4] ?? '')),
      ),
    );
    // Some send a byte at a time, which must not keep them alive.
    const dripping = opened.filter((_, at) => at % 4 === 3);
    const drip = setInterval(() => {
      for (const { socket } of dripping) if (socket.writable) socket.write('x');
    }, 500);
    await assertServing();
    const all = Promise.all(opened.map(({ closed }) => closed));
    await within(all, 'cutting off heads', HEAD_CUT_WITHIN_MS).finally(() => clearInterval(drip));
    for (const { received } of opened) assert.match(received(), /^HTTP\/1\.1 408 /);
  });

  it('every slow phase of a client has a timeout', () => {
    const { server } = createSurface({
      config: readConfig({}),
      logger: pino({ level: 'silent' }),
      metrics: undefined,
      bodyQueue: createBodyQueue(),
      unread: createUnread(),
      surface: 'web',
      headers: {},
      renderError: () => ({ contentType: 'text/plain', body: '' }),
    });
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
    for (const ms of [headersTimeout, requestTimeout, keepAliveTimeout, timeout]) {
      assert.ok(ms > 0 && ms <= 330_000, `${ms}`);
    }
  });

  it('stalled bodies don’t delay other requests', async () => {
    const opened = await Promise.all(
      Array.from({ length: 200 }, () => open(service.port, stalledBody())),
    );
    await assertServing();
    for (const { socket } of opened) socket.destroy();
    await assertServing();
  });

  it('a hundred clients that don’t read a page of 5 MB cost little and delay no one', async () => {
    const memory = () => {
      const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
      return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) / 1024;
    };
    await assertServing();
    const before = memory();
    const opened: Connection[] = [];
    for (let index = 0; index < 100; index++) {
      const one = await open(ports[1] ?? 0, '');
      one.socket.pause();
      one.socket.write(lines('GET /ada/large HTTP/1.1', HOST));
      opened.push(one);
    }
    await assertServing();
    const grown = memory() - before;
    for (const { socket } of opened) socket.destroy();
    // Held in memory, this would be 500 MB.
    assert.ok(grown < 150, `${Math.round(grown)} MB`);
  });

  it('clients that reset the connection have no effect on the service', async () => {
    const all = [...ports.map((port) => [port, lines('GET /ada/large HTTP/1.1', HOST)] as const)];
    for (let round = 0; round < 50; round++) {
      for (const [port, bytes] of [...all, [service.port, stalledBody()] as const]) {
        const { socket } = await open(port, bytes);
        socket.resetAndDestroy();
      }
    }
    await assertServing();
  });

  for (const [what, bytes] of Object.entries<() => string>({
    'says nothing': () => '',
    'has sent half a head': () => `GET / HTTP/1.1\r\n${HOST}\r\nX: `,
    'has sent half a body': stalledBody,
    'reads nothing of its answer': () => lines('GET /ada/large HTTP/1.1', HOST),
    'could ask again': () => lines('GET /healthz HTTP/1.1', HOST),
  })) {
    it(`SIGTERM isn’t delayed by a client that ${what}`, async () => {
      const own = await startServe({ DATA_DIR: dataDir });
      const ownPorts = [own.port, Number(new URL(own.renderUrl).port)];
      const opened = await Promise.all(ownPorts.map((port) => open(port, bytes())));
      if (what.startsWith('reads')) for (const { socket } of opened) socket.pause();
      // Waits until the service has noticed them.
      await (await fetch(`${own.webUrl}/healthz`)).text();
      const start = performance.now();
      const { code, signal, stderr } = await within(own.kill('SIGTERM'), 'the stop', 30_000);
      const ms = performance.now() - start;
      assert.deepEqual([code, signal, stderr], [0, null, '']);
      assert.ok(ms < STOPPED_WITHIN_MS, `${Math.round(ms)} ms`);
      for (const { socket } of opened) socket.destroy();
    });
  }
});
