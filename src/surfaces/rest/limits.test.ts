import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { assertError } from '../../../test/harness.ts';
import { exchange, lines } from '../../../test/raw-http.ts';
import { databaseState } from '../../../test/state.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { type BodyRoute, startFurnished, withBytes } from './body-routes.testing.ts';

/** Specification, part "Size"; a KB is 1,024 bytes, a MB is 1,048,576. */
const BODY_LIMIT = { brief: 1_048_576, page: 6_291_456, other: 1_048_576 } as const;
const CONTENT_LIMIT = { brief: 921_600, page: 5_242_880 } as const;

describe('Limits of size', async () => {
  const furnished = await startFurnished();
  const ada = furnished.ada;
  after(() => furnished.service.stop());

  const state = () => databaseState(furnished.service.app.context);

  for (const kind of Object.values(KINDS)) {
    const { segment, contentField } = kind;
    const limit = CONTENT_LIMIT[kind.kind];

    /** Texts of exactly the limit, with characters of 1, 2, 3 and 4 bytes. */
    const atLimit = ['a', 'é', '€', '\u{1f600}'].map((character) => {
      const size = Buffer.byteLength(character);
      return character.repeat(limit / size) + 'a'.repeat(limit % size);
    });

    describe(`Content of a ${kind.kind}`, () => {
      it('exactly at the limit is accepted and returned completely', async () => {
        for (const [index, content] of atLimit.entries()) {
          assert.equal(Buffer.byteLength(content), limit);
          const name = `exact-${index}`;
          const made = await ada.post(`/user/${segment}`, { [contentField]: content, name });
          assert.equal(made.status, 201);
          const { data } = await ada.get(`/${segment}/ada/${name}`);
          assert.ok(data[contentField] === content, 'the content as it was sent');
        }
      });

      it('one byte over is 413 CONTENT_TOO_LARGE that names the field, and nothing is written', async () => {
        const before = await state();
        const over = atLimit.map((content) => ({ [contentField]: `${content}a`, name: 'over' }));
        const sendings = [
          ...over.map((body) => () => ada.post(`/user/${segment}`, body)),
          // Each other route gets one of them.
          () => ada.post(`/${segment}`, over[0]),
          () => ada.post(`/users/ada/${segment}`, over[1]),
          () => ada.post(`/orgs/engines/${segment}`, over[2]),
          () => ada.patch(`/${segment}/ada/notes`, { ...over[3], name: 'renamed' }),
        ];
        const message = new RegExp(
          `^${contentField}: the text has ${(limit + 1).toLocaleString('en')} bytes`,
        );
        for (const send of sendings) assertError(await send(), 413, 'CONTENT_TOO_LARGE', message);
        assert.deepEqual(await state(), before);
      });
    });
  }

  describe('Bodies', () => {
    it('exactly at the limit are read, on every route', async () => {
      for (const route of furnished.routes) {
        const { status, text } = await withBytes(route, padded('{"x":1}', bodyLimit(route)));
        assert.equal(status, 400, text);
      }
      const create = { method: 'POST', path: '/user/briefs', caller: ada } as const;
      const good = padded('{"content":"x","name":"padded"}', BODY_LIMIT.brief);
      assert.equal((await withBytes(create, good)).status, 201);
    });

    it('one byte over is 413 PAYLOAD_TOO_LARGE, whatever the content, and nothing is written', async () => {
      const before = await state();
      const tried = new Set<number>();
      for (const route of furnished.routes) {
        const size = bodyLimit(route) + 1;
        const valid = padded(JSON.stringify(route.valid), size);
        assertError(await withBytes(route, valid), 413, 'PAYLOAD_TOO_LARGE');
        // The text is never read, so only one route per limit gets the other texts.
        if (tried.has(size)) continue;
        tried.add(size);
        for (const text of ['{', '{"__proto__":1}', 'x']) {
          assertError(await withBytes(route, padded(text, size)), 413, 'PAYLOAD_TOO_LARGE');
        }
        assertError(await withBytes(route, valid, {}), 413, 'PAYLOAD_TOO_LARGE');
      }
      assert.deepEqual(await state(), before);
    });

    it('are ignored if there is no route: 404', async () => {
      const big = padded('{}', 8 * BODY_LIMIT.other);
      const nowhere = { method: 'POST', path: '/nothing', caller: ada } as unknown as BodyRoute;
      assertError(await withBytes(nowhere, big), 404, 'NOT_FOUND');
    });

    it('that are too large are read to their end, so that every client gets the error', async () => {
      const size = 2 * BODY_LIMIT.other;
      const head = lines(
        'POST /api/user/orgs HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${ada.token}`,
        'Content-Type: application/json',
        `Content-Length: ${size}`,
      );
      const next = lines('GET /api/nothing HTTP/1.1', 'Host: localhost');
      const bytes = head + padded('{}', size) + next;
      const { answers, closed } = await exchange(furnished.service.config.port, bytes, {
        expected: 2,
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [413, 401],
      );
      assert.equal(closed, false);
    });

    it('that are too large arrive whole before a connection closes that the client wants closed', async () => {
      const size = 4 * BODY_LIMIT.other;
      const socket = connect({ port: furnished.service.config.port, host: '127.0.0.1' });
      socket.write(
        lines(
          'POST /api/user/orgs HTTP/1.1',
          'Host: localhost',
          `Authorization: Bearer ${ada.token}`,
          `Content-Length: ${size}`,
          'Connection: close',
        ),
      );
      const [first] = await once(socket, 'data');
      assert.match(String(first), /^HTTP\/1.1 413 /);
      socket.resume().write(Buffer.alloc(size / 2));
      await ada.get('/user');
      assert.equal(socket.readableEnded, false);
      socket.write(Buffer.alloc(size / 2));
      await once(socket, 'end');
    });

    it('in chunks without a length: at the limit accepted, over it 413', async () => {
      // The transfer encoding makes no difference to routes.
      const byLimit = new Map(furnished.routes.map((route) => [bodyLimit(route), route]));
      for (const [limit, { method, path, caller, valid }] of byLimit) {
        const { token } = caller;
        const text = JSON.stringify({ ...valid, x: 1 });
        const exact = await sendChunked(method, path, token, padded(text, limit));
        assert.equal(exact.status, 400, exact.text);
        assert.match(exact.text, /x: is not a known field/);
        const over = await sendChunked(method, path, token, padded(text, limit + 1));
        assert.equal(over.status, 413);
        assert.equal(JSON.parse(over.text).error.code, 'PAYLOAD_TOO_LARGE');
      }
    });

    it('no token is 401 whatever the size', async () => {
      for (const token of [undefined, 'brf_x']) {
        const big = padded('{}', 8 * BODY_LIMIT.other);
        const { status, text } = await sendChunked('POST', '/user/briefs', token, big);
        assert.equal(status, 401, text);
      }
    });

    it('with a declared length over the limit are answered before they are sent', async () => {
      const { status, text } = await new Promise<{ status: number; text: string }>(
        (resolve, reject) => {
          const request = open(
            'POST',
            '/user/briefs',
            ada.token,
            { 'content-length': 1e12 },
            resolve,
          );
          request.on('error', reject);
          request.flushHeaders();
        },
      );
      assert.equal(status, 413, text);
      assert.equal(JSON.parse(text).error.code, 'PAYLOAD_TOO_LARGE');
    });
  });

  function bodyLimit({ path }: BodyRoute): number {
    if (/(^|\/)pages(\/|$)|^\/documents$/.test(path)) return BODY_LIMIT.page;
    return /(^|\/)briefs(\/|$)/.test(path) ? BODY_LIMIT.brief : BODY_LIMIT.other;
  }

  /** Sends bytes in chunks, as long as the service reads them. */
  async function sendChunked(
    method: string,
    path: string,
    token: string | undefined,
    bytes: string,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = open(method, path, token, { 'transfer-encoding': 'chunked' }, resolve);
      // A service that responds early can stop reading; only the response counts.
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') reject(error);
      });
      for (let at = 0; at < bytes.length; at += 65_536) request.write(bytes.slice(at, at + 65_536));
      request.end();
    });
  }

  function open(
    method: string,
    path: string,
    token: string | undefined,
    headers: Record<string, string | number>,
    done: (answer: { status: number; text: string }) => void,
  ) {
    const { port } = furnished.service.config;
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path: `/api${path}`,
      agent: false,
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    request.on('response', async (response) => {
      const chunks = await response.toArray();
      done({ status: response.statusCode as number, text: Buffer.concat(chunks).toString() });
      request.destroy();
    });
    return request;
  }
});

/** JSON, or a text that isn't, padded with white space to a size. */
function padded(text: string, size: number): string {
  return text.padEnd(size, ' ');
}
