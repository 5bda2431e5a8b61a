import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../test/database.ts';
import { runBriefs } from '../../../test/process.ts';
import { stackSettings } from '../../../test/stack.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { openPostgres } from './postgres.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sqlite.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const MIGRATIONS = join(ROOT, 'src/storage/sql/migrations');

/**
 * SHA-256 of every migration's source. A migrated database keeps its schema, so once a version is
 * released, a change needs a new migration.
 */
const CHECKSUMS: Record<string, string> = {
  '001-tables': 'b93f4107ad6591b537e129d77d703445f52c2d25b99cd589a5c8f660f4b12dae',
};

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** An empty database, on the stack under test. */
async function newDatabase() {
  const dataDir = mkdtempSync(join(home, 'data-'));
  const settings = await stackSettings(dataDir);
  const { database: location } = readConfig({ DATA_DIR: dataDir, ...settings });
  return {
    settings: { DATA_DIR: dataDir, ...settings } as Record<string, string>,
    open: (): Promise<Sql> => (location ? openPostgres(location) : openSqlite(dataDir)),
    async execute(statements: string): Promise<void> {
      if (!location) {
        const database = openDatabase(dataDir, { readOnly: false });
        database.exec(statements);
        database.close();
        return;
      }
      const client = new pg.Client({ connectionString: location.connectionString });
      await client.connect();
      await client.query(statements).finally(() => client.end());
    },
  };
}

describe('Migrations', () => {
  it('never change once they are released', () => {
    const sources = readdirSync(MIGRATIONS).sort();
    const checksums = sources.map((name) => [
      name.replace('.ts', ''),
      createHash('sha256')
        .update(readFileSync(join(MIGRATIONS, name)))
        .digest('hex'),
    ]);
    assert.deepEqual(
      Object.fromEntries(checksums),
      CHECKSUMS,
      'A released migration must stay as it is: write a new one. Add the checksum of a new one here.',
    );
  });
});

describe('A database of another version', () => {
  it('is refused, and nothing changes', async () => {
    const { settings, open, execute } = await newDatabase();
    await (await open()).close();
    await execute(`insert into kysely_migration (name, timestamp) values ('002-later', '2027')`);
    for (let start = 0; start < 2; start++) {
      const { code, stdout, stderr } = await runBriefs(['migrate'], settings);
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(
        stderr,
        'briefs: The database is of another version of Briefs (it has 002-later): run a newer one, or ' +
          'restore a backup made before the upgrade. Data from before 1.0.0 cannot be read.\n',
      );
    }
  });
});
