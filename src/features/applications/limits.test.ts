import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  authorizeUrl,
  obtainTokens,
  postRegistration,
  refresh,
  register,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn } from '../../../test/oauth/visitor.ts';

describe('Rate limits of the authorization server, by address', async () => {
  const service = await startService();
  after(() => service.stop());

  it('30 token requests in 10 minutes', async () => {
    const ask = async () =>
      readAnswer(await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST' }));
    for (let left = 29; left >= 0; left--) {
      const answer = await ask();
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('x-ratelimit-limit'), '30');
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
    }
    const refused = await ask();
    assertOAuthError(refused, 429, 'temporarily_unavailable');
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 600, String(wait));
    assert.ok(Number(refused.headers.get('x-ratelimit-reset')) * 1000 > Date.now());
  });

  it('10 authorizations in 10 minutes, then an error page', async () => {
    const visitor = openBrowser();
    for (let left = 9; left >= 0; left--) {
      const answer = await visitor.get(authorizeUrl(service, {}));
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('x-ratelimit-limit'), '10');
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
    }
    const refused = await visitor.get(authorizeUrl(service, {}));
    assert.equal(refused.status, 429);
    assert.match(refused.text, /Too many requests/);
    assert.ok(refused.headers.get('retry-after'));
    // Later steps don't count as an authorization.
    const resumed = await visitor.get(`${service.baseUrl}/sso/authorize/x`);
    assert.equal(resumed.status, 400);
    assert.equal(resumed.headers.get('x-ratelimit-limit'), null);
    assert.equal((await visitor.get(`${service.baseUrl}/sso/authorize/x/decided`)).status, 400);
  });

  it('can’t be evaded by another spelling of the path', async () => {
    const address = authorizeUrl(service, {});
    // The last one is an address of the API, which requires a token.
    const paths = {
      'authorize/?': 404,
      'authorize//?': 404,
      'authorize/%20?': 404,
      '%61uthorize/?': 401,
    };
    for (const [path, status] of Object.entries(paths)) {
      const answer = await openBrowser().get(address.replace('authorize?', path));
      assert.equal(answer.status, status, path);
    }
  });

  it('5 registrations in an hour', async () => {
    for (let left = 4; left >= 0; left--) {
      const answer = await postRegistration(service);
      assert.equal(answer.status, 201);
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
    }
    const refused = await postRegistration(service);
    assertOAuthError(refused, 429, 'temporarily_unavailable');
    assert.ok(Number(refused.headers.get('retry-after')) > 600);
  });

  it('60 revocations in 10 minutes, since each can trigger a fetch', async () => {
    const body = () => new URLSearchParams({ token: 'x', client_id: 'https://127.0.0.1/c' });
    const revoke = async () =>
      readAnswer(await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body: body() }));
    for (let left = 59; left >= 0; left--) {
      const answer = await revoke();
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
    }
    assertOAuthError(await revoke(), 429, 'temporarily_unavailable');
  });

  it('don’t count preflights and metadata', async () => {
    for (const [method, path] of [
      ['OPTIONS', '/oauth/token'],
      ['GET', '/oauth/jwks'],
      ['GET', '/.well-known/oauth-authorization-server'],
    ] as const) {
      const response = await fetch(service.baseUrl + path, { method });
      assert.notEqual(response.status, 429);
      assert.equal(response.headers.get('x-ratelimit-limit'), null);
      await response.arrayBuffer();
    }
  });
});

describe('The API’s limit', () => {
  it('is per grant, and refreshing does not reset it', async () => {
    const service = await startService({ ...UNLIMITED, RATE_LIMIT_API: '100/5m' });
    try {
      const client = await register(service);
      const user = await service.user('ada');
      const ada = await signedIn(service, (await user.get('/user')).data.id);
      const tokens = await obtainTokens(service, ada, client);
      const remaining = async (token: string) => {
        const { headers } = await service.client(token).get('/user');
        return headers.get('x-ratelimit-remaining');
      };
      assert.equal(await remaining(tokens.access_token), '99');
      const { json } = await refresh(service, client, tokens.refresh_token);
      assert.equal(await remaining(json.access_token), '98');
      const another = await obtainTokens(service, ada, client);
      assert.equal(await remaining(another.access_token), '99');
    } finally {
      await service.stop();
    }
  });
});
