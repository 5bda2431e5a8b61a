import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { stackSettings } from '../../../test/stack.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { Context } from '../../core/context.ts';
import { closeContext, openContext } from '../../open-context.ts';
import { compareBlobs, namedBlobs } from './blobs.ts';
import { compareRows } from './compare-rows.ts';
import { migrateData } from './migrate-data.ts';
import { canonical, inBatches, isEqual, pairUp, type Row } from './rows.ts';
import { DERIVED_TABLES, TABLES, type Table } from './tables.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const SILENT = { begin() {}, advance() {} };

/** Opens an installation in its own directory, on the embedded back ends if `settings` is `{}`. */
async function install(name: string, settings: Record<string, string>): Promise<Context> {
  return openContext(readConfig({ DATA_DIR: join(home, name), ...settings }));
}

describe('The list of tables that migrate-data copies', () => {
  const listed: Record<string, Table> = { ...TABLES, ...DERIVED_TABLES };
  let context: Context;
  let names: string[];

  before(async () => {
    context = await install('schema', {});
    // Excludes the tables that a virtual table creates.
    const tables = (await pragma('table_list')).filter(({ type }) => type === 'table');
    names = tables
      .map(({ name }) => name as string)
      .filter((name) => !/^(sqlite|kysely)_/.test(name));
  });
  after(() => closeContext(context));

  async function pragma(text: string): Promise<Record<string, unknown>[]> {
    const { rows } = await sql.raw(`pragma ${text}`).execute(context.sql.read);
    return rows as Record<string, unknown>[];
  }

  it('has every table', () => {
    assert.deepEqual(
      names.filter((name) => !(name in listed)),
      [],
      'These tables would stay behind. Add them to src/storage/migrate-data/tables.ts: to TABLES, ' +
        'after the tables that they refer to, or to DERIVED_TABLES if they can be rebuilt.',
    );
    assert.deepEqual(
      Object.keys(listed).filter((name) => !names.includes(name)),
      [],
      'These tables no longer exist. Remove them from src/storage/migrate-data/tables.ts.',
    );
  });

  it('has each table after those it refers to', async () => {
    const seen: string[] = [];
    for (const name of Object.keys(TABLES)) {
      for (const { table } of await pragma(`foreign_key_list(${name})`)) {
        assert.ok(seen.includes(table as string), `${name} refers to ${table}: list it later`);
      }
      seen.push(name);
    }
  });

  it('has primary keys and unique columns', async () => {
    for (const [name, { key, unique }] of Object.entries(listed)) {
      const columns = (await pragma(`table_info(${name})`)).filter(({ pk }) => pk !== 0);
      columns.sort((a, b) => Number(a.pk) - Number(b.pk));
      assert.deepEqual(
        key,
        columns.map((column) => column.name),
        `${name}: key`,
      );
      const indexes = (await pragma(`index_list(${name})`)).filter((index) => index.unique);
      const found = new Set<unknown>();
      for (const index of indexes) {
        for (const column of await pragma(`index_info(${index.name})`)) found.add(column.name);
      }
      for (const column of key) found.delete(column);
      assert.deepEqual([...unique].sort(), [...found].sort(), `${name}: unique`);
    }
  });

  it('has blob keys and large columns', async () => {
    for (const [name, { blob, bulk }] of Object.entries(listed)) {
      const columns = (await pragma(`table_info(${name})`)).map((column) => column.name);
      assert.equal(blob !== undefined, columns.includes('storage_path'), `${name}: blob`);
      const isBulky = ['content', 'stored_bytes', 'picture'].some((column) =>
        columns.includes(column),
      );
      assert.equal(bulk !== undefined, isBulky, `${name}: bulk`);
    }
  });
});

describe('Rows', () => {
  async function* each(...rows: Row[]): AsyncGenerator<Row> {
    yield* rows;
  }

  async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
    const collected: T[] = [];
    for await (const item of items) collected.push(item);
    return collected;
  }

  it('of both sides are paired by key, in the databases’ order', async () => {
    // By UTF-16 code units, the last two would be swapped.
    const [a, b, c, d] = [{ id: '' }, { id: 'é' }, { id: '\uffee' }, { id: '😀' }] as const;
    const pairs = await collect(pairUp(each(a, c, d), each(a, b, d), ['id']));
    assert.deepEqual(pairs, [
      { source: a, target: a },
      { source: undefined, target: b },
      { source: c, target: undefined },
      { source: d, target: d },
    ]);
    const numbers = await collect(pairUp(each({ n: 9 }), each({ n: 10 }), ['n']));
    assert.deepEqual(numbers[0], { source: { n: 9 }, target: undefined });
    assert.deepEqual(await collect(pairUp(each(), each(), ['id'])), []);
  });

  it('are grouped into batches for one transaction', async () => {
    const small = Array.from({ length: 1_201 }, (_, id) => ({ id }));
    const lengths = (batches: Row[][]) => batches.map(({ length }) => length);
    assert.deepEqual(lengths(await collect(inBatches(each(...small)))), [500, 500, 201]);
    const large = Array.from({ length: 5 }, (_, id) => ({ id, text: 'x'.repeat(5_000_000) }));
    assert.deepEqual(lengths(await collect(inBatches(each(...large)))), [2, 2, 1]);
  });

  it('are equal, with the same canonical text, if all values are', () => {
    const rows: Row[] = [
      { a: 'x', b: null },
      { a: '', b: null },
      { a: null, b: '' },
      { a: '1', b: null },
      { a: 1, b: null },
      { a: 'null', b: null },
      { a: new Uint8Array([1, 2]), b: null },
      { a: new Uint8Array([1, 3]), b: null },
      { a: '{"base64":"AQI="}', b: null },
    ];
    for (const [index, row] of rows.entries()) {
      const copy = {
        b: row.b ?? null,
        a: row.a instanceof Uint8Array ? Buffer.from(row.a) : row.a,
      };
      assert.ok(isEqual(row, copy as Row));
      assert.equal(canonical(row), canonical(copy as Row));
      for (const other of rows.slice(index + 1)) {
        assert.ok(!isEqual(row, other), `${canonical(row)} ${canonical(other)}`);
        assert.notEqual(canonical(row), canonical(other));
      }
    }
  });
});

describe('The final comparison', () => {
  let source: Context;
  let target: Context;

  before(async () => {
    source = await install('source', {});
    target = await install('target', await stackSettings(join(home, 'target')));
    await source.sql.transaction(async (writer) => {
      await writer
        .insertInto('owner')
        .values({ id: 'ada', type: 'user', namespace: 'ada' })
        .execute();
      const page = { kind: 'page', owner_id: 'ada', owner_type: 'user', visibility: 'public' };
      const written = { version: 1, size_bytes: 4, created_at: '1', updated_at: '1' };
      await writer
        .insertInto('document')
        .values(
          ['a', 'b', 'c'].map((id) => ({
            ...(page as {
              kind: 'page';
              owner_type: 'user';
              owner_id: string;
              visibility: 'public';
            }),
            ...written,
            id,
            name: id,
            storage_path: `pages/${id}.html`,
          })),
        )
        .execute();
    });
    for (const key of ['a', 'b', 'c']) {
      await source.blobs.write(`pages/${key}.html`, Readable.from([Buffer.from(`<p>${key}`)]));
    }
  });
  beforeEach(async () => {
    const options = { rows: true, blobs: true, resume: true, progress: SILENT };
    const { tables, blobs } = await migrateData(source, target, options);
    assert.ok(tables?.every((table) => table.isEqual));
    assert.deepEqual(blobs, { count: 3, bytes: 12, differing: [], gone: [] });
  });
  after(async () => {
    await closeContext(source);
    await closeContext(target);
  });

  const differingTables = async () =>
    (await compareRows(source.sql.read, target.sql.read, SILENT))
      .filter((table) => !table.isEqual)
      .map(({ table }) => table);
  const checkBlobs = () =>
    compareBlobs(namedBlobs(target.sql.read), source.blobs, target.blobs, SILENT);

  it('finds a different value in one row', async () => {
    assert.deepEqual(await differingTables(), []);
    await target.sql.transaction((writer) =>
      writer.updateTable('document').set({ updated_at: '2' }).where('id', '=', 'b').execute(),
    );
    assert.deepEqual(await differingTables(), ['document']);
  });

  it('finds an empty text instead of null', async () => {
    await target.sql.transaction((writer) =>
      writer.updateTable('document').set({ title: '' }).where('id', '=', 'b').execute(),
    );
    assert.deepEqual(await differingTables(), ['document']);
  });

  it('finds an extra row and a missing row', async () => {
    await target.sql.transaction(async (writer) => {
      await writer
        .insertInto('signing_key')
        .values({ id: '1', secret: 'x', created_at: '1' })
        .execute();
      await writer.deleteFrom('document').where('id', '=', 'a').execute();
    });
    assert.deepEqual(await differingTables(), ['document', 'signing_key']);
  });

  it('finds a blob of the same size, a shorter one, and a missing one', async () => {
    for (const html of ['<p>B', '<p>', undefined]) {
      await target.blobs.delete('pages/b.html');
      if (html) await target.blobs.write('pages/b.html', Readable.from([Buffer.from(html)]));
      const { differing, gone } = await checkBlobs();
      assert.deepEqual([differing, gone], [['pages/b.html'], []], `${html}`);
    }
  });

  it('finds a blob that is missing only at the source', async () => {
    await source.blobs.delete('pages/c.html');
    const { differing, gone } = await checkBlobs();
    assert.deepEqual([differing, gone], [[], ['pages/c.html']]);
    await source.blobs.write('pages/c.html', Readable.from([Buffer.from('<p>c')]));
  });
});

describe('A snapshot', () => {
  let context: Context;

  before(async () => {
    context = await install('snapshot', await stackSettings(join(home, 'snapshot')));
  });
  after(() => closeContext(context));

  const addKey = (id: string) =>
    context.sql.transaction((writer) =>
      writer.insertInto('signing_key').values({ id, secret: 'x', created_at: '1' }).execute(),
    );

  it('doesn’t see later writes, and doesn’t block reads or writes', async () => {
    await addKey('1');
    await context.sql.snapshot(async (reader) => {
      const read = async () =>
        (await reader.selectFrom('signing_key').select('id').execute()).map(({ id }) => id);
      assert.deepEqual(await read(), ['1']);
      await addKey('2');
      assert.equal(
        (await context.sql.read.selectFrom('signing_key').selectAll().execute()).length,
        2,
      );
      assert.deepEqual(await read(), ['1']);
    });
  });

  it('rejects writes, and leaves the database usable', async () => {
    await assert.rejects(
      context.sql.snapshot((reader) => reader.deleteFrom('signing_key').execute()),
      // On PostgreSQL, its connection is given up, as if the server had become read-only.
      /read-?only|terminated/,
    );
    const { length } = await context.sql.read.selectFrom('signing_key').selectAll().execute();
    assert.equal(length, 2);
    await addKey('3');
  });
});
