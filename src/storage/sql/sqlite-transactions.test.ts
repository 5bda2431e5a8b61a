import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { until } from '../../../test/until.ts';
import { BackEndUnavailable } from '../../base/errors.ts';
import type { Sql, Writer } from './sql.ts';
import { oneByOne, openSqlite } from './sqlite.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { databasePath, openSqliteFile } from './sqlite-file.ts';
import { openSqliteLog, type SqliteLog } from './sqlite-log.ts';
import type { Tables } from './tables.ts';

describe('Transactions on SQLite', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let database: Sql;
  /** Stands for another process: it sees committed data. */
  let other: DatabaseSync;

  before(async () => {
    database = await openSqlite(dataDir);
    other = new DatabaseSync(databasePath(dataDir));
    other.exec('create table parent (id integer primary key)');
    other.exec(`create table child (id integer primary key,
      parent_id integer references parent (id) deferrable initially deferred)`);
  });
  after(async () => {
    other.close();
    await database.close();
    rmSync(dataDir, { recursive: true });
  });
  beforeEach(() => other.exec('delete from child; delete from parent'));

  const insertParent = (tx: Writer, id: number) =>
    sql`insert into parent (id) values (${id})`.execute(tx);
  const ids = () =>
    other
      .prepare('select id from parent order by id')
      .all()
      .map(({ id }) => id);

  it('each transaction is durable when it resolves, however many arrive together', async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, id) =>
        database
          .transaction((tx) => insertParent(tx, id))
          .then(() => assert.ok(ids().includes(id), `${id} is not committed`)),
      ),
    );
    assert.equal(ids().length, 200);
  });

  it('transactions run in order, and see earlier ones', async () => {
    const seen = await Promise.all(
      Array.from({ length: 10 }, (_, id) =>
        database.transaction(async (tx) => {
          const { rows } = await sql<{ n: number }>`select count(*) as n from parent`.execute(tx);
          // Others could run here.
          await new Promise((resolve) => setImmediate(resolve));
          await insertParent(tx, id);
          return rows[0]?.n;
        }),
      ),
    );
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('they fail alone, and leave nothing behind', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, id) =>
        database.transaction(async (tx) => {
          await insertParent(tx, id);
          if (id % 3 === 0) throw new Error(`refused ${id}`);
          // The database refuses this one itself.
          if (id % 3 === 1) await insertParent(tx, id);
        }),
      ),
    );
    assert.deepEqual(ids(), [2, 5, 8]);
    for (const [id, outcome] of outcomes.entries()) {
      const reason = outcome.status === 'rejected' ? String(outcome.reason) : 'done';
      const expected = [/refused/, /UNIQUE/, /done/][id % 3] as RegExp;
      assert.match(reason, expected);
    }
  });

  it('each runs once', async () => {
    const runs: number[] = [];
    const insert = (id: number, refused: boolean) =>
      database.transaction(async (tx) => {
        runs.push(id);
        await insertParent(tx, id);
        if (refused) throw new Error('refused');
      });
    await Promise.allSettled([insert(4, false), insert(5, true), insert(6, false)]);
    assert.deepEqual(runs, [4, 5, 6]);
    assert.deepEqual(ids(), [4, 6]);
  });

  it('a commit that fails undoes its own transaction, and no other', async () => {
    const insertOrphan = (tx: Writer) =>
      sql`insert into child (id, parent_id) values (1, 404)`.execute(tx);
    const [first, orphan, last] = await Promise.allSettled([
      database.transaction((tx) => insertParent(tx, 1)),
      database.transaction(insertOrphan),
      database.transaction((tx) => insertParent(tx, 2)),
    ]);
    assert.match(String((orphan as PromiseRejectedResult).reason), /FOREIGN KEY/);
    assert.deepEqual([first.status, last.status], ['fulfilled', 'fulfilled']);
    assert.deepEqual(ids(), [1, 2]);
  });

  it('they write nothing after the database rolled back by itself, as when the disk fails', async () => {
    const undone = (id: number) =>
      database.transaction(async (tx) => {
        await insertParent(tx, id);
        await sql`rollback`.execute(tx);
        await Promise.allSettled([insertParent(tx, id + 1), insertParent(tx, id + 2)]);
      });
    await assert.rejects(undone(1), BackEndUnavailable);
    const outcomes = await Promise.allSettled([
      database.transaction((tx) => insertParent(tx, 10)),
      undone(20),
      database.transaction((tx) => insertParent(tx, 30)),
    ]);
    assert.ok((outcomes[1] as PromiseRejectedResult).reason instanceof BackEndUnavailable);
    assert.deepEqual(ids(), [10, 30]);
  });

  it('a single transaction also leaves nothing behind when it fails', async () => {
    const refused = database.transaction(async (tx) => {
      await insertParent(tx, 1);
      throw new Error('refused');
    });
    await assert.rejects(refused, /refused/);
    assert.deepEqual(ids(), []);
  });
});

describe('The log of a SQLite database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const path = databasePath(dataDir);
  const database = openSqliteFile(path);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  /** The syncs that were begun and end when the test says so. */
  let syncs: PromiseWithResolvers<void>[];
  let log: SqliteLog;
  let insert: (id: number) => Promise<unknown>;
  /** The ids whose transactions have ended. */
  let ended: number[];

  before(() => database.exec('create table line (id integer primary key)'));
  beforeEach(() => {
    database.exec('delete from line');
    [syncs, ended] = [[], []];
    log = openSqliteLog(database, path, () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    });
    const transaction = oneByOne(() => db.startTransaction().execute(), log);
    insert = (id) =>
      transaction((tx) => sql`insert into line (id) values (${id})`.execute(tx)).finally(() =>
        ended.push(id),
      );
  });
  afterEach(() => log.close());
  after(async () => {
    await db.destroy();
    rmSync(dataDir, { recursive: true });
  });

  const count = () => database.prepare('select count(*) as n from line').get()?.n;
  const begun = (number: number) => until(`${number} syncs`, () => syncs.length === number);

  it('is synced before a transaction ends, once for all that were committed before', async () => {
    const first = insert(1);
    await begun(1);
    const others = [insert(2), insert(3), insert(4)];
    await until('all are committed', () => count() === 4);
    assert.deepEqual(ended, []);
    syncs[0]?.resolve();
    await first;
    await begun(2);
    assert.deepEqual(ended, [1]);
    syncs[1]?.resolve();
    await Promise.all(others);
    assert.equal(syncs.length, 2);
  });

  it('an error waits, too: another transaction may have caused it', async () => {
    const first = insert(1);
    const again = insert(1);
    await begun(1);
    assert.deepEqual(ended, []);
    syncs[0]?.resolve();
    await first;
    await assert.rejects(again, /UNIQUE/);
  });

  it('after a failed sync, is copied into the database before anything else is written', async () => {
    const first = insert(1);
    await begun(1);
    const second = insert(2);
    await until('both are committed', () => count() === 2);
    syncs[0]?.reject(Object.assign(new Error('EIO'), { errno: -5 }));
    // The second follows the first in the log.
    for (const one of [first, second]) await assert.rejects(one, BackEndUnavailable);
    assert.equal(syncs.length, 1);

    const reader = new DatabaseSync(path);
    reader.exec('begin; select * from line');
    await assert.rejects(insert(3), BackEndUnavailable);
    reader.close();

    const fourth = insert(4);
    await begun(2);
    const logged = database.prepare('pragma wal_checkpoint(passive)').get();
    assert.equal(logged?.log, 1);
    syncs[1]?.resolve();
    await fourth;
    assert.equal(count(), 3);
  });
});
