import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openSqlite } from '../src/storage/sql/sqlite.ts';

type Row = Record<string, SQLInputValue>;

const PAGE = { kind: 'page', content: null, storage_path: 'pages/x' };

const AT = '2026-01-31T12:00:00.000Z';

/** The rules hold in the database itself, even where the code above is wrong. */
describe('Constraints of the schema', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let database: DatabaseSync;

  before(async () => {
    await (await openSqlite(dataDir)).close();
    database = new DatabaseSync(join(dataDir, 'briefs.db'));
  });
  after(() => {
    database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function insert(table: string, row: Row): void {
    const columns = Object.keys(row);
    const values = columns.map(() => '?').join();
    database
      .prepare(`insert into ${table} (${columns.join()}) values (${values})`)
      .run(...Object.values(row));
  }

  const refuses = (table: string, row: Row) =>
    assert.throws(() => insert(table, row), /constraint failed/, `${table} ${JSON.stringify(row)}`);

  const count = (table: string) =>
    (database.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n;

  const owner = (id: string, type: string, namespace = id): Row => ({ id, type, namespace });
  const account = (id: string): Row => ({
    ...{ id, email: `${id}@example.com`, email_key: `${id}@example.com`, created_at: AT },
  });
  const organization = (id: string): Row => ({ id, name: id, created_at: AT, updated_at: AT });
  const document = (change: Row = {}): Row => ({
    ...{ id: 'd', kind: 'brief', owner_id: 'ada', owner_type: 'user', name: 'notes' },
    ...{ visibility: 'public', version: 1, size_bytes: 1, created_at: AT, updated_at: AT },
    ...{ content: 'x', created_by: 'ada', updated_by: 'ada' },
    ...change,
  });
  const block = (change: Row = {}): Row => ({
    ...{ owner_id: 'ada', first_id: '', kind: 'brief', visibility: 'public', documents: 1 },
    ...change,
  });
  const collaborator = (change: Row = {}): Row => ({
    ...{ id: 'c', document_id: 'd', account_id: 'grace', permission: 'read', added_at: AT },
    ...change,
  });
  const invitation = (change: Row = {}): Row => ({
    ...{ id: 'i', document_id: 'd', target_id: 'grace', permission: 'read', invited_by: 'ada' },
    ...{ created_at: AT, expires_at: AT },
    ...change,
  });
  const membership = (change: Row = {}): Row => ({
    ...{ id: 'm', organization_id: 'org', account_id: 'ada', role: 'admin', joined_at: AT },
    ...change,
  });
  const organizationInvitation = (change: Row = {}): Row => ({
    ...{ id: 'oi', organization_id: 'org', target_id: 'grace', role: 'member', invited_by: 'ada' },
    ...{ created_at: AT, expires_at: AT },
    ...change,
  });
  const token = (change: Row = {}): Row => ({
    ...{ id: 't', account_id: 'ada', name: 'x', token_hash: 'a'.repeat(64), created_at: AT },
    ...change,
  });

  beforeEach(() => {
    database.exec('delete from owner');
    for (const user of ['ada', 'grace']) {
      insert('owner', owner(user, 'user'));
      insert('account', account(user));
    }
    insert('owner', owner('org', 'organization'));
    insert('organization', organization('org'));
  });

  it('users and organizations share one set of namespaces', () => {
    refuses('owner', owner('x', 'user', 'org'));
    refuses('owner', owner('x', 'organization', 'ada'));
    for (const namespace of ['', 'Ada', 'x'.repeat(40), '-a', 'a-', 'a--b']) {
      refuses('owner', owner('x', 'user', namespace));
    }
    refuses('owner', owner('x', 'team'));
    refuses('owner', { id: 'x', type: 'user', namespace: null });
  });

  it('nobody is a user and an organization at once', () => {
    refuses('organization', organization('ada'));
    refuses('account', account('org'));
    refuses('account', { ...account('org'), type: 'organization' });
    refuses('account', account('nobody'));
  });

  it('an email address is one user’s', () => {
    insert('owner', owner('x', 'user'));
    refuses('account', { ...account('x'), email_key: 'ada@example.com' });
  });

  it('content is in the row of a brief, and in the blob store of a page', () => {
    refuses('document', document({ content: null }));
    refuses('document', document({ storage_path: 'pages/x' }));
    refuses('document', document({ kind: 'page' }));
    refuses('document', document({ ...PAGE, storage_path: null }));
    refuses('document', document({ ...PAGE, content: 'x' }));
  });

  it('a name is unique for its owner and kind', () => {
    insert('document', document());
    refuses('document', document({ id: 'd2' }));
    insert('document', document({ id: 'd3', ...PAGE }));
    insert('document', document({ id: 'd4', owner_id: 'grace' }));
    insert('document', document({ id: 'd5', owner_id: 'org', owner_type: 'organization' }));
    insert('document', document({ id: 'd6', name: 'other' }));
    assert.throws(
      () => database.exec("update document set name = 'notes' where id = 'd6'"),
      /UNIQUE/,
    );
  });

  it('documents: known kinds, visibilities, sizes, owners', () => {
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
      refuses('document', document(change as Row));
    }
    const internal = { visibility: 'internal', owner_id: 'org', owner_type: 'organization' };
    insert('document', document(internal));
    assert.throws(() => database.exec("update document set visibility = 'x'"), /CHECK/);
  });

  it('blocks of documents: one count of each kind and visibility, never below nothing', () => {
    insert('document_block', block());
    refuses('document_block', block());
    insert('document_block', block({ kind: 'page' }));
    insert('document_block', block({ visibility: 'private' }));
    insert('document_block', block({ first_id: 'd' }));
    refuses('document_block', block({ owner_id: 'nobody' }));
    for (const documents of [-1, null]) {
      refuses('document_block', block({ first_id: 'e', documents }));
    }
    database.exec("delete from owner where id = 'ada'");
    assert.equal(count('document_block'), 0);
  });

  it('one collaborator and one pending invitation for each person and document', () => {
    insert('document', document());
    insert('collaborator', collaborator());
    refuses('collaborator', collaborator({ id: 'c2', permission: 'admin' }));
    insert('document_invitation', invitation());
    refuses('document_invitation', invitation({ id: 'i2' }));
    for (const permission of ['none', 'owner', 'ADMIN', '', null]) {
      refuses('collaborator', collaborator({ id: 'c3', account_id: 'ada', permission }));
      refuses('document_invitation', invitation({ id: 'i3', target_id: 'ada', permission }));
    }
    refuses('collaborator', collaborator({ id: 'c4', account_id: 'org' }));
    refuses('document_invitation', invitation({ id: 'i4', target_id: 'org' }));
  });

  it('one membership and one pending invitation for each person and organization', () => {
    insert('membership', membership());
    refuses('membership', membership({ id: 'm2', role: 'member' }));
    insert('organization_invitation', organizationInvitation());
    refuses('organization_invitation', organizationInvitation({ id: 'oi2' }));
    for (const role of ['owner', '', 'Admin', null]) {
      refuses('membership', membership({ id: 'm3', account_id: 'grace', role }));
      refuses(
        'organization_invitation',
        organizationInvitation({ id: 'x', target_id: 'ada', role }),
      );
    }
    refuses('membership', membership({ id: 'm4', organization_id: 'ada', account_id: 'grace' }));
    refuses('membership', membership({ id: 'm5', account_id: 'org' }));
  });

  it('organizations: known settings', () => {
    for (const setting of ["default_brief_permission = 'admin'", 'members_can_create = 2']) {
      assert.throws(() => database.exec(`update organization set ${setting}`), /CHECK/);
    }
  });

  it('tokens: one hash, of the length of SHA-256', () => {
    insert('access_token', token());
    refuses('access_token', token({ id: 't2' }));
    refuses('access_token', token({ id: 't3', token_hash: 'brf_secret' }));
    refuses('access_token', token({ id: 't4', token_hash: 'b'.repeat(64), account_id: 'org' }));
  });

  function furnish(): void {
    insert('document', document());
    insert('document', document({ id: 'd2', owner_id: 'org', owner_type: 'organization' }));
    insert('membership', membership());
    insert('access_token', token());
    insert('organization_invitation', organizationInvitation());
    for (const id of ['d', 'd2']) {
      insert('collaborator', collaborator({ id: `c-${id}`, document_id: id }));
      insert('document_invitation', invitation({ id: `i-${id}`, document_id: id }));
      insert('rendition', { document_id: id, version: 1, revision: 'r', html: new Uint8Array(1) });
    }
  }

  const counts = (...tables: string[]) => tables.map(count);
  const OF_DOCUMENTS = ['document', 'collaborator', 'document_invitation', 'rendition'];

  it('a document takes with it all that hangs on it', () => {
    furnish();
    database.exec("delete from document where id = 'd'");
    assert.deepEqual(counts(...OF_DOCUMENTS), [1, 1, 1, 1]);
  });

  it('an organization takes with it its documents, members and invitations', () => {
    furnish();
    database.exec("delete from owner where id = 'org'");
    assert.deepEqual(counts(...OF_DOCUMENTS), [1, 1, 1, 1]);
    assert.deepEqual(counts('organization', 'membership', 'organization_invitation'), [0, 0, 0]);
    assert.deepEqual(counts('account', 'access_token'), [2, 1]);
  });

  it('a user takes along what is the user’s own; what others have stays, without the name', () => {
    furnish();
    database.exec("delete from owner where id = 'ada'");
    assert.deepEqual(counts(...OF_DOCUMENTS), [1, 1, 1, 1]);
    assert.deepEqual(counts('access_token', 'membership', 'organization_invitation'), [0, 0, 1]);
    const kept = database.prepare('select created_by, updated_by from document').get();
    assert.deepEqual({ ...kept }, { created_by: null, updated_by: null });
    const left = database.prepare('select invited_by from document_invitation').get();
    assert.deepEqual({ ...left }, { invited_by: null });
  });

  it('an invited user who goes takes invitations and collaborations along', () => {
    furnish();
    database.exec("delete from owner where id = 'grace'");
    assert.deepEqual(counts(...OF_DOCUMENTS), [2, 0, 0, 2]);
    assert.equal(count('organization_invitation'), 0);
  });
});
