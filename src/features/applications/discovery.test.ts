import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, readAnswer, startService } from '../../../test/harness.ts';
import { TOOL_SCOPES, USUAL_SCOPES } from '../../core/identity/scope.ts';

describe('Discovery of the authorization server', async () => {
  const service = await startService();
  after(() => service.stop());
  const origin = new URL(service.baseUrl).origin;

  const get = async (path: string) => readAnswer(await fetch(origin + path));

  it('metadata is at every URL that clients try (RFC 8414)', async () => {
    const paths = [
      '/.well-known/oauth-authorization-server/api',
      '/.well-known/oauth-authorization-server',
      '/api/.well-known/oauth-authorization-server',
    ];
    for (const path of paths) {
      const { status, json, headers } = await get(path);
      assert.equal(status, 200, path);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(json.issuer, service.baseUrl);
      assert.equal(json.authorization_endpoint, `${service.baseUrl}/sso/authorize`);
      assert.equal(json.token_endpoint, `${service.baseUrl}/oauth/token`);
      assert.equal(json.registration_endpoint, `${service.baseUrl}/oauth/register`);
      assert.equal(json.revocation_endpoint, `${service.baseUrl}/oauth/revoke`);
      assert.equal(json.introspection_endpoint, `${service.baseUrl}/oauth/introspect`);
      assert.deepEqual(json.code_challenge_methods_supported, ['S256']);
      assert.deepEqual(json.response_types_supported, ['code']);
      assert.deepEqual(json.grant_types_supported, [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]);
      assert.deepEqual(json.scopes_supported, USUAL_SCOPES);
      assert.equal(json.client_id_metadata_document_supported, true);
    }
  });

  it('metadata is also at OpenID’s URL', async () => {
    for (const path of [
      '/.well-known/openid-configuration/api',
      '/api/.well-known/openid-configuration',
      '/.well-known/openid-configuration',
    ]) {
      const { status, json } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(json.issuer, service.baseUrl);
      assert.deepEqual(json.subject_types_supported, ['public']);
    }
  });

  it('every resource names its authorization server (RFC 9728)', async () => {
    for (const [path, resource, scopes] of [
      ['/.well-known/oauth-protected-resource', service.baseUrl, USUAL_SCOPES],
      ['/.well-known/oauth-protected-resource/api', service.baseUrl, USUAL_SCOPES],
      ['/.well-known/oauth-protected-resource/api/mcp', `${service.baseUrl}/mcp`, TOOL_SCOPES],
      ['/.well-known/oauth-protected-resource/api/mcp/', `${service.baseUrl}/mcp`, TOOL_SCOPES],
      [
        '/.well-known/oauth-protected-resource/api/mcp?tools=read,comment',
        `${service.baseUrl}/mcp?tools=read,comment`,
        ['documents:read', 'comments', 'organizations', 'profile'],
      ],
      [
        '/.well-known/oauth-protected-resource/api/mcp?tools=read_document&results=structured',
        `${service.baseUrl}/mcp?tools=read_document&results=structured`,
        ['documents:read'],
      ],
      [
        '/.well-known/oauth-protected-resource/api/mcp?results=structured',
        `${service.baseUrl}/mcp?results=structured`,
        TOOL_SCOPES,
      ],
      [
        '/.well-known/oauth-protected-resource/api/mcp?tools=read&x=%22',
        `${service.baseUrl}/mcp`,
        TOOL_SCOPES,
      ],
      ['/.well-known/oauth-protected-resource/api?tools=read', service.baseUrl, USUAL_SCOPES],
    ] as const) {
      const { status, json } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(json.resource, resource);
      assert.deepEqual(json.authorization_servers, [service.baseUrl]);
      assert.deepEqual(json.scopes_supported, scopes);
      assert.deepEqual(json.bearer_methods_supported, ['header']);
    }
  });

  it('an unknown tool has no metadata', async () => {
    const path = '/.well-known/oauth-protected-resource/api/mcp?tools=nope';
    const { status, json } = await get(path);
    assert.equal(status, 400);
    assert.match(json.error_description, /^tools: there is no "nope"/);
  });

  it('the key set has only public keys', async () => {
    const { json } = await get('/api/oauth/jwks');
    assert.equal(json.keys.length, 1);
    assert.equal(json.keys[0].alg, 'ES256');
    assert.equal(json.keys[0].d, undefined);
  });

  it('ignores the Host header', async () => {
    const response = await fetch(`${origin}/api/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    assert.doesNotMatch(await response.text(), /evil/);
  });

  it('allows all origins (CORS)', async () => {
    const page = { origin: 'https://agent.example' };
    for (const path of [
      '/.well-known/oauth-authorization-server/api',
      '/.well-known/oauth-protected-resource/api/mcp',
    ]) {
      const response = await fetch(origin + path, { headers: page });
      assert.equal(response.headers.get('access-control-allow-origin'), '*', path);
    }
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
      const preflight = await fetch(service.baseUrl + path, {
        method: 'OPTIONS',
        headers: {
          ...page,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,authorization',
        },
      });
      assert.equal(preflight.status, 204, path);
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
      assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
      const posted = await fetch(service.baseUrl + path, { method: 'POST', headers: page });
      assert.equal(posted.headers.get('access-control-allow-origin'), '*', path);
      assert.equal(posted.headers.get('access-control-allow-credentials'), null);
      assert.match(posted.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
      await posted.arrayBuffer();
    }
    const authorize = await fetch(`${service.baseUrl}/sso/authorize`, { headers: page });
    assert.equal(authorize.headers.get('access-control-allow-origin'), null);
  });

  it('other URLs are 404', async () => {
    const ada = await service.user('ada');
    for (const path of [
      '/oauth/nothing',
      '/sso',
      '/sso/other',
      '/.well-known/nothing',
      '/uploads',
    ]) {
      assertError(await get(`/api${path}`), 401, 'UNAUTHORIZED');
      assertError(await ada.get(path), 404, 'NOT_FOUND');
    }
  });

  it('other methods are 405', async () => {
    for (const [method, path, allowed] of [
      ['GET', '/oauth/token', 'POST'],
      ['GET', '/oauth/introspect', 'POST'],
      ['PUT', '/oauth/register', 'POST'],
      ['POST', '/oauth/jwks', 'GET, HEAD'],
      ['POST', '/sso/authorize', 'GET, HEAD'],
      ['DELETE', '/.well-known/oauth-authorization-server', 'GET, HEAD'],
    ] as const) {
      const answer = await readAnswer(await fetch(service.baseUrl + path, { method }));
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), allowed, path);
    }
  });
});
