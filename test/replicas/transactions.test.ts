import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { BackEndUnavailable } from '../../src/base/errors.ts';
import { deletePending } from '../../src/core/outbox/search-pending-store.ts';
import { batchQueries } from '../../src/storage/sql/batch-queries.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { prepared } from '../../src/storage/sql/prepared.ts';
import type { Reader, TransactionOptions, Writer } from '../../src/storage/sql/sql.ts';
import { startPostgresServer } from '../servers/postgres.ts';
import { SKIP } from './cluster.ts';

const CONNECTIONS = 3;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const answer = prepared<Record<string, never>, { answer: number }>((db) =>
  db.selectNoFrom(sql<number>`42`.as('answer')),
);

const divided = prepared<{ by: number }, unknown>((db, parameter) =>
  db.selectNoFrom(sql`1 / cast(${parameter('by')} as integer)`.as('divided')),
);

const locked = prepared<{ key: string }, unknown>((db, parameter) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtext(${parameter('key')}))`.as('locked')),
);

const only = (key: string): TransactionOptions => ({
  exclusive: { key, lock: (tx) => locked(tx, { key }) },
});

describe('PostgreSQL transactions that wait for the same lock', { skip: SKIP }, async () => {
  const postgres = await startPostgresServer();
  const connectionString = await postgres.createDatabase();
  const location = { connectionString, poolSize: CONNECTIONS, pooler: false };
  const open = () => openPostgres(location);
  const setUp = await open();
  await setUp.close();
  const database = await open();
  /** Stands for another process. */
  const other = await open();
  await sql`create table line (place integer generated always as identity, entry integer,
      transaction text default pg_current_xact_id()::text)`.execute(database.read);
  after(async () => {
    await database?.close();
    await other?.close();
    await postgres?.stop();
  });
  beforeEach(() => sql`truncate line`.execute(database.read));

  const enter = (tx: Writer, entry: number) =>
    sql`insert into line (entry) values (${entry})`.execute(tx);

  async function entriesIn(db: Reader) {
    const { rows } = await sql<{ entry: number; transaction: string }>`
      select entry, transaction from line order by place`.execute(db);
    return rows;
  }

  it('run one at a time, in order', async () => {
    const seen = await Promise.all(
      numbers(50).map((entry) =>
        database.transaction(async (tx) => {
          const before = await entriesIn(tx);
          await enter(tx, entry);
          return before.length;
        }, only('ada')),
      ),
    );
    assert.deepEqual(seen, numbers(50));
    const entries = await entriesIn(other.read);
    assert.deepEqual(
      entries.map(({ entry }) => entry),
      numbers(50),
    );
    assert.equal(new Set(entries.map(({ transaction }) => transaction)).size, 50);
  });

  it('send the queries of a batch together in order, and fail with the first error', async () => {
    const outcome = database.transaction(
      (tx) => batchQueries([enter(tx, 1), divided(tx, { by: 0 }), enter(tx, 2)]),
      only('ada'),
    );
    await assert.rejects(outcome, /division by zero/);
    const [, found] = await database.transaction(
      (tx) => batchQueries([enter(tx, 3), answer(tx, {}), enter(tx, 4)]),
      only('ada'),
    );
    assert.deepEqual(found, [{ answer: 42 }]);
    assert.deepEqual(
      (await entriesIn(other.read)).map(({ entry }) => entry),
      [3, 4],
    );
  });

  it('fail alone and leave nothing behind', async () => {
    const outcomes = await Promise.allSettled(
      numbers(9).map((entry) =>
        database.transaction(async (tx) => {
          await enter(tx, entry);
          if (entry % 3 === 0) throw new Error('refused');
          // The database refuses this one itself.
          if (entry % 3 === 1) await sql`select 1 / 0`.execute(tx);
        }, only('ada')),
      ),
    );
    const entries = await entriesIn(other.read);
    assert.deepEqual(
      entries.map(({ entry }) => entry),
      [2, 5, 8],
    );
    for (const [entry, outcome] of outcomes.entries()) {
      const reason = outcome.status === 'rejected' ? String(outcome.reason) : 'done';
      assert.match(reason, [/refused/, /division by zero/, /done/][entry % 3] as RegExp);
    }
  });

  it('are retried if the connection breaks before the commit, and happen once', async () => {
    let breaks = 1;
    await Promise.all(
      numbers(9).map((entry) =>
        database.transaction(async (tx) => {
          await enter(tx, entry);
          if (entry === 4 && breaks-- > 0) {
            await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
          }
        }, only('ada')),
      ),
    );
    assert.ok(breaks < 0);
    const entries = await entriesIn(other.read);
    assert.deepEqual(entries.map(({ entry }) => entry).sort(), numbers(9));
  });

  it('all fail without a connection', async () => {
    await postgres.stopServer();
    const outcomes = await Promise.allSettled(
      numbers(100).map((entry) => database.transaction((tx) => enter(tx, entry), only('ada'))),
    );
    await postgres.startServer();
    for (const outcome of outcomes) {
      assert.ok((outcome as PromiseRejectedResult).reason instanceof BackEndUnavailable);
    }
    await database.transaction((tx) => enter(tx, 1), only('ada'));
    assert.equal((await entriesIn(other.read)).length, 1);
  });

  it('use one connection while they wait for another process, and don’t delay others', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isAhead = () => {};
    const begun = new Promise<void>((resolve) => {
      isAhead = resolve;
    });
    const ahead = other.transaction(async (tx) => {
      await enter(tx, 0);
      isAhead();
      await held;
    }, only('ada'));
    await begun;
    let waiting = 20;
    const behind = numbers(20).map((entry) =>
      database.transaction(async (tx) => {
        waiting -= 1;
        assert.equal((await entriesIn(tx)).length, entry + 1);
        await enter(tx, entry + 1);
      }, only('ada')),
    );
    for (const round of numbers(5)) {
      await database.transaction((tx) => answer(tx, {}), only(`grace ${round}`));
      await database.transaction((tx) => answer(tx, {}));
      assert.equal((await answer(database.read, {}))[0]?.answer, 42);
    }
    assert.equal(waiting, 20);
    letGo();
    await Promise.all([ahead, ...behind]);
    assert.equal((await entriesIn(other.read)).length, 21);
  });

  it('are skipped by the indexer', async () => {
    const asRead = { documentId: 'one', stamp: 'before' };
    await database.transaction(async (tx) => {
      await sql`insert into search_pending values ('one', 'before', '')`.execute(tx);
    });
    const end = async () => {
      const left = await other.transaction((tx) => deletePending(tx, [asRead]));
      return left.length === 0;
    };
    await database.transaction(async (tx) => {
      await sql`update search_pending set "claimedUntil" = '' where "documentId" = 'one'`.execute(
        tx,
      );
      assert.equal(await end(), false);
    }, only('ada'));
    assert.equal(await end(), true);
  });

  it('send queries sequentially through a pooler', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const pooled = await openPostgres({ ...location, pooler: true });
    await Promise.all(
      numbers(9).map((entry) =>
        pooled.transaction(async (tx) => {
          const [, found] = await batchQueries([answer(tx, {}), entriesIn(tx), enter(tx, entry)]);
          assert.ok(found.length <= entry);
        }, only('ada')),
      ),
    );
    assert.equal((await entriesIn(other.read)).length, 9);
    await pooled.close();
    process.off('warning', note);
    assert.deepEqual(warnings, []);
  });

  it('cannot be used once they have ended', async () => {
    const ended = await database.transaction(async (tx) => tx, only('ada'));
    await assert.rejects(answer(ended, {}), /has ended/);
    await assert.rejects(enter(ended, 1));
  });
});
