import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { after, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { freePorts } from '../../../test/free-ports.ts';
import type { Answer } from '../../../test/harness.ts';
import { departure, goThrough, leadsTo, startOidcServer } from '../../../test/servers/oidc.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { findAccountByUsername, updateEmailVerified } from '../../core/identity/account-store.ts';
import { setAdmin } from '../../core/identity/admin.ts';

const MINUTE = 60_000;

describe('Signing in through an upstream provider', async () => {
  const [port, renderPort] = await freePorts(2);
  const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
  const oidc = await startOidcServer({ redirectUri: `http://localhost:${port}/sign-in/callback` });
  const service = await startWithVisitors({ ...ports, ...oidc.settings, SIGN_UPS: 'closed' });
  after(async () => {
    await service.stop();
    await oidc.close();
  });
  beforeEach(() => {
    oidc.person = { sub: 'ada', claims: { preferred_username: 'Ada.L', email: 'ada@idp.example' } };
  });

  const locationOf = ({ headers }: Answer) => headers.get('location') ?? '';

  /** Sends the visitor to the provider. @returns where the provider redirects them */
  async function leave(visitor: Visitor, next = '/'): Promise<URL> {
    return goThrough(oidc, await departure(visitor, { next }));
  }

  /** The whole way there and back. */
  async function comeBack(visitor: Visitor, next = '/'): Promise<Answer> {
    return visitor.get((await leave(visitor, next)).href);
  }

  /** The first time, which also creates the account. */
  async function enter(username: string, more: Record<string, string> = {}): Promise<Visitor> {
    const visitor = newVisitor(service);
    assert.equal(locationOf(await comeBack(visitor)), '/sign-up/upstream');
    const email = `${username}@example.com`;
    const answer = await visitor.post('/sign-up/upstream', { username, email, ...more });
    assert.equal(answer.status, 303, answer.text);
    return visitor;
  }

  it('is offered with the provider’s name', async () => {
    const { text } = await newVisitor(service).get('/sign-in?next=/x');
    assert.match(
      text,
      /action="\/sign-in\/upstream"><input [^>]*name="next" value="\/x"\/><button[^>]*>Sign in with Example ID</,
    );
  });

  it('begins only with the form of our own page', async () => {
    const visitor = newVisitor(service);
    const link = await visitor.get('/sign-in/upstream?next=/x');
    assert.equal(
      locationOf(link),
      '/sign-in?next=%2Fx',
      'a link leads to the page with the button',
    );
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await visitor.post('/sign-in/upstream', {}, foreign)).status, 403);
    assert.equal(visitor.cookies.size, 0);
  });

  it('uses PKCE, state and nonce, new each time', async () => {
    oidc.requests.length = 0;
    for (let times = 0; times < 2; times++) await leave(newVisitor(service));
    const [one, other] = oidc.requests as [URLSearchParams, URLSearchParams];
    assert.equal(one.get('code_challenge_method'), 'S256');
    assert.equal(one.get('redirect_uri'), `${service.webUrl}/sign-in/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.ok((one.get(name) ?? '').length >= 27, name);
      assert.notEqual(one.get(name), other.get(name), name);
    }
  });

  it('first asks for a username, then signs in, even with closed sign-ups', async () => {
    oidc.person = { sub: 'first', claims: { preferred_username: 'Ada.L', email: 'a@idp.example' } };
    const visitor = newVisitor(service);
    assert.equal(locationOf(await comeBack(visitor, '/ada-l')), '/sign-up/upstream');
    assert.equal(await whoIs(visitor), undefined);
    const page = await visitor.get('/sign-up/upstream');
    assert.match(page.text, /name="username"[^>]*value="ada-l"/);
    assert.match(page.text, /name="email"[^>]*value="a@idp.example"/, 'not verified: asked');
    assert.equal(page.headers.get('cache-control'), 'private, no-store');
    const form = { username: 'ada-l', email: 'ada@example.com' };
    assert.equal(locationOf(await visitor.post('/sign-up/upstream', form)), '/ada-l');
    assert.equal(await whoIs(visitor), 'ada-l');
    assert.deepEqual([...visitor.cookies.keys()], ['briefs-session', 'briefs-device']);

    const again = newVisitor(service);
    assert.equal(locationOf(await comeBack(again, '/settings')), '/settings');
    assert.equal(await whoIs(again), 'ada-l');
    assert.match((await again.get('/settings/password')).text, /You don’t have a password yet/);
  });

  it('uses the address that the provider verified, not that of the form', async () => {
    oidc.person = { sub: 'v', claims: { email: 'verified@idp.example', email_verified: true } };
    const visitor = await enter('verified', { email: 'other@example.com' });
    assert.match((await visitor.get('/settings')).text, /verified@idp\.example/);
  });

  it('asks for another address if the provider’s isn’t one', async () => {
    oidc.person = { sub: 'odd', claims: { email: '<odd@idp.example>', email_verified: true } };
    const visitor = newVisitor(service);
    await comeBack(visitor);
    const refused = await visitor.post('/sign-up/upstream', {
      username: 'odd',
      email: '<odd@idp.example>',
    });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="email-fault"/);
    const form = { username: 'odd', email: 'odd@example.com' };
    assert.equal((await visitor.post('/sign-up/upstream', form)).status, 303);
  });

  it('never matches an account by email address', async () => {
    const { app } = service;
    await service.user('victim');
    oidc.person = { sub: 'thief', claims: { email: 'victim@example.com', email_verified: true } };
    const visitor = newVisitor(service);
    assert.equal(locationOf(await comeBack(visitor)), '/sign-up/upstream');
    const page = await visitor.get('/sign-up/upstream');
    assert.match(page.text, /You have an account here with this address, <strong>victim@/);
    assert.match(page.text, /href="\/sign-in\?next=%2Fsettings%2Fsecurity"/);
    assert.doesNotMatch(page.text, /name="username"/);
    const answer = await visitor.post('/sign-up/upstream', { username: 'thief' });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /role="alert">Another account uses this email address/);
    assert.equal(await whoIs(visitor), undefined);
    const rows = await app.context.sql.read
      .selectFrom('upstream_identity')
      .where('subject', '=', 'thief')
      .selectAll()
      .execute();
    assert.deepEqual(rows, []);
  });

  it('says how to link an account whose address the provider hasn’t verified', async () => {
    await service.user('twice');
    oidc.person = { sub: 'twice', claims: { email: 'twice@example.com', email_verified: false } };
    const visitor = newVisitor(service);
    await comeBack(visitor);
    const form = { username: 'twice-2', email: 'twice@example.com' };
    const refused = await visitor.post('/sign-up/upstream', form);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /href="\/sign-in\?next=%2Fsettings%2Fsecurity">sign in to it</);
    const odd = await visitor.post('/sign-up/upstream', { username: 'twice-2', email: 'odd' });
    assert.doesNotMatch(odd.text, />sign in to it</);
  });

  it('in several tabs: each keeps what it went for, whichever comes back first', async () => {
    oidc.person = { sub: 'tabs' };
    await enter('tabs');
    const visitor = newVisitor(service);
    const [first, second] = [await leave(visitor, '/settings'), await leave(visitor, '/new')];
    assert.equal(locationOf(await visitor.get(first.href)), '/settings');
    assert.equal(await whoIs(visitor), 'tabs');
    assert.equal(locationOf(await visitor.get(second.href)), '/new');
    assert.equal(await whoIs(visitor), 'tabs');
    assert.equal((await visitor.get(second.href)).status, 400, 'once');
    const last = [];
    for (let tab = 0; tab < 9; tab += 1) last.push(await leave(visitor, `/${tab}`));
    const kept = [...visitor.cookies.keys()].filter((name) => name.startsWith('briefs-upstream-'));
    assert.equal(kept.length, 4);
    assert.equal((await visitor.get(last[0]?.href ?? '')).status, 400, 'forgotten');
    assert.equal(locationOf(await visitor.get(last[8]?.href ?? '')), '/8');
  });

  it('shows errors, and keeps the input', async () => {
    oidc.person = { sub: 'faulty' };
    await service.user('occupied');
    const visitor = newVisitor(service);
    await comeBack(visitor);
    const post = (username: string, email: string) =>
      visitor.post('/sign-up/upstream', { username, email });
    const both = await post('a b', 'nowhere');
    assert.equal(both.status, 422);
    assert.match(both.text, /id="username-fault"/);
    assert.match(both.text, /id="email-fault"/);
    assert.match((await post('occupied', 'x@example.com')).text, /is taken/);
    assert.equal((await post('faulty', 'faulty@example.com')).status, 303);
    assert.equal(await whoIs(visitor), 'faulty');
  });

  it('one identity has one account, even with two concurrent browsers', async () => {
    oidc.person = { sub: 'twice' };
    const browsers = [newVisitor(service), newVisitor(service)];
    for (const browser of browsers) await comeBack(browser);
    const answers = await Promise.all(
      browsers.map((browser, index) => {
        const username = `twice-${index}`;
        return browser.post('/sign-up/upstream', { username, email: `${username}@example.com` });
      }),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422]);
  });

  it('a disabled account stays disabled', async () => {
    oidc.person = { sub: 'disabled' };
    await enter('disabled');
    await setAccountDisabled(service.app.context, 'disabled', true);
    const visitor = newVisitor(service);
    const answer = await comeBack(visitor);
    assert.equal(answer.status, 403);
    assert.match(answer.text, /Your account is disabled/);
    assert.equal(await whoIs(visitor), undefined);
  });

  it('declining isn’t a server error', async () => {
    oidc.person = undefined;
    const answer = await comeBack(newVisitor(service));
    assert.equal(answer.status, 422);
    assert.match(answer.text, /You cancelled signing in with Example ID/);
  });

  it('a response is valid only for the browser that asked, once, for a short time', async () => {
    const asked = newVisitor(service);
    const url = (await leave(asked)).href;
    const other = newVisitor(service);
    assert.equal((await other.get(url)).status, 400, 'never asked');
    await leave(other);
    assert.equal((await other.get(url)).status, 400, 'asked for another');
    const late = newVisitor(service);
    const lateUrl = (await leave(late)).href;
    assert.equal(locationOf(await asked.get(url)), '/sign-up/upstream');
    assert.equal((await asked.get(url)).status, 400, 'again');
    service.advance(16 * MINUTE);
    assert.equal((await late.get(lateUrl)).status, 400, 'too late');
    for (const visitor of [asked, other, late]) assert.equal(await whoIs(visitor), undefined);
  });

  it('any response gets a page', async () => {
    for (const change of [
      (url: URL) => url.searchParams.set('code', 'forged'),
      (url: URL) => url.searchParams.set('state', 'forged'),
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.delete('code'),
      (url: URL) => url.searchParams.append('code', 'second'),
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      (url: URL) => url.searchParams.set('error', '"><script>alert(1)</script>'),
      (url: URL) => {
        url.search = '';
      },
    ]) {
      const visitor = newVisitor(service);
      const url = await leave(visitor);
      const state = url.searchParams.get('state');
      change(url);
      const { status, text } = await visitor.get(url.href);
      // Without its state, it is of no sign-in that this browser began.
      assert.equal(
        status,
        url.searchParams.get('state') === state ? 422 : 400,
        `${change} ${text}`,
      );
      assert.match(text, /^<!doctype html>/);
      assert.doesNotMatch(text, /<script>/);
      assert.equal(await whoIs(visitor), undefined);
    }
  });

  it('identities can’t be forged', async () => {
    const visitor = newVisitor(service);
    assert.equal(locationOf(await visitor.get('/sign-up/upstream')), '/sign-in');
    oidc.person = { sub: 'sealed' };
    await comeBack(visitor);
    const sealed = visitor.cookies.get('briefs-newcomer') ?? '';
    const departed = newVisitor(service);
    await leave(departed);
    const middle = sealed.length >> 1;
    for (const forged of [
      '',
      'x',
      sealed.slice(0, -1),
      sealed.slice(0, 30),
      sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1),
      // Encrypted here, but for another purpose.
      [...departed.cookies].find(([name]) => name.startsWith('briefs-upstream-'))?.[1] ?? '',
    ]) {
      visitor.cookies.set('briefs-newcomer', forged);
      const form = { username: 'made-up', email: 'made-up@example.com' };
      assert.equal(locationOf(await visitor.post('/sign-up/upstream', form)), '/sign-in', forged);
    }
    visitor.cookies.set('briefs-newcomer', sealed);
    service.advance(31 * MINUTE);
    assert.equal(locationOf(await visitor.get('/sign-up/upstream')), '/sign-in', 'too late');
  });

  it('a password can be set afterwards, and used', async () => {
    oidc.person = { sub: 'both' };
    const visitor = await enter('both');
    assert.equal((await signIn(newVisitor(service), 'both')).status, 422);
    const { headers } = await visitor.post('/settings/password', { password: PASSWORD });
    assert.equal(headers.get('location'), '/settings/password');
    assert.equal((await signIn(newVisitor(service), 'both')).status, 303);
  });

  it('trying addresses doesn’t reveal which are taken', async () => {
    oidc.person = { sub: 'curious' };
    const visitor = newVisitor(service);
    await comeBack(visitor);
    const form = { username: 'curious', email: 'both@example.com' };
    const attempt = async () => (await visitor.post('/sign-up/upstream', form)).status;
    let attempts = 0;
    while ((await attempt()) === 422) assert.ok(++attempts <= 30, 'without end');
    assert.equal(await attempt(), 429);
  });
});

describe('Settings of a provider that are wrong', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });

  /** Tries them as an administrator, and signs in. @returns what the screen and the log say */
  async function tryOut(change: Record<string, string>): Promise<{ screen: string; log: string }> {
    const [port, renderPort] = await freePorts(2);
    const redirectUri = `http://localhost:${port}/sign-in/callback`;
    const oidc = await startOidcServer({ redirectUri });
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const service = await startWithVisitors({ ...ports, ...oidc.settings, ...change }, { logger });
    try {
      const chief = await signUp(service, 'chief');
      assert.equal((await chief.post('/admin/work/test-sign-in')).status, 404);
      await setAdmin(service.app.context, undefined, { username: 'chief', isAdmin: true });
      const { text } = await chief.post('/admin/work/test-sign-in');
      lines.length = 0;
      const visitor = newVisitor(service);
      const left = await visitor.post('/sign-in/upstream');
      if (left.status === 200) await visitor.get((await goThrough(oidc, leadsTo(left))).href);
      const [, screen = ''] = /<p class="form-fault" role="alert">(.*?)<\/p>/s.exec(text) ?? [];
      return { screen: screen || text, log: lines.join('') };
    } finally {
      await service.stop();
      await oidc.close();
    }
  }

  it('are said by the screen that tries them and by the log, with the inner reason', async () => {
    const right = await tryOut({});
    assert.match(right.screen, /Example ID answers, and accepts the client and its secret/);
    assert.equal(right.log, '');
    const secret = await tryOut({ OIDC_CLIENT_SECRET: 'not the secret of this client, at all' });
    assert.match(secret.screen, /invalid_client/);
    assert.match(secret.log, /"problem":"invalid_client","status":401/);
    const away = await tryOut({ OIDC_ISSUER: 'http://127.0.0.1:9' });
    assert.match(away.screen, /fetch failed.*(ECONNREFUSED|bad port)/);
    assert.match(away.log, /fetch failed.*(ECONNREFUSED|bad port)/);
    const [noServer] = await freePorts(1);
    const gone = await tryOut({ OIDC_ISSUER: `http://127.0.0.1:${noServer}` });
    assert.match(gone.log, /"reason":"fetch failed: [^"]*ECONNREFUSED/);
    const groups = await tryOut({ OIDC_GROUPS: 'staff' });
    assert.match(groups.log, /is in no group that can use this server/);
  });
});

describe('Other upstream providers', () => {
  it('that don’t answer don’t prevent a start', async () => {
    const service = await startWithVisitors({
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'briefs',
      OIDC_CLIENT_SECRET: 'secret',
    });
    try {
      const answer = await newVisitor(service).post('/sign-in/upstream');
      assert.equal(answer.status, 503);
      assert.match(answer.text, /127\.0\.0\.1:9 is not responding correctly/);
      assert.ok(answer.headers.get('retry-after'));
      await signUp(service, 'ada');
    } finally {
      await service.stop();
    }
  });

  it('whose signature is another’s sign nobody in', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const oidc = await startOidcServer({
      redirectUri: `http://localhost:${port}/sign-in/callback`,
    });
    const { keys } = await (await fetch(`${oidc.issuer}/jwks`)).json();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = publicKey.export({ format: 'jwk' });
    oidc.publishedKeys = { keys: keys.map((key: object) => ({ ...key, ...foreign })) };
    const service = await startWithVisitors({ ...ports, ...oidc.settings });
    try {
      const visitor = newVisitor(service);
      const url = await goThrough(oidc, await departure(visitor));
      const { status, text } = await visitor.get(url.href);
      assert.equal(status, 422, text);
      assert.equal(await whoIs(visitor), undefined);
      assert.equal((await visitor.get('/sign-up/upstream')).headers.get('location'), '/sign-in');
    } finally {
      await service.stop();
      await oidc.close();
    }
  });

  it('that have the address in another claim, and vouch for all of them, work', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const redirectUri = `http://localhost:${port}/sign-in/callback`;
    const oidc = await startOidcServer({ redirectUri });
    const differing = { OIDC_EMAIL_CLAIM: 'team', OIDC_EMAIL_VERIFIED: 'always' };
    const service = await startWithVisitors({ ...ports, ...oidc.settings, ...differing });
    try {
      const claims = { team: 'real@idp.example', email: 'alias@idp.example' };
      oidc.person = { sub: 'differing', claims: { ...claims, email_verified: false } };
      const visitor = newVisitor(service);
      await visitor.get((await goThrough(oidc, await departure(visitor))).href);
      const form = { username: 'differing', email: 'other@example.com' };
      assert.equal((await visitor.post('/sign-up/upstream', form)).status, 303);
      const account = await findAccountByUsername(service.app.context.sql.read, 'differing');
      assert.equal(account?.email, 'real@idp.example');
      assert.ok(account.emailVerifiedAt);
    } finally {
      await service.stop();
      await oidc.close();
    }
  });

  it('that have the address in another claim verify only the one in `email`', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const redirectUri = `http://localhost:${port}/sign-in/callback`;
    const oidc = await startOidcServer({ redirectUri });
    const differing = { OIDC_EMAIL_CLAIM: 'team', PASSWORDS: 'off' };
    const service = await startWithVisitors({ ...ports, ...oidc.settings, ...differing });
    try {
      const victim = { username: 'victim', email: 'victim@idp.example' };
      const { id, email } = await createAccount(service.app.context, victim);
      await service.app.context.sql.transaction((tx) =>
        updateEmailVerified(tx, { id, email, at: service.app.context.now() }),
      );
      for (const [own, username] of [
        ['mallory@idp.example', undefined],
        ['victim@idp.example', 'victim'],
      ] as const) {
        const claims = { team: 'victim@idp.example', email: own, email_verified: true };
        oidc.person = { sub: own, claims };
        const visitor = newVisitor(service);
        await visitor.get((await goThrough(oidc, await departure(visitor))).href);
        assert.equal(await whoIs(visitor), username);
      }
    } finally {
      await service.stop();
      await oidc.close();
    }
  });

  it('that accept the secret only in the body work', async () => {
    const [port, renderPort] = await freePorts(2);
    const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    const redirectUri = `http://localhost:${port}/sign-in/callback`;
    const oidc = await startOidcServer({ redirectUri, authMethod: 'client_secret_post' });
    try {
      const service = await startWithVisitors({ ...ports, ...oidc.settings });
      try {
        const visitor = newVisitor(service);
        const url = await goThrough(oidc, await departure(visitor));
        const back = await visitor.get(url.href);
        assert.equal(back.headers.get('location'), '/sign-up/upstream');
      } finally {
        await service.stop();
      }
    } finally {
      await oidc.close();
    }
  });
});
