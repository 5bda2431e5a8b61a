import { strict as assert } from 'node:assert';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../../test/free-ports.ts';
import { type BlobStore, BlobStoreUnavailable, type S3Location } from './blob.ts';
import { from, MEGABYTE } from './blob-contract.testing.ts';
import { openS3BlobStore, TIMEOUTS } from './s3.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

const timeouts = { ...TIMEOUTS, answer: 500, piece: 200, whole: 2_000, open: 500 };

/** Faults that a working store seldom has, by a server that follows a script. */
describe('The blob store in S3: faults', () => {
  /** The remaining responses, in order; the last one repeats. */
  let script: Answer[] = [];
  let asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    asked.push(request.method ?? '');
    const answer = script.length > 1 ? script.shift() : script[0];
    answer?.(request, response, body);
  });
  const opened: BlobStore[] = [];

  async function open(...answers: Answer[]): Promise<BlobStore> {
    if (!server.listening) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    script = [status(200)];
    const store = await openS3BlobStore(at((server.address() as AddressInfo).port), timeouts);
    opened.push(store);
    script = answers;
    asked = [];
    return store;
  }
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('repeats a write that conflicted with another', async () => {
    const store = await open(failure(409, 'ConditionalRequestConflict'), status(200));
    await store.write('key', from('text'));
    assert.deepEqual(asked, ['PUT', 'PUT']);
  });

  it('detects that a write with a lost response succeeded', async () => {
    let kept: Buffer = Buffer.alloc(0);
    const losing: Answer = (_, response, body) => {
      kept = body;
      response.destroy();
    };
    const store = await open(losing, failure(412, 'PreconditionFailed'), (_, response) =>
      response.end(kept),
    );
    await store.write('key', from('text'));
    assert.deepEqual(asked, ['PUT', 'PUT', 'GET']);
    assert.equal(kept.toString(), 'text');
  });

  it('refuses a key with other content of any length', async () => {
    for (const other of ['', 'tex', 'tEXT', 'texts']) {
      const store = await open(failure(412, 'PreconditionFailed'), (_, response) =>
        response.end(other),
      );
      await assert.rejects(store.write('key', from('text')), /the key key is taken/);
    }
  });

  it('sends all bytes at each attempt', async () => {
    const bodies: string[] = [];
    const refusing: Answer = (request, response, body) => {
      bodies.push(body.toString());
      failure(503, 'ServiceUnavailable')(request, response, body);
    };
    const store = await open(refusing);
    await assert.rejects(store.write('key', from('text')), BlobStoreUnavailable);
    assert.deepEqual(bodies, ['text', 'text', 'text']);
  });

  it('passes on refusals unchanged', async () => {
    const store = await open(failure(403, 'AccessDenied'));
    const isRefusal = (error: Error) =>
      error.name === 'AccessDenied' && !(error instanceof BlobStoreUnavailable);
    await assert.rejects(store.write('key', from('text')), isRefusal);
    await assert.rejects(store.read('key'), isRefusal);
    await assert.rejects(store.delete('key'), isRefusal);
    assert.deepEqual(asked, ['PUT', 'GET', 'DELETE']);
  });

  it('fails a stream whose connection breaks, even before it is read', async () => {
    const store = await open((_, response) => {
      response.writeHead(200, { 'content-length': MEGABYTE });
      response.write('only the beginning');
      setTimeout(() => response.destroy(), 20);
    });
    const first = (await store.read('key')) as Readable;
    await sleep(100);
    await assert.rejects(buffer(first), BlobStoreUnavailable);
    const second = (await store.read('key')) as Readable;
    await assert.rejects(buffer(second), BlobStoreUnavailable);
  });

  it('fails a stalled stream, but never because of a slow reader', async () => {
    let rest: () => void = () => {};
    const store = await open((_, response) => {
      response.writeHead(200, { 'content-length': 8 * MEGABYTE });
      response.write(Buffer.alloc(7 * MEGABYTE));
      rest = () => response.end(Buffer.alloc(MEGABYTE));
    });
    const standing = (await store.read('key')) as Readable;
    await assert.rejects(buffer(standing), BlobStoreUnavailable);

    const reading = (await store.read('key')) as Readable;
    rest();
    let length = 0;
    for await (const piece of reading) {
      if (length === 0) await sleep(timeouts.piece * 3);
      length += piece.length;
    }
    assert.equal(length, 8 * MEGABYTE);
  });

  it('reports in one line that nothing answers', async () => {
    const [port = 0] = await freePorts(1);
    await assert.rejects(openS3BlobStore(at(port), timeouts), {
      message: `BLOB_URL: no answer from the blob store (ECONNREFUSED) at http://127.0.0.1:${port}`,
    });
  });

  it('reports in one line that credentials are missing', async () => {
    const environment = { ...process.env };
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('AWS_')) delete process.env[name];
    }
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = '/dev/null';
    try {
      const location = { ...at(1), credentials: undefined };
      await assert.rejects(
        openS3BlobStore(location, timeouts),
        /^Error: BLOB_URL: .*Could not load credentials.*$/,
      );
    } finally {
      process.env = environment;
    }
  });
});

function at(port: number): S3Location {
  return {
    bucket: 'bucket',
    prefix: '',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'KEY', secretAccessKey: 'secret' },
  };
}

function status(code: number): Answer {
  return (_, response) => response.writeHead(code).end();
}

function failure(code: number, name: string): Answer {
  return (_, response) =>
    response
      .writeHead(code, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>no</Message></Error>`);
}
