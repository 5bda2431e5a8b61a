import { strict as assert } from 'node:assert';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { listLibraryRows } from '../../features/library/library-store.ts';
import { preparedTexts } from './prepared.ts';
import { openSqlite } from './sqlite.ts';
import { databasePath } from './sqlite-file.ts';

const SRC = join(import.meta.dirname, '../..');

describe('Prepared queries on SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  /** How many columns SQLite has asked for while it compiled statements. */
  let looks = 0;

  const database = await openSqlite(dataDir);
  const handle = new DatabaseSync(databasePath(dataDir));
  handle.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT || action === constants.SQLITE_READ) looks++;
    return constants.SQLITE_OK;
  });
  after(async () => {
    handle.close();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /**
   * How often SQLite compiles a statement again when it is called with any values; `undefined` if it
   * is one of PostgreSQL's.
   */
  function compiledAgain(text: string): number | undefined {
    const statement = prepare(text);
    if (!statement) return undefined;
    const values = Array.from({ length: text.split('?').length - 1 }, () => 0);
    handle.exec('begin');
    looks = 0;
    // A constraint may refuse the values, which doesn't matter here.
    for (let call = 0; call < 2; call++) attempt(() => statement.all(...values));
    const count = looks;
    handle.exec('rollback');
    return count;
  }

  function prepare(text: string) {
    try {
      return handle.prepare(text);
    } catch (error) {
      if (/syntax error|no such/.test((error as Error).message)) return undefined;
      throw error;
    }
  }

  it('the count notices a statement that is compiled again', () => {
    assert.equal(compiledAgain("select id from document where visibility = 'public'"), 0);
    assert.ok(compiledAgain('select id from document where visibility = ?'));
  });

  it('are compiled once', async () => {
    for (const path of globSync('**/*-store.js', { cwd: SRC })) {
      await import(pathToFileURL(join(SRC, path)).href);
    }
    for (const place of ['recent', 'own', 'shared', 'organization'] as const) {
      for (const words of [[], ['word']]) {
        const list = {
          place,
          words,
          sort: 'changed',
          actorId: 'a',
          ownerId: 'a',
          label: 'b',
        } as const;
        await listLibraryRows(database.read, list, { key: '', id: '' }, 10);
      }
    }
    const texts = preparedTexts(database.read).filter((text) => !/^(rollback|release)/.test(text));
    const counts = texts.map(compiledAgain);
    const tried = counts.filter((count) => count !== undefined).length;
    assert.ok(tried > 80, `${tried} of ${texts.length}`);
    assert.deepEqual(
      texts.filter((_, index) => counts[index]),
      [],
    );
  });
});

function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}
