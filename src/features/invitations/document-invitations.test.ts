import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  assertFields,
  expectStatus,
  invite,
  makeDocument,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
const INVITEE_VIEW = [
  'id',
  'briefId',
  'briefFullName',
  'briefOwnerNamespace',
  'briefName',
  'documentType',
  'invitedBy',
  'invitedByUsername',
  'targetUid',
  'targetUsername',
  'permission',
  'createdAt',
  'expiresAt',
];
const OWN = '/user/brief_invitations';

const service = await startService();
after(() => service.stop());
const { ada, alan } = await users(service, 'ada', 'alan');

for (const kind of ALL_KINDS) {
  describe(`Invitations to a ${kind.kind}`, () => {
    let document: string;
    let grace: Client;
    let count = 0;

    // Every test has its own document of ada's and its own invitee.
    beforeEach(async () => {
      count += 1;
      grace = await service.user(`grace-${kind.kind}-${count}`);
      document = await makeDocument(ada, `invited-${count}`, { kind, visibility: 'private' });
    });

    const pending = async () => (await expectStatus(ada.get(`${document}/invitations`), 200)).data;

    it('GET invitations: admin; 200; pending invitations with the admin view fields', async () => {
      const id = await invite(ada, document, grace, 'write');
      const answer = await ada.get(`${document}/invitations`);
      assertFields(answer.json, ['data']);
      const [invitation, ...others] = answer.data;
      assert.deepEqual(others, []);
      assertFields(invitation, [...INVITEE_VIEW, 'expired']);
      const { data: target } = await ada.get(document);
      const { data: inviter } = await ada.get('/user');
      const { data: invitee } = await grace.get('/user');
      const { createdAt, expiresAt, ...rest } = invitation;
      assert.deepEqual(rest, {
        id,
        briefId: target.id,
        briefFullName: target.fullName,
        briefOwnerNamespace: 'ada',
        briefName: target.name,
        documentType: kind.kind,
        invitedBy: inviter.id,
        invitedByUsername: 'ada',
        targetUid: invitee.id,
        targetUsername: grace.username,
        permission: 'write',
        expired: false,
      });
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), WEEK_MS);
    });

    it('GET invitations: an expired one stays, flagged', async () => {
      const id = await invite(ada, document, grace, 'read');
      service.advance(WEEK_MS - 1_000);
      assert.deepEqual((await pending())[0].expired, false);
      service.advance(1_000);
      const [invitation] = await pending();
      assert.equal(invitation.id, id);
      assert.equal(invitation.expired, true);
    });

    it('PATCH invitation (admin): pending with new permission; 200; data: id, permission', async () => {
      const id = await invite(ada, document, grace, 'read');
      const [before] = await pending();
      const answer = await ada.patch(`${document}/invitations/${id}`, { permission: 'admin' });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { data: { id, permission: 'admin' } });
      assert.deepEqual(await pending(), [{ ...before, permission: 'admin' }]);
      assert.deepEqual(pluck(await grace.get(OWN), 'permission'), ['admin']);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
      await expectStatus(grace.patch(`${OWN}/${id}`), 204);
      assert.equal((await grace.get(document)).data.permissions.admin, true);
    });

    it('PATCH invitation (admin): missing or unknown permission is 400', async () => {
      const id = await invite(ada, document, grace, 'read');
      for (const body of [{}, { permission: 'none' }, { permission: 1 }, { role: 'admin' }]) {
        const answer = await ada.patch(`${document}/invitations/${id}`, body);
        assertError(answer, 400, 'BAD_REQUEST');
      }
      assert.equal((await pending())[0].permission, 'read');
    });

    it('DELETE invitation (admin): cancelled; 204', async () => {
      const id = await invite(ada, document, grace, 'read');
      const answer = await ada.delete(`${document}/invitations/${id}`);
      assert.equal(answer.status, 204, answer.text);
      assert.deepEqual(await pending(), []);
      assert.deepEqual((await grace.get(OWN)).data, []);
      assertError(await grace.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
      assertError(await ada.delete(`${document}/invitations/${id}`), 404, 'NOT_FOUND');
      const change = await ada.patch(`${document}/invitations/${id}`, { permission: 'read' });
      assertError(change, 404, 'NOT_FOUND');
      await invite(ada, document, grace, 'read');
    });

    it('an invitation of one document is 404 under the path of another', async () => {
      const other = await makeDocument(ada, `other-${count}`, { kind });
      const id = await invite(ada, other, grace, 'read');
      const crossed = `${document}/invitations/${id}`;
      assertError(await ada.patch(crossed, { permission: 'admin' }), 404, 'NOT_FOUND');
      assertError(await ada.delete(crossed), 404, 'NOT_FOUND');
      const { data } = await ada.get(`${other}/invitations`);
      assert.deepEqual([data[0].id, data[0].permission], [id, 'read']);
    });

    it('an invalid invitation id is 404', async () => {
      for (const id of ['x', '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f', '%00', "'"]) {
        assertError(await ada.delete(`${document}/invitations/${id}`), 404, 'NOT_FOUND');
        assertError(await grace.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
        assertError(await grace.delete(`${OWN}/${id}`), 404, 'NOT_FOUND');
      }
    });

    it('GET /user/brief_invitations: 200; caller’s pending invitations, without expired', async () => {
      const id = await invite(ada, document, grace, 'read');
      const newer = await invite(
        ada,
        await makeDocument(ada, `newer-${count}`, { kind }),
        grace,
        'admin',
      );
      const answer = await grace.get(OWN);
      assert.deepEqual(pluck(answer, 'id'), [newer, id]);
      for (const invitation of answer.data) assertFields(invitation, INVITEE_VIEW);
      const [{ expired, ...asAdmin }] = await pending();
      assert.equal(expired, false);
      assert.deepEqual(answer.data[1], asAdmin);
      assert.deepEqual((await alan.get(OWN)).data, []);
    });

    it('GET /user/brief_invitations: expired ones are omitted', async () => {
      await invite(ada, document, grace, 'read');
      service.advance(WEEK_MS - 1_000);
      assert.equal((await grace.get(OWN)).data.length, 1);
      service.advance(1_000);
      const answer = await grace.get(OWN);
      assert.deepEqual(answer.data, []);
      assert.equal(answer.headers.get('link'), null);
    });

    it('PATCH accept (invitee), not expired: accepted; 204', async () => {
      const id = await invite(ada, document, grace, 'write');
      service.advance(WEEK_MS - 5_000);
      const answer = await grace.patch(`${OWN}/${id}`);
      assert.equal(answer.status, 204, answer.text);
      assert.equal(answer.text, '');
      const { data } = await ada.get(`${document}/collaborators`);
      assert.deepEqual(
        data.map((one: Record<string, string>) => [one.username, one.permission]),
        [[grace.username, 'write']],
      );
      assert.equal((await grace.get(document)).status, 200);
      assert.deepEqual(await pending(), []);
      assert.deepEqual((await grace.get(OWN)).data, []);
    });

    it('PATCH accept (invitee), expired: unchanged; 422', async () => {
      const id = await invite(ada, document, grace, 'write');
      service.advance(WEEK_MS);
      const before = await pending();
      assertError(await grace.patch(`${OWN}/${id}`), 422, 'UNPROCESSABLE', /expired/);
      assert.deepEqual(await pending(), before);
      assert.deepEqual((await ada.get(`${document}/collaborators`)).data, []);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
    });

    it('DELETE by invitee, pending: declined; 204', async () => {
      const id = await invite(ada, document, grace, 'write');
      const answer = await grace.delete(`${OWN}/${id}`);
      assert.equal(answer.status, 204, answer.text);
      assert.deepEqual(await pending(), []);
      assert.deepEqual((await grace.get(OWN)).data, []);
      assertError(await grace.get(document), 404, 'NOT_FOUND');
      assertError(await grace.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
      await invite(ada, document, grace, 'write');
    });

    it('accepting or declining someone else’s invitation is 404, also for the inviter', async () => {
      const id = await invite(ada, document, grace, 'write');
      for (const client of [alan, ada]) {
        assertError(await client.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
        assertError(await client.delete(`${OWN}/${id}`), 404, 'NOT_FOUND');
      }
      assert.equal((await pending()).length, 1);
      assert.deepEqual((await ada.get(`${document}/collaborators`)).data, []);
    });

    it('accepting or declining an answered one is 404', async () => {
      const id = await invite(ada, document, grace, 'write');
      await expectStatus(grace.patch(`${OWN}/${id}`), 204);
      assertError(await grace.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
      assertError(await grace.delete(`${OWN}/${id}`), 404, 'NOT_FOUND');
      const change = await ada.patch(`${document}/invitations/${id}`, { permission: 'read' });
      assertError(change, 404, 'NOT_FOUND');
      assert.equal((await grace.get(document)).data.permissions.write, true);
    });

    it('an invitation follows a rename of its document', async () => {
      await invite(ada, document, grace, 'read');
      await expectStatus(ada.patch(document, { name: `renamed-${count}` }), 200);
      const [invitation] = (await grace.get(OWN)).data;
      assert.equal(invitation.briefName, `renamed-${count}`);
      assert.equal(invitation.briefFullName, `ada/renamed-${count}`);
    });

    it('deleting the document deletes its invitations', async () => {
      const id = await invite(ada, document, grace, 'read');
      await expectStatus(ada.delete(document), 204);
      assert.deepEqual((await grace.get(OWN)).data, []);
      assertError(await grace.patch(`${OWN}/${id}`), 404, 'NOT_FOUND');
    });
  });
}

describe('INVITATION_LIFETIME', () => {
  it('sets the lifetime of invitations to documents and organizations', async () => {
    const brief = await startService({ INVITATION_LIFETIME: '90m' });
    try {
      const { ada, grace } = await users(brief, 'ada', 'grace');
      const document = await makeDocument(ada, 'short');
      const id = await invite(ada, document, grace, 'read');
      await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
      await expectStatus(ada.put('/orgs/engines/members/grace'), 201);
      for (const path of [`${document}/invitations`, '/orgs/engines/invitations']) {
        const [{ createdAt, expiresAt }] = (await ada.get(path)).data;
        assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 90 * 60_000);
      }
      brief.advance(90 * 60_000);
      assertError(await grace.patch(`${OWN}/${id}`), 422, 'UNPROCESSABLE');
    } finally {
      await brief.stop();
    }
  });
});
