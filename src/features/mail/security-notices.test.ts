import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { freePorts } from '../../../test/free-ports.ts';

import {
  type Delivered,
  openPostOffice,
  queued,
  verificationPath,
  verify,
} from '../../../test/mail/post-office.ts';
import { decideAt, EVERYTHING, makePkce, obtainCode, register } from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { succeed } from '../../../test/process.ts';
import { departure, goThrough, leadsTo, startOidcServer } from '../../../test/servers/oidc.ts';
import { addPasskey, makeAuthenticator } from '../../../test/sign-in/authenticator.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { stackSettings } from '../../../test/stack.ts';
import { until } from '../../../test/until.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';
import { setPassword } from '../accounts/password-service.ts';
import { resetLink } from '../accounts/reset-service.ts';
import { recoveryCodesIn, setUpCodes } from '../factors/factors.testing.ts';
import { resetSecondFactor } from '../factors/reset-factor-service.ts';

const NEXT = 'another odd walnut';

let counter = 0;

interface Person {
  username: string;
  address: string;
  browser: Visitor;
}

/** Someone who has just signed up. */
async function newcomer(): Promise<Person> {
  counter += 1;
  const username = `ada${counter}`;
  const browser = await signUp(service, username, { address: `198.51.100.${counter % 250}` });
  return { username, address: `${username}@example.com`, browser };
}

/** Someone with a verified address, and no mail that waits. */
async function person(): Promise<Person> {
  const { username, address, browser } = await newcomer();
  const path = await verificationPath(office, address);
  assert.equal((await browser.post(path)).status, 200);
  return { username, address, browser };
}

const allSent = () => until('an empty queue', async () => (await queued(service)) === 0);

/** Waits until all is sent. @returns the only mail, without its footer */
async function onlyMail(address: string): Promise<Delivered & { body: string }> {
  await allSent();
  assert.equal(office.mails.length, 1, office.mails.map(({ subject }) => subject).join());
  const mail = office.mails.pop() as Delivered;
  assert.deepEqual(mail.recipients, [address]);
  assert.doesNotMatch(mail.raw, /unsubscribe/i);
  assert.match(mail.text ?? '', /If this wasn’t you, [^\n]*\.\n/);
  assert.match(mail.text ?? '', /-- \nYou get this mail because it is about the security of your/);
  return { ...mail, body: (mail.text ?? '').split('-- ')[0] as string };
}

async function noMail(): Promise<void> {
  await allSent();
  assert.deepEqual(
    office.mails.map(({ subject }) => subject),
    [],
  );
}

const idOf = async ({ username }: Person) => {
  const { read } = service.app.context.sql;
  const owner = read.selectFrom('owner').where('namespace', '=', username).select('id');
  return (await owner.executeTakeFirstOrThrow()).id;
};

const office = await openPostOffice();
const service = await startWithVisitors(office.settings);
after(async () => {
  await service.stop();
  await office.close();
});
beforeEach(async () => {
  await allSent();
  office.mails.length = 0;
  office.answer = 250;
});

describe('A mail about the security of an account', () => {
  const changePassword = ({ browser }: Person) =>
    browser.post('/settings/password', { current: PASSWORD, password: NEXT });

  it('tells of a new password: when, and by which means', async () => {
    const ada = await person();
    assert.equal((await changePassword(ada)).status, 303);
    const { subject, body, html } = await onlyMail(ada.address);
    assert.equal(subject, 'Your account has a new password');
    const date = service.app.context.now().slice(0, 10);
    assert.match(
      body,
      new RegExp(`account ${ada.username} was set on ${date} at \\d\\d:\\d\\d UTC`),
    );
    assert.match(body, /, in the web app\./);
    assert.doesNotMatch(body, /walnut/);
    assert.ok(typeof html === 'string');
    assert.doesNotMatch(html, /<(img|script|link|iframe)/, 'nothing to load');
    await setPassword(service.app.context, ada.username, 'a third odd walnut');
    assert.match((await onlyMail(ada.address)).body, /, by an operator of this server\./);
  });

  it('brings a link to a new password, which works once and ends all sessions', async () => {
    const ada = await person();
    const stranger = newVisitor(service, { address: '198.51.100.251' });
    const ask = (name: string) => stranger.post('/sign-in/forgot', { name });
    const resetPath = async () => {
      const { body } = await onlyMail(ada.address);
      return /\/sign-in\/reset\/\S+/.exec(body)?.[0] ?? '';
    };
    const said = (text: string) => text.replace(/<bdi>.*?<\/bdi>/, '');
    const answers = [await ask('nobody'), await ask(ada.username)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(said(answers[0]?.text ?? ''), said(answers[1]?.text ?? ''), 'the same for all');
    const first = await resetPath();
    assert.equal((await ask(` ${ada.address.toUpperCase()} `)).status, 200);
    const path = await resetPath();
    assert.match((await stranger.get(path)).text, new RegExp(ada.username));
    const weak = await stranger.post(path, { password: 'short' });
    assert.equal(weak.status, 422);
    assert.match(weak.text, /At least 8|at least 8/);
    assert.equal((await stranger.post(path, { password: NEXT })).status, 200);
    assert.equal((await onlyMail(ada.address)).subject, 'Your account has a new password');
    for (const used of [path, first]) {
      assert.equal((await stranger.get(used)).status, 404);
      assert.equal((await stranger.post(used, { password: 'a third odd walnut' })).status, 404);
    }
    assert.match(
      (await ada.browser.get('/settings/password')).headers.get('location') ?? '',
      /sign-in/,
    );
    const again = newVisitor(service, { address: '198.51.100.252' });
    const signedInAgain = await again.post('/sign-in', { name: ada.username, password: NEXT });
    assert.equal(signedInAgain.status, 303);
  });

  it('brings no link to an unverified address, nor more than five an hour', async () => {
    const ada = await newcomer();
    await allSent();
    office.mails.length = 0;
    const stranger = newVisitor(service, { address: '198.51.100.253' });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await stranger.post('/sign-in/forgot', { name: ada.username })).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
    await noMail();
    const link = await resetLink(service.app.context, ada.username);
    const path = new URL(link).pathname;
    assert.equal((await stranger.post(path, { password: NEXT })).status, 200, 'by the operator');
    const forged = path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    assert.equal((await stranger.get(forged)).status, 404);
  });

  it('tells of a new token by its name, never the token', async () => {
    const ada = await person();
    const form = [
      ['name', 'release'],
      ['lifetime', '30'],
      ['scopes', 'profile'],
    ] as [string, string][];
    const made = await ada.browser.post('/settings/tokens', form);
    const token = /brf_[0-9A-Za-z]+/.exec(made.text)?.[0] ?? '';
    assert.match(token, /^brf_/);
    const { subject, body, raw } = await onlyMail(ada.address);
    assert.equal(subject, 'New access token “release”');
    assert.ok(body.includes(`${service.webUrl}/settings/tokens`), body);
    assert.ok(!raw.includes(token));
    const settings = {
      ...office.settings,
      ...(await stackSettings(service.config.dataDir)),
      DATA_DIR: service.config.dataDir,
    };
    const byCommand = (
      await succeed(['tokens', 'create', ada.username, '--name', 'by command'], settings)
    ).trim();
    const mail = await onlyMail(ada.address);
    assert.equal(mail.subject, 'New access token “by command”');
    assert.match(mail.body, /, by an operator of this server\./);
    assert.ok(!mail.raw.includes(byCommand));
  });

  it('tells the former address of another one', async () => {
    const ada = await person();
    const change = (email: string) =>
      ada.browser.post('/settings/email', { email, current: PASSWORD });
    assert.equal((await change(ada.address.toUpperCase())).status, 303);
    await allSent();
    assert.deepEqual(
      office.mails.map(({ subject }) => subject),
      ['Verify your email address'],
      'the same address',
    );
    office.mails.length = 0;
    await verify(service, ada.username);
    assert.equal((await change(`new-${ada.address}`)).status, 303);
    await verificationPath(office, `new-${ada.address}`);
    const { subject, body } = await onlyMail(
      ada.address.replace(/^ada\d+/, (name) => name.toUpperCase()),
    );
    assert.equal(subject, 'Your account has another email address');
    assert.doesNotMatch(body, /new-/, 'whoever has the former address doesn’t learn the new one');
  });

  it('tells of an application, unless it already can do as much', async () => {
    const ada = await person();
    const browser = await signedIn(service, await idOf(ada));
    const client = await register(service, { client_name: 'Scribe' });
    const connect = (scopes: string[]) =>
      obtainCode(service, browser, client, { scopes, challenge: makePkce().challenge });
    await connect(['profile']);
    const { subject, body } = await onlyMail(ada.address);
    assert.equal(subject, '“Scribe” is connected to your account');
    assert.match(body, /calls itself “Scribe” \(127\.0\.0\.1/);
    assert.ok(body.includes(`${service.webUrl}/settings/applications`), body);
    await connect(['profile']);
    await noMail();
    await connect(EVERYTHING);
    assert.match((await onlyMail(ada.address)).subject ?? '', /Scribe/, 'it can do more now');
  });

  it('tells of an application on a device each time: anybody could have started it there', async () => {
    const ada = await person();
    const browser = await signedIn(service, await idOf(ada));
    const grant_types = ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
    const client = await register(service, { client_name: 'Shell', grant_types });
    for (let time = 0; time < 2; time++) {
      const body = new URLSearchParams({ client_id: client.client_id });
      const asked = await fetch(`${service.baseUrl}/oauth/device`, { method: 'POST', body });
      const { user_code: code } = (await asked.json()) as { user_code: string };
      const page = `${service.webUrl}/connect/device`;
      const entered = await browser.submit(page, [['user_code', code]]);
      const consent = service.webUrl + entered.headers.get('location');
      assert.equal((await decideAt(browser, consent, ['profile'])).status, 200);
      assert.match((await onlyMail(ada.address)).body, /“Shell” \(device at /);
    }
  });

  it('tells of a deleted account, also if more happened right before', async () => {
    const ada = await person();
    office.answer = 451;
    assert.equal((await changePassword(ada)).status, 303);
    const sent = { confirmation: ada.username, password: NEXT };
    assert.equal((await ada.browser.post('/settings/account/delete', sent)).status, 303);
    office.answer = 250;
    service.advance(60 * 60_000);
    await allSent();
    const subjects = office.mails.map(({ subject, recipients }) => `${subject} ${recipients}`);
    assert.deepEqual(subjects.sort(), [
      `Your account has a new password ${ada.address}`,
      `Your account was deleted ${ada.address}`,
    ]);
    office.mails.length = 0;
    const grace = await person();
    await deleteUser(service.app.context, grace.username);
    const { body } = await onlyMail(grace.address);
    assert.match(body, /Your account ada\d+ and its documents were deleted .* by an operator/);
    const { read } = service.app.context.sql;
    const rows = await read.selectFrom('mail').selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes(grace.username), 'nothing of it stays');
  });

  it('has no setting, and reaches a disabled account', async () => {
    const ada = await person();
    assert.equal((await ada.browser.post('/settings/notifications', {})).status, 303);
    await setAccountDisabled(service.app.context, ada.username, true);
    await setPassword(service.app.context, ada.username, NEXT);
    await onlyMail(ada.address);
  });

  it('isn’t sent to an unverified address, or about what didn’t happen', async () => {
    const stranger = await newcomer();
    await verificationPath(office, stranger.address);
    assert.equal((await changePassword(stranger)).status, 303);
    await noMail();
    const ada = await person();
    const wrong = { current: 'wrong', password: NEXT };
    assert.equal((await ada.browser.post('/settings/password', wrong)).status, 422);
    const taken = { email: stranger.address, current: PASSWORD };
    assert.equal((await ada.browser.post('/settings/email', taken)).status, 422);
    await signIn(newVisitor(service), ada.username, 'wrong');
    await noMail();
  });

  it('has names on one line', async () => {
    const ada = await person();
    const browser = await signedIn(service, await idOf(ada));
    const client = await register(service, { client_name: 'Bcc: eve@evil.example' });
    await obtainCode(service, browser, client, { challenge: makePkce().challenge });
    const { raw } = await onlyMail(ada.address);
    assert.doesNotMatch(raw, /^Bcc:/m);
  });
});

describe('A mail about the ways to sign in', () => {
  const SECURITY = '/settings/security';
  /** Requires that exactly one mail came, with this subject, and that it says so. */
  async function tells({ address }: Pick<Person, 'address'>, subject: string, says: RegExp) {
    const mail = await onlyMail(address);
    assert.equal(mail.subject, subject);
    assert.match(mail.body, says);
    assert.match(mail.body, /on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, (in the web app|by an operator)/);
    return mail;
  }

  it('tells of each passkey that is added or removed, by its name', async () => {
    const ada = await person();
    const key = makeAuthenticator(service.webUrl);
    assert.equal((await addPasskey(ada.browser, key, 'Phone')).status, 201);
    const added = await tells(ada, 'New passkey “Phone”', /Who has it can sign in/);
    assert.match(added.body, /If this wasn’t you, remove it/);
    assert.match(added.body, /\/settings\/security/);
    assert.equal((await addPasskey(ada.browser, key, 'Again')).status, 422);
    await noMail();
    const { text } = await ada.browser.get(SECURITY);
    const path = /href="([^"]+\/remove)"/.exec(text)?.[1] ?? '';
    assert.equal((await ada.browser.post(path)).status, 303);
    await tells(ada, 'Passkey “Phone” removed', /was removed from your account/);
    await ada.browser.post(path);
    await noMail();
  });

  it('tells of one-time codes, and of recovery codes that are made or used', async () => {
    const ada = await person();
    const { app } = await setUpCodes(service, ada.browser);
    await tells(ada, 'One-time codes are on', /Signing in now needs one/);
    const made = await ada.browser.post(`${SECURITY}/recovery-codes`);
    const codes = recoveryCodesIn(made.text);
    const mail = await tells(ada, 'New recovery codes', /The earlier ones no longer work/);
    assert.ok(!codes.some((code) => mail.raw.includes(code)), 'without the codes');
    const { username } = ada;
    await signIn(ada.browser, username);
    const second = await ada.browser.post('/sign-in/second', { code: codes[0] ?? '' });
    assert.equal(second.status, 303);
    await tells(ada, 'A recovery code was used', /can’t be used again; 9 are left/);
    service.advance(90_000);
    const wrong = { password: 'wrong', code: app.code() };
    assert.equal((await ada.browser.post(`${SECURITY}/codes/off`, wrong)).status, 422);
    await noMail();
    const off = { password: PASSWORD, code: app.code() };
    assert.equal((await ada.browser.post(`${SECURITY}/codes/off`, off)).status, 303);
    await tells(ada, 'One-time codes are off', /were turned off/);
    service.advance(90_000);
    await setUpCodes(service, ada.browser);
    await tells(ada, 'One-time codes are on', /were turned on/);
    await resetSecondFactor(service.app.context, undefined, username);
    await tells(ada, 'Your second factor was removed', /by an operator of this server/);
  });

  it('tells when the account is linked to a sign-in at the provider, and unlinked', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const redirectUri = `http://localhost:${port}/sign-in/callback`;
    const oidc = await startOidcServer({ redirectUri });
    const upstream = await startWithVisitors({ ...ports, ...oidc.settings, ...office.settings });
    try {
      const browser = await signUp(upstream, 'linus');
      await verify(upstream, 'linus');
      const mailed = async () => {
        await until('all mail sent', async () => (await queued(upstream)) === 0);
        return office.mails.splice(0).map(({ subject }) => subject);
      };
      await mailed();
      const link = () => browser.post(`${SECURITY}/provider/link`);
      const back = await goThrough(oidc, leadsTo(await link()));
      assert.equal((await browser.get(back.href)).status, 303);
      assert.deepEqual(await mailed(), ['Your account is linked to Example ID']);
      const again = await goThrough(oidc, leadsTo(await link()));
      assert.equal((await browser.get(again.href)).status, 422);
      assert.deepEqual(await mailed(), []);
      const [, id = ''] =
        /name="id" value="([^"]+)"/.exec((await browser.get(SECURITY)).text) ?? [];
      await browser.post(`${SECURITY}/provider/unlink`, { id });
      assert.deepEqual(await mailed(), ['Your account is no longer linked to Example ID']);
    } finally {
      await upstream.stop();
      await oidc.close();
    }
  });
});

describe('A mail about a new browser', () => {
  const agent = 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0';

  it('is sent at the first sign-in there, not at sign-up, and not again', async () => {
    const ada = await person();
    await ada.browser.post('/sign-out');
    assert.equal((await signIn(ada.browser, ada.username)).status, 303);
    await noMail();
    const elsewhere = newVisitor(service, { agent });
    assert.equal((await signIn(elsewhere, ada.username)).status, 303);
    const { subject, body } = await onlyMail(ada.address);
    assert.equal(subject, 'New sign-in to your account');
    assert.match(body, /A new browser \(Firefox on Windows\) signed in to your account/);
    assert.doesNotMatch(body, /192\.0\.2|198\.51\.100/, 'no IP address');
    assert.ok(body.includes(`${service.webUrl}/settings/sessions`), body);
    await elsewhere.post('/sign-out');
    assert.equal((await signIn(elsewhere, ada.username)).status, 303);
    await noMail();
  });

  it('isn’t sent if several accounts take turns in one browser', async () => {
    const [ada, grace] = [await person(), await person()];
    const shared = newVisitor(service, { agent });
    for (const { username, address } of [ada, grace]) {
      assert.equal((await signIn(shared, username)).status, 303);
      await onlyMail(address);
    }
    for (let times = 0; times < 3; times += 1) {
      for (const { username } of [ada, grace]) {
        assert.equal((await signIn(shared, username)).status, 303);
      }
    }
    await noMail();
    const form = { current: PASSWORD, password: NEXT };
    assert.equal((await shared.post('/settings/password', form)).status, 303);
    assert.match((await onlyMail(grace.address)).subject ?? '', /new password/);
    assert.equal((await signIn(shared, ada.username)).status, 303);
    assert.equal((await signIn(shared, grace.username, NEXT)).status, 303);
    await noMail();
  });

  it('is sent to all browsers that don’t know a new password', async () => {
    const ada = await person();
    await setPassword(service.app.context, ada.username, NEXT);
    await onlyMail(ada.address);
    assert.equal((await signIn(ada.browser, ada.username, NEXT)).status, 303);
    assert.equal((await onlyMail(ada.address)).subject, 'New sign-in to your account');
  });

  it('is sent the same way after a sign-in at a provider', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const oidc = await startOidcServer({
      redirectUri: `http://localhost:${port}/sign-in/callback`,
    });
    const upstream = await startWithVisitors({ ...ports, ...oidc.settings, ...office.settings });
    try {
      const enter = async (visitor: Visitor) => {
        const back = await goThrough(oidc, await departure(visitor));
        return (await visitor.get(back.href)).headers.get('location');
      };
      const email = 'mary@idp.example';
      oidc.person = { sub: 'mary', claims: { email, email_verified: true } };
      const browser = newVisitor(upstream);
      assert.equal(await enter(browser), '/sign-up/upstream');
      const form = { username: 'mary', email };
      assert.equal((await browser.post('/sign-up/upstream', form)).status, 303);
      assert.equal(await enter(browser), '/');
      assert.equal(await enter(newVisitor(upstream, { agent })), '/');
      await until('all mail sent', async () => (await queued(upstream)) === 0);
      const { text, subject } = await office.waitFor(1);
      assert.equal(subject, 'New sign-in to your account');
      assert.match(text ?? '', /Firefox on Windows/);
    } finally {
      await upstream.stop();
      await oidc.close();
    }
  });
});
