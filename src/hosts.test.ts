import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePorts } from '../test/free-ports.ts';
import { assertRawError, lines, type RawAnswer, rawAnswer } from '../test/raw-http.ts';
import { type App, createApp } from './app.ts';
import { VIA_WEB } from './base/schema/means.ts';
import { readConfig } from './core/config/read-config.ts';
import { callOf } from './core/context.ts';
import { createDocument } from './core/document/document-service.ts';
import { createAccount } from './core/identity/account-service.ts';
import { ALL_SCOPES } from './core/identity/scope.ts';
import { createToken } from './core/identity/token-service.ts';

const WEB = 'briefs.test';
const API = 'api.briefs.test';
const RENDER = 'raw.briefs.test';

for (const prefix of ['/v1/api', '']) {
  describe(`Three host names on one port, the API at "${API}${prefix}"`, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    let app: App;
    let port: number;
    let authorization: string;

    before(async () => {
      [port = 0] = await freePorts(1);
      const config = readConfig({
        HOST: '127.0.0.1',
        PORT: String(port),
        RENDER_PORT: String(port),
        DATA_DIR: dataDir,
        RATE_LIMIT_API: 'off',
        LOG_LEVEL: 'silent',
        WEB_URL: `http://${WEB}:${port}/`,
        BASE_URL: `http://${API}:${port}${prefix}/`,
        RENDER_URL: `http://${RENDER}:${port}`,
      });
      app = await createApp(config);
      await app.listen();
      await createAccount(app.context, { username: 'ada', email: 'ada@example.com' });
      const token = { username: 'ada', name: 'test', lifetimeMs: undefined };
      authorization = `Authorization: Bearer ${(await createToken(app.context, token)).token}`;
    });
    after(async () => {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    });

    const get = (host: string, path: string, ...head: string[]): Promise<RawAnswer> =>
      rawAnswer(port, lines(`GET ${path} HTTP/1.1`, `Host: ${host}:${port}`, ...head));

    async function publish(name: string): Promise<RawAnswer> {
      const body = JSON.stringify({ content: `# ${name}`, name });
      const head = lines(
        `POST ${prefix}/user/briefs HTTP/1.1`,
        `Host: ${API}:${port}`,
        authorization,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      );
      return rawAnswer(port, head + body);
    }

    it('URLs in responses use the configured base URLs', async () => {
      const { headers, body, status } = await publish('first');
      assert.equal(status, 201);
      assert.equal(headers.location, `http://${API}:${port}${prefix}/briefs/ada/first`);
      assert.equal(JSON.parse(body).data.url, `http://${WEB}:${port}/ada/first`);
      const list = await get(API, `${prefix}/briefs?per_page=1&x=y`, authorization);
      assert.equal(list.status, 200);
      const first = `<http://${API}:${port}${prefix}/briefs?per_page=1&x=y&page=1>; rel="first"`;
      assert.equal(list.headers.link?.split(', ')[0], first);
      const document = JSON.parse((await get(API, `${prefix}/openapi.json`)).body);
      assert.deepEqual(document.servers, [{ url: `http://${API}:${port}${prefix}` }]);
      assert.ok('/user/briefs' in document.paths, 'paths are below the server’s address');
    });

    it('each host serves only its own routes', async () => {
      await publish('apart');
      assert.equal((await get(WEB, '/ada/apart')).body, '# apart');
      assertRawError(await get(API, '/ada/apart', authorization), 404, 'NOT_FOUND');
      assertRawError(await get(API, `${prefix}/ada/apart`, authorization), 404, 'NOT_FOUND');
      assertRawError(await get(RENDER, '/ada/apart'), 404, 'NOT_FOUND');
      assert.equal((await get(API, `${prefix}/user`, authorization)).status, 200);
      for (const host of [WEB, RENDER, 'unknown.test']) {
        assertRawError(await get(host, `${prefix}/user/briefs`, authorization), 404, 'NOT_FOUND');
      }
      assertRawError(await get(API, '/healthz'), 401, 'UNAUTHORIZED');
      assertRawError(await get(RENDER, '/healthz'), 404, 'NOT_FOUND');
      for (const host of [API, RENDER]) {
        const { headers } = await get(host, '/');
        assert.doesNotMatch(headers['content-type'] ?? '', /html/);
      }
    });

    it('the authorization server and its metadata are on the API’s host', async () => {
      for (const path of [
        '/.well-known/oauth-authorization-server',
        `/.well-known/oauth-authorization-server${prefix}`,
        `${prefix}/.well-known/openid-configuration`,
      ]) {
        const { status, body } = await get(API, path);
        assert.equal(status, 200, path);
        assert.equal(JSON.parse(body).issuer, `http://${API}:${port}${prefix}`);
      }
      for (const path of ['', prefix, `${prefix}/mcp`]) {
        const { status, body } = await get(API, `/.well-known/oauth-protected-resource${path}`);
        assert.equal(status, 200, path);
        assert.deepEqual(JSON.parse(body).authorization_servers, [
          `http://${API}:${port}${prefix}`,
        ]);
      }
      assert.equal((await get(API, `${prefix}/oauth/jwks`)).status, 200);
    });

    it('each host has its own security policy, including on errors', async () => {
      for (const path of ['/', '/nothing/here', '/%zz']) {
        const policy = async (host: string) =>
          (await get(host, path)).headers['content-security-policy'] ?? '';
        assert.match(await policy(WEB), /^default-src 'none'; (script-src 'self'|sandbox)/);
        assert.match(await policy(API), /^default-src 'none'; frame-ancestors 'none'$/);
        assert.match(await policy(RENDER), /^sandbox/);
      }
    });

    it('an unknown host gets the web host; case is ignored', async () => {
      await publish('anywhere');
      for (const host of ['unknown.test', '127.0.0.1', WEB.toUpperCase()]) {
        assert.equal((await get(host, '/ada/anywhere')).body, '# anywhere');
      }
      assertRawError(await get(RENDER.toUpperCase(), '/ada/anywhere'), 404, 'NOT_FOUND');
      const user = await get('Api.Briefs.TEST', `${prefix}/user`, authorization);
      assert.equal(user.status, 200);
    });
  });
}

describe('Every response behind https', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let app: App;
  let port: number;

  before(async () => {
    [port = 0] = await freePorts(1);
    const config = readConfig({
      HOST: '127.0.0.1',
      PORT: String(port),
      RENDER_PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      WEB_URL: `https://${WEB}`,
      BASE_URL: `https://${API}`,
      RENDER_URL: `https://${RENDER}`,
    });
    app = await createApp(config);
    await app.listen();
    const { id } = await createAccount(app.context, { username: 'ada', email: 'ada@example.com' });
    const ada = { id, username: 'ada', scopes: ALL_SCOPES, via: VIA_WEB };
    const open = { content: '# Open', name: 'open', visibility: 'public' } as const;
    await createDocument(
      callOf(app.context, ada),
      'brief',
      { type: 'user', namespace: 'ada' },
      open,
    );
  });
  after(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const paths = {
    [WEB]: ['/', '/ada/open', '/ada/open.md', '/images/ada/picture', '/sign-in', '/sitemap.xml'],
    [API]: ['/user', '/nothing', '/openapi.json', '/mcp', '/uploads/x', '/oauth/jwks'],
    [RENDER]: ['/ada/none', '/preview', '/files/x/y'],
  };
  const assets = ['/assets/none', '/manifest.webmanifest', '/service-worker.js', '/offline.html'];
  for (const [host, own] of Object.entries({ ...paths, [WEB]: [...paths[WEB], ...assets] })) {
    it(`forbids http, sniffing and frames of other sites: ${host}`, async () => {
      for (const path of [...own, '/%zz', '/healthz']) {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const request = lines(`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Length: 0');
          const { headers } = await rawAnswer(port, request);
          const about = `${method} ${path}`;
          assert.equal(
            headers['strict-transport-security'],
            'max-age=31536000; includeSubDomains',
            about,
          );
          assert.equal(headers['x-content-type-options'], 'nosniff', about);
          const policy = headers['content-security-policy'] ?? '';
          const mayFrame = path === '/preview' && method === 'GET' ? `https://${WEB}` : "'none'";
          assert.ok(policy.split('; ').includes(`frame-ancestors ${mayFrame}`), about + policy);
          assert.match(policy, /default-src 'none'/, about);
        }
      }
    });
  }
});

describe('An API path that collides with the web host', () => {
  for (const path of ['/healthz', '/sign-in', '/assets/api']) {
    it(`is refused: ${path}`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
      try {
        const config = readConfig({
          DATA_DIR: dataDir,
          LOG_LEVEL: 'silent',
          WEB_URL: `http://${WEB}`,
          BASE_URL: `http://${WEB}${path}`,
        });
        const [, segment] = path.split('/');
        await assert.rejects(createApp(config), {
          name: 'ConfigError',
          message: `BASE_URL: /${segment} is the web host’s own; another path is needed, such as /api`,
        });
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  }
});
