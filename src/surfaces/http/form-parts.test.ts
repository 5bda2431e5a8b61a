import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import multipart from '@fastify/multipart';
import Fastify from 'fastify';
import { formParts } from './form-parts.ts';

const PARTS = 600;
const PART = `--B\r\ncontent-disposition: form-data; name="a"; filename="b"\r\n\r\n${'x'.repeat(1_900)}\r\n`;
/** How much Node reads from a connection at once. */
const CHUNK_BYTES = 64 * 1024;

describe('The parts of a form', async () => {
  /** The event-loop iterations in which parts arrived. */
  let came: number[];
  let iteration = 0;
  let isOver = false;

  const app = Fastify();
  await app.register(multipart);
  app.post<{ Querystring: { most: number } }>('/', async (request) => {
    let count = 0;
    for await (const part of formParts(request)) {
      came.push(iteration);
      if (part.type === 'file') part.file.resume();
      if (++count === Number(request.query.most)) break;
    }
    return { count };
  });
  await app.listen();
  const { port } = app.server.address() as { port: number };
  void (async () => {
    for (; !isOver; iteration++) await nextTurn();
  })();
  after(async () => {
    isOver = true;
    await app.close();
  });

  /** Sends forms on one connection, as fast as it accepts them. */
  async function send(...most: number[]): Promise<string> {
    came = [];
    const body = `${PART.repeat(PARTS)}--B--\r\n`;
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    for (const [index, count] of most.entries()) {
      const head = [
        `POST /?most=${count} HTTP/1.1`,
        'Host: localhost',
        ...(index === most.length - 1 ? ['Connection: close'] : []),
        'Content-Type: multipart/form-data; boundary=B',
        `Content-Length: ${body.length}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    }
    await once(socket, 'close');
    return received;
  }

  it('are parsed in chunks, between which other requests are served', async () => {
    assert.match(await send(PARTS), /\{"count":600\}/);
    const chunks = (PARTS * PART.length) / CHUNK_BYTES;
    assert.ok(new Set(came).size >= chunks, `${new Set(came).size} iterations, ${chunks} chunks`);
  });

  it('can be abandoned, and the connection remains usable', async () => {
    const received = await send(3, PARTS);
    assert.match(received, /\{"count":3\}.*\{"count":600\}/s);
  });
});
