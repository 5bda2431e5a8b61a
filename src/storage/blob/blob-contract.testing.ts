import { strict as assert } from 'node:assert';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import type { BlobStore, ByteRange } from './blob.ts';

import { HOSTILE_KEYS } from './hostile-keys.testing.ts';

export const MEGABYTE = 1024 * 1024;

/** A stream of these pieces. */
export function from(...pieces: (string | Uint8Array)[]): Readable {
  return Readable.from(pieces.map((piece) => Buffer.from(piece)));
}

/** Bytes in which every position differs from its neighbours. */
export function patternOf(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 256));
}

export async function bytesOf(
  store: BlobStore,
  key: string,
  range?: ByteRange,
): Promise<Buffer | undefined> {
  const bytes = await store.read(key, range);
  return bytes && (await buffer(bytes));
}

export async function textOf(store: BlobStore, key: string): Promise<string | undefined> {
  return (await bytesOf(store, key))?.toString('latin1');
}

/** Every key, sorted. */
export async function keysOf(store: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}

/** The contract of every blob store, as tests in this order of an initially empty store. */
export function itIsABlobStore(open: () => BlobStore): void {
  it('starts empty', async () => {
    const store = open();
    await store.ping();
    assert.deepEqual(await keysOf(store), []);
    assert.equal(await store.read('pages/00/none.html'), undefined);
    assert.equal(await store.read('pages/00/none.html', { start: 0, end: 1 }), undefined);
    await store.delete('pages/00/none.html');
  });

  it('returns what was written, whole and in part', async () => {
    const store = open();
    const bytes = patternOf(300_000);
    await store.write('files/ab/one', from(bytes.subarray(0, 5), bytes.subarray(5)));
    assert.ok((await bytesOf(store, 'files/ab/one'))?.equals(bytes));
    for (const [start, end] of [
      [0, 0],
      [0, 9],
      [299_999, 299_999],
      [1_000, 250_000],
    ] as const) {
      const part = await bytesOf(store, 'files/ab/one', { start, end });
      assert.ok(part?.equals(bytes.subarray(start, end + 1)), `${start} to ${end}`);
    }
  });

  it('finds nothing for an invalid key, and refuses to write one', async () => {
    const store = open();
    const before = await keysOf(store);
    for (const key of HOSTILE_KEYS) {
      await assert.rejects(store.write(key, from('x')), /is not a key/, key);
      assert.equal(await store.read(key), undefined, key);
      await store.delete(key);
    }
    assert.deepEqual(await keysOf(store), before);
  });

  it('stores an empty blob', async () => {
    const store = open();
    await store.write('files/ab/empty', from());
    assert.equal(await textOf(store, 'files/ab/empty'), '');
  });

  it('stores the largest upload', async () => {
    const store = open();
    const bytes = patternOf(10 * MEGABYTE);
    const pieces = Array.from({ length: 160 }, (_, at) => bytes.subarray(at << 16, (at + 1) << 16));
    await store.write('files/ab/large', from(...pieces));
    assert.ok((await bytesOf(store, 'files/ab/large'))?.equals(bytes));
    const range = { start: 5 * MEGABYTE - 1, end: 9 * MEGABYTE };
    const part = await bytesOf(store, 'files/ab/large', range);
    assert.ok(part?.equals(bytes.subarray(range.start, range.end + 1)));
    await store.delete('files/ab/large');
  });

  it('lists each key once, with its time, and no deleted ones', async () => {
    const store = open();
    const before = Date.now();
    await store.write('pages/cd/two.html', from('two'));
    assert.deepEqual(await keysOf(store), ['files/ab/empty', 'files/ab/one', 'pages/cd/two.html']);
    for await (const { key, writtenAt } of store.list()) {
      if (key === 'pages/cd/two.html') assert.ok(Math.abs(writtenAt.getTime() - before) < 60_000);
    }
    await store.delete('pages/cd/two.html');
    await store.delete('pages/cd/two.html');
    assert.equal(await store.read('pages/cd/two.html'), undefined);
    assert.deepEqual(await keysOf(store), ['files/ab/empty', 'files/ab/one']);
  });

  it('stores nothing of a failing stream, and passes on its error', async () => {
    const store = open();
    for (const chunks of [0, 1, 40]) {
      const reason = new Error('broken off');
      const failing = Readable.from(
        (async function* () {
          for (let chunk = 0; chunk < chunks; chunk++) yield Buffer.alloc(10_000);
          throw reason;
        })(),
      );
      const refused = await store.write('pages/ef/broken.html', failing).catch((error) => error);
      assert.equal(refused, reason);
      const destroyed = new Readable({ read() {} });
      destroyed.push(Buffer.alloc(10_000));
      const writing = store.write('pages/ef/broken.html', destroyed);
      destroyed.destroy();
      await assert.rejects(writing);
    }
    assert.deepEqual(await keysOf(store), ['files/ab/empty', 'files/ab/one']);
    assert.equal(await store.read('pages/ef/broken.html'), undefined);
  });

  it('shows a blob only when it is complete', async () => {
    const store = open();
    const begun = Promise.withResolvers<void>();
    const more = Promise.withResolvers<void>();
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from('first ');
        begun.resolve();
        await more.promise;
        yield Buffer.from('second');
      })(),
    );
    const writing = store.write('pages/aa/slow.html', slow);
    await begun.promise;
    assert.equal(await store.read('pages/aa/slow.html'), undefined);
    more.resolve();
    await writing;
    assert.equal(await textOf(store, 'pages/aa/slow.html'), 'first second');
  });

  it('accepts the same content again', async () => {
    const store = open();
    await store.write('pages/aa/slow.html', from('first second'));
    assert.equal(await textOf(store, 'pages/aa/slow.html'), 'first second');
  });

  it('accepts concurrent writers of different keys', async () => {
    const store = open();
    const keys = Array.from({ length: 40 }, (_, at) => `many/${at % 4}/${at}`);
    await Promise.all(keys.map((key) => store.write(key, from(key))));
    assert.deepEqual(await Promise.all(keys.map((key) => textOf(store, key))), keys);
  });

  it('never mixes concurrent writers of one key', async () => {
    const store = open();
    const texts = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(100_000));
    const outcomes = await Promise.allSettled(
      texts.map((text) => store.write('one/key', from(text))),
    );
    const kept = texts.indexOf((await textOf(store, 'one/key')) ?? '');
    assert.equal(outcomes[kept]?.status, 'fulfilled');
    assert.deepEqual(
      (await keysOf(store)).filter((key) => key.startsWith('one/')),
      ['one/key'],
    );
  });

  it('lets a reader finish a blob that is deleted meanwhile', async () => {
    const store = open();
    const text = 'x'.repeat(MEGABYTE);
    await store.write('pages/bb/read.html', from(text));
    const reading = await store.read('pages/bb/read.html');
    await store.delete('pages/bb/read.html');
    assert.ok(reading && (await buffer(reading)).toString() === text);
    assert.equal(await store.read('pages/bb/read.html'), undefined);
  });
}
