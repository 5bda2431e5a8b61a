import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import { collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

/** The rows of a list as text, with their links. */
function rowsOf(text: string): { says: string; links: string[] }[] {
  return Array.from(text.matchAll(/<li class="item" data-row.*?<\/details>/gs), ([row]) => ({
    says: row.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    links: Array.from(row.matchAll(/href="([^"]*)"/g), ([, link = '']) => link),
  }));
}

describe('Lists in the app', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await person('ada');
  const grace = await person('grace');

  async function person(username: string): Promise<Person> {
    const made = await makePerson(service, username);
    return { ...made, client: { ...made.client, username } };
  }

  it('show titles, addresses, last changes with agents, and the reader’s permission', async () => {
    const path = await makeDocument(ada.client, 'tides', {
      content: '# Tide tables',
      visibility: 'private',
    });
    await collaborate(ada.client, path, grace.client, 'read');
    const [own] = rowsOf((await ada.visitor.get('/?in=own')).text);
    assert.match(own?.says ?? '', /Tide tables.*ada\/tides.*Changed just now.*by ada.*with world/);
    for (const act of ['share', 'history', 'rename', 'delete']) {
      assert.ok(own?.links.includes(`/${act}/ada/tides`), act);
    }
    const [shared] = rowsOf((await grace.visitor.get('/shared')).text);
    assert.match(shared?.says ?? '', /Tide tables.*Can read/);
    assert.deepEqual(shared?.links, [
      '/read/ada/tides',
      '/share/ada/tides',
      '/history/ada/tides',
      '/share/ada/tides/leave',
    ]);
  });

  it('only a collaborator can leave a document', async () => {
    const path = await makeDocument(ada.client, 'club', { visibility: 'private' });
    assert.equal((await grace.visitor.post('/share/ada/club/leave')).status, 303);
    await collaborate(ada.client, path, grace.client, 'admin');
    const asked = await grace.visitor.get('/share/ada/club/leave');
    const left = await submit(grace.visitor, formWith(asked, 'Leave this brief').action);
    assert.equal(toastOf(left), 'You left ada/club.');
    await expectStatus(grace.client.get(path), 404);
    await submit(ada.visitor, '/share/ada/club/leave');
    await expectStatus(ada.client.get(path), 200);
  });

  it('have links for sorting and filtering, which keep each other', async () => {
    await makeDocument(ada.client, 'open', { visibility: 'public' });
    const names = (text: string) => rowsOf(text).map(({ links }) => links[0]);
    const { text } = await ada.visitor.get('/?in=own&visibility=public&sort=created');
    assert.deepEqual(names(text), ['/read/ada/open']);
    assert.match(text, /href="\/\?in=own&amp;kind=brief&amp;visibility=public&amp;sort=created"/);
    const all = await ada.visitor.get('/?in=own&visibility=secret&sort=size');
    assert.equal(names(all.text).length, 3, 'unknown values are left out');
  });
});
