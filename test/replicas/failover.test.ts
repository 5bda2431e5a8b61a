import { strict as assert } from 'node:assert';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { ask, type Replica, readiness } from '../installation.ts';
import { countStatuses, documentBody, expectStatus, makeDocument } from '../rest/scenario.ts';
import { type RedisServer, startRedisServer } from '../servers/redis.ts';
import { namedBlobs, storedBlobs } from '../state.ts';
import { until } from '../until.ts';
import { SKIP, startCluster } from './cluster.ts';

describe('Replicas that share servers', { skip: SKIP }, async () => {
  const cluster = await startCluster();
  after(() => cluster?.stop());

  it('without Redis, each process counts by itself until it returns', async () => {
    const LIMIT = 10;
    const user = await cluster.user('counted');
    const limited = await cluster.startAll(2, { RATE_LIMIT_API: `${LIMIT}/1h` });
    const [c, d] = limited as [Replica, Replica];
    const requests = (...replicas: Replica[]) =>
      Promise.all(
        Array.from({ length: 2 * LIMIT }, (_, index) =>
          user.at(replicas[index % replicas.length] as Replica).get('/user'),
        ),
      );
    let redis: RedisServer | undefined;
    await expectStatus(user.at(c).get('/user'), 200);
    assert.equal(await localCounts(c), 0);
    try {
      await cluster.redis.kill('SIGKILL');
      for (const replica of limited) {
        assert.deepEqual(countStatuses(await requests(replica)), { 200: LIMIT, 429: LIMIT });
        const ready = await readiness(replica);
        assert.equal(ready.status, 503);
        assert.match(ready.text, /rate-limit counters/);
        assert.equal((await ask(`${replica.webUrl}/healthz`)).status, 200);
        assert.equal(await localCounts(replica), 2 * LIMIT);
        assert.equal(await backEndUp(replica, 'rate-limit counters'), 0);
      }
      redis = await startRedisServer({ port: cluster.redis.port });
      await until('Redis counts again', async () => {
        const answers = await Promise.all(limited.map(readiness));
        return answers.every(({ status }) => status === 200);
      });
      // Redis has lost its counts.
      assert.deepEqual(countStatuses(await requests(c, d)), { 200: LIMIT, 429: LIMIT });
      assert.equal(await localCounts(c), 2 * LIMIT);
      assert.equal(await backEndUp(c, 'rate-limit counters'), 1);
    } finally {
      for (const replica of limited) assert.equal(await cluster.end(replica, 'SIGTERM'), 0);
      await redis?.stop();
    }
  });

  it('only unreferenced blobs are swept', async () => {
    const user = await cluster.user('sweeping');
    const replica = await cluster.start();
    for (const name of ['one', 'two']) {
      await makeDocument(user.at(replica), name, { kind: KINDS.page });
    }
    await cluster.end(replica, 'SIGTERM');
    await cluster.look(async ({ blobs, newId }) => {
      await blobs.write(`pages/00/${newId()}.html`, Readable.from([Buffer.from('orphan')]));
    });
    const stored = await cluster.look(storedBlobs);
    const named = await cluster.look(namedBlobs);
    assert.equal(named.length, 2);
    assert.deepEqual(
      named.filter((key) => !stored.includes(key)),
      [],
    );
    const said = await cluster.run('storage', 'sweep', '--older-than', '1ms');
    assert.equal(said, `Removed ${stored.length - named.length} unused blobs.\n`);
    assert.deepEqual(await cluster.look(storedBlobs), named);
  });

  it('64 concurrent requests on two connections are all answered', async () => {
    const url = new URL(cluster.settings.DATABASE_URL as string);
    url.searchParams.set('pool_size', '2');
    const replica = await cluster.start({ DATABASE_URL: url.href });
    const user = await cluster.user('queueing');
    const client = user.at(replica);
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => {
        if (index % 4 === 0) return client.get('/user/briefs');
        const kind = index % 4 === 1 ? KINDS.page : KINDS.brief;
        return client.post(
          `/user/${kind.segment}`,
          documentBody(kind, { name: `queued-${index}` }),
        );
      }),
    );
    assert.deepEqual(countStatuses(answers), { 200: 16, 201: 48 });
    await cluster.end(replica, 'SIGTERM');
  });
});

async function measurement(replica: Replica, sample: string): Promise<number> {
  const { text } = await ask(replica.metricsUrl);
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `));
  return Number(line?.slice(sample.length));
}

function backEndUp(replica: Replica, name: string): Promise<number> {
  return measurement(replica, `briefs_back_end_up{back_end="${name}"}`);
}

function localCounts(replica: Replica): Promise<number> {
  return measurement(replica, 'briefs_rate_limits_counted_locally_total');
}
