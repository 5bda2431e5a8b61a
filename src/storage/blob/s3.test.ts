import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { runBriefs, succeed } from '../../../test/process.ts';
import { type S3Server, startS3Server } from '../../../test/servers/s3.ts';
import { type BlobStore, BlobStoreUnavailable, type S3Location } from './blob.ts';
import { from, itIsABlobStore, keysOf, MEGABYTE, textOf } from './blob-contract.testing.ts';
import { openS3BlobStore, TIMEOUTS } from './s3.ts';
import { openTestBucket, placeIn, withoutOwnServer, withoutServer } from './test-bucket.testing.ts';

describe('The blob store in S3', { skip: withoutServer() }, () => {
  let bucket: Awaited<ReturnType<typeof openTestBucket>>;
  let store: BlobStore;
  before(async () => {
    bucket = await openTestBucket();
    store = await openS3BlobStore(bucket.location);
  });
  after(async () => {
    await store.close();
    await bucket.close();
  });

  itIsABlobStore(() => store);

  it('lets one of concurrent writers of a key win, and refuses the others', async () => {
    const texts = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(100_000));
    const outcomes = await Promise.allSettled(
      texts.map((text) => store.write('pages/one.html', from(text))),
    );
    const won = outcomes.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    assert.equal(await textOf(store, 'pages/one.html'), texts[outcomes.indexOf(won[0] as never)]);
    await assert.rejects(store.write('pages/one.html', from('later')), /the key .* is taken/);
  });

  it('ignores objects outside its prefix', async () => {
    const { prefix } = bucket.location;
    const beside = await openS3BlobStore({ ...bucket.location, prefix: `${prefix}2` });
    const above = await openS3BlobStore({ ...bucket.location, prefix: '' });
    await beside.write('pages/beside.html', from('beside'));
    assert.equal(await store.read('pages/beside.html'), undefined);
    assert.ok(!(await keysOf(store)).some((key) => key.includes('beside')));
    assert.equal(await textOf(above, `${prefix}2/pages/beside.html`), 'beside');
    await Promise.all([beside.close(), above.close()]);
  });

  it('lists more keys than fit into one response', async () => {
    const place = { ...bucket.location, prefix: `${bucket.location.prefix}-many` };
    const many = await openS3BlobStore(place);
    const keys = Array.from({ length: 1_005 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    const forAll = async (work: (key: string) => Promise<unknown>) => {
      for (let at = 0; at < keys.length; at += 50) {
        await Promise.all(keys.slice(at, at + 50).map(work));
      }
    };
    await forAll((key) => many.write(key, from(key)));
    assert.deepEqual(await keysOf(many), keys);
    await forAll((key) => many.delete(key));
    assert.deepEqual(await keysOf(many), []);
    await many.close();
  });

  it('still reads after many readers left', async () => {
    await store.write('files/large', from(Buffer.alloc(MEGABYTE, 'x')));
    for (let round = 0; round < 3; round++) {
      const readers = await Promise.all(
        Array.from({ length: 200 }, () => store.read('files/large')),
      );
      for (const reader of readers) reader?.destroy();
    }
    const half = await store.read('files/large');
    half?.once('data', () => half.destroy());
    await new Promise((resolve) => half?.once('close', resolve));
    assert.equal((await textOf(store, 'files/large'))?.length, MEGABYTE);
  });

  it('serves others besides slow readers', async () => {
    const slow = await Promise.all(Array.from({ length: 100 }, () => store.read('files/large')));
    await store.ping();
    await store.write('files/beside', from('beside'));
    assert.equal(await textOf(store, 'files/beside'), 'beside');
    for (const reader of slow) assert.ok(reader && (await buffer(reader)).length === MEGABYTE);
  });

  it('briefs storage create-bucket: creates a missing bucket, and leaves one that exists', async () => {
    const { endpoint, region, credentials } = bucket.location;
    const name = `briefs-${randomUUID()}`;
    const place = { ...bucket.location, bucket: name };
    const settings = {
      BLOB_URL: `s3://${name}?endpoint=${endpoint}&region=${region}`,
      AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
      AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    };
    const create = () => succeed(['storage', 'create-bucket'], settings);
    await assert.rejects(openS3BlobStore(place), /has no bucket/);
    assert.equal(await create(), `Created the bucket ${name}.\n`);
    const made = await openS3BlobStore(place);
    await made.write('files/kept', from('kept'));
    assert.equal(await create(), `The bucket ${name} exists.\n`);
    assert.equal(await textOf(made, 'files/kept'), 'kept');
    await made.close();
  });

  it('briefs storage create-bucket: fails in one line that names the setting', async () => {
    const { endpoint } = bucket.location;
    const BLOB_URL = `s3://briefs?endpoint=${endpoint}`;
    const wrong = { BLOB_URL, AWS_ACCESS_KEY_ID: 'NOBODY', AWS_SECRET_ACCESS_KEY: 'hush-hush' };
    for (const settings of [wrong, {}]) {
      const { code, stderr } = await runBriefs(['storage', 'create-bucket'], settings);
      assert.equal(code, 2);
      assert.match(stderr, /^briefs: BLOB_URL: [^\n]+\n$/);
      assert.doesNotMatch(stderr, /hush-hush/);
    }
  });

  const refusals: [what: string, change: (location: S3Location) => Partial<S3Location>][] = [
    ['another bucket', () => ({ bucket: 'no-such-bucket' })],
    [
      'a wrong secret',
      ({ credentials }) => ({
        credentials: { accessKeyId: credentials?.accessKeyId ?? '', secretAccessKey: 'hush-hush' },
      }),
    ],
    [
      'an unknown key',
      () => ({ credentials: { accessKeyId: 'NOBODY', secretAccessKey: 'hush-hush' } }),
    ],
  ];
  for (const [what, change] of refusals) {
    it(`refuses to open with ${what}, in one line`, async () => {
      const opening = openS3BlobStore({ ...bucket.location, ...change(bucket.location) });
      const refusal: Error = await opening.then(
        () => assert.fail('it opened'),
        (error) => error,
      );
      assert.match(refusal.message, /^BLOB_URL: .*bucket.*$/);
      assert.doesNotMatch(`${refusal.stack}${refusal.cause}`, /hush-hush/);
    });
  }
});

describe('The blob store in an S3 server that stops responding', {
  skip: withoutOwnServer(),
}, () => {
  const timeouts = { ...TIMEOUTS, answer: 500, piece: 500, whole: 1_200 };
  let server: S3Server;
  let store: BlobStore;
  before(async () => {
    server = await startS3Server();
    const place = placeIn(server);
    const patient = await openS3BlobStore(place);
    await patient.write('files/before', from(Buffer.alloc(10 * MEGABYTE, 'x')));
    await patient.close();
    store = await openS3BlobStore(place, timeouts);
  });
  after(async () => {
    await store.close();
    await server.stop();
  });

  it('fails in time with the right error, and recovers', async () => {
    const reading = await store.read('files/before');
    server.pause();
    const asked: [what: string, answer: Promise<unknown>, withinMs: number][] = [
      ['ping', store.ping(), 2_500],
      ['write', store.write('files/meanwhile', from('meanwhile')), 1_700],
      ['read', store.read('files/before'), 1_700],
      ['delete', store.delete('files/none'), 1_700],
      ['list', keysOf(store), 1_700],
      ['the rest of a blob', reading ? buffer(reading) : Promise.resolve(), 1_700],
    ];
    const begun = Date.now();
    await Promise.all(
      asked.map(async ([what, answer, withinMs]) => {
        await assert.rejects(answer, BlobStoreUnavailable, what);
        assert.ok(Date.now() - begun < withinMs, `${what} took ${Date.now() - begun} ms`);
      }),
    );
    server.resume();
    await store.ping();
    // The server may have carried out a write whose response was lost: the same content is
    // accepted.
    await store.write('files/meanwhile', from('meanwhile'));
    assert.equal(await textOf(store, 'files/meanwhile'), 'meanwhile');
  });

  it('waits for it when it opens', async () => {
    server.pause();
    const opening = openS3BlobStore(placeIn(server), timeouts);
    setTimeout(() => server.resume(), 2_500);
    const opened = await opening;
    await opened.ping();
    await opened.close();
  });
});
