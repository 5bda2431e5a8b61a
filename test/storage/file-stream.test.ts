import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import type { ByteRange } from '../../src/storage/blob/blob.ts';
import { FileStream } from '../../src/storage/blob/file-stream.ts';

describe('FileStream', () => {
  const directory = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const path = join(directory, 'file');
  const content = randomBytes(1_000_000);
  writeFileSync(path, content);
  after(() => rmSync(directory, { recursive: true }));

  const streamOf = async (range?: ByteRange) => {
    const file = await open(path);
    return { file, stream: new FileStream(file, range) };
  };

  const RANGES: (ByteRange | undefined)[] = [
    undefined,
    { start: 0, end: 0 },
    { start: 0, end: 65_535 },
    { start: 1, end: 65_536 },
    { start: 999_999, end: 999_999 },
    { start: 500_000, end: 2_000_000 },
  ];
  const WAYS: Record<string, (stream: Readable) => Promise<Buffer>> = {
    read: (stream) => buffer(stream),
    'piped through other streams': (stream) =>
      buffer(stream.pipe(new PassThrough()).pipe(new PassThrough({ highWaterMark: 2_000_000 }))),
    'piped into an answer': async (stream) => {
      const { url, close } = await answering((response) => stream.pipe(response));
      const bytes = await (await fetch(url)).arrayBuffer();
      await close();
      return Buffer.from(bytes);
    },
  };
  for (const [way, take] of Object.entries(WAYS)) {
    it(`returns all bytes of a range, ${way}`, async () => {
      for (const range of RANGES) {
        const { file, stream } = await streamOf(range);
        const expected = range ? content.subarray(range.start, range.end + 1) : content;
        assert.ok((await take(stream)).equals(expected), JSON.stringify(range));
        if (!stream.closed) await once(stream, 'close');
        assert.equal(file.fd, -1);
      }
    });
  }

  it('closes its file when the reader leaves', async () => {
    const { file, stream } = await streamOf();
    stream.on('error', () => {});
    const { url, close } = await answering((response) => {
      stream.pipe(response);
      response.once('close', () => stream.destroy());
    });
    const leaving = new AbortController();
    const { body } = await fetch(url, { signal: leaving.signal });
    await body?.getReader().read();
    leaving.abort();
    await new Promise<void>((resolve) => stream.once('close', resolve));
    assert.equal(file.fd, -1);
    await close();
  });
});

/** A server that gives the same response to every request. */
async function answering(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}
