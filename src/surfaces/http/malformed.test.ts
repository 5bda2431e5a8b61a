import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../../../test/chance.ts';
import { startService } from '../../../test/harness.ts';
import {
  assertRawError,
  exchange,
  lines,
  type RawAnswer,
  rawAnswer,
} from '../../../test/raw-http.ts';
import { until } from '../../../test/until.ts';

const HOST = 'Host: localhost';

/**
 * Bytes that could smuggle a request past a proxy are in test/security/request-smuggling.test.ts.
 */
describe('Malformed HTTP gets one JSON error and never hangs', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const ports = [service.config.port, service.config.renderPort];

  /** The same bytes to every port; each responds with an error and closes the connection. */
  async function refused(bytes: string, status = 400, end = false): Promise<void> {
    for (const port of ports) {
      const { answers, closed } = await exchange(port, bytes, { expected: 2, end });
      assert.equal(answers.length, 1, `${answers.length} answers to ${bytes.slice(0, 200)}`);
      assert.equal(answers[0]?.status, status, JSON.stringify(bytes.slice(0, 200)));
      assertRawError(answers[0] as RawAnswer, status, 'BAD_REQUEST');
      // Programs in browsers can't read it otherwise.
      assert.equal(answers[0]?.headers['access-control-allow-origin'], '*');
      assert.ok(closed);
    }
  }

  it('a URL or headers that are too long: 431', async () => {
    await refused(lines(`GET /${'x'.repeat(20_000)} HTTP/1.1`, HOST), 431);
    await refused(lines('GET / HTTP/1.1', HOST, `X-Long: ${'x'.repeat(20_000)}`), 431);
    await refused(lines('GET / HTTP/1.1', HOST, `X-${'x'.repeat(20_000)}: long`), 431);
    const many = Array.from({ length: 4_000 }, (_, index) => `X-${index}: x`);
    await refused(lines('GET / HTTP/1.1', HOST, ...many), 431);
    await refused(`GET /${'x'.repeat(1_000_000)}`, 431);
  });

  it('a URL with a segment that is too long: 400', async () => {
    const { port, renderPort } = service.config;
    for (const path of [`/api/users/${'x'.repeat(9_000)}`, `/${'x'.repeat(9_000)}/x`]) {
      const head = lines(`GET ${path} HTTP/1.1`, HOST, `Authorization: Bearer ${ada.token}`);
      assertRawError(await rawAnswer(port, head), 400, 'BAD_REQUEST', /^The address is too long/);
      assertRawError(await rawAnswer(renderPort, head), 404, 'NOT_FOUND');
    }
    const parts = lines(`GET /${'x/'.repeat(4_000)} HTTP/1.1`, HOST);
    for (const to of ports) assertRawError(await rawAnswer(to, parts), 404, 'NOT_FOUND');
  });

  it('unknown methods', async () => {
    for (const method of [
      'BREW',
      'get',
      'G\0T',
      'GET\t',
      '',
      'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    ]) {
      await refused(lines(`${method} / HTTP/1.1`, HOST));
    }
  });

  it('CONNECT', () => refused(lines('CONNECT localhost:80 HTTP/1.1', HOST)));

  it('CONNECT, then a reset connection: the service continues', async () => {
    for (const port of ports) {
      const socket = connect(port, '127.0.0.1');
      socket.write(lines('CONNECT localhost:80 HTTP/1.1', HOST));
      await once(socket, 'data');
      socket.resetAndDestroy();
    }
    // An unhandled error would end this process in one of the next ticks.
    await sleep(100);
    assert.equal((await ada.get('/user')).status, 200);
  });

  it('CONNECT after unread responses: their files are closed', async () => {
    for (const [name, size] of [
      ['large', 4_900_000],
      ['small', 200_000],
    ] as const) {
      const page = {
        name,
        html: newChance('malformed')
          .bytes(size / 2)
          .toString('hex'),
      };
      assert.equal((await ada.post('/user/pages', page)).status, 201);
    }
    const { blobs } = service.app.context;
    const { read } = blobs;
    const opened: Readable[] = [];
    blobs.read = async (...args) => {
      const bytes = await read.apply(blobs, args);
      if (bytes) opened.push(bytes);
      return bytes;
    };
    try {
      const socket = connect(service.config.renderPort, '127.0.0.1');
      socket.on('error', () => {}).pause();
      const pages = ['large', 'small', 'small'].map((name) => `GET /ada/${name} HTTP/1.1`);
      const heads = [...pages, 'CONNECT localhost:80 HTTP/1.1'];
      socket.write(heads.map((head) => lines(head, HOST)).join(''));
      // The second and third may or may not be open when the last head is read.
      await until('one is open', () => opened.length > 0);
      await sleep(200);
      socket.destroy();
      await until('all are closed', () => opened.every(({ closed }) => closed));
    } finally {
      blobs.read = read;
    }
  });

  it('no Host header, or two', async () => {
    const { port, renderPort } = service.config;
    for (const heads of [
      ['GET / HTTP/1.1'],
      ['GET / HTTP/1.1', HOST, HOST],
      ['GET /api/user HTTP/1.1', HOST, 'Host: example.com'],
      ['GET /nothing HTTP/1.1', HOST, 'host: localhost'],
    ]) {
      assertRawError(await rawAnswer(port, lines(...heads)), 400, 'BAD_REQUEST', /Host/);
      // All errors of the render host look the same.
      assertRawError(await rawAnswer(renderPort, lines(...heads)), 404, 'NOT_FOUND');
    }
  });

  it('other protocols and versions', async () => {
    const hello = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';
    for (const bytes of [
      lines('GET / HTTP/9.9', HOST),
      lines('GET / HTTPS/1.1', HOST),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `${hello}${'\0'.repeat(100)}`,
      'SSH-2.0-OpenSSH_9.2\r\n',
      'EHLO localhost\r\n',
      '\0\0\0\0\0\0\0\0\r\n\r\n',
      '{"jsonrpc":"2.0"}\r\n\r\n',
    ]) {
      await refused(bytes);
    }
  });

  it('a truncated request', async () => {
    await refused('GET / HT', 400, true);
    await refused(`GET / HTTP/1.1\r\n${HOST}\r\n`, 400, true);
    const half = lines('POST /api/user/orgs HTTP/1.1', HOST, 'Content-Length: 9');
    await exchange(service.config.port, `${half}{"a"`, { end: true, expected: 2 });
    // The service continues, whatever happened to that connection.
    assert.equal((await ada.get('/user')).status, 200);
  });

  it('Expect: 100-continue is accepted, others are refused', async () => {
    const body = '{"namespace":"expected","name":"x"}';
    const post = lines(
      'POST /api/user/orgs HTTP/1.1',
      HOST,
      `Authorization: Bearer ${ada.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    );
    const { answers } = await exchange(service.config.port, post + body);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    );
    for (const expectation of ['200-ok', '100-continued', 'x', '100-continue, x']) {
      const head = lines('GET / HTTP/1.1', HOST, `Expect: ${expectation}`);
      const { port, renderPort } = service.config;
      assertRawError(await rawAnswer(port, head), 400, 'BAD_REQUEST', /Expect/);
      assertRawError(await rawAnswer(renderPort, head), 404, 'NOT_FOUND');
    }
  });
});
