import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Answer, assertError, type Client, type Service } from '../../../test/harness.ts';
import { openPostOffice, type PostOffice } from '../../../test/mail/post-office.ts';
import { collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import {
  newVisitor,
  PASSWORD,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { ConfigError } from '../../base/config-error.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { makeAdministrator } from '../moderation/administrator.testing.ts';
import { verifyAddress } from '../moderation/verified.testing.ts';
import { createSignUpInvitation } from './sign-up-invitation-service.ts';

const DAY = 24 * 60 * 60_000;

const pathOf = (url: string) => new URL(url).pathname;
const linkIn = (text = '', segment: string): string => {
  const link = text.split(/\s/).find((word) => word.includes(segment)) ?? '';
  assert.notEqual(link, '', text);
  return pathOf(link);
};

async function signUpAt(
  visitor: Visitor,
  path: string,
  username: string,
  email = `${username}@example.com`,
): Promise<Answer> {
  return visitor.post(path, { username, email, password: PASSWORD });
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/settings')).status === 200;

async function userOf(service: Service, username: string): Promise<Client> {
  const { token } = await createToken(service.app.context, {
    username,
    name: 'test',
    lifetimeMs: undefined,
  });
  return { ...service.client(token), username };
}

async function addressOf({ app }: Service, key: string): Promise<{ verified: string | null }> {
  return app.context.sql.read
    .selectFrom('account')
    .where('emailKey', '=', key)
    .select('emailVerifiedAt as verified')
    .executeTakeFirstOrThrow();
}

describe('SIGN_UPS=closed and invited', () => {
  for (const mode of ['closed', 'invited']) {
    it(`${mode}: nobody without an invitation; an administrator’s link works`, async () => {
      const service = await startWithVisitors({ SIGN_UPS: mode });
      try {
        const visitor = newVisitor(service);
        assert.match((await visitor.get('/sign-up')).text, /invitation|Only administrators/);
        assert.equal((await signUpAt(visitor, '/sign-up', 'ada')).status, 403);
        const { context } = service.app;
        const { url } = await createSignUpInvitation(context, undefined, 'ada@example.com');
        const path = pathOf(url ?? '');
        assert.equal((await visitor.get(path)).status, 200);
        assert.equal((await signUpAt(visitor, path, 'ada', 'wrong')).status, 422);
        assert.equal((await signUpAt(visitor, path, 'ada', 'other@example.com')).status, 422);
        const used = await signUpAt(visitor, path, 'ada');
        assert.equal(used.status, 303, 'a refusal uses nothing');
        assert.equal(await isSignedIn(visitor), true);
        const { verified } = await addressOf(service, 'ada@example.com');
        assert.equal(verified, null, 'a link that is passed on proves nothing');
        assert.equal((await newVisitor(service).get(path)).status, 404);
        assert.equal((await signUpAt(newVisitor(service), path, 'eve')).status, 404);
      } finally {
        await service.stop();
      }
    });
  }
});

describe('An invitation to sign up', () => {
  let service: Service;
  let root: Person;
  let eve: Person;

  before(async () => {
    service = await startWithVisitors({ SIGN_UP_BLOCKED_DOMAINS: 'spam.example' });
    root = await makeAdministrator(service, 'root-user');
    eve = await makePerson(service, 'eve');
  });
  after(() => service.stop());

  const invite = async (email: string, by = root) =>
    (await by.client.post('/admin/invitations', { email })).data;

  it('makes exactly one account of two at once', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `round-${round}@example.com`;
      const { url } = await invite(email);
      const names = [`first-${round}`, `second-${round}`];
      const answers = await Promise.all(
        names.map((name) => signUpAt(newVisitor(service), pathOf(url), name, email)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.ok(statuses[0] === 303 && [404, 422].includes(statuses[1] ?? 0), `${statuses}`);
      const found = await Promise.all(names.map((name) => root.client.get(`/users/${name}`)));
      assert.equal(found.filter(({ status }) => status === 200).length, 1);
    }
  });

  it('by mail: for one address, which it proves', async () => {
    const office = await openPostOffice();
    const mailing = await startWithVisitors(office.settings);
    const email = 'guest@example.net';
    const made = await createSignUpInvitation(mailing.app.context, undefined, email);
    assert.equal(made.url, null);
    const isToThem = ({ recipients }: { recipients: string[] }) => recipients.includes(email);
    await until('the mail', () => office.mails.some(isToThem));
    const path = linkIn(office.mails.find(isToThem)?.text, '/sign-up/with/');
    const visitor = newVisitor(mailing);
    assert.match((await visitor.get(path)).text, /value="guest@example.net"/);
    const other = await signUpAt(visitor, path, 'invitee', 'other@example.net');
    assert.match(other.text, /Must be guest@example.net/);
    assert.equal((await signUpAt(visitor, path, 'invitee', 'Guest@Example.net')).status, 303);
    assert.notEqual((await addressOf(mailing, email)).verified, null);
    await mailing.stop();
    await office.close();
  });

  it('ends when it is revoked, and after INVITATION_LIFETIME', async () => {
    const made = await invite('late@example.com');
    const gone = await invite('gone@example.com');
    const listed = (await root.client.get('/admin/invitations')).data;
    assert.deepEqual(
      listed.slice(0, 2).map(({ id, url }: { id: string; url: string }) => [id, url]),
      [gone, made].map(({ id, url }) => [id, url]),
    );
    await expectStatus(root.client.delete(`/admin/invitations/${gone.id}`), 204);
    assertError(await root.client.delete(`/admin/invitations/${gone.id}`), 404, 'NOT_FOUND');
    assert.equal((await newVisitor(service).get(pathOf(gone.url))).status, 404);
    assert.equal((await newVisitor(service).get(pathOf(made.url))).status, 200);
    service.advance(7 * DAY);
    assert.equal((await newVisitor(service).get(pathOf(made.url))).status, 404);
    assert.equal((await signUpAt(newVisitor(service), pathOf(made.url), 'late')).status, 404);
  });

  it('works only while its creator administers the instance', async () => {
    const { context } = service.app;
    const other = await makeAdministrator(service, 'other-admin');
    const path = pathOf((await invite('sneaky@example.com', other)).url);
    const isThere = async () => (await newVisitor(service).get(path)).status === 200;
    assert.equal(await isThere(), true);
    await setAccountDisabled(context, 'other-admin', true);
    assert.equal(await isThere(), false);
    assert.equal((await signUpAt(newVisitor(service), path, 'sneaky')).status, 404);
    await setAccountDisabled(context, 'other-admin', false);
    assert.equal(await isThere(), true);
    await setAdmin(context, undefined, { username: 'other-admin', isAdmin: false });
    assert.equal(await isThere(), false);
  });

  it('is for administrators', async () => {
    const email = 'x@example.com';
    const { id } = await invite(email);
    assertError(await eve.client.get('/admin/invitations'), 403, 'FORBIDDEN');
    assertError(await eve.client.post('/admin/invitations', { email }), 403, 'FORBIDDEN');
    assertError(await eve.client.delete(`/admin/invitations/${id}`), 403, 'FORBIDDEN');
    assert.equal((await eve.visitor.get('/admin/invitations')).status, 404);
    assert.equal((await eve.visitor.post('/admin/invitations', { email })).status, 404);
    assert.equal((await eve.visitor.post(`/admin/invitations/${id}/revoke`)).status, 404);
  });

  it('in the app', async () => {
    assert.equal((await root.visitor.post('/admin/invitations', { email: 'no' })).status, 422);
    const fields = { email: 'course@example.com' };
    const page = await submit(root.visitor, '/admin/invitations', fields);
    assert.match(page.text, /course@example\.com.*\/sign-up\/with\/[\w-]{32}/s);
    const [{ id }] = (await root.client.get('/admin/invitations')).data;
    assert.match(page.text, new RegExp(`/admin/invitations/${id}/revoke`));
    const revoked = await submit(root.visitor, `/admin/invitations/${id}/revoke`);
    assert.match(toastOf(revoked), /no longer works/);
  });

  it('addresses of blocked domains can’t be used, at sign-up or later', async () => {
    const { url } = await invite('a@spam.example');
    for (const path of ['/sign-up', pathOf(url)]) {
      const refused = await signUpAt(newVisitor(service), path, 'spammer', 'a@SPAM.example');
      assert.equal(refused.status, 422);
      assert.match(refused.text, /Addresses of this domain can’t be used/);
    }
    assert.equal(
      (await signUpAt(newVisitor(service), '/sign-up', 'fine', 'a@not-spam.example')).status,
      303,
    );
  });
});

describe('SIGN_UPS=domains', () => {
  let service: Service;
  let office: PostOffice;

  before(async () => {
    office = await openPostOffice();
    service = await startWithVisitors({
      ...office.settings,
      SIGN_UPS: 'domains',
      SIGN_UP_DOMAINS: 'example.com,*.example.org',
    });
  });
  after(async () => {
    await service.stop();
    await office.close();
  });

  it('refuses other addresses', async () => {
    for (const email of ['a@example.net', 'a@example.org', 'a@example.com.evil.net']) {
      const answer = await signUpAt(newVisitor(service), '/sign-up', 'ada', email);
      assert.equal(answer.status, 422, email);
      assert.match(
        answer.text,
        /Must be an address of example\.com or a subdomain of example\.org/,
      );
    }
  });

  it('there is an account once its address is verified, and not before', async () => {
    const visitor = newVisitor(service);
    const count = office.mails.length;
    const sent = await signUpAt(visitor, '/sign-up', 'grace', 'grace@math.example.org');
    assert.equal(sent.status, 200);
    assert.match(sent.text, /Look in your mail/);
    assert.equal(await isSignedIn(visitor), false);
    const signIn = { name: 'grace', password: PASSWORD };
    assert.equal((await visitor.post('/sign-in', signIn)).status, 422);
    const path = linkIn((await office.waitFor(count + 1)).text, '/sign-up/confirm/');
    const page = await newVisitor(service).get(path);
    assert.equal((await visitor.post('/sign-in', signIn)).status, 422, 'link checkers open links');
    const { action } = formWith(page, 'Create account');
    const password = PASSWORD;
    assert.equal((await visitor.post(action, { password })).status, 303);
    assert.equal(await isSignedIn(visitor), true);
    const again = await newVisitor(service).post(action, { password });
    assert.equal(again.status, 422);
    assert.match(again.text, /taken/);
    const changed = `${path.slice(0, -4)}AAAA`;
    assert.equal((await newVisitor(service).get(changed)).status, 404);
    assert.equal((await newVisitor(service).post(changed)).status, 422);
  });

  it('nobody gets an account whose password a stranger has chosen', async () => {
    const count = office.mails.length;
    // A stranger signs up with Mary's address, and Mary opens the link.
    await signUpAt(newVisitor(service), '/sign-up', 'mary', 'mary@math.example.org');
    const path = linkIn((await office.waitFor(count + 1)).text, '/sign-up/confirm/');
    const mary = newVisitor(service);
    assert.match((await mary.get(path)).text, /If you haven’t signed up, somebody else has/);
    for (const password of ['', 'another odd walnut']) {
      const refused = await mary.post(path, { password });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /id="password-fault"/);
    }
    assert.equal(await isSignedIn(mary), false);
    const signIn = { name: 'mary', password: PASSWORD };
    assert.equal((await newVisitor(service).post('/sign-in', signIn)).status, 422, 'no account');
  });

  it('doesn’t tell who has an account', async () => {
    const count = office.mails.length;
    const taken = await signUpAt(
      newVisitor(service),
      '/sign-up',
      'grace-again',
      'grace@math.example.org',
    );
    assert.equal(taken.status, 200);
    const free = await signUpAt(newVisitor(service), '/sign-up', 'free', 'free@example.com');
    const said = ({ text }: Answer) => text.replace(/<bdi>.*?<\/bdi>/, '');
    assert.equal(said(taken), said(free));
    const mail = await office.waitFor(count + 1);
    assert.deepEqual(mail.recipients, ['free@example.com']);
  });

  it('the link works for a day', async () => {
    const count = office.mails.length;
    await signUpAt(newVisitor(service), '/sign-up', 'slow', 'slow@example.com');
    const path = linkIn((await office.waitFor(count + 1)).text, '/sign-up/confirm/');
    service.advance(DAY);
    assert.equal((await newVisitor(service).get(path)).status, 404);
    assert.equal((await newVisitor(service).post(path)).status, 422);
  });

  it('settings that can’t work are refused at the start', () => {
    for (const [settings, problem] of [
      [{ SIGN_UPS: 'domains' }, /SIGN_UP_DOMAINS: is required/],
      [{ SIGN_UP_DOMAINS: 'example.com' }, /has no effect/],
      [{ SIGN_UPS: 'domains', SIGN_UP_DOMAINS: 'example.com' }, /needs SMTP_URL/],
      [{ SIGN_UP_VERIFICATION: 'required' }, /needs SMTP_URL/],
      [{ SIGN_UP_BLOCKED_DOMAINS: 'not a domain' }, /must list domains/],
    ] as const) {
      assert.throws(
        () => readConfig(settings),
        (error) => error instanceof ConfigError && problem.test(error.message),
      );
    }
  });
});

describe('SIGN_UP_VERIFICATION=required', () => {
  it('nothing for others before the address is verified, and everything after', async () => {
    const office = await openPostOffice();
    const service = await startWithVisitors({
      ...office.settings,
      SIGN_UP_VERIFICATION: 'required',
    });
    try {
      const { context } = service.app;
      for (const username of ['ada', 'grace']) {
        await createAccount(context, { username, email: `${username}@example.com` });
      }
      const ada = await userOf(service, 'ada');
      const grace = await userOf(service, 'grace');
      await verifyAddress(service, 'grace');
      const open = await makeDocument(grace, 'open');
      await expectStatus(grace.patch(`${open}/review-settings`, { comments: 'readers' }), 200);
      const own = await makeDocument(ada, 'own', { visibility: 'private' });
      await expectStatus(ada.patch(own, { content: 'Changed.' }), 200);
      await expectStatus(ada.post('/user/orgs', { namespace: 'guild', name: 'Guild' }), 201);
      const deeds = [
        () => ada.post('/user/briefs', { name: 'loud', content: 'x' }),
        () => ada.post('/user/pages', { name: 'loud', html: 'x' }),
        () => ada.patch(own, { visibility: 'public' }),
        () => ada.post(`${own}/links`, { access: 'read' }),
        () => ada.put(`${own}/collaborators/grace`, { permission: 'read' }),
        () => ada.post(`${own}/email_invitations`, { email: 'x@example.net', permission: 'read' }),
        () => ada.put('/orgs/guild/members/grace', {}),
        () => ada.post(`${open}/threads`, { body: 'Buy!' }),
        () => ada.post(`${open}/edits`, { edits: [{ op: 'append', content: 'x' }], propose: true }),
      ];
      for (const [index, deed] of deeds.entries()) {
        const answer = await deed();
        assertError(answer, 403, 'FORBIDDEN', /Verify your email address.*settings\/notifications/);
        assert.ok(index >= 0);
      }
      await expectStatus(ada.post(`${own}/threads`, { body: 'To myself.' }), 201);
      const shared = await makeDocument(grace, 'shared', { visibility: 'private' });
      await collaborate(grace, shared, ada, 'write');
      await expectStatus(ada.post(`${shared}/threads`, { body: 'As asked.' }), 201);
      await verifyAddress(service, 'ada');
      for (const deed of deeds) {
        const { status, text } = await deed();
        assert.ok(status < 300 || status === 422, text);
      }
    } finally {
      await service.stop();
      await office.close();
    }
  });
});
