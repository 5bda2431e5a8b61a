import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { freePorts } from '../free-ports.ts';
import { ask, readiness } from '../installation.ts';
import { type Outcome, runBriefs, startBriefs, within } from '../process.ts';
import { makeDocument } from '../rest/scenario.ts';
import { type PostgresServer, startPostgresServer } from '../servers/postgres.ts';
import { until } from '../until.ts';
import { type Cluster, SKIP, startCluster } from './cluster.ts';

describe('Ten replicas that start together on an empty database', { skip: SKIP }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster();
    await cluster.startAll(10);
  });
  after(() => cluster?.stop());

  it('all serve without errors', async () => {
    const ada = await cluster.user('ada');
    for (const replica of cluster.replicas) {
      assert.equal((await readiness(replica)).status, 200);
      assert.equal((await ada.at(replica).get('/user')).status, 200);
      assert.equal(replica.stderr(), '');
    }
  });

  it('each migration ran once, with the usual result', async () => {
    const { DATABASE_URL = '' } = cluster.settings;
    const alone = await cluster.postgres.createDatabase();
    await runBriefs(['migrate'], { ...cluster.settings, DATABASE_URL: alone });
    assert.deepEqual(await schemaOf(DATABASE_URL), await schemaOf(alone));
  });

  it('all see what one creates', async () => {
    const grace = await cluster.user('grace');
    const [first, ...others] = cluster.replicas;
    assert.ok(first);
    const path = await makeDocument(grace.at(first), 'shared', { content: '# Shared' });
    const { data } = await grace.at(first).get(path);
    for (const replica of others) {
      assert.deepEqual((await grace.at(replica).get(path)).data, data);
    }
  });
});

describe('A start without the database', { skip: SKIP }, () => {
  let postgres: PostgresServer;

  before(async () => {
    postgres = await startPostgresServer();
  });
  after(() => postgres?.stop());

  /** What `briefs serve` needs besides the database. */
  async function settingsFor(databaseUrl: string): Promise<Record<string, string>> {
    const [port, renderPort] = await freePorts(2);
    return {
      HOST: '127.0.0.1',
      PORT: String(port),
      RENDER_PORT: String(renderPort),
      DATA_DIR: '/nonexistent',
      DATABASE_URL: databaseUrl,
    };
  }

  async function serve(databaseUrl: string): Promise<Outcome> {
    return within(startBriefs(['serve'], await settingsFor(databaseUrl)).ended, 'the start');
  }

  /** One line that names the setting, and never the password. */
  function assertRefused({ code, stdout, stderr }: Outcome, why: RegExp): void {
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^briefs: DATABASE_URL: [^\n]+\n$/);
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /sesame/);
  }

  it('waits for the database', async () => {
    const databaseUrl = await postgres.createDatabase();
    await postgres.stopServer();
    const settings = await settingsFor(databaseUrl);
    const waiting = startBriefs(['serve'], settings);
    await until('its first line', () => waiting.stdout().includes('\n'));
    // Long enough for several attempts, which all fail.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const [line = '', ...others] = waiting.stdout().trim().split('\n');
    assert.match(JSON.parse(line).msg, /^waiting up to 30 seconds for the database /);
    assert.deepEqual(others, []);
    await postgres.startServer();
    await until('the start', () => waiting.stdout().includes('Briefs is running.'));
    const { status } = await ask(`http://127.0.0.1:${settings.PORT}/readyz`);
    assert.equal(status, 200);
    const { code, stderr } = await waiting.kill('SIGTERM');
    assert.equal(code, 0);
    assert.equal(stderr, '');
  });

  it('a missing database: one line, immediately', async () => {
    const url = new URL(await postgres.createDatabase());
    url.pathname = '/nowhere';
    url.password = 'sesame';
    assertRefused(await serve(url.href), /"nowhere" does not exist/);
  });

  it('an unknown user or wrong password: one line, immediately', async () => {
    const url = new URL(await postgres.createDatabase());
    url.password = 'sesame';
    url.username = 'nobody-we-know';
    assertRefused(await serve(url.href), /role "nobody-we-know" does not exist/);
    await requirePassword(url.username);
    assertRefused(await serve(url.href), /password authentication failed/);
  });

  /** Creates a user with another password than the test uses. */
  async function requirePassword(user: string): Promise<void> {
    await onDatabase(postgres.url, async (client) => {
      const { rows } = await client.query('show hba_file');
      const path = rows[0].hba_file;
      const rules = readFileSync(path, 'utf8');
      writeFileSync(path, `host all "${user}" all scram-sha-256\n${rules}`);
      await client.query(`create user "${user}" password 'different'`);
      await client.query('select pg_reload_conf()');
    });
  }
});

/** All tables with their columns, all indexes and constraints, and the migrations that have run. */
function schemaOf(databaseUrl: string): Promise<unknown> {
  const queries = [
    `select table_name, column_name, data_type, is_nullable, column_default, collation_name
       from information_schema.columns where table_schema = 'public' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select conrelid::regclass::text, pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    'select name from kysely_migration order by timestamp, name',
  ];
  return onDatabase(databaseUrl, async (client) => {
    const found: unknown[] = [];
    for (const query of queries) found.push((await client.query(query)).rows);
    return found;
  });
}

async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
