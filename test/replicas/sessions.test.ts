import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { startPostgresServer } from '../servers/postgres.ts';
import { SKIP } from './cluster.ts';

describe('Sessions on PostgreSQL', { skip: SKIP }, async () => {
  const postgres = await startPostgresServer();
  const connectionString = await postgres.createDatabase();
  after(() => postgres?.stop());

  /** The settings of sessions opened with these options. */
  async function settings(options?: string) {
    const url = new URL(connectionString);
    if (options) url.searchParams.set('options', options);
    const location = { connectionString: url.href, poolSize: 1, pooler: false };
    const database = await openPostgres(location);
    try {
      const { rows } = await sql<{ name: string; setting: string }>`
        select name, current_setting(name) as setting from pg_settings
        where name in ('jit', 'plan_cache_mode', 'search_path', 'work_mem')`.execute(database.read);
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    } finally {
      await database.close();
    }
  }

  it('plan a statement once, and have enough work_mem for index scans', async () => {
    const { jit, plan_cache_mode, work_mem } = await settings();
    assert.deepEqual([jit, plan_cache_mode, work_mem], ['off', 'force_generic_plan', '32MB']);
  });

  it('keep the URL’s settings, and a larger work_mem', async () => {
    const { plan_cache_mode, search_path, work_mem } = await settings(
      '-c search_path=public,pg_temp -c work_mem=64MB',
    );
    assert.deepEqual(
      [plan_cache_mode, search_path, work_mem],
      ['force_generic_plan', 'public,pg_temp', '64MB'],
    );
  });
});
