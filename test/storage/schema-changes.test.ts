import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/core/config/read-config.ts';
import { EXPECTED_SCHEMA } from '../../src/storage/sql/expected-schema.ts';
import { up as endOffersLeftBehind } from '../../src/storage/sql/migrations/034-offers-left-behind.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { describeSchema, dialectOf } from '../../src/storage/sql/schema-check.ts';
import type { Sql } from '../../src/storage/sql/sql.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { openDatabase } from '../database.ts';
import { runBriefs } from '../process.ts';
import { stackSettings } from '../stack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MIGRATIONS = join(ROOT, 'src/storage/sql/migrations');

/**
 * SHA-256 of every migration's source as shipped. A migrated database keeps its schema, so a change
 * needs a new migration.
 */
const SHIPPED: Record<string, string> = {
  '001-initial': '2d34cc1b5d2aa2d559eb7fa2380f3b8ffb110e882398f70adc76d5dfb2c5364c',
  '002-document-blocks': '500afb9f0cac58b7b03e8d25d4d55cb6f8eed4fd0af8f8726e1b12ec1d8a4221',
  '003-token-scopes': 'b4e9a9004e1290766ff6da1c0abdcdc417e5f9d321b0289f9c209effa5c093ca',
  '004-sign-in': '9fed4c4ab095637fbbd61acbd44725db358cd58d0931c0c7a5a662d505083d3f',
  '005-authorization': 'd2c195cb450df9752dba0ea54c3889aa7cb3cbe534c7b7664e1cb0a361b10047',
  '006-search': '190d1ff273d873fe67780aeb2f43ac58ffddb80f2653419e51c4fc694cd94ce0',
  '008-early-databases': '0e0cbc2b4988de9546b49eb782a3595ba5179a09ddf1298a6d38fae89a6548ae',
  '009-released-namespaces': 'ae4868a52ccf401f0e03d6431b7b58c5da69525dcb306253a8720fd04f9222b8',
  '010-revisions': '5bc32f962195ff1e42ce42071aa2d9a5a0c6bbd1ae35a085e63d0fcdaab1cf4a',
  '011-trash': '7452c4ca3c3ae29edb7f3a5c76f864fd2884f0ec0b2dcd996621a11cc3730f33',
  '014-request-keys': '5a14e2c1f10bc4f79ee565d48b436fd1e97200af3c9577d0aeb3a14a08daf7d1',
  '013-seen': '2dd65e3c7dfaa7efb216ccf951e63eab47402c891936d30a936bcf45ee9a359d',
  '015-document-aliases': '5d8d489bf78cc6bb2ab054b32ad482d7d3998b61fea262bcd6357ce729cf4c22',
  '016-feed': '28ff30c0918fb267f8bb67d526b93714a49ef482b3914e72f7c5fa2fe6ee2989',
  '017-review': 'f27d2158b27e59d4e6cab55e9aceb276dcc2024bf8a63aa38b51bde6ec639369',
  '018-webhooks': '6eb93379ffbcc9c4392f4cb6d14a9881f53ee7040ba25cfcd2fc53e26d6280b6',
  '019-mail': '6b6e1e3669049e9f44af7a3811ee62f7295eb9734d81d7e59c374c27699016ea',
  '020-thread-element': 'efa4f152c6cfd90abc7b79b96e0f5e0064d9819de9d1c6f43eb8672a8fca030c',
  '021-public-documents': '102b19bb886452f35bc2ed54ae5461f69acb846faee3cb33311fd01520aeec17',
  '022-brief-titles': '71649a0f5e7139f6a1f63ed8a5b55c8a837d77da8cd94d93e22c035d6537dba8',
  '023-document-links': 'f6f8bb6ad91a0ed3568925f1f0fea8540b2a90a25d9b72ebaf9d5a6dd856d529',
  '024-proposals': 'b44f3a4c9b99a040d2d15fa159b247a89791807fe049dfac9173ffc6268cd50e',
  '025-verified-email': '07b56bf2895865b8ddc0c7f9c06f5741e2e888d933d0bf7223cb598a14687ffb',
  '026-profiles': '80a62df0386b0cd8b1de00510d0c55a4fe97e1299b37fa6e00c82ced95a6f5e4',
  '027-labels': '21e2f4cc3c7f86ab09be5315fab674cbe16c5e35453bf82c0a5492efa59376f0',
  '028-typing-errors': '6e95c8e0648aaa88f759259773df8596033ee49e9addebe5c2d103d81c7da46e',
  '029-editing': '97351db844bbc7d5baf94dabc8631f3ffe814488bf0bc6686a55f0c06d8ba8ff',
  '030-email-invitations': 'ed7f35c3bab292f9f22c6aaa1c265cfef91a2012efb5b0a2514029ccaeae61b9',
  '031-upload-tickets': 'ab007808bd3a7e367613982c8eb0fbb9bca36d784625678fed003e72809141e6',
  '032-label-lists': '6226aa80b96bd36ed202b21da6e58e9efea0112a108ee73978321fe15dadc84a',
  '033-trust': 'c4ce92d6fef72e09cca7208f80ca9903f46ebe4a2f555f78cda26091ed545095',
  '034-offers-left-behind': '74f72aadbfd0247645784c9e6d0abdd952de022f3f2f0aab6354cb0c8dc16abf',
  '035-page-text': '5b62e2635b1ca63d2c23135ae64d91d65efebb18c23433a3c9989afd53e3e84c',
  '036-security-notices': '70a3026d4139c3461d47a8d8f9fd2d6a148f87a8ac789bf0ac4e653d12687f63',
  '037-no-document-blocks': 'd3ad79f1e2334377481c9b70917bb6277a4a410d12adcb78059c186fab6bb8e0',
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

async function rows(database: Sql, query: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.raw(query).execute(database.read);
  return rows.map((row) => ({ ...(row as object) }));
}

describe('Migrations', () => {
  it('never change once they have shipped', () => {
    const sources = readdirSync(MIGRATIONS).sort();
    const checksums = sources.map((name) => [
      name.replace('.ts', ''),
      createHash('sha256')
        .update(readFileSync(join(MIGRATIONS, name)))
        .digest('hex'),
    ]);
    assert.deepEqual(
      Object.fromEntries(checksums),
      SHIPPED,
      'A migration that has shipped must stay as it is: write a new one. Add the checksum of a new one here.',
    );
  });

  it('create the schema that a start expects', async () => {
    const { open } = await newDatabase();
    const database = await open();
    try {
      const actual = await describeSchema(database.read, (table) => !table.startsWith('kysely_'));
      const dialect = dialectOf(database.read);
      if (process.env.UPDATE_SCHEMA) writeExpectedSchema(dialect, actual);
      const expected = [...EXPECTED_SCHEMA.both, ...EXPECTED_SCHEMA[dialect]].sort();
      assert.deepEqual(actual, expected, 'UPDATE_SCHEMA=1 on each stack writes the file anew');
      assert.equal(database.schemaDifference, undefined);
    } finally {
      await database.close();
    }
  });
});

/** Writes one dialect's schema into src/storage/sql/expected-schema.ts, and keeps the other's. */
function writeExpectedSchema(dialect: 'sqlite' | 'postgres', actual: string[]): void {
  const other = dialect === 'sqlite' ? 'postgres' : 'sqlite';
  const others = [...EXPECTED_SCHEMA.both, ...EXPECTED_SCHEMA[other]];
  const lists = {
    both: actual.filter((line) => others.includes(line)),
    [dialect]: actual.filter((line) => !others.includes(line)),
    [other]: others.filter((line) => !actual.includes(line)).sort(),
  };
  const { both, sqlite, postgres } = lists;
  const text = JSON.stringify({ both, sqlite, postgres }, null, 2);
  writeFileSync(
    join(ROOT, 'src/storage/sql/expected-schema.ts'),
    `/**
 * The schema after all migrations, as \`describeSchema\` reads it. Written by
 * \`UPDATE_SCHEMA=1\` and test/storage/schema-changes.test.ts, once on each stack.
 */
export const EXPECTED_SCHEMA = ${text};
`,
  );
  Object.assign(EXPECTED_SCHEMA, lists);
}

const AT = '2026-11-22T12:00:00.000Z';

/** A brief with everything that refers to it, as any version could have stored it. */
const ROWS = `
  insert into owner (id, type, namespace) values ('u', 'user', 'ada');
  insert into account (id, type, email, email_key, created_at) values ('u', 'user', 'a@b.example', 'a@b.example', '${AT}');
  insert into document (id, kind, owner_id, owner_type, name, visibility, version, size_bytes, created_by, updated_by, created_at, updated_at, title, storage_path, content)
    values ('d', 'brief', 'u', 'user', 'notes', 'public', 2, 1, 'u', 'u', '${AT}', '${AT}', null, null, '# Tides\nx'),
      ('p', 'page', 'u', 'user', 'notes', 'public', 1, 1, 'u', 'u', '${AT}', '${AT}', 't', 'pages/x', null);
  insert into collaborator (id, document_id, account_id, permission, added_at) values ('c', 'd', 'u', 'admin', '${AT}');
  insert into document_change (document_id, version, account_id, changed, at) values ('d', 2, 'u', 'content', '${AT}');
  insert into search_pending (document_id, stamp, claimed_until) values ('p', 's', '');
  insert into rendition (document_id, version, revision, html) values ('d', 2, '1', '');`;

describe('Databases of early versions', () => {
  const EARLY = join(ROOT, 'test/storage/early-schemas');
  for (const day of ['2026-11-22', '2026-11-23']) {
    it(`of ${day}: get today’s schema and keep their rows`, async () => {
      const { open, execute, settings } = await newDatabase();
      const dialect = settings.DATABASE_URL ? 'postgres' : 'sqlite';
      await execute(readFileSync(join(EARLY, `${day}.${dialect}.sql`), 'utf8') + ROWS);
      const database = await open();
      try {
        assert.equal(database.schemaDifference, undefined);
        const kept = await rows(
          database,
          'select id, storage_path, title from document order by id',
        );
        assert.deepEqual(kept, [
          { id: 'd', storage_path: null, title: 'Tides' },
          { id: 'p', storage_path: 'pages/x', title: 't' },
        ]);
        for (const table of ['collaborator', 'revision_text']) {
          const [referring] = await rows(database, `select document_id from ${table}`);
          assert.deepEqual(referring, { document_id: 'd' }, table);
        }
        const revisions = await rows(
          database,
          'select document_id, version, account_id, changed from revision order by document_id, version',
        );
        const everything = 'content name visibility';
        assert.deepEqual(revisions, [
          { document_id: 'd', version: 1, account_id: 'u', changed: everything },
          { document_id: 'd', version: 2, account_id: 'u', changed: 'content' },
          { document_id: 'p', version: 1, account_id: 'u', changed: everything },
        ]);
        const texts = await rows(database, 'select last_version, coding from revision_text');
        assert.deepEqual(texts, [{ last_version: 1, coding: 'gone' }], 'what was not kept');
        const pending = await rows(
          database,
          'select document_id from search_pending order by document_id',
        );
        assert.deepEqual(pending, [{ document_id: 'd' }, { document_id: 'p' }]);
        await assert.rejects(
          database.transaction((tx) =>
            sql`insert into collaborator values ('x', 'nothing', 'u', 'read', ${AT})`.execute(tx),
          ),
          /constraint/,
          'foreign keys are on again',
        );
      } finally {
        await database.close();
      }
    });
  }
});

/** Offers by the owner, an admin, a collaborator, and people who are no longer any of these. */
const OFFERS = `
  insert into owner (id, type, namespace) values ('ada', 'user', 'ada'), ('bob', 'user', 'bob'),
    ('eve', 'user', 'eve'), ('org', 'organization', 'guild');
  insert into account (id, type, email, email_key, created_at)
    select id, 'user', id, id, '${AT}' from owner where type = 'user';
  insert into organization (id, type, name, members_can_create, default_brief_permission, created_at, updated_at)
    values ('org', 'organization', 'Guild', 1, 'read', '${AT}', '${AT}');
  insert into membership (id, organization_id, account_id, role, joined_at)
    values ('m1', 'org', 'ada', 'admin', '${AT}'), ('m2', 'org', 'eve', 'member', '${AT}');
  insert into document (id, kind, owner_id, owner_type, name, visibility, version, size_bytes, created_at, updated_at, content)
    values ('own', 'brief', 'ada', 'user', 'own', 'private', 1, 1, '${AT}', '${AT}', 'x'),
      ('shared', 'brief', 'org', 'organization', 'shared', 'private', 1, 1, '${AT}', '${AT}', 'x');
  insert into collaborator (id, document_id, account_id, permission, added_at)
    values ('c1', 'shared', 'bob', 'admin', '${AT}'), ('c2', 'own', 'eve', 'write', '${AT}');
  ${['own', 'shared']
    .flatMap((document) =>
      ['ada', 'bob', 'eve', undefined].map((maker) => {
        const [id, by] = [`'${document}-${maker}'`, maker ? `'${maker}'` : 'null'];
        return `
  insert into document_link (id, document_id, secret_hash, access, note, created_by, created_at)
    values (${id}, '${document}', ${id}, 'read', '', ${by}, '${AT}');
  insert into email_invitation (id, token_hash, email, email_key, document_id, permission, invited_by, created_at, expires_at)
    values (${id}, ${id}, ${id}, ${id}, '${document}', 'read', ${by}, '${AT}', '${AT}');`;
      }),
    )
    .join('')}
  insert into document_invitation (id, document_id, target_id, permission, invited_by, created_at, expires_at)
    values ('kept', 'shared', 'ada', 'read', 'bob', '${AT}', '${AT}'),
      ('ended', 'own', 'bob', 'read', 'eve', '${AT}', '${AT}');
  insert into organization_invitation (id, organization_id, target_id, role, invited_by, created_at, expires_at)
    values ('kept', 'org', 'bob', 'admin', 'ada', '${AT}', '${AT}'),
      ('ended', 'org', 'ada', 'member', 'eve', '${AT}', '${AT}');
  insert into email_invitation (id, token_hash, email, email_key, organization_id, role, invited_by, created_at, expires_at)
    values ('org-ada', 'a', 'a', 'a', 'org', 'admin', 'ada', '${AT}', '${AT}'),
      ('org-bob', 'b', 'b', 'b', 'org', 'admin', 'bob', '${AT}', '${AT}');`;

describe('Offers left behind', () => {
  it('end with the upgrade; those of people who can still share or invite stay', async () => {
    const { open, execute } = await newDatabase();
    await (await open()).close();
    await execute(OFFERS);
    const database = await open();
    try {
      await database.transaction((tx) => endOffersLeftBehind(tx as never));
      const idsIn = async (table: string) =>
        (await rows(database, `select id from ${table} order by id`)).map(({ id }) => id);
      const ofDocuments = ['own-ada', 'shared-ada', 'shared-bob'];
      assert.deepEqual(await idsIn('document_link'), ofDocuments);
      assert.deepEqual(await idsIn('email_invitation'), ['org-ada', ...ofDocuments]);
      assert.deepEqual(await idsIn('document_invitation'), ['kept']);
      assert.deepEqual(await idsIn('organization_invitation'), ['kept']);
    } finally {
      await database.close();
    }
  });
});

describe('A schema that differs from this version’s', () => {
  it('is reported in one line by "briefs migrate", and at start', async () => {
    const { open, execute, settings } = await newDatabase();
    await (await open()).close();
    await execute(`
      drop index membership_by_organization_id_id;
      alter table membership drop column joined_at;
      alter table file add column colour text;
      create table another_program (id integer)`);
    const database = await open();
    await database.close();
    const line =
      'The schema of the database differs from what this version creates: ' +
      'missing column membership.joined_at text not null; ' +
      'missing index of membership (organization_id, id); ' +
      'unexpected column file.colour text.';
    assert.equal(database.schemaDifference, line);
    const { code, stdout, stderr } = await runBriefs(['migrate'], settings);
    assert.deepEqual([code, stdout, stderr], [1, '', `briefs: ${line}\n`]);
  });
});
