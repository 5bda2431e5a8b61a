import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { stackSettings } from '../../../test/stack.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

type Row = Record<string, string | number | null | Uint8Array>;

const PAGE = { kind: 'page', content: null, storage_path: 'pages/x' };

const AT = '2026-01-31T12:00:00.000Z';

/** The database enforces the rules even if the code is wrong. */
describe('Constraints of the schema', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));

  const { database: location } = readConfig(await stackSettings(dataDir));
  const database = location ? await openPostgres(location) : await openSqlite(dataDir);
  after(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function execute(statement: string): Promise<Row[]> {
    const { rows } = await database.transaction((tx) => sql.raw<Row>(statement).execute(tx));
    return rows;
  }

  async function insert(table: string, row: Row): Promise<void> {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row));
    const statement = sql`insert into ${sql.table(table)} (${columns}) values (${values})`;
    await database.transaction((tx) => statement.execute(tx));
  }

  const REFUSED = /constraint/;

  const refuses = (table: string, row: Row) =>
    assert.rejects(insert(table, row), REFUSED, `${table} ${JSON.stringify(row)}`);

  const refusesChange = (statement: string) => assert.rejects(execute(statement), REFUSED);

  async function count(table: string): Promise<number> {
    const [row] = await execute(`select count(*) as n from ${table}`);
    return Number(row?.n);
  }

  const owner = (id: string, type: string, namespace = id): Row => ({ id, type, namespace });
  const account = (id: string): Row => ({
    id,
    email: `${id}@example.com`,
    email_key: `${id}@example.com`,
    created_at: AT,
  });
  const organization = (id: string): Row => ({ id, name: id, created_at: AT, updated_at: AT });
  const document = (change: Row = {}): Row => ({
    id: 'd',
    kind: 'brief',
    owner_id: 'ada',
    owner_type: 'user',
    name: 'notes',
    visibility: 'public',
    version: 1,
    size_bytes: 1,
    created_at: AT,
    updated_at: AT,
    content: 'x',
    created_by: 'ada',
    updated_by: 'ada',
    ...change,
  });
  const collaborator = (change: Row = {}): Row => ({
    id: 'c',
    document_id: 'd',
    account_id: 'grace',
    permission: 'read',
    added_at: AT,
    ...change,
  });
  const invitation = (change: Row = {}): Row => ({
    id: 'i',
    document_id: 'd',
    recipient_id: 'grace',
    level: 'read',
    invited_by: 'ada',
    created_at: AT,
    expires_at: AT,
    ...change,
  });
  const membership = (change: Row = {}): Row => ({
    id: 'm',
    organization_id: 'org',
    account_id: 'ada',
    role: 'admin',
    joined_at: AT,
    ...change,
  });
  const organizationInvitation = (change: Row = {}): Row => ({
    id: 'oi',
    organization_id: 'org',
    recipient_id: 'grace',
    level: 'member',
    invited_by: 'ada',
    created_at: AT,
    expires_at: AT,
    ...change,
  });
  const ofAddress = (id: string): Row => ({
    id,
    recipient_id: null,
    email: 'Eve@example.com',
    email_key: 'eve@example.com',
    token_hash: id,
  });
  const token = (change: Row = {}): Row => ({
    id: 't',
    account_id: 'ada',
    name: 'x',
    token_hash: 'a'.repeat(64),
    created_at: AT,
    ...change,
  });

  beforeEach(async () => {
    await execute('delete from owner');
    for (const user of ['ada', 'grace']) {
      await insert('owner', owner(user, 'user'));
      await insert('account', account(user));
    }
    await insert('owner', owner('org', 'organization'));
    await insert('organization', organization('org'));
  });

  it('users and organizations share one set of namespaces', async () => {
    await refuses('owner', owner('x', 'user', 'org'));
    await refuses('owner', owner('x', 'organization', 'ada'));
    for (const namespace of ['', 'Ada', 'x'.repeat(40), '-a', 'a-', 'a--b']) {
      await refuses('owner', owner('x', 'user', namespace));
    }
    await refuses('owner', owner('x', 'team'));
    await refuses('owner', { id: 'x', type: 'user', namespace: null });
  });

  it('no one is a user and an organization at once', async () => {
    await refuses('organization', organization('ada'));
    await refuses('account', account('org'));
    await refuses('account', { ...account('org'), type: 'organization' });
    await refuses('account', account('nobody'));
  });

  it('an email address belongs to one user', async () => {
    await insert('owner', owner('x', 'user'));
    await refuses('account', { ...account('x'), email_key: 'ada@example.com' });
  });

  it('a brief’s content is in its row, a page’s in the blob store', async () => {
    await refuses('stored_document', document({ content: null }));
    await refuses('stored_document', document({ storage_path: 'pages/x' }));
    await refuses('stored_document', document({ kind: 'page' }));
    await refuses('stored_document', document({ ...PAGE, storage_path: null }));
    await refuses('stored_document', document({ ...PAGE, content: 'x' }));
  });

  it('a name is unique per owner and kind', async () => {
    await insert('stored_document', document());
    await refuses('stored_document', document({ id: 'd2' }));
    await insert('stored_document', document({ id: 'd3', ...PAGE }));
    await insert('stored_document', document({ id: 'd4', owner_id: 'grace' }));
    await insert(
      'stored_document',
      document({ id: 'd5', owner_id: 'org', owner_type: 'organization' }),
    );
    await insert('stored_document', document({ id: 'd6', name: 'other' }));
    await refusesChange("update stored_document set name = 'notes' where id = 'd6'");
    await execute(
      "update stored_document set deleted_at = '2026', deleted_by = 'ada' where id = 'd'",
    );
    await refusesChange("update stored_document set deleted_at = null where id = 'd'");
    await execute("update stored_document set name = 'notes' where id = 'd6'");
    await execute("update stored_document set deleted_at = '2026' where id = 'd6'");
    await insert('stored_document', document({ id: 'd7' }));
    await refusesChange("update stored_document set deleted_at = null where id = 'd6'");
    await refusesChange("update stored_document set deleted_by = 'ada' where id = 'd7'");
    assert.equal(await count('document'), 4);
  });

  it('documents: known kinds, visibilities, sizes, owners', async () => {
    for (const change of [
      { kind: 'file' },
      { visibility: 'secret' },
      { visibility: 'Public' },
      { visibility: 'internal' },
      { version: 0 },
      { size_bytes: -1 },
      { name: '' },
      { name: 'x'.repeat(101) },
      { owner_id: 'nobody' },
      { owner_type: 'organization' },
      { created_by: 'nobody' },
      { content: null },
      { owner_id: null },
    ]) {
      await refuses('stored_document', document(change as Row));
    }
    const internal = { visibility: 'internal', owner_id: 'org', owner_type: 'organization' };
    await insert('stored_document', document(internal));
    await refusesChange("update stored_document set visibility = 'x'");
  });

  it('one collaborator and one pending invitation per person and document', async () => {
    await insert('stored_document', document());
    await insert('collaborator', collaborator());
    await refuses('collaborator', collaborator({ id: 'c2', permission: 'admin' }));
    await insert('invitation', invitation());
    await refuses('invitation', invitation({ id: 'i2' }));
    for (const permission of ['none', 'owner', 'ADMIN', '', null]) {
      await refuses('collaborator', collaborator({ id: 'c3', account_id: 'ada', permission }));
      await refuses('invitation', invitation({ id: 'i3', recipient_id: 'ada', level: permission }));
    }
    await refuses('invitation', invitation({ id: 'i3', recipient_id: 'ada', level: 'member' }));
    await refuses('collaborator', collaborator({ id: 'c4', account_id: 'org' }));
    await refuses('invitation', invitation({ id: 'i4', recipient_id: 'org' }));
    await insert('invitation', invitation(ofAddress('e')));
    await refuses('invitation', invitation(ofAddress('e2')));
  });

  it('one membership and one pending invitation per person and organization', async () => {
    await insert('stored_membership', membership());
    await refuses('stored_membership', membership({ id: 'm2', role: 'member' }));
    await insert('invitation', organizationInvitation());
    await refuses('invitation', organizationInvitation({ id: 'oi2' }));
    for (const role of ['owner', '', 'Admin', null]) {
      await refuses('stored_membership', membership({ id: 'm3', account_id: 'grace', role }));
      await refuses(
        'invitation',
        organizationInvitation({ id: 'x', recipient_id: 'ada', level: role }),
      );
    }
    await refuses(
      'invitation',
      organizationInvitation({ id: 'x', recipient_id: 'ada', level: 'read' }),
    );
    await insert('invitation', organizationInvitation(ofAddress('e')));
    await refuses('invitation', organizationInvitation(ofAddress('e2')));
    await refuses(
      'stored_membership',
      membership({ id: 'm4', organization_id: 'ada', account_id: 'grace' }),
    );
    await refuses('stored_membership', membership({ id: 'm5', account_id: 'org' }));
  });

  it('an invitation has one target and one recipient', async () => {
    await insert('stored_document', document());
    for (const change of [
      { document_id: null },
      { document_id: null, level: 'admin' },
      { organization_id: 'org' },
      { organization_id: 'org', level: 'admin' },
      { document_id: 'nothing' },
      { document_id: null, organization_id: 'nothing', level: 'admin' },
      { recipient_id: null },
      { ...ofAddress('i'), recipient_id: 'grace' },
      { ...ofAddress('i'), email: null },
      { ...ofAddress('i'), email_key: null },
      { ...ofAddress('i'), token_hash: null },
      { token_hash: 'i' },
    ]) {
      await refuses('invitation', invitation(change));
    }
    await insert('invitation', invitation(ofAddress('i')));
    const other = { email_key: 'x@example.com', email: 'x@example.com' };
    await refuses('invitation', invitation({ ...ofAddress('i'), ...other, id: 'i2' }));
  });

  it('organizations: known settings', async () => {
    for (const setting of ["default_brief_permission = 'admin'", 'members_can_create = 2']) {
      await refusesChange(`update organization set ${setting}`);
    }
  });

  it('tokens: one hash, of the length of SHA-256', async () => {
    await insert('access_token', token());
    await refuses('access_token', token({ id: 't2' }));
    await refuses('access_token', token({ id: 't3', token_hash: 'brf_secret' }));
    await refuses(
      'access_token',
      token({ id: 't4', token_hash: 'b'.repeat(64), account_id: 'org' }),
    );
  });

  async function furnish(): Promise<void> {
    await insert('stored_document', document());
    await insert(
      'stored_document',
      document({ id: 'd2', owner_id: 'org', owner_type: 'organization' }),
    );
    await insert('stored_membership', membership());
    await insert('access_token', token());
    await insert('invitation', organizationInvitation());
    for (const id of ['d', 'd2']) {
      await insert('collaborator', collaborator({ id: `c-${id}`, document_id: id }));
      await insert('invitation', invitation({ id: `i-${id}`, document_id: id }));
      await insert('rendition', {
        document_id: id,
        version: 1,
        revision: 'r',
        created_at: AT,
        html: new Uint8Array(1),
      });
    }
  }

  const counts = (...tables: string[]) => Promise.all(tables.map(count));
  const OF_DOCUMENTS = ['stored_document', 'collaborator', 'rendition'];
  const invitations = async () =>
    (await execute('select id from invitation order by id')).map(({ id }) => id);

  it('deleting a document deletes everything that belongs to it', async () => {
    await furnish();
    await execute("delete from stored_document where id = 'd'");
    assert.deepEqual(await counts(...OF_DOCUMENTS), [1, 1, 1]);
    assert.deepEqual(await invitations(), ['i-d2', 'oi']);
  });

  it('deleting an organization deletes its documents, members and invitations', async () => {
    await furnish();
    await execute("delete from owner where id = 'org'");
    assert.deepEqual(await counts(...OF_DOCUMENTS), [1, 1, 1]);
    assert.deepEqual(await counts('organization', 'stored_membership'), [0, 0]);
    assert.deepEqual(await invitations(), ['i-d']);
    assert.deepEqual(await counts('account', 'access_token'), [2, 1]);
  });

  it('deleting a user deletes their own data; others’ data stays, without the name', async () => {
    await furnish();
    await execute("delete from owner where id = 'ada'");
    assert.deepEqual(await counts(...OF_DOCUMENTS), [1, 1, 1]);
    assert.deepEqual(await counts('access_token', 'stored_membership'), [0, 0]);
    assert.deepEqual(await invitations(), ['i-d2', 'oi']);
    const [kept] = await execute('select created_by, updated_by from stored_document');
    assert.deepEqual({ ...kept }, { created_by: null, updated_by: null });
    const left = await execute('select distinct invited_by from invitation');
    assert.deepEqual(
      left.map(({ invited_by }) => invited_by),
      [null],
    );
  });

  it('deleting an invited user deletes their invitations and collaborations', async () => {
    await furnish();
    await execute("delete from owner where id = 'grace'");
    assert.deepEqual(await counts(...OF_DOCUMENTS), [2, 0, 2]);
    assert.equal(await count('invitation'), 0);
  });
});
