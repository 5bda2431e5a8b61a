import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  postRegistration,
  register,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { ownHosts } from './provider.ts';

describe('Registration (RFC 7591)', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());

  it('returns the stored metadata', async () => {
    const client = await register(service, {
      scope: 'documents:read mcp:tools',
      logo_uri: 'https://app.example.com/logo.svg',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      unheard_of: true,
    });
    assert.ok(client.client_id);
    assert.equal(client.client_secret, undefined);
    assert.equal(client.client_name, 'Scribe');
    assert.deepEqual(client.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(client.application_type, 'native');
    for (const name of ['unheard_of', 'logo_uri', 'registration_access_token']) {
      assert.equal(client[name], undefined, name);
    }
  });

  const GOOD = [
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?x=y',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'com.example.app:/oauth',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.example/did-authenticate',
    'kiro://kiro.kiroAgent/oauth/callback',
  ];
  for (const uri of GOOD) {
    it(`takes ${uri}`, async () => {
      const client = await register(service, { redirect_uris: [uri] });
      assert.deepEqual(client.redirect_uris, [uri]);
    });
  }

  const BAD = [
    'http://evil.example/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.2/callback',
    'http://localhost@evil.example/callback',
    'http://user:password@localhost/callback',
    'https://user@app.example.com/callback',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://app.example.com/x',
    'file:///etc/passwd',
    'about:blank',
    'view-source:https://app.example.com/',
    'mailto:a@example.com',
    'ftp://app.example.com/',
    'unheard-of://callback',
    'web+app:x',
    '.app:x',
    'ms-settings:network',
    'intent://x#Intent;end',
    'chrome-extension://abc/x',
    'search-ms:query=x',
    'itms-services://?action=download-manifest',
    'feed:javascript:alert(1)',
    // Such a host could contain characters with a meaning in a Content Security Policy.
    'https://app.example.com;sandbox/',
    'https://app.example.com,x.example/',
    'https://*/callback',
    "https://app$'.example.com/",
    'https://app.example.com/#fragment',
    'https://app.example.com/callback#',
    'https://app.example.com\\@evil.example/',
    'https://app.example.com/ callback',
    ' https://app.example.com/callback',
    '//app.example.com/callback',
    '/callback',
    'callback',
    '',
    `https://app.example.com/${'x'.repeat(2_000)}`,
  ];
  for (const uri of BAD) {
    it(`refuses ${JSON.stringify(uri.slice(0, 60))}`, async () => {
      for (const more of [{}, { application_type: 'native' }, { application_type: 'web' }]) {
        const uris = ['https://app.example.com/callback', uri];
        const answer = await postRegistration(service, { redirect_uris: uris, ...more });
        assertOAuthError(answer, 400, 'invalid_redirect_uri');
      }
    });
  }

  const THIS_MACHINE = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '127.0.0.2',
    '0.0.0.0',
    '[::1]',
    '[0:0::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
  ];
  for (const host of THIS_MACHINE) {
    it(`refuses the ports of the service itself at ${host}`, async () => {
      for (const own of [service.webUrl, service.baseUrl, service.renderUrl]) {
        for (const scheme of ['http', 'https', 'HTTP']) {
          const uri = `${scheme}://${host}:${new URL(own).port}/callback`;
          const answer = await postRegistration(service, { redirect_uris: [uri] });
          assert.equal(answer.status, 400, `${uri} ${answer.text}`);
        }
      }
    });
  }

  it('refuses invalid metadata', async () => {
    for (const [metadata, error] of [
      [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: 'https://app.example.com/' }, 'invalid_redirect_uri'],
      [{ redirect_uris: [1] }, 'invalid_redirect_uri'],
      [{ redirect_uris: Array(21).fill('https://a.example/') }, 'invalid_redirect_uri'],
      [{ client_name: { __proto__: 'x', a: 1 } }, 'invalid_client_metadata'],
      [{ client_name: ['x'] }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata'],
      [{ grant_types: ['password'] }, 'invalid_client_metadata'],
      [{ grant_types: ['implicit'] }, 'invalid_client_metadata'],
      [{ response_types: ['token'] }, 'invalid_client_metadata'],
    ] as const) {
      assertOAuthError(await postRegistration(service, metadata), 400, error);
    }
  });

  it('refuses bodies that aren’t a JSON object or are too long', async () => {
    const post = async (body: string, type = 'application/json') =>
      readAnswer(
        await fetch(`${service.baseUrl}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        }),
      );
    for (const body of ['', '[]', 'null', '"x"', '{"a":', '{"redirect_uris"']) {
      assertOAuthError(await post(body), 400, 'invalid_request');
    }
    assertOAuthError(await post('{}', 'text/plain'), 400, 'invalid_request');
    const long = JSON.stringify({ client_name: 'x'.repeat(60 * 1024) });
    assertOAuthError(await post(long), 413, 'invalid_request');
  });

  it('cleans names for display', async () => {
    const name = `  Good\u202e app\u0000\n${'x'.repeat(200)} `;
    const client = await register(service, { client_name: name });
    const shown = String(client.client_name);
    assert.match(shown, /^Good app xx/);
    assert.equal(shown.length, 80);
    const unseen = await register(service, { client_name: '\u3164\u2800\ufe0f\u115f' });
    assert.equal(unseen.client_name, undefined, 'its host is shown instead');
  });

  it('doesn’t allow reading or changing a registration', async () => {
    const { client_id: id } = await register(service);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await fetch(`${service.baseUrl}/oauth/register/${id}`, { method });
      assert.equal(response.status, 401);
    }
  });
});

describe("The service's own hosts", () => {
  const isOurs = ownHosts(['https://briefs.example', 'https://api.briefs.example/v1']);
  for (const [address, expected] of [
    ['https://briefs.example/ada/client', true],
    ['https://BRIEFS.example:443/callback', true],
    ['https://briefs.example./callback', true],
    ['http://briefs.example:443/callback', true],
    ['https://api.briefs.example/callback', true],
    ['https://other.example/callback', false],
    ['https://briefs.example.other.example/callback', false],
    ['http://localhost:4000/callback', false],
    ['com.example.app:/callback', false],
  ] as const) {
    it(`${address}: ${expected}`, () => assert.equal(isOurs(address), expected));
  }
});
