import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
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

const WEEK_MS = 7 * 24 * 3_600_000;

let org: string;
let count = 0;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');

// Every test has its own organization: ada is its admin, grace a member, alan a stranger.
beforeEach(async () => {
  count += 1;
  org = `/orgs/guild-${count}`;
  await makeOrganization(ada, `guild-${count}`);
  await join(ada, `guild-${count}`, grace);
});

const roles = async (client = ada) => {
  const { data } = await expectStatus(client.get(`${org}/members`), 200);
  return Object.fromEntries(data.map((one: Record<string, string>) => [one.username, one.role]));
};

describe('Organization members', () => {
  it('GET /orgs/{org}/members: needs membership; 200; id, username, role, joinedAt', async () => {
    const answer = await grace.get(`${org}/members`);
    assert.deepEqual(pluck(answer, 'username'), ['grace', 'ada']);
    assert.deepEqual(pluck(answer, 'role'), ['member', 'admin']);
    for (const member of answer.data) {
      assertFields(member, ['id', 'username', 'role', 'joinedAt']);
      assert.equal(member.id, (await ada.get(`/users/${member.username}`)).data.id);
    }
    assertError(await alan.get(`${org}/members`), 403, 'FORBIDDEN');
    assertError(await alan.get('/orgs/nobody/members'), 404, 'NOT_FOUND');
    // An invited user is not a member yet.
    await expectStatus(ada.put(`${org}/members/alan`, { role: 'admin' }), 201);
    assertError(await alan.get(`${org}/members`), 403, 'FORBIDDEN');
  });

  it('PUT member, user not yet a member: invitation pending; 201 with invitation id', async () => {
    const answer = await ada.put(`${org}/members/ALAN`, { role: 'admin' });
    assert.equal(answer.status, 201, answer.text);
    assertFields(answer.json, ['data']);
    assertFields(answer.data, ['id']);
    assert.deepEqual(pluck(await ada.get(`${org}/invitations`), 'id'), [answer.data.id]);
    assert.deepEqual(await roles(), { ada: 'admin', grace: 'member' });
    assert.equal((await alan.get('/user/memberships/orgs')).data[0].inviteId, answer.data.id);
    // An invitation gives no access yet.
    assert.equal((await alan.get(org)).data.role, undefined);
    assertError(await alan.delete(org), 403, 'FORBIDDEN');
  });

  it('PUT member: default member when role is omitted, with or without a body', async () => {
    await expectStatus(ada.put(`${org}/members/alan`), 201);
    assert.deepEqual(pluck(await ada.get(`${org}/invitations`), 'role'), ['member']);
    await expectStatus(ada.put(`${org}/members/grace`, { role: 'admin' }), 204);
    await expectStatus(ada.put(`${org}/members/grace`, {}), 204);
    assert.deepEqual(await roles(), { ada: 'admin', grace: 'member' });
  });

  it('PUT member: 400 for an unknown role or field', async () => {
    for (const body of [{ role: 'owner' }, { role: null }, { permission: 'read' }]) {
      assertError(await ada.put(`${org}/members/alan`, body), 400, 'BAD_REQUEST');
    }
    assert.deepEqual((await ada.get(`${org}/invitations`)).data, []);
  });

  it('PUT member, user already a member: member with new role; 204', async () => {
    const [{ joinedAt }] = (await ada.get(`${org}/members`)).data;
    for (const role of ['admin', 'admin', 'member', 'member'] as const) {
      const answer = await ada.put(`${org}/members/grace`, { role });
      assert.equal(answer.status, 204, answer.text);
      assert.equal((await roles()).grace, role);
      assert.equal((await grace.get(org)).data.role, role);
    }
    assert.equal((await ada.get(`${org}/members`)).data[0].joinedAt, joinedAt);
    assert.deepEqual((await ada.get(`${org}/invitations`)).data, []);
  });

  it('PUT member: needs org admin', async () => {
    for (const client of [grace, alan]) {
      for (const target of ['alan', 'grace', 'ada', 'nobody']) {
        const answer = await client.put(`${org}/members/${target}`, { role: 'admin' });
        assertError(answer, 403, 'FORBIDDEN');
      }
    }
    assert.deepEqual(await roles(), { ada: 'admin', grace: 'member' });
  });

  it('PUT member: unknown user 404, also an organization', async () => {
    for (const name of ['nobody', 'guild-1', '%2f']) {
      assertError(await ada.put(`${org}/members/${name}`), 404, 'NOT_FOUND', /username/);
    }
  });

  it('PUT member: 422 while an invitation is pending; an expired one is replaced', async () => {
    const { data: first } = await ada.put(`${org}/members/alan`, { role: 'admin' });
    assertError(await ada.put(`${org}/members/alan`), 422, 'UNPROCESSABLE', /username/);
    assert.deepEqual(pluck(await ada.get(`${org}/invitations`), 'role'), ['admin']);
    service.advance(WEEK_MS);
    const { data: second } = await expectStatus(ada.put(`${org}/members/alan`), 201);
    assert.notEqual(second.id, first.id);
    const invitations = await ada.get(`${org}/invitations`);
    assert.deepEqual(pluck(invitations, 'id'), [second.id]);
    assert.deepEqual(pluck(invitations, 'role'), ['member']);
  });

  it('PUT member: the last admin cannot be demoted: 422', async () => {
    assertError(await ada.put(`${org}/members/ada`, { role: 'member' }), 422, 'UNPROCESSABLE');
    // The default role is `member`.
    assertError(await ada.put(`${org}/members/ada`), 422, 'UNPROCESSABLE');
    await expectStatus(ada.put(`${org}/members/ada`, { role: 'admin' }), 204);
    assert.deepEqual(await roles(), { ada: 'admin', grace: 'member' });
    await expectStatus(ada.put(`${org}/members/grace`, { role: 'admin' }), 204);
    await expectStatus(ada.put(`${org}/members/ada`, { role: 'member' }), 204);
    assertError(await ada.put(`${org}/members/ada`, { role: 'admin' }), 403, 'FORBIDDEN');
    assertError(await grace.put(`${org}/members/grace`, { role: 'member' }), 422, 'UNPROCESSABLE');
  });

  it('DELETE member: needs org admin; 204; 404 for a non-member', async () => {
    for (const client of [grace, alan]) {
      assertError(await client.delete(`${org}/members/grace`), 403, 'FORBIDDEN');
    }
    await expectStatus(ada.put(`${org}/members/alan`), 201);
    for (const name of ['alan', 'nobody', 'guild-1']) {
      assertError(await ada.delete(`${org}/members/${name}`), 404, 'NOT_FOUND', /username/);
    }
    const answer = await ada.delete(`${org}/members/GRACE`);
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual(await roles(), { ada: 'admin' });
    assertError(await grace.get(`${org}/members`), 403, 'FORBIDDEN');
    assertError(await ada.delete(`${org}/members/grace`), 404, 'NOT_FOUND', /username/);
  });

  for (const kind of ALL_KINDS) {
    it(`DELETE member: ends access to a ${kind.kind}, even for its creator`, async () => {
      const namespace = `guild-${count}`;
      const private_ = { kind, org: namespace, visibility: 'private' } as const;
      const created = await makeDocument(grace, 'created', private_);
      const shared = await makeDocument(ada, 'shared', private_);
      await collaborate(ada, shared, grace, 'admin');
      const offered = await makeDocument(ada, 'offered', private_);
      const invitation = await invite(ada, offered, grace, 'admin');
      const elsewhere = await makeDocument(ada, `elsewhere-${count}`, { kind });
      await collaborate(ada, elsewhere, grace, 'admin');
      await collaborate(grace, created, alan, 'read');

      await expectStatus(ada.delete(`${org}/members/grace`), 204);

      for (const path of [created, shared, offered]) {
        assertError(await grace.get(path), 404, 'NOT_FOUND');
        assertError(await grace.patch(path, { visibility: 'public' }), 404, 'NOT_FOUND');
        const share = grace.put(`${path}/collaborators/alan`, { permission: 'admin' });
        assertError(await share, 404, 'NOT_FOUND');
        assert.deepEqual(pluck(await ada.get(`${path}/invitations`), 'id'), []);
        const { data } = await ada.get(`${path}/collaborators/grace/permission`);
        assert.equal(data.permission, 'none');
      }
      assertError(await grace.patch(`/user/brief_invitations/${invitation}`), 404, 'NOT_FOUND');
      assert.deepEqual((await grace.get('/user/brief_invitations')).data, []);
      // Other collaborators keep their access, and the organization's admins manage the document.
      assert.deepEqual(pluck(await ada.get(`${created}/collaborators`), 'username'), ['alan']);
      assert.equal((await ada.get(created)).data.permissions.admin, true);
      await expectStatus(grace.patch(elsewhere, { visibility: 'private' }), 200);

      await collaborate(ada, created, grace, 'write');
      const again = await grace.get(created);
      assert.deepEqual(again.data.permissions, { admin: false, write: true, read: true });
    });
  }

  it('DELETE member: the last admin cannot be removed: 422', async () => {
    assertError(await ada.delete(`${org}/members/ada`), 422, 'UNPROCESSABLE');
    assert.deepEqual(await roles(), { ada: 'admin', grace: 'member' });
    await expectStatus(ada.put(`${org}/members/grace`, { role: 'admin' }), 204);
    await expectStatus(grace.delete(`${org}/members/ada`), 204);
    assertError(await grace.delete(`${org}/members/grace`), 422, 'UNPROCESSABLE');
    assert.deepEqual(await roles(grace), { grace: 'admin' });
  });
});

describe('Organization invitations, admin view', () => {
  it('GET /orgs/{org}/invitations: needs org admin; 200; the invitation fields', async () => {
    const { data: made } = await ada.put(`${org}/members/alan`, { role: 'admin' });
    for (const client of [grace, alan]) {
      assertError(await client.get(`${org}/invitations`), 403, 'FORBIDDEN');
    }
    assertError(await alan.get('/orgs/nobody/invitations'), 404, 'NOT_FOUND');
    const answer = await ada.get(`${org}/invitations`);
    assertFields(answer.json, ['data']);
    assert.equal(answer.data.length, 1);
    const { createdAt, expiresAt, ...rest } = answer.data[0];
    const { data: organization } = await ada.get(org);
    assert.deepEqual(rest, {
      id: made.id,
      orgId: organization.id,
      orgName: organization.name,
      orgNamespace: organization.namespace,
      invitedBy: (await ada.get('/user')).data.id,
      invitedByUsername: 'ada',
      targetUid: (await alan.get('/user')).data.id,
      targetUsername: 'alan',
      role: 'admin',
      expired: false,
    });
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), WEEK_MS);
  });

  it('GET /orgs/{org}/invitations: an expired one stays, flagged', async () => {
    await expectStatus(ada.put(`${org}/members/alan`), 201);
    service.advance(WEEK_MS);
    assert.deepEqual(pluck(await ada.get(`${org}/invitations`), 'expired'), [true]);
  });

  it('DELETE invitation (admin): cancelled; 204', async () => {
    const { data: made } = await ada.put(`${org}/members/alan`);
    const path = `${org}/invitations/${made.id}`;
    for (const client of [grace, alan]) {
      assertError(await client.delete(path), 403, 'FORBIDDEN');
    }
    const answer = await ada.delete(path);
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual((await ada.get(`${org}/invitations`)).data, []);
    const accepted = await alan.patch(`/user/memberships${org}`, { state: 'active' });
    assertError(accepted, 404, 'NOT_FOUND');
    assertError(await ada.delete(path), 404, 'NOT_FOUND');
    await expectStatus(ada.put(`${org}/members/alan`), 201);
  });

  it('an invitation of one organization is 404 under the path of another', async () => {
    await makeOrganization(ada, `crossed-${count}`);
    const { data: made } = await ada.put(`/orgs/crossed-${count}/members/alan`);
    assertError(await ada.delete(`${org}/invitations/${made.id}`), 404, 'NOT_FOUND');
    assertError(await ada.delete(`${org}/invitations/x`), 404, 'NOT_FOUND');
    const kept = await ada.get(`/orgs/crossed-${count}/invitations`);
    assert.deepEqual(pluck(kept, 'id'), [made.id]);
  });
});
