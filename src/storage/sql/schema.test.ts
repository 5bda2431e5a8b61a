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

const PAGE = { kind: 'page', content: null, storagePath: 'pages/x' };

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
    emailKey: `${id}@example.com`,
    createdAt: AT,
  });
  const organization = (id: string): Row => ({ id, name: id, createdAt: AT, updatedAt: AT });
  const document = (change: Row = {}): Row => ({
    id: 'd',
    kind: 'brief',
    ownerId: 'ada',
    ownerType: 'user',
    name: 'notes',
    visibility: 'public',
    version: 1,
    sizeBytes: 1,
    createdAt: AT,
    updatedAt: AT,
    content: 'x',
    createdBy: 'ada',
    updatedBy: 'ada',
    ...change,
  });
  const collaborator = (change: Row = {}): Row => ({
    id: 'c',
    documentId: 'd',
    accountId: 'grace',
    permission: 'read',
    addedAt: AT,
    ...change,
  });
  const invitation = (change: Row = {}): Row => ({
    id: 'i',
    documentId: 'd',
    recipientId: 'grace',
    level: 'read',
    invitedBy: 'ada',
    createdAt: AT,
    expiresAt: AT,
    ...change,
  });
  const membership = (change: Row = {}): Row => ({
    id: 'm',
    organizationId: 'org',
    accountId: 'ada',
    role: 'admin',
    joinedAt: AT,
    ...change,
  });
  const organizationInvitation = (change: Row = {}): Row => ({
    id: 'oi',
    organizationId: 'org',
    recipientId: 'grace',
    level: 'member',
    invitedBy: 'ada',
    createdAt: AT,
    expiresAt: AT,
    ...change,
  });
  const ofAddress = (id: string): Row => ({
    id,
    recipientId: null,
    email: 'Eve@example.com',
    emailKey: 'eve@example.com',
    tokenHash: id,
  });
  const token = (change: Row = {}): Row => ({
    id: 't',
    accountId: 'ada',
    name: 'x',
    tokenHash: 'a'.repeat(64),
    createdAt: AT,
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
    await refuses('account', { ...account('x'), emailKey: 'ada@example.com' });
  });

  it('a brief’s content is in its row, a page’s in the blob store', async () => {
    await refuses('stored_document', document({ content: null }));
    await refuses('stored_document', document({ storagePath: 'pages/x' }));
    await refuses('stored_document', document({ kind: 'page' }));
    await refuses('stored_document', document({ ...PAGE, storagePath: null }));
    await refuses('stored_document', document({ ...PAGE, content: 'x' }));
  });

  it('a name is unique per owner and kind', async () => {
    await insert('stored_document', document());
    await refuses('stored_document', document({ id: 'd2' }));
    await insert('stored_document', document({ id: 'd3', ...PAGE }));
    await insert('stored_document', document({ id: 'd4', ownerId: 'grace' }));
    await insert(
      'stored_document',
      document({ id: 'd5', ownerId: 'org', ownerType: 'organization' }),
    );
    await insert('stored_document', document({ id: 'd6', name: 'other' }));
    await refusesChange("update stored_document set name = 'notes' where id = 'd6'");
    await execute(
      `update stored_document set "deletedAt" = '2026', "deletedBy" = 'ada' where id = 'd'`,
    );
    await refusesChange(`update stored_document set "deletedAt" = null where id = 'd'`);
    await execute("update stored_document set name = 'notes' where id = 'd6'");
    await execute(`update stored_document set "deletedAt" = '2026' where id = 'd6'`);
    await insert('stored_document', document({ id: 'd7' }));
    await refusesChange(`update stored_document set "deletedAt" = null where id = 'd6'`);
    await refusesChange(`update stored_document set "deletedBy" = 'ada' where id = 'd7'`);
    assert.equal(await count('document'), 4);
  });

  it('documents: known kinds, visibilities, sizes, owners', async () => {
    for (const change of [
      { kind: 'file' },
      { visibility: 'secret' },
      { visibility: 'Public' },
      { visibility: 'internal' },
      { version: 0 },
      { sizeBytes: -1 },
      { name: '' },
      { name: 'x'.repeat(101) },
      { ownerId: 'nobody' },
      { ownerType: 'organization' },
      { createdBy: 'nobody' },
      { content: null },
      { ownerId: null },
    ]) {
      await refuses('stored_document', document(change as Row));
    }
    const internal = { visibility: 'internal', ownerId: 'org', ownerType: 'organization' };
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
      await refuses('collaborator', collaborator({ id: 'c3', accountId: 'ada', permission }));
      await refuses('invitation', invitation({ id: 'i3', recipientId: 'ada', level: permission }));
    }
    await refuses('invitation', invitation({ id: 'i3', recipientId: 'ada', level: 'member' }));
    await refuses('collaborator', collaborator({ id: 'c4', accountId: 'org' }));
    await refuses('invitation', invitation({ id: 'i4', recipientId: 'org' }));
    await insert('invitation', invitation(ofAddress('e')));
    await refuses('invitation', invitation(ofAddress('e2')));
  });

  it('one membership and one pending invitation per person and organization', async () => {
    await insert('stored_membership', membership());
    await refuses('stored_membership', membership({ id: 'm2', role: 'member' }));
    await insert('invitation', organizationInvitation());
    await refuses('invitation', organizationInvitation({ id: 'oi2' }));
    for (const role of ['owner', '', 'Admin', null]) {
      await refuses('stored_membership', membership({ id: 'm3', accountId: 'grace', role }));
      await refuses(
        'invitation',
        organizationInvitation({ id: 'x', recipientId: 'ada', level: role }),
      );
    }
    await refuses(
      'invitation',
      organizationInvitation({ id: 'x', recipientId: 'ada', level: 'read' }),
    );
    await insert('invitation', organizationInvitation(ofAddress('e')));
    await refuses('invitation', organizationInvitation(ofAddress('e2')));
    await refuses(
      'stored_membership',
      membership({ id: 'm4', organizationId: 'ada', accountId: 'grace' }),
    );
    await refuses('stored_membership', membership({ id: 'm5', accountId: 'org' }));
  });

  it('an invitation has one target and one recipient', async () => {
    await insert('stored_document', document());
    for (const change of [
      { documentId: null },
      { documentId: null, level: 'admin' },
      { organizationId: 'org' },
      { organizationId: 'org', level: 'admin' },
      { documentId: 'nothing' },
      { documentId: null, organizationId: 'nothing', level: 'admin' },
      { recipientId: null },
      { ...ofAddress('i'), recipientId: 'grace' },
      { ...ofAddress('i'), email: null },
      { ...ofAddress('i'), emailKey: null },
      { ...ofAddress('i'), tokenHash: null },
      { tokenHash: 'i' },
    ]) {
      await refuses('invitation', invitation(change));
    }
    await insert('invitation', invitation(ofAddress('i')));
    const other = { emailKey: 'x@example.com', email: 'x@example.com' };
    await refuses('invitation', invitation({ ...ofAddress('i'), ...other, id: 'i2' }));
  });

  it('organizations: known settings', async () => {
    for (const setting of [`"defaultBriefPermission" = 'admin'`, '"membersCanCreate" = 2']) {
      await refusesChange(`update organization set ${setting}`);
    }
  });

  it('tokens: one hash, of the length of SHA-256', async () => {
    await insert('access_token', token());
    await refuses('access_token', token({ id: 't2' }));
    await refuses('access_token', token({ id: 't3', tokenHash: 'brf_secret' }));
    await refuses('access_token', token({ id: 't4', tokenHash: 'b'.repeat(64), accountId: 'org' }));
  });

  async function furnish(): Promise<void> {
    await insert('stored_document', document());
    await insert(
      'stored_document',
      document({ id: 'd2', ownerId: 'org', ownerType: 'organization' }),
    );
    await insert('stored_membership', membership());
    await insert('access_token', token());
    await insert('invitation', organizationInvitation());
    for (const id of ['d', 'd2']) {
      await insert('collaborator', collaborator({ id: `c-${id}`, documentId: id }));
      await insert('invitation', invitation({ id: `i-${id}`, documentId: id }));
      await insert('rendition', {
        documentId: id,
        version: 1,
        revision: 'r',
        createdAt: AT,
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
    const [kept] = await execute('select "createdBy", "updatedBy" from stored_document');
    assert.deepEqual({ ...kept }, { createdBy: null, updatedBy: null });
    const left = await execute('select distinct "invitedBy" from invitation');
    assert.deepEqual(
      left.map(({ invitedBy }) => invitedBy),
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
