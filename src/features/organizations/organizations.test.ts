import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  assertFields,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import type { Tables } from '../../storage/sql/tables.ts';

const PUBLIC = ['id', 'namespace', 'name', 'createdAt'];
const FOR_MEMBERS = [
  ...PUBLIC,
  'createdBy',
  'createdByUsername',
  'defaultBriefPermission',
  'membersCanCreate',
  'role',
  'updatedAt',
];

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');

describe('Organizations', () => {
  before(async () => {
    await makeOrganization(ada, 'engines');
    await join(ada, 'engines', grace);
  });

  it('GET /user/orgs: 200; entries: id, namespace, name, role, joinedAt', async () => {
    const { linus } = await users(service, 'linus');
    service.advance(1_000);
    const first = await makeOrganization(linus, 'first');
    const second = await makeOrganization(ada, 'second');
    await join(ada, 'second', linus);
    await makeOrganization(ada, 'invited-only');
    await expectStatus(ada.put('/orgs/invited-only/members/linus'), 201);
    const answer = await linus.get('/user/orgs');
    for (const entry of answer.data) {
      assertFields(entry, ['id', 'namespace', 'name', 'role', 'joinedAt']);
    }
    assert.deepEqual(pluck(answer, 'id'), [second, first]);
    assert.deepEqual(pluck(answer, 'namespace'), ['second', 'first']);
    assert.deepEqual(pluck(answer, 'name'), ['SECOND', 'FIRST']);
    assert.deepEqual(pluck(answer, 'role'), ['member', 'admin']);
    assert.equal(answer.data[1].joinedAt, (await linus.get('/orgs/first')).data.createdAt);
  });

  it('POST /user/orgs: body namespace, name; 201; data: id, namespace, name', async () => {
    const body = { namespace: 'Analytical-1', name: ' Analytical Engines ' };
    const answer = await ada.post('/user/orgs', body);
    assert.equal(answer.status, 201, answer.text);
    assertFields(answer.json, ['data']);
    const { id, ...rest } = answer.data;
    assert.deepEqual(rest, { namespace: 'analytical-1', name: 'Analytical Engines' });
    assert.equal(answer.headers.get('location'), `${service.baseUrl}/orgs/analytical-1`);
    const { data } = await ada.get('/orgs/analytical-1');
    assert.equal(data.id, id);
    // Its creator is its first admin.
    assert.equal(data.role, 'admin');
    const members = await ada.get('/orgs/analytical-1/members');
    assert.deepEqual(pluck(members, 'username'), ['ada']);
  });

  it('POST /user/orgs: 400 for a missing or invalid namespace or name', async () => {
    for (const body of [{ name: 'x' }, { namespace: 1, name: 'x' }, { namespace: '', name: 'x' }]) {
      assertError(await ada.post('/user/orgs', body), 400, 'BAD_REQUEST', /namespace/);
    }
    for (const name of [undefined, 1, '', '   ', 'x'.repeat(101)]) {
      const answer = await ada.post('/user/orgs', { namespace: 'nameless', name });
      assertError(answer, 400, 'BAD_REQUEST', /name/);
    }
    assertError(await ada.get('/orgs/nameless'), 404, 'NOT_FOUND');
  });

  it('GET /orgs/{org}: any authenticated user sees id, namespace, name, createdAt', async () => {
    await expectStatus(ada.put('/orgs/engines/members/alan'), 201);
    const answer = await alan.get('/orgs/ENGINES');
    assert.equal(answer.status, 200);
    assertFields(answer.data, PUBLIC);
    assert.equal(answer.data.namespace, 'engines');
    assert.equal(answer.data.name, 'ENGINES');
  });

  it('GET /orgs/{org}: members additionally see createdBy, settings, role, updatedAt', async () => {
    const { data: creator } = await ada.get('/user');
    for (const [client, role] of [
      [ada, 'admin'],
      [grace, 'member'],
    ] as const) {
      const { data } = await client.get('/orgs/engines');
      assertFields(data, FOR_MEMBERS);
      assert.equal(data.createdBy, creator.id);
      assert.equal(data.createdByUsername, 'ada');
      assert.equal(data.role, role);
      assert.equal(data.updatedAt, data.createdAt);
    }
  });

  it('GET /orgs/{org}: defaults: membersCanCreate true, defaultBriefPermission read', async () => {
    const { data } = await ada.get('/orgs/engines');
    assert.equal(data.membersCanCreate, true);
    assert.equal(data.defaultBriefPermission, 'read');
  });

  it('GET /orgs/{org}: 404 for an unknown name and for a user', async () => {
    for (const name of ['nobody', 'ada', '%00', 'a--b']) {
      assertError(await ada.get(`/orgs/${name}`), 404, 'NOT_FOUND');
    }
  });

  it('PATCH /orgs/{org}: needs org admin; 200 with the full member view', async () => {
    await makeOrganization(ada, 'tuned');
    await join(ada, 'tuned', grace);
    const { data: before } = await ada.get('/orgs/tuned');
    for (const client of [grace, alan]) {
      const refused = await client.patch('/orgs/tuned', { membersCanCreate: false });
      assertError(refused, 403, 'FORBIDDEN');
    }
    assert.deepEqual((await ada.get('/orgs/tuned')).data, before);
    service.advance(1_000);
    let previous = before;
    for (const change of [
      { membersCanCreate: false },
      { defaultBriefPermission: 'none' },
      { membersCanCreate: true, defaultBriefPermission: 'write' },
    ]) {
      const answer = await expectStatus(ada.patch('/orgs/tuned', change), 200);
      assertFields(answer.data, FOR_MEMBERS);
      assert.ok(answer.data.updatedAt > before.updatedAt);
      const { updatedAt } = answer.data;
      assert.deepEqual(answer.data, { ...previous, ...change, updatedAt });
      assert.deepEqual((await ada.get('/orgs/tuned')).data, answer.data);
      previous = answer.data;
    }
    service.advance(1_000);
    const same = { membersCanCreate: true, defaultBriefPermission: 'write' };
    const { data: again } = await expectStatus(ada.patch('/orgs/tuned', same), 200);
    assert.deepEqual(again, previous);
  });

  it('PATCH /orgs/{org}: 400 for an empty or unknown-only body and for wrong values', async () => {
    const { data: before } = await ada.get('/orgs/engines');
    const bodies = [
      {},
      { name: 'Other' },
      { role: 'admin' },
      { membersCanCreate: 'true' },
      { membersCanCreate: null },
      { defaultBriefPermission: 'admin' },
      { defaultBriefPermission: 'none', membersCanCreate: 1 },
    ];
    for (const body of bodies) {
      assertError(await ada.patch('/orgs/engines', body), 400, 'BAD_REQUEST');
    }
    assert.deepEqual((await ada.get('/orgs/engines')).data, before);
  });

  it('DELETE /orgs/{org}: needs org admin; 204', async () => {
    await makeOrganization(ada, 'short-lived');
    await join(ada, 'short-lived', grace);
    for (const client of [grace, alan]) {
      assertError(await client.delete('/orgs/short-lived'), 403, 'FORBIDDEN');
    }
    const answer = await ada.delete('/orgs/short-lived');
    assert.equal(answer.status, 204, answer.text);
    assertError(await ada.get('/orgs/short-lived'), 404, 'NOT_FOUND');
    assertError(await ada.delete('/orgs/short-lived'), 404, 'NOT_FOUND');
    assertError(await ada.delete('/orgs/ada'), 404, 'NOT_FOUND');
  });
});

describe('DELETE org (admin)', () => {
  const TABLES = [
    'owner',
    'account',
    'organization',
    'membership',
    'document',
    'collaborator',
    'invitation',
  ] as (keyof Tables)[];

  async function countRows(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const row = await service.app.context.sql.read
        .selectFrom(table)
        .select((builder) => builder.fn.countAll<number>().as('rows'))
        .executeTakeFirstOrThrow();
      counts[table] = Number(row.rows);
    }
    return counts;
  }

  it('deletes all members, memberships, briefs and invitations; the namespace is free after 90 days', async () => {
    const { bea, cyd, dot, eve } = await users(service, 'bea', 'cyd', 'dot', 'eve');
    await makeOrganization(bea, 'bystanders');
    await join(bea, 'bystanders', cyd);
    const bystander = await makeDocument(cyd, 'bystander', { org: 'bystanders' });
    await invite(cyd, bystander, dot, 'read');
    const before = await countRows();

    const id = await makeOrganization(bea, 'doomed');
    await join(bea, 'doomed', cyd, 'admin');
    await expectStatus(bea.put('/orgs/doomed/members/eve'), 201);
    const documents: string[] = [];
    const invitations: string[] = [];
    for (const kind of ALL_KINDS) {
      for (const visibility of ['public', 'internal', 'private'] as const) {
        const document = await makeDocument(cyd, visibility, { kind, org: 'doomed', visibility });
        await collaborate(bea, document, dot, 'admin');
        invitations.push(await invite(bea, document, eve, 'read'));
        documents.push(document);
      }
    }
    const during = await countRows();
    assert.ok(TABLES.every((table) => table === 'account' || during[table] !== before[table]));

    await expectStatus(cyd.delete('/orgs/doomed'), 204);

    assert.deepEqual(await countRows(), before);
    for (const client of [bea, cyd, dot, eve]) {
      assertError(await client.get('/orgs/doomed'), 404, 'NOT_FOUND');
      assertError(await client.get('/orgs/doomed/members'), 404, 'NOT_FOUND');
      assertError(await client.get('/user/memberships/orgs/doomed'), 404, 'NOT_FOUND');
      assert.ok(!pluck(await client.get('/user/orgs'), 'namespace').includes('doomed'));
      for (const document of documents) {
        assertError(await client.get(document), 404, 'NOT_FOUND');
        assertError(await client.get(`${document}/collaborators`), 404, 'NOT_FOUND');
      }
    }
    assert.deepEqual((await eve.get('/user/memberships/orgs')).data, []);
    assert.deepEqual((await eve.get('/user/brief_invitations')).data, []);
    for (const invitation of invitations) {
      const accepted = await eve.patch(`/user/brief_invitations/${invitation}`);
      assertError(accepted, 404, 'NOT_FOUND');
    }
    assertError(
      await eve.patch('/user/memberships/orgs/doomed', { state: 'active' }),
      404,
      'NOT_FOUND',
    );

    // Everything outside the organization stays.
    assert.equal((await cyd.get(bystander)).status, 200);
    assert.equal((await dot.get('/user/brief_invitations')).data.length, 1);

    service.advance(90 * 24 * 60 * 60_000);
    const again = await makeOrganization(eve, 'doomed');
    assert.notEqual(again, id);
    assertFields((await bea.get('/orgs/doomed')).data, PUBLIC);
    assert.deepEqual((await eve.get('/orgs/doomed/briefs')).data, []);
    assertError(await dot.get(documents[0] as string), 404, 'NOT_FOUND');
  });

  it('deleting a document removes its invitations', async () => {
    const { collaborator: _, ...before } = await countRows();
    for (const kind of ALL_KINDS) {
      const document = await makeDocument(ada, 'doomed', { kind });
      await collaborate(ada, document, grace, 'read');
      await invite(ada, document, alan, 'read');
      await expectStatus(ada.delete(document), 204);
    }
    // In the trash, the documents keep their collaborators.
    const { collaborator: __, ...now } = await countRows();
    assert.deepEqual(now, before);
  });
});
