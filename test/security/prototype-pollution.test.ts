import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { zip } from '../document/zip.ts';
import { readAnswer, startService } from '../harness.ts';
import { post } from '../mcp/agent.ts';
import { authorizeUrl, makePkce, register, UNLIMITED } from '../oauth/agent.ts';
import { newVisitor } from '../sign-in/visitor.ts';
import { clientMissing } from '../web/built-client.ts';
import { makePerson } from '../web-app/world.ts';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

/** Inputs that parsers of forms and queries have used as a way to a prototype. */
const KEYS = [
  ...NAMES,
  '__proto__[polluted]',
  '__proto__.polluted',
  'constructor[prototype][polluted]',
  'constructor.prototype.polluted',
  'a[__proto__][polluted]',
  '[__proto__]polluted',
  'polluted[]',
];

/** JSON bodies are tried field by field in src/surfaces/rest/bad-input.test.ts. */
describe('Prototype pollution and type confusion fail in', { skip: clientMissing }, async () => {
  const service = await startService(UNLIMITED);
  const ada = await makePerson(service, 'ada');
  // The service runs in this process, so changes to a prototype are visible here.
  after(async () => {
    await service.stop();
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
    assert.deepEqual(Object.keys(Array.prototype), []);
  });

  const notOurs = async (answer: Promise<{ status: number; text: string }>, what: string) => {
    const { status, text } = await answer;
    assert.ok(status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined, what);
    return status;
  };

  it('queries on every host', async () => {
    const query = KEYS.map((key) => `${key}=polluted&${encodeURIComponent(key)}=1`).join('&');
    const { token } = ada.client;
    const headers = { authorization: `Bearer ${token}` };
    for (const url of [
      ...['/', '/sign-in', '/search', '/ada', '/ada/x', '/new', '/reference', '/export'].map(
        (path) => service.webUrl + path,
      ),
      ...[
        '/user',
        '/user/briefs',
        '/users/ada',
        '/sso/authorize',
        '/oauth/token',
        '/openapi.json',
      ].map((path) => service.baseUrl + path),
      `${service.renderUrl}/ada/x`,
      `${service.renderUrl}/s/x/1`,
    ]) {
      const get = fetch(`${url}?${query}`, { headers, redirect: 'manual' }).then(readAnswer);
      await notOurs(get, url);
    }
    for (const key of KEYS) {
      await notOurs(ada.visitor.get(`/search?${key}=x&q[]=x&q=a&q=b`), key);
    }
  });

  it('forms of both encodings', async () => {
    for (const path of ['/sign-in', '/sign-up', '/new', '/organizations/new', '/settings/tokens']) {
      for (const key of KEYS) {
        await notOurs(ada.visitor.post(path, { [key]: 'polluted' }), `${path} ${key}`);
        await notOurs(
          ada.visitor.post(path, [
            [key, 'a'],
            [key, 'b'],
          ]),
          `${path} ${key} twice`,
        );
      }
    }
    const form = new FormData();
    for (const key of KEYS) form.append(key, new Blob(['# x']), `${key}.md`);
    await notOurs(ada.visitor.post('/import', form), '/import');
    const archive = await zip(Object.fromEntries(NAMES.map((name) => [`${name}.md`, `# ${name}`])));
    const import_ = new FormData();
    for (const [name, value] of Object.entries({
      owner: 'ada',
      visibility: 'private',
      ifTaken: 'skip',
    }))
      import_.append(name, value);
    import_.append('files', new Blob([archive as unknown as string]), 'all.zip');
    assert.equal(await notOurs(ada.visitor.post('/import', import_), 'an archive'), 200);
  });

  it('JSON of tools and of registration', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{"__proto__":{"polluted":1}}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","__proto__":{"polluted":1}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"constructor":{"prototype":{"polluted":1}}}}',
      '{"jsonrpc":"2.0","id":1,"method":["tools/list"],"params":[]}',
      '{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}',
      ...NAMES.map((name) => `{"jsonrpc":"2.0","id":1,"method":"${name}","params":{}}`),
    ]) {
      const status = await notOurs(post(service, ada.client.token, body), body);
      assert.ok(status === 200 || status >= 400);
    }
    for (const body of [
      '{"client_name":"x","redirect_uris":["https://a.example/"],"__proto__":{"polluted":1}}',
      '{"client_name":{"toString":"x"},"redirect_uris":["https://a.example/"]}',
      '{"client_name":["x"],"redirect_uris":"https://a.example/"}',
      '{"redirect_uris":{"0":"https://a.example/","length":1}}',
      '{"redirect_uris":["https://a.example/"],"grant_types":{"0":"x"},"constructor":{"prototype":{}}}',
    ]) {
      const headers = { 'content-type': 'application/json' };
      const url = `${service.baseUrl}/oauth/register`;
      const sent = fetch(url, { method: 'POST', body, headers }).then(readAnswer);
      const status = await notOurs(sent, body);
      // Unknown fields are ignored there (RFC 7591, section 2).
      assert.equal(
        status,
        /"redirect_uris":\["/.test(body) && !/"client_name":[{[]|"grant_types":\{/.test(body)
          ? 201
          : 400,
        body,
      );
    }
    const client = await register(service);
    const { challenge } = makePkce();
    const parameters = { client_id: client.client_id, code_challenge: challenge };
    for (const key of KEYS) {
      const url = authorizeUrl(service, { ...parameters, [key]: ['polluted', 'x'] });
      await notOurs(newVisitor(service).get(url), key);
    }
  });

  it('names, even those of properties that every object has', async () => {
    for (const name of NAMES) {
      const made = await ada.client.post('/user/briefs', {
        name,
        content: `# ${name}\n\n[${name}]`,
      });
      const stored = name.toLowerCase();
      assert.ok(made.status === 201 || made.status === 422, made.text);
      assert.equal((await ada.client.get(`/briefs/ada/${stored}`)).data.name, stored);
      assert.equal((await ada.client.get(`/briefs/ada/no-${stored}`)).status, 404);
      for (const path of [`/users/${name}`, `/orgs/${name}`, `/briefs/${name}/${name}`]) {
        assert.equal((await ada.client.get(path)).status, 404, path);
      }
      for (const path of [
        `/${name}`,
        `/assets/${name}`,
        `/${name}/${name}`,
        `/read/${name}/${name}`,
      ]) {
        assert.equal((await ada.visitor.get(path)).status, 404, path);
      }
      const headers = { 'content-type': `application/${name}`, [name.replaceAll('_', '-')]: 'x' };
      await notOurs(ada.client.post('/user/briefs', { content: 'x' }, headers), name);
    }
    await everythingIndexed(service.app.context);
    for (const name of NAMES) {
      const found = await ada.visitor.get(`/search?q=${name}`);
      assert.ok(found.text.includes(`/read/ada/${name.toLowerCase()}`), name);
    }
  });
});
