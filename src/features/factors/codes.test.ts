import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import type { Answer } from '../../../test/harness.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { rotateAuthorizationKeys } from '../../core/identity/key-service.ts';
import { setPassword } from '../accounts/password-service.ts';
import { resetLink } from '../accounts/reset-service.ts';
import { type Codes, PERIOD, recoveryCodesIn, setUpCodes } from './factors.testing.ts';

const MINUTE = 60_000;
const SECOND = '/sign-in/second';

describe('One-time codes', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  // So that no code of an earlier test is used.
  beforeEach(() => service.advance(3 * PERIOD));

  let counter = 0;
  /** Someone with codes. */
  async function person(): Promise<Codes & { username: string; browser: Visitor }> {
    counter += 1;
    const username = `ada${counter}`;
    const browser = await signUp(service, username, { address: `198.51.100.${counter}` });
    const codes = await setUpCodes(service, browser);
    service.advance(3 * PERIOD);
    return { ...codes, username, browser };
  }
  const elsewhere = () => newVisitor(service, { address: `203.0.113.${++counter}` });
  const locationOf = ({ headers }: Answer) => headers.get('location');

  /** A browser in which somebody has given the password. */
  async function half(username: string, next = '/settings'): Promise<Visitor> {
    const visitor = elsewhere();
    const answer = await signIn(visitor, username, PASSWORD, { next });
    assert.equal(locationOf(answer), SECOND, answer.text);
    return visitor;
  }

  it('are set up with a QR code, a key and a first code; ten recovery codes are shown once', async () => {
    const ada = await signUp(service, 'first');
    const page = await ada.get('/settings/security/codes');
    assert.match(page.text, /<svg class="qr"/);
    assert.match(page.text, /autocomplete="one-time-code"/);
    const [, sealed = ''] = /name="secret" value="([^"]+)"/.exec(page.text) ?? [];
    const wrong = await ada.post('/settings/security/codes', { secret: sealed, code: '000000' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="code-fault"/);
    const { recovery, app } = await setUpCodes(service, ada);
    assert.equal(new Set(recovery).size, 10);
    for (const code of recovery) assert.match(code, /^([0-9a-z]{4}-){5}[0-9a-z]{4}$/);
    const after = await ada.get('/settings/security');
    assert.match(after.text, /On since/);
    assert.match(after.text, /You have 10 left/);
    assert.ok(!after.text.includes(recovery[0] as string));
    const { read } = service.app.context.sql;
    const stored = JSON.stringify([
      await read.selectFrom('code_generator').selectAll().execute(),
      await read.selectFrom('recovery_code').selectAll().execute(),
    ]);
    for (const secret of [app.secret, ...recovery]) assert.ok(!stored.includes(secret));
    // Another browser's key is worth nothing, and nobody turns codes on twice.
    const other = await signUp(service, 'other');
    const foreign = await other.post('/settings/security/codes', {
      secret: sealed,
      code: app.code(1),
    });
    assert.equal(foreign.status, 303);
    assert.doesNotMatch((await other.get('/settings/security')).text, /On since/);
    const again = await ada.post('/settings/security/codes', { secret: sealed, code: app.code() });
    assert.equal(again.status, 422);
  });

  it('are asked for after the password; a session exists only after both', async () => {
    const { username, app } = await person();
    const visitor = await half(username, '/settings/tokens');
    assert.deepEqual([...visitor.cookies.keys()], ['briefs-half']);
    assert.equal(await whoIs(visitor), undefined);
    assert.match((await visitor.get(SECOND)).text, new RegExp(`<strong>${username}</strong>`));
    const wrong = await visitor.post(SECOND, { code: '123456' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /Wrong code/);
    assert.equal(await whoIs(visitor), undefined);
    const right = await visitor.post(SECOND, { code: app.code() });
    assert.equal(locationOf(right), '/settings/tokens');
    assert.equal(await whoIs(visitor), username);
    assert.ok(!visitor.cookies.has('briefs-half'));
  });

  it('the half session reaches nothing', async () => {
    const { username } = await person();
    const visitor = await half(username);
    const sealed = visitor.cookies.get('briefs-half') ?? '';
    for (const cookie of ['briefs-session', 'briefs-device', 'briefs-challenge']) {
      visitor.cookies.set(cookie, sealed);
    }
    for (const path of ['/settings', '/settings/security', '/settings/security/codes', '/export']) {
      assert.match(locationOf(await visitor.get(path)) ?? '', /^\/sign-in/, path);
    }
    for (const path of [
      '/settings/tokens',
      '/settings/security/recovery-codes',
      '/settings/confirm',
    ]) {
      const answer = await visitor.post(path, { proof_password: PASSWORD, next: '/settings' });
      assert.match(locationOf(answer) ?? '', /^\/sign-in/, path);
    }
    assert.equal((await visitor.post('/settings/confirm/options')).status, 303);
    assert.equal(await whoIs(visitor), undefined);
  });

  it('a code is accepted once, one step early or late, and no further off', async () => {
    const { username, app } = await person();
    for (const step of [-2, 2]) {
      const visitor = await half(username);
      assert.equal((await visitor.post(SECOND, { code: app.code(step) })).status, 422, `${step}`);
    }
    const late = await half(username);
    assert.equal((await late.post(SECOND, { code: app.code(-1) })).status, 303, 'late');
    const code = app.code();
    const now = await half(username);
    assert.equal(
      (await now.post(SECOND, { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })).status,
      303,
    );
    assert.equal((await (await half(username)).post(SECOND, { code })).status, 422, 'again');
    assert.equal(
      (await (await half(username)).post(SECOND, { code: app.code(-1) })).status,
      422,
      'an earlier one',
    );
    assert.equal((await (await half(username)).post(SECOND, { code: app.code(1) })).status, 303);
  });

  it('of many at once with one code, one gets in', async () => {
    const { username, app, recovery } = await person();
    for (const code of [app.code(), recovery[0] as string]) {
      const visitors = await Promise.all(Array.from({ length: 5 }, () => half(username)));
      const answers = await Promise.all(visitors.map((one) => one.post(SECOND, { code })));
      assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    }
  });

  it('a recovery code is accepted once, however it is typed; new ones replace all', async () => {
    const { username, browser, recovery } = await person();
    const [first = '', second = '', third = ''] = recovery;
    const typed = first
      .toUpperCase()
      .replaceAll('-', ' ')
      .replaceAll('0', 'O')
      .replaceAll('1', 'l');
    assert.equal((await (await half(username)).post(SECOND, { code: typed })).status, 303);
    assert.equal((await (await half(username)).post(SECOND, { code: first })).status, 422);
    assert.equal((await (await half(username)).post(SECOND, { code: second })).status, 303);
    assert.match((await browser.get('/settings/security')).text, /You have 8 left/);
    const renewed = await browser.post('/settings/security/recovery-codes');
    assert.equal(renewed.status, 201);
    assert.equal((await (await half(username)).post(SECOND, { code: third })).status, 422);
    const [fresh = ''] = recoveryCodesIn(renewed.text);
    assert.equal((await (await half(username)).post(SECOND, { code: fresh })).status, 303);
    const { recovery: foreign } = await person();
    const wrong = await (await half(username)).post(SECOND, { code: foreign[0] as string });
    assert.equal(wrong.status, 422, 'of another account');
  });

  it('guesses are limited, from wherever they come', async () => {
    const { username, app, recovery } = await person();
    for (let failures = 0; failures < 10; failures++) {
      const visitor = await half(username);
      const code = failures % 2 ? '123456' : 'aaaa-bbbb-cccc-dddd';
      assert.equal((await visitor.post(SECOND, { code })).status, 422);
    }
    for (const code of [app.code(), recovery[0] as string]) {
      const refused = await (await half(username)).post(SECOND, { code });
      assert.equal(refused.status, 429);
      assert.match(refused.text, /Too many attempts/);
    }
  });

  it('the password is good for ten minutes, until it changes or the account is disabled', async () => {
    const { context } = service.app;
    const { username, app } = await person();
    const late = await half(username);
    service.advance(11 * MINUTE);
    assert.equal(locationOf(await late.post(SECOND, { code: app.code() })), '/sign-in');
    const disabled = await half(username);
    await setAccountDisabled(context, username, true);
    assert.equal(locationOf(await disabled.post(SECOND, { code: app.code() })), '/sign-in');
    await setAccountDisabled(context, username, false);
    const changed = await half(username);
    await setPassword(context, username, 'another odd walnut');
    assert.equal(locationOf(await changed.post(SECOND, { code: app.code() })), '/sign-in');
    for (const forged of ['', 'x', changed.cookies.get('briefs-half') ?? '']) {
      const visitor = elsewhere();
      visitor.cookies.set('briefs-half', forged);
      assert.equal(locationOf(await visitor.get(SECOND)), '/sign-in');
    }
  });

  it('a new password doesn’t get round them', async () => {
    const { username, app } = await person();
    const visitor = elsewhere();
    const path = new URL(await resetLink(service.app.context, username)).pathname;
    assert.equal((await visitor.post(path, { password: 'another odd walnut' })).status, 200);
    assert.equal(await whoIs(visitor), undefined);
    const answer = await signIn(visitor, username, 'another odd walnut');
    assert.equal(locationOf(answer), SECOND);
    assert.equal(await whoIs(visitor), undefined);
    assert.equal((await visitor.post(SECOND, { code: app.code() })).status, 303);
    assert.equal(await whoIs(visitor), username);
  });

  it('whether an account has them, only its password tells', async () => {
    const { username } = await person();
    await signUp(service, 'without');
    const strip = ({ status, text }: Answer) => [status, text.replace(/value="[^"]*"/g, '')];
    const [one, other] = [
      await signIn(elsewhere(), username, 'wrong'),
      await signIn(elsewhere(), 'without', 'wrong'),
    ];
    assert.deepEqual(strip(one), strip(other));
    assert.deepEqual([...one.headers.keys()], [...other.headers.keys()]);
  });

  it('are turned off with password and code; then the password signs in', async () => {
    const { username, browser, app } = await person();
    const off = (form: Record<string, string>) =>
      browser.post('/settings/security/codes/off', form);
    assert.equal((await off({ password: 'wrong', code: app.code() })).status, 422);
    assert.equal((await off({ password: PASSWORD, code: '123456' })).status, 422);
    assert.equal((await off({ password: PASSWORD, code: '' })).status, 422);
    assert.match((await browser.get('/settings/security')).text, /On since/);
    assert.equal((await off({ password: PASSWORD, code: app.code() })).status, 303);
    const visitor = elsewhere();
    assert.equal(locationOf(await signIn(visitor, username)), '/');
    const rows = await service.app.context.sql.read
      .selectFrom('recovery_code')
      .innerJoin('owner', 'owner.id', 'recovery_code.accountId')
      .where('owner.namespace', '=', username)
      .selectAll('recovery_code')
      .execute();
    assert.equal(rows.length, 0);
  });

  it('keep working when the server’s keys are changed twice', async () => {
    const { username, app } = await person();
    for (let times = 0; times < 2; times++) await rotateAuthorizationKeys(service.app.context);
    const visitor = await half(username);
    assert.equal((await visitor.post(SECOND, { code: app.code() })).status, 303);
  });

  it('nobody sets a code for somebody else from another site', async () => {
    const { username, app } = await person();
    const visitor = await half(username);
    const code = app.code();
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      assert.equal((await visitor.post(SECOND, { code }, headers)).status, 403);
    }
    assert.equal(await whoIs(visitor), undefined);
  });

  it('turning them on or off offers to sign out everywhere else', async () => {
    const here = await signUp(service, 'offered');
    const there = newVisitor(service);
    await signIn(there, 'offered');
    const { app } = await setUpCodes(service, here);
    const OFFER = /action="\/settings\/sessions\/end-others"/g;
    const offers = async () => (await here.get('/settings/security')).text.match(OFFER)?.length;
    assert.equal(await offers(), 1, 'beside the settings');
    service.advance(3 * PERIOD);
    const off = { password: PASSWORD, code: app.code() };
    assert.equal((await here.post('/settings/security/codes/off', off)).status, 303);
    assert.equal(await offers(), 2, 'and with the message');
    await here.post('/settings/sessions/end-others');
    assert.deepEqual([await whoIs(here), await whoIs(there)], ['offered', undefined]);
    assert.equal(await offers(), undefined);
  });
});
