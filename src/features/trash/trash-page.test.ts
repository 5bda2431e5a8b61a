import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError } from '../../../test/harness.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const PATH = '/trash';

describe('The trash in the app', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');

  /** Creates a brief and deletes it in the app. @returns the following page, and the brief's id */
  async function makeTrashed(name: string, owner = 'ada') {
    const collection = owner === 'ada' ? '/user/briefs' : `/orgs/${owner}/briefs`;
    const { data } = await ada.client.post(collection, { name, content: `# ${name}` });
    const page = await submit(ada.visitor, `/delete/${owner}/${name}`);
    return { page, id: data.id as string };
  }

  it('deleting says how long it can be undone, and Undo restores it', async () => {
    await ada.client.post('/user/briefs', { name: 'plans', content: '# Plans' });
    const { text } = await ada.visitor.get('/delete/ada/plans');
    assert.match(text, /For 30 days you can restore it/);
    const deleted = await submit(ada.visitor, '/delete/ada/plans');
    assert.match(toastOf(deleted), /^ada\/plans was deleted\./);
    assert.equal((await ada.client.get('/briefs/ada/plans')).status, 404);
    assert.match(toastOf(await undo(ada.visitor, deleted)), /^ada\/plans was restored\./);
    assert.equal((await ada.client.get('/briefs/ada/plans')).status, 200);
  });

  it('lists what was deleted, with Restore and Delete forever', async () => {
    assert.match((await grace.visitor.get(PATH)).text, /Nothing in the trash/);
    const { id } = await makeTrashed('minutes');
    const page = await ada.visitor.get(PATH);
    assert.match(page.text, /ada\/minutes/);
    assert.match(page.text, /by ada/);
    const { action, fields } = formWith(page, 'Restore');
    const restored = await submit(ada.visitor, action, fields);
    assert.match(toastOf(restored), /^ada\/minutes was restored\./);

    await submit(ada.visitor, '/delete/ada/minutes');
    const asked = await ada.visitor.get(`${PATH}/${id}/delete`);
    assert.match(asked.text, /This can’t be undone/);
    const gone = await submit(ada.visitor, formWith(asked, 'Delete forever').action);
    assert.match(toastOf(gone), /^ada\/minutes was deleted forever\./);
    assert.match(gone.text, /Nothing in the trash/);
    assertError(await ada.client.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
  });

  it('asks for another name if the old one is taken', async () => {
    const { id } = await makeTrashed('taken');
    await ada.client.post('/user/briefs', { name: 'taken', content: 'another' });
    const refused = await ada.visitor.post(`${PATH}/${id}/restore`, { name: 'taken' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /You already have a brief named “taken”/);
    assert.match(refused.text, /name="name" value="taken-2"/);
    const restored = await submit(ada.visitor, `${PATH}/${id}/restore`, { name: 'taken-2' });
    assert.match(toastOf(restored), /^ada\/taken-2 was restored\./);
    assert.equal((await ada.client.get('/briefs/ada/taken-2')).data.id, id);
  });

  it('an organization’s is its own tab; for others it is 404', async () => {
    await ada.client.post('/user/orgs', { namespace: 'guild', name: 'Guild' });
    const { id } = await makeTrashed('rota', 'guild');
    await ada.client.put('/orgs/guild/members/grace', { role: 'member' });
    await grace.client.patch('/user/memberships/orgs/guild', { state: 'active' });
    assert.match((await ada.visitor.get('/organizations/guild/trash')).text, /guild\/rota/);
    const { text } = await grace.visitor.get('/organizations/guild/trash');
    assert.match(text, /Nothing in the trash/);
    for (const act of ['restore', 'delete']) {
      assert.equal((await grace.visitor.post(`${PATH}/${id}/${act}`, {})).status, 404, act);
    }
    assert.equal((await grace.visitor.get(`${PATH}/${id}/delete`)).status, 404);
    const gone = await submit(ada.visitor, `${PATH}/${id}/delete`);
    assert.match(toastOf(gone), /^guild\/rota was deleted forever\./);
    assert.match(gone.text, /Parts of Guild/, 'it goes back to the organization’s trash');
  });
});
