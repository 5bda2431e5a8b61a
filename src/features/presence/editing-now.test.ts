import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Answer, type Service, startService } from '../../../test/harness.ts';
import { newVisitor, PASSWORD, signIn, type Visitor } from '../../../test/sign-in/visitor.ts';
import { databaseState } from '../../../test/state.ts';
import { submit } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const JSON_ONLY = { accept: 'application/json' };

describe('Current editors of a document', () => {
  let service: Service;
  let people: Record<'ada' | 'grace' | 'alan' | 'edsger', Person>;

  before(async () => {
    service = await startService();
    const [ada, grace, alan, edsger] = await Promise.all(
      ['ada', 'grace', 'alan', 'edsger'].map((name) => makePerson(service, name)),
    );
    people = { ada, grace, alan, edsger } as typeof people;
  });
  after(() => service.stop());

  /** Creates a document that grace can edit and alan can read. */
  async function make(kind: 'brief' | 'page', name: string): Promise<string> {
    const { ada, grace, alan } = people;
    const content = kind === 'brief' ? { content: '# Plan' } : { html: '<h1>Plan</h1>' };
    const made = await ada.client.post(`/user/${kind}s`, {
      name,
      visibility: 'private',
      ...content,
    });
    assert.equal(made.status, 201, made.text);
    for (const [person, permission] of [
      [grace, 'write'],
      [alan, 'read'],
    ] as const) {
      const path = `/${kind}s/ada/${name}/collaborators/${person.username}`;
      const { data } = await ada.client.put(path, { permission });
      await person.client.patch(`/user/brief_invitations/${data.id}`);
    }
    return kind === 'brief' ? `ada/${name}` : `ada/pages/${name}`;
  }

  const begin = (visitor: Visitor, at: string, fields = {}) =>
    visitor.post(`/editing/${at}`, { act: 'begin', ...fields }, JSON_ONLY);
  const end = (visitor: Visitor, at: string) => visitor.post(`/editing/${at}`, { act: 'end' });
  const ask = (visitor: Visitor, at: string) => visitor.get(`/editing/${at}`, JSON_ONLY);

  /** The response's text without markup. */
  function words({ status, text, json }: Answer): string {
    assert.equal(status, 200, text);
    return json.html.replace(/<[^>]*>/g, '');
  }

  for (const kind of ['brief', 'page'] as const) {
    it(`a ${kind}’s editors see each other, and so do readers who can edit it`, async () => {
      const { ada, grace } = people;
      const at = await make(kind, 'plan');
      assert.equal(words(await begin(ada.visitor, at)), '');
      const answer = await begin(grace.visitor, at);
      assert.equal(words(answer), 'ada is editing too');
      assert.match(answer.json.html, /src="\/images\/ada\/picture"/);
      assert.equal(words(await begin(ada.visitor, at)), 'grace is editing too');
      assert.equal(words(await ask(ada.visitor, at)), 'grace is editing now');
      assert.match((await ada.visitor.get(`/read/${at}`)).text, /grace is editing now/);
      assert.equal((await end(grace.visitor, at)).status, 204);
      assert.equal(words(await begin(ada.visitor, at)), '');
      assert.doesNotMatch((await ada.visitor.get(`/read/${at}`)).text, /is editing now/);
    });

    it(`people who can’t edit a ${kind} see no one`, async () => {
      const { ada, alan, edsger } = people;
      const at = await make(kind, 'guarded');
      await begin(ada.visitor, at);
      const read = await alan.visitor.get(`/read/${at}`);
      assert.equal(read.status, 200);
      assert.doesNotMatch(read.text, /editing-now|is editing/);
      for (const send of [ask, begin, end]) {
        assert.equal((await send(alan.visitor, at)).status, 403);
        const [hidden, missing] = [
          await send(edsger.visitor, at),
          await send(edsger.visitor, `${at}-not`),
        ];
        assert.equal(hidden.status, 404);
        assert.equal(
          hidden.text.replaceAll('guarded', ''),
          missing.text.replaceAll(/guarded-not/g, ''),
        );
      }
      assert.equal(words(await ask(ada.visitor, at)), '');
    });
  }

  it('expire a minute after the last request', async () => {
    const { ada, grace } = people;
    const at = await make('brief', 'silent');
    await begin(ada.visitor, at);
    service.advance(59_000);
    assert.equal(words(await ask(grace.visitor, at)), 'ada is editing now');
    service.advance(2_000);
    assert.equal(words(await ask(grace.visitor, at)), '');
    await begin(ada.visitor, at);
    assert.equal(words(await ask(grace.visitor, at)), 'ada is editing now');
  });

  it('disappear when the permission is lost, and after signing out', async () => {
    const { ada, grace } = people;
    const at = await make('brief', 'lost');
    const elsewhere = await signInAs('grace');
    await begin(grace.visitor, at);
    await begin(elsewhere, at);
    assert.equal(words(await ask(ada.visitor, at)), 'grace is editing now');
    await elsewhere.post('/sign-out');
    await end(grace.visitor, at);
    assert.equal(words(await ask(ada.visitor, at)), '');
    await begin(grace.visitor, at);
    await ada.client.put('/briefs/ada/lost/collaborators/grace', { permission: 'read' });
    assert.equal(words(await ask(ada.visitor, at)), '');
    assert.equal((await begin(grace.visitor, at)).status, 403);
  });

  it('disappear when the account is deleted', async () => {
    const { ada } = people;
    const at = await make('brief', 'orphaned');
    const barbara = await makePerson(service, 'barbara');
    const { data } = await ada.client.put('/briefs/ada/orphaned/collaborators/barbara', {
      permission: 'write',
    });
    await barbara.client.patch(`/user/brief_invitations/${data.id}`);
    await begin(barbara.visitor, at);
    assert.equal(words(await ask(ada.visitor, at)), 'barbara is editing now');
    const confirmation = { confirmation: 'barbara', password: PASSWORD };
    await submit(barbara.visitor, '/settings/account/delete', confirmation);
    assert.equal(words(await ask(ada.visitor, at)), '');
  });

  it('shows two names, then a number', async () => {
    const { ada, grace, alan, edsger } = people;
    const at = await make('brief', 'crowded');
    for (const person of [alan, edsger]) {
      const path = `/briefs/ada/crowded/collaborators/${person.username}`;
      const answer = await ada.client.put(path, { permission: 'write' });
      if (answer.status !== 201) continue;
      await person.client.patch(`/user/brief_invitations/${answer.data.id}`);
    }
    await begin(grace.visitor, at);
    await begin(alan.visitor, at);
    assert.equal(words(await begin(ada.visitor, at)), 'alan and grace are editing too');
    await begin(edsger.visitor, at);
    assert.equal(words(await begin(ada.visitor, at)), 'alan and 2 others are editing too');
  });

  it('doesn’t change the document, and writes once in ten seconds', async () => {
    const { ada, grace } = people;
    const at = await make('brief', 'still');
    const read = () => ada.client.get('/briefs/ada/still');
    const before = await read();
    const state = await databaseState(service.app.context);
    await begin(grace.visitor, at);
    const after = await read();
    assert.equal(after.text, before.text);
    assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    const { editing, ...others } = await databaseState(service.app.context);
    const { editing: _, ...othersBefore } = state;
    assert.deepEqual(others, othersBefore);
    service.advance(9_000);
    await begin(grace.visitor, at);
    assert.deepEqual((await databaseState(service.app.context)).editing, editing);
    service.advance(2_000);
    await begin(grace.visitor, at);
    assert.notDeepEqual((await databaseState(service.app.context)).editing, editing);
  });

  it('refuses a browser in which someone else has signed in', async () => {
    const at = await make('brief', 'swapped');
    const answer = await begin(people.grace.visitor, at, { account: 'another' });
    assert.equal(answer.status, 403);
    assert.equal(words(await ask(people.ada.visitor, at)), '');
  });

  async function signInAs(username: string): Promise<Visitor> {
    const visitor = newVisitor(service);
    const answer = await signIn(visitor, username);
    assert.equal(answer.status, 303, answer.text);
    return visitor;
  }
});
