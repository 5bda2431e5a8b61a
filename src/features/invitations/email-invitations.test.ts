import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { assertError, type Client, type Service } from '../../../test/harness.ts';
import {
  type Delivered,
  openPostOffice,
  queued,
  verificationPath,
} from '../../../test/mail/post-office.ts';
import { assertFailed, connect } from '../../../test/mcp/agent.ts';
import {
  ALL_KINDS,
  expectStatus,
  invite,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import {
  newVisitor,
  PASSWORD,
  signUp,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { sweepInvitedAddresses } from './invitation-service.ts';

let counter = 0;

/** A user with a browser, a token and a verified address. */
async function person(name: string): Promise<{ browser: Visitor; client: Client }> {
  counter += 1;
  const username = `${name}${counter}`;
  const browser = await signUp(service, username, { address: `198.51.100.${counter % 250}` });
  const lifetimeMs = undefined;
  const { token } = await createToken(service.app.context, { username, name: 'test', lifetimeMs });
  const path = await verificationPath(office, `${username}@example.com`);
  assert.equal((await browser.post(path)).status, 200);
  return { browser, client: { ...service.client(token), username } };
}

/** Returns an unused address. */
function newAddress(): string {
  counter += 1;
  return `Stranger${counter}@example.net`;
}

/** Waits for the mail to an address, and removes it. */
async function mailTo(address: string): Promise<Delivered> {
  const find = () => office.mails.findIndex(({ recipients }) => recipients[0] === address);
  await until(`a mail to ${address}`, () => find() >= 0);
  return office.mails.splice(find(), 1)[0] as Delivered;
}

const linkIn = ({ text }: Delivered) => /\/invited\/[\w-]{32}/.exec(text ?? '')?.[0] ?? '';

const unsubscribePath = ({ raw }: Delivered) =>
  new URL(/^List-Unsubscribe: <(.*)>\r$/m.exec(raw)?.[1] ?? '').pathname;

const inviteAddress = (client: Client, path: string, email: string, permission = 'write') =>
  client.post(`${path}/email_invitations`, { email, permission });

/** Invites an address to a new private brief of Ada's. */
async function invited(permission = 'write') {
  const ada = await person('ada');
  const path = await makeDocument(ada.client, 'plans', { visibility: 'private' });
  const email = newAddress();
  const { data } = await expectStatus(inviteAddress(ada.client, path, email, permission), 201);
  const mail = await mailTo(email);
  return { ada, path, email, mail, link: linkIn(mail), id: data.id as string };
}

const office = await openPostOffice();
const service = await startWithVisitors(office.settings);
after(async () => {
  await service.stop();
  await office.close();
});
beforeEach(async () => {
  await until('an empty queue', async () => (await queued(service)) === 0);
  office.mails.length = 0;
});

describe('With closed sign-ups, an invitation by mail', () => {
  let closed: Service;
  let inviter: Client;
  const sees = async (path: string) => (await newVisitor(closed).get(path)).text;
  const signUpAt = (link: string, email: string, username: string) =>
    newVisitor(closed).post('/sign-up', { username, email, password: PASSWORD, next: link });

  before(async () => {
    closed = await startWithVisitors({ ...office.settings, SIGN_UPS: 'closed' });
    inviter = await closed.user('inviter');
    const { sql } = closed.app.context;
    await sql.transaction((tx) =>
      tx.updateTable('account').set({ emailVerifiedAt: new Date().toISOString() }).execute(),
    );
  });
  after(() => closed.stop());

  for (const [what, makePath] of [
    ['a document', () => makeDocument(inviter, 'plans', { visibility: 'private' })],
    [
      'an organization',
      async () => {
        await makeOrganization(inviter, 'crew');
        return '/orgs/crew';
      },
    ],
  ] as const) {
    it(`to ${what} lets only the invited address create an account`, async () => {
      const email = newAddress();
      const path = await makePath();
      const body = path.startsWith('/orgs/') ? { email } : { email, permission: 'read' };
      await expectStatus(inviter.post(`${path}/email_invitations`, body), 201);
      const link = linkIn(await mailTo(email));
      const next = `?next=${encodeURIComponent(link)}`;
      assert.ok((await sees(link)).includes(`/sign-up${next}`));
      assert.ok((await sees(`/sign-in${next}`)).includes('/sign-up'));
      assert.ok((await sees(`/sign-up${next}`)).includes(`value="${email}"`));
      const username = `guest${++counter}`;
      const other = await signUpAt(link, 'other@example.net', username);
      assert.equal(other.status, 422);
      assert.ok(other.text.includes(`ust be the invited address, ${email}`), other.text);
      const invented = `/invited/${'n'.repeat(32)}`;
      assert.equal((await signUpAt(invented, email, username)).status, 403);
      assert.match(await sees('/sign-up'), /Sign-ups are closed/);
      const made = await signUpAt(link, email.toUpperCase(), username);
      assert.deepEqual([made.status, made.headers.get('location')], [303, link]);
      assert.equal((await signUpAt(link, email, `${username}b`)).status, 422, 'taken');
    });
  }

  it('that was canceled, expired, or is of a disabled account, lets no one in', async () => {
    const path = await makeDocument(inviter, 'others', { visibility: 'private' });
    const email = newAddress();
    const made = await expectStatus(inviteAddress(inviter, path, email), 201);
    const link = linkIn(await mailTo(email));
    const refused = async () => {
      assert.equal((await signUpAt(link, email, `guest${++counter}`)).status, 403);
      assert.match(await sees(`/sign-up?next=${encodeURIComponent(link)}`), /Sign-ups are closed/);
    };
    await setAccountDisabled(closed.app.context, 'inviter', true);
    await refused();
    await setAccountDisabled(closed.app.context, 'inviter', false);
    await expectStatus(inviter.delete(`${path}/email_invitations/${made.data.id}`), 204);
    await refused();
    await expectStatus(inviteAddress(inviter, path, email), 201);
    closed.advance(8 * DAY_MS);
    await refused();
  });
});

describe('An invitation by mail', () => {
  it('names inviter, document and link, and contains no other text by the inviter', async () => {
    const { ada, email, mail, link } = await invited();
    const { username } = ada.client;
    assert.deepEqual(mail.recipients, [email]);
    assert.equal(mail.subject, `${username} invited you to edit “plans”`);
    const { text = '', html } = mail;
    assert.ok(typeof html === 'string');
    assert.ok(text.includes(`${username} invited you to edit ${username}/plans.`), text);
    for (const shown of [text, html]) {
      assert.ok(shown.includes(`${service.webUrl}${link}`), shown);
      assert.doesNotMatch(shown, /settings/, 'they have none');
    }
    assert.match(mail.raw, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    assert.doesNotMatch(html, /<(img|script|link|iframe)/, 'nothing to load');
    const tables = ['invitation', 'mail'] as const;
    for (const table of tables) {
      const rows = await service.app.context.sql.read.selectFrom(table).selectAll().execute();
      assert.ok(!JSON.stringify(rows).includes(link.slice(9)), `${table} has no token`);
    }
  });

  it('leads to signing up with the address filled in and verified', async () => {
    const { ada, path, email, link } = await invited();
    const visitor = newVisitor(service);
    const shown = await visitor.get(link);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /invited you to edit/);
    assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
    assert.match(shown.headers.get('cache-control') ?? '', /no-store/);
    const signUpPath = /href="(\/sign-up\?next=[^"]*)"/.exec(shown.text)?.[1] ?? '';
    const form = await visitor.get(signUpPath);
    assert.ok(form.text.includes(`value="${email}"`), form.text);
    counter += 1;
    const username = `newcomer${counter}`;
    const answer = await visitor.post('/sign-up', {
      username,
      email: email.toLowerCase(),
      password: PASSWORD,
      next: link,
    });
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, link]);
    assert.doesNotMatch((await visitor.get('/settings/notifications')).text, /isn’t verified/);
    assert.equal(await queued(service), 0, 'no mail that verifies it');
    const page = await visitor.get(link);
    assert.match(page.text, new RegExp(`accept as <strong>${username}`));
    const { action } = formWith(page, 'Accept');
    const accepted = await submit(visitor, action);
    assert.match(toastOf(accepted), /Accepted\. You can read and edit it\./);
    const { data } = await ada.client.get(`${path}/collaborators`);
    assert.deepEqual(
      data.map((one: { username: string; permission: string }) => [one.username, one.permission]),
      [[username, 'write']],
    );
    assert.equal((await visitor.get(link)).status, 404, 'it works once');
    assert.equal((await visitor.post(action)).status, 404);
  });

  it('lets its reader find the document', async () => {
    const { path, link } = await invited('read');
    await everythingIndexed(service.app.context);
    const grace = await person('grace');
    const page = await grace.browser.get(link);
    await submit(grace.browser, formWith(page, 'Accept').action);
    await everythingIndexed(service.app.context);
    const { data } = await expectStatus(grace.client.get('/search?q=plans'), 200);
    const [, , owner] = path.split('/');
    assert.ok(
      data.some((found: { ownerNamespace: string }) => found.ownerNamespace === owner),
      JSON.stringify(data),
    );
  });

  it('no longer verifies an address once it has expired', async () => {
    const { email, link } = await invited();
    const later = new Date(Date.now() - 86_400_000).toISOString();
    await service.app.context.sql.transaction((tx) =>
      tx
        .updateTable('invitation')
        .set({ expiresAt: later })
        .where('emailKey', '=', email.toLowerCase())
        .execute(),
    );
    const visitor = newVisitor(service);
    counter += 1;
    const username = `late${counter}`;
    await visitor.post('/sign-up', { username, email, password: PASSWORD, next: link });
    assert.match((await visitor.get('/settings/notifications')).text, /isn’t verified/);
  });

  it('another address at sign-up is verified as usual', async () => {
    const { link } = await invited();
    const visitor = newVisitor(service);
    counter += 1;
    const [username, email] = [`other${counter}`, newAddress()];
    await visitor.post('/sign-up', { username, email, password: PASSWORD, next: link });
    assert.match((await visitor.get('/settings/notifications')).text, /isn’t verified/);
    await mailTo(email);
  });

  it('can be accepted by anyone signed in who has the link, who keeps a higher level', async () => {
    const { ada, path, link } = await invited('read');
    const grace = await person('grace');
    await invite(ada.client, path, grace.client, 'read');
    const page = await grace.browser.get(link);
    await submit(grace.browser, formWith(page, 'Accept').action);
    assert.equal((await grace.client.get(path)).status, 200);
    assert.deepEqual(
      (await ada.client.get(`${path}/invitations`)).data,
      [],
      'the other one is over',
    );
    await expectStatus(
      ada.client.put(`${path}/collaborators/${grace.client.username}`, { permission: 'admin' }),
      204,
    );
    const email = newAddress();
    await expectStatus(inviteAddress(ada.client, path, email, 'write'), 201);
    const again = linkIn(await mailTo(email));
    await submit(grace.browser, formWith(await grace.browser.get(again), 'Accept').action);
    const { data } = await ada.client.get(
      `${path}/collaborators/${grace.client.username}/permission`,
    );
    assert.equal(data.permission, 'admin');
  });

  it('can’t be accepted by the owner, and stays pending', async () => {
    const { ada, link } = await invited();
    const answer = await ada.browser.post(`${link}/accept`);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /You own this brief/);
    assert.equal((await ada.browser.get(link)).status, 200);
  });

  it('can be declined without an account', async () => {
    const { ada, path, link } = await invited();
    const visitor = newVisitor(service);
    assert.equal(
      (await visitor.post(formWith(await visitor.get(link), 'Decline').action)).status,
      200,
    );
    assert.deepEqual((await ada.client.get(`${path}/email_invitations`)).data, []);
    assert.equal((await visitor.get(link)).status, 404);
  });

  it('can only be accepted after signing in, with a form of this host', async () => {
    const { ada, path, link } = await invited();
    const { status, headers } = await newVisitor(service).post(`${link}/accept`);
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/sign-in?next=${encodeURIComponent(link)}`);
    const { browser } = await person('grace');
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await browser.post(`${link}/accept`, {}, elsewhere)).status, 403);
    assert.deepEqual((await ada.client.get(`${path}/collaborators`)).data, []);
  });

  it('of two people who accept concurrently, one succeeds', async () => {
    const { ada, path, link } = await invited();
    const [one, other] = [await person('one'), await person('other')];
    const answers = await Promise.all(
      [one, other].map(({ browser }) => browser.post(`${link}/accept`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404]);
    assert.equal((await ada.client.get(`${path}/collaborators`)).data.length, 1);
  });

  it('can be for an organization', async () => {
    const ada = await person('ada');
    const org = `guild${counter}`;
    await makeOrganization(ada.client, org);
    const email = newAddress();
    const page = await submit(ada.browser, `/organizations/${org}/members`, {
      username: email,
      role: 'member',
    });
    assert.equal(toastOf(page), `Invited ${email} as a member.`);
    assert.ok(page.text.includes(email));
    const mail = await mailTo(email);
    assert.match(mail.subject ?? '', /invited you to join/);
    const grace = await person('grace');
    const accept = formWith(await grace.browser.get(linkIn(mail)), 'Accept');
    assert.match(toastOf(await submit(grace.browser, accept.action)), /You’re now a member/);
    const { data } = await ada.client.get(`/orgs/${org}/members`);
    assert.deepEqual(
      data.map((one: { username: string; role: string }) => [one.username, one.role]),
      [
        [grace.client.username, 'member'],
        [ada.client.username, 'admin'],
      ],
    );
  });
});

describe('People who can share', () => {
  it('see and cancel email invitations, in the API and on the Share screen', async () => {
    const { ada, path, email, link, id } = await invited();
    const { data } = await ada.client.get(`${path}/email_invitations`);
    assert.deepEqual(
      data.map((one: { id: string; email: string; expired: boolean }) => [
        one.id,
        one.email,
        one.expired,
      ]),
      [[id, email, false]],
    );
    const share = await ada.browser.get(path.replace('/briefs', '/share'));
    assert.ok(share.text.includes(email));
    assert.match(share.text, /Invite by username or email address/);
    const { action, fields } = formWith(share, 'Cancel', { invitation: id });
    assert.equal(
      toastOf(await submit(ada.browser, action, fields)),
      `Invitation for ${email} cancelled.`,
    );
    assert.equal((await newVisitor(service).get(link)).status, 404);
    assertError(await ada.client.delete(`${path}/email_invitations/${id}`), 404, 'NOT_FOUND');
  });

  it('get the same response whether or not the address has an account', async () => {
    const ada = await person('ada');
    const grace = await person('grace');
    const path = await makeDocument(ada.client, 'plans');
    const addresses = [newAddress(), `${grace.client.username}@example.com`];
    const answers = [];
    for (const email of addresses) {
      const { status, data } = await inviteAddress(ada.client, path, email);
      const { id, createdAt, expiresAt, ...told } = data;
      assert.equal(told.email, email);
      answers.push([status, { ...told, email: '' }]);
    }
    assert.deepEqual(answers[0], answers[1]);
    const page = await submit(ada.browser, `${path.replace('/briefs', '/share')}/people`, {
      username: ' x@example.org ',
      permission: 'read',
    });
    assert.match(toastOf(page), /^Invited x@example\.org\. The invitation expires on /);
  });

  it('can’t invite an address twice, unless the invitation has expired', async () => {
    const { ada, path, email, link } = await invited();
    const twice = await inviteAddress(ada.client, path, email.toLowerCase());
    assertError(twice, 422, 'UNPROCESSABLE', /email/);
    service.advance(8 * DAY_MS);
    const late = await newVisitor(service).get(link);
    assert.match(late.text, /Your invitation expired/);
    const { browser } = await person('late');
    assert.equal((await browser.post(`${link}/accept`)).status, 422);
    assert.equal((await ada.client.get(`${path}/email_invitations`)).data[0].expired, true);
    await expectStatus(inviteAddress(ada.client, path, email), 201);
    assert.notEqual(linkIn(await mailTo(email)), link);
    assert.equal((await newVisitor(service).get(link)).status, 404);
    service.advance(38 * DAY_MS);
    assert.ok((await sweepInvitedAddresses(service.app.context)) >= 1);
    assert.deepEqual((await ada.client.get(`${path}/email_invitations`)).data, []);
  });

  it('can’t invite their own address', async () => {
    const { ada, path } = await invited();
    const { email } = (await ada.client.get('/user')).data;
    for (const own of [email, ` ${email.toUpperCase()} `]) {
      const refused = await inviteAddress(ada.client, path, own);
      assertError(refused, 422, 'UNPROCESSABLE', /^email: is your own address\./);
    }
    const agent = await connect(service, ada.client.token);
    const name = path.replace('/briefs/', '');
    const asked = { name, username: email, permission: 'read' };
    const shared = await agent.call('share_document', asked);
    assertFailed(shared, 'UNPROCESSABLE', /username: is your own address\./);
    await agent.close();
    const page = await ada.browser.post(`${path.replace('/briefs', '/share')}/people`, {
      username: email,
      permission: 'read',
    });
    assert.equal(page.status, 422);
    assert.match(page.text, /is your own address/i);
  });

  it('need a verified address', async () => {
    counter += 1;
    const username = `spammer${counter}`;
    const browser = await signUp(service, username);
    const lifetimeMs = undefined;
    const { token } = await createToken(service.app.context, {
      username,
      name: 'test',
      lifetimeMs,
    });
    const client = { ...service.client(token), username };
    const path = await makeDocument(client, 'plans');
    assertError(
      await inviteAddress(client, path, newAddress()),
      422,
      'UNPROCESSABLE',
      /verify your/,
    );
    const page = await browser.post(`${path.replace('/briefs', '/share')}/people`, {
      username: 'x@example.org',
      permission: 'read',
    });
    assert.equal(page.status, 422);
    assert.match(page.text, /Verify your own email address in Settings first/);
    await until('an empty queue', async () => (await queued(service)) === 0);
    const subjects = office.mails.map(({ subject }) => subject);
    assert.deepEqual(subjects, ['Verify your email address']);
  });

  it('find each kind of invitation only at its own address', async () => {
    const ada = await person('ada');
    const grace = await person('grace');
    const path = await makeDocument(ada.client, 'plans', { visibility: 'private' });
    const org = `kinds-${++counter}`;
    await expectStatus(ada.client.post('/user/orgs', { namespace: org, name: 'Kinds' }), 201);
    const { username } = grace.client;
    const permission = 'read';
    const made = {
      [`${path}/invitations`]: ada.client.put(`${path}/collaborators/${username}`, { permission }),
      [`${path}/email_invitations`]: inviteAddress(ada.client, path, newAddress()),
      [`/orgs/${org}/invitations`]: ada.client.put(`/orgs/${org}/members/${username}`, {}),
      [`/orgs/${org}/email_invitations`]: ada.client.post(`/orgs/${org}/email_invitations`, {
        email: newAddress(),
      }),
    };
    const ids: Record<string, string> = {};
    for (const [list, answer] of Object.entries(made)) {
      ids[list] = (await expectStatus(answer, 201)).data.id;
    }
    for (const [list, id] of Object.entries(ids)) {
      const { data } = await expectStatus(ada.client.get(list), 200);
      assert.deepEqual(
        data.map((one: { id: string }) => one.id),
        [id],
      );
      for (const other of Object.keys(ids)) {
        if (other === list) continue;
        assertError(await ada.client.delete(`${other}/${id}`), 404, 'NOT_FOUND');
      }
      if (list === `${path}/invitations`) continue;
      const own = `/user/brief_invitations/${id}`;
      assertError(await grace.client.patch(own), 404, 'NOT_FOUND');
      assertError(await grace.client.delete(own), 404, 'NOT_FOUND');
      assertError(
        await ada.client.patch(`${path}/invitations/${id}`, { permission }),
        404,
        'NOT_FOUND',
      );
    }
    for (const [list, id] of Object.entries(ids)) {
      await expectStatus(ada.client.delete(`${list}/${id}`), 204);
    }
  });

  it('can invite to both kinds; deleting a document deletes its invitations', async () => {
    const ada = await person('ada');
    for (const kind of ALL_KINDS) {
      const path = await makeDocument(ada.client, 'doomed', { kind });
      const email = newAddress();
      await expectStatus(inviteAddress(ada.client, path, email), 201);
      const link = linkIn(await mailTo(email));
      assert.equal((await newVisitor(service).get(link)).status, 200);
      await expectStatus(ada.client.delete(path), 204);
      assert.equal((await newVisitor(service).get(link)).status, 404);
    }
  });
});

describe('Limits of email invitations', () => {
  it('an address that unsubscribed gets none, and no one learns that', async () => {
    const { ada, path, email, mail, id } = await invited();
    const stop = unsubscribePath(mail);
    const visitor = newVisitor(service);
    assert.match((await visitor.get(stop)).text, /Stop all invitations/);
    // As sent by mail programs: without cookies and origin.
    const { status } = await fetch(new URL(stop, service.webUrl), {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    assert.equal(status, 200);
    await expectStatus(ada.client.delete(`${path}/email_invitations/${id}`), 204);
    await expectStatus(inviteAddress(ada.client, path, email), 201);
    await until('an empty queue', async () => (await queued(service)) === 0);
    assert.deepEqual(office.mails, []);
    assert.match((await visitor.get(stop)).text, /won’t send any more invitations/);
    const again = await visitor.post(stop, { act: 'resume' });
    assert.match(again.text, /Invitations are on again/);
    const { client } = await person('grace');
    await expectStatus(inviteAddress(client, await makeDocument(client, 'more'), email), 201);
    await mailTo(email);
    const forged = stop.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    assert.equal((await visitor.post(forged)).status, 404);
  });

  it('an address that unsubscribed gets none in any other spelling', async () => {
    const { ada, path, email, mail, id } = await invited();
    await newVisitor(service).post(unsubscribePath(mail));
    await expectStatus(ada.client.delete(`${path}/email_invitations/${id}`), 204);
    // src/base/text/email-address.test.ts has more.
    for (const spelling of [`<${email}>`, `a<${email}>`, `mailto:${email}`, `${email}.`]) {
      const answer = await inviteAddress(ada.client, path, spelling);
      assertError(answer, 400, 'BAD_REQUEST', /email: must be an email address/);
    }
    for (const spelling of [email.toUpperCase(), ` ${email} `, email.replace('n', 'ｎ')]) {
      const answer = await inviteAddress(ada.client, path, spelling);
      if (answer.status !== 201) continue;
      await expectStatus(ada.client.delete(`${path}/email_invitations/${answer.data.id}`), 204);
    }
    await until('an empty queue', async () => (await queued(service)) === 0);
    assert.deepEqual(office.mails, []);
  });

  it('an international domain counts as its ASCII form, and mail goes there', async () => {
    const ada = await person('ada');
    counter += 1;
    const [typed, ascii] = [`x${counter}@bücher.example`, `x${counter}@xn--bcher-kva.example`];
    const path = await makeDocument(ada.client, 'plans');
    // The mail server of this test shows domains in Unicode.
    const { data } = await expectStatus(inviteAddress(ada.client, path, typed), 201);
    assert.equal(data.email, ascii);
    await newVisitor(service).post(unsubscribePath(await mailTo(typed)));
    for (const spelling of [ascii, typed.toUpperCase()]) {
      const again = await inviteAddress(ada.client, path, spelling);
      assertError(again, 422, 'UNPROCESSABLE', /already/);
      const other = await makeDocument(ada.client, `more ${spelling.length}`);
      await expectStatus(inviteAddress(ada.client, other, spelling), 201);
    }
    await until('an empty queue', async () => (await queued(service)) === 0);
    assert.deepEqual(office.mails, []);
  });

  it('an address gets 5 invitations a day from all accounts together', async () => {
    const email = newAddress();
    const paths: [Client, string][] = [];
    for (let times = 0; times < 6; times += 1) {
      const { client } = await person('ada');
      paths.push([client, await makeDocument(client, 'plans')]);
    }
    const last = paths.pop() as [Client, string];
    for (const [client, path] of paths) {
      await expectStatus(inviteAddress(client, path, email), 201);
    }
    const refused = await inviteAddress(...last, email.toUpperCase());
    assertError(refused, 429, 'RATE_LIMITED', /too many invitations/);
    await expectStatus(inviteAddress(...last, newAddress()), 201);
  });

  it('an account can invite 50 addresses a day', async () => {
    const { client } = await person('ada');
    const path = await makeDocument(client, 'plans');
    const more = await makeDocument(client, 'more');
    for (let times = 0; times < 50; times += 1) {
      await expectStatus(inviteAddress(client, path, newAddress()), 201);
    }
    assertError(await inviteAddress(client, path, newAddress()), 422, 'UNPROCESSABLE', /50 addr/);
    assertError(await inviteAddress(client, more, newAddress()), 429, 'RATE_LIMITED');
  });

  it('a canceled invitation isn’t sent', async () => {
    const { ada, path } = await invited();
    office.answer = 451;
    try {
      const email = newAddress();
      const { data } = await expectStatus(inviteAddress(ada.client, path, email), 201);
      await until('an attempt', () => office.refused > 0);
      await expectStatus(ada.client.delete(`${path}/email_invitations/${data.id}`), 204);
    } finally {
      office.answer = 250;
    }
    service.advance(10 * 60_000);
    await until('an empty queue', async () => (await queued(service)) === 0);
    assert.deepEqual(office.mails, []);
  });

  it('a mail is retried with the same link until the server accepts it', async () => {
    const ada = await person('ada');
    const path = await makeDocument(ada.client, 'plans');
    office.refused = 0;
    office.answer = 451;
    const email = newAddress();
    await expectStatus(inviteAddress(ada.client, path, email), 201);
    await until('an attempt', () => office.refused > 0);
    office.answer = 250;
    service.advance(10 * 60_000);
    const link = linkIn(await mailTo(email));
    assert.equal((await newVisitor(service).get(link)).status, 200);
  });
});

describe('An agent', () => {
  it('invites an address with share_document and set_member, lists and cancels it', async () => {
    const ada = await person('ada');
    await makeDocument(ada.client, 'shared', { visibility: 'private' });
    const organization = `${ada.client.username}-crew`;
    await makeOrganization(ada.client, organization);
    const agent = await connect(service, ada.client.token);
    const ref = { owner: ada.client.username, name: 'shared' };
    const share = (more: object) => agent.call('share_document', { ...ref, ...more });
    const username = newAddress();
    const { data } = await share({ username, permission: 'read' });
    assert.equal(data.outcome, 'invited');
    assert.equal(data.invitation.email, username);
    const link = linkIn(await mailTo(username));
    assert.equal((await newVisitor(service).get(link)).status, 200);
    const listed = (await agent.call('list_access', ref)).data.emailInvitations;
    assert.deepEqual(listed.items, [data.invitation]);
    assertFailed(
      await share({ username, permission: 'none' }),
      'INVALID_ARGUMENT',
      /username: is an address: to cancel its invitation, give invitation_id/,
    );
    assertFailed(
      await share({ username: 'x@y', permission: 'read' }),
      'INVALID_ARGUMENT',
      /^INVALID_ARGUMENT: username: /,
    );
    const cancelled = await share({ invitation_id: data.invitation.id, permission: 'none' });
    assert.equal(cancelled.data.outcome, 'invitation_cancelled');
    assert.equal((await newVisitor(service).get(link)).status, 404);

    const member = newAddress();
    const made = await agent.call('set_member', { organization, username: member });
    assert.equal(made.data.outcome, 'invited');
    await mailTo(member);
    const { emailInvitations } = (await agent.call('get_organization', { organization })).data;
    assert.equal(emailInvitations.items[0].email, member);
    const end = { organization, invitation_id: made.data.invitationId, role: 'none' };
    assert.equal((await agent.call('set_member', end)).data.outcome, 'invitation_cancelled');
    await agent.close();
  });
});

describe('Without a mail server', () => {
  async function ownerOf(service: Service) {
    const browser = await signUp(service, 'ada');
    const input = { username: 'ada', name: 'test', lifetimeMs: undefined };
    const { token } = await createToken(service.app.context, input);
    const client = { ...service.client(token), username: 'ada' };
    return {
      browser,
      client,
      path: await makeDocument(client, 'plans', { visibility: 'private' }),
    };
  }

  it('an invited address gets a link that the inviter passes on, which proves no address', async () => {
    const silent = await startWithVisitors();
    try {
      const { browser, client, path } = await ownerOf(silent);
      const { data } = await expectStatus(inviteAddress(client, path, 'x@example.org'), 201);
      const link = new URL(data.url).pathname;
      assert.match(link, /^\/invited\/[\w-]{32}$/);
      const stored = await silent.app.context.sql.read
        .selectFrom('invitation')
        .selectAll()
        .execute();
      assert.ok(!JSON.stringify(stored).includes(link.split('/').at(-1) as string));
      const listed = await client.get(`${path}/email_invitations`);
      assert.equal(listed.data[0].url, data.url);
      const share = await browser.get('/share/ada/plans');
      assert.match(share.text, /Invite by username or email address/);
      assert.ok(share.text.includes(`data-text="${data.url}"`));
      assert.match(share.text, /Not mailed/);

      const invitee = newVisitor(silent);
      assert.match((await invitee.get(link)).text, /invited you to/);
      const form = {
        username: 'xaver',
        email: 'x@example.org',
        password: 'walnut pie',
        next: link,
      };
      assert.equal((await invitee.post('/sign-up', form)).headers.get('location'), link);
      const account = await silent.app.context.sql.read
        .selectFrom('account')
        .where('email', '=', 'x@example.org')
        .select('emailVerifiedAt as verifiedAt')
        .executeTakeFirstOrThrow();
      assert.equal(account.verifiedAt, null);
      assert.equal((await invitee.post(`${link}/accept`, {})).status, 303);
      assert.equal((await invitee.get('/read/ada/plans')).status, 200);
      assert.equal((await newVisitor(silent).get(link)).status, 404, 'once');

      const page = await submit(browser, '/share/ada/plans/people', {
        username: 'y@example.org',
        permission: 'read',
      });
      assert.match(toastOf(page), /^Copy the link for y@example\.org/);
    } finally {
      await silent.stop();
    }
  });

  it('such a link lets no one create an account while sign-ups are closed', async () => {
    const silent = await startWithVisitors({ SIGN_UPS: 'closed' });
    try {
      const { context } = silent.app;
      await createAccount(context, { username: 'ada', email: 'ada@example.org' });
      const { token } = await createToken(context, {
        username: 'ada',
        name: 'test',
        lifetimeMs: undefined,
      });
      const client = { ...silent.client(token), username: 'ada' };
      const path = await makeDocument(client, 'plans', { visibility: 'private' });
      const { data } = await expectStatus(inviteAddress(client, path, 'x@example.org'), 201);
      const link = new URL(data.url).pathname;
      const invitee = newVisitor(silent);
      const page = await invitee.get(link);
      assert.match(page.text, /ask who runs this server/);
      assert.doesNotMatch(page.text, /sign-up/);
      const form = {
        username: 'xaver',
        email: 'x@example.org',
        password: 'walnut pie',
        next: link,
      };
      assert.equal((await invitee.post('/sign-up', form)).status, 403);
    } finally {
      await silent.stop();
    }
  });

  it('a program doesn’t see the link of an invitation that it could not make', async () => {
    const silent = await startWithVisitors();
    try {
      const { browser, client, path } = await ownerOf(silent);
      await submit(browser, '/share/ada/plans/people', {
        username: 'x@example.org',
        permission: 'admin',
      });
      await expectStatus(client.patch(`${path}/review-settings`, { protected: true }), 200);
      const { data } = await client.get(`${path}/email_invitations`);
      assert.deepEqual([data[0].permission, data[0].url], ['admin', null]);
      assert.match((await browser.get('/share/ada/plans')).text, /\/invited\//);
    } finally {
      await silent.stop();
    }
  });
});
