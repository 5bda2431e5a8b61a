import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  assertFields,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
} from '../../../test/rest/scenario.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
const ACTIVE = ['state', 'role', 'organization'];
const PENDING = [...ACTIVE, 'inviteId', 'invitedBy', 'invitedByUsername', 'createdAt'];
const ALL = '/user/memberships/orgs';

describe('Organization memberships, invitee view', async () => {
  let grace: Client;
  let org: string;
  let path: string;
  let inviteId: string;
  let count = 0;

  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

  // Every test has its own organization of ada's, which has invited its own grace as a member.
  beforeEach(async () => {
    count += 1;
    grace = await service.user(`grace-${count}`);
    org = `guild-${count}`;
    path = `${ALL}/${org}`;
    await makeOrganization(ada, org);
    inviteId = (await ada.put(`/orgs/${org}/members/${grace.username}`)).data.id;
  });

  const accept = () => grace.patch(path, { state: 'active' });

  it('GET /user/memberships/orgs: active memberships and pending invitations, newest first', async () => {
    const other = `other-${count}`;
    await makeOrganization(ada, other);
    await join(ada, other, grace, 'admin');
    const answer = await grace.get(ALL);
    assertFields(answer.json, ['data']);
    assert.deepEqual(pluck(answer, 'state'), ['active', 'pending']);
    assert.deepEqual(pluck(answer, 'role'), ['admin', 'member']);
    assertFields(answer.data[0], ACTIVE);
    assertFields(answer.data[1], PENDING);
    const { data: organization } = await ada.get(`/orgs/${other}`);
    const { id, namespace, name } = organization;
    assert.deepEqual(answer.data[0].organization, { id, namespace, name });
  });

  it('GET /user/memberships/orgs: optional query state = active or pending', async () => {
    const other = `other-${count}`;
    await makeOrganization(ada, other);
    await join(ada, other, grace);
    const spaces = async (query: string) =>
      (await expectStatus(grace.get(`${ALL}${query}`), 200)).data.map(
        (one: { organization: { namespace: string } }) => one.organization.namespace,
      );
    assert.deepEqual(await spaces('?state=active'), [other]);
    assert.deepEqual(await spaces('?state=pending'), [org]);
    assert.deepEqual(await spaces(''), [other, org]);
    for (const query of ['?state=', '?state=left', '?state=active&state=pending']) {
      assertError(await grace.get(ALL + query), 400, 'BAD_REQUEST', /state/);
    }
  });

  it('GET /user/memberships/orgs: expired invitations are omitted and not counted', async () => {
    service.advance(WEEK_MS - 1_000);
    assert.equal((await grace.get(ALL)).data.length, 1);
    service.advance(1_000);
    for (const query of ['', '?state=pending']) {
      const answer = await grace.get(ALL + query);
      assert.deepEqual(answer.data, []);
      assert.equal(answer.headers.get('link'), null);
    }
    assertError(await grace.get(path), 404, 'NOT_FOUND');
  });

  it('GET /user/memberships/orgs/{org}: pending shape', async () => {
    const { data } = await expectStatus(grace.get(`${ALL}/${org.toUpperCase()}`), 200);
    assertFields(data, PENDING);
    const { id, namespace, name } = (await ada.get(`/orgs/${org}`)).data;
    const [{ createdAt }] = (await ada.get(`/orgs/${org}/invitations`)).data;
    assert.deepEqual(data, {
      state: 'pending',
      role: 'member',
      organization: { id, namespace, name },
      inviteId,
      invitedBy: (await ada.get('/user')).data.id,
      invitedByUsername: 'ada',
      createdAt,
    });
  });

  it('GET /user/memberships/orgs/{org}: active shape', async () => {
    const { data } = await expectStatus(ada.get(path), 200);
    assertFields(data, ACTIVE);
    assert.equal(data.state, 'active');
    assert.equal(data.role, 'admin');
    assertFields(data.organization, ['id', 'namespace', 'name']);
  });

  it('GET /user/memberships/orgs/{org}: 404 when no relationship', async () => {
    const stranger = await service.user(`stranger-${count}`);
    for (const name of [org, 'nobody', 'ada', '%00']) {
      assertError(await stranger.get(`${ALL}/${name}`), 404, 'NOT_FOUND');
    }
  });

  it('PATCH with state active, invitation not expired: active; 200 with membership', async () => {
    service.advance(WEEK_MS - 1_000);
    const answer = await accept();
    assert.equal(answer.status, 200, answer.text);
    assertFields(answer.data, ACTIVE);
    assert.equal(answer.data.state, 'active');
    assert.equal(answer.data.role, 'member');
    assert.deepEqual((await grace.get(path)).data, answer.data);
    const members = await grace.get(`/orgs/${org}/members`);
    assert.deepEqual(pluck(members, 'username'), [grace.username, 'ada']);
    assert.deepEqual((await ada.get(`/orgs/${org}/invitations`)).data, []);
    assert.deepEqual(pluck(await grace.get('/user/orgs'), 'namespace'), [org]);
  });

  it('PATCH with state active: the role is that of the invitation', async () => {
    await expectStatus(grace.delete(path), 204);
    await expectStatus(ada.put(`/orgs/${org}/members/${grace.username}`, { role: 'admin' }), 201);
    assert.equal((await accept()).data.role, 'admin');
    await expectStatus(grace.patch(`/orgs/${org}`, { membersCanCreate: false }), 200);
  });

  it('PATCH with state active, invitation expired: unchanged; 422', async () => {
    service.advance(WEEK_MS);
    const before = (await ada.get(`/orgs/${org}/invitations`)).data;
    assertError(await accept(), 422, 'UNPROCESSABLE', /expired/);
    assert.deepEqual((await ada.get(`/orgs/${org}/invitations`)).data, before);
    assert.equal((await ada.get(`/orgs/${org}/members`)).data.length, 1);
    assertError(await grace.get(`/orgs/${org}/members`), 403, 'FORBIDDEN');
  });

  it('PATCH: 404 without an invitation, and for an answered one', async () => {
    const stranger = await service.user(`stranger-${count}`);
    assertError(await stranger.patch(path, { state: 'active' }), 404, 'NOT_FOUND');
    assertError(await ada.patch(path, { state: 'active' }), 404, 'NOT_FOUND');
    assertError(await grace.patch(`${ALL}/nobody`, { state: 'active' }), 404, 'NOT_FOUND');
    await expectStatus(accept(), 200);
    assertError(await accept(), 404, 'NOT_FOUND');
  });

  it('PATCH: body {state: "active"}, else 400', async () => {
    for (const body of [{}, undefined, { state: 'pending' }, { state: 'active', role: 'admin' }]) {
      assertError(await grace.patch(path, body), 400, 'BAD_REQUEST');
    }
    assert.equal((await grace.get(path)).data.state, 'pending');
  });

  it('DELETE by user, state pending: declined; 204', async () => {
    const answer = await grace.delete(path);
    assert.equal(answer.status, 204, answer.text);
    assertError(await grace.get(path), 404, 'NOT_FOUND');
    assert.deepEqual((await ada.get(`/orgs/${org}/invitations`)).data, []);
    assertError(await accept(), 404, 'NOT_FOUND');
    assertError(await grace.delete(path), 404, 'NOT_FOUND');
    await expectStatus(ada.put(`/orgs/${org}/members/${grace.username}`), 201);
  });

  it('DELETE by user, state active: left; 204', async () => {
    await expectStatus(accept(), 200);
    const answer = await grace.delete(path);
    assert.equal(answer.status, 204, answer.text);
    assertError(await grace.get(path), 404, 'NOT_FOUND');
    assert.deepEqual((await grace.get('/user/orgs')).data, []);
    const members = await ada.get(`/orgs/${org}/members`);
    assert.deepEqual(pluck(members, 'username'), ['ada']);
    await join(ada, org, grace);
  });

  it('DELETE by user, state active: ends collaborations and invitations in the organization', async () => {
    await expectStatus(accept(), 200);
    const private_ = { org, visibility: 'private' } as const;
    const created = await makeDocument(grace, 'created', private_);
    const offered = await makeDocument(ada, 'offered', private_);
    const invitation = await invite(ada, offered, grace, 'admin');
    await expectStatus(grace.delete(path), 204);
    assertError(await grace.get(created), 404, 'NOT_FOUND');
    assertError(await grace.patch(`/user/brief_invitations/${invitation}`), 404, 'NOT_FOUND');
    assert.deepEqual((await ada.get(`${created}/collaborators`)).data, []);
    // Joining again restores no access.
    await join(ada, org, grace);
    assertError(await grace.get(created), 404, 'NOT_FOUND');
  });

  it('DELETE by user, state pending: keeps what the user was given by name', async () => {
    const document = await makeDocument(ada, 'given', { org, visibility: 'private' });
    await collaborate(ada, document, grace, 'read');
    await expectStatus(grace.delete(path), 204);
    await expectStatus(grace.get(document), 200);
  });

  it('DELETE by user: last admin cannot leave: 422', async () => {
    await expectStatus(accept(), 200);
    assertError(await ada.delete(path), 422, 'UNPROCESSABLE');
    assert.equal((await ada.get(path)).data.role, 'admin');
    await expectStatus(ada.put(`/orgs/${org}/members/${grace.username}`, { role: 'admin' }), 204);
    await expectStatus(ada.delete(path), 204);
    assertError(await grace.delete(path), 422, 'UNPROCESSABLE');
  });

  it('DELETE: 404 without a relationship', async () => {
    const stranger = await service.user(`stranger-${count}`);
    for (const name of [org, 'nobody', 'ada']) {
      assertError(await stranger.delete(`${ALL}/${name}`), 404, 'NOT_FOUND');
    }
  });
});
