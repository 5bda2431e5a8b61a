import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { BackEndUnavailable } from '../../base/errors.ts';
import { groupCommits } from './group-commit.ts';
import type { Sql, Writer } from './sql.ts';
import { openSqlite } from './sqlite.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { databasePath } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

describe('Group commit', () => {
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

  it('they run once; if one fails, all run once more so that only that one fails', async () => {
    const runs: number[] = [];
    const insert = (id: number, refused: boolean) =>
      database.transaction(async (tx) => {
        runs.push(id);
        await insertParent(tx, id);
        if (refused) throw new Error('refused');
      });
    await Promise.all([insert(1, false), insert(2, false), insert(3, false)]);
    assert.deepEqual(runs.splice(0), [1, 2, 3]);
    await Promise.allSettled([insert(4, false), insert(5, true), insert(6, false)]);
    assert.deepEqual(runs, [4, 5, 4, 5, 6]);
    assert.deepEqual(ids(), [1, 2, 3, 4, 6]);
  });

  it('they are refused if they can’t run again, and don’t run after that', async () => {
    const handle = new DatabaseSync(databasePath(dataDir));
    const db = new Kysely<Tables>({ dialect: sqliteDialect(handle) });
    let begun = 0;
    const run = groupCommits(async () => {
      begun += 1;
      if (begun === 2) throw new BackEndUnavailable('the database is away');
      return db.startTransaction().execute();
    });
    const outcomes = await Promise.allSettled([
      run((tx) => insertParent(tx, 1)),
      run(async () => {
        throw new Error('refused');
      }),
    ]);
    for (const outcome of outcomes) {
      assert.ok((outcome as PromiseRejectedResult).reason instanceof BackEndUnavailable);
    }
    await run((tx) => insertParent(tx, 2));
    assert.deepEqual(ids(), [2]);
    await db.destroy();
  });

  it('all fail if the commit fails, even those refused because of another’s write', async () => {
    const insertOrphan = (tx: Writer) =>
      sql`insert into child (id, parent_id) values (1, 404)`.execute(tx);
    const outcomes = await Promise.allSettled([
      database.transaction((tx) => insertParent(tx, 1)),
      database.transaction(insertOrphan),
      database.transaction(async (tx) => {
        const { rows } = await sql`select id from parent where id = 1`.execute(tx);
        if (rows.length > 0) throw new Error('taken');
      }),
    ]);
    for (const outcome of outcomes) {
      assert.match(String((outcome as PromiseRejectedResult).reason), /FOREIGN KEY/);
    }
    assert.deepEqual(ids(), []);
    await database.transaction((tx) => insertParent(tx, 2));
    assert.deepEqual(ids(), [2]);
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
    for (const outcome of outcomes) {
      assert.ok((outcome as PromiseRejectedResult).reason instanceof BackEndUnavailable);
    }
    assert.deepEqual(ids(), []);
    await database.transaction((tx) => insertParent(tx, 2));
    assert.deepEqual(ids(), [2]);
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
