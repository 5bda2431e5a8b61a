import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import type { Service } from '../../../test/harness.ts';
import { newVisitor, startWithVisitors, type Visitor } from '../../../test/sign-in/visitor.ts';
import { formsOf, formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { insertCollaborator } from '../../core/document/collaborator-store.ts';
import { createAccount } from '../../core/identity/account-service.ts';

describe('Sharing', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let bob: Person;

  before(async () => {
    service = await startWithVisitors();
    ada = await makePerson(service, 'ada');
    grace = await makePerson(service, 'grace');
    bob = await makePerson(service, 'bob');
    await ada.visitor.post('/organizations/new', { namespace: 'engines', name: 'Engines & Co' });
  });
  after(() => service.stop());

  let made = 0;

  /** A new brief of Ada's, and the address of its Share screen. */
  async function newBrief(visibility = 'private', owner = 'user'): Promise<string> {
    const name = `plan-${++made}`;
    const path = owner === 'user' ? '/user/briefs' : `/orgs/${owner}/briefs`;
    const answer = await ada.client.post(path, { name, content: '# Plan\n', visibility });
    assert.equal(answer.status, 201, answer.text);
    return `/share/${owner === 'user' ? 'ada' : owner}/${name}`;
  }

  async function accept(visitor: Visitor): Promise<void> {
    const form = formsOf(await visitor.get('/invitations')).find(({ action }) =>
      action.endsWith('documents/accept'),
    );
    assert.ok(form);
    await visitor.post(form.action, form.fields);
  }

  /** A new brief on which someone has a level. */
  async function sharedWith(person: Person, permission: string, visibility?: string) {
    const path = await newBrief(visibility);
    await ada.visitor.post(`${path}/people`, { username: person.username, permission });
    await accept(person.visitor);
    return path;
  }

  it('sends signed-out visitors to sign in, and back', async () => {
    const path = await newBrief();
    const { status, headers } = await newVisitor(service).get(path);
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/sign-in?next=${encodeURIComponent(path)}`);
  });

  it('responds to strangers as if the document didn’t exist', async () => {
    const path = await newBrief();
    const missing = '/share/ada/none';
    for (const at of [path, missing]) {
      assert.equal((await grace.visitor.get(at)).status, 404);
      const invite = { username: 'bob', permission: 'admin' };
      assert.equal((await grace.visitor.post(`${at}/people`, invite)).status, 404);
      for (const [act, fields] of [
        ['visibility', { visibility: 'public', from: 'private' }],
        ['people/level', { username: 'grace', permission: 'admin' }],
        ['people/remove', { username: 'ada' }],
        ['invitations/level', { invitation: '0', permission: 'admin' }],
        ['invitations/cancel', { invitation: '0' }],
      ] as const) {
        const answer = await grace.visitor.post(`${at}/${act}`, fields);
        assert.equal(answer.status, 303, act);
        await grace.visitor.get('/invitations');
      }
    }
    const { data } = await ada.client.get(path.replace('/share', '/briefs'));
    assert.equal(data.visibility, 'private');
    const invited = await ada.client.get(`${path.replace('/share', '/briefs')}/invitations`);
    assert.deepEqual(invited.data, []);
  });

  it('asks before a change that ends what a collaborator invited others to', async () => {
    const path = await sharedWith(grace, 'admin');
    const api = path.replace('/share', '/briefs');
    const link = { access: 'read', note: 'For the <printer>' };
    const offer = async () => {
      await grace.client.put(`${api}/collaborators/bob`, { permission: 'write' });
      await grace.client.post(`${api}/links`, link);
    };
    const offers = async () => {
      const [invitations, links] = [`${api}/invitations`, `${api}/links`];
      const answers = [await ada.client.get(invitations), await ada.client.get(links)];
      return answers.map(({ data }) => data.length);
    };
    const name = path.slice('/share/'.length);
    await offer();
    const lower = { username: 'grace', permission: 'write', from: 'admin' };
    for (const [act, fields] of [
      ['people', { username: 'grace', permission: 'write' }],
      ['people/level', lower],
      ['people/remove', { username: 'grace', permission: 'admin' }],
    ] as const) {
      const asked = await ada.visitor.post(`${path}/${act}`, fields);
      assert.equal(asked.status, 200, act);
      assert.match(asked.text, /1 pending invitation and 1 secret link by grace end with it:/);
      assert.ok(asked.text.includes(`<li>bob, invited to ${name} (can edit)</li>`), asked.text);
      assert.ok(asked.text.includes(`<li>Secret link to ${name}: For the &lt;printer></li>`));
      assert.deepEqual(await offers(), [1, 1], 'nothing has changed yet');
    }
    const asked = await ada.visitor.post(`${path}/people/level`, lower);
    const confirm = formWith(asked, 'Change level');
    const page = await submit(ada.visitor, confirm.action, confirm.fields);
    assert.equal(toastOf(page), 'grace: can edit.');
    assert.deepEqual(await offers(), [0, 0]);
    const raised = await undo(ada.visitor, page);
    assert.equal(toastOf(raised), 'grace: full access.');
    await offer();
    const own = await grace.visitor.post(`${path}/people/level`, lower);
    assert.match(own.text, /1 pending invitation and 1 secret link that you made end with it:/);
    const leaving = await grace.visitor.get(`${path}/leave`);
    assert.match(leaving.text, /1 secret link that you made end with it:/);
    const removing = await ada.visitor.post(`${path}/people/remove`, lower);
    const remove = formWith(removing, 'Remove');
    const removed = await submit(ada.visitor, remove.action, remove.fields);
    assert.equal(toastOf(removed), 'Removed grace.');
    assert.deepEqual(await offers(), [0, 0]);
  });

  it('names who created each secret link', async () => {
    const path = await sharedWith(grace, 'admin');
    await grace.client.post(`${path.replace('/share', '/briefs')}/links`, { access: 'read' });
    const { text } = await ada.visitor.get(path);
    assert.match(text.replace(/<[^>]*>/g, ''), /Created by grace/);
  });

  it('keeps its message for the page that it is for, whatever is brought up to date meanwhile', async () => {
    const path = await newBrief();
    const answer = await ada.visitor.post(`${path}/people`, {
      username: 'grace',
      permission: 'write',
    });
    assert.equal(answer.status, 303);
    const other = await ada.visitor.get(path, { 'x-page-update': '1' });
    assert.equal(toastOf(other), '');
    assert.match(toastOf(await ada.visitor.get(path)), /^Invited grace\./);
    assert.equal(toastOf(await ada.visitor.get(path)), '');
  });

  it('invites by username and level, and undoes it', async () => {
    const path = await newBrief();
    const page = await submit(ada.visitor, `${path}/people`, {
      username: ' Grace ',
      permission: 'write',
    });
    assert.match(toastOf(page), /^Invited grace\. The invitation expires on \d+ \w+ \d{4}\.$/);
    assert.match(page.text, /Level of grace, invited/);
    const next = page.text.slice(page.text.indexOf('id="share-permission"'));
    assert.match(next, /^[^/]*>[^/]*<\/option><option value="write" selected>/);
    const after = await undo(ada.visitor, page);
    assert.equal(toastOf(after), 'Invitation for grace cancelled.');
    assert.doesNotMatch(after.text, /, invited/);
    const again = await undo(ada.visitor, after);
    assert.match(again.text, /<option value="write" selected>/);
  });

  it('shows errors of an invitation beside the field, and keeps the input', async () => {
    const path = await newBrief();
    await ada.visitor.post(`${path}/people`, { username: 'grace', permission: 'read' });
    for (const [username, fault] of [
      ['nobody-here', /No user “/],
      ['engines', /“engines” is an organization\. Move the brief to it, or invite its members/],
      ['ada', /“ada” owns this brief/],
      ['grace', /“grace” already has a pending invitation/],
      ['"><script>alert(1)</script>', /No user “/],
    ] as const) {
      const { status, text } = await ada.visitor.post(`${path}/people`, {
        username,
        permission: 'write',
      });
      assert.equal(status, 422);
      assert.match(/<p class="fault" id="share-fault">(.*?)<\/p>/.exec(text)?.[1] ?? '', fault);
      assert.match(text, /aria-invalid="true"/);
      assert.doesNotMatch(text, /<script>alert/);
      const form = text.slice(text.indexOf('class="invite-form"'));
      assert.match(form.slice(0, form.indexOf('</form>')), /value="write" selected/);
    }
    const odd = await ada.visitor.post(`${path}/people`, { username: 'bob', permission: 'owner' });
    assert.equal(odd.status, 422);
    assert.match(odd.text, /Choose one of read, write, admin/);
  });

  it('inviting a collaborator changes their level', async () => {
    const path = await sharedWith(grace, 'read');
    const fields = { username: 'grace', permission: 'admin' };
    const page = await submit(ada.visitor, `${path}/people`, fields);
    assert.match(toastOf(page), /grace already had access, which is now: full access/);
  });

  it('changes levels and undoes it', async () => {
    const path = await sharedWith(grace, 'read');
    const menu = formWith(await ada.visitor.get(path), 'Save', { username: 'grace' });
    const page = await submit(ada.visitor, menu.action, { ...menu.fields, permission: 'admin' });
    assert.equal(toastOf(page), 'grace: full access.');
    const after = await undo(ada.visitor, page);
    assert.equal(toastOf(after), 'grace: can read.');
    assert.equal(formWith(after, 'Save', { username: 'grace' }).fields.from, 'read');
  });

  it('removes a collaborator and invites them again', async () => {
    const path = await sharedWith(grace, 'write');
    const form = formWith(await ada.visitor.get(path), 'Remove');
    const page = await submit(ada.visitor, form.action, form.fields);
    assert.match(toastOf(page), /^Removed grace/);
    assert.equal((await grace.visitor.get(path)).status, 404);
    const after = await undo(ada.visitor, page);
    assert.match(toastOf(after), /^Invited grace/);
    assert.match(after.text, /value="write" selected/);
    const late = await submit(ada.visitor, form.action, form.fields);
    assert.match(toastOf(late), /is not a collaborator/);
  });

  it('the menu of a removed collaborator says that it invites', async () => {
    const path = await sharedWith(grace, 'write');
    const menu = formWith(await ada.visitor.get(path), 'Save', { username: 'grace' });
    await ada.visitor.post(`${path}/people/remove`, { username: 'grace' });
    const page = await submit(ada.visitor, menu.action, { ...menu.fields, permission: 'read' });
    assert.match(toastOf(page), /grace no longer had access, so we sent a new invitation/);
  });

  it('changes an invitation’s level, cancels it, and shows when it is answered', async () => {
    const path = await newBrief();
    await ada.visitor.post(`${path}/people`, { username: 'grace', permission: 'read' });
    const page = await ada.visitor.get(path);
    const menu = formWith(page, 'Save', { username: 'grace' });
    const changed = await submit(ada.visitor, menu.action, { ...menu.fields, permission: 'write' });
    assert.match(toastOf(changed), /Invitation for grace changed to: can edit/);
    const back = await undo(ada.visitor, changed);
    assert.match(toastOf(back), /Invitation for grace changed to: can read/);
    await accept(grace.visitor);
    const gone = /no longer pending/;
    assert.match(toastOf(await submit(ada.visitor, menu.action, menu.fields)), /choose one|Choose/);
    const late = await submit(ada.visitor, menu.action, { ...menu.fields, permission: 'admin' });
    assert.match(toastOf(late), gone);
    const cancel = formWith(page, 'Cancel');
    assert.match(toastOf(await submit(ada.visitor, cancel.action, cancel.fields)), gone);
  });

  it('flags expired invitations and invites again', async () => {
    const own = await startWithVisitors({ INVITATION_LIFETIME: '1d' });
    try {
      const owner = await makePerson(own, 'olga');
      await makePerson(own, 'late');
      await owner.client.post('/user/briefs', { name: 'plan', content: '# Plan\n' });
      const path = '/share/olga/plan';
      await owner.visitor.post(`${path}/people`, { username: 'late', permission: 'write' });
      own.advance(2 * DAY_MS);
      const page = await owner.visitor.get(path);
      assert.match(page.text, /Expired <time/);
      const again = formWith(page, 'Invite again');
      const after = await submit(owner.visitor, again.action, again.fields);
      assert.match(toastOf(after), /^Invited late/);
      assert.doesNotMatch(after.text, /Expired <time/);
      own.advance(2 * DAY_MS);
      const cancel = formWith(await owner.visitor.get(path), 'Cancel');
      const cancelled = await submit(owner.visitor, cancel.action, cancel.fields);
      assert.match(toastOf(cancelled), /cancelled/);
      assert.ok(!formsOf(cancelled).some(({ buttons }) => buttons.includes('Undo')));
    } finally {
      await own.stop();
    }
  });

  it('changes the visibility, says what follows, and undoes it', async () => {
    const path = await newBrief();
    const choose = async (fields: Record<string, string>) => {
      const form = formWith(await ada.visitor.get(path), 'Change visibility');
      return submit(ada.visitor, form.action, { ...form.fields, ...fields });
    };
    const page = await choose({ visibility: 'public' });
    assert.equal(toastOf(page), 'Public. Anyone on the web can read this.');
    assert.match(page.text, new RegExp(`value="${service.webUrl}${path.replace('/share', '')}"`));
    const after = await undo(ada.visitor, page);
    assert.equal(toastOf(after), 'Private. Only ada and invited people can read this.');
    assert.match(after.text, /Only ada and the people below can read this\./);
    assert.match(after.text, new RegExp(`value="${service.webUrl}/read/`));
    assert.doesNotMatch(after.text, /value="internal"/);
    const refused = await choose({ visibility: 'internal' });
    assert.match(toastOf(refused), /Only an organization’s documents can be internal/);
  });

  it('makes nothing public that was written since the screen was opened', async () => {
    const path = await newBrief();
    const name = path.replace('/share', '');
    const aged = formWith(await ada.visitor.get(`${path}?revision=1`), 'Change visibility');
    await ada.client.patch(`/briefs${name}`, { content: 'Written since.\n' });
    const publish = { ...aged.fields, visibility: 'public' };
    const changed = await ada.visitor.post(aged.action, publish);
    assert.equal(changed.status, 409);
    assert.match(
      changed.text,
      /The text has changed since revision 1, which you have seen\. So nothing was done/,
    );
    assert.match(changed.text, /Written since/);
    assert.equal((await ada.client.get(`/briefs${name}`)).data.visibility, 'private');
    const again = formsOf(changed).find(({ action }) => action === aged.action);
    await submit(ada.visitor, aged.action, again?.fields);
    assert.equal((await ada.client.get(`/briefs${name}`)).data.visibility, 'public');
  });

  it('in an organization, describes its members’ access', async () => {
    const path = await newBrief('internal', 'engines');
    const { text } = await ada.visitor.get(path);
    assert.match(text, /Members of Engines &amp; Co can read this\./);
    assert.match(text, /Only admins of Engines &amp; Co and the people below can read this\./);
    const settings = { creation: 'yes', default: 'write' };
    await ada.visitor.post('/organizations/engines/settings', settings);
    const page = await ada.visitor.get(path);
    assert.match(page.text, /Members of Engines &amp; Co can read and edit this\./);
    await ada.visitor.post('/organizations/engines/settings', { ...settings, default: 'read' });
  });

  it('shows people who can’t share who has access, and who can change it', async () => {
    for (const level of ['read', 'write']) {
      const path = await sharedWith(grace, level);
      await ada.visitor.post(`${path}/people`, { username: 'bob', permission: 'read' });
      const { status, text } = await grace.visitor.get(path);
      assert.equal(status, 200);
      assert.match(text, /ada and people with full access can change who can read this brief/);
      assert.match(text, /grace<span class="aside"> \(you\)/);
      assert.doesNotMatch(text, /bob/);
      assert.ok(!formsOf(await grace.visitor.get(path)).some((f) => f.action.startsWith(path)));
      const invite = { username: 'bob', permission: 'read' };
      assert.equal((await grace.visitor.post(`${path}/people`, invite)).status, 403);
      const remove = await submit(grace.visitor, `${path}/people/remove`, { username: 'bob' });
      assert.match(toastOf(remove), /not share it/);
      await ada.visitor.post(`${path}/people/remove`, { username: 'grace' });
    }
  });

  it('leads people who remove their own access to Home', async () => {
    const path = await sharedWith(bob, 'admin');
    const form = formWith(await bob.visitor.get(path), 'Remove', { username: 'bob' });
    const answer = await bob.visitor.post(form.action, form.fields);
    assert.equal(answer.headers.get('location'), '/');
    const open = await sharedWith(bob, 'admin', 'public');
    const lower = { username: 'bob', permission: 'read', from: 'admin' };
    const page = await submit(bob.visitor, `${open}/people/level`, lower);
    assert.equal(toastOf(page), 'bob: can read.');
    assert.ok(!formsOf(page).some(({ buttons }) => buttons.includes('Undo')));
  });

  it('works for pages, and for a brief that is called "pages"', async () => {
    const html = '<!doctype html><title>Dice</title>';
    await ada.client.post('/user/pages', { name: 'dice', html, visibility: 'private' });
    await ada.client.post('/user/briefs', { name: 'pages', content: '# x\n' });
    for (const path of ['/share/ada/pages/dice', '/share/ada/pages']) {
      const fields = { username: 'grace', permission: 'read' };
      const page = await submit(ada.visitor, `${path}/people`, fields);
      assert.match(toastOf(page), /^Invited grace/, path);
      const cancel = formWith(page, 'Cancel');
      assert.match(toastOf(await submit(ada.visitor, cancel.action, cancel.fields)), /cancelled/);
    }
    const { text } = await ada.visitor.get('/share/ada/pages/dice');
    assert.match(text, new RegExp(`value="${service.webUrl}/ada/pages/dice"`));
  });

  it('finds documents whose names are not ASCII', async () => {
    await ada.client.post('/user/briefs', { name: 'größe-日本', content: '# x\n' });
    const path = `/share/ada/${encodeURIComponent('größe-日本')}`;
    const page = await submit(ada.visitor, `${path}/people`, {
      username: 'grace',
      permission: 'read',
    });
    assert.match(toastOf(page), /^Invited grace/);
    assert.ok(page.text.includes('title="ada/größe-日本"'));
  });

  it('has result pages of people', async () => {
    const path = await newBrief();
    const { context } = service.app;
    const { data } = await ada.client.get(path.replace('/share', '/briefs'));
    for (let number = 100; number < 205; number++) {
      const username = `reader-${number}`;
      const account = await createAccount(context, { username, email: `${username}@example.com` });
      await context.sql.transaction((tx) =>
        insertCollaborator(tx, {
          id: context.newId(),
          documentId: data.id,
          accountId: account.id,
          permission: 'read',
          addedAt: context.now(),
        }),
      );
    }
    const first = await ada.visitor.get(path);
    assert.match(first.text, /Page 1 of 2/);
    assert.match(first.text, /reader-204/);
    assert.doesNotMatch(first.text, /reader-104/);
    const second = await ada.visitor.get(`${path}?people=2`);
    assert.match(second.text, /reader-104/);
    assert.doesNotMatch(second.text, /reader-105/);
  });

  it('creates a secret link, shows it again, and ends it with another choice', async () => {
    const path = await newBrief();
    const page = await submit(ada.visitor, `${path}/visibility`, {
      visibility: 'link',
      from: 'private',
    });
    assert.equal(toastOf(page), 'Anyone with the link can read this.');
    const [link = ''] = /http[^"]*\/s\/[\w-]{32}/.exec(page.text) ?? [];
    const nobody = newVisitor(service);
    assert.match((await nobody.get(new URL(link).pathname)).text, /Plan/);
    const again = await ada.visitor.get(path);
    assert.ok(again.text.includes(`value="${link}"`));
    assert.match(again.text, /Works for anyone with the link\./);
    assert.match(again.text, /value="link" id="share-link" checked/);
    const form = { access: 'comment', ends: 'd7', note: 'For Grace' };
    const more = await submit(ada.visitor, `${path}/links`, form);
    assert.match(more.text, /For Grace.*?Can comment.*?Expires/s);
    const shown = formsOf(more).filter(({ action }) => action.endsWith('/links/revoke'));
    assert.equal(shown.length, 2);
    const revoked = shown[1] as (typeof shown)[number];
    const one = await submit(ada.visitor, revoked.action, revoked.fields);
    assert.match(toastOf(one) ?? '', /^Link revoked/);
    assert.equal((await nobody.get(new URL(link).pathname)).status, 404);
    const private_ = { visibility: 'private', from: 'link' };
    const none = await submit(ada.visitor, `${path}/visibility`, private_);
    assert.equal(toastOf(none), 'Private. Its secret links no longer work.');
    assert.match(none.text, /value="private" id="share-private" checked/);
    const readers = await sharedWith(grace, 'write');
    assert.equal((await grace.visitor.post(`${readers}/links`, form)).status, 303);
    const name = readers.slice('/share'.length);
    assert.deepEqual((await ada.client.get(`/briefs${name}/links`)).data, []);
    assert.doesNotMatch((await grace.visitor.get(readers)).text, /Secret link/);
  });

  it('shows a link only to those who can create one, and none once it has ended', async () => {
    const path = await newBrief();
    const name = path.slice('/share'.length);
    const screens = [`/read${name}`, '/', `/search?q=${path.split('/').at(-1)}`, `/edit${name}`];
    await ada.visitor.post(`${path}/visibility`, { visibility: 'link', from: 'private' });
    const { data } = await ada.client.get(`/briefs${name}/links`);
    await ada.visitor.post(`${path}/people`, { username: 'grace', permission: 'write' });
    await accept(grace.visitor);
    await everythingIndexed(service.app.context);
    for (const at of [...screens, path]) {
      assert.match((await ada.visitor.get(at)).text, /Anyone with the link/, at);
      const { text } = await grace.visitor.get(at);
      assert.match(text, /Anyone with the link/, at);
      assert.ok(!text.includes(data[0].url), at);
    }
    await ada.visitor.post(`${path}/visibility`, { visibility: 'private', from: 'link' });
    const expired = await submit(ada.visitor, `${path}/links`, { ends: 'd1' });
    assert.match(expired.text, /value="link" id="share-link" checked/);
    service.advance(2 * DAY_MS);
    for (const at of [path, screens[0] as string]) {
      const { text } = await ada.visitor.get(at);
      assert.doesNotMatch(text, /class="visibility"[^>]*>.{0,200}<span>Anyone with the link/, at);
    }
  });

  it('gives a link an end on a day, and a password', async () => {
    const path = await newBrief();
    const name = path.slice('/share'.length);
    const form = { access: 'read', ends: 'date', date: '2099-12-31', password: 'walnut pie' };
    const page = await submit(ada.visitor, `${path}/links`, form);
    assert.equal(toastOf(page), 'Anyone with the link and its password can read this.');
    assert.match(page.text, /With a password/);
    assert.match(page.text, /Works for anyone with the link and its password\./);
    const { data } = await ada.client.get(`/briefs${name}/links`);
    assert.equal(data[0].expiresAt, '2099-12-31T23:59:59.999Z');
    assert.equal(data[0].hasPassword, true);
    for (const [wrong, fault] of [
      [{ ends: 'date', date: '' }, /Write the day as 2026-01-31\./],
      [{ ends: 'date', date: '31.12.2099' }, /Write the day as 2026-01-31\./],
      [{ ends: 'date', date: '2099-02-31' }, /Write the day as 2026-01-31\./],
      [{ ends: 'date', date: '2020-01-01' }, /in the future/],
      [{ ends: 'd7', password: 'short' }, /at least 8 characters/],
    ] as const) {
      const refused = await submit(ada.visitor, `${path}/links`, { access: 'read', ...wrong });
      assert.match(toastOf(refused), fault);
    }
    assert.equal((await ada.client.get(`/briefs${name}/links`)).data.length, 1);
  });

  it('a link to a public document first makes it internal or private', async () => {
    for (const [owner, visibility] of [
      ['user', 'private'],
      ['engines', 'internal'],
    ] as const) {
      const path = await newBrief('public', owner);
      await ada.visitor.post(`${path}/visibility`, { visibility: 'link', from: 'public' });
      const document = `/briefs${path.slice('/share'.length)}`;
      assert.equal((await ada.client.get(document)).data.visibility, visibility);
      assert.equal((await ada.client.get(`${document}/links`)).data.length, 1);
    }
  });
});

describe('The suggestions of usernames', () => {
  let service: Service;
  before(async () => {
    service = await startWithVisitors();
  });
  after(() => service.stop());

  it('are only for signed-in people, and contain only usernames', async () => {
    const ada = await makePerson(service, 'ada');
    await makePerson(service, 'grace');
    const json = { accept: 'application/json' };
    assert.equal((await newVisitor(service).get('/people?prefix=g', json)).status, 401);
    const ask = async (prefix: string) =>
      (await ada.visitor.get(`/people?prefix=${encodeURIComponent(prefix)}`, json)).json.usernames;
    assert.deepEqual(await ask('gr'), ['grace']);
    assert.deepEqual(await ask('GR'), ['grace']);
    for (const prefix of ['', '%', '_', 'x', 'ada', '<script>', 'a'.repeat(50)]) {
      assert.deepEqual(await ask(prefix), [], prefix);
    }
    const twice = await ada.visitor.get('/people?prefix=g&prefix=r', json);
    assert.deepEqual(twice.json.usernames, []);
    assert.match(twice.headers.get('cache-control') ?? '', /no-store/);
  });
});
