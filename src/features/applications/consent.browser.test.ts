import { strict as assert } from 'node:assert';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Service, startService } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import {
  authorizeUrl,
  makePkce,
  postToken,
  type Registered,
  redeem,
  register,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { passwordState, startSession } from '../../core/identity/session-service.ts';

/** Starts a service with the API on another host, and another site, than the web. */
async function startOnAnotherHost(): Promise<Service> {
  const placeholder = await startService();
  const { port, renderPort } = placeholder.config;
  await placeholder.stop();
  return startService({
    ...UNLIMITED,
    PORT: String(port),
    RENDER_PORT: String(renderPort),
    WEB_URL: `http://localhost:${port}`,
    BASE_URL: `http://127.0.0.1:${port}/v1`,
  });
}

describe('Consent in a browser', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let application: Server;
  let redirect: string;
  let accountId: string;

  after(() => application?.close());
  openStage({ start: startOnAnotherHost }, async (stage) => {
    ({ service, browser } = stage);
    application = createServer((_request, response) => response.end('Back at the application'));
    await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
    redirect = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    accountId = (await (await service.user('ada')).get('/user')).data.id;
  });

  async function openSignedIn(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext();
    const { context: own } = service.app;
    const value = await startSession(own, {
      accountId,
      userAgent: 'x',
      factors: ['password'],
      password: passwordState(null),
      replaces: undefined,
      isNewBrowser: false,
    });
    await context.addCookies([{ name: 'briefs-session', value, url: service.webUrl }]);
    return { context, page: await context.newPage() };
  }

  async function ask(client: Registered, page: Page): Promise<{ verifier: string }> {
    const { verifier, challenge } = makePkce();
    await page.goto(
      authorizeUrl(service, {
        client_id: client.client_id,
        redirect_uri: redirect,
        code_challenge: challenge,
      }),
    );
    return { verifier };
  }

  it('redirects to the application and back, across both hosts', async () => {
    const client = await register(service, { redirect_uris: [redirect] });
    const { context, page } = await openSignedIn();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    const { verifier } = await ask(client, page);
    assert.equal(new URL(page.url()).origin, service.webUrl);
    await page.getByRole('heading', { name: 'Connect Scribe?' }).waitFor();
    await page.getByLabel(/^Invite people/).uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirect}?*`);
    assert.equal(await page.textContent('body'), 'Back at the application');
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const answer = await redeem(service, client, { code, code_verifier: verifier });
    assert.equal(answer.json.scope, 'documents:read documents:write comments profile');
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('can be denied with the keyboard', async () => {
    const client = await register(service, { redirect_uris: [redirect] });
    const { context, page } = await openSignedIn();
    await ask(client, page);
    await page.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${redirect}?*`);
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
    await context.close();
  });

  it('shows an explanation to a browser that did not start the request', async () => {
    const client = await register(service, { redirect_uris: [redirect] });
    const attacker = await openSignedIn();
    await ask(client, attacker.page);
    const victim = await openSignedIn();
    await victim.page.goto(attacker.page.url());
    await victim.page.getByRole('button', { name: 'Allow' }).click();
    await victim.page.getByRole('heading', { name: 'Can’t connect this app' }).waitFor();
    assert.equal(await victim.page.evaluate('getComputedStyle(document.body).maxWidth'), '544px');
    await attacker.context.close();
    await victim.context.close();
  });

  it('connects a device without a browser by the code that it shows', async () => {
    const name = 'W'.repeat(80);
    const grant_types = ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
    const client = await register(service, { client_name: name, grant_types });
    const body = new URLSearchParams({ client_id: client.client_id });
    const asked = await fetch(`${service.baseUrl}/oauth/device`, { method: 'POST', body });
    const codes = await asked.json();
    const { context, page } = await openSignedIn();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('422'))
        problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(codes.verification_uri);
    await page.keyboard.type('bbbb bbbb\n');
    await page.getByText('No device waits with this code').waitFor();
    await page.getByLabel('Code').fill(codes.user_code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(codes.user_code).waitFor();
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    assert.equal(await page.evaluate(overflow), 0);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: /is connected$/ }).waitFor();
    assert.equal(await page.evaluate(overflow), 0);
    const grant_type = grant_types[1];
    const { json } = await postToken(service, client, {
      grant_type,
      device_code: codes.device_code,
    });
    assert.equal(json.scope, 'documents:read documents:write comments sharing profile');
    assert.deepEqual(problems, []);
    await context.close();
  });
});
