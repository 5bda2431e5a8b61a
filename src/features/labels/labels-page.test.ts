import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { newVisitor, startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const PUBLIC = { visibility: 'public' } as const;
const PRIVATE = { visibility: 'private' } as const;

/** The documents that a page lists, in order. */
function listed(text: string): string[] {
  return Array.from(
    text.matchAll(/class="item-title"[^>]* href="\/read\/([^"]*)"/g),
    ([, path = '']) => path,
  );
}

describe('Labels and pins in the app', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await person('ada');
  const grace = await person('grace');
  await makeOrganization(ada.client, 'guild');
  await join(ada.client, 'guild', grace.client);

  async function person(username: string): Promise<Person> {
    const made = await makePerson(service, username);
    return { ...made, client: { ...made.client, username } };
  }

  it('a form sets labels, suggests the owner’s, and returns to its list', async () => {
    const path = await makeDocument(ada.client, 'first', PRIVATE);
    const other = await makeDocument(ada.client, 'second', PRIVATE);
    await expectStatus(ada.client.put(`${other}/labels`, { labels: ['Known'] }), 200);
    const form = await ada.visitor.get('/labels/ada/first');
    assert.match(form.text, /<input type="checkbox" name="label" value="Known"\/>/);
    const sent = { label: 'Known', added: 'fresh, a b ,', back: '/?in=own' };
    const saved = await ada.visitor.post('/labels/ada/first', sent);
    assert.deepEqual([saved.status, saved.headers.get('location')], [303, '/?in=own']);
    const list = await ada.visitor.get('/?in=own');
    assert.equal(toastOf(list), 'Labels saved.');
    assert.deepEqual((await ada.client.get(`${path}/labels`)).data.labels, [
      'a b',
      'fresh',
      'Known',
    ]);
    assert.match(list.text, /href="\/\?in=own&amp;label=a\+b"[^>]*>a b</);
    const filtered = await ada.visitor.get('/?in=own&label=A+B');
    assert.deepEqual(listed(filtered.text), ['ada/first']);
    assert.match(filtered.text, /Label: A B/);
    const read = await ada.visitor.get('/read/ada/first');
    assert.match(read.text, /href="\/\?owner=ada&amp;label=fresh"[^>]*>fresh</);
  });

  it('an invalid label is reported, and the input kept', async () => {
    await makeDocument(ada.client, 'wrong', PRIVATE);
    const body = { added: `${'x'.repeat(41)}, fine`, back: 'https://example.com/' };
    const refused = await ada.visitor.post('/labels/ada/wrong', body);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="new-labels-fault">[^<]*1 to 40 characters/);
    assert.match(refused.text, /value="x{41}, fine"/);
    assert.match(refused.text, /name="back" value="\/read\/ada\/wrong"/);
  });

  it('are shown only to signed-in readers', async () => {
    const path = await makeDocument(ada.client, 'open', PUBLIC);
    await expectStatus(ada.client.put(`${path}/labels`, { labels: ['inner'] }), 200);
    assert.match((await grace.visitor.get('/read/ada/open')).text, /label-chip">inner</);
    const reader = await grace.visitor.get('/labels/ada/open');
    assert.equal(reader.status, 403);
    assert.equal((await grace.visitor.post('/labels/ada/open', { added: 'x' })).status, 403);
    assert.equal((await grace.visitor.get('/labels/ada/first')).status, 404);
    const nobody = newVisitor(service);
    for (const address of ['/ada/open', '/ada', '/ada/feed']) {
      assert.doesNotMatch((await nobody.get(address)).text, /inner/, address);
    }
    const hidden = await makeDocument(ada.client, 'linked', PRIVATE);
    await expectStatus(ada.client.put(`${hidden}/labels`, { labels: ['inner'] }), 200);
    const { data } = await ada.client.post(`${hidden}/links`, { access: 'comment' });
    for (const visitor of [nobody, grace.visitor]) {
      const page = await visitor.get(new URL(data.url).pathname);
      assert.doesNotMatch(page.text, /inner/);
    }
  });

  it('pinned documents are first in their owner’s lists and on the profile, until unpinned', async () => {
    const old = await makeDocument(ada.client, 'old', { ...PUBLIC, org: 'guild' });
    await makeDocument(ada.client, 'newer', { ...PUBLIC, org: 'guild' });
    const secret = await makeDocument(ada.client, 'hush', { ...PRIVATE, org: 'guild' });
    const list = await ada.visitor.get('/organizations/guild');
    assert.deepEqual(listed(list.text), ['guild/hush', 'guild/newer', 'guild/old']);
    for (const name of ['old', 'hush']) {
      const form = formWith(await ada.visitor.get(`/read/guild/${name}`), 'Pin to the top');
      assert.equal(
        toastOf(await submit(ada.visitor, form.action, form.fields)),
        'Pinned to the top of guild’s documents.',
      );
    }
    const seen = async (who: Person) =>
      listed((await who.visitor.get('/organizations/guild')).text);
    assert.deepEqual(await seen(ada), ['guild/hush', 'guild/old', 'guild/newer']);
    assert.deepEqual(await seen(grace), ['guild/old', 'guild/newer']);
    const menu = (await grace.visitor.get('/organizations/guild')).text;
    assert.doesNotMatch(menu, /Pin to the top|Unpin/);
    const profile = (await newVisitor(service).get('/guild')).text;
    assert.match(profile, />Pinned<.*guild\/old.*public documents/s);
    assert.doesNotMatch(profile, /hush/);
    assert.doesNotMatch((await newVisitor(service).get('/ada')).text, />Pinned</);
    for (const path of [old, secret]) await collaborate(ada.client, path, grace.client, 'admin');
    assert.equal((await grace.visitor.post('/pin/guild/old', { pinned: 'no' })).status, 303);
    assert.deepEqual(await seen(grace), ['guild/hush', 'guild/old', 'guild/newer']);
    const unpinned = await submit(ada.visitor, '/pin/guild/old', { pinned: 'no' });
    assert.equal(toastOf(unpinned), 'Unpinned from the top.');
    assert.deepEqual(await seen(ada), ['guild/hush', 'guild/newer', 'guild/old']);
    await undo(ada.visitor, unpinned);
    assert.deepEqual(await seen(ada), ['guild/old', 'guild/hush', 'guild/newer']);
  });

  it('lists and search are filtered by kind, owner, visibility and label, and sorted by title', async () => {
    const where = { org: 'guild', visibility: 'internal', content: '# Apple\n\nquagga' } as const;
    const path = await makeDocument(ada.client, 'stripes', where);
    await makeDocument(ada.client, 'quagga', { ...PRIVATE, content: '# Zebra\n\nquagga' });
    await expectStatus(ada.client.put(`${path}/labels`, { labels: ['Animals'] }), 200);
    const get = async (address: string) => listed((await ada.visitor.get(address)).text);
    assert.deepEqual(await get('/?q=quagga&sort=title'), ['ada/quagga']);
    assert.deepEqual(await get('/organizations/guild?label=animals'), ['guild/stripes']);
    assert.deepEqual(await get('/?owner=guild&visibility=internal'), ['guild/stripes']);
    assert.deepEqual(await get('/?owner=guild&label=animals&kind=page'), []);
    assert.equal((await get('/?sort=title')).at(-1), 'ada/quagga');
    for (const [query, expected] of [
      ['', ['ada/quagga', 'guild/stripes']],
      ['&owner=guild', ['guild/stripes']],
      ['&label=ANIMALS', ['guild/stripes']],
      ['&visibility=private', ['ada/quagga']],
      ['&kind=page', []],
    ] as const) {
      let found: string[] = [];
      // New text takes a moment.
      for (let attempt = 0; attempt < 50; attempt += 1) {
        found = await get(`/search?q=quagga${query}`);
        if (found.length === expected.length) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.deepEqual(found.sort(), expected, query);
    }
    assert.deepEqual(await get('/search?q=quagga'), ['ada/quagga', 'guild/stripes']);
    assert.deepEqual(await get('/search?q=quagga&sort=title'), ['guild/stripes', 'ada/quagga']);
  });
});
