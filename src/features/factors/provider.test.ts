import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { freePorts } from '../../../test/free-ports.ts';
import type { Answer, Service } from '../../../test/harness.ts';
import {
  departure,
  goThrough,
  leadsTo,
  type OidcServer,
  startOidcServer,
} from '../../../test/servers/oidc.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { resetLink } from '../accounts/reset-service.ts';
import { createSignUpInvitation } from '../accounts/sign-up-invitation-service.ts';
import { setUpCodes } from './factors.testing.ts';
import { unlinkPerson } from './provider-service.ts';

const MINUTE = 60_000;
const SECURITY = '/settings/security';
const locationOf = ({ headers }: Answer) => headers.get('location') ?? '';

async function startWithProvider(
  settings: Record<string, string>,
): Promise<{ service: Service; oidc: OidcServer; stop(): Promise<void> }> {
  const [port, renderPort] = await freePorts(2);
  const ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
  const oidc = await startOidcServer({ redirectUri: `http://localhost:${port}/sign-in/callback` });
  const service = await startWithVisitors({ ...ports, ...oidc.settings, ...settings });
  return {
    service,
    oidc,
    async stop() {
      await service.stop();
      await oidc.close();
    },
  };
}

/** Creates an account through the provider, whose person is `sub`. */
async function enter(service: Service, oidc: OidcServer, username: string): Promise<Visitor> {
  oidc.person = { ...oidc.person, sub: username };
  const visitor = newVisitor(service);
  const there = await goThrough(oidc, await departure(visitor));
  assert.equal(locationOf(await visitor.get(there.href)), '/sign-up/upstream');
  const form = { username, email: `${username}@example.com` };
  assert.equal((await visitor.post('/sign-up/upstream', form)).status, 303);
  return visitor;
}

/** Sends the form of a page that proves at the provider who somebody is. @returns the way back */
async function confirm(oidc: OidcServer, visitor: Visitor, page: string): Promise<URL> {
  return goThrough(oidc, await confirmationAddress(visitor, page));
}

/** Sends the form of a page that proves it at the provider. @returns the provider's address */
async function confirmationAddress(visitor: Visitor, page: string): Promise<string> {
  const [form = ''] =
    /<form[^>]*action="\/settings\/confirm\/upstream".*?<\/form>/s.exec(page) ?? [];
  const fields = Array.from(
    form.matchAll(/name="(\w+)" value="([^"]*)"/g),
    ([, name = '', value = '']): [string, string] => [name, value.replaceAll('&quot;', '"')],
  );
  return leadsTo(await visitor.post('/settings/confirm/upstream', fields));
}

describe('An account and the provider', async () => {
  const { service, oidc, stop } = await startWithProvider({});
  after(stop);
  beforeEach(() => {
    oidc.person = { sub: 'ada' };
    oidc.requests.length = 0;
  });

  /** Sends the form that links. @returns where the provider leads back to */
  async function leaveToLink(visitor: Visitor): Promise<URL> {
    return goThrough(oidc, leadsTo(await visitor.post(`${SECURITY}/provider/link`)));
  }

  it('are linked in the settings; then the provider signs in; and unlinked again', async () => {
    const ada = await signUp(service, 'ada');
    assert.match((await ada.get(SECURITY)).text, /Link to Example ID/);
    const back = await leaveToLink(ada);
    assert.equal(oidc.requests[0]?.get('prompt'), 'login', 'asks who they are');
    assert.equal(locationOf(await ada.get(back.href)), SECURITY);
    const { text } = await ada.get(SECURITY);
    assert.match(text, /Your account is linked to Example ID since/);
    const there = newVisitor(service);
    const url = await goThrough(oidc, await departure(there));
    assert.equal(locationOf(await there.get(url.href)), '/');
    assert.equal(await whoIs(there), 'ada');
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(text) ?? [];
    const stranger = await signUp(service, 'stranger');
    await stranger.post(`${SECURITY}/provider/unlink`, { id });
    assert.match((await ada.get(SECURITY)).text, /is linked to/, 'not by others');
    await ada.post(`${SECURITY}/provider/unlink`, { id });
    assert.match((await ada.get(SECURITY)).text, /no longer linked to Example ID/);
    const entries = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', 'like', 'provider.%')
      .select(['action', 'actorName'])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      entries.map(({ action, actorName }) => `${action} ${actorName}`),
      ['provider.linked ada', 'provider.unlinked ada'],
    );
  });

  it('are unlinked by an administrator, so that another sign-in there can be linked', async () => {
    const chief = await signUp(service, 'chief');
    await setAdmin(service.app.context, undefined, { username: 'chief', isAdmin: true });
    const moved = await signUp(service, 'moved');
    oidc.person = { sub: 'before' };
    await moved.get((await leaveToLink(moved)).href);
    const path = '/admin/people/moved/unlink';
    assert.equal((await moved.post(path)).status, 404, 'administrators only');
    assert.match((await chief.get('/admin/people/moved')).text, /Unlink sign-in/);
    service.advance(16 * MINUTE);
    assert.match((await chief.post(path)).text, /Confirm that it’s you/);
    service.advance(-16 * MINUTE);
    assert.equal(locationOf(await chief.post(path)), '/admin/people/moved');
    assert.equal(await whoIs(moved), undefined, 'sessions end');
    assert.doesNotMatch((await chief.get('/admin/people/moved')).text, /Unlink sign-in/);
    assert.equal((await chief.post(path)).status, 422, 'nothing is left to unlink');
    const [entry] = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', '=', 'provider.unlinked')
      .where('subject', '=', 'moved')
      .select('actorName')
      .execute();
    assert.equal(entry?.actorName, 'chief');

    oidc.person = { sub: 'after' };
    const again = newVisitor(service);
    assert.equal((await signIn(again, 'moved')).status, 303);
    assert.equal(locationOf(await again.get((await leaveToLink(again)).href)), SECURITY);
    const there = newVisitor(service);
    await there.get((await goThrough(oidc, await departure(there))).href);
    assert.equal(await whoIs(there), 'moved');
  });

  it('aren’t linked from another site, in another session, by a stale one, or twice', async () => {
    const bob = await signUp(service, 'bob');
    oidc.person = { sub: 'bob' };
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await bob.post(`${SECURITY}/provider/link`, {}, foreign)).status, 403);
    assert.equal((await bob.get(`${SECURITY}/provider/link`)).status, 405);
    // An answer for signing in links nothing.
    const plain = await goThrough(oidc, await departure(bob, { for: 'link' }));
    assert.equal(locationOf(await bob.get(plain.href)), '/sign-up/upstream');
    assert.doesNotMatch((await bob.get(SECURITY)).text, /is linked to/);

    const back = await leaveToLink(bob);
    const eve = await signUp(service, 'eve');
    for (const [name, value] of bob.cookies) {
      if (name.startsWith('briefs-upstream-')) eve.cookies.set(name, value);
    }
    assert.equal((await eve.get(back.href)).status, 400, 'another session');
    assert.doesNotMatch((await eve.get(SECURITY)).text, /is linked to/);

    assert.equal(locationOf(await bob.get((await leaveToLink(bob)).href)), SECURITY);
    oidc.person = { sub: 'bob-2' };
    assert.equal((await bob.get((await leaveToLink(bob)).href)).status, 422, 'a second one');
    oidc.person = { sub: 'bob' };
    const taken = await eve.get((await leaveToLink(eve)).href);
    assert.equal(taken.status, 422);
    assert.match(taken.text, /belongs to another account/);

    service.advance(16 * MINUTE);
    const stale = await eve.post(`${SECURITY}/provider/link`);
    assert.match(stale.text, /Confirm that it’s you/);
  });

  it('the last way in stays; signing in there again proves who somebody is', async () => {
    const carol = await enter(service, oidc, 'carol');
    const [, id = ''] = /name="id" value="([^"]+)"/.exec((await carol.get(SECURITY)).text) ?? [];
    await carol.post(`${SECURITY}/provider/unlink`, { id });
    assert.match((await carol.get(SECURITY)).text, /This is your last way to sign in/);

    service.advance(16 * MINUTE);
    const asked = await carol.get(`${SECURITY}/codes`);
    assert.match(asked.text, /Sign in with Example ID/);
    assert.doesNotMatch(asked.text, /proof_password/);
    oidc.person = { sub: 'somebody-else' };
    const wrong = await confirm(oidc, carol, asked.text);
    assert.equal((await carol.get(wrong.href)).status, 422);
    assert.match((await carol.get(`${SECURITY}/codes`)).text, /Confirm that it’s you/);
    oidc.person = { sub: 'carol' };
    const right = await confirm(oidc, carol, asked.text);
    assert.equal(locationOf(await carol.get(right.href)), `${SECURITY}/codes`);
    assert.match((await carol.get(`${SECURITY}/codes`)).text, /class="qr"/);
    const form = { password: PASSWORD };
    assert.equal(locationOf(await carol.post('/settings/password', form)), '/settings/password');
    await carol.post(`${SECURITY}/provider/unlink`, { id });
    assert.match((await carol.get(SECURITY)).text, /no longer linked/);
  });

  it('a form that needs the proof is carried to the provider and back', async () => {
    const emmy = await enter(service, oidc, 'emmy');
    service.advance(16 * MINUTE);
    const token: [string, string][] = [
      ['name', 'laptop'],
      ['lifetime', '30'],
      ['scopes', 'documents:read'],
      ['scopes', 'comments'],
    ];
    const asked = await emmy.post('/settings/tokens', token);
    const back = await emmy.get((await confirm(oidc, emmy, asked.text)).href);
    assert.equal(back.status, 200);
    const fields = Array.from(
      back.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g),
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    assert.deepEqual(fields, token);
    assert.match(back.text, /action="\/settings\/tokens"/);
    assert.equal((await emmy.post('/settings/tokens', fields)).status, 201);
    service.advance(16 * MINUTE);
    for (const form of [
      '{"action":"https://evil.example/","fields":[]}',
      '{"action":"//evil.example/","fields":[]}',
      '{"action":"/settings/tokens","fields":[["a",1]]}',
      '{"action":"/settings/tokens"}',
      'null',
      '[',
      `{"action":"/x","fields":[["a","${'x'.repeat(2_000)}"]]}`,
    ]) {
      const away = await emmy.post('/settings/confirm/upstream', { next: '/inbox', form });
      const answer = await emmy.get((await goThrough(oidc, leadsTo(away))).href);
      assert.equal(locationOf(answer), '/inbox', form);
    }
  });

  it('only a sign-in there after the question proves who somebody is', async () => {
    const finn = await enter(service, oidc, 'finn');
    service.advance(16 * MINUTE);
    const asked = await finn.get(`${SECURITY}/codes`);
    const now = Math.floor(Date.now() / 1000);
    for (const signedInAt of [now - 30 * 86_400, now - 300, 1, now + 86_400, now * 1000]) {
      oidc.person = { sub: 'finn', signedInAt };
      const refused = await finn.get((await confirm(oidc, finn, asked.text)).href);
      assert.equal(refused.status, 422, `${signedInAt}`);
      assert.match(refused.text, /doesn’t confirm that it’s you/);
    }
    oidc.person = { sub: 'finn' };
    oidc.requests.length = 0;
    const url = new URL(await confirmationAddress(finn, asked.text));
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
    const silent = await finn.get((await goThrough(oidc, url.href)).href);
    assert.equal(silent.status, 422);
    assert.match(silent.text, /Example ID doesn’t say when you signed in there/);
    assert.match((await finn.get(`${SECURITY}/codes`)).text, /Confirm that it’s you/);
    // Linking needs the same.
    const gus = await signUp(service, 'gus');
    oidc.person = { sub: 'gus', signedInAt: now - 86_400 };
    assert.equal((await gus.get((await leaveToLink(gus)).href)).status, 422);
    assert.doesNotMatch((await gus.get(SECURITY)).text, /is linked to/);
    // A little behind is fine.
    oidc.person = { sub: 'finn', signedInAt: now - 30 };
    const right = await finn.get((await confirm(oidc, finn, asked.text)).href);
    assert.equal(locationOf(right), `${SECURITY}/codes`);
    assert.match((await finn.get(`${SECURITY}/codes`)).text, /class="qr"/);
  });

  it('a new session is as old a proof as the provider says', async () => {
    await enter(service, oidc, 'hal');
    const now = Math.floor(Date.parse(service.app.context.now()) / 1000);
    for (const [ago, isAsked] of [
      [20 * 60, true],
      [60, false],
    ] as const) {
      const hal = newVisitor(service);
      const url = new URL(await departure(hal, { next: '/' }));
      url.searchParams.set('max_age', '100000');
      oidc.person = { sub: 'hal', signedInAt: Math.floor(Date.now() / 1000) - ago };
      assert.equal(locationOf(await hal.get((await goThrough(oidc, url.href)).href)), '/');
      const page = (await hal.get(`${SECURITY}/codes`)).text;
      // The clock of the service is ahead of the provider's in these tests.
      const isAhead = now * 1000 - Date.now() > 10 * MINUTE;
      assert.equal(page.includes('Confirm that it’s you'), isAsked || isAhead, `${ago}`);
    }
  });

  it('a person without a name, or with one that is none, is nobody', async () => {
    for (const saidToBe of [
      '',
      ' ',
      'x'.repeat(256),
      'x'.repeat(5_000),
      'a\u0000b',
      'a\nb',
      'a\u200bb',
      'a\u2028b',
      '\ud800',
    ]) {
      oidc.person = { sub: 'nobody', saidToBe };
      const visitor = newVisitor(service);
      const there = await goThrough(oidc, await departure(visitor));
      const refused = await visitor.get(there.href);
      assert.equal(refused.status, 422, JSON.stringify(saidToBe));
      assert.match(refused.text, /1 to 255 visible characters|that we can’t accept/);
      assert.equal(locationOf(await visitor.get('/sign-up/upstream')), '/sign-in', 'no account');
    }
    for (const saidToBe of ['x'.repeat(255), 'uid=Zoë,ou=people', 'auth0|1 2']) {
      oidc.person = { sub: 'somebody', saidToBe };
      const visitor = newVisitor(service);
      const there = await goThrough(oidc, await departure(visitor));
      assert.equal(locationOf(await visitor.get(there.href)), '/sign-up/upstream', saidToBe);
    }
  });

  it('neither the provider nor a password proves it for who has a second factor here', async () => {
    const iris = await enter(service, oidc, 'iris');
    await iris.post('/settings/password', { password: PASSWORD });
    service.advance(16 * MINUTE);
    const before = await iris.post('/settings/tokens', { name: 'x' });
    assert.match(before.text, /proof_password/);
    const there = await confirm(oidc, iris, before.text);
    await iris.post('/settings/confirm', { next: '/', proof_password: PASSWORD });
    const { app } = await setUpCodes(service, iris);
    service.advance(16 * MINUTE);
    const asked = (await iris.post('/settings/tokens', { name: 'x' })).text;
    assert.match(asked, /Confirm that it’s you/);
    assert.doesNotMatch(asked, /proof_password|confirm\/upstream/);
    assert.equal((await iris.get(there.href)).status, 400, 'too late');
    const away = await iris.post('/settings/confirm/upstream', { next: '/' });
    const back = await iris.get((await goThrough(oidc, leadsTo(away))).href);
    assert.equal(back.status, 422);
    assert.match(back.text, /has a second factor here/);
    for (const [path, form] of [
      ['/settings/confirm', { proof_password: PASSWORD }],
      ['/settings/email', { email: 'iris@new.example', current: PASSWORD }],
      ['/settings/password', { current: PASSWORD, password: `${PASSWORD} 2` }],
      ['/settings/account/delete', { confirmation: 'iris', password: PASSWORD }],
    ] as const) {
      const answer = await iris.post(path, form);
      assert.match(answer.text, /Confirm that it’s you/, path);
    }
    const carried = await iris.post('/settings/email', {
      email: 'iris@new.example',
      proof_code: app.code(),
    });
    assert.match(carried.text, /enter your password/i);
    assert.match(carried.text, /value="iris@new\.example"/);
    const changed = await iris.post('/settings/email', {
      email: 'iris@new.example',
      current: PASSWORD,
    });
    assert.equal(locationOf(changed), '/settings');
  });

  it('whoever has a second factor here is asked for it after the provider, too', async () => {
    const dora = await enter(service, oidc, 'dora');
    const { app } = await setUpCodes(service, dora);
    service.advance(2 * MINUTE);
    const there = newVisitor(service);
    const url = await goThrough(oidc, await departure(there, { next: '/inbox' }));
    assert.equal(locationOf(await there.get(url.href)), '/sign-in/second');
    assert.equal(await whoIs(there), undefined);
    assert.equal(locationOf(await there.post('/sign-in/second', { code: app.code() })), '/inbox');
    assert.equal(await whoIs(there), 'dora');
  });
});

describe('A server without passwords', async () => {
  const { service, oidc, stop } = await startWithProvider({ PASSWORDS: 'off' });
  after(stop);

  it('has the provider and passkeys on its sign-in page, and no way that needs a password', async () => {
    const visitor = newVisitor(service);
    const { text } = await visitor.get('/sign-in?next=/inbox');
    assert.doesNotMatch(text, /type="password"|sign-in\/forgot|sign-up/);
    assert.match(text, /Sign in with Example ID/);
    assert.match(text, /Sign in with a passkey/);
    assert.equal(locationOf(await visitor.get('/sign-up?next=/inbox')), '/sign-in?next=%2Finbox');
    const form = { username: 'x', email: 'x@example.com', password: PASSWORD };
    for (const path of ['/sign-in', '/sign-up', '/sign-in/forgot', '/sign-in/reset/x']) {
      const { status } = await visitor.post(path, { name: 'x', ...form });
      assert.ok(status === 404 || status === 405, path);
    }
    assert.equal((await visitor.get('/sign-in/forgot')).status, 404);
    await service.user('old');
    await assert.rejects(resetLink(service.app.context, 'old'), /accepts no passwords/);
  });

  it('administrators are offered nothing that leads to a password', async () => {
    const chief = await enter(service, oidc, 'chief');
    const { context } = service.app;
    await setAdmin(context, undefined, { username: 'chief', isAdmin: true });
    await service.user('unlinked');
    const page = (await chief.get('/admin/people/unlinked')).text;
    assert.match(page, /Nothing yet/);
    assert.doesNotMatch(page, /reset-link|unlock/);
    assert.match((await chief.get('/admin/people/chief')).text, /<dd>Example ID<\/dd>/);
    const listed = (await chief.get('/admin/people?filter=unlinked')).text;
    assert.match(listed, /people\/unlinked"/);
    assert.doesNotMatch(listed, /people\/chief"/);
    assert.doesNotMatch((await chief.get('/admin/people/new')).text, /name="link"/);
    const form = { username: 'made', email: 'made@example.com', link: 'yes' };
    assert.equal((await chief.post('/admin/people/new', form)).status, 422);
    assert.equal((await chief.get('/admin/people/made')).status, 404);
    const invitations = (await chief.get('/admin/invitations')).text;
    assert.match(invitations, /through Example ID only/);
    assert.doesNotMatch(invitations, /Create invitation/);
    await assert.rejects(
      createSignUpInvitation(context, undefined, 'a@example.com'),
      /accepts no passwords/,
    );
  });

  it('an account that was unlinked is linked to who has its verified address there, once', async () => {
    const { context } = service.app;
    const come = async (sub: string, email: string, isVerified: boolean) => {
      oidc.person = { sub, claims: { email, email_verified: isVerified } };
      const visitor = newVisitor(service);
      const back = await goThrough(oidc, await departure(visitor));
      const to = locationOf(await visitor.get(back.href));
      return { visitor, to };
    };
    const address = 'hedy@example.com';
    const { visitor: hedy } = await come('hedy-1', address, true);
    await hedy.post('/sign-up/upstream', { username: 'hedy', email: address });
    assert.equal((await come('hedy-2', address, true)).to, '/sign-up/upstream', 'it has a link');
    await unlinkPerson(context, undefined, 'hedy', 'Example ID');
    for (const [email, isVerified] of [
      [address, false],
      ['other@example.com', true],
    ] as const) {
      assert.equal((await come('hedy-2', email, isVerified)).to, '/sign-up/upstream', email);
    }
    const again = await come('hedy-2', address.toUpperCase(), true);
    assert.equal(again.to, '/');
    assert.equal(await whoIs(again.visitor), 'hedy');
    assert.equal((await come('hedy-3', address, true)).to, '/sign-up/upstream', 'another person');
    const trail = await context.sql.read
      .selectFrom('audit_entry')
      .innerJoin('owner', 'owner.id', 'audit_entry.accountId')
      .where('owner.namespace', '=', 'hedy')
      .where('action', 'like', 'provider.%')
      .select('action')
      .orderBy('audit_entry.id')
      .execute();
    assert.deepEqual(
      trail.map(({ action }) => action),
      ['provider.unlinked', 'provider.linked'],
    );
    oidc.person = undefined;
  });

  it('people come in through the provider, and change nothing with an old password', async () => {
    const ada = await enter(service, oidc, 'ada');
    assert.equal(await whoIs(ada), 'ada');
    const { text } = await ada.get('/settings');
    assert.doesNotMatch(text, /settings\/password|name="current"/);
    assert.equal((await ada.get('/settings/password')).status, 404);
    assert.equal((await ada.post('/settings/password', { password: PASSWORD })).status, 405);
    const hash =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    await service.app.context.sql.transaction((tx) =>
      tx
        .updateTable('account')
        .set({ passwordHash: hash })
        .where('email', '=', 'ada@example.com')
        .execute(),
    );
    service.advance(16 * MINUTE);
    const asked = await ada.post('/settings/email', {
      email: 'ada@new.example',
      current: 'password',
    });
    assert.match(asked.text, /Confirm that it’s you/);
    assert.doesNotMatch(asked.text, /proof_password/);
    const proof = { email: 'ada@new.example', proof_password: 'password' };
    assert.match((await ada.post('/settings/email', proof)).text, /Confirm that it’s you/);
    const deletion = { confirmation: 'ada', password: 'password' };
    assert.match((await ada.post('/settings/account/delete', deletion)).text, /Confirm that it’s/);
    const [, id = ''] = /name="id" value="([^"]+)"/.exec((await ada.get(SECURITY)).text) ?? [];
    const there = await confirm(oidc, ada, asked.text);
    const back = await ada.get(there.href);
    assert.match(back.text, /action="\/settings\/email"/);
    assert.match(back.text, /type="hidden" name="email" value="ada@new\.example"/);
    assert.doesNotMatch(back.text, /name="current"|"password"/, 'no password is carried');
    await ada.post(`${SECURITY}/provider/unlink`, { id });
    assert.match((await ada.get(SECURITY)).text, /This is your last way to sign in/);
    const changed = await ada.post('/settings/email', { email: 'ada@new.example' });
    assert.equal(locationOf(changed), '/settings');
  });

  it('doesn’t start without a provider', async () => {
    await assert.rejects(
      startWithVisitors({ PASSWORDS: 'off' }),
      /PASSWORDS: off needs OIDC_ISSUER/,
    );
  });
});

describe('Groups that can sign in', async () => {
  const { service, oidc, stop } = await startWithProvider({ OIDC_GROUPS: 'staff, writers' });
  after(stop);

  const comeBack = async (groups: unknown, claim = 'groups', sub = 'ada') => {
    oidc.person = { sub, claims: groups === undefined ? {} : { [claim]: groups } };
    const visitor = newVisitor(service);
    const there = await goThrough(oidc, await departure(visitor));
    return { visitor, answer: await visitor.get(there.href) };
  };

  it('let their people in, and nobody else: with a clear refusal, at each sign-in', async () => {
    for (const groups of [
      ['guests'],
      [],
      undefined,
      'guests',
      ['staffers', 'Staff'],
      [['staff']],
      {},
    ]) {
      const { visitor, answer } = await comeBack(groups);
      assert.equal(answer.status, 403, JSON.stringify(groups));
      assert.match(
        answer.text,
        /Your account at Example ID is in no group that can use this server/,
      );
      assert.equal(await whoIs(visitor), undefined);
      assert.equal(locationOf(await visitor.get('/sign-up/upstream')), '/sign-in', 'no account');
    }
    const { visitor, answer } = await comeBack(['guests', 'writers']);
    assert.equal(locationOf(answer), '/sign-up/upstream');
    const form = { username: 'ada', email: 'ada@example.com' };
    assert.equal((await visitor.post('/sign-up/upstream', form)).status, 303);
    assert.equal(locationOf((await comeBack('staff')).answer), '/', 'one group as a text');
    assert.equal((await comeBack(['guests'])).answer.status, 403, 'out of the group');
  });

  it('can be in another claim, and the last of them don’t let a linked one in', async () => {
    const other = await startWithProvider({ OIDC_GROUPS: 'staff', OIDC_GROUPS_CLAIM: 'team' });
    try {
      for (const [claims, expected] of [
        [{ groups: ['staff'] }, 403],
        [{ team: ['staff'] }, 303],
      ] as const) {
        other.oidc.person = { sub: 'ada', claims };
        const visitor = newVisitor(other.service);
        const there = await goThrough(other.oidc, await departure(visitor));
        assert.equal((await visitor.get(there.href)).status, expected);
      }
    } finally {
      await other.stop();
    }
  });

  it('hold for linking, too', async () => {
    const grace = await signUp(service, 'grace');
    oidc.person = { sub: 'grace', claims: { groups: ['guests'] } };
    const back = await goThrough(oidc, leadsTo(await grace.post(`${SECURITY}/provider/link`)));
    assert.equal((await grace.get(back.href)).status, 403);
    assert.doesNotMatch((await grace.get(SECURITY)).text, /is linked to/);
    assert.equal((await signIn(grace, 'grace')).status, 303, 'the password still works');
  });
});
