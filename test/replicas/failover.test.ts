import { strict as assert } from 'node:assert';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { KINDS } from '../../src/document/kind.ts';
import { countStatuses, documentBody, expectStatus, makeDocument } from '../rest/scenario.ts';
import { type RedisServer, startRedisServer } from '../servers/redis.ts';
import { namedBlobs, storedBlobs } from '../state.ts';
import {
  ask,
  type Cluster,
  type Replica,
  readiness,
  SKIP,
  startCluster,
  type User,
  until,
} from './cluster.ts';
import { assertUnavailable, Ledger } from './ledger.ts';

describe('Two replicas under load', { skip: SKIP }, () => {
  let cluster: Cluster;
  let ada: User;
  let a: Replica;
  let b: Replica;

  before(async () => {
    cluster = await startCluster();
    [a, b] = (await cluster.startAll(2)) as [Replica, Replica];
    ada = await cluster.user('ada');
  });
  after(() => cluster?.stop());

  /** Whose first request is the first that a replica has to answer without retries. */
  const bothReady = () =>
    until('both replicas are ready again', async () => {
      const answers = await Promise.all([a, b].map(readiness));
      return answers.every(({ status }) => status === 200);
    });

  /** Waits until so many more writes have been acknowledged. */
  const more = (ledger: Ledger, count: number) => {
    const enough = ledger.acknowledgements + count;
    return until(`${count} more writes`, () => ledger.acknowledgements >= enough);
  };

  /** Both write and show what the other has written. */
  async function assertAtWork(name: string): Promise<void> {
    for (const [writer, reader] of [
      [a, b],
      [b, a],
    ] as const) {
      for (const kind of [KINDS.brief, KINDS.page]) {
        const path = await makeDocument(ada.at(writer), `${name}-${writer.pid}`, { kind });
        await expectStatus(ada.at(reader).get(path), 200);
      }
    }
  }

  it('PostgreSQL crashes and is restarted, several times', async () => {
    const user = await cluster.user('restarts');
    const ledger = new Ledger(user);
    await ledger.during([a, a, b, b], 'restart', async () => {
      for (const mode of ['immediate', 'fast', 'immediate', 'fast'] as const) {
        await more(ledger, 30);
        await cluster.postgres.restart(mode);
      }
      await more(ledger, 30);
    });
    await bothReady();
    for (const replica of [a, b]) await ledger.verify(replica);
    await assertAtWork('restarted');
  });

  it('PostgreSQL is away for a while: 503, and everything as it was afterwards', async () => {
    const user = await cluster.user('outage');
    const ledger = new Ledger(user);
    await ledger.during([a, a, b, b], 'outage', async () => {
      await more(ledger, 30);
      await cluster.postgres.stopServer();
      for (const replica of [a, b]) {
        const ready = await readiness(replica);
        assert.equal(ready.status, 503);
        assert.match(ready.text, /database/);
        assert.equal((await ask(`${replica.webUrl}/healthz`)).status, 200);
        assertUnavailable(await ada.at(replica).get('/user'));
        assertUnavailable(await ada.at(replica).post('/user/briefs', { content: 'x' }));
        assert.equal((await ask(`${replica.webUrl}/ada`)).status, 503);
        assert.equal(await backEndUp(replica, 'database'), 0);
      }
      await sleep(1_000);
      await cluster.postgres.startServer();
      await bothReady();
      await more(ledger, 30);
    });
    assert.ok(ledger.unavailable > 0);
    for (const replica of [a, b]) await ledger.verify(replica);
    await assertAtWork('back');
    assert.equal(await backEndUp(a, 'database'), 1);
  });

  it('Redis is killed: each process counts by itself, until it is back', async () => {
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
      // It has forgotten what it counted.
      assert.deepEqual(countStatuses(await requests(c, d)), { 200: LIMIT, 429: LIMIT });
      assert.equal(await localCounts(c), 2 * LIMIT);
      assert.equal(await backEndUp(c, 'rate-limit counters'), 1);
    } finally {
      for (const replica of limited) assert.equal(await cluster.end(replica, 'SIGTERM'), 0);
      await redis?.stop();
    }
  });

  it('a replica is killed, several times: the other has all it acknowledged', async () => {
    const user = await cluster.user('killed');
    const ledger = new Ledger(user);
    for (let round = 0; round < 3; round++) {
      await ledger.during([a, a, a, b], `kill-${round}`, async () => {
        await more(ledger, 40);
        await cluster.end(a, 'SIGKILL');
      });
      await ledger.verify(b);
      a = await cluster.start();
    }
    await ledger.verify(a);
    await assertAtWork('started-again');
  });

  it('blobs that nobody came to name are swept away, and no others', async () => {
    await cluster.look(async ({ blobs, newId }) => {
      await blobs.write(`pages/00/${newId()}.html`, Readable.from([Buffer.from('orphan')]));
    });
    const stored = await cluster.look(storedBlobs);
    const named = await cluster.look(namedBlobs);
    assert.deepEqual(
      named.filter((key) => !stored.includes(key)),
      [],
    );
    const said = await cluster.run('storage', 'sweep', '--older-than', '1ms');
    assert.equal(said, `Removed ${stored.length - named.length} blobs that nothing named.\n`);
    assert.deepEqual(await cluster.look(storedBlobs), named);
  });

  it('a replica is told to stop: what it was asked it answers, and ends well', async () => {
    const user = await cluster.user('stopped');
    const ledger = new Ledger(user);
    await ledger.during([a, a, a, b], 'stop', async () => {
      await more(ledger, 60);
      assert.equal(await cluster.end(a, 'SIGTERM'), 0);
      await more(ledger, 30);
    });
    assert.equal(ledger.unavailable, 0);
    assert.equal(a.stderr(), '');
    await ledger.verify(b);
    a = await cluster.start();
    await ledger.verify(a);
  });

  it('two connections for 64 requests at once: all are answered in their turn', async () => {
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
