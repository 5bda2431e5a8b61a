import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { assertRawError, exchange, lines, rawAnswer } from '../../../test/raw-http.ts';

const HOST = 'Host: localhost';

describe('Unusual valid requests', async () => {
  const service = await startService();
  after(() => service.stop());
  const port = service.config.port;
  const ada = await service.user('ada');
  const authorization = `Authorization: Bearer ${ada.token}`;
  await ada.post('/user/briefs', { content: '# Notes', name: 'notes' });

  it('pipelined requests are answered in order, including errors', async () => {
    const requests = [
      ['GET /api/user HTTP/1.1', HOST, authorization],
      ['GET /api/users/%zz HTTP/1.1', HOST, authorization],
      ['GET /ada/notes HTTP/1.1', HOST],
      ['GET /api/user HTTP/1.1', HOST],
      ['DELETE /api/briefs/ada/missing HTTP/1.1', HOST, authorization],
      ['GET /ada/missing HTTP/1.1', HOST],
      ['GET /healthz HTTP/1.1', HOST],
    ];
    const bytes = requests.map((request) => lines(...request)).join('');
    const { answers } = await exchange(port, bytes, { expected: requests.length });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 200, 401, 404, 404, 200],
    );
    assert.equal(answers[2]?.body, '# Notes');
    const ids = new Set(answers.map(({ headers }) => headers['x-request-id']));
    assert.equal(ids.size, requests.length);
  });

  it('invalid data after the headers is rejected before the response', async () => {
    const head = ['GET /ada/notes HTTP/1.1', HOST];
    for (let times = 0; times < 5; times += 1) {
      assert.equal((await rawAnswer(port, lines(...head))).status, 200);
      const malformed = `${lines(...head, 'Transfer-Encoding: chunked')}zz\r\n`;
      assertRawError(await rawAnswer(port, malformed), 400, 'BAD_REQUEST');
    }
  });

  it('a request sent byte by byte is accepted', async () => {
    const request = lines('GET /api/user HTTP/1.1', HOST, authorization);
    const { answers } = await exchange(port, `\r\n\r\n${request}`);
    assert.equal(answers[0]?.status, 200);
  });

  it('an absolute-form request target is accepted', async () => {
    for (const origin of ['http://localhost', `http://localhost:${port}`, 'HTTP://LOCALHOST']) {
      const api = lines(`GET ${origin}/api/user HTTP/1.1`, HOST, authorization);
      assert.match((await rawAnswer(port, api)).body, /"username":"ada"/);
      const web = lines(`GET ${origin}/ada/notes HTTP/1.1`, HOST);
      assert.equal((await rawAnswer(port, web)).body, '# Notes');
    }
    const list = lines(
      'GET http://localhost/api/user/briefs?per_page=1 HTTP/1.1',
      HOST,
      authorization,
    );
    const { headers } = await rawAnswer(port, list);
    assert.ok(headers.link?.startsWith(`<${service.baseUrl}/user/briefs?per_page=1&page=1>`));
  });

  it('HTTP/1.0 needs no Host, and its connection closes', async () => {
    const { answers, closed } = await exchange(port, lines('GET /ada/notes HTTP/1.0'), {
      expected: 2,
    });
    assert.equal(answers[0]?.body, '# Notes');
    assert.ok(closed);
  });

  it('Connection: close is respected', async () => {
    const head = lines('GET /api/user HTTP/1.1', HOST, 'Connection: close');
    const { answers, closed } = await exchange(port, head, { expected: 2 });
    assertRawError(answers[0] as (typeof answers)[0], 401, 'UNAUTHORIZED');
    assert.ok(closed);
  });

  it('an unsupported upgrade is ignored', async () => {
    for (const protocol of ['websocket', 'h2c']) {
      const head = lines(
        'GET /api/user HTTP/1.1',
        HOST,
        authorization,
        'Connection: Upgrade',
        `Upgrade: ${protocol}`,
      );
      assert.equal((await rawAnswer(port, head)).status, 200);
    }
  });

  it('unsupported methods: 405 with a token, 401 without', async () => {
    for (const method of ['PUT', 'POST', 'TRACE', 'PROPFIND', 'PURGE', 'SEARCH', 'LOCK']) {
      const head = [`${method} /api/user HTTP/1.1`, HOST, 'Content-Length: 0'];
      const answer = await rawAnswer(port, lines(...head, authorization));
      assertRawError(answer, 405, 'METHOD_NOT_ALLOWED');
      assertRawError(await rawAnswer(port, lines(...head)), 401, 'UNAUTHORIZED');
    }
  });

  it('writes to the web host: 405, to the render host: 404', async () => {
    for (const [to, status, code] of [
      [port, 405, 'METHOD_NOT_ALLOWED'],
      [service.config.renderPort, 404, 'NOT_FOUND'],
    ] as const) {
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE', 'TRACE', 'PURGE', 'OPTIONS']) {
        for (const path of ['/', '/ada', '/ada/notes', '/assets/x', '/healthz']) {
          const head = lines(
            `${method} ${path} HTTP/1.1`,
            HOST,
            'Content-Length: 0',
            authorization,
          );
          const answer = await rawAnswer(to, head);
          assertRawError(answer, status, code);
          if (to === port) assert.equal(answer.headers.allow, 'GET, HEAD', `${method} ${path}`);
        }
      }
    }
    assert.equal((await ada.get('/briefs/ada/notes')).status, 200);
  });

  it('OPTIONS *: 404', async () => {
    assertRawError(await rawAnswer(port, lines('OPTIONS * HTTP/1.1', HOST)), 404, 'NOT_FOUND');
  });

  it('OPTIONS outside a preflight: 204, with and without a token', async () => {
    for (const path of ['user', 'briefs/ada/notes', 'mcp', 'oauth/token', 'oauth/register']) {
      for (const more of [[], [authorization], ['Origin: https://example.com']]) {
        const answer = await rawAnswer(port, lines(`OPTIONS /api/${path} HTTP/1.1`, HOST, ...more));
        assert.equal(answer.status, 204, path);
        assert.equal(answer.body, '');
        assert.equal(answer.headers['access-control-allow-origin'], '*');
      }
    }
  });

  it('path traversal and invalid UTF-8 on the web host: a JSON error', async () => {
    for (const [path, status] of [
      ['/ada/%zz', 400],
      ['/%c0%80', 400],
      ['/ada/%ff', 400],
      ['/assets/%zz', 400],
      ['/ada/..%2fnotes', 404],
      ['/ada/%2e%2e', 404],
      ['/assets', 404],
      ['/ada\\notes', 404],
      ['//ada/notes', 404],
      ['/ada//notes', 404],
      ['/ada/notes%00', 404],
      ['/ada/notes.md.md', 404],
    ] as const) {
      const answer = await rawAnswer(port, lines(`GET ${path} HTTP/1.1`, HOST));
      const code = status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND';
      assertRawError(answer, status, code);
      assert.doesNotMatch(answer.body, /dist|\/work|node_modules|stack/i);
    }
  });

  it('files outside the assets can’t be read', async () => {
    for (const path of [
      '../manifest.json',
      '..%2fmanifest.json',
      '%2e%2e/manifest.json',
      '%2e%2e%2f%2e%2e%2fpackage.json',
      '..\\manifest.json',
      '..%5cmanifest.json',
      './/..//manifest.json',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      '%00',
    ]) {
      const answer = await rawAnswer(port, lines(`GET /assets/${path} HTTP/1.1`, HOST));
      assertRawError(answer, 404, 'NOT_FOUND');
    }
  });
});
