import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { assertFailed, connect } from '../../../test/mcp/agent.ts';
import {
  decideAt,
  EVERYTHING,
  followOut,
  goToConsent,
  locationOf,
  makePkce,
  obtainTokens,
  redeem,
  refresh,
  register,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn, type Visitor } from '../../../test/oauth/visitor.ts';
import { PASSWORD, signUp } from '../../../test/sign-in/visitor.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { callOf } from '../../core/context.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { listGrants } from '../../core/identity/grant-store.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { endAllSessions } from '../../core/identity/session-service.ts';
import { setPassword } from '../accounts/password-service.ts';

const HOUR = 60 * 60_000;

describe('Consent under attack', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const client = await register(service);
  const adaId: string = (await (await service.user('ada')).get('/user')).data.id;
  const ada = await signedIn(service, adaId);
  const { data } = await (await service.user('eve')).get('/user');
  const eve = await signedIn(service, data.id);

  const begin = (visitor: Visitor): Promise<string> =>
    goToConsent(service, visitor, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });

  const connections = async () =>
    (await ada.get(`${service.webUrl}/settings/applications`)).text.match(/Disconnect Scribe/g)
      ?.length ?? 0;

  it('a request from another browser can’t be consented to', async () => {
    const page = await begin(eve);
    // Ada is tricked into opening it, and even allows it.
    assert.equal((await ada.get(page)).status, 200);
    const decided = await decideAt(ada, page, EVERYTHING);
    const refused = await ada.get(locationOf(decided).href);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /started in another browser/);
    assert.equal(refused.headers.get('location'), null);
    // Eve can't continue in her own browser without the code, which only Ada's browser has seen.
    const uid = page.split('/').at(-1);
    const resume = `${service.baseUrl}/sso/authorize/${uid}`;
    for (const tail of ['/decided', '/decided?code=', `/decided?code=${'x'.repeat(43)}`]) {
      const answer = await eve.get(resume + tail);
      assert.ok(answer.status >= 400, tail);
      assert.equal(answer.headers.get('location'), null);
    }
    const resumed = await eve.get(resume);
    assert.doesNotMatch(resumed.headers.get('location') ?? '', /code=/);
    assert.equal(await connections(), 0);
  });

  it('a decision is valid for one request, once', async () => {
    const [first, second] = [await begin(ada), await begin(ada)];
    const decided = locationOf(await decideAt(ada, first, EVERYTHING));
    const moved = decided.href.replace(
      first.split('/').at(-1) ?? '',
      second.split('/').at(-1) ?? '',
    );
    assert.equal((await ada.get(moved)).status, 404);
    // Using it for the wrong request consumes it.
    assert.equal((await ada.get(decided.href)).status, 404);
    const again = locationOf(await decideAt(ada, first, EVERYTHING));
    const back = await followOut(service, ada, await ada.get(again.href));
    assert.ok(back.searchParams.get('code'));
    assert.ok((await ada.get(again.href)).status >= 400);
  });

  it('a decision is valid only for the user that the page named', async () => {
    const page = await begin(ada);
    assert.match((await ada.get(page)).text, /name="username" value="ada"/);
    const before = await connections();
    const form: [string, string][] = [
      ['username', 'eve'],
      ['decision', 'allow'],
      ...EVERYTHING.map((scope): [string, string] => ['scope', scope]),
    ];
    const asked = await ada.submit(page, form);
    assert.equal(asked.status, 422);
    assert.match(asked.text, /now signed in as ada/);
    assert.equal(await connections(), before);
  });

  it('a decision expires after a minute, a request after an hour', async () => {
    const page = await begin(ada);
    const decided = locationOf(await decideAt(ada, page, EVERYTHING));
    service.advance(61_000);
    assert.equal((await ada.get(decided.href)).status, 404);
    assert.equal((await ada.get(page)).status, 200);
    service.advance(3_600_000);
    assert.equal((await ada.get(page)).status, 404);
    assert.equal((await decideAt(ada, page, EVERYTHING)).status, 404);
  });

  it('accepts forms only from its own pages', async () => {
    const page = await begin(ada);
    const body = new URLSearchParams([
      ['decision', 'allow'],
      ['scope', 'profile'],
    ]);
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      {},
    ] as Record<string, string>[]) {
      const answer = await ada.request(page, { method: 'POST', body, headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    for (const value of ['allow', 'deny']) {
      const got = await ada.get(`${page}?decision=${value}&scope=profile`);
      assert.equal(got.status, 200, 'GET decides nothing');
    }
    const unclear = await ada.submit(page, [['scope', 'profile']]);
    assert.equal(unclear.status, 200, 'nor does a form without an answer');
  });

  it('escapes names', async () => {
    const name = '<img src=x onerror=alert(1)>"\'&';
    const evil = await register(service, { client_name: name });
    const page = await goToConsent(service, ada, {
      client_id: evil.client_id,
      redirect_uri: evil.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const { text } = await ada.get(page);
    assert.doesNotMatch(text, /<img/);
    assert.match(text, /&lt;img src=x/);
  });

  it('refuses unknown requests', async () => {
    for (const uid of ['x', 'x'.repeat(43), '..%2f..', '%00', 'a'.repeat(1_000)]) {
      assert.equal((await ada.get(`${service.webUrl}/authorize/${uid}`)).status, 404, uid);
    }
    assert.ok((await ada.get(`${service.baseUrl}/sso/authorize/nothing`)).status >= 400);
    assert.ok(
      (await openBrowser().get(`${service.baseUrl}/sso/authorize/x/decided`)).status >= 400,
    );
  });

  it('a forged cookie is ignored', async () => {
    const page = await begin(eve);
    const uid = page.split('/').at(-1) ?? '';
    const decided = locationOf(await decideAt(ada, page, EVERYTHING));
    const { cookie: secrets } = await loadAuthorizationKeys(service.app.context);
    const pair = `briefs-request=${uid}`;
    // As the library would sign it by itself.
    const weak = createHmac('sha1', secrets[0] ?? '')
      .update(pair)
      .digest('base64url');
    for (const cookie of [
      pair,
      ...['x', weak].map((sig) => `${pair}; briefs-request.sig=${sig}`),
    ]) {
      const answer = await ada.request(decided.href, { headers: { cookie } });
      assert.equal(answer.status, 400);
    }
  });

  it('only administrators of the instance can grant “admin”, as long as they are', async () => {
    const { context } = service.app;
    const { data } = await (await service.user('chief')).get('/user');
    const chief = await signedIn(service, data.id);
    const scopes = ['profile', 'admin'];
    const wanted = { scopes, parameters: { scope: scopes.join(' ') } };
    const ask = () =>
      goToConsent(service, chief, {
        client_id: client.client_id,
        redirect_uri: client.redirect_uris[0],
        code_challenge: makePkce().challenge,
        scope: scopes.join(' '),
      });
    const listUsers = async (token: string) =>
      (await service.client(token).get('/admin/users')).status;

    assert.doesNotMatch((await chief.get(await ask())).text, /value="admin"/);
    const without = await obtainTokens(service, chief, client, wanted);
    assert.equal(without.scope, 'profile');
    assert.equal(await listUsers(without.access_token), 403);

    await setAdmin(context, undefined, { username: 'chief', isAdmin: true });
    assert.match((await chief.get(await ask())).text, /value="admin"/);
    const granted = await obtainTokens(service, chief, client, wanted);
    assert.equal(granted.scope, 'profile admin');
    assert.equal(await listUsers(granted.access_token), 200);

    const decided = locationOf(await decideAt(chief, await ask(), scopes));
    await setAdmin(context, undefined, { username: 'chief', isAdmin: false });
    assert.equal((await chief.get(decided.href)).status, 404);
    assert.equal(await listUsers(granted.access_token), 403);
    // A request that names no scope doesn't ask for it.
    await setAdmin(context, undefined, { username: 'chief', isAdmin: true });
    assert.doesNotMatch((await chief.get(await begin(chief))).text, /value="admin"/);
  });

  it('an account that was disabled meanwhile grants nothing', async () => {
    const { data } = await (await service.user('tim')).get('/user');
    const tim = await signedIn(service, data.id);
    const page = await begin(tim);
    const decided = locationOf(await decideAt(tim, page, EVERYTHING));
    await setAccountDisabled(service.app.context, 'tim', true);
    assert.equal((await tim.get(decided.href)).status, 404);
  });

  it('a decision in a session that was ended meanwhile grants nothing', async () => {
    const { data } = await (await service.user('ann')).get('/user');
    const { context } = service.app;
    const ann = { id: data.id, username: 'ann', scopes: ALL_SCOPES, via: VIA_WEB };
    for (const end of [
      () => setPassword(context, 'ann', 'four odd walnuts'),
      () => endAllSessions(callOf(context, ann)),
    ]) {
      const browser = await signedIn(service, data.id);
      const page = await begin(browser);
      const decided = locationOf(await decideAt(browser, page, EVERYTHING));
      await end();
      assert.equal((await browser.get(decided.href)).status, 404);
      assert.deepEqual(await listGrants(context.sql.read, data.id, context.now()), []);
    }
  });

  it('an app is connected only within a day of a proof of who its user is', async () => {
    const mary = await signUp(service, 'mary');
    const page = new URL(await begin(ada)).pathname;
    const sends = { username: 'mary', decision: 'allow', scope: 'documents:read' };
    service.advance(23 * HOUR);
    const fresh = new URL(await begin(ada)).pathname;
    assert.equal((await mary.get(fresh)).status, 200);
    service.advance(2 * HOUR);
    const late = new URL(await begin(ada)).pathname;
    const confirm = `/settings/confirm?next=${encodeURIComponent(late)}`;
    assert.equal((await mary.get(late)).headers.get('location'), confirm);
    // Nor does a form that was opened before.
    assert.equal((await mary.post(late, sends)).headers.get('location'), confirm);
    assert.equal((await mary.get(page)).status, 404, 'long expired');
    const denied = await mary.post(late, { ...sends, decision: 'deny' });
    assert.match(denied.headers.get('location') ?? '', /\/decided\?code=/, 'denying needs none');
    const again = new URL(await begin(ada)).pathname;
    const asked = await mary.get(`/settings/confirm?next=${encodeURIComponent(again)}`);
    assert.match(asked.text, /Confirm that it’s you/);
    const [, next = ''] = /name="next" value="([^"]+)"/.exec(asked.text) ?? [];
    const proof = { next: next.replaceAll('&amp;', '&'), proof_password: PASSWORD };
    const proven = await mary.post('/settings/confirm', proof);
    const onward = await mary.get(proven.headers.get('location') ?? '');
    assert.equal(onward.headers.get('location'), again);
    assert.equal((await mary.get(again)).status, 200);
    const allowed = await mary.post(again, sends);
    assert.match(allowed.headers.get('location') ?? '', /\/decided\?code=/);
    const other = '/settings/confirm?next=https://evil.example/';
    assert.equal((await mary.get(other)).headers.get('location'), '/settings/security');
  });

  it('can be limited to some documents, also after a refresh', async () => {
    const user = await signedIn(service, adaId);
    const owner = await service.user('ada2');
    await owner.post('/user/briefs', { name: 'strange', content: 'x', visibility: 'private' });
    const own = await obtainTokens(service, user, client);
    const wide = service.client(own.access_token);
    for (const name of ['one', 'two']) {
      await wide.post('/user/briefs', { name, content: name, visibility: 'private' });
    }
    const { verifier, challenge } = makePkce();
    const page = await goToConsent(service, user, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: challenge,
    });
    const shown = await user.get(page);
    const isChecked = (scope: string) =>
      new RegExp(`value="${scope}"[^>]*checked|checked[^>]*value="${scope}"`).test(shown.text);
    assert.deepEqual(
      ['documents:write', 'sharing', 'organizations', 'profile:write'].map(isChecked),
      [true, true, false, false],
    );
    const allow = (reach: string) =>
      user.submit(page, [
        ['decision', 'allow'],
        ...EVERYTHING.map((scope): [string, string] => ['scope', scope]),
        ['reach', reach],
      ]);
    const refused = await allow('ada2/strange');
    assert.equal(refused.status, 422);
    assert.match(refused.text, /there is no document “ada2\/strange” that you can read/);
    const out = await followOut(service, user, await allow('ada/one'));
    const code = out.searchParams.get('code') as string;
    const { json } = await redeem(service, client, { code, code_verifier: verifier });
    assert.doesNotMatch(json.scope, /organizations|profile:write/);
    const again = await refresh(service, client, json.refresh_token);
    for (const token of [json.access_token, again.json.access_token]) {
      const some = service.client(token);
      assert.equal((await some.get('/briefs/ada/one')).status, 200);
      assert.equal((await some.get('/briefs/ada/two')).status, 404);
      assert.equal((await some.get('/user/orgs')).status, 403);
    }
    // The same app has another connection that isn't limited.
    const settings = `${service.webUrl}/settings/applications`;
    assert.doesNotMatch((await user.get(settings)).text, /Only ada\/one/);
  });

  it('tools whose scopes were deselected are not offered, and a call says which is missing', async () => {
    const user = await signedIn(service, adaId);
    const tokens = await obtainTokens(service, user, client, { scopes: ['documents:read'] });
    const agent = await connect(service, tokens.access_token);
    const names = (await agent.client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 3), ['whoami', 'search_documents', 'read_document']);
    assert.equal(names.includes('publish_document') || names.includes('comment'), false);
    const { data } = await agent.call('whoami');
    assert.deepEqual(data, { username: 'ada', scopes: ['documents:read'] });
    const refused = await agent.call('publish_document', { content: 'x' });
    assertFailed(refused, 'FORBIDDEN', /lacks the scope "documents:write"[\s\S]*connect again/);
    await agent.close();
    // What wasn't asked for can be asked for later.
    const narrow = await obtainTokens(service, user, client, {
      scopes: ['documents:read'],
      parameters: { scope: 'documents:read' },
    });
    const other = await connect(service, narrow.access_token);
    const all = (await other.client.listTools()).tools.map(({ name }) => name);
    assert.equal(all.includes('publish_document'), true);
    await assert.rejects(other.call('publish_document', { content: 'x' }));
    await other.close();
  });
});
