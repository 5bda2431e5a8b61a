import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, type Service, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  decideAt,
  goToConsent,
  listTools,
  makePkce,
  postToken,
  type Registered,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn, type Visitor } from '../../../test/oauth/visitor.ts';
import { sweepAuthorization } from './sweep-service.ts';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const GRANTS = { grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT] };
const MINUTE = 60_000;

async function ask(
  service: Pick<Service, 'baseUrl'>,
  client: Registered,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const { client_id, client_secret: secret } = client;
  const body = new URLSearchParams({
    client_id,
    ...(secret && { client_secret: secret }),
    ...fields,
  });
  return readAnswer(await fetch(`${service.baseUrl}/oauth/device`, { method: 'POST', body }));
}

function poll(
  service: Pick<Service, 'baseUrl'>,
  client: Registered,
  code: string,
  more = {},
): Promise<Answer> {
  return postToken(service, client, { grant_type: DEVICE_GRANT, device_code: code, ...more });
}

/** Enters a code. @returns the answer to the form */
function enter(service: Service, visitor: Visitor, code: string): Promise<Answer> {
  return visitor.submit(`${service.webUrl}/connect/device`, [['user_code', code]]);
}

/** Enters a code that a device waits with. @returns the address of the consent page */
async function enterRight(service: Service, visitor: Visitor, code: string): Promise<string> {
  const answer = await enter(service, visitor, code);
  assert.equal(answer.status, 303, answer.text);
  const path = answer.headers.get('location') ?? '';
  assert.match(path, /^\/authorize\/[\w-]{43}$/);
  return service.webUrl + path;
}

describe('The device flow', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-device-'));
  /** Two processes with the same data and the same public address. */
  const service = await startService({ ...UNLIMITED, DATA_DIR: dataDir });
  const { webUrl: WEB_URL, renderUrl: RENDER_URL } = service;
  const second = await startService({ ...UNLIMITED, DATA_DIR: dataDir, WEB_URL, RENDER_URL });
  const other = { baseUrl: service.baseUrl.replace(/:\d+/, `:${second.config.port}`) };
  after(async () => {
    await second.stop();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const person = async (name: string) => {
    const client = await service.user(name);
    return { client, browser: await signedIn(service, (await client.get('/user')).data.id) };
  };
  const [ada, eve] = [await person('ada'), await person('eve')];
  const client = await register(service, { ...GRANTS, client_name: 'Shell' });
  const start = async (fields = {}) => {
    const answer = await ask(service, client, fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const connections = async (browser = ada.browser) =>
    (await browser.get(`${service.webUrl}/settings/applications`)).text.match(/Disconnect Shell/g)
      ?.length ?? 0;

  it('is in the metadata, and starts with two codes', async () => {
    const { headers, json } = await ask(service, client);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.match(json.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.match(json.device_code, /^[\w-]{43,}$/);
    const page = `${service.webUrl}/connect/device`;
    assert.equal(json.verification_uri, page);
    assert.equal(json.verification_uri_complete, `${page}?user_code=${json.user_code}`);
    assert.deepEqual([json.expires_in, json.interval], [900, 5]);
    const { json: metadata } = await readAnswer(
      await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`),
    );
    assert.equal(metadata.device_authorization_endpoint, `${service.baseUrl}/oauth/device`);
    assert.ok(metadata.grant_types_supported.includes(DEVICE_GRANT));
  });

  it('leads through the page and consent to tokens that are refreshed', async () => {
    const codes = await start({ scope: 'documents:read profile', resource: service.baseUrl });
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'authorization_pending');
    const form = await ada.browser.get(codes.verification_uri_complete);
    assert.match(form.text, new RegExp(`value="${codes.user_code}"`));
    assert.match(form.text, /Only enter a code that you see on a device in front of you/);
    const page = await enterRight(
      service,
      ada.browser,
      codes.user_code.toLowerCase().replace('-', ' '),
    );
    const consent = await ada.browser.get(page);
    assert.match(consent.text, /Connect Shell\?/);
    assert.match(consent.text, /can’t\s+verify/);
    assert.match(consent.text, new RegExp(codes.user_code));
    assert.match(consent.text, /the address <strong>(127\.0\.0\.1|::1)<\/strong>/);
    assert.match(consent.text, /It will act as <strong>ada<\/strong>/);
    assert.doesNotMatch(consent.headers.get('content-security-policy') ?? '', /127\.0\.0\.1:9123/);
    const done = await decideAt(ada.browser, page, ['documents:read']);
    assert.equal(done.status, 200);
    assert.match(done.text, /Shell is connected/);
    const { status, json } = await poll(service, client, codes.device_code);
    assert.equal(status, 200);
    assert.equal(json.scope, 'documents:read', 'only what was left selected');
    assert.equal(await statusWith(service, json.access_token), 403, 'the profile wasn’t allowed');
    const list = await service.client(json.access_token).get('/user/briefs');
    assert.equal(list.status, 200);
    const next = await refresh(service, client, json.refresh_token);
    assert.equal(next.status, 200, next.text);
    const wider = await refresh(service, client, next.json.refresh_token, { scope: 'profile' });
    assertOAuthError(wider, 400, 'invalid_scope');
    const settings = await ada.browser.get(`${service.webUrl}/settings/applications`);
    assert.match(settings.text, /device at (127\.0\.0\.1|::1)/);
    const entries = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', '=', 'application.connected')
      .select(['actorName', 'subject', 'detail'])
      .execute();
    assert.equal(entries.length, 1);
    assert.deepEqual([entries[0]?.actorName, entries[0]?.subject], ['ada', 'Shell']);
    assert.match(entries[0]?.detail ?? '', /"host":"device at [^"]+","scopes":"documents:read"/);
  });

  it('a code used twice ends the connection, also at two processes', async () => {
    const codes = await start();
    assertOAuthError(await poll(other, client, codes.device_code), 400, 'authorization_pending');
    await decideAt(ada.browser, await enterRight(service, ada.browser, codes.user_code), [
      'profile',
    ]);
    const before = await connections();
    const both = await Promise.all(
      [service, other].map((at) => poll(at, client, codes.device_code)),
    );
    const won = both.filter(({ status }) => status === 200);
    assert.ok(won.length <= 1, 'two at once never both get tokens that work');
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'invalid_grant');
    for (const { json } of won) assert.equal(await statusWith(service, json.access_token), 401);
    assert.ok((await connections()) <= before);
    assert.equal((await enter(service, ada.browser, codes.user_code)).status, 422);
  });

  it('a decision counts once, whoever else has entered the code', async () => {
    const codes = await start();
    const [first, second] = [
      await enterRight(service, ada.browser, codes.user_code),
      await enterRight(service, eve.browser, codes.user_code),
    ];
    // Nobody decides on a page that somebody else has come to.
    assert.equal((await ada.browser.get(second)).status, 404);
    assert.equal((await decideAt(ada.browser, second, ['profile'])).status, 404);
    assert.match((await eve.browser.get(second)).text, /It will act as <strong>eve<\/strong>/);
    assert.equal((await decideAt(eve.browser, second, ['profile'])).status, 200);
    const before = await connections();
    assert.equal((await decideAt(ada.browser, first, ['profile'])).status, 404);
    assert.equal((await decideAt(ada.browser, first, 'deny')).status, 404);
    assert.equal(await connections(), before, 'nothing of a late decision is kept');
    const { json } = await poll(service, client, codes.device_code);
    assert.equal((await service.client(json.access_token).get('/user')).data.username, 'eve');
  });

  it('a refusal ends it', async () => {
    const codes = await start();
    const page = await enterRight(service, ada.browser, codes.user_code);
    const none = await decideAt(ada.browser, page, []);
    assert.equal(none.status, 422, 'no scope is no decision');
    const done = await decideAt(ada.browser, page, 'deny');
    assert.match(done.text, /Shell isn’t connected/);
    for (let time = 0; time < 2; time++) {
      assertOAuthError(await poll(service, client, codes.device_code), 400, 'access_denied');
    }
    assert.equal((await enter(service, ada.browser, codes.user_code)).status, 422);
    assert.equal((await decideAt(ada.browser, page, ['profile'])).status, 404);
  });

  it('expires after 15 minutes, and says so until it is swept', async () => {
    const codes = await start();
    const page = await enterRight(service, ada.browser, codes.user_code);
    const allowed = await start();
    const allowing = await enterRight(service, ada.browser, allowed.user_code);
    assert.equal((await decideAt(ada.browser, allowing, ['profile'])).status, 200);
    service.advance(15 * MINUTE + 1_000);
    for (const { device_code: code } of [codes, allowed]) {
      assertOAuthError(await poll(service, client, code), 400, 'expired_token');
    }
    assert.equal((await enter(service, ada.browser, codes.user_code)).status, 422);
    assert.equal((await decideAt(ada.browser, page, ['profile'])).status, 404);
    await sweepAuthorization(service.app.context);
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'expired_token');
    service.advance(15 * MINUTE);
    await sweepAuthorization(service.app.context);
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'invalid_grant');
  });

  it('is only for the client that asked, and for clients that registered for it', async () => {
    const codes = await start();
    const stranger = await register(service, GRANTS);
    assertOAuthError(await poll(service, stranger, codes.device_code), 400, 'invalid_grant');
    const usual = await register(service);
    assertOAuthError(await ask(service, usual), 400, 'invalid_request');
    assertOAuthError(await poll(service, usual, codes.device_code), 400, 'invalid_request');
    assertOAuthError(
      await ask(service, { ...client, client_id: 'unknown' }),
      401,
      'invalid_client',
    );
    const secret = { ...GRANTS, token_endpoint_auth_method: 'client_secret_post' };
    const confidential = await register(service, secret);
    assert.equal((await ask(service, confidential)).status, 200);
    const { client_secret: _, ...without } = confidential;
    assertOAuthError(await ask(service, without), 401, 'invalid_client');
    for (const wrong of ['', 'x', codes.user_code]) {
      const answer = await poll(service, client, wrong);
      assertOAuthError(answer, 400, wrong === '' ? 'invalid_request' : 'invalid_grant');
    }
    const asCode = await postToken(service, client, {
      grant_type: 'authorization_code',
      code: codes.device_code,
      code_verifier: makePkce().verifier,
      redirect_uri: client.redirect_uris[0],
    });
    assertOAuthError(asCode, 400, 'invalid_grant');
  });

  it('refuses unknown scopes and resources, and gives no other resource than was allowed', async () => {
    assertOAuthError(await ask(service, client, { scope: 'nonsense' }), 400, 'invalid_scope');
    const foreign = { resource: 'https://elsewhere.example' };
    assertOAuthError(await ask(service, client, foreign), 400, 'invalid_target');
    const codes = await start({ scope: 'profile admin', resource: service.baseUrl });
    const page = await enterRight(service, ada.browser, codes.user_code);
    assert.doesNotMatch((await ada.browser.get(page)).text, /value="admin"/);
    await decideAt(ada.browser, page, ['profile', 'admin', 'documents:write']);
    const mcp = { resource: `${service.baseUrl}/mcp` };
    assertOAuthError(await poll(service, client, codes.device_code, mcp), 400, 'invalid_target');
    const one = await start({ scope: 'profile admin', resource: service.baseUrl });
    const given = ['profile', 'admin', 'documents:write'];
    await decideAt(ada.browser, await enterRight(service, ada.browser, one.user_code), given);
    const { scope, access_token: token } = (await poll(service, client, one.device_code)).json;
    assert.equal(scope, 'profile', 'no scope beyond what was asked for and can be given');
    assert.equal((await listTools(service, token)).status, 401);
    const both = await start();
    const next = await enterRight(service, ada.browser, both.user_code);
    await decideAt(ada.browser, next, ['profile', 'documents:read']);
    const { json } = await poll(service, client, both.device_code);
    assert.equal(await statusWith(service, json.access_token), 200);
    assert.equal((await listTools(service, json.access_token)).status, 200);
  });

  it('can be limited to some documents, as on every consent page', async () => {
    await ada.client.post('/user/briefs', { name: 'plan', content: '# Plan' });
    await ada.client.post('/user/briefs', { name: 'other', content: '# Other' });
    const codes = await start();
    const page = await enterRight(service, ada.browser, codes.user_code);
    const done = await ada.browser.submit(page, [
      ['decision', 'allow'],
      ['scope', 'documents:read'],
      ['reach', 'ada/plan'],
    ]);
    assert.equal(done.status, 200, done.text);
    const { json } = await poll(service, client, codes.device_code);
    const limited = service.client(json.access_token);
    assert.equal((await limited.get('/briefs/ada/plan')).status, 200);
    assert.equal((await limited.get('/briefs/ada/other')).status, 404);
  });

  it('asks to slow down, but never delays the tokens', async () => {
    const codes = await start();
    const errors = [];
    for (let time = 0; time < 6; time++) {
      errors.push((await poll(service, client, codes.device_code)).json.error);
    }
    assert.equal(errors[0], 'authorization_pending');
    assert.ok(errors.includes('slow_down'), String(errors));
    await decideAt(ada.browser, await enterRight(service, ada.browser, codes.user_code), [
      'profile',
    ]);
    assert.equal((await poll(service, client, codes.device_code)).status, 200);
  });

  it('belongs to signed-in people, on pages of this site', async () => {
    const codes = await start();
    const stranger = openBrowser();
    const sent = await stranger.get(codes.verification_uri_complete);
    assert.equal(sent.status, 303);
    const next = encodeURIComponent(`/connect/device?user_code=${codes.user_code}`);
    assert.equal(sent.headers.get('location'), `/sign-in?next=${next}`);
    assert.equal((await enter(service, stranger, codes.user_code)).status, 303);
    const body = new URLSearchParams({ user_code: codes.user_code });
    const foreign = await ada.browser.request(`${service.webUrl}/connect/device`, {
      method: 'POST',
      body,
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(foreign.status, 403);
    const script = await ada.browser.get(
      `${service.webUrl}/connect/device?user_code=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    assert.doesNotMatch(script.text, /<script>alert/);
    // The library’s own pages aren’t there, nor do requests of browsers and devices mix.
    for (const path of ['/code', `/code?user_code=${codes.user_code}`, '/code/x']) {
      assert.notEqual(
        (await ada.browser.get(`${service.baseUrl}/oauth/device${path}`)).status,
        200,
      );
    }
    const uid = (await enterRight(service, ada.browser, codes.user_code)).split('/').at(-1);
    for (const path of [uid, `${uid}/decided?code=x`]) {
      const answer = await ada.browser.get(`${service.baseUrl}/sso/authorize/${path}`);
      assert.equal(answer.status, 400, answer.text);
    }
    const usual = await goToConsent(service, ada.browser, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    assert.equal((await eve.browser.get(usual)).status, 200);
  });

  it('stores neither code, and ends with the connection', async () => {
    const codes = await start();
    const rows = await service.app.context.sql.read
      .selectFrom('oauth_device')
      .selectAll()
      .execute();
    assert.ok(rows.length > 0);
    for (const code of [codes.device_code, codes.user_code, codes.user_code.replace('-', '')]) {
      assert.ok(!JSON.stringify(rows).includes(code));
    }
    await decideAt(ada.browser, await enterRight(service, ada.browser, codes.user_code), [
      'profile',
    ]);
    await service.app.context.sql.transaction((tx) =>
      tx.deleteFrom('oauth_grant').where('clientId', '=', client.client_id).execute(),
    );
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'invalid_grant');
  });

  it('needs a recent proof of who somebody is', async () => {
    const codes = await start();
    service.advance(25 * 60 * MINUTE);
    const late = await start();
    assertOAuthError(await poll(service, client, codes.device_code), 400, 'expired_token');
    const page = await enterRight(service, ada.browser, late.user_code);
    const { pathname } = new URL(page);
    for (const answer of [
      await ada.browser.get(page),
      await decideAt(ada.browser, page, ['profile']),
    ]) {
      assert.equal(answer.status, 303);
      const expected = `/settings/confirm?next=${encodeURIComponent(pathname)}`;
      assert.equal(answer.headers.get('location'), expected);
    }
    assertOAuthError(await poll(service, client, late.device_code), 400, 'authorization_pending');
  });
});

describe('Limits of the device flow', async () => {
  const service = await startService({ RATE_LIMIT_OAUTH_REGISTER: 'off' });
  after(() => service.stop());
  const client = await register(service, GRANTS);
  const visitor = async (name: string) =>
    signedIn(service, (await (await service.user(name)).get('/user')).data.id);

  it('waiting doesn’t use up the token requests of its address; asking too fast does', async () => {
    const { json: codes } = await ask(service, client);
    const left = async () =>
      Number((await postToken(service, client, {})).headers.get('x-ratelimit-remaining'));
    const before = await left();
    const pending = await poll(service, client, codes.device_code);
    assertOAuthError(pending, 400, 'authorization_pending');
    assert.equal(await left(), before - 1);
    let wrong = await poll(service, client, codes.device_code);
    for (let time = 0; time < 40 && wrong.status !== 429; time++) {
      wrong = await poll(service, client, codes.device_code);
    }
    assertOAuthError(wrong, 429, 'temporarily_unavailable');
  });

  it('ten wrong codes of an account in 15 minutes; right ones don’t count', async () => {
    const mallory = await visitor('mallory');
    const codes = () => ask(service, client).then(({ json }) => json.user_code);
    for (let time = 0; time < 12; time++) await enterRight(service, mallory, await codes());
    for (let time = 0; time < 10; time++) {
      const wrong = await enter(service, mallory, `BBBB-BBB${'BCDFGHJKLM'[time]}`);
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /No device waits with this code/);
    }
    const right = await codes();
    const refused = await enter(service, mallory, right);
    assert.equal(refused.status, 429);
    assert.ok(refused.headers.get('retry-after'));
    await enterRight(service, await visitor('grace'), right);
  });

  it('the same right code counts, too, but as background requests do', async () => {
    const grete = await service.user('grete');
    const { id } = (await grete.get('/user')).data;
    const browser = await signedIn(service, id);
    const { user_code: code } = (await ask(service, client)).json;
    await enterRight(service, browser, code);
    await service.app.context.limiter.consume('webLookup', id, 599);
    assert.equal((await enter(service, browser, code)).status, 429);
  });

  it('thirty devices of an address in 10 minutes', async () => {
    let answer = await ask(service, client);
    while (answer.status === 200) answer = await ask(service, client);
    assertOAuthError(answer, 429, 'temporarily_unavailable');
    assert.equal(answer.headers.get('x-ratelimit-limit'), '30');
  });
});
