import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { blobDirectory, diskBlobStore } from '../../src/storage/blob/disk.ts';
import { storedBlobs } from './stored.ts';

describe('The blob store on the disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const store = diskBlobStore(blobDirectory(dataDir));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const from = (...chunks: (string | Uint8Array)[]) => Readable.from(chunks.map(Buffer.from));
  const textOf = async (key: string, range?: { start: number; end: number }) => {
    const bytes = await store.read(key, range);
    return bytes && (await buffer(bytes)).toString('latin1');
  };
  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of store.list()) found.push(key);
    return found.sort();
  }

  it('is empty, and asked in vain, before anything is written', async () => {
    assert.deepEqual(await keys(), []);
    assert.equal(await store.read('pages/00/none.html'), undefined);
    await store.delete('pages/00/none.html');
  });

  it('gives back what was written, whole and in part', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    await store.write('files/ab/one', from(bytes.subarray(0, 5), bytes.subarray(5)));
    const read = await store.read('files/ab/one');
    assert.ok(read && (await buffer(read)).equals(bytes));
    for (const [start, end] of [
      [0, 0],
      [0, 9],
      [299_999, 299_999],
      [1_000, 250_000],
    ] as const) {
      const part = await store.read('files/ab/one', { start, end });
      assert.ok(part && (await buffer(part)).equals(bytes.subarray(start, end + 1)));
    }
  });

  it('keeps nothing as something: an empty blob', async () => {
    await store.write('files/ab/empty', from());
    assert.equal(await textOf('files/ab/empty'), '');
  });

  it('lists each key once, with when it was written, and forgets what is deleted', async () => {
    const before = Date.now();
    await store.write('pages/cd/two.html', from('two'));
    assert.deepEqual(await keys(), ['files/ab/empty', 'files/ab/one', 'pages/cd/two.html']);
    for await (const { key, writtenAt } of store.list()) {
      if (key === 'pages/cd/two.html') assert.ok(Math.abs(writtenAt.getTime() - before) < 60_000);
    }
    await store.delete('pages/cd/two.html');
    await store.delete('pages/cd/two.html');
    assert.equal(await store.read('pages/cd/two.html'), undefined);
    assert.deepEqual(await keys(), ['files/ab/empty', 'files/ab/one']);
  });

  it('keeps nothing of a stream that fails, at whatever point', async () => {
    for (const chunks of [0, 1, 40]) {
      const failing = Readable.from(
        (async function* () {
          for (let chunk = 0; chunk < chunks; chunk++) yield Buffer.alloc(10_000);
          throw new Error('broken off');
        })(),
      );
      await assert.rejects(store.write('pages/ef/broken.html', failing), /broken off/);
      const destroyed = new Readable({ read() {} });
      destroyed.push(Buffer.alloc(10_000));
      const writing = store.write('pages/ef/broken.html', destroyed);
      destroyed.destroy();
      await assert.rejects(writing);
    }
    assert.deepEqual(storedBlobs(dataDir), ['files/ab/empty', 'files/ab/one']);
    assert.equal(await store.read('pages/ef/broken.html'), undefined);
  });

  it('keeps nothing where it cannot write', async () => {
    mkdirSync(join(blobDirectory(dataDir), 'pages'), { recursive: true });
    writeFileSync(join(blobDirectory(dataDir), 'pages/file'), '');
    await assert.rejects(store.write('pages/file/x.html', from('x')));
    assert.equal(await store.read('pages/file/x.html'), undefined);
    await store.delete('pages/file');
  });

  it('shows a blob only once it is whole', async () => {
    let more: () => void = () => {};
    const wait = new Promise<void>((resolve) => {
      more = resolve;
    });
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from('first ');
        await wait;
        yield Buffer.from('second');
      })(),
    );
    const writing = store.write('pages/aa/slow.html', slow);
    while (!storedBlobs(dataDir).some((key) => key.startsWith('pages/aa/'))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(await store.read('pages/aa/slow.html'), undefined);
    more();
    await writing;
    assert.equal(await textOf('pages/aa/slow.html'), 'first second');
  });

  it('takes many writers at once, of different keys and of one', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => store.write(`many/${at % 4}/${at}`, from(`${at}`))),
    );
    for (let at = 0; at < 40; at++) assert.equal(await textOf(`many/${at % 4}/${at}`), `${at}`);
    const texts = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(100_000));
    await Promise.all(texts.map((text) => store.write('one/key', from(text))));
    assert.ok(texts.includes((await textOf('one/key')) ?? ''));
    assert.equal(storedBlobs(dataDir).filter((key) => key.startsWith('one/')).length, 1);
  });

  it('lets a reader finish what is deleted meanwhile', async () => {
    const text = 'x'.repeat(1_000_000);
    await store.write('pages/bb/read.html', from(text));
    const reading = await store.read('pages/bb/read.html');
    await store.delete('pages/bb/read.html');
    assert.ok(reading && (await buffer(reading)).toString() === text);
    assert.equal(await store.read('pages/bb/read.html'), undefined);
  });
});
