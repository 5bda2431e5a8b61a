import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID_FIELD = /(^id|Id|^createdBy|^updatedBy|^invitedBy|^targetUid)$/;
const TIME_FIELD = /At$/;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');
await makeOrganization(ada, 'guild');
await join(ada, 'guild', grace);
const answers = [
  await ada.put('/orgs/guild/members/alan', { role: 'member' }),
  await ada.post('/user/orgs', { namespace: 'second', name: 'Second' }),
];
for (const kind of ALL_KINDS) {
  const document = await makeDocument(ada, 'one', { kind });
  await makeDocument(ada, 'two', { kind, org: 'guild' });
  await collaborate(ada, document, grace, 'write');
  await invite(ada, document, alan, 'read');
  answers.push(
    await ada.post(`/user/${kind.segment}`, { [kind.contentField]: '', name: 'three' }),
    await ada.get(document),
    await ada.get(`/user/${kind.segment}`),
    await ada.get(`/orgs/guild/${kind.segment}`),
    await ada.get(`${document}/collaborators`),
    await ada.get(`${document}/invitations`),
  );
}
for (const path of [
  '/user',
  '/users/grace',
  '/user/orgs',
  '/orgs/guild',
  '/orgs/guild/members',
  '/orgs/guild/invitations',
  '/user/memberships/orgs',
]) {
  answers.push(await ada.get(path));
}
answers.push(await alan.get('/user/brief_invitations'), await alan.get('/user/memberships/orgs'));

/** Every field of a response, at any depth. */
function* fieldsOf(value: unknown): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [key, inner];
    yield* fieldsOf(inner);
  }
}

describe('Formats', () => {
  it('ids: UUIDv7 strings', () => {
    let seen = 0;
    for (const answer of answers) {
      for (const [name, value] of fieldsOf(answer.data)) {
        if (!ID_FIELD.test(name)) continue;
        assert.match(String(value), UUID_V7, name);
        seen += 1;
      }
    }
    assert.ok(seen > 30, `${seen}`);
  });

  it('timestamps: ISO 8601 in UTC with milliseconds', () => {
    let seen = 0;
    for (const answer of answers) {
      for (const [name, value] of fieldsOf(answer.data)) {
        if (!TIME_FIELD.test(name)) continue;
        assert.match(String(value), TIMESTAMP, name);
        assert.equal(new Date(String(value)).toISOString(), value);
        seen += 1;
      }
    }
    assert.ok(seen > 20, `${seen}`);
  });

  it('all JSON success bodies have a top-level data member, as application/json', () => {
    for (const answer of answers) {
      assert.ok(answer.status < 300, answer.text);
      assert.deepEqual(Object.keys(answer.json), ['data']);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/);
    }
  });

  it('every response has its own X-Request-Id', async () => {
    const ids = [
      ...answers,
      await ada.get('/briefs/ada/missing'),
      await service.client().get('/user'),
      await ada.delete('/user'),
    ].map(({ headers }) => headers.get('x-request-id'));
    assert.ok(ids.every((id) => id));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('documents are ordered newest first, by id, which is the order of creation', async () => {
    const made: string[] = [];
    const margaret = await service.user('margaret');
    for (let index = 0; index < 25; index += 1) {
      const answer = await margaret.post('/briefs', { content: 'x', name: `n${index}` });
      made.push(answer.data.id);
    }
    assert.deepEqual([...made].sort(), made, 'ids are monotonic');
    // Neither a later write nor a wrong clock changes the order.
    await expectStatus(margaret.patch('/briefs/margaret/n3', { content: 'y' }), 200);
    assert.deepEqual(pluck(await margaret.get('/briefs'), 'id'), made.toReversed());
  });

  it('collaborators, members, invitations and memberships are ordered newest first', async () => {
    await makeOrganization(ada, 'orderly');
    const document = await makeDocument(ada, 'orderly');
    const names = ['zoe', 'bob', 'mia'];
    // The order of accounts differs from the order of joining.
    const people = Object.values(await users(service, 'bob', 'mia', 'zoe'));
    const named = new Map(people.map((client) => [client.username, client]));
    for (const name of names) {
      const client = named.get(name) as Client;
      await expectStatus(ada.put(`/orgs/orderly/members/${name}`), 201);
      await invite(ada, document, client, 'read');
    }
    const newestFirst = names.toReversed();
    const invitations = await ada.get(`${document}/invitations`);
    assert.deepEqual(pluck(invitations, 'targetUsername'), newestFirst);
    const invited = await ada.get('/orgs/orderly/invitations');
    assert.deepEqual(pluck(invited, 'targetUsername'), newestFirst);
    // Sorted by joining, not by inviting.
    for (const name of newestFirst) {
      const client = named.get(name) as Client;
      const [{ id }] = (await client.get('/user/brief_invitations')).data;
      await expectStatus(client.patch(`/user/brief_invitations/${id}`), 204);
      await expectStatus(client.patch('/user/memberships/orgs/orderly', { state: 'active' }), 200);
    }
    assert.deepEqual(pluck(await ada.get(`${document}/collaborators`), 'username'), names);
    const members = await ada.get('/orgs/orderly/members');
    assert.deepEqual(pluck(members, 'username'), [...names, 'ada']);
  });
});
