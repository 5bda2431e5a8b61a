import { strict as assert } from 'node:assert';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { addressHash, addressToken } from '../../src/features/mail/address-token.ts';
import { unsubscribeToken } from '../../src/features/mail/unsubscribe-token.ts';
import { PNG, uploadForm } from '../files/samples.ts';
import { freePorts } from '../free-ports.ts';
import { type Answer, readAnswer, startService } from '../harness.ts';
import { openPostOffice, type PostOffice, UNSENT_MAIL } from '../mail/post-office.ts';
import {
  decideAt,
  EVERYTHING,
  followOut,
  goToConsent,
  locationOf,
  makePkce,
  redeem,
  refresh,
  register,
  UNLIMITED,
} from '../oauth/agent.ts';
import { openBrowser } from '../oauth/visitor.ts';
import { type Outcome, type ServeProcess, startServe, succeed } from '../process.ts';
import { exchange, lines } from '../raw-http.ts';
import { until } from '../until.ts';
import { clientMissing } from '../web/built-client.ts';

const PASSWORDS = {
  password: 'marked-walnut-first-secret',
  'wrong password': 'marked-walnut-wrong-secret',
  'next password': 'marked-walnut-next-secret',
  'password by command': 'marked-walnut-typed-secret',
  'provider’s secret': 'marked-provider-client-secret',
};

describe('Secrets in logs and addresses', { skip: clientMissing }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-secrets-'));
  /** By description. */
  const secrets: Record<string, string> = { ...PASSWORDS };
  /** Anyone with a file's address can read it, so the owner is shown it again. */
  const kept = new Set(['address of a file']);
  const addresses: string[] = [];
  const seen: Record<string, string> = {};
  let service: ServeProcess;
  let metricsPort: number;
  let office: PostOffice;
  let ended: Outcome;

  /** The bytes of the data directory, now and later. */
  function look(when: string): void {
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      seen[`${path.slice(dataDir.length)} ${when}`] = readFileSync(path, 'latin1');
    }
  }

  async function api(path: string, token: string | undefined, init: RequestInit = {}) {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), ...init.headers };
    return readAnswer(await fetch(service.baseUrl + path, { ...init, headers }));
  }

  before(async () => {
    [metricsPort = 0] = await freePorts(1);
    office = await openPostOffice();
    const settings = { DATA_DIR: dataDir };
    service = await startServe({
      ...settings,
      ...office.settings,
      ...UNLIMITED,
      LOG_LEVEL: 'trace',
      METRICS_PORT: String(metricsPort),
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'briefs',
      OIDC_CLIENT_SECRET: secrets['provider’s secret'] as string,
    });
    const token = await succeed(['users', 'create', 'tim', '--email', 'tim@example.com'], settings)
      .then(() => succeed(['tokens', 'create', 'tim'], settings))
      .then((text) => text.trim());
    secrets['token by command'] = token;
    await dance();
    look('while it runs');
    seen.metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    ended = await service.kill('SIGTERM');
    look('once it has stopped');
  });
  after(async () => {
    await office.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Uses every surface with every kind of secret. */
  async function dance(): Promise<void> {
    const browser = openBrowser();
    const { webUrl } = service;
    const form = async (path: string, fields: Record<string, string>): Promise<Answer> => {
      const answer = await browser.submit(webUrl + path, Object.entries(fields));
      addresses.push(answer.headers.get('location') ?? '');
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value.length >= 20) secrets[`cookie ${name} of ${path}`] = value;
      }
      return answer;
    };
    const { password = '', 'next password': next = '', 'wrong password': wrong = '' } = secrets;

    // Accounts and sessions.
    const email = 'ada@example.com';
    const signedUp = await form('/sign-up', { username: 'ada', email, password });
    assert.equal(signedUp.status, 303, signedUp.text);
    await form('/sign-in', { name: 'ada', password: wrong });
    await form('/sign-in', { name: password, password: wrong });
    await form('/sign-in', { name: 'ada', password });
    const changed = await form('/settings/password', { current: password, password: next });
    assert.ok(changed.status < 500);
    await form('/sign-in/upstream', { next: '/' });
    look('after signing in');

    // Personal tokens, sent correctly and incorrectly.
    const made = await browser.submit(`${webUrl}/settings/tokens`, [
      ['name', 'marked'],
      ['lifetime', '30'],
      ...EVERYTHING.map((scope): [string, string] => ['scopes', scope]),
    ]);
    const token = /brf_[0-9A-Za-z]+/.exec(made.text)?.[0] ?? '';
    assert.match(token, /^brf_/, made.text.slice(0, 300));
    secrets['personal token'] = token;
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ html: '<p>x', name: 'dice', visibility: 'private' });
    const page = await api('/user/pages', token, { method: 'POST', headers: json, body });
    assert.equal(page.status, 201, page.text);
    await api(`/user?access_token=${token}&token=${token}`, undefined);
    await api('/user', `${token}x`);
    const basic = Buffer.from(`ada:${token}`).toString('base64');
    await api('/user', undefined, {
      headers: { authorization: `Basic ${basic}`, 'x-token': token },
    });
    await api('/user/briefs', token, { method: 'POST', headers: json, body: `{"${token}` });
    await exchange(
      service.port,
      lines(`GET /api/user?${token} HTTP/1.1`, `Authorization ${token}`),
    );
    await exchange(service.port, lines('GET / HTTP/1.1', `X: ${token}${'x'.repeat(20_000)}`));

    // Addresses that are secrets themselves.
    const signed = (await api('/pages/ada/dice/render-url', token)).data.url;
    secrets['signature of an address'] = new URL(signed).searchParams.get('sig') ?? '';
    const link = await api('/pages/ada/dice/links', token, {
      method: 'POST',
      headers: json,
      body: '{"access":"read"}',
    });
    assert.equal(link.status, 201, link.text);
    const linked: string = link.data.url;
    secrets['secret link'] = linked.split('/').at(-1) ?? '';
    const mistyped = ['', '.md', '%', '/', '/x', '?format=md', '/s/x'].map((end) => linked + end);
    const elsewhere = [service.baseUrl, service.renderUrl].map(
      (host) => `${host}/s/${secrets['secret link']}`,
    );
    for (const url of [...mistyped, ...elsewhere]) {
      for (const method of ['GET', 'POST']) {
        await (await fetch(url, { method, headers: { accept: 'text/html' } })).text();
        await browser.get(url);
      }
    }
    // Links in mails, as they are and mistyped.
    await until('a mail', () => office.mails.length > 0);
    const mailed = /\/verify\/(\S+)/.exec(office.mails[0]?.text ?? '')?.[1] ?? '';
    // Signed by someone else: paths stay out of the log whether or not a link works.
    const cookieKey = 'x'.repeat(32);
    secrets['link that verifies'] = mailed;
    secrets['link that unsubscribes'] = unsubscribeToken(
      { accountId: mailed.split('.')[1] ?? '', topics: ['mention'] },
      cookieKey,
    );
    secrets['link of an address'] = addressToken(addressHash('x@example.com'), cookieKey);
    for (const path of [
      `/verify/${mailed}`,
      `/unsubscribe/${secrets['link that unsubscribes']}`,
      `/unsubscribe/address/${secrets['link of an address']}`,
    ]) {
      for (const end of ['/', '/x', '%', '.', '?x=1', '']) {
        for (const method of ['GET', 'POST'])
          await (await fetch(webUrl + path + end, { method })).text();
      }
    }
    const args = { name: 'publish_document', arguments: { upload: true } };
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: args });
    const accept = 'application/json, text/event-stream';
    const issued = await api('/mcp', token, {
      method: 'POST',
      headers: { ...json, accept },
      body: asked,
    });
    const ticket = /https?:[^'"]*\/uploads\/[\w-]{32}/.exec(issued.text)?.[0] ?? '';
    assert.ok(ticket, issued.text);
    secrets['ticket to upload'] = ticket.split('/').at(-1) ?? '';
    const strange = [service.webUrl, service.renderUrl, `${webUrl}/ada`].map(
      (host) => `${host}/uploads/${secrets['ticket to upload']}`,
    );
    for (const url of [...['/', '/x', '%', '?x=1', ''].map((end) => ticket + end), ...strange]) {
      for (const method of ['GET', 'PUT']) {
        const body = method === 'PUT' ? { body: '' } : {};
        await (await fetch(url, { method, ...body })).text();
      }
    }
    assert.equal((await fetch(ticket, { method: 'PUT', body: 'Uploaded' })).status, 201);
    const upload = uploadForm({ bytes: PNG, name: 'dot.png', type: 'image/png' });
    const file = (await api('/user/files', token, { method: 'POST', ...upload })).data.url;
    secrets['address of a file'] = new URL(file).pathname.split('/')[2] ?? '';
    for (const url of [signed, `${signed}x`, file, `${file}x`]) await (await fetch(url)).text();
    await (await fetch(file, { headers: { 'if-none-match': '*', range: 'bytes=9-' } })).text();

    // Applications and tools.
    const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' });
    secrets['client secret'] = client.client_secret ?? '';
    const { verifier, challenge } = makePkce();
    secrets['code verifier'] = verifier;
    const consent = await goToConsent(service, browser, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: challenge,
    });
    secrets['one-time address of consent'] = consent.split('/').at(-1) ?? '';
    await browser.get(consent);
    look('before consent');
    const decided = await decideAt(browser, consent, EVERYTHING);
    secrets['one-time code of the decision'] = locationOf(decided).searchParams.get('code') ?? '';
    const back = await followOut(service, browser, decided);
    look('before the code is redeemed');
    const code = back.searchParams.get('code') ?? '';
    secrets['authorization code'] = code;
    await redeem(service, client, { code, code_verifier: `${verifier}x` });
    const tokens = await redeem(service, client, { code, code_verifier: verifier });
    // The wrong verifier may have used up the code; then the tokens of another flow are used.
    const held = tokens.status === 200 ? tokens.json : await danceAgain(browser, client);
    secrets['access token'] = held.access_token;
    secrets['refresh token'] = held.refresh_token;
    const later = await refresh(service, client, held.refresh_token);
    secrets['later access token'] = later.json.access_token;
    secrets['later refresh token'] = later.json.refresh_token;
    const call = { jsonrpc: '2.0', id: token, method: 'tools/call', params: { name: token } };
    for (const bearer of [token, later.json.access_token, 'x']) {
      await api('/mcp', bearer, { method: 'POST', headers: json, body: JSON.stringify(call) });
    }
    look('with tokens at work');
    const revoked = new URLSearchParams({
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
      token: later.json.refresh_token,
    });
    await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body: revoked });
    await form('/sign-out', {});
  }

  async function danceAgain(
    browser: ReturnType<typeof openBrowser>,
    client: Parameters<typeof redeem>[1],
  ) {
    const { verifier, challenge } = makePkce();
    const consent = await goToConsent(service, browser, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: challenge,
    });
    const back = await followOut(service, browser, await decideAt(browser, consent, EVERYTHING));
    const code = back.searchParams.get('code') ?? '';
    const answer = await redeem(service, client, { code, code_verifier: verifier });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  /** A secret in its forms: as is, as bytes, and encoded. */
  function spellings(secret: string): string[] {
    const bytes = Buffer.from(secret.replace(/^brf_/, ''), 'base64url');
    return [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
      ...(bytes.length >= 15 ? [bytes.toString('latin1'), bytes.toString('hex')] : []),
    ];
  }

  function assertAbsent(text: string, where: string, besides = new Set<string>()): void {
    for (const [name, secret] of Object.entries(secrets)) {
      if (besides.has(name)) continue;
      for (const spelling of spellings(secret)) {
        assert.ok(!text.includes(spelling), `${name} ${where}`);
      }
    }
  }

  it('every secret of the flow is known, and long enough to be searched for', () => {
    assert.ok(Object.keys(secrets).length >= 18, Object.keys(secrets).join());
    for (const [name, secret] of Object.entries(secrets)) assert.ok(secret.length >= 20, name);
  });

  it('none is in the log at its most verbose level', () => {
    const log = ended.stdout + ended.stderr;
    assert.equal(ended.code, 0);
    // The searched log covers everything that was done.
    for (const trace of [
      '/oauth/token',
      '/settings/password',
      '/files/:address',
      '/s/',
      '/mcp',
      '/uploads/:secret',
      '/verify/:token',
      '/unsubscribe/:token',
      '/unsubscribe/address/:token',
    ]) {
      assert.ok(log.includes(trace), trace);
    }
    assertAbsent(log, 'in the log');
  });

  it('none is in the metrics', () => {
    assert.match(seen.metrics ?? '', /briefs_http_request_duration_seconds_count/);
    assertAbsent(seen.metrics ?? '', 'in the metrics');
  });

  it('none is in the database or its files at any time, only hashes', () => {
    const files = Object.keys(seen);
    assert.ok(
      files.some((file) => file.includes('briefs.db')),
      files.join(),
    );
    for (const [file, text] of Object.entries(seen)) assertAbsent(text, `in ${file}`, kept);
  });

  it('no form puts one into an address', () => {
    assert.ok(addresses.filter(Boolean).length >= 3);
    assertAbsent(addresses.join('\n'), 'in an address');
  });
});

/** Parameters of paths that aren't secret. All others keep their path out of the log. */
const PLAIN = new Set(
  '* owner name org username number id thread comment inviteId linkId page version part position'.split(
    ' ',
  ),
);

describe('Routes with a secret in their path', { skip: clientMissing }, () => {
  const routes: { url: string; isSecret: boolean }[] = [];

  before(async () => {
    const onServer = (message: unknown) => {
      const { fastify } = message as { fastify: FastifyInstance };
      fastify.addHook('onRoute', ({ url, config }) => {
        routes.push({ url, isSecret: config?.secretPath === true });
      });
    };
    subscribe('fastify.initialization', onServer);
    const service = await startService({
      ...UNSENT_MAIL,
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'x'.repeat(16),
    });
    try {
      // Each surface is created by its first request.
      for (const url of [
        service.webUrl,
        service.renderUrl,
        service.baseUrl,
        `${service.baseUrl}/mcp`,
        `${service.baseUrl}/oauth/jwks`,
        `${service.baseUrl}/uploads/x`,
      ]) {
        await (await fetch(url)).text();
      }
    } finally {
      unsubscribe('fastify.initialization', onServer);
      await service.stop();
    }
  });

  const parametersOf = (url: string) =>
    Array.from(url.matchAll(/:(\w+)|\*/g), ([all, name]) => name ?? all);

  it('are all found', () => {
    const secret = new Set(routes.filter(({ isSecret }) => isSecret).map(({ url }) => url));
    for (const known of [
      '/s/:secret',
      '/invited/:token',
      '/verify/:token',
      '/unsubscribe/:token',
      '/authorize/:uid',
      '/api/uploads/:secret',
      '/api/sso/authorize/:uid',
      '/files/:address/:name',
    ]) {
      assert.ok(secret.has(known), `${known} in ${[...secret].join(' ')}`);
    }
    assert.ok(routes.length > 200, String(routes.length));
  });

  it('stay out of the log; a new kind of parameter is secret unless it is listed', () => {
    for (const { url, isSecret } of routes) {
      const secret = parametersOf(url).filter((name) => !PLAIN.has(name));
      if (!isSecret) assert.deepEqual(secret, [], `secretPath is missing at ${url}`);
      else assert.notDeepEqual(secret, [], `secretPath is needless at ${url}`);
    }
  });
});
