import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { Answer, Service } from '../../../test/harness.ts';
import { storeAddress } from '../../../test/mail/post-office.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { setPassword } from './password-service.ts';

describe('Signing up, in and out', () => {
  let service: Service;

  before(async () => {
    service = await startWithVisitors();
  });
  after(() => service.stop());

  function assertOwnPage({ headers }: Answer): void {
    assert.equal(headers.get('cache-control'), 'private, no-store');
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["frame-ancestors 'none'", "form-action 'self'", "script-src 'self'"]) {
      assert.ok(policy.split('; ').includes(part), part);
    }
  }

  it('creates an account and signs in', async () => {
    const ada = newVisitor(service);
    assertOwnPage(await ada.get('/sign-up'));
    const form = { username: 'Ada', email: 'Ada@Example.com', password: PASSWORD };
    const answer = await ada.post('/sign-up', { ...form, next: '/ada?page=1' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/ada?page=1']);
    assert.equal(await whoIs(ada), 'ada');
    const settings = await ada.get('/settings');
    assertOwnPage(settings);
    assert.match(settings.text, /Ada@example\.com/);
    const sessions = await ada.get('/settings/sessions');
    assertOwnPage(sessions);
    assert.match(sessions.text, /Firefox on Linux/);
  });

  it('works by username or email address, ignoring case, and signs out', async () => {
    await signUp(service, 'grace');
    for (const name of ['grace', ' GRACE ', 'grace@example.com', 'Grace@EXAMPLE.com']) {
      const grace = newVisitor(service);
      const answer = await signIn(grace, name);
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/'], name);
      assert.match((await grace.get('/')).text, /Signed in as grace.*Sign out/);
      await grace.post('/sign-out');
      assert.equal(await whoIs(grace), undefined);
      assert.match((await grace.get('/')).text, /Sign in</);
    }
  });

  it('a password is the same in every Unicode form', async () => {
    await signUp(service, 'composed', { password: 'caf\u00e9 \u2460 cr\u00e8me' });
    const visitor = newVisitor(service);
    await signIn(visitor, 'composed', 'cafe\u0301 1 cre\u0300me');
    assert.equal(await whoIs(visitor), 'composed');
  });

  it('shows all errors beside their fields, and keeps the input', async () => {
    const visitor = newVisitor(service);
    const form = { username: 'a b', email: 'nowhere', password: 'password' };
    const answer = await visitor.post('/sign-up', form);
    assert.equal(answer.status, 422);
    assertOwnPage(answer);
    for (const field of ['username', 'email', 'password']) {
      assert.match(answer.text, new RegExp(`id="${field}"[^>]*aria-invalid="true"`), field);
      assert.match(answer.text, new RegExp(`<p class="fault" id="${field}-fault">[A-Z]`), field);
    }
    assert.match(answer.text, /value="a b"/);
    assert.match(answer.text, /value="nowhere"/);
    assert.doesNotMatch(answer.text, /value="password"/);
    assert.equal(visitor.cookies.size, 0);
  });

  it('reports taken and reserved names', async () => {
    await signUp(service, 'taken');
    const visitor = newVisitor(service);
    const good = { username: 'free', email: 'free@example.com', password: PASSWORD };
    for (const [wrong, field, reason] of [
      [{ username: 'TAKEN' }, 'username', /is taken/],
      [{ username: 'settings' }, 'username', /is reserved/],
      [{ email: 'TAKEN@example.com' }, 'email', /Another account uses/],
      [{ password: 'free' }, 'password', /at least 8/],
      [{ password: 'FREE@example.com' }, 'password', /must not be made of your/i],
    ] as const) {
      const { status, text } = await visitor.post('/sign-up', { ...good, ...wrong });
      assert.equal(status, 422);
      const fault = new RegExp(`id="${field}-fault">([^<]*)`).exec(text)?.[1] ?? '';
      assert.match(fault, reason);
    }
    assert.equal(await whoIs(visitor), undefined);
  });

  it('refuses malformed forms: fields missing, repeated, of another type', async () => {
    const visitor = newVisitor(service);
    assert.equal((await visitor.post('/sign-in', {})).status, 422);
    assert.equal((await visitor.post('/sign-up', {})).status, 422);
    const type = 'application/x-www-form-urlencoded';
    const send = (path: string, body: string, contentType = type) =>
      fetch(service.webUrl + path, {
        method: 'POST',
        body,
        headers: { origin: service.webUrl, 'content-type': contentType },
        redirect: 'manual',
      });
    for (const body of ['name=a&name=b&password=x', '__proto__=1', '%00=%00', '&&&', 'name=%ff']) {
      assert.equal((await send('/sign-in', body)).status, 422, body);
    }
    assert.equal((await send('/sign-in', 'name=a%00%40b&password=x')).status, 422);
    assert.equal((await send('/sign-up', 'username=a&email=a%00%40b&password=x')).status, 422);
    assert.equal((await send('/sign-in', '{}', 'application/json')).status, 400);
    assert.equal((await send('/sign-in', 'name=a', 'text/plain')).status, 400);
    assert.equal((await send('/sign-in', `name=${'x'.repeat(40_000)}`)).status, 413);
  });

  it('returns to a private page after signing in', async () => {
    const helper = await service.user('helper');
    await setPassword(service.app.context, 'helper', PASSWORD);
    const writer = await service.user('writer');
    const html = '<title>Plans</title>';
    await writer.post('/user/pages', { html, name: 'plans', visibility: 'private' });
    await writer.put('/pages/writer/plans/collaborators/helper', { permission: 'read' });
    const { data } = await helper.get('/user/brief_invitations');
    await helper.patch(`/user/brief_invitations/${data[0].id}`);
    const path = '/writer/pages/plans';
    const stranger = newVisitor(service);
    const hidden = await stranger.get(path);
    assert.equal(hidden.status, 404);
    assert.match(hidden.text, /href="\/sign-in\?next=%2Fwriter%2Fpages%2Fplans"/);
    const answer = await signIn(stranger, 'helper', PASSWORD, { next: path });
    assert.equal(answer.headers.get('location'), path);
    const shown = await stranger.get(path);
    assert.equal(shown.headers.get('location'), '/read/writer/pages/plans');
    assert.match((await stranger.get('/read/writer/pages/plans')).text, /<iframe/);
  });

  it('public pages are the same for everyone who is signed out; others get the app', async () => {
    const visitor = await signUp(service, 'reader');
    const writer = await service.user('author');
    await writer.post('/user/briefs', { content: '# Hello', name: 'hello' });
    for (const path of ['/author', '/author/hello', '/reference', '/nobody/nothing']) {
      const [one, other] = [
        await newVisitor(service).get(path),
        await newVisitor(service).get(path),
      ];
      assert.equal(one.text, other.text, path);
      if (path !== '/nobody/nothing') assert.match(one.text, />Sign in</, path);
    }
    for (const path of ['/author', '/reference']) {
      assert.match((await visitor.get(path)).text, /Sign out/, path);
    }
    const { headers } = await visitor.get('/author/hello');
    assert.equal(headers.get('location'), '/read/author/hello');
    assert.match(headers.get('cache-control') ?? '', /private, no-store/);
  });

  it('hostile text is shown as text', async () => {
    const agent = `"><script>alert(1)</script><img src=x onerror=alert(2)>`;
    const visitor = newVisitor(service, { agent });
    const hostile = `"><script>alert(3)</script>@example.com`;
    const form = { username: 'mallory', email: 'mallory@example.com', password: PASSWORD };
    const fault = await visitor.post('/sign-up', { ...form, username: hostile, email: hostile });
    assert.equal(fault.status, 422);
    assert.equal((await visitor.post('/sign-up', form)).status, 303);
    await storeAddress(service, 'mallory', hostile);
    const settings = await visitor.get('/settings');
    const sessions = await visitor.get('/settings/sessions');
    for (const { text } of [settings, sessions]) assert.match(text, /&lt;script>/);
    const failed = await signIn(newVisitor(service), agent, 'x');
    const next = await visitor.get(`/sign-in?next=${encodeURIComponent(`/${agent}`)}`);
    const quoted = await visitor.get(`/sign-in?next=${encodeURIComponent('/"><script>')}`);
    for (const { text } of [fault, settings, sessions, failed, next, quoted]) {
      assert.doesNotMatch(text, /<script>|<img src=x|<[^>"]*\sonerror/);
    }
  });
});

describe('Closed sign-ups', () => {
  let service: Service;

  before(async () => {
    service = await startWithVisitors({ SIGN_UPS: 'closed' });
  });
  after(() => service.stop());

  it('say so, create no account, and aren’t offered', async () => {
    const visitor = newVisitor(service);
    const shown = await visitor.get('/sign-up');
    assert.equal(shown.status, 200);
    assert.match(shown.text, /Sign-ups are closed/);
    const form = { username: 'ada', email: 'ada@example.com', password: PASSWORD };
    const answer = await visitor.post('/sign-up', form);
    assert.equal(answer.status, 403);
    assert.match(answer.text, /Sign-ups are closed/);
    assert.equal((await visitor.get('/ada')).status, 404);
    assert.doesNotMatch((await visitor.get('/sign-in')).text, /sign-up/);
  });
});
