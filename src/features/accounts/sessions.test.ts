import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { type SignedIn, startSession } from '../../core/identity/session-service.ts';
import { signIn as checkPassword } from './sign-in-service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const COOKIE = 'briefs-session';

describe('Sessions', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());

  const rows = () => service.app.context.sql.read.selectFrom('session').selectAll().execute();

  it('have a cookie that scripts and other sites can’t read; only its hash is stored', async () => {
    const visitor = newVisitor(service);
    const form = { username: 'ada', email: 'ada@example.com', password: PASSWORD };
    const { headers } = await visitor.post('/sign-up', form);
    const line = headers.getSetCookie().find((cookie) => cookie.startsWith(COOKIE)) ?? '';
    const [pair = '', ...attributes] = line.split('; ');
    assert.ok(pair.length - COOKIE.length - 1 >= 27, '160 bits at least');
    assert.deepEqual(attributes.sort(), [
      'HttpOnly',
      `Max-Age=${(90 * DAY) / 1000}`,
      'Path=/',
      'SameSite=Lax',
    ]);
    const stored = JSON.stringify(await rows());
    assert.ok(!stored.includes(visitor.cookies.get(COOKIE) ?? '?'));
  });

  it('behind https, have a cookie name that no other host can set', async () => {
    const secure = await startWithVisitors({
      WEB_URL: 'https://briefs.example',
      RENDER_URL: 'https://render.example',
      BASE_URL: service.baseUrl,
    });
    try {
      const webUrl = `http://localhost:${secure.config.port}`;
      const visitor = newVisitor({ webUrl });
      const form = { username: 'ada', email: 'ada@example.com', password: PASSWORD };
      const headers = { origin: 'https://briefs.example' };
      const answer = await visitor.post('/sign-up', form, headers);
      assert.equal(answer.status, 303);
      for (const line of answer.headers.getSetCookie()) {
        assert.match(line, /^__Host-briefs-(session|device)=/);
        assert.match(line, /; Secure/);
        assert.match(line, /; Path=\/(;|$)/);
        assert.doesNotMatch(line, /domain/i);
      }
      assert.equal(await whoIs(visitor), 'ada');
    } finally {
      await secure.stop();
    }
  });

  it('are new at each sign-in, so a planted cookie is worthless', async () => {
    await signUp(service, 'fixed');
    const visitor = newVisitor(service);
    visitor.cookies.set(COOKIE, 'planted');
    await signIn(visitor, 'fixed');
    const first = visitor.cookies.get(COOKIE);
    assert.notEqual(first, 'planted');
    await signIn(visitor, 'fixed');
    assert.notEqual(visitor.cookies.get(COOKIE), first);
    const thief = newVisitor(service);
    for (const token of ['planted', first as string]) {
      thief.cookies.set(COOKIE, token);
      assert.equal(await whoIs(thief), undefined);
    }
    assert.equal(await whoIs(visitor), 'fixed');
  });

  it('signing out ends the session, not only the cookie', async () => {
    const visitor = await signUp(service, 'leaver');
    const token = visitor.cookies.get(COOKIE) as string;
    const answer = await visitor.post('/sign-out');
    assert.equal(answer.status, 303);
    assert.equal(visitor.cookies.has(COOKIE), false);
    visitor.cookies.set(COOKIE, token);
    assert.equal(await whoIs(visitor), undefined);
  });

  it('a repeated cookie is ignored', async () => {
    const visitor = await signUp(service, 'tossed');
    const token = visitor.cookies.get(COOKIE);
    const other = (await signUp(service, 'tosser')).cookies.get(COOKIE);
    for (const cookie of [
      `${COOKIE}=${token}; ${COOKIE}=${other}`,
      `${COOKIE}=${other}; ${COOKIE}=${token}`,
      `${COOKIE}=${token}; x=y; ${COOKIE}=`,
      `${COOKIE}=${token};${COOKIE} =${token}`,
    ]) {
      assert.equal((await newVisitor(service).get('/settings', { cookie })).status, 303, cookie);
    }
    const once = { cookie: `x=${COOKIE}; y${COOKIE}=1; ${COOKIE}=${token}` };
    assert.equal((await newVisitor(service).get('/settings', once)).status, 200);
  });

  it('you can end your own sessions, not others’', async () => {
    const here = await signUp(service, 'several');
    const there = newVisitor(service, { agent: 'Mozilla/5.0 (iPhone) Safari/604.1' });
    await signIn(there, 'several');
    const page = await here.get('/settings/sessions');
    assert.match(page.text, /Safari on iPhone/);
    const id = /name="session" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const stranger = await signUp(service, 'stranger');
    for (const session of [id, 'x', '']) {
      await stranger.post('/settings/sessions/end', { session });
    }
    assert.equal(await whoIs(there), 'several');
    await here.post('/settings/sessions/end', { session: id });
    assert.equal(await whoIs(there), undefined);
    assert.equal(await whoIs(here), 'several');
  });

  it('signing out everywhere ends all of yours, and no one else’s', async () => {
    const here = await signUp(service, 'everywhere');
    const there = newVisitor(service);
    await signIn(there, 'everywhere');
    const other = await signUp(service, 'bystander');
    await here.post('/settings/sessions/end-all');
    assert.deepEqual(
      [await whoIs(here), await whoIs(there), await whoIs(other)],
      [undefined, undefined, 'bystander'],
    );
  });

  it('end when the password changes, except the one that changed it', async () => {
    const here = await signUp(service, 'changer');
    const there = newVisitor(service);
    await signIn(there, 'changer');
    const change = (current: string, password: string) =>
      here.post('/settings/password', { current, password });
    const wrong = await change('not the password', 'another odd walnut');
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="current-fault"/);
    assert.match((await change(PASSWORD, 'short')).text, /id="password-fault"/);
    assert.equal(await whoIs(there), 'changer');
    const done = await change(PASSWORD, 'another odd walnut');
    assert.equal(done.headers.get('location'), '/settings/password');
    assert.match((await here.get('/settings/password')).text, /Password changed/);
    assert.equal(await whoIs(here), 'changer');
    assert.equal(await whoIs(there), undefined);
    assert.equal((await signIn(there, 'changer')).status, 422);
    assert.equal((await signIn(there, 'changer', 'another odd walnut')).status, 303);
  });

  it('don’t begin by a sign-in that was under way when everything ended', async () => {
    const { context } = service.app;
    const visitor = await signUp(service, 'racer');
    const check = (password: string) =>
      checkPassword(context, context.limiter, {
        name: 'racer',
        password,
        address: '192.0.2.9',
        devices: undefined,
      });
    const start = (who: SignedIn) =>
      startSession(context, { ...who, userAgent: '', replaces: undefined });
    const early = await check(PASSWORD);
    const another = 'another odd walnut';
    await visitor.post('/settings/password', { current: PASSWORD, password: another });
    await assert.rejects(start(early), { code: 'UNAUTHORIZED' });
    const late = await check(another);
    await setAccountDisabled(context, 'racer', true);
    await assert.rejects(start(late), { code: 'UNAUTHORIZED' });
    await setAccountDisabled(context, 'racer', false);
    assert.ok(await start(late));
  });

  it('end when the account is disabled, and don’t come back with it', async () => {
    const visitor = await signUp(service, 'locked');
    await setAccountDisabled(service.app.context, 'locked', true);
    assert.equal(await whoIs(visitor), undefined);
    assert.equal((await signIn(newVisitor(service), 'locked')).status, 422);
    await setAccountDisabled(service.app.context, 'locked', false);
    assert.equal(await whoIs(visitor), undefined);
    await signIn(visitor, 'locked');
    assert.equal(await whoIs(visitor), 'locked');
  });

  it('have a new token after a proof; whoever has the old one is signed out', async () => {
    const here = await signUp(service, 'prover');
    const thief = newVisitor(service);
    const steal = () => thief.cookies.set(COOKIE, here.cookies.get(COOKIE) as string);
    const another = 'another odd walnut';
    const proofs: [string, Record<string, string>][] = [
      ['/settings/confirm', { next: '/settings', proof_password: PASSWORD }],
      ['/settings/email', { email: 'prover@new.example', current: PASSWORD }],
      ['/settings/password', { current: PASSWORD, password: another }],
    ];
    for (const [path, proof] of proofs) {
      service.advance(16 * MINUTE);
      steal();
      assert.equal(await whoIs(thief), 'prover');
      const { status, headers } = await here.post(path, proof);
      assert.equal(status, 303, path);
      assert.ok(
        headers.getSetCookie().some((line) => line.startsWith(`${COOKIE}=`)),
        path,
      );
      assert.equal(await whoIs(thief), undefined, path);
      assert.equal(await whoIs(here), 'prover', path);
    }
    // Messages are sealed for the new token.
    const changed = await here.post('/settings/password', { current: another, password: PASSWORD });
    assert.match((await here.get(changed.headers.get('location') ?? '')).text, /Password changed/);
    // A wrong proof changes nothing, not even for an account that has no password.
    service.advance(16 * MINUTE);
    steal();
    await here.post('/settings/confirm', { next: '/', proof_password: 'wrong' });
    await here.post('/settings/email', { email: 'prover@x.example', current: 'wrong' });
    assert.equal(await whoIs(thief), 'prover');
  });

  it('go on in all tabs after a proof, whichever was quicker', async () => {
    const first = await signUp(service, 'tabs');
    service.advance(16 * MINUTE);
    const proof = { next: '/settings', proof_password: PASSWORD };
    // Both are sent with the old cookie, and the browser keeps the only new one.
    const answers = await Promise.all([
      first.post('/settings/confirm', proof),
      first.post('/settings/confirm', proof),
    ]);
    const isNew = answers.map(({ headers }) =>
      headers.getSetCookie().some((line) => line.startsWith(`${COOKIE}=`)),
    );
    assert.equal(isNew.filter(Boolean).length, 1);
    assert.equal(await whoIs(first), 'tabs');
    assert.equal((await first.get('/settings/security/passkeys/new')).status, 200);
  });

  it('are ended by their user after a proof: one, all others, or all', async () => {
    const here = await signUp(service, 'guarded');
    const there = newVisitor(service);
    await signIn(there, 'guarded');
    service.advance(16 * MINUTE);
    const page = await here.get('/settings/sessions');
    assert.match(page.text, /Sign out everywhere else/);
    const session = /name="session" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    for (const path of ['end', 'end-others', 'end-all']) {
      const asked = await here.post(`/settings/sessions/${path}`, { session });
      assert.match(asked.text, /Confirm that it’s you/, path);
    }
    assert.equal(await whoIs(there), 'guarded');
    const proof = { proof_password: PASSWORD };
    const ended = await here.post('/settings/sessions/end-others', proof);
    assert.equal(ended.headers.get('location'), '/settings/sessions');
    const left = await here.get('/settings/sessions');
    assert.match(left.text, /signed out everywhere else/);
    assert.deepEqual([await whoIs(here), await whoIs(there)], ['guarded', undefined]);
    assert.doesNotMatch(left.text, /Sign out everywhere else/);
    // Signing out of one's own browser needs no proof.
    service.advance(16 * MINUTE);
    await here.post('/sign-out');
    assert.equal(await whoIs(here), undefined);
  });

  it('signed-out visitors are sent to sign in, and change nothing', async () => {
    const visitor = newVisitor(service);
    const to = async (answer: Promise<{ headers: Headers }>) =>
      (await answer).headers.get('location');
    assert.equal(await to(visitor.get('/settings')), '/sign-in?next=%2Fsettings');
    for (const path of ['password', 'sessions/end', 'sessions/end-all']) {
      const from = { referer: `${service.webUrl}/settings` };
      const answer = visitor.post(`/settings/${path}`, { password: PASSWORD }, from);
      assert.equal(await to(answer), '/sign-in?next=%2Fsettings', path);
    }
  });

  it('record the last use once a minute', async () => {
    const visitor = await signUp(service, 'often');
    const used = async () => (await rows()).map(({ lastUsedAt }) => lastUsedAt).sort();
    const before = await used();
    for (let times = 0; times < 5; times++) await whoIs(visitor);
    assert.deepEqual(await used(), before);
    service.advance(MINUTE + 1);
    await whoIs(visitor);
    assert.notDeepEqual(await used(), before);
  });

  // These change the clock, so they come last.

  it('end after 14 days without use; use extends them', async () => {
    const idle = await signUp(service, 'idle');
    const used = await signUp(service, 'used');
    service.advance(13 * DAY);
    assert.equal(await whoIs(used), 'used');
    service.advance(2 * DAY);
    assert.equal(await whoIs(idle), undefined);
    assert.equal(await whoIs(used), 'used');
  });

  it('end after 90 days in any case, and expired ones are deleted', async () => {
    const visitor = await signUp(service, 'faithful');
    for (let days = 0; days < 80; days += 10) {
      service.advance(10 * DAY);
      assert.equal(await whoIs(visitor), 'faithful', `day ${days + 10}`);
    }
    service.advance(10 * DAY - MINUTE);
    assert.equal(await whoIs(visitor), 'faithful');
    service.advance(2 * MINUTE);
    assert.equal(await whoIs(visitor), undefined);
    await signUp(service, 'sweeper');
    assert.equal((await rows()).length, 1);
  });
});
