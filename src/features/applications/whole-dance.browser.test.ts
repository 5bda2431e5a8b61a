import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { type Service, startService } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { CURRENT, readingOf } from '../../../test/mcp/agent.ts';
import { PASSWORD, signUp } from '../../../test/sign-in/visitor.ts';
import { HOUR_MS } from '../../base/time/clock.ts';
import { TOOL_SCOPES } from '../../core/identity/scope.ts';
import { TOOLS } from '../../tools.ts';
import { Host } from './host.testing.ts';

/** An agent host: the official client, which gets one address and records its requests. */
class Application {
  readonly host: Host;
  readonly asked: string[] = [];
  private readonly service: Service;
  private readonly revision: string;
  private client = new Client({ name: 'none', version: '0' });
  private transport: StreamableHTTPClientTransport | undefined;

  constructor(service: Service, revision: string, redirectUrl: string) {
    this.service = service;
    this.revision = revision;
    this.host = new Host(redirectUrl);
  }

  /** Returns the granted scopes, in order. */
  scopes(): string[] {
    return this.host.held?.scope?.split(' ').sort() ?? [];
  }

  async connect(): Promise<void> {
    this.client = new Client(
      { name: 'official-host', version: '1' },
      this.revision === CURRENT
        ? { versionNegotiation: { mode: 'auto' } }
        : { supportedProtocolVersions: [this.revision] },
    );
    this.transport = new StreamableHTTPClientTransport(new URL(`${this.service.baseUrl}/mcp`), {
      authProvider: this.host,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        const { pathname } = new URL(url);
        this.asked.push(`${init?.method ?? 'GET'} ${pathname} ${answer.status}`);
        return answer;
      },
    });
    await this.client.connect(this.transport);
    assert.equal(this.client.getNegotiatedProtocolVersion(), this.revision);
  }

  /** Returns the addresses requested since the last call, in order and each once. */
  takeAsked(): string[] {
    return [...new Set(this.asked.splice(0))];
  }

  /** Returns the address that the user is sent to. */
  takeSentTo(): URL {
    const { sentTo } = this.host;
    assert.ok(sentTo, 'sends its person to the service');
    this.host.sentTo = undefined;
    return sentTo;
  }

  /** Continues with the address that the user's browser was redirected to. */
  async finish(back: URL): Promise<void> {
    assert.equal(back.searchParams.get('state'), this.host.expectedState);
    assert.equal(back.searchParams.get('iss'), this.service.baseUrl);
    await this.transport?.finishAuth(back.searchParams);
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  async call(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const result = await this.client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result.content));
    const [first] = result.content;
    return result.structuredContent ?? readingOf(first?.type === 'text' ? first.text : '');
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

describe('An agent that knows only one URL', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let callback: Server;
  let redirectUrl: string;

  after(() => {
    callback?.close();
    callback?.closeAllConnections();
  });
  // With the default limits, which a well-behaved host never reaches.
  openStage({ start: () => startService({ RATE_LIMIT_API: '1000/5m' }) }, async (stage) => {
    ({ service, browser } = stage);
    await service.user('grace');
    callback = createServer((_request, response) => response.end('You may close this window.'));
    callback.listen(0, '127.0.0.1');
    await once(callback, 'listening');
    redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  });

  /**
   * Answers the consent page.
   *
   * @returns the address that the browser is redirected to
   */
  async function consent(page: Page): Promise<URL> {
    await page.getByRole('heading', { name: 'Connect Official host?' }).waitFor();
    // What isn't about documents has to be chosen.
    await page.getByLabel('See and manage your organizations').check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUrl}?*`);
    return new URL(page.url());
  }

  async function makeAccount(page: Page, username: string): Promise<void> {
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Email address').fill(`${username}@example.com`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
  }

  async function signIn(page: Page, username: string): Promise<void> {
    await page.getByLabel('Username or email address').fill(username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Disconnects the application in the user's settings. */
  async function disconnect(page: Page): Promise<void> {
    await page.goto(`${service.webUrl}/settings/applications`);
    await page.getByRole('button', { name: 'Disconnect Official host' }).click();
    await page.getByRole('button', { name: 'Disconnect Official host' }).waitFor({
      state: 'detached',
    });
  }

  /** Revokes the application's own tokens (RFC 7009). */
  async function revoke({ host }: Application): Promise<void> {
    const body = new URLSearchParams({
      client_id: host.information?.client_id ?? '',
      token: host.held?.refresh_token ?? '',
    });
    const answer = await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body });
    assert.equal(answer.status, 200);
  }

  for (const { revision, username, enter, end } of [
    {
      revision: CURRENT,
      username: 'ada',
      enter: makeAccount,
      end: (page: Page) => disconnect(page),
    },
    {
      revision: '2025-06-18',
      username: 'eve',
      enter: signIn,
      end: (_page: Page, application: Application) => revoke(application),
    },
  ]) {
    it(`can authorize, call, refresh, be disconnected and authorize again (${revision})`, async () => {
      if (enter === signIn) await signUp(service, username);
      const context = await browser.newContext();
      const page = await context.newPage();
      const application = new Application(service, revision, redirectUrl);
      const { host } = application;

      // The host knows one address; the 401 leads to the others.
      await assert.rejects(application.connect(), UnauthorizedError);
      assert.deepEqual(application.takeAsked(), [
        'POST /api/mcp 401',
        'GET /.well-known/oauth-protected-resource/api/mcp 200',
        'GET /.well-known/oauth-authorization-server/api 200',
        'POST /api/oauth/register 201',
      ]);
      assert.ok(host.information?.client_id);
      const first = application.takeSentTo();
      assert.equal(first.origin + first.pathname, `${service.baseUrl}/sso/authorize`);
      assert.equal(first.searchParams.get('resource'), `${service.baseUrl}/mcp`);
      assert.equal(first.searchParams.get('scope'), TOOL_SCOPES.join(' '));

      // The user is asked once for all scopes that the tools need.
      await page.goto(first.href);
      await enter(page, username);
      await application.finish(await consent(page));
      assert.ok(application.takeAsked().includes('POST /api/oauth/token 200'));
      assert.deepEqual(application.scopes(), [...TOOL_SCOPES].sort());

      // The application calls tools.
      await application.connect();
      assert.deepEqual(
        await application.tools(),
        TOOLS.map(({ name }) => name),
      );
      assert.equal((await application.call('whoami')).username, username);
      const brief = { owner: username, name: 'orbit' };
      const published = await application.call('publish_document', {
        name: 'orbit',
        content: '# Orbit\n\nFirst.',
        visibility: 'private',
      });
      assert.equal(published.document.url, `${service.webUrl}/${username}/orbit`);
      assert.match((await application.call('read_document', brief)).content, /^# Orbit/);
      const shared = await application.call('share_document', {
        ...brief,
        username: 'grace',
        permission: 'write',
      });
      assert.equal(shared.outcome, 'invited');
      assert.deepEqual(
        application.takeAsked().filter((line) => /^POST .* (4|5)\d\d$/.test(line)),
        [],
      );

      // An hour later the access token has expired. It is refreshed without asking the user.
      const before = host.held;
      service.advance(HOUR_MS + 60_000);
      assert.equal((await application.call('whoami')).username, username);
      const refreshing = application.takeAsked();
      assert.ok(refreshing.includes('POST /api/mcp 401'), refreshing.join());
      assert.ok(refreshing.includes('POST /api/oauth/token 200'), refreshing.join());
      assert.notEqual(host.held?.access_token, before?.access_token);
      assert.notEqual(host.held?.refresh_token, before?.refresh_token);
      assert.equal(host.sentTo, undefined);

      // After it is disconnected, the client can only ask again.
      const ended = host.held;
      await end(page, application);
      await assert.rejects(application.call('whoami'), UnauthorizedError);
      assert.deepEqual(
        application.takeAsked().filter((line) => / (4|5)\d\d$/.test(line)),
        ['POST /api/mcp 401', 'POST /api/oauth/token 400'],
      );
      assert.equal(host.held, undefined, 'the client has let go of what was refused');
      const refused = await fetch(`${service.baseUrl}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ended?.access_token}` },
      });
      assert.equal(refused.status, 401);
      assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"/);

      // The same user and registration, but the application asks for one scope less.
      const again = application.takeSentTo();
      const less = TOOL_SCOPES.filter((scope) => scope !== 'sharing');
      again.searchParams.set('scope', less.join(' '));
      await page.goto(again.href);
      await application.finish(await consent(page));
      assert.deepEqual(application.scopes(), less.sort());
      await application.connect();
      assert.match((await application.call('read_document', brief)).content, /^# Orbit/);

      // The missing scope is requested when it is needed.
      const share = { ...brief, username: 'grace', permission: 'read' };
      await assert.rejects(application.call('share_document', share), UnauthorizedError);
      assert.ok(application.takeAsked().includes('POST /api/mcp 403'));
      const more = application.takeSentTo();
      assert.deepEqual(more.searchParams.get('scope')?.split(' ').sort(), [...TOOL_SCOPES].sort());
      await page.goto(more.href);
      await application.finish(await consent(page));
      await application.connect();
      const { items } = (await application.call('list_access', brief)).invitations;
      assert.equal(items.length, 1);
      assert.ok(!application.takeAsked().includes('POST /api/oauth/register 201'));
      await application.close();
      await context.close();
    });
  }
});
