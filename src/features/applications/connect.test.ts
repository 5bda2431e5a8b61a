import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { makePerson } from '../../../test/web-app/world.ts';

describe('Connect an agent', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];

  it('has the address, and a configuration for each host', async () => {
    const { status, text } = await ada.visitor.get('/connect');
    assert.equal(status, 200);
    const address = `${service.baseUrl}/mcp`;
    assert.ok(text.includes(`data-text="claude mcp add --transport http briefs ${address}"`));
    assert.ok(text.split('data-action="copy-text"').length > 6);
    assert.equal((await newVisitor(service).get('/connect')).status, 303);
  });

  it('leads to a token that can take part in a review', async () => {
    const checkedAt = async (path: string) =>
      Array.from(
        (await ada.visitor.get(path)).text.matchAll(/name="scopes" value="([^"]*)"[^>]* checked/g),
        ([, scope]) => scope,
      );
    const { text } = await ada.visitor.get('/connect');
    const [, path = ''] = /href="([^"]*)">Create a token</.exec(text) ?? [];
    const plain = ['documents:read', 'documents:write'];
    assert.deepEqual(await checkedAt(path), [...plain, 'comments', 'sharing']);
    assert.deepEqual(await checkedAt('/settings/tokens'), plain);
  });

  it('shows each token’s last action, on documents that the user can still read', async () => {
    const body = { name: 'plan', content: '# Plan', visibility: 'private' };
    await ada.client.post('/user/briefs', body);
    assert.match(
      (await ada.visitor.get('/connect')).text,
      /world<.*?Last used.*?(created|changed).*?ada\/plan/s,
    );
    const invited = await ada.client.put('/briefs/ada/plan/collaborators/grace', {
      permission: 'write',
    });
    await grace.client.patch(`/user/brief_invitations/${invited.data.id}`);
    await grace.client.patch('/briefs/ada/plan', { content: 'Hers' });
    assert.match((await grace.visitor.get('/connect')).text, /ada\/plan/);
    await ada.client.delete('/briefs/ada/plan/collaborators/grace');
    assert.doesNotMatch((await grace.visitor.get('/connect')).text, /ada\/plan/);
  });
});
