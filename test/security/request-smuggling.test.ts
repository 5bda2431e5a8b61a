import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { freePorts } from '../free-ports.ts';
import { startService } from '../harness.ts';
import { assertRawError, exchange, lines, type RawAnswer } from '../raw-http.ts';

const HOST = 'Host: localhost';
/** A request that must never be answered. */
const SMUGGLED = lines('GET /healthz HTTP/1.1', HOST);

describe('Request smuggling fails with', async () => {
  let metricsPort: number;

  [metricsPort = 0] = await freePorts(1);
  const service = await startService({ METRICS_PORT: String(metricsPort) });
  after(() => service.stop());
  const ada = await service.user('ada');
  const ports = [service.config.port, service.config.renderPort];

  /** The same bytes to every port; each responds with one error and closes the connection. */
  async function refused(bytes: string, end = false): Promise<void> {
    for (const port of ports) {
      const { answers, closed } = await exchange(port, bytes, { expected: 2, end });
      assert.equal(answers.length, 1, `${answers.length} answers to ${bytes.slice(0, 200)}`);
      assert.equal(answers[0]?.status, 400, JSON.stringify(bytes.slice(0, 200)));
      assertRawError(answers[0] as RawAnswer, 400, 'BAD_REQUEST');
      assert.ok(closed);
    }
    // The metrics port may have answered before the body turns out to be invalid.
    const { answers, closed } = await exchange(metricsPort, bytes, { expected: 3, end });
    const statuses = answers.map(({ status }) => status);
    assert.ok(!statuses.includes(200) && statuses.indexOf(404, 1) < 0, `${statuses} ${bytes}`);
    assert.ok(closed);
  }

  it('two lengths, or an invalid one', async () => {
    const post = ['POST /api/user/briefs HTTP/1.1', HOST, `Authorization: Bearer ${ada.token}`];
    for (const lengths of [
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 4'],
      ['Content-Length: 4', 'Content-Length: 5'],
      ['Content-Length: 4', 'Content-Length: 4'],
      ['Content-Length: 4, 5'],
      ['Content-Length: +4'],
      ['Content-Length: -1'],
      ['Content-Length: 0x4'],
      ['Content-Length: 4 4'],
      ['Content-Length: 99999999999999999999'],
      ['Content-Length:'],
      ['Content-Length: 4\v'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
      ['Transfer-Encoding: "chunked"'],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
      ['Transfer-Encoding : chunked'],
      ['Transfer-Encoding\t: chunked'],
      ['Transfer-Encoding:\v chunked'],
      [
        'X: y\r\n Transfer-Encoding: chunked',
        'Transfer-Encoding:\r\n chunked',
        'Content-Length: 4',
      ],
    ]) {
      await refused(`${lines(...post, ...lengths)}0\r\n\r\n${SMUGGLED}`);
    }
  });

  it('invalid chunks', async () => {
    const post = lines('POST /api/user/briefs HTTP/1.1', HOST, 'Transfer-Encoding: chunked');
    for (const chunks of [
      'x\r\n',
      '-1\r\n',
      '0x1\r\nx\r\n',
      '1\r\nxx\r\n',
      '1\nx\n0\n\n',
      'f'.repeat(20),
    ]) {
      const { answers, closed } = await exchange(
        service.config.port,
        `${post}${chunks}\r\n0\r\n\r\n${SMUGGLED}`,
        { expected: 3 },
      );
      // Without a token, 401 may come before the body is read; the hidden request is never
      // answered.
      const statuses = answers.map(({ status }) => status).join();
      assert.ok(['400', '401', '401,400'].includes(statuses), `${chunks}: ${statuses}`);
      assert.ok(closed);
    }
  });

  it('control characters: bare CR, NUL, misplaced white space', async () => {
    for (const head of [
      `GET / HTTP/1.1\r${HOST}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\rX: y\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\nX: a\rb\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\n\r \r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\nX: a\0b\r\n\r\n`,
      `GET /\0 HTTP/1.1\r\n${HOST}\r\n\r\n`,
      `GET /\x7f\x01 HTTP/1.1\r\n${HOST}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost : localhost\r\n\r\n`,
      `GET / HTTP/1.1\r\n Host: localhost\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\n: empty\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\nX Y: z\r\n\r\n`,
      `GET / HTTP/1.1\r\n${HOST}\r\nno colon\r\n\r\n`,
      `GET / x HTTP/1.1\r\n${HOST}\r\n\r\n`,
    ]) {
      await refused(head + SMUGGLED, true);
    }
  });

  it('folded header lines (obs-fold), and invalid line ends', async () => {
    const get = `GET / HTTP/1.1\r\n${HOST}\r\n`;
    for (const rest of [
      'X: a\r\n b\r\n\r\n',
      'X: a\r\n\tb\r\n\r\n',
      'Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n',
      'Content-Length:\r\n 4\r\n\r\nabcd',
      'X: a\n\rGET /healthz HTTP/1.1\r\n\r\n',
      'X: a\r\r\n\r\n',
    ]) {
      await refused(get + rest + SMUGGLED, true);
    }
  });

  it('chunks whose extensions or trailers contain a request', async () => {
    const { port } = service.config;
    const post = lines(
      'POST /api/user/briefs HTTP/1.1',
      HOST,
      `Authorization: Bearer ${ada.token}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    for (const chunks of [
      `2;a\r\n{}\r0\r\n\r\n`,
      `2;\n{}\r\n0\r\n\r\n`,
      `2\r{}\r\n0\r\n\r\n`,
      `2\n{}\n0\n\n`,
      `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      `10000000000000002\r\n{}\r\n0\r\n\r\n`,
      `00000000000000000000000000000002x\r\n{}\r\n0\r\n\r\n`,
    ]) {
      const { answers, closed } = await exchange(port, post + chunks + SMUGGLED, { expected: 2 });
      const final = answers.filter(({ status }) => status >= 200);
      assert.equal(final.length, 1, JSON.stringify(chunks.slice(0, 60)));
      assert.ok(
        [400, 413].includes(final[0]?.status ?? 0),
        `${final[0]?.status} ${chunks.slice(0, 60)}`,
      );
      assert.ok(closed);
    }
    assert.equal((await ada.get('/user/briefs')).data.length, 0, 'nothing was made');
  });

  it('an unexpected body, which isn’t read as the next request', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
      for (const port of ports) {
        const bytes = `${lines(`${method} /ada/missing HTTP/1.1`, HOST, `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`;
        const next = lines('GET /ada/next HTTP/1.1', HOST);
        const { answers } = await exchange(port, bytes + next, {
          expected: 2,
          headOnly: method === 'HEAD',
        });
        // Either the next request is answered, or the connection is closed; the hidden request is
        // never answered.
        for (const { status } of answers) assert.notEqual(status, 200, `${method} ${port}`);
      }
    }
  });

  it('data after an upgrade request, which isn’t treated as another protocol', async () => {
    const head = lines(
      'GET /ada/missing HTTP/1.1',
      HOST,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    );
    for (const port of ports) {
      const { answers } = await exchange(port, head);
      assert.equal(answers[0]?.status, 404);
    }
  });
});
