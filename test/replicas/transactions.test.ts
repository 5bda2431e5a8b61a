import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { deletePending } from '../../src/document/search/search-pending-store.ts';
import { BackEndUnavailable } from '../../src/errors.ts';
import { inOneGo } from '../../src/in-one-go.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { prepared } from '../../src/storage/sql/prepared.ts';
import type {
  PostgresLocation,
  Reader,
  Sql,
  TransactionOptions,
  Writer,
} from '../../src/storage/sql/sql.ts';
import { type PostgresServer, startPostgresServer } from '../servers/postgres.ts';
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

const turnOf = (key: string): TransactionOptions => ({
  turn: { key, lock: (tx) => locked(tx, { key }) },
});

describe('Transactions on PostgreSQL that wait for the same turn', { skip: SKIP }, () => {
  let postgres: PostgresServer;
  let location: PostgresLocation;
  let database: Sql;
  /** Another process, as it were. */
  let other: Sql;

  before(async () => {
    postgres = await startPostgresServer();
    const connectionString = await postgres.createDatabase();
    location = { connectionString, poolSize: CONNECTIONS, pooler: false };
    const open = () => openPostgres(location);
    const setUp = await open();
    // Nobody sees to a deadlock, so who is in one fails in the end.
    await sql`do $$ begin
      execute format('alter database %I set deadlock_timeout = %L', current_database(), '1h');
    end $$`.execute(setUp.read);
    await setUp.close();
    database = await open();
    other = await open();
    await sql`create table line (place integer generated always as identity, entry integer,
      transaction text default pg_current_xact_id()::text)`.execute(database.read);
  });
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

  it('come in the order in which they were asked for, and are committed together', async () => {
    const seen = await Promise.all(
      numbers(50).map((entry) =>
        database.transaction(async (tx) => {
          const before = await entriesIn(tx);
          await enter(tx, entry);
          return before.length;
        }, turnOf('ada')),
      ),
    );
    assert.deepEqual(seen, numbers(50));
    const entries = await entriesIn(other.read);
    assert.deepEqual(
      entries.map(({ entry }) => entry),
      numbers(50),
    );
    assert.equal(new Set(entries.map(({ transaction }) => transaction)).size, 1);
  });

  it('that ask all in one go do not wait for answers of one another, and fail by themselves', async () => {
    let underway = 0;
    let most = 0;
    const outcomes = await Promise.allSettled(
      numbers(40).map((entry) =>
        database.transaction(
          async (tx) => {
            underway += 1;
            most = Math.max(most, underway);
            const asked = [
              answer(tx, {}),
              enter(tx, entry),
              divided(tx, { by: entry - 20 }),
            ] as const;
            const [[{ answer: found } = {}]] = await inOneGo(asked).finally(() => {
              underway -= 1;
            });
            assert.equal(found, 42);
          },
          { ...turnOf('ada'), inOneGo: true },
        ),
      ),
    );
    assert.ok(most > 1);
    const failed = outcomes.flatMap((outcome, entry) =>
      outcome.status === 'rejected' ? [`${entry} ${outcome.reason}`] : [],
    );
    assert.equal(failed.length, 1);
    assert.match(failed[0] as string, /^20 .*division by zero/);
    const entries = await entriesIn(other.read);
    assert.deepEqual(
      entries.map(({ entry }) => entry),
      numbers(40).filter((entry) => entry !== 20),
    );
    assert.equal(new Set(entries.map(({ transaction }) => transaction)).size, 1);
  });

  it('fail by themselves, and leave nothing behind', async () => {
    const outcomes = await Promise.allSettled(
      numbers(9).map((entry) =>
        database.transaction(async (tx) => {
          await enter(tx, entry);
          if (entry % 3 === 0) throw new Error('refused');
          // The database refuses this one by itself.
          if (entry % 3 === 1) await sql`select 1 / 0`.execute(tx);
        }, turnOf('ada')),
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

  it('are all run again when their connection breaks before the commit, and done once', async () => {
    let breaks = 1;
    await Promise.all(
      numbers(9).map((entry) =>
        database.transaction(async (tx) => {
          await enter(tx, entry);
          if (entry === 4 && breaks-- > 0) {
            await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
          }
        }, turnOf('ada')),
      ),
    );
    assert.ok(breaks < 0);
    const entries = await entriesIn(other.read);
    assert.deepEqual(entries.map(({ entry }) => entry).sort(), numbers(9));
  });

  it('all fail where no connection is to be had', async () => {
    await postgres.stopServer();
    const outcomes = await Promise.allSettled(
      numbers(100).map((entry) => database.transaction((tx) => enter(tx, entry), turnOf('ada'))),
    );
    await postgres.startServer();
    for (const outcome of outcomes) {
      assert.ok((outcome as PromiseRejectedResult).reason instanceof BackEndUnavailable);
    }
    await database.transaction((tx) => enter(tx, 1), turnOf('ada'));
    assert.equal((await entriesIn(other.read)).length, 1);
  });

  it('wait for another process, meanwhile take one connection, and hold up nobody else', async () => {
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
    }, turnOf('ada'));
    await begun;
    let waiting = 20;
    const behind = numbers(20).map((entry) =>
      database.transaction(async (tx) => {
        waiting -= 1;
        assert.equal((await entriesIn(tx)).length, entry + 1);
        await enter(tx, entry + 1);
      }, turnOf('ada')),
    );
    for (const round of numbers(5)) {
      await database.transaction((tx) => answer(tx, {}), turnOf(`grace ${round}`));
      await database.transaction((tx) => answer(tx, {}));
      assert.equal((await answer(database.read, {}))[0]?.answer, 42);
    }
    assert.equal(waiting, 20);
    letGo();
    await Promise.all([ahead, ...behind]);
    assert.equal((await entriesIn(other.read)).length, 21);
  });

  it('do not keep what others wait for while they wait for them', async () => {
    await Promise.all([0, 1].map((entry) => database.transaction((tx) => enter(tx, entry))));
    const change = (tx: Writer, entry: number) =>
      sql`update line set transaction = 'changed' where entry = ${entry}`.execute(tx);
    const ready = Promise.withResolvers<void>();
    const group = Promise.withResolvers<void>();
    const done: string[] = [];
    const ahead = other.transaction(async (tx) => {
      await change(tx, 1);
      ready.resolve();
      await group.promise;
      await change(tx, 0);
      done.push('other');
    });
    await ready.promise;
    const inTurn = async (name: string, work: (tx: Writer) => Promise<unknown>) => {
      await database.transaction(work, turnOf('ada'));
      done.push(name);
    };
    const first = inTurn('first', async (tx) => {
      await change(tx, 0);
      group.resolve();
    });
    const second = inTurn('second', (tx) => change(tx, 1));
    const third = inTurn('third', (tx) => enter(tx, 3));
    await Promise.all([ahead, first, second, third]);
    assert.deepEqual(done.toSorted(), ['first', 'other', 'second', 'third']);
    assert.equal((await entriesIn(other.read)).length, 3);
  });

  it('are passed over by the index, which would have to wait for them', async () => {
    const asRead = { documentId: 'one', stamp: 'before' };
    await database.transaction(async (tx) => {
      await sql`insert into search_pending values ('one', 'before', '')`.execute(tx);
    });
    const end = async () => {
      const left = await other.transaction((tx) => deletePending(tx, [asRead]));
      return left.length === 0;
    };
    await database.transaction(async (tx) => {
      await sql`update search_pending set claimed_until = '' where document_id = 'one'`.execute(tx);
      assert.equal(await end(), false);
    }, turnOf('ada'));
    assert.equal(await end(), true);
  });

  it('send one query after the other behind a pooler, in their order', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const pooled = await openPostgres({ ...location, pooler: true });
    await Promise.all(
      numbers(9).map((entry) =>
        pooled.transaction(async (tx) => {
          const [, found] = await inOneGo([answer(tx, {}), entriesIn(tx), enter(tx, entry)]);
          assert.ok(found.length <= entry);
        }, turnOf('ada')),
      ),
    );
    assert.equal((await entriesIn(other.read)).length, 9);
    await pooled.close();
    process.off('warning', note);
    assert.deepEqual(warnings, []);
  });

  it('cannot be used once they have ended', async () => {
    const ended = await database.transaction(async (tx) => tx, turnOf('ada'));
    await assert.rejects(answer(ended, {}), /has ended/);
    await assert.rejects(enter(ended, 1));
  });
});
