import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { collaborate, expectStatus, makeOrganization } from '../../../test/rest/scenario.ts';
import { submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson } from '../../../test/web-app/world.ts';

describe('Moving a document in the app', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];
  await makeOrganization(ada.client, 'guild', { defaultBriefPermission: 'write' });

  async function write(name: string, visibility: string, owner = 'user'): Promise<string> {
    const path = owner === 'user' ? '/user/briefs' : `/orgs/${owner}/briefs`;
    const body = { content: `# ${name}`, name, visibility };
    await expectStatus(ada.client.post(path, body), 201);
    return `/${owner === 'user' ? 'ada' : owner}/${name}`;
  }

  it('says who gains and loses access, moves it, and back with Undo', async () => {
    const at = await write('plan', 'private');
    const read = await ada.visitor.get(`/read${at}`);
    assert.match(read.text, /href="\/move\/ada\/plan"[^>]*data-dialog/);
    assert.match((await ada.visitor.get('/')).text, /href="\/move\/ada\/plan"[^>]*data-dialog/);
    const page = await ada.visitor.get(`/move${at}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /Admins of GUILD can manage it\. Its members can’t see it\./);
    assert.match(page.text, /You no longer own it, but you can still manage it\./);
    assert.doesNotMatch(page.text, /value="ada"/);
    const moved = await submit(ada.visitor, `/move${at}`, { owner: 'guild', name: 'Our plan' });
    assert.equal(toastOf(moved), 'Moved to guild/our-plan.');
    await expectStatus(ada.client.get('/briefs/guild/our-plan'), 200);
    const back = await undo(ada.visitor, moved);
    assert.equal(toastOf(back), 'Moved to ada/plan.');
    await expectStatus(ada.client.get('/briefs/ada/plan'), 200);
    assert.match((await ada.visitor.get(`/history${at}`)).text, /Changed the owner/);
  });

  it('asks before an internal one becomes private', async () => {
    const at = await write('inside', 'internal', 'guild');
    const page = await ada.visitor.get(`/move${at}`);
    assert.match(page.text, /Admins of GUILD can no longer manage it, and its members lose access/);
    assert.match(page.text, /Make it private/);
    const refused = await ada.visitor.post(`/move${at}`, { owner: 'ada', name: 'inside' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="move-private-fault"/);
    const fields = { owner: 'ada', name: 'inside', private: 'yes' };
    const moved = await submit(ada.visitor, `/move${at}`, fields);
    assert.equal(toastOf(moved), 'Moved to ada/inside.');
    assert.equal((await ada.client.get('/briefs/ada/inside')).data.visibility, 'private');
  });

  it('shows a taken name and a forbidden owner at their fields', async () => {
    const at = await write('twice', 'private');
    await write('twice', 'private', 'guild');
    const taken = await ada.visitor.post(`/move${at}`, { owner: 'guild', name: 'twice' });
    assert.equal(taken.status, 422);
    assert.match(taken.text, /id="move-name-fault">\s*Guild already has .*“twice-2” is free/i);
    const other = await ada.visitor.post(`/move${at}`, { owner: 'grace', name: 'twice' });
    assert.equal(other.status, 403);
    assert.match(other.text, /id="move-owner-fault"/);
  });

  it('is offered only to people who can move it, with all possible owners', async () => {
    const at = await write('shared', 'private');
    await collaborate(ada.client, `/briefs${at}`, { ...grace.client, username: 'grace' }, 'admin');
    for (const path of [`/read${at}`, '/shared']) {
      assert.doesNotMatch((await grace.visitor.get(path)).text, /\/move\//, path);
    }
    assert.equal((await grace.visitor.get(`/move${at}`)).status, 403);
    assert.equal((await grace.visitor.get('/move/ada/never')).status, 404);
    await expectStatus(grace.client.post('/user/briefs', { content: '# Own', name: 'own' }), 201);
    assert.match((await grace.visitor.get('/move/grace/own')).text, /anywhere else/);
  });
});
