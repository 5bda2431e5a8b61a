import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { BackEndUnavailable } from '../../src/base/errors.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { lookup } from '../../src/storage/sql/prepared.ts';
import type { Reader } from '../../src/storage/sql/sql.ts';
import { startPostgresServer } from '../servers/postgres.ts';
import { SKIP } from './cluster.ts';

const CONNECTIONS = 3;

const quotient = lookup<{ by: number; of: number }, { quotient: number }>((db, parameter) =>
  db.selectNoFrom(
    sql<number>`${parameter('of')}::integer / ${parameter('by')}::integer`.as('quotient'),
  ),
);

const connection = lookup<Record<string, never>, { id: number }>((db) =>
  db.selectNoFrom(sql<number>`pg_backend_pid()`.as('id')),
);

const brokenOff = lookup<Record<string, never>, unknown>((db) =>
  db.selectNoFrom(sql`pg_terminate_backend(pg_backend_pid())`.as('broken')),
);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The failed ones of concurrent requests. */
async function failuresOf(asked: Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(asked);
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
}

describe('Concurrent queries to PostgreSQL', { skip: SKIP }, async () => {
  const postgres = await startPostgresServer();
  const connectionString = await postgres.createDatabase();
  const database = await openPostgres({ connectionString, poolSize: CONNECTIONS, pooler: false });
  after(async () => {
    await database?.close();
    await postgres?.stop();
  });

  const divide = (of: number, by: number) => quotient(database.read, { of, by });
  const connectionOf = async (db: Reader) => (await connection(db, {}))[0]?.id;
  const connectionsOf = async (count: number) =>
    new Set(await Promise.all(numbers(count).map(() => connectionOf(database.read)))).size;

  it('use one connection if few, several if many', async () => {
    assert.equal(await connectionsOf(8), 1);
    assert.equal(await connectionsOf(24), 3);
  });

  it('get their own rows, with far more queries than connections', async () => {
    const rows = await Promise.all(numbers(500).map((of) => divide(of, 1)));
    assert.deepEqual(
      rows.map(([row]) => row?.quotient),
      numbers(500),
    );
  });

  it('get their own rows, mixed with sequential queries', async () => {
    const askers = numbers(40).map(async (asker) => {
      for (const round of numbers(20)) {
        const [row] = await divide(asker * 100 + round, 1);
        assert.equal(row?.quotient, asker * 100 + round);
      }
    });
    await Promise.all(askers);
  });

  it('fail alone', async () => {
    const asked = numbers(60).map((by) => divide(60, by % 10));
    const failures = await failuresOf(asked);
    assert.equal(failures.length, 6);
    for (const failure of failures) assert.match(String(failure), /division by zero/);
  });

  it('fail with a broken connection; later ones use another', async () => {
    const asked = [...numbers(8).map(() => divide(1, 1)), brokenOff(database.read, {})];
    asked.push(...numbers(8).map(() => divide(1, 1)));
    const failures = await failuresOf(asked);
    assert.ok(failures.length >= 1 && failures.length <= 8, String(failures));
    for (const failure of failures) assert.ok(failure instanceof BackEndUnavailable);
    const [row] = await divide(6, 3);
    assert.equal(row?.quotient, 2);
  });

  it('wait while transactions use all connections', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const inside = numbers(CONNECTIONS).map(() =>
      database.transaction(async (tx) => {
        const own = await connectionOf(tx);
        await held;
        assert.equal(await connectionOf(tx), own);
        return own;
      }),
    );
    await sleep(50);
    let answered = 0;
    const asked = numbers(30).map(async (of) => {
      const [row] = await divide(of, 1);
      answered += 1;
      return row?.quotient;
    });
    await sleep(50);
    assert.equal(answered, 0);
    letGo();
    assert.equal(new Set(await Promise.all(inside)).size, CONNECTIONS);
    assert.deepEqual(await Promise.all(asked), numbers(30));
  });

  it('fail while the server is down, and work when it is back', async () => {
    await postgres.stopServer();
    const failures = await failuresOf(numbers(20).map((of) => divide(of, 1)));
    assert.equal(failures.length, 20);
    for (const failure of failures) assert.ok(failure instanceof BackEndUnavailable);
    await postgres.startServer();
    const rows = await Promise.all(numbers(20).map((of) => divide(of, 1)));
    assert.equal(rows.length, 20);
  });
});
