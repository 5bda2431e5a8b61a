import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  decideAt,
  EVERYTHING,
  followOut,
  goToConsent,
  locationOf,
  makePkce,
  obtainCode,
  obtainTokens,
  type Registered,
  redeem,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn } from '../../../test/oauth/visitor.ts';

describe('The authorization code flow', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const { data } = await (await service.user('ada')).get('/user');
  const ada = await signedIn(service, data.id);
  const client = await register(service);

  it('leads through consent to tokens that work for the API', async () => {
    const tokens = await obtainTokens(service, ada, client);
    assert.equal(tokens.scope, EVERYTHING.join(' '));
    assert.equal(tokens.expires_in, 3600);
    const { data } = await service.client(tokens.access_token).get('/user');
    assert.equal(data.username, 'ada');
    const next = await refresh(service, client, tokens.refresh_token);
    assert.equal(next.status, 200, next.text);
    assert.notEqual(next.json.refresh_token, tokens.refresh_token);
    assert.equal(await statusWith(service, next.json.access_token), 200);
    assert.match(next.headers.get('cache-control') ?? '', /no-store/);
  });

  it('shows the application, scopes and redirect target', async () => {
    const page = await goToConsent(service, ada, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
      scope: 'documents:read profile unknown openid offline_access',
    });
    const answer = await ada.get(page);
    assert.equal(answer.status, 200);
    assert.match(answer.text, /Connect Scribe\?/);
    assert.match(answer.text, /can’t verify that this app/);
    assert.match(answer.text, /127\.0\.0\.1:9123/);
    assert.match(answer.text, /<strong>ada<\/strong>/);
    const offered = Array.from(answer.text.matchAll(/value="([a-z:]+)" checked/g), ([, v]) => v);
    assert.deepEqual(offered, ['documents:read', 'profile']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /form-action 'self' http:\/\/localhost:\d+ http:\/\/127\.0\.0\.1:9123;/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
  });

  it('sends signed-out users to sign in and back', async () => {
    const stranger = openBrowser();
    const page = await goToConsent(service, stranger, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const answer = await stranger.get(page);
    assert.equal(answer.status, 303);
    const next = encodeURIComponent(new URL(page).pathname);
    assert.equal(answer.headers.get('location'), `/sign-in?next=${next}`);
    const signIn = await stranger.get(`${service.webUrl}/sign-in?next=${next}`);
    assert.match(signIn.text, /Sign in to connect “<bdi>[^<]+<\/bdi>”/, 'names the application');
    assert.equal((await decideAt(stranger, page, EVERYTHING)).status, 303);
  });

  it('grants only the chosen scopes', async () => {
    const tokens = await obtainTokens(service, ada, client, { scopes: ['documents:read'] });
    assert.equal(tokens.scope, 'documents:read');
    const caller = service.client(tokens.access_token);
    assert.equal((await caller.get('/user/briefs')).status, 200);
    assert.equal((await caller.post('/user/briefs', { content: '# x' })).status, 403);
    assert.equal((await caller.get('/user')).status, 403);
    const next = await refresh(service, client, tokens.refresh_token);
    assert.equal(next.json.scope, 'documents:read');
  });

  it('never grants a scope that was not requested', async () => {
    const { verifier, challenge } = makePkce();
    const parameters = { scope: 'documents:read' };
    const code = await obtainCode(service, ada, client, { challenge, parameters });
    const { json } = await redeem(service, client, { code, code_verifier: verifier });
    assert.equal(json.scope, 'documents:read');
  });

  it('asks again if nothing is chosen', async () => {
    const page = await goToConsent(service, ada, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const answer = await decideAt(ada, page, []);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Choose at least one permission/);
  });

  it('tells the application about a denial', async () => {
    const page = await goToConsent(service, ada, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const back = await followOut(service, ada, await decideAt(ada, page, 'deny'));
    assert.equal(back.origin + back.pathname, client.redirect_uris[0]);
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), 'st');
    assert.equal(back.searchParams.get('code'), null);
  });

  it('asks for consent every time', async () => {
    await obtainTokens(service, ada, client);
    const parameters = {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    };
    await goToConsent(service, ada, parameters);
    const { href } = await (async () => {
      const url = new URL(`${service.baseUrl}/sso/authorize`);
      const all = { response_type: 'code', code_challenge_method: 'S256', ...parameters };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, String(value));
      url.searchParams.set('prompt', 'none');
      return locationOf(await ada.get(url.href));
    })();
    assert.match(href, /^http:\/\/127\.0\.0\.1:9123\/callback\?error=login_required/);
  });

  it('supports two parallel requests in one browser', async () => {
    const parameters = () => ({
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const first = await goToConsent(service, ada, parameters());
    const second = await goToConsent(service, ada, parameters());
    for (const page of [first, second]) {
      const back = await followOut(service, ada, await decideAt(ada, page, EVERYTHING));
      assert.ok(back.searchParams.get('code'));
    }
  });

  it('works for clients with a secret, stored only as a hash', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const secretive = await register(service, {
        token_endpoint_auth_method: method,
        redirect_uris: ['https://app.example.com/callback'],
      });
      assert.ok(secretive.client_secret);
      const { verifier, challenge } = makePkce();
      const code = await obtainCode(service, ada, secretive, { challenge });
      const wrong = { ...secretive, client_secret: 'wrong' };
      const refused = await redeem(service, wrong, { code, code_verifier: verifier });
      assertOAuthError(refused, 401, 'invalid_client');
      const { client_secret: _, ...without } = secretive;
      const anonymous = await redeem(service, without as Registered, {
        code,
        code_verifier: verifier,
      });
      assertOAuthError(anonymous, 401, 'invalid_client');
      const answer = await redeem(service, secretive, { code, code_verifier: verifier });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  it('works with HTTP Basic authentication', async () => {
    const { client_id: id, client_secret: secret } = await register(service, {
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const response = await fetch(`${service.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
    });
    assertOAuthError(await readAnswer(response), 400, 'invalid_grant');
  });
});
