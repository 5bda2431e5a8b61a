import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { KINDS } from '../../src/base/schema/kind.ts';
import { newChance } from '../chance.ts';
import { newLedger } from '../durability/ledger.ts';
import { freePorts } from '../free-ports.ts';
import { ask, assertUnavailable, type Replica, readiness } from '../installation.ts';
import { startBriefs, within } from '../process.ts';
import { documentBody, expectStatus, makeDocument } from '../rest/scenario.ts';
import { startS3Server } from '../servers/s3.ts';
import { databaseState } from '../state.ts';
import { until } from '../until.ts';
import { type Cluster, SKIP, startCluster } from './cluster.ts';

// Mostly waiting, so all run at once. The clients check that every response arrives in time.
describe('Unresponsive back ends', { skip: SKIP, concurrency: true }, () => {
  it('unresponsive PostgreSQL: waiting requests get 503, and it can recover', async () => {
    await withCluster({}, async (cluster) => {
      const [a, b] = (await cluster.startAll(2)) as [Replica, Replica];
      const ada = await cluster.user('ada');
      await makeDocument(ada.at(a), 'read');
      const readPublic = () => ask(`${a.webUrl}/ada/read.md`);
      // Repeated until the response is cached.
      for (let times = 0; times < 4; times += 1) await expectStatus(readPublic(), 200);
      const ledger = await newLedger(cluster, newChance('silence'), 'ledger');
      await ledger.during([a, a, a, b, b, b], async () => {
        await ledger.more(30);
        const resume = await pause(cluster.postgres.url);
        try {
          const ready = await readiness(a);
          assert.equal(ready.status, 503);
          assert.match(ready.text, /database/);
          assert.equal((await ask(`${a.webUrl}/healthz`)).status, 200);
          // One is answered when its connection is given up, all of them after that.
          const answers = [a, b].map((replica) => ada.at(replica).get('/user'));
          for (const answer of await Promise.all(answers)) assertUnavailable(answer);
          const read = await readPublic();
          assert.equal(read.status, 503);
          assert.match(read.headers.get('retry-after') ?? '', /^\d+$/);
          await until('every writer has been told', () => ledger.unavailable >= 6);
        } finally {
          resume();
        }
        await bothReady(a, b);
        await ledger.more(30);
      });
      for (const replica of [a, b]) await ledger.verify(replica);
    });
  });

  it('a locked row: requests that wait for it get 503, others don’t wait', async () => {
    await withCluster({}, async (cluster) => {
      const replica = await cluster.start();
      const [ada, grace] = [await cluster.user('ada'), await cluster.user('grace')];
      const path = await makeDocument(ada.at(replica), 'held');
      const holder = new Client({ connectionString: cluster.settings.DATABASE_URL });
      await holder.connect();
      try {
        await holder.query(`begin; select id from owner where namespace = 'ada' for update`);
        const waiting = ada.at(replica).patch(path, { content: 'held' });
        await makeDocument(grace.at(replica), 'free');
        await expectStatus(ada.at(replica).get(path), 200);
        assertUnavailable(await waiting);
      } finally {
        await holder.end();
      }
      await expectStatus(ada.at(replica).patch(path, { content: 'let go' }), 200);
    });
  });

  it('unresponsive blob store: no page is written, even partly, and briefs keep working', async () => {
    const s3 = await startS3Server();
    try {
      await withCluster({ BLOB_URL: s3.url('silence'), ...s3.environment }, async (cluster) => {
        const [a, b] = (await cluster.startAll(2)) as [Replica, Replica];
        const ada = await cluster.user('ada');
        const page = await makeDocument(ada.at(a), 'kept', { kind: KINDS.page, content: 'kept' });
        const rows = async () => {
          const { document = [], file } = await cluster.look(databaseState);
          return { pages: document.filter(({ kind }) => kind === 'page'), file };
        };
        const before = await rows();
        s3.pause();
        try {
          const body = documentBody(KINDS.page, { name: 'lost' });
          const file = new FormData();
          file.set('file', new Blob(['lost'], { type: 'text/plain' }), 'lost.txt');
          const refused = Promise.all([
            ada.at(a).post('/user/pages', body),
            ada.at(b).post('/user/pages', body),
            ada.at(b).patch(page, { html: 'lost' }),
            ada.at(a).request('/user/files', { method: 'POST', body: file }),
            ada.at(b).get(page),
          ]);
          const ready = await readiness(a);
          assert.equal(ready.status, 503);
          assert.match(ready.text, /blob store/);
          for (const replica of [a, b]) await makeDocument(ada.at(replica), `on-${replica.pid}`);
          for (const answer of await refused) assertUnavailable(answer);
        } finally {
          s3.resume();
        }
        await bothReady(a, b);
        assert.deepEqual(await rows(), before);
        const { data } = await expectStatus(ada.at(b).get(page), 200);
        assert.equal(data.html, 'kept');
        await makeDocument(ada.at(a), 'audible', { kind: KINDS.page });
        await expectStatus(ada.at(b).get('/pages/ada/audible'), 200);
      });
    } finally {
      await s3.stop();
    }
  });

  it('a start with an unresponsive database: one log line immediately, one after 30 seconds', async () => {
    const mute = createServer(() => {})
      .listen(0, '127.0.0.1')
      .unref();
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    const [webPort, renderPort] = await freePorts(2);
    const { ended } = startBriefs(['serve'], {
      HOST: '127.0.0.1',
      PORT: String(webPort),
      RENDER_PORT: String(renderPort),
      DATABASE_URL: `postgres://briefs:sesame@127.0.0.1:${port}/briefs`,
    });
    const { code, stdout, stderr } = await within(ended, 'the start');
    assert.equal(code, 1);
    assert.match(JSON.parse(stdout).msg, /^waiting up to 30 seconds for the database/);
    const [refuses, ...others] = stderr.split('\n');
    assert.match(refuses ?? '', /^briefs: DATABASE_URL: the database does not answer /);
    assert.deepEqual(others, ['']);
    assert.doesNotMatch(stdout + stderr, /sesame/);
  });
});

async function withCluster(
  settings: Record<string, string>,
  work: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster(settings);
  try {
    await work(cluster);
  } finally {
    await cluster.stop();
  }
}

function bothReady(...replicas: Replica[]): Promise<void> {
  return until('both replicas are ready again', async () => {
    const answers = await Promise.all(replicas.map(readiness));
    return answers.every(({ status }) => status === 200);
  });
}

/** Stops all processes of a PostgreSQL. @returns a function that continues them */
async function pause(databaseUrl: string): Promise<() => void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('show data_directory');
  await client.end();
  const [pid] = readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n');
  const main = Number(pid);
  // The parent process first.
  signal([main], 'SIGSTOP');
  const children = execFileSync('pgrep', ['-P', String(main)], { encoding: 'utf8' });
  const all = [main, ...children.trim().split('\n').map(Number)];
  signal(all, 'SIGSTOP');
  return () => signal(all, 'SIGCONT');
}

function signal(processes: number[], name: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has already ended.
    }
  }
}
