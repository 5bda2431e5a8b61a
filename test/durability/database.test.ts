import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { newChance } from '../chance.ts';
import { ask, assertUnavailable, type Replica, readiness } from '../installation.ts';
import { SKIP, startCluster } from '../replicas/cluster.ts';
import { until } from '../until.ts';
import { assertConsistent } from './consistency.ts';
import { newLedger } from './ledger.ts';
import { nothingUnderWay } from './quiet.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(1);
const WAYS_TO_GO = ['killed', 'fast', 'immediate'] as const;

describe('PostgreSQL fails during writes', { skip: SKIP }, async () => {
  const chance = newChance('database');

  const cluster = await startCluster();
  const replicas = await cluster.startAll(2);
  after(() => cluster?.stop());

  const writers = () => [...replicas, ...replicas, ...replicas];
  const allReady = () =>
    until('the replicas are ready again', async () => {
      const answers = await Promise.all(replicas.map(readiness));
      return answers.every(({ status }) => status === 200);
    });

  it('killed and restarted several times: no acknowledged write is lost', async (t) => {
    const ledger = await newLedger(cluster, chance, 'restarts');
    await ledger.during(writers(), async () => {
      for (let round = 0; round < ROUNDS; round++) {
        for (const way of WAYS_TO_GO) {
          await ledger.more(20 + chance.below(40));
          await cluster.postgres.restart(way);
        }
      }
      await ledger.more(30);
    });
    await allReady();
    await nothingUnderWay(cluster);
    for (const replica of replicas) await ledger.verify(replica);
    await cluster.look(assertConsistent);
    assert.equal(ledger.broken, 0, 'every request is answered');
    t.diagnostic(ledger.summary());
  });

  it('unavailable for a while: 503 as JSON, and nothing changed afterwards', async (t) => {
    const ledger = await newLedger(cluster, chance, 'outage');
    const reader = await cluster.user('reader');
    await ledger.during(writers(), async () => {
      await ledger.more(30);
      await cluster.postgres.stopServer();
      for (const replica of replicas) {
        const ready = await readiness(replica);
        assert.equal(ready.status, 503);
        assert.match(ready.text, /database/);
        assert.equal((await ask(`${replica.webUrl}/healthz`)).status, 200);
        assertUnavailable(await reader.at(replica).get('/user'));
        assertUnavailable(await reader.at(replica).post('/user/briefs', { content: 'x' }));
        assert.equal((await ask(`${replica.webUrl}/reader`)).status, 503);
        assert.equal(await backEndUp(replica, 'database'), 0);
      }
      await cluster.postgres.startServer();
      await allReady();
      await ledger.more(30);
    });
    assert.ok(ledger.unavailable > 0);
    assert.equal(ledger.broken, 0, 'every request is answered');
    await nothingUnderWay(cluster);
    for (const replica of replicas) {
      await ledger.verify(replica);
      assert.equal(await backEndUp(replica, 'database'), 1);
    }
    await cluster.look(assertConsistent);
    t.diagnostic(ledger.summary());
  });
});

async function backEndUp(replica: Replica, name: string): Promise<number> {
  const { text } = await ask(replica.metricsUrl);
  const sample = `briefs_back_end_up{back_end="${name}"} `;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(sample))
      ?.slice(sample.length),
  );
}
