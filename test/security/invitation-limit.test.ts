import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../harness.ts';
import { connect } from '../mcp/agent.ts';
import { clientMissing } from '../web/built-client.ts';
import { makePerson } from '../web-app/world.ts';

/** Invitations that one account can send in an hour. */
const LIMIT = 100;

describe('Invitations of one account per hour', {
  skip: clientMissing,
}, async () => {
  const service = await startService({ RATE_LIMIT_INVITATIONS: `${LIMIT}/1h` });
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const mary = await makePerson(service, 'mary');
  const agent = await connect(service, ada.client.token);
  for (const name of ['plan', 'notes'])
    await ada.client.post('/user/briefs', { name, content: 'x' });
  await ada.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  // One of the hundred.
  const { data } = await ada.client.put('/briefs/ada/plan/collaborators/mary', {
    permission: 'read',
  });
  assert.equal((await mary.client.patch(`/user/brief_invitations/${data.id}`)).status, 204);
  after(async () => {
    await agent?.close();
    await service?.stop();
  });

  const invite = (name: string) =>
    ada.client.put(`/briefs/ada/${name}/collaborators/grace`, { permission: 'read' });

  it('failed invitations don’t count, canceled ones do', async () => {
    for (let times = 0; times < LIMIT + 5; times++) {
      const answer = await ada.client.put('/briefs/ada/plan/collaborators/nobody-1', {
        permission: 'read',
      });
      assert.equal(answer.status, 404);
    }
    for (let sent = 1; sent < LIMIT; sent++) {
      const { status, data, text } = await invite('plan');
      assert.equal(status, 201, text);
      await ada.client.delete(`/briefs/ada/plan/invitations/${data.id}`);
    }
    assertError(await invite('plan'), 429, 'RATE_LIMITED', /too many invitations/);
  });

  it('are limited on every surface, for documents and organizations together', async () => {
    const overRest = await invite('notes');
    assertError(
      overRest,
      429,
      'RATE_LIMITED',
      /^You have sent too many invitations\. Try again in \d+ minutes\.$/,
    );
    const seconds = Number(overRest.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60 * 60, String(seconds));
    const member = await ada.client.put('/orgs/engines/members/grace', { role: 'member' });
    assertError(member, 429, 'RATE_LIMITED');
    const shared = await agent.call('share_document', {
      owner: 'ada',
      name: 'notes',
      username: 'grace',
      permission: 'read',
    });
    assert.equal(shared.code, 'RATE_LIMITED', shared.text);
    const asked = await agent.call('set_member', { organization: 'engines', username: 'grace' });
    assert.equal(asked.code, 'RATE_LIMITED', asked.text);
    for (const [path, form] of [
      ['/share/ada/notes/people', { username: 'grace', permission: 'read' }],
      ['/organizations/engines/members', { username: 'grace', role: 'member' }],
    ] as const) {
      const answer = await ada.visitor.post(path, form);
      assert.equal(answer.status, 429, path);
      assert.ok(answer.headers.get('retry-after'));
      assert.match(answer.text, /You have sent too many invitations/);
    }
    assert.deepEqual((await grace.client.get('/user/brief_invitations')).data, []);
  });

  it('collaborators’ permissions can still change, and others can still invite', async () => {
    const changed = await ada.client.put('/briefs/ada/plan/collaborators/mary', {
      permission: 'write',
    });
    assert.equal(changed.status, 204, changed.text);
    await grace.client.post('/user/briefs', { name: 'own', content: 'x' });
    const own = await grace.client.put('/briefs/grace/own/collaborators/ada', {
      permission: 'read',
    });
    assert.equal(own.status, 201);
  });
});
