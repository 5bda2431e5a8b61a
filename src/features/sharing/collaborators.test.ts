import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
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

const PERMISSIONS = ['read', 'write', 'admin'] as const;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan, carol } = await users(service, 'ada', 'grace', 'alan', 'carol');
await makeOrganization(ada, 'engines');

for (const kind of ALL_KINDS) {
  describe(`Collaborators of a ${kind.kind}`, () => {
    let count = 0;

    /** A private document of ada's. */
    async function fresh(): Promise<string> {
      count += 1;
      return makeDocument(ada, `shared-${count}`, { kind, visibility: 'private' });
    }

    const permissionOf = async (document: string, user: string) =>
      (await expectStatus(ada.get(`${document}/collaborators/${user}/permission`), 200)).data;

    it('PUT collaborator, user not yet a collaborator: 201 returned with invitation', async () => {
      const document = await fresh();
      const { data: target } = await ada.get(document);
      const { data: inviter } = await ada.get('/user');
      const answer = await ada.put(`${document}/collaborators/GRACE`, { permission: 'write' });
      assert.equal(answer.status, 201, answer.text);
      assertFields(answer.json, ['data']);
      const { id, ...rest } = answer.data;
      assert.deepEqual(rest, {
        briefId: target.id,
        briefName: target.name,
        briefFullName: target.fullName,
        invitedBy: inviter.id,
        invitedByUsername: 'ada',
        targetUsername: 'grace',
        permission: 'write',
      });
      // Next state: invitation pending, which gives no access yet.
      assert.deepEqual(pluck(await ada.get(`${document}/invitations`), 'id'), [id]);
      assert.ok(pluck(await grace.get('/user/brief_invitations'), 'id').includes(id));
      assert.deepEqual(pluck(await ada.get(`${document}/collaborators`), 'id'), []);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
    });

    it('PUT collaborator, user already a collaborator: 204 returned, collaborator with new permission', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'read');
      const [before] = (await ada.get(`${document}/collaborators`)).data;
      for (const permission of ['admin', 'write', 'write', 'read']) {
        const answer = await ada.put(`${document}/collaborators/grace`, { permission });
        assert.equal(answer.status, 204, answer.text);
        assert.equal(answer.text, '');
        const { data } = await ada.get(`${document}/collaborators`);
        assert.deepEqual(data, [{ ...before, permission }]);
        assert.equal((await permissionOf(document, 'grace')).permission, permission);
        assert.deepEqual((await grace.get(document)).data.permissions, {
          admin: permission === 'admin',
          write: permission !== 'read',
          read: true,
        });
      }
      assert.deepEqual((await ada.get(`${document}/invitations`)).data, []);
    });

    it('PUT collaborator: 404 for an unknown user and for an organization', async () => {
      const document = await fresh();
      for (const name of ['nobody', 'engines', 'no--name', '%20']) {
        const answer = await ada.put(`${document}/collaborators/${name}`, { permission: 'read' });
        assertError(answer, 404, 'NOT_FOUND', /username/);
      }
    });

    it('PUT collaborator: 422 for the owner', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'admin');
      for (const client of [ada, grace]) {
        const answer = await client.put(`${document}/collaborators/ada`, { permission: 'read' });
        assertError(answer, 422, 'UNPROCESSABLE', /username/);
      }
      assert.equal((await permissionOf(document, 'ada')).permission, 'admin');
    });

    it('PUT collaborator: 422 while an invitation is pending, which doesn’t change', async () => {
      const document = await fresh();
      await invite(ada, document, grace, 'read');
      const { data: before } = await ada.get(`${document}/invitations`);
      const again = await ada.put(`${document}/collaborators/grace`, { permission: 'admin' });
      assertError(again, 422, 'UNPROCESSABLE', /username/);
      assert.deepEqual((await ada.get(`${document}/invitations`)).data, before);
    });

    it('PUT collaborator: an expired invitation is replaced', async () => {
      const document = await fresh();
      const expired = await invite(ada, document, grace, 'read');
      service.advance(7 * 24 * 3_600_000);
      const next = await invite(ada, document, grace, 'write');
      assert.notEqual(next, expired);
      assert.deepEqual(pluck(await ada.get(`${document}/invitations`), 'id'), [next]);
      assertError(await grace.patch(`/user/brief_invitations/${expired}`), 404, 'NOT_FOUND');
      await expectStatus(grace.patch(`/user/brief_invitations/${next}`), 204);
      assert.equal((await permissionOf(document, 'grace')).permission, 'write');
    });

    it('PUT collaborator: body {permission} with read/write/admin, else 400', async () => {
      const document = await fresh();
      for (const body of [{}, undefined, { permission: 'none' }, { permission: 'owner' }]) {
        const answer = await ada.put(`${document}/collaborators/grace`, body);
        assertError(answer, 400, 'BAD_REQUEST', /permission/);
      }
      const unknown = { permission: 'read', role: 'admin' };
      const refused = await ada.put(`${document}/collaborators/grace`, unknown);
      assertError(refused, 400, 'BAD_REQUEST', /role/);
      assert.deepEqual((await ada.get(`${document}/invitations`)).data, []);
      for (const permission of PERMISSIONS) {
        const made = await ada.put(`${document}/collaborators/grace`, { permission });
        assert.equal(made.data.permission, permission);
        await expectStatus(ada.delete(`${document}/invitations/${made.data.id}`), 204);
      }
    });

    it('GET collaborators: needs read; 200; array of collaborators, newest first', async () => {
      const document = await fresh();
      service.advance(5_000);
      await collaborate(ada, document, grace, 'read');
      await collaborate(ada, document, alan, 'write');
      assertError(await carol.get(`${document}/collaborators`), 404, 'NOT_FOUND');
      const answer = await grace.get(`${document}/collaborators`);
      assertFields(answer.json, ['data']);
      for (const one of answer.data) {
        assertFields(one, ['id', 'username', 'permission', 'addedAt']);
      }
      assert.deepEqual(pluck(answer, 'username'), ['alan', 'grace']);
      assert.deepEqual(pluck(answer, 'permission'), ['write', 'read']);
      const { data: profile } = await ada.get('/users/grace');
      assert.equal(answer.data[1].id, profile.id);
      assert.ok(answer.data[1].addedAt > (await ada.get(document)).data.createdAt);
    });

    it('GET collaborators/{username}/permission: needs read; 200; data: username, permission', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'write');
      const answer = await grace.get(`${document}/collaborators/Grace/permission`);
      assert.deepEqual(answer.json, { data: { username: 'grace', permission: 'write' } });
      assert.deepEqual(await permissionOf(document, 'ada'), {
        username: 'ada',
        permission: 'admin',
      });
      const path = `${document}/collaborators/grace/permission`;
      assertError(await carol.get(path), 404, 'NOT_FOUND');
    });

    it('GET collaborators/{username}/permission: the effective level, which can be none', async () => {
      const document = await fresh();
      assert.equal((await permissionOf(document, 'carol')).permission, 'none');
      await invite(ada, document, carol, 'admin');
      assert.equal((await permissionOf(document, 'carol')).permission, 'none');
      await expectStatus(ada.patch(document, { visibility: 'public' }), 200);
      assert.equal((await permissionOf(document, 'carol')).permission, 'read');
    });

    it('GET collaborators/{username}/permission: 404 when the user does not exist', async () => {
      const document = await fresh();
      for (const name of ['nobody', 'engines', '%2e%2e']) {
        const path = `${document}/collaborators/${name}/permission`;
        assertError(await ada.get(path), 404, 'NOT_FOUND');
      }
    });

    it('DELETE collaborator: 204, and access ends everywhere at once', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'admin');
      const answer = await ada.delete(`${document}/collaborators/GRACE`);
      assert.equal(answer.status, 204, answer.text);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
      assertError(await grace.patch(document, { name: 'x' }), 404, 'NOT_FOUND');
      assertError(await grace.get(`${document}/collaborators`), 404, 'NOT_FOUND');
      assertError(await grace.get(`${document}/invitations`), 404, 'NOT_FOUND');
      assert.equal((await permissionOf(document, 'grace')).permission, 'none');
    });

    it('DELETE collaborator: 404 for a non-collaborator: the owner, an invited user, an unknown name', async () => {
      const document = await fresh();
      await invite(ada, document, grace, 'read');
      for (const name of ['ada', 'grace', 'alan', 'nobody']) {
        const answer = await ada.delete(`${document}/collaborators/${name}`);
        assertError(answer, 404, 'NOT_FOUND', /username/);
      }
      assert.equal((await ada.get(`${document}/invitations`)).data.length, 1);
    });

    it('DELETE collaborator: everybody can remove themselves', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'admin');
      await collaborate(ada, document, alan, 'read');
      assertError(await alan.delete(`${document}/collaborators/grace`), 403, 'FORBIDDEN');
      await expectStatus(alan.delete(`${document}/collaborators/ALAN`), 204);
      assertError(await alan.get(document), 404, 'NOT_FOUND');
      assertError(await alan.delete(`${document}/collaborators/alan`), 404, 'NOT_FOUND');
      await expectStatus(grace.delete(`${document}/collaborators/grace`), 204);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
    });

    it('a removed collaborator can be invited again', async () => {
      const document = await fresh();
      await collaborate(ada, document, grace, 'admin');
      await expectStatus(ada.delete(`${document}/collaborators/grace`), 204);
      await collaborate(ada, document, grace, 'read');
      assert.equal((await permissionOf(document, 'grace')).permission, 'read');
    });

    it('a member of the owning organization can be a collaborator too; the higher level counts', async () => {
      const org = `${kind.segment}-guild`;
      await makeOrganization(ada, org);
      await join(ada, org, grace);
      const document = await makeDocument(ada, 'guild', { kind, org, visibility: 'internal' });
      assert.equal((await permissionOf(document, 'grace')).permission, 'read');
      await collaborate(ada, document, grace, 'write');
      assert.equal((await permissionOf(document, 'grace')).permission, 'write');
      await expectStatus(ada.patch(`/orgs/${org}`, { defaultBriefPermission: 'write' }), 200);
      await expectStatus(ada.put(`${document}/collaborators/grace`, { permission: 'read' }), 204);
      assert.equal((await permissionOf(document, 'grace')).permission, 'write');
    });
  });
}
