import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../../test/database.ts';
import { runBriefs } from '../../../test/process.ts';
import { stackSettings } from '../../../test/stack.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { BEFORE_001_SCHEMA, knownMigrations, runMigrations } from './migrate.ts';
import { openPostgres, rebuildPostgres } from './postgres.ts';
import type { Sql, Writer } from './sql.ts';
import { createSqliteFile, openSqlite } from './sqlite.ts';
import { databasePath } from './sqlite-file.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const MIGRATIONS = join(ROOT, 'src/storage/sql/migrations');

/**
 * SHA-256 of every migration's source. A migrated database keeps its schema, so once a version is
 * released, a change needs a new migration.
 */
const CHECKSUMS: Record<string, string> = {
  '001-schema': '181d1e0332434e38c248bba4f077611d7b3e2de222231d9205308d3142122b50',
  '002-appointed-reviewers': '83e4d18f3d5e8beadbba4e7711c5ea5f0057ddeb72e9dfb5eef080c15ea1f66b',
  '003-no-document-blocks': 'e2f73c8ef42fb287cca22477acb8d0e3e1470262d33223a634c8a697d3d0cc5f',
  '004-deleted-at': '70cbcbe0124cb56054964c7c99b475f98b11001b17a5b44d5e9c0c13321ca40e',
  '005-one-invitation': '970eb59a1e6b47fd8f3d2c4ac512e8e3ef64fa1e8358a11b49a2bf332c6394a7',
  '006-shared-addresses': '541486dd77793554e5d6648e8d365d78cb1990be36179738842d54893cc7f746',
  '007-references': '1522579b2ae1747105a458827672c9a1490838ab94eb984968bc8aaf7199ace8',
  '008-disabled-owners': '821e72429efe715866f98fec1015369fc5687764603810b05052b2de8a4ad170',
  '009-answered-requests': 'aaede5ea83e9c63f377d797989481d1fd34961061b7959f938669015db705bed',
  '010-session-subscriptions': 'dd380aacfff848c11ae0107bcff7f8a8b2b5318a768873a2320d0866590b2e04',
  '012-live-editing': '411a9657196bfc417959fb0c46ff7e6559ee14b013e300579742dda5f60ff10f',
  '013-presence': 'fff97086745aea5544c8511471b2916510b7b9f40b741a28ce52dd4197d1a55a',
  '014-authorship': '5dfcd54c8176f814dec55243415b48ca1392d71d4f16a7b722ce7dc6bb21630c',
  '015-links': 'c3275d054d9e9ef7a32b67d7e92a32dca9cce815ace5cd1966581b4047044b51',
  '016-inbox-later': '731fe8753006d5970d0b60f20a97bdf8a8731429cd255957084576c94e9db4ef',
  '017-suggestion-sets': 'fd898cbf0f8756bff1d8e1a0f3755a8751af41a54ac291da82a1c06dcd5e77be',
  '018-admins-and-audit': 'd005462283712228fadf26ff4a3ecd25665faf21f31796b06929297066278701',
  '019-administration': '2f7c5792438bf8e4a58cdfe80a4d85498b556b687885368b0c08902149dddd7d',
  '020-second-factor': 'e0d00fffc09bdf52a0013d1aae30d6a6c662f5e52f8a2d865b4d4a67f6611922',
  '021-taken-down': '21388ee5ab2b8670b6d1fcdac8220add8b5fe7795fae9312198b83c2a2015284',
  '022-audit-and-quotas': 'adc1cc0b0c5b7c3bc39e33ad98db88d126778f84080a946c25f786e83d0550f6',
  '023-policies': '7d9d4e158a1e69c96fe2b8b97af30cb78f9ab9ade7cdb4781b06f8d3f9798d4d',
  '024-instance-state': 'ea8154b381774e0d38926cde40c43de758d4ef1673559cc528dae5df27ef4d51',
  '025-programs': '58e382cd43d90239a92db917e8a7e05d0599d1dbd33d7af44b3344a6997ceca0',
  '026-live-clients': '4118593f31fc6748f5cc06e98ef7871a19ba80f55be2cb1faa4fca29a67def00',
  '027-around-suggestions': '20131160a5327c1f9a654563f63570e9e21c709f63946b4365376c55f436138b',
  '028-thread-writers': 'db1ff2a3b4aa7659a4a1e92ca746616c51fc2f5be7ac803138cb426cb1012a51',
  '029-invited-by-person': '802d4f548491a2cc76396724e014cbc39e4aa3786f84e36c47a0e4e48215b00c',
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
    /** Creates the schema that a migration completes, without later ones. */
    createSchema(last: string): Promise<void> {
      const create = (tx: Writer) => runMigrations(tx, last);
      if (!location) return createSqliteFile(databasePath(dataDir), create);
      return rebuildPostgres(location, [], { mustBeEmpty: false }, create);
    },
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

async function rows(database: Sql, query: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.raw(query).execute(database.read);
  return rows.map((row) => ({ ...(row as object) }));
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

const AT = '2026-11-22T12:00:00.000Z';

describe('A database of a version before 001-schema', () => {
  /** Makes a database look as if the former migrations had created it. */
  async function formerDatabase(names: readonly string[]) {
    const database = await newDatabase();
    await database.createSchema('001-schema');
    await database.execute(`
      insert into owner (id, type, namespace) values ('u', 'user', 'ada');
      delete from kysely_migration;
      insert into kysely_migration (name, timestamp)
        values ${names.map((name) => `('${name}', '${AT}')`).join(', ')};`);
    return database;
  }

  it('is taken over, with its rows, if it is of the last one', async () => {
    const { open } = await formerDatabase(BEFORE_001_SCHEMA);
    for (let start = 0; start < 2; start++) {
      const database = await open();
      try {
        const applied = await rows(database, 'select name from kysely_migration order by name');
        assert.deepEqual(
          applied.map(({ name }) => name),
          knownMigrations(),
        );
        assert.deepEqual(await rows(database, 'select id from owner'), [{ id: 'u' }]);
      } finally {
        await database.close();
      }
    }
  });

  it('is refused, and says what to do, if it is older', async () => {
    const { settings } = await formerDatabase(BEFORE_001_SCHEMA.slice(0, -2));
    for (let start = 0; start < 2; start++) {
      const { code, stdout, stderr } = await runBriefs(['migrate'], settings);
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(
        stderr,
        'briefs: The database is too old for this version of Briefs (it lacks 035-page-text, ' +
          '036-security-notices). Start it once with the last version before 001-schema, commit c6bc5e22, ' +
          'then with this one.\n',
      );
    }
  });
});

describe('Migration 004', () => {
  const document = (id: string, content: string) =>
    `'${id}', 'brief', 'u', 'user', 'notes', 'public', 2, 1, 'u', 'u', '${AT}', '${AT}', ${content}`;
  const columns = `id, kind, owner_id, owner_type, name, visibility, version, size_bytes, created_by,
    updated_by, created_at, updated_at, content`;

  it('carries deleted documents over, with their collaborators and history', async () => {
    const { createSchema, execute, open } = await newDatabase();
    await createSchema('001-schema');
    const insertTrashed = `insert into trashed_document (${columns}, deleted_by, deleted_at)`;
    await execute(`
      insert into owner (id, type, namespace) values ('u', 'user', 'ada'), ('v', 'user', 'grace');
      insert into account (id, email, email_key, created_at)
        values ('u', 'u@x', 'u@x', '${AT}'), ('v', 'v@x', 'v@x', '${AT}');
      insert into document (${columns}) values (${document('live', "'text'")});
      ${insertTrashed} values (${document('old', "'old text'")}, 'v', '${AT}');
      ${insertTrashed} values (${document('older', "'older text'")}, null, '${AT}');
      insert into collaborator (id, document_id, account_id, permission, added_at)
        values ('c1', 'live', 'v', 'read', '${AT}');
      insert into trashed_collaborator (id, document_id, account_id, permission, added_at)
        values ('c2', 'old', 'v', 'admin', '${AT}');
      insert into revision (document_id, version, changed, at)
        values ('live', 1, 'name', '${AT}'), ('old', 1, 'name', '${AT}'), ('gone', 1, 'name', '${AT}');
      insert into thread (id, document_id, kind, state, made_version, at_version, created_at,
        updated_at) values ('t', 'old', 'comment', 'open', 1, 1, '${AT}', '${AT}');
      insert into comment (id, thread_id, body, created_at) values ('m', 't', 'x', '${AT}');
      insert into document_label (document_id, key, owner_id, label) values ('old', 'k', 'u', 'K');`);
    const database = await open();
    try {
      const all = await rows(database, 'select * from stored_document order by id');
      const shown = all.map(({ id, content, deleted_by, deleted_at }) => [
        id,
        content,
        deleted_by,
        deleted_at,
      ]);
      assert.deepEqual(shown, [
        ['live', 'text', null, null],
        ['old', 'old text', 'v', AT],
        ['older', 'older text', null, AT],
      ]);
      assert.deepEqual(await rows(database, 'select id from document'), [{ id: 'live' }]);
      const collaborators = await rows(database, 'select * from collaborator order by id');
      assert.deepEqual(
        collaborators.map(({ document_id, permission }) => [document_id, permission]),
        [
          ['live', 'read'],
          ['old', 'admin'],
        ],
      );
      const documentsOf = async (table: string) => {
        const found = await rows(database, `select document_id as id from ${table} order by id`);
        return found.map(({ id }) => id);
      };
      // What a document left that is gone for good goes, too.
      assert.deepEqual(await documentsOf('revision'), ['live', 'old']);
      assert.deepEqual(await documentsOf('document_label'), ['old']);
      assert.deepEqual(await rows(database, 'select id, body from comment'), [
        { id: 'm', body: 'x' },
      ]);
      await database.transaction((tx) =>
        sql`delete from stored_document where id = 'old'`.execute(tx),
      );
      assert.deepEqual(await documentsOf('revision'), ['live']);
      assert.deepEqual(await documentsOf('collaborator'), ['live']);
      assert.deepEqual(await rows(database, 'select id from comment'), []);
    } finally {
      await database.close();
    }
  });
});

describe('005-one-invitation', () => {
  it('carries all invitations over, with their ids', async () => {
    const former = await newDatabase();
    await former.createSchema('003-no-document-blocks');
    const times = `'${AT}', '${AT}'`;
    await former.execute(`
      insert into owner (id, type, namespace) values
        ('ada', 'user', 'ada'), ('eve', 'user', 'eve'), ('org', 'organization', 'org');
      insert into account (id, type, email, email_key, created_at) values
        ('ada', 'user', 'ada@x', 'ada@x', '${AT}'), ('eve', 'user', 'eve@x', 'eve@x', '${AT}');
      insert into organization (id, type, name, members_can_create, default_brief_permission,
        created_at, updated_at) values ('org', 'organization', 'Org', 1, 'read', ${times});
      insert into document (id, kind, owner_id, owner_type, name, visibility, version, size_bytes,
        created_at, updated_at, content) values ('d', 'brief', 'ada', 'user', 'd', 'private', 1, 1, ${times}, 'x');
      insert into document_invitation (id, document_id, target_id, permission, invited_by, created_at, expires_at)
        values ('1', 'd', 'eve', 'write', 'ada', '1', '2');
      insert into organization_invitation (id, organization_id, target_id, role, invited_by, created_at, expires_at)
        values ('2', 'org', 'eve', 'member', null, '3', '4');
      insert into email_invitation (id, token_hash, email, email_key, document_id, permission,
        organization_id, role, invited_by, created_at, expires_at) values
        ('3', 'h3', 'X@x', 'x@x', 'd', 'admin', null, null, 'ada', '5', '6'),
        ('4', 'h4', 'X@x', 'x@x', null, null, 'org', 'admin', 'ada', '7', '8');`);
    const database = await former.open();
    try {
      const toDocument = { document_id: 'd', organization_id: null };
      const toOrganization = { document_id: null, organization_id: 'org' };
      const ofUser = { recipient_id: 'eve', email: null, email_key: null, token_hash: null };
      const ofAddress = { recipient_id: null, email: 'X@x', email_key: 'x@x' };
      const by = { invited_by: 'ada', by_person: 0 };
      assert.deepEqual(await rows(database, 'select * from invitation order by id'), [
        {
          id: '1',
          ...toDocument,
          ...ofUser,
          level: 'write',
          ...by,
          created_at: '1',
          expires_at: '2',
          sealed_token: null,
        },
        {
          id: '2',
          ...toOrganization,
          ...ofUser,
          level: 'member',
          invited_by: null,
          by_person: 0,
          created_at: '3',
          expires_at: '4',
          sealed_token: null,
        },
        {
          id: '3',
          ...toDocument,
          ...ofAddress,
          token_hash: 'h3',
          level: 'admin',
          ...by,
          created_at: '5',
          expires_at: '6',
          sealed_token: null,
        },
        {
          id: '4',
          ...toOrganization,
          ...ofAddress,
          token_hash: 'h4',
          level: 'admin',
          ...by,
          created_at: '7',
          expires_at: '8',
          sealed_token: null,
        },
      ]);
      const tables = await database.read.introspection.getTables();
      const left = tables
        .map(({ name }) => name)
        .filter((name) => /^(document|email|organization)_invitation$/.test(name));
      assert.deepEqual(left, []);
    } finally {
      await database.close();
    }
  });
});
