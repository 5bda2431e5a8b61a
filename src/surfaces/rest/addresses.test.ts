import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, readAnswer, startService } from '../../../test/harness.ts';
import { expectStatus, makeDocument, makeOrganization } from '../../../test/rest/scenario.ts';

const service = await startService();
after(() => service.stop());
const ada = await service.user('ada');
const brief = await makeDocument(ada, 'hello', { content: '# Hello\n' });

const send = async (method: string, path: string, headers: Record<string, string> = {}) =>
  readAnswer(await fetch(service.baseUrl + path, { method, headers, redirect: 'manual' }));
const bearer = () => ({ authorization: `Bearer ${ada.token}` });

describe('A method that an address doesn’t have', () => {
  it('is 405 with Allow, after authentication', async () => {
    for (const [method, path, allowed] of [
      ['PUT', brief, 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', '/user/briefs', 'GET, HEAD, POST'],
      ['PATCH', `${brief}/revisions`, 'GET, HEAD'],
      ['POST', '/user', 'GET, HEAD'],
      ['GET', `${brief}/edits`, 'POST'],
      ['PATCH', '/briefs/nobody/nothing/collaborators', 'GET, HEAD'],
    ] as const) {
      const answer = await send(method, path, bearer());
      assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`);
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), allowed, path);
      assertError(await send(method, path), 401, 'UNAUTHORIZED');
    }
  });

  it('an unknown address is 404 with every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of [
        '/nothing',
        '/user/nothing',
        `${brief}/x/y/z`,
        '/briefs/ada/x%2Fedits/q',
      ]) {
        assertError(await send(method, path, bearer()), 404, 'NOT_FOUND');
      }
    }
  });
});

describe('A slash at the end', () => {
  it('means the same in the API', async () => {
    for (const path of ['/user/', `${brief}/`, '/user/briefs/?per_page=1']) {
      assert.equal((await send('GET', path, bearer())).status, 200, path);
    }
  });

  it('leads to the address without it on the web', async () => {
    const { webUrl } = service;
    for (const [path, target] of [
      ['/ada/', '/ada'],
      ['/ada/hello/', '/ada/hello'],
      ['/ada/hello/?format=md', '/ada/hello?format=md'],
      ['/ada/pages/hello/', '/ada/pages/hello'],
      ['/nobody/nothing/', '/nobody/nothing'],
    ] as const) {
      const answer = await fetch(webUrl + path, { redirect: 'manual' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [308, target], path);
      await answer.body?.cancel();
    }
    for (const path of ['//evil.example/', '/\\evil.example/', '/%5Cevil.example/x/y/z/']) {
      const answer = await fetch(webUrl + path, { redirect: 'manual' });
      const location = answer.headers.get('location') ?? '';
      assert.ok(!/^(https?:)?[/\\]{2}/.test(location), `${path} → ${location}`);
      await answer.body?.cancel();
    }
  });
});

describe('Errors and hints', () => {
  it('the base address points to the description', async () => {
    for (const path of ['', '/']) {
      for (const [headers, status] of [
        [bearer(), 404],
        [{}, 401],
      ] as const) {
        const answer = await send('GET', path, headers);
        assert.equal(answer.status, status);
        const link = `<${service.baseUrl}/openapi.json>; rel="service-desc"`;
        assert.equal(answer.headers.get('link'), link);
      }
    }
    assert.equal((await send('GET', '/nothing', bearer())).headers.get('link'), null);
  });

  it('a move names the field of an unknown owner', async () => {
    const answer = await ada.post(`${brief}/move`, { owner: 'engines' });
    assertError(answer, 404, 'NOT_FOUND', /^owner: no user or organization “engines”/);
  });

  it('wrong percent-encoding is 400 in our words', async () => {
    for (const path of ['/briefs/ada/%ff', '/briefs/%zz/x', '/users/%']) {
      const answer = await send('GET', path, bearer());
      assertError(answer, 400, 'BAD_REQUEST');
      assert.doesNotMatch(answer.text, /component|briefs\/ada/);
    }
  });

  it('an unknown query parameter is ignored', async () => {
    assert.equal((await ada.get('/user/briefs?foo=1')).status, 200);
  });
});

describe('Lists', () => {
  it('have entity tags of each result page, and answer 304', async () => {
    await makeOrganization(ada, 'engines-2');
    for (const path of [
      '/user/briefs',
      `${brief}/revisions`,
      '/user/orgs',
      `${brief}/collaborators`,
    ]) {
      const first = await expectStatus(ada.get(path), 200);
      const tag = first.headers.get('etag') ?? '';
      assert.match(tag, /^W\/"[\w-]{22}"$/);
      const again = await ada.get(path, { 'if-none-match': tag });
      assert.deepEqual([again.status, again.text], [304, '']);
      assert.equal((await ada.get(path, { 'if-none-match': 'W/"other"' })).status, 200);
      const other = await ada.get(`${path}?per_page=1`);
      if (other.headers.get('link') !== first.headers.get('link')) {
        assert.notEqual(other.headers.get('etag'), tag);
      }
    }
    const before = (await ada.get('/user/briefs')).headers.get('etag') as string;
    await expectStatus(ada.patch(brief, { content: '# Changed\n' }), 200);
    assert.equal((await ada.get('/user/briefs', { 'if-none-match': before })).status, 200);
  });
});

describe('Scripts of other sites', () => {
  const OTHER = { origin: 'https://other.example' };

  it('may send an Idempotency-Key', async () => {
    const answer = await fetch(`${service.baseUrl}/user/briefs`, {
      method: 'OPTIONS',
      headers: {
        ...OTHER,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    assert.match(answer.headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/);
  });

  it('may read public texts, feeds and descriptions, and nothing else', async () => {
    const { webUrl } = service;
    const open = async (path: string) => {
      const answer = await fetch(webUrl + path, { headers: OTHER });
      await answer.body?.cancel();
      const allowed = answer.headers.get('access-control-allow-origin');
      const policy = answer.headers.get('cross-origin-resource-policy');
      return [
        answer.status,
        allowed,
        policy,
        answer.headers.get('access-control-allow-credentials'),
      ];
    };
    const description = `/oembed.json?url=${encodeURIComponent(`${webUrl}/ada/hello`)}`;
    for (const path of ['/ada/hello.md', '/ada/hello', '/ada.atom', description, '/llms.txt']) {
      assert.deepEqual(await open(path), [200, '*', 'cross-origin', null], path);
    }
    for (const [path, status] of [
      ['/ada', 200],
      ['/sign-in', 200],
      ['/ada/nothing.md', 404],
    ] as const) {
      assert.deepEqual(await open(path), [status, null, 'same-origin', null], path);
    }
    const page = await fetch(`${webUrl}/ada/hello`, { headers: { ...OTHER, accept: 'text/html' } });
    await page.body?.cancel();
    assert.equal(page.headers.get('access-control-allow-origin'), null);
  });

  it('find the page and its description from the Markdown', async () => {
    const { webUrl } = service;
    const answer = await fetch(`${webUrl}/ADA/hello`, { headers: { accept: '*/*' } });
    await answer.body?.cancel();
    const page = `${webUrl}/ada/hello`;
    const description = `${webUrl}/oembed.json?url=${encodeURIComponent(page)}`;
    assert.equal(
      answer.headers.get('link'),
      `<${page}>; rel="canonical", <${page}>; rel="alternate"; type="text/html", ` +
        `<${description}>; rel="alternate"; type="application/json+oembed"`,
    );
    assert.equal((await fetch(description)).status, 200);
  });
});
