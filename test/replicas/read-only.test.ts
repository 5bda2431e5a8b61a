import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { ask, assertUnavailable } from '../installation.ts';
import { expectStatus } from '../rest/scenario.ts';
import { until } from '../until.ts';
import { SKIP, startCluster } from './cluster.ts';

describe('A read-only PostgreSQL, as after a failover', { skip: SKIP }, async () => {
  const cluster = await startCluster();
  const replica = await cluster.start();
  const ada = await cluster.user('ada');
  const grace = await cluster.user('grace');
  const brief = { name: 'kept', content: '# Kept' };
  await expectStatus(ada.at(replica).post('/user/briefs', brief), 201);
  await becomeReadOnly(true);
  // Until the replica notices that its connections are closed, requests get 503.
  await until('the replica has new connections', async () => {
    return (await ada.at(replica).get('/briefs/ada/kept')).status === 200;
  });
  after(() => cluster?.stop());

  /** All sessions opened after this are read-only. */
  async function becomeReadOnly(readOnly: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: cluster.settings.DATABASE_URL });
    await client.connect();
    try {
      const database = new URL(cluster.settings.DATABASE_URL as string).pathname.slice(1);
      await client.query('set default_transaction_read_only = off');
      await client.query(
        `alter database "${database}" set default_transaction_read_only = ${readOnly}`,
      );
      if (!readOnly) return;
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    } finally {
      await client.end();
    }
  }

  it('reads work without recording token use or renditions', async () => {
    await expectStatus(grace.at(replica).get('/briefs/ada/kept'), 200);
    const page = await ask(`${replica.webUrl}/ada/kept`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1[^>]*>Kept/);
  });

  it('writes get 503 until a connection is writable', async () => {
    const brief = { name: 'later', content: 'x' };
    assertUnavailable(await ada.at(replica).post('/user/briefs', brief));
    await becomeReadOnly(false);
    await expectStatus(ada.at(replica).post('/user/briefs', brief), 201);
  });
});
