import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import {
  newVisitor,
  PASSWORD,
  signIn,
  startWithVisitors,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const PATH = '/settings/account';

describe('Deleting your account', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());

  const remove = ({ visitor }: Person, confirmation: string, password = PASSWORD) =>
    visitor.post(`${PATH}/delete`, { confirmation, password });

  it('lists how much will be deleted, without zeros', async () => {
    const ada = await makePerson(service, 'ada');
    for (const name of ['one', 'two', 'thrown']) {
      await ada.client.post('/user/briefs', { name, content: `# ${name}` });
    }
    await ada.client.post('/user/pages', { html: '<!doctype html><title>Dice</title>' });
    assert.equal((await ada.client.delete('/briefs/ada/thrown')).status, 204);
    const { text } = await ada.visitor.get(PATH);
    const says = [
      'deletes 2 briefs',
      'deletes 1 page',
      'deletes 1 document in the trash',
      'revokes 1 token',
    ];
    for (const sentence of says) assert.ok(text.includes(`<li>${sentence}</li>`), sentence);
    assert.match(text, /reserves the username ada for 90 days</);
    assert.doesNotMatch(text, /<li>[a-z]+ 0 |uploaded files?</);
  });

  it('needs username and password, and shows errors beside the fields', async () => {
    const bob = await makePerson(service, 'bob');
    for (const [confirmation, password, field] of [
      ['', PASSWORD, 'confirmation'],
      ['bo', PASSWORD, 'confirmation'],
      ['bob', 'not the password', 'password'],
      ['bob', '', 'password'],
    ] as const) {
      const { status, text } = await remove(bob, confirmation, password);
      assert.equal(status, 422, field);
      assert.match(text, new RegExp(`id="${field}-fault"`));
    }
    assert.equal(await whoIs(bob.visitor), 'bob');
    assert.equal((await bob.client.get('/user')).status, 200);
  });

  it('signs out everywhere, ends tokens, frees the name; the front page says so once', async () => {
    const carol = await makePerson(service, 'carol');
    await carol.client.post('/user/briefs', { name: 'public', content: '# Public' });
    const elsewhere = newVisitor(service);
    await signIn(elsewhere, 'carol');
    const { status, headers } = await remove(carol, ' Carol ');
    assert.deepEqual([status, headers.get('location')], [303, '/']);
    const front = await carol.visitor.get('/');
    assert.match(front.text, /Your account was deleted/);
    assert.match(front.text, /Sign in/);
    assert.doesNotMatch((await carol.visitor.get('/')).text, /Your account was deleted/);
    assert.equal(await whoIs(carol.visitor), undefined);
    assert.equal(await whoIs(elsewhere), undefined);
    assert.equal((await carol.client.get('/user')).status, 401);
    assert.equal((await newVisitor(service).get('/carol/public')).status, 404);
    assert.equal((await signIn(newVisitor(service), 'carol')).status, 422);
    await makePerson(service, 'carol');
  });

  it('is refused for the last admin of an organization, with a link to it', async () => {
    const dora = await makePerson(service, 'dora');
    const eve = await makePerson(service, 'eve');
    await dora.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    const { text } = await dora.visitor.get(PATH);
    assert.match(text, /<a href="\/organizations\/engines\/members">engines<\/a>/);
    assert.doesNotMatch(text, /action="\/settings\/account\/delete"/);
    const refused = await remove(dora, 'dora');
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert">This account is the only admin of engines/);
    assert.equal(await whoIs(dora.visitor), 'dora');

    await dora.client.put('/orgs/engines/members/eve', { role: 'admin' });
    await eve.client.patch('/user/memberships/orgs/engines', { state: 'active' });
    assert.match((await dora.visitor.get(PATH)).text, /<li>removes you from 1 organization<\/li>/);
    assert.equal((await remove(dora, 'dora')).status, 303);
    assert.equal((await eve.client.get('/orgs/engines/members')).data.length, 1);
  });

  it('no URL or forged cookie makes the front page confirm a deletion', async () => {
    const visitor = newVisitor(service);
    visitor.cookies.set('briefs-farewell', 'constructor');
    const { text } = await visitor.get('/?done=deleted');
    assert.doesNotMatch(text, /class="done"/);
  });
});
