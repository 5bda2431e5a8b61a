import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertOwner } from '../../src/account/owner-store.ts';
import { remembered } from '../../src/storage/sql/prepared.ts';
import { RowMemory } from '../../src/storage/sql/row-memory.ts';
import type { Sql } from '../../src/storage/sql/sql.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { databasePath, openSqliteFile } from '../../src/storage/sql/sqlite-file.ts';

const owners = remembered<{ type: 'user' }, { namespace: string }>((db, parameter) =>
  db
    .selectFrom('owner')
    .where('type', '=', parameter('type'))
    .select('namespace')
    .orderBy('namespace'),
);

describe('Rows that are remembered', () => {
  let dataDir: string;
  let one: Sql;
  let other: Sql;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'briefs-'));
    one = await openSqlite(dataDir);
    other = await openSqlite(dataDir);
  });
  after(async () => {
    await one.close();
    await other.close();
    rmSync(dataDir, { recursive: true });
  });

  const users = (sql: Sql) => owners(sql.read, { type: 'user' });
  const namesOf = (rows: readonly { namespace: string }[]) => rows.map((row) => row.namespace);
  const add = (sql: Sql, namespace: string) =>
    sql.transaction((tx) => insertOwner(tx, { id: `id-${namespace}`, type: 'user', namespace }));

  it('are the very same until something is committed, and cannot be changed', async () => {
    await add(one, 'ada');
    assert.deepEqual(namesOf(await users(one)), ['ada']);
    const rows = await users(one);
    assert.equal(await users(one), rows);
    assert.throws(() => Object.assign(rows[0] as object, { namespace: 'eve' }), TypeError);
    assert.throws(() => (rows as unknown[]).push({}), TypeError);
    await add(one, 'grace');
    assert.deepEqual(namesOf(await users(one)), ['ada', 'grace']);
  });

  it('are forgotten when another process commits', async () => {
    assert.deepEqual(namesOf(await users(one)), ['ada', 'grace']);
    await add(other, 'edsger');
    assert.deepEqual(namesOf(await users(one)), ['ada', 'edsger', 'grace']);
  });

  it('are asked for once by requests of one turn, but for what this process commits', async () => {
    const raw = openSqliteFile(databasePath(dataDir));
    const rename = (from: string, to: string) =>
      raw.prepare('update owner set namespace = ? where namespace = ?').run(to, from);
    one.requestArrived();
    const rows = await users(one);
    rename('grace', 'hopper');
    assert.equal(await users(one), rows, 'they had been sent before');
    await nextTurn();
    assert.ok(namesOf(await users(one)).includes('hopper'));
    await one.transaction(async (tx) => {
      one.requestArrived();
      await users(one);
      await insertOwner(tx, { id: 'id-barbara', type: 'user', namespace: 'barbara' });
    });
    assert.ok(namesOf(await users(one)).includes('barbara'));
    await nextTurn();
    rename('hopper', 'grace');
    assert.ok(namesOf(await users(one)).includes('grace'), 'nobody has arrived');
    raw.close();
  });

  it('are of no account to a transaction, which sees what it wrote', async () => {
    await users(one);
    await one.transaction(async (tx) => {
      await owners(tx, { type: 'user' });
      await insertOwner(tx, { id: 'id-alan', type: 'user', namespace: 'alan' });
      assert.ok(namesOf(await owners(tx, { type: 'user' })).includes('alan'));
      assert.ok(!namesOf(await users(one)).includes('alan'), 'not for others before its end');
    });
    assert.ok(namesOf(await users(one)).includes('alan'));
  });

  it('are those that are asked for again', () => {
    const memory = new RowMemory();
    let reads = 0;
    const recall = (version: number, key: string) =>
      memory.recall(version, key, () => {
        reads += 1;
        return [{ read: reads }];
      })[0];
    const [once, again] = [recall(1, 'a'), recall(1, 'a')];
    assert.notEqual(once, again);
    assert.equal(recall(1, 'a'), again);
    const later = recall(2, 'a');
    assert.notEqual(later, again, 'not those of before a commit');
    assert.equal(recall(2, 'a'), later, 'it was asked for before');
    // One after the other, none is asked for again.
    for (let round = 0; round < 2; round += 1) {
      for (let key = 0; key < 10_000; key += 1) recall(2, `${key}`);
    }
    reads = 0;
    assert.equal(recall(2, 'a'), later, 'what is asked for once pushes nothing out');
    for (let key = 0; key < 1_000; key += 1) recall(2, `${key}`);
    assert.equal(reads, 1_000);
  });

  it('make room for others, and none are too large', () => {
    const memory = new RowMemory();
    let reads = 0;
    const recall = (key: string, length: number) =>
      memory.recall(1, key, () => {
        reads += 1;
        return [{ text: 'x'.repeat(length) }];
      });
    recall('large', 100_000);
    recall('large', 100_000);
    assert.equal(reads, 2, 'large ones are read each time');
    for (let key = 0; key < 200; key += 1) {
      recall(`${key}`, 30_000);
      recall(`${key}`, 30_000);
    }
    reads = 0;
    recall('199', 30_000);
    assert.equal(reads, 0);
    recall('0', 30_000);
    assert.equal(reads, 1, 'the oldest had to go');
  });

  it('are frozen, for who shares them; those that are read each time are not', () => {
    const memory = new RowMemory();
    const recall = (key: string, length: number) =>
      memory.recall(1, key, () => [{ text: 'x'.repeat(length) }])[0];
    assert.ok(!Object.isFrozen(recall('small', 10)));
    assert.ok(Object.isFrozen(recall('small', 10)));
    recall('large', 100_000);
    assert.ok(!Object.isFrozen(recall('large', 100_000)));
  });

  it('make room for others also where nothing was found', () => {
    const memory = new RowMemory();
    const key = (number: number) => `${number} ${'x'.repeat(1_000)}`;
    let reads = 0;
    const recall = (number: number) =>
      memory.recall(1, key(number), () => {
        reads += 1;
        return [];
      });
    for (let number = 0; number < 20_000; number += 1) {
      recall(number);
      recall(number);
    }
    reads = 0;
    recall(19_999);
    assert.equal(reads, 0);
    recall(0);
    assert.equal(reads, 1, 'the oldest had to go');
  });
});
