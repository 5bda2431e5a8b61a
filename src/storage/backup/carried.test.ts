import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stackSettings } from '../../../test/stack.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { Context } from '../../core/context.ts';
import { closeContext, openContext } from '../../open-context.ts';
import { describeTables, type TableSchema } from '../sql/schema.ts';
import { carriedTables, insertLines, NOT_CARRIED, namedBlobs, readLines } from './rows.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Opens an installation of the stack under test in its own directory. */
async function install(name: string): Promise<Context> {
  const dataDir = join(home, name);
  return openContext(readConfig({ DATA_DIR: dataDir, ...(await stackSettings(dataDir)) }));
}

describe('The tables that a backup carries', () => {
  let context: Context;
  let carried: TableSchema[];

  before(async () => {
    context = await install('schema');
    carried = await carriedTables();
  });
  after(() => closeContext(context));

  it('are all of the database, except those named with a reason', async () => {
    const tables = await context.sql.read.introspection.getTables();
    const names = tables
      .filter(({ name, isView }) => !isView && !name.startsWith('kysely_'))
      .map(({ name }) => name);
    const left = names.filter((name) => !carried.some((table) => table.name === name));
    assert.ok(left.length > 0 && carried.length > 40);
    assert.deepEqual(
      left.filter((name) => !NOT_CARRIED[name]),
      [],
      'Name it in NOT_CARRIED with a reason, or create it on all databases.',
    );
    const described = await describeTables();
    const searchIndex = ['document_text', 'page_text'];
    assert.deepEqual(
      Object.keys(NOT_CARRIED).filter(
        (name) => !searchIndex.includes(name) && !described.some((table) => table.name === name),
      ),
      [],
      'These tables no longer exist.',
    );
    for (const { name, columns } of carried) {
      const found = tables.find((table) => table.name === name)?.columns ?? [];
      assert.deepEqual(found.map((column) => column.name).sort(), [...columns].sort(), name);
    }
  });

  it('are in an order in which foreign keys allow their rows, and have keys', async () => {
    const position = (name: string) => carried.findIndex((table) => table.name === name);
    assert.ok(position('owner') < position('account'));
    assert.ok(position('thread') < position('proposal'));
    assert.ok(position('event') < position('webhook_delivery'));
    for (const { name, key } of carried) assert.ok(key.length > 0, name);
  });

  it('name every blob', async () => {
    const withBlobs = carried
      .filter(({ blob }) => blob)
      .map(({ name, blob }) => [name, blob?.bytes]);
    assert.deepEqual(Object.fromEntries(withBlobs), {
      file: 'sizeBytes',
      proposal: 'storedBytes',
      revision_text: 'storedBytes',
      stored_document: 'sizeBytes',
    });
  });
});

describe('Rows in a backup', () => {
  let context: Context;

  before(async () => {
    context = await install('rows');
  });
  after(() => closeContext(context));

  async function tableOf(name: string): Promise<TableSchema> {
    const table = (await carriedTables()).find((each) => each.name === name);
    assert.ok(table);
    return table;
  }

  async function linesOf(name: string): Promise<Buffer[]> {
    const table = await tableOf(name);
    const batches: Buffer[] = [];
    await context.sql.snapshot(async (reader) => {
      for await (const lines of readLines(reader, table)) batches.push(lines);
    });
    return batches;
  }

  const owner = { id: 'u', type: 'user', namespace: 'ada' };
  const insert = async (name: string, lines: string) => {
    const table = await tableOf(name);
    return context.sql.transaction((tx) => insertLines(tx, table, Buffer.from(lines), 'lines'));
  };

  it('keep every value', async () => {
    const texts = [null, '', 'null', '1', '{"base64":"AQI="}', '😀 \u202e\t\r\n\u0001\'"\\'];
    const rows = texts.map((displayName, index) => {
      const picture =
        index % 2 === 0 ? null : { base64: Buffer.from([0, 255, 10]).toString('base64') };
      return {
        ownerId: `u${index}`,
        displayName,
        summary: null,
        pictureType: picture && 'image/png',
        pictureHash: picture && 'x',
        pictureBytes: picture ? 3 : 0,
        picture,
      };
    });
    const owners = rows.map((row, index) => ({
      ...owner,
      id: row.ownerId,
      namespace: `n${index}`,
    }));
    const toLines = (all: object[]) => all.map((row) => `${JSON.stringify(row)}\n`).join('');
    await insert('owner', toLines(owners));
    await insert('profile', toLines(rows));
    assert.equal(Buffer.concat(await linesOf('profile')).toString(), toLines(rows));
  });

  it('are read a few MB at a time, each once, in the order of the key', async () => {
    const account = { id: 'm', type: 'user', namespace: 'many' };
    await insert('owner', JSON.stringify(account));
    await context.sql.transaction(async (tx) => {
      for (let n = 0; n < 1_203; n++) {
        await tx
          .insertInto('stored_document')
          .values({
            id: String(n).padStart(6, '0'),
            kind: 'brief',
            ownerId: 'm',
            ownerType: 'user',
            name: `n${n}`,
            visibility: 'public',
            version: 1,
            sizeBytes: 1,
            createdAt: '1',
            updatedAt: '1',
            content: n < 4 ? 'x'.repeat(1_900_000) : 'x',
          })
          .execute();
      }
    });
    const batches = await linesOf('stored_document');
    const lines = batches.flatMap((batch) => batch.toString().trimEnd().split('\n'));
    const ids = lines.map((line) => JSON.parse(line).id);
    assert.deepEqual(
      ids,
      Array.from({ length: 1_203 }, (_, n) => String(n).padStart(6, '0')),
    );
    for (const batch of batches) assert.ok(batch.length < 5_000_000, `${batch.length}`);
    assert.ok(batches.length >= 4, `${batches.length}`);
  });

  it('are refused if they aren’t rows of the table', async () => {
    for (const line of [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      '{}',
      JSON.stringify({ id: 'x', type: 'user' }),
      JSON.stringify({ ...owner, colour: 'red' }),
      JSON.stringify({ ...owner, namespace: { a: 1 } }),
      JSON.stringify({ ...owner, namespace: true }),
      `{"id":"x","type":"user","__proto__":"x"}`,
    ]) {
      await assert.rejects(insert('owner', line), /^Error: lines has other rows than/, line);
    }
    const twice = `${JSON.stringify(owner)}\n${JSON.stringify(owner)}\n`;
    await assert.rejects(insert('owner', twice), /^Error: lines can’t be restored: .*unique/i);
  });

  it('list the blobs that they refer to, and refuse keys that lead elsewhere', async () => {
    const page = {
      id: 'p',
      accountId: 'f',
      address: 'a',
      name: 'x',
      contentType: 'text/plain',
      sizeBytes: 7,
      storagePath: 'files/x',
      createdAt: '1',
    };
    await insert('owner', JSON.stringify({ ...owner, id: 'f', namespace: 'files' }));
    await context.sql.transaction((tx) =>
      tx
        .insertInto('account')
        .values({ id: 'f', type: 'user', email: 'f', emailKey: 'f', createdAt: '1' })
        .execute(),
    );
    const named = [{ key: 'files/x', sizeBytes: 7 }];
    assert.deepEqual(await insert('file', JSON.stringify(page)), named);
    const listed: unknown[] = [];
    for await (const blobs of namedBlobs(context.sql.read, await carriedTables()))
      listed.push(...blobs);
    assert.deepEqual(listed, named);
    const hostile = { ...page, id: 'q', address: 'b', storagePath: '../../victim' };
    await assert.rejects(
      insert('file', JSON.stringify(hostile)),
      /it names "..\/..\/victim" as stored/,
    );
  });
});

describe('A snapshot', () => {
  let context: Context;

  before(async () => {
    context = await install('snapshot');
  });
  after(() => closeContext(context));

  const addKey = (id: string) =>
    context.sql.transaction((writer) =>
      writer.insertInto('signing_key').values({ id, secret: 'x', createdAt: '1' }).execute(),
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
