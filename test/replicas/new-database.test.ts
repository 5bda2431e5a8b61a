import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import type { Sql } from '../../src/storage/sql/sql.ts';
import { until } from '../installation.ts';
import { type PostgresServer, startPostgresServer } from '../servers/postgres.ts';
import { SKIP } from './cluster.ts';

describe('A PostgreSQL database that has just been made', { skip: SKIP }, () => {
  let postgres: PostgresServer;
  let database: Sql;

  before(async () => {
    postgres = await startPostgresServer();
    const connectionString = await postgres.createDatabase();
    database = await openPostgres({ connectionString, poolSize: 2, pooler: false });
  });
  after(async () => {
    await database?.close();
    await postgres?.stop();
  });

  async function commit(times: number): Promise<void> {
    for (let time = 0; time < times; time++) await database.transaction(async () => {});
  }

  /** How often the table of documents was looked at other than by PostgreSQL itself, and what was found. */
  async function looks(): Promise<{ times: number; known: number }> {
    const { rows } = await sql<{ times: number; known: number }>`
      select analyze_count as times, reltuples as known
      from pg_stat_user_tables join pg_class on pg_class.oid = relid
      where pg_class.relname = 'document'
    `.execute(database.read);
    return rows[0] as { times: number; known: number };
  }

  const looked = (times: number) =>
    until(`it looks ${times} times`, async () => (await looks()).times === times);

  it('looks at its documents until it has seen some', async () => {
    await commit(63);
    assert.equal((await looks()).times, 0);
    await commit(1);
    await looked(1);
    await commit(64);
    await looked(2);
    await sql`insert into owner (id, namespace, type) values ('a', 'ada', 'user')`.execute(
      database.read,
    );
    await sql`
      insert into document (id, kind, owner_id, owner_type, name, visibility, version, size_bytes,
        created_at, updated_at, content)
      select 'd' || number, 'brief', 'a', 'user', 'brief-' || number, 'private', 1, 1, '', '', 'x'
      from generate_series(1, 100) as number
    `.execute(database.read);
    await commit(128);
    await looked(3);
    assert.equal((await looks()).known, 100);
    await commit(256);
    await commit(64);
    assert.equal((await looks()).times, 3);
  });
});
