import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../harness.ts';
import { call } from '../mcp/agent.ts';
import { REDIRECT, UNLIMITED } from '../oauth/agent.ts';
import { PASSWORD } from '../sign-in/visitor.ts';
import { databaseState } from '../state.ts';
import { makePerson } from '../web-app/world.ts';

/**
 * Requests that a page of another origin can send without a preflight, and types that parsers have
 * confused.
 */
const JSON_LOOKALIKES = [
  'text/plain',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/json;\tcharset=utf-8',
  'application\t/json',
  'text/plain, application/json',
  'application/jsonp',
  'application/json+x',
  'application/problem+json',
  'text/json',
  'application/json; charset=utf-7',
  'application/json; charset=utf-16',
];

const FORM_LOOKALIKES = [
  'text/plain',
  'application/json',
  'application/x-www-form-urlencodedx',
  'text/html',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'application/xml',
];

/** The API's own routes are tried one by one in src/surfaces/rest/bad-input.test.ts. */
describe('Content-type tricks', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  // The authorization server creates its key at its first request.
  await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);

  async function send(url: string, body: string, headers: Record<string, string>) {
    const bytes = new TextEncoder().encode(body);
    return readAnswer(
      await fetch(url, { method: 'POST', body: bytes, headers, redirect: 'manual' }),
    );
  }

  it('only bodies declared as JSON are read as JSON, on every surface of the API', async () => {
    const authorization = `Bearer ${ada.client.token}`;
    const accept = 'application/json, text/event-stream';
    const bodies: Record<string, object> = {
      '/user/briefs': { name: 'smuggled', content: 'x' },
      '/mcp': call('publish_document', { name: 'smuggled', content: 'x' }),
    };
    const before = await databaseState(service.app.context);
    for (const [path, body] of Object.entries(bodies)) {
      for (const type of ['', ...JSON_LOOKALIKES]) {
        const headers = { authorization, accept, ...(type && { 'content-type': type }) };
        const { status } = await send(service.baseUrl + path, JSON.stringify(body), headers);
        assert.ok(status === 400 || status === 415, `${path} ${JSON.stringify(type)}: ${status}`);
      }
    }
    // The registration library ignores every parameter of JSON.
    const body = JSON.stringify({ client_name: 'x', redirect_uris: [REDIRECT] });
    for (const type of JSON_LOOKALIKES.filter((one) => !/^application\/json;/.test(one))) {
      const { status } = await send(`${service.baseUrl}/oauth/register`, body, {
        'content-type': type,
      });
      assert.ok(status === 400 || status === 415, `${type}: ${status}`);
    }
    assert.deepEqual(await databaseState(service.app.context), before);
  });

  it('only bodies declared as forms are read as forms: tokens, sign-in, the app', async () => {
    const cookie = Array.from(ada.visitor.cookies, ([name, value]) => `${name}=${value}`).join(
      '; ',
    );
    const own = {
      cookie,
      origin: service.webUrl,
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    };
    const forms: [url: string, body: string][] = [
      [`${service.webUrl}/sign-in`, `name=ada&password=${encodeURIComponent(PASSWORD)}`],
      [`${service.webUrl}/organizations/new`, 'namespace=smuggled&name=x'],
      [`${service.webUrl}/settings/tokens`, 'name=x&lifetime=30&scopes=profile'],
      [`${service.webUrl}/settings/sessions/end-all`, ''],
      [`${service.baseUrl}/oauth/token`, 'grant_type=refresh_token&refresh_token=x&client_id=y'],
      [`${service.baseUrl}/oauth/revoke`, 'token=x&client_id=y'],
    ];
    const before = await databaseState(service.app.context);
    for (const [url, body] of forms) {
      for (const type of FORM_LOOKALIKES) {
        if (body === '') continue;
        const { status, headers } = await send(url, body, { ...own, 'content-type': type });
        assert.ok(status >= 400 && status < 500, `${url} ${type}: ${status}`);
        assert.equal(headers.get('set-cookie'), null);
      }
    }
    assert.deepEqual(await databaseState(service.app.context), before);
  });

  it('responses declare their type, and forbid sniffing', async () => {
    await ada.client.post('/user/briefs', { name: 'x', content: '<script>alert(1)</script>' });
    await ada.client.post('/user/pages', { name: 'x', html: '{"a":1}' });
    const { webUrl, baseUrl, renderUrl } = service;
    for (const [url, type] of Object.entries({
      [`${webUrl}/ada/x.md`]: 'text/markdown; charset=utf-8',
      [`${webUrl}/ada/x?format=md`]: 'text/markdown; charset=utf-8',
      [`${renderUrl}/ada/x`]: 'text/html; charset=utf-8',
      [`${renderUrl}/nothing`]: 'application/json; charset=utf-8',
      [`${baseUrl}/user`]: 'application/json; charset=utf-8',
      [`${baseUrl}/nothing/<script>`]: 'application/json; charset=utf-8',
      [`${webUrl}/nothing/%3Cscript%3E`]: 'application/json; charset=utf-8',
      [`${webUrl}/healthz`]: 'application/json; charset=utf-8',
    })) {
      for (const accept of ['*/*', 'application/javascript', 'text/css']) {
        const { headers } = await readAnswer(await fetch(url, { headers: { accept } }));
        assert.equal(headers.get('content-type'), type, url);
        assert.equal(headers.get('x-content-type-options'), 'nosniff', url);
      }
    }
  });
});
