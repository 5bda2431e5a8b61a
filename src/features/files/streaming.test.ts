import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { uploadForm } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { STACK } from '../../../test/stack.ts';

const UPLOADS = 10;
const SIZE = 10 * 1024 * 1024;
/** Sent before the measurement; the service then waits for the rest. */
const SENT = SIZE - 100_000;

/** Runs the garbage collector, so that a measurement shows what is really in use. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}

describe('Uploads on their way', async () => {
  const open = new Set<Socket>();
  const temporary = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const { TMPDIR } = process.env;

  process.env.TMPDIR = temporary;
  const service = await startService();
  const ada = await service.user('ada');
  after(async () => {
    for (const socket of open) socket.destroy();
    await service.stop();
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(temporary, { recursive: true });
  });

  it(`are streamed to disk: ${UPLOADS} of 10 MB at once don’t fill the memory`, async () => {
    const { body, headers } = uploadForm({ bytes: Buffer.alloc(SIZE, 'x') });
    collectGarbage();
    const before = process.memoryUsage();
    const sockets = await Promise.all(
      Array.from({ length: UPLOADS }, () => begin(body.subarray(0, SENT), body.length, headers)),
    );
    // Uploads to other stores wait in temporary files until they are complete.
    const place = STACK === 'embedded' ? join(service.config.dataDir, 'blobs') : temporary;
    mkdirSync(place, { recursive: true });
    const onDisk = () =>
      readdirSync(place, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
    // Some of the data is in buffers of streams and sockets; most must be on the disk.
    for (let tries = 0; tries < 1_000; tries++) {
      const sizes = onDisk();
      if (sizes.length === UPLOADS && sizes.every((size) => size > SENT - 1_000_000)) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const sizes = onDisk();
    assert.equal(sizes.length, UPLOADS);
    for (const size of sizes) assert.ok(size > SENT - 1_000_000, `${size} bytes on the disk`);
    collectGarbage();
    const now = process.memoryUsage();
    const grown = now.heapUsed + now.external - before.heapUsed - before.external;
    assert.ok(grown < (UPLOADS * SIZE) / 4, `${Math.round(grown / 1024)} KB more in memory`);

    const answers = await Promise.all(sockets.map((socket) => finish(socket, body.subarray(SENT))));
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 201 /);
    const { data } = await ada.get('/user/files');
    assert.equal(data.length, UPLOADS);
    for (const { sizeBytes } of data) assert.equal(sizeBytes, SIZE);
  });

  async function begin(
    bytes: Buffer,
    length: number,
    headers: Record<string, string>,
  ): Promise<Socket> {
    const socket = connect({ port: service.config.port, host: '127.0.0.1' });
    open.add(socket);
    const head = [
      'POST /api/user/files HTTP/1.1',
      `Host: ${new URL(service.baseUrl).host}`,
      `Authorization: Bearer ${ada.token}`,
      `Content-Type: ${headers['content-type']}`,
      `Content-Length: ${length}`,
      'Connection: close',
    ].join('\r\n');
    socket.write(`${head}\r\n\r\n`);
    socket.write(bytes);
    return socket;
  }

  function finish(socket: Socket, bytes: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
      socket.write(bytes);
    });
  }
});
