import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Answer } from '../../../test/harness.ts';
import { newVisitor, startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { formsOf, formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';

const HOSTILE = `<img src=x onerror=alert(1)> & "Sons"`;

describe('Your invitations', async () => {
  let made = 0;

  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  await ada.visitor.post('/organizations/new', { namespace: 'engines', name: HOSTILE });

  /** Someone invited to a new brief of Ada's. */
  async function invited(permission = 'read'): Promise<{ person: Person; name: string }> {
    const person = await makePerson(service, `guest-${++made}`);
    const name = `plan-${made}`;
    await ada.client.post('/user/briefs', { name, content: '# Plan\n', visibility: 'private' });
    await ada.client.put(`/briefs/ada/${name}/collaborators/${person.username}`, { permission });
    return { person, name };
  }

  /** Someone invited to Ada's organization. */
  async function invitedToJoin(role = 'member'): Promise<Person> {
    const person = await makePerson(service, `guest-${++made}`);
    await ada.client.put(`/orgs/engines/members/${person.username}`, { role });
    return person;
  }

  const inbox = ({ visitor }: Person): Promise<Answer> => visitor.get('/invitations');

  it('need a sign-in', async () => {
    const { status, headers } = await newVisitor(service).get('/invitations');
    assert.equal(status, 303);
    assert.match(headers.get('location') ?? '', /^\/sign-in/);
  });

  it('explain the empty list', async () => {
    const person = await makePerson(service, 'lonely');
    const { text } = await inbox(person);
    assert.match(text, /No invitations/);
    assert.match(text, /tell them your username/);
  });

  it('show inviter, document, level and expiry', async () => {
    for (const [permission, words] of [
      ['read', 'read'],
      ['write', 'edit'],
      ['admin', 'manage'],
    ] as const) {
      const { person, name } = await invited(permission);
      const { text } = await inbox(person);
      const said = `<a href="/ada">ada</a> invited you to ${words} this brief.`;
      assert.ok(text.includes(said), text);
      assert.match(text, new RegExp(`ada / ${name}`));
      assert.match(text, /Expires <time/);
    }
    const { text } = await inbox(await invitedToJoin('admin'));
    assert.match(text, /invited you to join <a [^>]*>[^<]*<\/a> as an admin\./);
    assert.match(text, /&lt;img src=x onerror=alert\(1\)> &amp; "Sons"|&lt;img src=x/);
    assert.doesNotMatch(text, /<img src=x/);
  });

  it('of a disabled account aren’t shown or counted, until it is enabled again', async () => {
    const mary = await makePerson(service, 'mary');
    const guest = await makePerson(service, 'asked-by-mary');
    await mary.client.post('/user/briefs', { name: 'draft', content: 'x', visibility: 'private' });
    const path = `/briefs/mary/draft/collaborators/${guest.username}`;
    await mary.client.put(path, { permission: 'read' });
    await mary.visitor.post('/organizations/new', { namespace: 'marys', name: 'Marys' });
    await mary.client.put(`/orgs/marys/members/${guest.username}`, { role: 'member' });
    const shown = async () => (await inbox(guest)).text.match(/invited you to/g)?.length ?? 0;
    assert.equal(await shown(), 2);
    await setAccountDisabled(service.app.context, 'mary', true);
    assert.equal(await shown(), 0);
    const pending = await guest.client.get('/user/memberships?state=pending');
    assert.equal(JSON.stringify(pending.data ?? []).includes('marys'), false);
    await setAccountDisabled(service.app.context, 'mary', false);
    assert.equal(await shown(), 2);
  });

  it('to a document: accepting opens it', async () => {
    const { person, name } = await invited('write');
    const form = formWith(await inbox(person), 'Accept');
    const answer = await person.visitor.post(form.action, form.fields);
    assert.equal(answer.headers.get('location'), `/read/ada/${name}`);
    const { data } = await person.client.get(`/briefs/ada/${name}`);
    assert.equal(data.permissions.write, true);
    const next = await inbox(person);
    assert.equal(toastOf(next), 'Accepted. You can read and edit it.');
    assert.match(next.text, /No invitations/);
  });

  it('to a page: accepting opens it', async () => {
    const person = await makePerson(service, 'player');
    const page = {
      name: 'dice',
      html: '<!doctype html><title>Dice</title>',
      visibility: 'private',
    };
    await ada.client.post('/user/pages', page);
    await ada.client.put('/pages/ada/dice/collaborators/player', { permission: 'read' });
    const page1 = await inbox(person);
    assert.match(page1.text, /invited you to read this page\./);
    const form = formWith(page1, 'Accept');
    const answer = await person.visitor.post(form.action, form.fields);
    assert.equal(answer.headers.get('location'), '/read/ada/pages/dice');
  });

  it('are also at the document’s URL, only for the invited user', async () => {
    const { person, name } = await invited('write');
    const stranger = await makePerson(service, `guest-${++made}`);
    const path = `/read/ada/${name}`;
    const page = await person.visitor.get(path);
    assert.equal(page.status, 404, 'there is nothing to read yet');
    assert.match(page.text, /invited you to edit this brief/);
    formWith(page, 'Decline');
    const missing = await stranger.visitor.get(path);
    assert.equal(missing.status, 404);
    assert.doesNotMatch(missing.text, /invited/);
    for (const act of ['edit', 'history', 'rename', 'delete', 'raw', 'share']) {
      const { status, text } = await person.visitor.get(`/${act}/ada/${name}`);
      assert.equal(status, 404, act);
      assert.match(text, /invited you to edit this brief/, act);
    }
    const { action, fields } = formWith(page, 'Accept');
    const read = await submit(person.visitor, action, fields);
    assert.match(read.text, /<h1[^>]*>Plan/);

    const { name: other, person: second } = await invited();
    const html = '<!doctype html><title>Dice</title>';
    await ada.client.post('/user/pages', { name: other, html, visibility: 'private' });
    const invite = { permission: 'read' };
    const collaborator = `/pages/ada/${other}/collaborators/${second.username}`;
    await ada.client.put(collaborator, invite);
    // The link in a page's share dialog is its web address.
    const shared = await second.visitor.get(`/ada/pages/${other}`);
    assert.equal(shared.headers.get('location'), `/read/ada/pages/${other}`);
    const invitation = await second.visitor.get(`/read/ada/pages/${other}`);
    const accept = formWith(invitation, 'Accept');
    const answer = await second.visitor.post(accept.action, accept.fields);
    assert.equal(answer.headers.get('location'), `/read/ada/pages/${other}`);
    assert.equal((await second.visitor.get(`/read/ada/${other}`)).status, 404, 'the brief waits');
    for (const address of [`/ada/pages/${other}`, `/read/ada/pages/${other}`]) {
      const { text, status } = await stranger.visitor.get(address);
      assert.equal(status, 404);
      assert.doesNotMatch(text, /invited/);
    }
  });

  it('to a document: declining ends it', async () => {
    const { person, name } = await invited();
    const form = formWith(await inbox(person), 'Decline');
    const page = await submit(person.visitor, form.action, form.fields);
    assert.equal(toastOf(page), `Declined: ada / ${name}.`);
    assert.equal((await person.client.get(`/briefs/ada/${name}`)).status, 404);
  });

  it('to an organization: accepting opens it, declining ends it', async () => {
    const joiner = await invitedToJoin();
    const accept = formWith(await inbox(joiner), 'Accept');
    const page = await submit(joiner.visitor, accept.action, accept.fields);
    assert.match(toastOf(page), /^Accepted\. You’re now a member of &lt;img/);
    const other = await invitedToJoin();
    const decline = formWith(await inbox(other), 'Decline');
    const after = await submit(other.visitor, decline.action, decline.fields);
    assert.equal(toastOf(after), 'Declined: engines.');
    assert.equal((await other.client.get('/user/memberships/orgs/engines')).status, 404);
  });

  it('declining an accepted one doesn’t end the membership', async () => {
    const person = await invitedToJoin();
    const page = await inbox(person);
    const [accept, decline] = [formWith(page, 'Accept'), formWith(page, 'Decline')];
    await person.visitor.post(accept.action, accept.fields);
    const after = await submit(person.visitor, decline.action, decline.fields);
    assert.match(toastOf(after), /no longer pending/);
    const { data } = await person.client.get('/user/memberships/orgs/engines');
    assert.equal(data.state, 'active');
  });

  it('that no longer exist say so: answered or canceled', async () => {
    const { person, name } = await invited();
    const form = formWith(await inbox(person), 'Accept');
    const { data } = await ada.client.get(`/briefs/ada/${name}/invitations`);
    await ada.client.delete(`/briefs/ada/${name}/invitations/${data[0].id}`);
    for (const action of [form.action, form.action.replace('accept', 'decline')]) {
      const page = await submit(person.visitor, action, form.fields);
      assert.match(toastOf(page), /no longer pending\. It was accepted, declined or cancelled/);
      assert.match(page.text, /toast-fault/);
    }
    const joiner = await invitedToJoin();
    const join = formWith(await inbox(joiner), 'Accept');
    await joiner.visitor.post(join.action, join.fields);
    const twice = await submit(joiner.visitor, join.action, join.fields);
    assert.match(toastOf(twice), /no longer pending/);
  });

  it('of others can’t be answered', async () => {
    const { person, name } = await invited();
    const thief = await makePerson(service, 'thief');
    const form = formWith(await inbox(person), 'Accept');
    const page = await submit(thief.visitor, form.action, form.fields);
    assert.match(toastOf(page), /no longer pending/);
    assert.equal((await thief.client.get(`/briefs/ada/${name}`)).status, 404);
    for (const invitation of ['', 'x', '../..']) {
      const odd = await submit(thief.visitor, form.action, { invitation });
      assert.match(toastOf(odd), /no longer pending/);
    }
  });

  it('that expired are shown for 30 days, without buttons', async () => {
    const own = await startWithVisitors({ INVITATION_LIFETIME: '1d' });
    try {
      const owner = await makePerson(own, 'olga');
      const late = await makePerson(own, 'late');
      await owner.visitor.post('/organizations/new', { namespace: 'engines', name: 'Engines' });
      await owner.client.put('/orgs/engines/members/late', { role: 'member' });
      const plan = { name: 'plan', content: '# x\n', visibility: 'private' };
      await owner.client.post('/user/briefs', plan);
      const collaborator = '/briefs/olga/plan/collaborators/late';
      await owner.client.put(collaborator, { permission: 'read' });
      const fresh = formsOf(await inbox(late)).filter(({ action }) => action.endsWith('accept'));
      assert.equal(fresh.length, 2);
      own.advance(2 * DAY_MS);
      for (const { action, fields } of fresh) {
        const page = await submit(late.visitor, action, fields);
        assert.match(toastOf(page), /has expired\. Ask for a new one/);
      }
      for (const address of ['/read/olga/plan', '/organizations/engines']) {
        const there = await late.visitor.get(address);
        assert.match(there.text, /Your invitation expired.*Ask olga for a new invitation/s);
        assert.ok(!formsOf(there).some(({ action }) => action.startsWith('/invitations')));
      }
      const page = await inbox(late);
      assert.equal(page.text.match(/Expired <time/g)?.length, 2);
      assert.match(page.text, /Ask olga for a new invitation/);
      assert.match(page.text, /No invitations/);
      assert.ok(!formsOf(page).some(({ action }) => action.startsWith('/invitations')));
      own.advance(30 * DAY_MS);
      assert.doesNotMatch((await inbox(late)).text, /Expired <time/);
    } finally {
      await own.stop();
    }
  });
});
