import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { type Client, startService } from '../../../test/harness.ts';
import { ask, assertNothing, targetOf } from '../../../test/render/expected.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { rotateSigningKey } from './signing-key-service.ts';

describe('A signed address', async () => {
  let count = 0;
  /** A fresh page of the organization, or of Ada, per test. */
  let name: string;

  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const grace = await service.user('grace');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  beforeEach(() => {
    name = `page-${count++}`;
  });

  async function make(owner: 'ada' | 'engines', visibility: string): Promise<string> {
    const routes = { ada: '/user/pages', engines: '/orgs/engines/pages' };
    const { status, text } = await ada.post(routes[owner], { html: name, name, visibility });
    assert.equal(status, 201, text);
    return `/pages/${owner}/${name}`;
  }

  async function sign(client: Client, path: string): Promise<string> {
    const { status, data, text } = await client.get(`${path}/render-url`);
    assert.equal(status, 200, text);
    return targetOf(data.url);
  }

  async function collaborate(path: string, permission: string): Promise<void> {
    const answer = await ada.put(`${path}/collaborators/grace`, { permission });
    if (answer.status === 201) await grace.patch(`/user/brief_invitations/${answer.data.id}`);
  }

  async function join(role: string): Promise<void> {
    const { status } = await ada.put('/orgs/engines/members/grace', { role });
    if (status === 201) await grace.patch('/user/memberships/orgs/engines', { state: 'active' });
  }

  async function assertAlive(target: string): Promise<void> {
    const answer = await ask(service, target);
    assert.deepEqual([answer.status, answer.body], [200, name]);
  }

  async function assertDead(target: string, why: string): Promise<void> {
    await assertNothing(service, await ask(service, target), why);
  }

  it('ends with the page, even if another takes its name', async () => {
    const path = await make('ada', 'private');
    const target = await sign(ada, path);
    await assertAlive(target);
    await ada.delete(path);
    await assertDead(target, 'deleted');
    await make('ada', 'private');
    await assertDead(target, 'another of that name');
  });

  it('ends with the organization', async () => {
    await ada.post('/user/orgs', { namespace: 'brief-lived', name: 'Brief' });
    await ada.post('/orgs/brief-lived/pages', { html: name, name, visibility: 'internal' });
    const target = await sign(ada, `/pages/brief-lived/${name}`);
    await assertAlive(target);
    await ada.delete('/orgs/brief-lived');
    await assertDead(target, 'organization deleted');
  });

  it('ends with a change of HTML, name or visibility', async () => {
    const path = await make('ada', 'private');
    for (const change of [{ html: 'new' }, { visibility: 'public' }, { name: `${name}-b` }]) {
      const target = await sign(ada, path);
      assert.equal((await ask(service, target)).status, 200);
      assert.equal((await ada.patch(path, change)).status, 200);
      await assertDead(target, JSON.stringify(change));
    }
  });

  it('ends with its requester’s collaboration, and no one else’s', async () => {
    const path = await make('ada', 'private');
    await collaborate(path, 'read');
    const theirs = await sign(grace, path);
    const own = await sign(ada, path);
    await assertAlive(theirs);
    assert.equal((await ada.delete(`${path}/collaborators/grace`)).status, 204);
    await assertDead(theirs, 'collaborator removed');
    await assertAlive(own);
    await collaborate(path, 'read');
    await assertAlive(theirs);
  });

  it('ends with the membership, by removal and by leaving', async () => {
    const path = await make('engines', 'internal');
    for (const leave of [
      () => ada.delete('/orgs/engines/members/grace'),
      () => grace.delete('/user/memberships/orgs/engines'),
    ]) {
      await join('member');
      const target = await sign(grace, path);
      await assertAlive(target);
      assert.equal((await leave()).status, 204);
      await assertDead(target, 'no member any more');
    }
  });

  it('ends with a demotion that removes access', async () => {
    const path = await make('engines', 'private');
    await join('admin');
    const target = await sign(grace, path);
    await assertAlive(target);
    await join('member');
    await assertDead(target, 'an admin no more');
    await ada.delete('/orgs/engines/members/grace');
  });

  it('of a public page ends for readers when it becomes private', async () => {
    const path = await make('ada', 'public');
    const target = await sign(grace, path);
    await assertAlive(target);
    await ada.patch(path, { visibility: 'private' });
    await assertDead(target, 'made private');
  });

  it('is invalid while its requester’s account is disabled', async () => {
    const path = await make('ada', 'private');
    await collaborate(path, 'admin');
    const theirs = await sign(grace, path);
    const own = await sign(ada, path);
    await setAccountDisabled(service.app.context, 'grace', true);
    await assertDead(theirs, 'locked out');
    await assertAlive(own);
    await setAccountDisabled(service.app.context, 'grace', false);
    await assertAlive(theirs);
  });

  it('survives changes that keep the access', async () => {
    const path = await make('ada', 'private');
    await collaborate(path, 'admin');
    const theirs = await sign(grace, path);
    const own = await sign(ada, path);
    await collaborate(path, 'read');
    const lin = await service.user(`lin-${count}`);
    await ada.put(`${path}/collaborators/${lin.username}`, { permission: 'read' });
    await ada.patch('/orgs/engines', { defaultBriefPermission: 'none' });
    await ada.post('/user/pages', { html: 'another', name: `${name}-other` });
    await sign(grace, path);
    await setAccountDisabled(service.app.context, lin.username, true);
    assert.equal((await ada.patch(path, {})).status, 400);
    assert.equal((await grace.patch(path, { html: 'no' })).status, 403);
    await assertAlive(theirs);
    await assertAlive(own);
    await assertAlive(theirs);
  });

  it('survives key rotation for ten minutes, but not revocation', async () => {
    const path = await make('ada', 'private');
    const { context } = service.app;
    const first = await sign(ada, path);
    await rotateSigningKey(context, { revoke: false });
    const second = await sign(ada, path);
    await assertAlive(first);
    await assertAlive(second);
    await rotateSigningKey(context, { revoke: false });
    await assertAlive(first);
    await assertAlive(second);
    await rotateSigningKey(context, { revoke: true });
    await assertDead(first, 'revoked');
    await assertDead(second, 'revoked');
    await assertAlive(await sign(ada, path));
  });

  it('rotation removes keys without valid URLs', async () => {
    const { context } = service.app;
    const keys = () => context.sql.read.selectFrom('signing_key').select('id').execute();
    await rotateSigningKey(context, { revoke: true });
    await rotateSigningKey(context, { revoke: false });
    await rotateSigningKey(context, { revoke: false });
    assert.equal((await keys()).length, 3);
    service.advance(11 * 60_000);
    await rotateSigningKey(context, { revoke: false });
    assert.equal((await keys()).length, 2, 'the one that signed until now, and the new one');
  });

  it('can be created concurrently before the first key exists', async () => {
    const fresh = await startService();
    try {
      const owner = await fresh.user('ada');
      await owner.post('/user/pages', { html: name, name, visibility: 'private' });
      const path = `/pages/ada/${name}/render-url`;
      const answers = await Promise.all(Array.from({ length: 10 }, () => owner.get(path)));
      for (const { data } of answers) {
        assert.equal((await ask(fresh, targetOf(data.url))).status, 200);
      }
    } finally {
      await fresh.stop();
    }
  });
});
