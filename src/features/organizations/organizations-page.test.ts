import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import { newVisitor, startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { databaseState } from '../../../test/state.ts';
import { formsOf, formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const HOSTILE = '<b onclick=alert(1)>Engines</b>';

describe('Organizations', async () => {
  let made = 0;

  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const bob = await makePerson(service, 'bob');

  /** A new organization of Ada's with Grace as a member; its address. */
  async function newOrganization(graceAs?: 'member' | 'admin'): Promise<string> {
    const namespace = `engines-${++made}`;
    await submit(ada.visitor, '/organizations/new', { namespace, name: 'Engines' });
    const path = `/organizations/${namespace}`;
    if (graceAs) {
      await ada.visitor.post(`${path}/members`, { username: 'grace', role: graceAs });
      await grace.visitor.post('/invitations/organizations/accept', { organization: namespace });
    }
    return path;
  }

  const roleOf = async (path: string, username: string): Promise<string | undefined> => {
    const { data } = await ada.client.get(`${path.replace('/organizations', '/orgs')}/members`);
    return data.find((member: { username: string }) => member.username === username)?.role;
  };

  it('send signed-out visitors to sign in', async () => {
    for (const path of ['/organizations', '/organizations/new', '/organizations/x/members']) {
      assert.equal((await newVisitor(service).get(path)).status, 303);
    }
  });

  it('are listed with the role; an empty list explains them', async () => {
    const lonely = await makePerson(service, 'lonely');
    assert.match((await lonely.visitor.get('/organizations')).text, /No organizations yet/);
    const path = await newOrganization('member');
    const { text } = await grace.visitor.get('/organizations');
    assert.match(text, new RegExp(`href="${path}"`));
    assert.match(text, /<span class="role">Member<\/span>/);
  });

  it('say on their page what is in review, and who changed something this week', async () => {
    const path = await newOrganization('member');
    assert.doesNotMatch((await ada.visitor.get(path)).text, /In review|Active this week/);
    const org = path.replace('/organizations', '/orgs');
    const body = { name: 'plan', content: '# The plan\n', visibility: 'internal' };
    assert.equal((await ada.client.post(`${org}/briefs`, body)).status, 201);
    const namespace = path.split('/')[2];
    await ada.client.put(`/briefs/${namespace}/plan/reviewers/grace`, {});
    const { text } = await grace.visitor.get(path);
    assert.match(text, /<h2 id="in-review">In review<\/h2>.*?The plan.*?<h2 id="active-lately">/s);
    assert.match(text, /<h2 id="active-lately">.*?href="\/ada"/s);
  });

  it('are created with a name and a namespace; errors are beside their fields', async () => {
    const page = await submit(ada.visitor, '/organizations/new', {
      namespace: ' Hostile ',
      name: HOSTILE,
    });
    assert.match(page.text, /&lt;b onclick=alert\(1\)/);
    assert.doesNotMatch(page.text, /<b onclick/);
    for (const [form, field, fault] of [
      [{ namespace: 'hostile', name: 'X' }, 'namespace', /is taken/],
      [{ namespace: 'organizations', name: 'X' }, 'namespace', /is reserved/],
      [{ namespace: 'a b', name: 'X' }, 'namespace', /Use up to 39/],
      [{ namespace: 'fine', name: ' ' }, 'name', /Must have 1 to 100/],
      [{ namespace: 'fine', name: 'x'.repeat(101) }, 'name', /Must have 1 to 100/],
      [{ namespace: 'fine', name: 'a\0b' }, 'name', /not contain the character U\+0000/],
    ] as const) {
      const { status, text } = await ada.visitor.post('/organizations/new', form);
      assert.equal(status, 422);
      const beside = new RegExp(`<p class="fault" id="${field}-fault">(.*?)</p>`).exec(text)?.[1];
      assert.match(beside ?? '', fault);
    }
  });

  it('show basic information to non-members; missing ones are 404', async () => {
    const path = await newOrganization();
    for (const tab of ['', '/members', '/invitations', '/settings']) {
      const { status, text } = await bob.visitor.get(path + tab);
      assert.equal(status, 200);
      assert.match(text, /You’re not a member of/);
      assert.ok(!formsOf(await bob.visitor.get(path + tab)).some((f) => f.action.startsWith(path)));
      assert.equal((await bob.visitor.get(`/organizations/missing${tab}`)).status, 404);
    }
    await ada.visitor.post(`${path}/members`, { username: 'bob', role: 'member' });
    const invited = await bob.visitor.get(path);
    assert.match(invited.text, /invited you to join <a [^>]*>[^<]*<\/a> as a member\./);
    const accept = formWith(invited, 'Accept');
    formWith(invited, 'Decline');
    const joined = await submit(bob.visitor, accept.action, accept.fields);
    assert.match(toastOf(joined), /^Accepted\. You’re now a member/);
  });

  it('refuse anything that the role doesn’t allow, and change nothing', async () => {
    const path = await newOrganization('member');
    await ada.visitor.post(`${path}/members`, { username: 'bob', role: 'admin' });
    const { data } = await ada.client.get(`${path.replace('/organizations', '/orgs')}/invitations`);
    const namespace = path.split('/').at(-1) ?? '';
    const before = await databaseState(service.app.context);
    for (const { visitor } of [grace, bob]) {
      for (const [act, fields] of [
        ['members', { username: 'bob', role: 'admin' }],
        ['members/role', { username: 'grace', role: 'admin' }],
        ['members/remove', { username: 'ada' }],
        ['invitations/cancel', { invitation: data[0].id }],
        ['settings', { creation: 'no', default: 'write' }],
        ['delete', { confirm: namespace }],
      ] as const) {
        const { status } = await visitor.post(`${path}/${act}`, fields);
        assert.ok(status === 303 || status === 403, `${act}: ${status}`);
      }
    }
    const after = await databaseState(service.app.context);
    for (const table of ['membership', 'organization', 'invitation', 'owner']) {
      assert.deepEqual(after[table], before[table], table);
    }
  });

  it('show members only what they can do', async () => {
    const path = await newOrganization('member');
    const members = await grace.visitor.get(`${path}/members`);
    assert.match(members.text, /ada/);
    const actions = formsOf(members).map(({ action }) => action);
    assert.deepEqual(
      actions.filter((action) => action.startsWith(path)),
      [`${path}/leave`],
    );
    assert.doesNotMatch(members.text, new RegExp(`href="${path}/invitations"`));
    const invitations = await grace.visitor.get(`${path}/invitations`);
    assert.equal(invitations.status, 403);
    assert.match(invitations.text, /Only admins of Engines can see this/);
    const settings = await grace.visitor.get(`${path}/settings`);
    assert.match(settings.text, /Admins of Engines can change this/);
    assert.doesNotMatch(settings.text, /Delete|\/export/);
    const own = await ada.visitor.get(`${path}/settings`);
    assert.match(own.text, new RegExp(`href="/export\\?owner=${path.split('/').at(-1)}"`));
  });

  it('list documents, and link to new ones for people who can create them', async () => {
    const path = await newOrganization('member');
    const namespace = path.split('/').at(-1) ?? '';
    const link = new RegExp(`href="/new\\?owner=${namespace}"`);
    const empty = await grace.visitor.get(path);
    assert.match(empty.text, /No documents yet/);
    assert.match(empty.text, link);
    const create = `/orgs/${namespace}/briefs`;
    await ada.client.post(create, { name: 'inside', content: '# x\n', visibility: 'internal' });
    await ada.client.post(create, { name: 'secret', content: '# x\n', visibility: 'private' });
    const seen = await grace.visitor.get(path);
    assert.match(seen.text, new RegExp(`href="/read/${namespace}/inside"`));
    assert.doesNotMatch(seen.text, /secret/);
    assert.match((await ada.visitor.get(path)).text, /secret/);
    await ada.visitor.post(`${path}/settings`, { creation: 'no', default: 'read' });
    assert.doesNotMatch((await grace.visitor.get(path)).text, link);
    assert.match(
      (await grace.visitor.get(path)).text,
      /Only admins of Engines can create documents/,
    );
    assert.match((await ada.visitor.get(path)).text, link);
    assert.equal((await ada.visitor.get(`${path}?before=nonsense`)).status, 400);
  });

  it('have result pages of documents', async () => {
    const path = await newOrganization();
    const create = `/orgs/${path.split('/').at(-1)}/briefs`;
    for (let number = 10; number < 61; number++) {
      await ada.client.post(create, { name: `n-${number}`, content: '# x\n' });
    }
    const first = await ada.visitor.get(path);
    const older = /rel="next" href="([^"]+)"/.exec(first.text)?.[1] ?? '';
    assert.doesNotMatch(first.text, /n-10"/);
    const second = await ada.visitor.get(older.replaceAll('&amp;', '&'));
    assert.match(second.text, /n-10"/);
    assert.doesNotMatch(second.text, /n-11"|rel="next"/);
  });

  it('invite by username and role, list invitations, and undo', async () => {
    const path = await newOrganization('member');
    const page = await submit(ada.visitor, `${path}/members`, { username: 'bob', role: 'admin' });
    assert.equal(toastOf(page), 'Invited bob as an admin.');
    const listed = await ada.visitor.get(`${path}/invitations`);
    assert.match(listed.text, /bob/);
    const members = await ada.visitor.get(`${path}/members`);
    assert.match(members.text, /Pending invitations<.*>bob<.*Expires <time/s);
    formWith(members, 'Cancel', { username: 'bob' });
    assert.doesNotMatch((await grace.visitor.get(`${path}/members`)).text, /Pending invitations/);
    assert.match(listed.text, /Invited by ada/);
    const again = await ada.visitor.post(`${path}/members`, { username: 'bob', role: 'member' });
    assert.equal(again.status, 422);
    assert.match(again.text, /“bob” already has a pending invitation/);
    const form = formWith(listed, 'Cancel');
    const cancelled = await submit(ada.visitor, form.action, form.fields);
    assert.equal(toastOf(cancelled), 'Invitation for bob cancelled.');
    assert.match(cancelled.text, /No pending invitations/);
    const back = await undo(ada.visitor, cancelled);
    assert.equal(toastOf(back), 'Invited bob as an admin.');
    const gone = await undo(ada.visitor, back);
    assert.match(gone.text, /No pending invitations/);
    const late = await submit(ada.visitor, form.action, form.fields);
    assert.match(toastOf(late), /no longer pending/);
  });

  it('show errors of an invitation beside the field', async () => {
    const path = await newOrganization('member');
    for (const username of ['nobody-here', '<i>x</i>', '']) {
      const { status, text } = await ada.visitor.post(`${path}/members`, {
        username,
        role: 'member',
      });
      assert.equal(status, 422);
      assert.match(text, /<p class="fault" id="invite-fault">No user “/);
      assert.doesNotMatch(text, /<i>x/);
    }
    const odd = await ada.visitor.post(`${path}/members`, { username: 'bob', role: 'king' });
    assert.equal(odd.status, 422);
    const member = { username: 'grace', role: 'admin' };
    const page = await submit(ada.visitor, `${path}/members`, member);
    assert.equal(toastOf(page), 'grace was already a member, and is now an admin.');
  });

  it('flag expired invitations and invite again', async () => {
    const own = await startWithVisitors({ INVITATION_LIFETIME: '1d' });
    try {
      const owner = await makePerson(own, 'olga');
      await makePerson(own, 'late');
      await owner.visitor.post('/organizations/new', { namespace: 'engines', name: 'Engines' });
      const path = '/organizations/engines';
      await owner.visitor.post(`${path}/members`, { username: 'late', role: 'member' });
      own.advance(2 * 24 * 60 * 60_000);
      const page = await owner.visitor.get(`${path}/invitations`);
      assert.match(page.text, /Expired <time/);
      const cancel = formWith(page, 'Cancel');
      const again = formWith(page, 'Invite again');
      await submit(owner.visitor, again.action, again.fields);
      assert.doesNotMatch((await owner.visitor.get(`${path}/invitations`)).text, /Expired <time/);
      const late = await submit(owner.visitor, cancel.action, cancel.fields);
      assert.match(toastOf(late), /no longer pending/);
    } finally {
      await own.stop();
    }
  });

  it('change roles and undo, but keep an admin', async () => {
    const path = await newOrganization('member');
    const alone = await ada.visitor.get(`${path}/members`);
    assert.match(alone.text, /Only admin\. Add another to change this\./);
    assert.match(alone.text, /You’re its only admin/);
    assert.ok(!formsOf(alone).some(({ action }) => action.endsWith('/leave')));
    const demote = { username: 'ada', role: 'member', from: 'admin' };
    const refused = await submit(ada.visitor, `${path}/members/role`, demote);
    assert.match(toastOf(refused), /This member is the organization’s only admin/);
    const leaving = await submit(ada.visitor, `${path}/leave`);
    assert.match(toastOf(leaving), /This member is the organization’s only admin/);
    const menu = formWith(alone, 'Save', { username: 'grace' });
    const promoted = await submit(ada.visitor, menu.action, { ...menu.fields, role: 'admin' });
    assert.equal(toastOf(promoted), 'grace is now an admin.');
    assert.doesNotMatch(promoted.text, /only admin/);
    const back = await undo(ada.visitor, promoted);
    assert.equal(toastOf(back), 'grace is now a member.');
    await submit(ada.visitor, menu.action, { ...menu.fields, role: 'admin' });
    const stepped = await submit(ada.visitor, `${path}/members/role`, demote);
    assert.equal(toastOf(stepped), 'ada is now a member.');
    assert.ok(!formsOf(stepped).some(({ buttons }) => buttons.includes('Undo')));
    assert.equal(await roleOf(path, 'ada'), 'member');
  });

  it('remove members, and invite them again', async () => {
    const path = await newOrganization('admin');
    const org = path.replace('/organizations', '/orgs');
    await grace.client.post(`${org}/briefs`, { content: 'x', name: 'own', visibility: 'private' });
    await grace.client.post(`${org}/pages`, { html: 'x', name: 'own', visibility: 'private' });
    const link = `${path}/members/remove?username=grace`;
    assert.ok((await ada.visitor.get(`${path}/members`)).text.includes(`href="${link}"`));
    const asked = await ada.visitor.get(link);
    assert.match(
      asked.text,
      /no longer be a collaborator on 2 documents, including any they created/,
    );
    assert.equal((await ada.visitor.get(`${path}/members/remove?username=bob`)).status, 404);
    const form = formWith(asked, 'Remove grace');
    const page = await submit(ada.visitor, form.action, form.fields);
    assert.equal(toastOf(page), 'Removed grace. Undo sends a new invitation.');
    assert.equal(await roleOf(path, 'grace'), undefined);
    const back = await undo(ada.visitor, page);
    assert.equal(toastOf(back), 'Invited grace as an admin.');
    const late = await submit(ada.visitor, form.action, form.fields);
    assert.match(toastOf(late), /is not a member/);
    const menu = { username: 'bob', role: 'member', from: 'member' };
    const meanwhile = await submit(ada.visitor, `${path}/members/role`, menu);
    assert.match(toastOf(meanwhile), /bob was no longer a member, so we sent a new invitation/);
  });

  it('say what an admin invited others to before that ends', async () => {
    const path = await newOrganization('admin');
    const namespace = path.slice('/organizations/'.length);
    const org = `/orgs/${namespace}`;
    const body = { content: 'x', name: 'own', visibility: 'private' };
    await ada.client.post(`${org}/briefs`, body);
    const document = `/briefs/${namespace}/own`;
    await grace.client.put(`${org}/members/bob`, { role: 'admin' });
    const leave = async () => (await grace.visitor.get(`${path}/members`)).text;
    assert.match(await leave(), /1 pending invitation that you made ends with it:/);
    for (let made = 1; made <= 120; made++) {
      if (made % 50 === 1) {
        await ada.client.post(`${org}/briefs`, { ...body, name: `own-${made}` });
      }
      const name = `own-${made - ((made - 1) % 50)}`;
      await grace.client.post(`/briefs/${namespace}/${name}/links`, { access: 'read' });
    }
    const words = /1 pending invitation and 120 secret links by grace end with it\./;
    const removal = await ada.visitor.get(`${path}/members/remove?username=grace`);
    assert.match(removal.text, words);
    assert.match(removal.text, /<summary>Show which<\/summary>/);
    assert.match(removal.text, /<li>bob, invited as an admin<\/li>/);
    assert.match(removal.text, /<li>21 more<\/li>/);
    const demote = { username: 'grace', role: 'member', from: 'admin' };
    const asked = await ada.visitor.post(`${path}/members/role`, demote);
    assert.equal(asked.status, 200);
    assert.match(asked.text, words);
    assert.equal(await roleOf(path, 'grace'), 'admin');
    const confirm = formWith(asked, 'Change role');
    const page = await submit(ada.visitor, confirm.action, confirm.fields);
    assert.equal(toastOf(page), 'grace is now a member.');
    assert.deepEqual((await ada.client.get(`${org}/invitations`)).data, []);
    assert.deepEqual((await ada.client.get(`${document}-1/links`)).data, []);
    const again = await submit(ada.visitor, `${path}/members/role`, demote);
    assert.equal(toastOf(again), 'grace is now a member.', 'nothing more to ask');
  });

  it('can be left', async () => {
    const path = await newOrganization('member');
    const org = path.replace('/organizations', '/orgs');
    const members = () => grace.visitor.get(`${path}/members`);
    assert.doesNotMatch((await members()).text, /longer be a collaborator/);
    await grace.client.post(`${org}/briefs`, { content: 'x', name: 'own' });
    assert.match((await members()).text, /longer be a collaborator on 1 document, including/);
    assert.equal((await grace.visitor.get(`${path}/members/remove?username=ada`)).status, 403);
    const page = await submit(grace.visitor, `${path}/leave`);
    assert.match(toastOf(page), /^You left engines-/);
    assert.equal(await roleOf(path, 'grace'), undefined);
    const twice = await submit(grace.visitor, `${path}/leave`);
    assert.match(twice.text, /toast-fault/);
  });

  it('save settings and undo', async () => {
    const path = await newOrganization('member');
    const form = formWith(await ada.visitor.get(`${path}/settings`), 'Save settings');
    const chosen = { ...form.fields, creation: 'no', default: 'write' };
    const page = await submit(ada.visitor, form.action, chosen);
    assert.equal(toastOf(page), 'Settings saved.');
    const words = await grace.visitor.get(`${path}/settings`);
    assert.match(words.text, /Members can’t create documents/);
    assert.match(words.text, /Members can read, edit and rename/);
    await undo(ada.visitor, page);
    const back = await grace.visitor.get(`${path}/settings`);
    assert.match(back.text, /All members can create briefs and pages/);
    const odd = await submit(ada.visitor, form.action, { ...chosen, default: 'all' });
    assert.match(toastOf(odd), /Choose one of none, read, write/);
  });

  it('are deleted after confirming the namespace, with a list of what is deleted', async () => {
    const path = await newOrganization('member');
    const namespace = path.split('/').at(-1) ?? '';
    await ada.client.post(`/orgs/${namespace}/briefs`, { name: 'x', content: '# x\n' });
    const { text } = await ada.visitor.get(`${path}/settings`);
    assert.match(text, /This deletes 1 brief and 0 pages, removes 2 members including you/);
    assert.match(
      text,
      /Nobody can take the namespace <strong>engines-[^<]*<\/strong> for 90 days\./,
    );
    for (const confirm of ['', 'Engines', `${namespace}x`]) {
      const wrong = await ada.visitor.post(`${path}/delete`, { confirm });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /Nothing was deleted/);
    }
    assert.equal((await ada.visitor.get(path)).status, 200);
    const page = await submit(ada.visitor, `${path}/delete`, { confirm: ` ${namespace} ` });
    assert.equal(toastOf(page), 'Engines was deleted.');
    assert.equal((await ada.visitor.get(path)).status, 404);
    assert.equal((await ada.visitor.post(`${path}/delete`, { confirm: namespace })).status, 404);
  });
});
