import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, startService } from '../../../test/harness.ts';
import {
  authorizeUrl,
  EVERYTHING,
  goToConsent,
  locationOf,
  makePkce,
  obtainCode,
  redeem,
  register,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn } from '../../../test/oauth/visitor.ts';

const WEB_REDIRECT = 'https://app.example.com/callback';

describe('GET /sso/authorize', async () => {
  const { challenge } = makePkce();

  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const web = await register(service, { redirect_uris: [WEB_REDIRECT] });
  const installed = await register(service, {
    redirect_uris: ['http://127.0.0.1/cb', 'http://localhost:1/cb', 'http://[::1]/cb'],
  });
  const { data } = await (await service.user('ada')).get('/user');
  const ada = await signedIn(service, data.id);

  const ask = (parameters: Record<string, string | string[] | undefined>): Promise<Answer> =>
    openBrowser().get(authorizeUrl(service, parameters));

  const askWeb = (parameters: Record<string, string | string[] | undefined>): Promise<Answer> =>
    ask({
      client_id: web.client_id,
      redirect_uri: WEB_REDIRECT,
      code_challenge: challenge,
      ...parameters,
    });

  function assertPage(answer: Answer): void {
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
    assert.equal(answer.headers.get('location'), null);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(
      answer.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-/,
    );
    assert.doesNotMatch(answer.text, /evil|<script/);
  }

  it('shows a page instead of redirecting for an unknown client', async () => {
    for (const client_id of [
      undefined,
      '',
      'nobody',
      'https:',
      'http://evil.example/client',
      'a\0',
    ]) {
      assertPage(await askWeb({ client_id, redirect_uri: 'https://evil.example/' }));
    }
    assertPage(await askWeb({ client_id: [web.client_id, 'other'] }));
  });

  const TRICKS = [
    'https://evil.example/callback',
    `${WEB_REDIRECT}/`,
    `${WEB_REDIRECT}/more`,
    `${WEB_REDIRECT}x`,
    `${WEB_REDIRECT}?x=y`,
    `${WEB_REDIRECT}#x`,
    'https://app.example.com/Callback',
    'https://app.example.com:444/callback',
    'https://app.example.com:443/callback',
    'https://app.example.com.evil.example/callback',
    'https://app.example.com@evil.example/callback',
    'https://evil.example/https://app.example.com/callback',
    'https://app.example.com/callback/../evil',
    'https://app.example.com/x/../callback',
    'https://app.example.com/%63allback',
    'http://app.example.com/callback',
    'HTTPS://app.example.com/callback',
    'https://sub.app.example.com/callback',
    'javascript:alert(1)//evil',
    '//app.example.com/callback',
    '',
  ];
  for (const redirect_uri of TRICKS) {
    it(`shows a page for the redirect ${JSON.stringify(redirect_uri)}`, async () => {
      assertPage(await askWeb({ redirect_uri }));
      // No error is sent there either.
      assertPage(await askWeb({ redirect_uri, code_challenge: undefined }));
      assertPage(await askWeb({ redirect_uri, response_type: 'token' }));
    });
  }

  it('shows a page for a missing or repeated redirect_uri', async () => {
    assertPage(await askWeb({ redirect_uri: undefined }));
    assertPage(await askWeb({ redirect_uri: [WEB_REDIRECT, 'https://evil.example/'] }));
    assertPage(await askWeb({ redirect_uri: ['https://evil.example/', WEB_REDIRECT] }));
  });

  it('allows any loopback port for installed applications', async () => {
    for (const redirect_uri of [
      'http://127.0.0.1:49152/cb',
      'http://127.0.0.1/cb',
      'http://localhost:50000/cb',
      'http://[::1]:61000/cb',
    ]) {
      const parameters = { client_id: installed.client_id, redirect_uri };
      await goToConsent(service, ada, { ...parameters, code_challenge: challenge });
    }
    for (const redirect_uri of [
      'http://127.0.0.1:49152/other',
      'http://127.0.0.1:49152/cb?x=y',
      'https://127.0.0.1:49152/cb',
      'http://127.0.0.2:49152/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://127.0.0.1:80@evil.example/cb',
      'http://localhost:1@evil.example/cb',
      'http://evil.example:1/cb',
    ]) {
      assertPage(await ask({ client_id: installed.client_id, redirect_uri }));
    }
  });

  it('never redirects to a port of the service itself', async () => {
    for (const own of [service.webUrl, service.baseUrl, service.renderUrl]) {
      for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
        const redirect_uri = `http://${host}:${new URL(own).port}/cb`;
        assertPage(await ask({ client_id: installed.client_id, redirect_uri }));
      }
    }
  });

  /** Asserts an error that is sent to the application's registered address. */
  function assertToldOf(answer: Answer, error: string): void {
    const url = locationOf(answer);
    assert.equal(url.origin + url.pathname, WEB_REDIRECT);
    // An application that asked for tokens in the fragment expects errors there too.
    const told = new URLSearchParams(url.search || url.hash.slice(1));
    assert.equal(told.get('error'), error);
    assert.equal(told.get('state'), 'st');
    assert.equal(told.get('iss'), service.baseUrl);
  }

  it('requires PKCE with S256', async () => {
    assertToldOf(await askWeb({ code_challenge: undefined }), 'invalid_request');
    const none = { code_challenge: undefined, code_challenge_method: undefined };
    assertToldOf(await askWeb(none), 'invalid_request');
    assertToldOf(await askWeb({ code_challenge_method: 'plain' }), 'invalid_request');
    assertToldOf(await askWeb({ code_challenge_method: undefined }), 'invalid_request');
    assertToldOf(await askWeb({ code_challenge: 'short' }), 'invalid_request');
  });

  it('supports only the code flow', async () => {
    for (const response_type of ['token', 'id_token', 'code token', 'code id_token', 'none']) {
      assertToldOf(await askWeb({ response_type }), 'unsupported_response_type');
    }
    for (const response_mode of ['fragment', 'form_post', 'web_message', 'jwt']) {
      assertToldOf(await askWeb({ response_mode }), 'unsupported_response_mode');
    }
    assertToldOf(await askWeb({ request: 'eyJhbGciOiJub25lIn0.e30.' }), 'request_not_supported');
    assertToldOf(
      await askWeb({ request_uri: 'https://evil.example/' }),
      'request_uri_not_supported',
    );
  });

  it('accepts only our URLs as resources', async () => {
    const { baseUrl } = service;
    const query = '?tools=documents,read';
    for (const resource of [
      baseUrl,
      `${baseUrl}/`,
      `${baseUrl}/mcp`,
      `${baseUrl}/mcp/`,
      `${baseUrl}/mcp${query}`,
      `${baseUrl}/mcp?tools=documents%2Cread`,
    ]) {
      const { verifier, challenge: own } = makePkce();
      const parameters = { resource };
      const code = await obtainCode(service, ada, web, { challenge: own, parameters });
      const answer = await redeem(service, web, { code, code_verifier: verifier });
      assert.equal(answer.status, 200, `${resource} ${answer.text}`);
      assert.ok(answer.json.access_token);
    }
    for (const resource of [
      'https://other.example/',
      `${baseUrl}/user`,
      `${baseUrl}mcp`,
      `${baseUrl}/mcp#x`,
      `${baseUrl}/mcp?x`,
      `${baseUrl}${query}`,
      `${baseUrl}/mcp${query}&x=y`,
      `${baseUrl}/mcp${query}#x`,
      `https://other.example/mcp${query}`,
      new URL(baseUrl).origin,
      'mcp',
    ]) {
      assertToldOf(await askWeb({ resource }), 'invalid_target');
    }
    assertToldOf(await askWeb({ resource: [baseUrl, 'https://other.example/'] }), 'invalid_target');
  });

  it('refuses a request without a known scope', async () => {
    assertToldOf(await askWeb({ scope: 'openid offline_access' }), 'invalid_scope');
    assertToldOf(await askWeb({ scope: 'everything' }), 'invalid_scope');
    // Known, but in no metadata: only an administrator can grant it.
    assert.match(locationOf(await askWeb({ scope: 'admin' })).href, /\/authorize\//);
    for (const scope of ['everything profile', 'offline_access', 'profile offline_access']) {
      const { href } = locationOf(await askWeb({ scope }));
      assert.match(href, /\/authorize\//, scope);
    }
  });

  it('ignores OpenID parameters', async () => {
    const added = { nonce: 'n', max_age: '1', claims: '{}', acr_values: 'x', login_hint: 'ada' };
    for (const prompt of ['login', 'consent', 'select_account', 'login consent']) {
      const code = await obtainCode(service, ada, web, {
        challenge,
        parameters: { ...added, prompt, scope: `openid ${EVERYTHING.join(' ')}` },
      });
      assert.ok(code);
    }
  });

  it('supports only GET', async () => {
    const response = await fetch(`${service.baseUrl}/sso/authorize`, { method: 'POST' });
    assert.equal(response.status, 405);
  });
});
