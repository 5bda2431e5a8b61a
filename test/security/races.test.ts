import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Client, startService } from '../harness.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../rest/scenario.ts';

const ROUNDS = 8;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');

/** Sends this many requests at once, each on its own connection. */
const atOnce = <T>(count: number, request: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => request(index)));

for (const kind of ALL_KINDS) {
  describe(`Concurrent requests on a ${kind.kind}`, () => {
    it('one name created by twelve concurrently: one 201, eleven 422', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `wanted-${round}`;
        const answers = await atOnce(12, (index) =>
          ada.post(
            `/user/${kind.segment}`,
            documentBody(kind, { name, content: `<p>${index}</p>` }),
          ),
        );
        assert.deepEqual(countStatuses(answers), { 201: 1, 422: 11 });
        const made = answers.find(({ status }) => status === 201);
        const { data } = await ada.get(`/${kind.segment}/ada/${name}`);
        assert.equal(data.id, made?.data.id);
        const winner = answers.findIndex(({ status }) => status === 201);
        assert.equal(data[kind.contentField], `<p>${winner}</p>`);
      }
    });

    it('one name created in an organization by several members concurrently', async () => {
      const org = `${kind.segment}-crowd`;
      await makeOrganization(ada, org);
      await join(ada, org, grace);
      await join(ada, org, alan);
      const answers = await atOnce(12, (index) =>
        ([ada, grace, alan][index % 3] as Client).post(
          `/orgs/${org}/${kind.segment}`,
          documentBody(kind, { name: 'wanted' }),
        ),
      );
      assert.deepEqual(countStatuses(answers), { 201: 1, 422: 11 });
      // Only its creator is its admin collaborator.
      const { data } = await ada.get(`/${kind.segment}/${org}/wanted/collaborators`);
      assert.equal(data.length, 1);
    });

    it('several renamed to one name concurrently: one 200, the rest 422', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const documents = await atOnce(5, (index) =>
          makeDocument(ada, `from-${round}-${index}`, { kind }),
        );
        const name = `onto-${round}`;
        const answers = await atOnce(6, (index) =>
          index === 5
            ? ada.post(`/user/${kind.segment}`, documentBody(kind, { name }))
            : ada.patch(documents[index] as string, { name }),
        );
        const { 422: refused = 0, ...won } = countStatuses(answers);
        assert.equal(refused, 5);
        assert.equal(Object.values(won).length, 1);
        await expectStatus(ada.get(`/${kind.segment}/ada/${name}`), 200);
      }
    });

    it('one invitation accepted by five requests concurrently: one 204, four 404', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const document = await makeDocument(ada, `accepted-${round}`, { kind });
        const id = await invite(ada, document, grace, 'write');
        const answers = await atOnce(5, () => grace.patch(`/user/brief_invitations/${id}`));
        assert.deepEqual(countStatuses(answers), { 204: 1, 404: 4 });
        const collaborators = await ada.get(`${document}/collaborators`);
        assert.deepEqual(pluck(collaborators, 'username'), ['grace']);
      }
    });

    it('one user invited by eight requests concurrently: one 201, seven 422', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const document = await makeDocument(ada, `inviting-${round}`, { kind });
        await collaborate(ada, document, alan, 'admin');
        const answers = await atOnce(8, (index) =>
          (index % 2 ? ada : alan).put(`${document}/collaborators/grace`, { permission: 'read' }),
        );
        assert.deepEqual(countStatuses(answers), { 201: 1, 422: 7 });
        assert.equal((await ada.get(`${document}/invitations`)).data.length, 1);
      }
    });

    it('accept and cancel concurrently: exactly one succeeds', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const document = await makeDocument(ada, `cancelled-${round}`, { kind });
        const id = await invite(ada, document, grace, 'write');
        const accept = () => grace.patch(`/user/brief_invitations/${id}`);
        const cancel = () => ada.delete(`${document}/invitations/${id}`);
        const order = round % 2 ? [accept, cancel] : [cancel, accept];
        const answers = await atOnce(2, (index) => (order[index] as typeof accept)());
        assert.deepEqual(countStatuses(answers), { 204: 1, 404: 1 });
        const accepted = answers[order.indexOf(accept)]?.status === 204;
        const { data } = await ada.get(`${document}/collaborators`);
        assert.equal(data.length, accepted ? 1 : 0);
        assert.deepEqual((await ada.get(`${document}/invitations`)).data, []);
      }
    });

    it('accept and deletion of the document concurrently: nothing remains', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `vanishing-${round}`;
        const document = await makeDocument(ada, name, { kind, visibility: 'private' });
        const id = await invite(ada, document, grace, 'admin');
        const [accepted, deleted] = await Promise.all([
          grace.patch(`/user/brief_invitations/${id}`),
          ada.delete(document),
        ]);
        assert.equal(deleted.status, 204);
        assert.ok([204, 404].includes(accepted.status), accepted.text);
        await makeDocument(ada, name, { kind, visibility: 'private' });
        assert.equal((await grace.get(document)).status, 404);
      }
    });

    it('two concurrent changes of one document: both happen, one after the other', async () => {
      const document = await makeDocument(ada, 'both', { kind });
      await collaborate(ada, document, grace, 'write');
      const answers = await Promise.all([
        ada.patch(document, { visibility: 'private' }),
        grace.patch(document, { [kind.contentField]: 'new' }),
      ]);
      assert.deepEqual(countStatuses(answers), { 200: 2 });
      const etags = new Set(answers.map(({ headers }) => headers.get('etag')));
      assert.equal(etags.size, 2);
      const { data } = await ada.get(document);
      assert.equal(data.visibility, 'private');
      assert.equal(data[kind.contentField], 'new');
    });
  });
}

describe('Concurrent requests on an organization', () => {
  /** An organization with two admins. */
  async function withTwoAdmins(org: string): Promise<void> {
    await makeOrganization(ada, org);
    await join(ada, org, grace, 'admin');
    await join(ada, org, alan);
  }

  async function admins(org: string): Promise<string[]> {
    const { data } = await expectStatus(alan.get(`/orgs/${org}/members`), 200);
    return data
      .filter((member: { role: string }) => member.role === 'admin')
      .map((member: { username: string }) => member.username);
  }

  const contests: Record<string, (org: string) => Promise<{ status: number }>[]> = {
    'two admins demoting each other': (org) => [
      ada.put(`/orgs/${org}/members/grace`, { role: 'member' }),
      grace.put(`/orgs/${org}/members/ada`, { role: 'member' }),
    ],
    'two admins leaving': (org) => [
      ada.delete(`/user/memberships/orgs/${org}`),
      grace.delete(`/user/memberships/orgs/${org}`),
    ],
    'two admins removing each other': (org) => [
      ada.delete(`/orgs/${org}/members/grace`),
      grace.delete(`/orgs/${org}/members/ada`),
    ],
    'two admins demoting themselves': (org) => [
      ada.put(`/orgs/${org}/members/ada`, { role: 'member' }),
      grace.put(`/orgs/${org}/members/grace`, { role: 'member' }),
    ],
    'one leaving, the other demoting itself': (org) => [
      ada.delete(`/user/memberships/orgs/${org}`),
      grace.put(`/orgs/${org}/members/grace`, { role: 'member' }),
    ],
  };

  for (const [index, [name, contest]] of Object.entries(contests).entries()) {
    it(`${name} concurrently: one wins, never without an admin`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const org = `contest-${index}-${round}`;
        await withTwoAdmins(org);
        const requests = contest(org);
        const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
        assert.equal(statuses.filter((status) => status === 204).length, 1, `${statuses}`);
        // By then the other was the last admin, or no longer an admin.
        assert.ok([403, 422].includes(statuses[1] as number), `${statuses}`);
        assert.equal((await admins(org)).length, 1);
      }
    });
  }

  it('one invitation accepted by five requests concurrently: one 200, four 404', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `joined-${round}`;
      await makeOrganization(ada, org);
      await expectStatus(ada.put(`/orgs/${org}/members/alan`), 201);
      const answers = await atOnce(5, () =>
        alan.patch(`/user/memberships/orgs/${org}`, { state: 'active' }),
      );
      assert.deepEqual(countStatuses(answers), { 200: 1, 404: 4 });
      assert.equal((await ada.get(`/orgs/${org}/members`)).data.length, 2);
    }
  });

  it('one user invited by eight requests concurrently: one 201, seven 422', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `inviting-${round}`;
      await makeOrganization(ada, org);
      const answers = await atOnce(8, () => ada.put(`/orgs/${org}/members/alan`));
      assert.deepEqual(countStatuses(answers), { 201: 1, 422: 7 });
      assert.equal((await ada.get(`/orgs/${org}/invitations`)).data.length, 1);
    }
  });

  it('one namespace taken by eight concurrently: one 201, seven 422', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { namespace: `taken-${round}`, name: 'Taken' };
      const answers = await atOnce(8, (index) =>
        (index % 2 ? ada : grace).post('/user/orgs', body),
      );
      assert.deepEqual(countStatuses(answers), { 201: 1, 422: 7 });
    }
  });

  it('creating a brief while its author is removed, or the organization deleted', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `closing-${round}`;
      await makeOrganization(ada, org);
      await join(ada, org, alan);
      const body = { content: 'x', name: 'last' };
      const [made, removed] = await Promise.all([
        alan.post(`/orgs/${org}/briefs`, body),
        ada.delete(`/orgs/${org}/members/alan`),
      ]);
      assert.equal(removed.status, 204);
      assert.ok([201, 403].includes(made.status), made.text);
      const [late, deleted] = await Promise.all([
        ada.post(`/orgs/${org}/briefs`, { ...body, name: 'later' }),
        ada.delete(`/orgs/${org}`),
      ]);
      assert.equal(deleted.status, 204);
      assert.ok([201, 404].includes(late.status), late.text);
      assert.equal((await ada.get(`/briefs/${org}/later`)).status, 404);
    }
  });

  it('a member removed while invited, accepting and creating: nothing of theirs remains', async () => {
    const { read } = service.app.context.sql;
    const { id: alanId } = (await alan.get('/user')).data;
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `ending-${round}`;
      const id = await makeOrganization(ada, org);
      await join(ada, org, alan);
      const offered = await makeDocument(ada, 'offered', { org, visibility: 'private' });
      const invitation = await invite(ada, offered, alan, 'admin');
      const kept = await makeDocument(ada, 'kept', { org, visibility: 'private' });
      const remove = () => ada.delete(`/orgs/${org}/members/alan`);
      const leave = () => alan.delete(`/user/memberships/orgs/${org}`);
      const requests = [
        () => alan.patch(`/user/brief_invitations/${invitation}`),
        () => alan.post(`/orgs/${org}/pages`, { html: 'x', name: 'own', visibility: 'private' }),
        round % 2 ? remove : leave,
        () => alan.post(`/orgs/${org}/briefs`, { content: 'x', name: 'own' }),
        () => alan.patch(`/user/brief_invitations/${invitation}`),
      ];
      const answers = await Promise.all(requests.map((send) => send()));
      assert.equal(answers[2]?.status, 204);
      const left = await read
        .selectFrom('collaborator')
        .innerJoin('document', 'document.id', 'collaborator.documentId')
        .where('document.ownerId', '=', id)
        .where('collaborator.accountId', '=', alanId)
        .select('collaborator.id')
        .execute();
      assert.deepEqual(left, []);
      assert.deepEqual((await alan.get('/user/brief_invitations')).data, []);
      assert.equal((await alan.get(kept)).status, 404);
      assert.equal((await alan.get(offered)).status, 404);
    }
  });

  it('an invitation while its target leaves: an outsider is invited, or no one', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `inviting-out-${round}`;
      await makeOrganization(ada, org);
      await join(ada, org, alan);
      const document = await makeDocument(ada, 'offered', { org, visibility: 'private' });
      const order = [
        () => ada.put(`${document}/collaborators/alan`, { permission: 'admin' }),
        () => ada.delete(`/orgs/${org}/members/alan`),
      ];
      if (round % 2) order.reverse();
      await Promise.all(order.map((send) => send()));
      const { data } = await ada.get(`${document}/invitations`);
      assert.ok(data.length <= 1);
      const collaborators = await ada.get(`${document}/collaborators`);
      assert.deepEqual(pluck(collaborators, 'username'), ['ada']);
      assert.equal((await alan.get(document)).status, 404);
    }
  });

  it('creating a page while its organization is deleted and created again: no such owner', async () => {
    const { blobs } = service.app.context;
    const { write } = blobs;
    await makeOrganization(ada, 'again');
    blobs.write = async (...args) => {
      blobs.write = write;
      await expectStatus(ada.delete('/orgs/again'), 204);
      service.advance(90 * 24 * 60 * 60_000);
      await makeOrganization(ada, 'again');
      return write.apply(blobs, args);
    };
    const body = { html: '<p>x</p>', name: 'lost' };
    await expectStatus(ada.post('/orgs/again/pages', body), 404);
    assert.equal(blobs.write, write, 'it was in between');
    await expectStatus(ada.get('/pages/again/lost'), 404);
  });
});
