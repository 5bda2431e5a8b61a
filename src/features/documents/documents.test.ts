import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';
import {
  assertFields,
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';

const CREATED = ['id', 'name', 'fullName', 'url', 'content', 'visibility'];
const SHOWN = [
  'id',
  'name',
  'fullName',
  'url',
  'ownerType',
  'ownerId',
  'ownerNamespace',
  'visibility',
  'permissions',
  'createdAt',
  'updatedAt',
];
const LISTED = [...SHOWN, 'revision'];
const FULL = [...SHOWN, 'content', 'createdBy', 'updatedBy'];

describe('Briefs', async () => {
  const service = await startService();
  after(() => service.stop());
  const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');
  const orgId = await makeOrganization(ada, 'engines');
  await join(ada, 'engines', grace);

  it('GET /user/briefs, /briefs: 200; array of brief list entries for the caller', async () => {
    const linus = await service.user('linus');
    await makeDocument(linus, 'first', { visibility: 'private' });
    await makeDocument(linus, 'second');
    const shared = await makeDocument(ada, 'shared-with-linus', { visibility: 'private' });
    await collaborate(ada, shared, linus, 'admin');
    await makeOrganization(linus, 'kernels');
    await makeDocument(linus, 'of-the-organization', { org: 'kernels' });
    const { data: me } = await linus.get('/user');
    for (const path of ['/user/briefs', '/briefs']) {
      const answer = await linus.get(path);
      // Excludes shared documents and those of organizations.
      assert.deepEqual(pluck(answer, 'name'), ['second', 'first']);
      for (const entry of answer.data) {
        assertFields(entry, LISTED);
        assert.equal(entry.fullName, `linus/${entry.name}`);
        assert.equal(entry.url, `${service.webUrl}/linus/${entry.name}`);
        assert.equal(entry.ownerType, 'user');
        assert.equal(entry.ownerId, me.id);
        assert.equal(entry.ownerNamespace, 'linus');
        assert.deepEqual(entry.permissions, { admin: true, write: true, read: true });
      }
      assert.deepEqual(pluck(answer, 'visibility'), ['public', 'private']);
    }
  });

  it('GET /users/{username}/briefs: only public briefs; all when the caller is that user', async () => {
    const barbara = await service.user('barbara');
    await makeDocument(barbara, 'open');
    const hidden = await makeDocument(barbara, 'hidden', { visibility: 'private' });
    await collaborate(barbara, hidden, grace, 'admin');
    const own = await barbara.get('/users/barbara/briefs');
    assert.deepEqual(pluck(own, 'name'), ['hidden', 'open']);
    for (const other of [grace, alan]) {
      const answer = await other.get('/users/Barbara/briefs');
      assert.deepEqual(pluck(answer, 'name'), ['open']);
      assertFields(answer.data[0], LISTED);
      assert.deepEqual(answer.data[0].permissions, { admin: false, write: false, read: true });
    }
  });

  it('GET /users/{username}/briefs: 404 for an unknown name and for an organization', async () => {
    for (const name of ['nobody', 'engines', '-']) {
      assertError(await ada.get(`/users/${name}/briefs`), 404, 'NOT_FOUND');
    }
  });

  it('GET /orgs/{org}/briefs: 200; entries say that the organization owns them; 404 for a user', async () => {
    await makeDocument(ada, 'of-engines', { org: 'engines' });
    const answer = await grace.get('/orgs/ENGINES/briefs');
    const [entry] = answer.data;
    assertFields(entry, LISTED);
    assert.equal(entry.ownerType, 'organization');
    assert.equal(entry.ownerId, orgId);
    assert.equal(entry.ownerNamespace, 'engines');
    assert.equal(entry.fullName, 'engines/of-engines');
    assert.deepEqual(entry.permissions, { admin: false, write: false, read: true });
    for (const name of ['nobody', 'ada']) {
      assertError(await ada.get(`/orgs/${name}/briefs`), 404, 'NOT_FOUND');
    }
  });

  it('POST /user/briefs, /briefs, /users/{username}/briefs, /orgs/{org}/briefs: 201 with create response fields', async () => {
    const paths = {
      '/user/briefs': 'grace',
      '/briefs': 'grace',
      '/users/grace/briefs': 'grace',
      '/users/GRACE/briefs': 'grace',
      '/orgs/engines/briefs': 'engines',
      '/orgs/Engines/briefs': 'engines',
    };
    for (const [index, [path, owner]] of Object.entries(paths).entries()) {
      const body = { content: `# ${path}\n`, name: `Made ${index}`, visibility: 'private' };
      const answer = await grace.post(path, body);
      assert.equal(answer.status, 201, answer.text);
      assertFields(answer.json, ['data']);
      assertFields(answer.data, CREATED);
      const { data } = answer;
      assert.equal(data.name, `made-${index}`);
      assert.equal(data.fullName, `${owner}/made-${index}`);
      assert.equal(data.url, `${service.webUrl}/${owner}/made-${index}`);
      assert.equal(data.content, body.content);
      assert.equal(data.visibility, 'private');
      const location = answer.headers.get('location');
      assert.equal(location, `${service.baseUrl}/briefs/${data.fullName}`);
      const read = await grace.get(`/briefs/${data.fullName}`);
      assert.equal(read.data.id, data.id);
      assert.equal(read.data.ownerNamespace, owner);
    }
  });

  it('POST /users/{username}/briefs: username must be the caller', async () => {
    const body = { content: 'x', name: 'intruder' };
    assertError(await grace.post('/users/ada/briefs', body), 403, 'FORBIDDEN');
    assertError(await grace.post('/users/engines/briefs', body), 404, 'NOT_FOUND');
    assertError(await grace.post('/users/nobody/briefs', body), 404, 'NOT_FOUND');
    assertError(await ada.get('/briefs/ada/intruder'), 404, 'NOT_FOUND');
  });

  it('POST /orgs/{org}/briefs: caller must be an org member', async () => {
    const body = { content: 'x', name: 'intruder' };
    assertError(await alan.post('/orgs/engines/briefs', body), 403, 'FORBIDDEN');
    await expectStatus(ada.put('/orgs/engines/members/alan'), 201);
    assertError(await alan.post('/orgs/engines/briefs', body), 403, 'FORBIDDEN');
    assertError(await alan.post('/orgs/ada/briefs', body), 404, 'NOT_FOUND');
    assertError(await ada.get('/briefs/engines/intruder'), 404, 'NOT_FOUND');
  });

  it('POST /orgs/{org}/briefs: 403 for members while membersCanCreate is false, not for admins', async () => {
    await makeOrganization(ada, 'closed', { membersCanCreate: false });
    await join(ada, 'closed', grace);
    const body = { content: 'x', name: 'one' };
    assertError(await grace.post('/orgs/closed/briefs', body), 403, 'FORBIDDEN');
    await expectStatus(ada.post('/orgs/closed/briefs', body), 201);
    await expectStatus(ada.patch('/orgs/closed', { membersCanCreate: true }), 200);
    await expectStatus(grace.post('/orgs/closed/briefs', { ...body, name: 'two' }), 201);
  });

  it('POST /orgs/{org}/briefs: the creator becomes an admin collaborator, who can be removed', async () => {
    const path = await makeDocument(grace, 'mine', { org: 'engines', visibility: 'private' });
    const { data: collaborators } = await grace.get(`${path}/collaborators`);
    assert.deepEqual(
      collaborators.map((one: { username: string; permission: string }) => [
        one.username,
        one.permission,
      ]),
      [['grace', 'admin']],
    );
    await expectStatus(grace.patch(path, { visibility: 'internal' }), 200);
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    assertError(await grace.patch(path, { visibility: 'private' }), 403, 'FORBIDDEN');
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    assertError(await grace.get(path), 404, 'NOT_FOUND');
  });

  it('a brief that a user creates for themselves has no collaborators', async () => {
    const path = await makeDocument(grace, 'alone');
    assert.deepEqual((await grace.get(`${path}/collaborators`)).data, []);
  });

  it('GET /briefs/{owner}/{name}: 200; full brief fields', async () => {
    const path = await makeDocument(ada, 'whole', { content: '# Whole\n' });
    const { data: me } = await ada.get('/user');
    const answer = await grace.get(path);
    assert.equal(answer.status, 200);
    assertFields(answer.json, ['data']);
    assertFields(answer.data, FULL);
    const { id, createdAt, ...rest } = answer.data;
    assert.ok(id);
    assert.deepEqual(rest, {
      name: 'whole',
      fullName: 'ada/whole',
      url: `${service.webUrl}/ada/whole`,
      content: '# Whole\n',
      ownerType: 'user',
      ownerId: me.id,
      ownerNamespace: 'ada',
      visibility: 'public',
      permissions: { admin: false, write: false, read: true },
      createdBy: me.id,
      updatedBy: me.id,
      updatedAt: createdAt,
    });
  });

  it('GET /briefs/{owner}/{name}: look-ups normalise like names', async () => {
    await makeDocument(ada, 'Look Me Up');
    for (const path of ['/briefs/ADA/look-me-up', '/briefs/ada/Look%20%20Me%20UP%20']) {
      assert.equal((await ada.get(path)).data?.name, 'look-me-up', path);
    }
  });

  it('DELETE /briefs/{owner}/{name}: needs admin; 204', async () => {
    const path = await makeDocument(ada, 'short-lived');
    const bare = await makeDocument(ada, 'stays');
    await collaborate(ada, path, grace, 'write');
    assertError(await grace.delete(path), 403, 'FORBIDDEN');
    assertError(await alan.delete(path), 403, 'FORBIDDEN');
    const answer = await expectStatus(ada.delete(path), 204);
    assert.equal(answer.text, '');
    assertError(await ada.get(path), 404, 'NOT_FOUND');
    assertError(await ada.delete(path), 404, 'NOT_FOUND');
    assert.ok(!pluck(await ada.get('/user/briefs'), 'name').includes('short-lived'));
    await expectStatus(ada.get(bare), 200);
    // The name is free again, and a new document with it is another one.
    await makeDocument(ada, 'short-lived');
    assert.deepEqual((await ada.get(`${path}/collaborators`)).data, []);
  });
});
