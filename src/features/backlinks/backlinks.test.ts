import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { startService } from '../../../test/harness.ts';
import { assertFailed, connect } from '../../../test/mcp/agent.ts';
import { expectStatus, makeOrganization } from '../../../test/rest/scenario.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

describe('What links to a document', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];

  async function make(name: string, content: string, more: object = {}, who = ada): Promise<void> {
    const body = { name, content, visibility: 'public', ...more };
    await expectStatus(who.client.post('/user/briefs', body), 201);
  }

  async function linksTo(path: string, who = ada): Promise<string[]> {
    await everythingIndexed(service.app.context);
    const { data } = await expectStatus(who.client.get(`${path}/backlinks`), 200);
    return data.map(({ name }: { name: string }) => name).sort();
  }

  it('is every form of link, and nothing that isn’t one', async () => {
    await make('hub', '# Hub');
    const web = service.webUrl;
    const forms = [
      '[[Hub]]',
      '[[hub#part|x]]',
      '[x](hub.md)',
      '[x](./Hub.md#y)',
      `[x](${web}/ada/hub)`,
      '[x](/read/ada/hub)',
      '[x][1]\n\n[1]: hub.md',
      '<a href="hub.md">x</a>',
      '| a |\n|---|\n| [[hub\\|x]] |',
    ];
    for (const [index, form] of forms.entries()) await make(`f-${index}`, form);
    const others = [
      '`[[hub]]`',
      '![x](hub.md)',
      '[x](sub/hub.md)',
      'hub.md',
      '[x](other.md)',
      '[[grace/hub]]',
    ];
    for (const [index, form] of others.entries()) await make(`o-${index}`, form);
    await make('hers', '[[ada/hub]] [x](../ada/hub.md)', {}, grace);
    await make('not-hers', '[[hub]]', {}, grace);
    await make('self', '[[self]]');
    assert.deepEqual(await linksTo('/briefs/ada/hub'), [
      ...forms.map((_, index) => `f-${index}`),
      'hers',
    ]);
    assert.deepEqual(await linksTo('/briefs/ada/self'), []);
    await ada.client.post('/user/pages', {
      name: 'from-page',
      html: `<a href="${web}/ada/hub">x</a>`,
    });
    assert.ok((await linksTo('/briefs/ada/hub')).includes('from-page'));
  });

  it('is only what one can read, also on the screen', async () => {
    await make('goal', '# Goal');
    await make('shown', '# Shown\n\n[[goal]]');
    await make('hidden', '# Hidden\n\n[[goal]]', { visibility: 'private' });
    assert.deepEqual(await linksTo('/briefs/ada/goal'), ['hidden', 'shown']);
    assert.deepEqual(await linksTo('/briefs/ada/goal', grace), ['shown']);
    const screen = async ({ visitor }: Person) => (await visitor.get('/read/ada/goal')).text;
    assert.match(await screen(ada), /Linked from.*Hidden/s);
    const hers = await screen(grace);
    assert.match(
      hers,
      /Linked from<\/h2><ul><li><a href="\/read\/ada\/shown" title="ada\/shown">Shown</,
    );
    assert.ok(!hers.includes('Hidden'));
    await ada.client.patch('/briefs/ada/goal', { visibility: 'private' });
    assert.equal((await grace.client.get('/briefs/ada/goal/backlinks')).status, 404);
    assert.equal((await grace.client.get('/briefs/ada/nothing/backlinks')).status, 404);
  });

  it('tells nobody what a document was called while they could not read it', async () => {
    await make('lay-offs', '# Plan', { visibility: 'private' });
    await make('own', '[[lay-offs]]');
    await make('guess', '[[ada/lay-offs]] [[ada/plan-2]]', { visibility: 'private' }, grace);
    await ada.client.patch('/briefs/ada/lay-offs', { name: 'plan-2' });
    await ada.client.patch('/briefs/ada/plan-2', { visibility: 'public' });
    await ada.client.patch('/briefs/ada/plan-2', { name: 'plan-3' });
    assert.deepEqual(await linksTo('/briefs/ada/plan-3'), ['own']);
    assert.deepEqual(await linksTo('/briefs/ada/plan-3', grace), ['guess']);
    await grace.client.patch('/briefs/grace/guess', { content: '[[ada/lay-offs]]' });
    assert.deepEqual(await linksTo('/briefs/ada/plan-3', grace), []);
    const { data } = await ada.client.put('/briefs/ada/plan-3/collaborators/grace', {
      permission: 'read',
    });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    assert.deepEqual(await linksTo('/briefs/ada/plan-3', grace), ['guess', 'own']);
  });

  it('is a view of read_document, for agents', async () => {
    await make('asked', '# Asked');
    await make('asks', '# “Asks”\n\n[[asked]]');
    await make('asks-too', '[[asked]]', { visibility: 'private' });
    await everythingIndexed(service.app.context);
    const agentOf = (person: Person) => connect(service, person.client.token);
    const [adas, graces] = [await agentOf(ada), await agentOf(grace)];
    const asked = { name: 'ada/asked', view: 'backlinks' };
    const { text, data } = await adas.call('read_document', asked);
    assert.match(text, /^Documents that link to it: 2 of 2, page 1\./);
    assert.deepEqual([data.total, data.nextPage], [2, null]);
    assert.deepEqual(
      data.items.map(({ name, title, by }: Record<string, unknown>) => [name, title, by]).sort(),
      [
        ['ada/asks', '“Asks”', 'ada'],
        ['ada/asks-too', undefined, 'ada'],
      ],
    );
    assert.equal((await graces.call('read_document', asked)).data.total, 1);
    const second = await adas.call('read_document', { ...asked, page: 2 });
    assert.match(second.text, /^Documents that link to it: 0 of 2, page 2\./);
    const found = await adas.call('read_document', { ...asked, find: 'x' });
    assertFailed(found, 'INVALID_ARGUMENT', /find: cannot be given with the backlinks/);
    const missing = await adas.call('read_document', { name: 'ada/no', view: 'backlinks' });
    assertFailed(missing, 'NOT_FOUND');
    await Promise.all([adas.close(), graces.close()]);
  });

  it('follows changes of the text, new names, moves, deletion and return', async () => {
    await make('target', '# T');
    await make('source', '[[target]]');
    const to = '/briefs/ada/target';
    assert.deepEqual(await linksTo(to), ['source']);
    await ada.client.patch(to, { name: 'renamed' });
    assert.deepEqual(await linksTo('/briefs/ada/renamed'), ['source']);
    await ada.client.patch('/briefs/ada/source', { content: 'nothing' });
    assert.deepEqual(await linksTo('/briefs/ada/renamed'), []);
    await ada.client.patch('/briefs/ada/source', { content: '[[renamed]]', name: 'source-2' });
    assert.deepEqual(await linksTo('/briefs/ada/renamed'), ['source-2']);
    await ada.client.delete('/briefs/ada/source-2');
    assert.deepEqual(await linksTo('/briefs/ada/renamed'), []);
    const { data } = await ada.client.get('/user/trash');
    const { id } = data.find((each: { name: string }) => each.name === 'source-2');
    await expectStatus(ada.client.post(`/trash/${id}/restore`, {}), 200);
    assert.deepEqual(await linksTo('/briefs/ada/renamed'), ['source-2']);
    await makeOrganization(ada.client, 'yard');
    await expectStatus(ada.client.post('/briefs/ada/source-2/move', { owner: 'yard' }), 200);
    assert.deepEqual(
      await linksTo('/briefs/ada/renamed'),
      [],
      'its name means a brief of its new owner',
    );
  });
});
