import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { uploadForm } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { ask, assertNothing, lasting, targetOf } from '../../../test/render/expected.ts';

const HTML = '<title>x</title>';

describe('The render host’s 404', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  await ada.post('/user/pages', { html: HTML, name: 'open' });
  await ada.post('/user/pages', { html: HTML, name: 'gone' });
  await ada.delete('/pages/ada/gone');
  await ada.post('/user/pages', { html: HTML, name: 'private', visibility: 'private' });
  const internal = { html: HTML, name: 'internal', visibility: 'internal' };
  await ada.post('/orgs/engines/pages', internal);
  await ada.post('/user/briefs', { content: '# Brief', name: 'brief' });
  const signed = targetOf((await ada.get('/pages/ada/private/render-url')).data.url);
  const uploaded = await ada.request('/user/files', {
    method: 'POST',
    ...uploadForm({ bytes: 'text', name: 'a.txt' }),
  });
  const file = targetOf(uploaded.data.url);

  it('is always the same response', async () => {
    const { status, headers, body } = lasting(await ask(service, '/nobody/nothing'));
    assert.equal(status, 404);
    assert.deepEqual(JSON.parse(body), {
      error: { code: 'NOT_FOUND', message: 'There is nothing at this address.' },
    });
    assert.deepEqual(Object.keys(headers).sort(), [
      'cache-control',
      'content-length',
      'content-security-policy',
      'content-type',
      'cross-origin-resource-policy',
      'permissions-policy',
      'referrer-policy',
      'x-content-type-options',
    ]);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.match(headers['content-security-policy'] ?? '', /^sandbox; default-src 'none'/);
  });

  const targets: Record<string, string[]> = {
    'a document': ['/ada/private', '/engines/internal', '/ada/gone', '/ada/brief', '/no/open'],
    'a path': ['/', '/ada', '/ada/', '/ada/open/', '//ada/open', '/a/b/c/d', '/s', '/s/', '/files'],
    'a host page': ['/healthz', '/readyz', '/api', '/api/user', '/favicon.ico', '/robots.txt'],
    'bad percent-encoding': ['/ada/%', '/ada/%zz', '/ada/%c3', '/%E0%A4%A/x', '/ada/open%', '/%'],
    'an odd spelling': [
      '/ada/open%00',
      '/ada/%2e%2e',
      '/ada/..',
      '/ada/../ada/none',
      '/ada\\open',
      '/ada/open.html',
      '/ada/open.md',
      '/ada%2fopen',
      '/ada/open%2f',
      '/ada/op%0aen',
      `/ada/${'x'.repeat(2_000)}`,
      `/${'y/'.repeat(500)}`,
      '/ada/open;x=1',
      '/__proto__/constructor',
      '/ada/__proto__',
      '*',
    ],
    'a stored path': [
      '/pages/00/x.html',
      '/blobs/x',
      '/..%2f..%2fbriefs.db',
      '/files/../briefs.db',
    ],
  };
  for (const [what, all] of Object.entries(targets)) {
    it(`as ${what}`, async () => {
      for (const target of all) await assertNothing(service, await ask(service, target), target);
    });
  }

  it('for methods other than GET and HEAD', async () => {
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'];
    for (const target of ['/ada/open', '/ada/none', signed, file, '/']) {
      for (const method of methods) {
        const answer = await ask(service, target, { method });
        await assertNothing(service, answer, `${method} ${target}`);
      }
    }
  });

  it('for requests with a body', async () => {
    for (const type of ['application/json', 'text/html', 'multipart/form-data', 'x']) {
      const options = { method: 'POST', body: '{"a":', headers: { 'content-type': type } };
      await assertNothing(service, await ask(service, '/ada/open', options), type);
    }
    const cors = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const preflight = await ask(service, '/ada/open', { method: 'OPTIONS', headers: cors });
    await assertNothing(service, preflight, 'a preflight');
  });

  it('for files with a wrong URL or name', async () => {
    const [, , address = '', name = ''] = file.split('/');
    assert.equal((await ask(service, file)).body, 'text');
    const changed = `${address[0] === 'A' ? 'B' : 'A'}${address.slice(1)}`;
    for (const target of [
      `/files/${changed}/${name}`,
      `/files/${address}/b.txt`,
      `/files/${address}/`,
      `/files/${address}`,
      `/files/${address.toLowerCase()}/${name}`,
      `/files//${name}`,
      `/files/${address.slice(1)}/${name}`,
      `/files/${address}/${name}/x`,
      `/files/%/${name}`,
      `/files/${address}/A.TXT`,
      `/files/${address}%20/${name}`,
      `/Files/${address}/${name}`,
    ]) {
      await assertNothing(service, await ask(service, target), target);
    }
  });

  it('for conditional, range and content-negotiated requests', async () => {
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-match': '"x"' },
      { range: 'bytes=0-1' },
      { accept: 'text/html' },
      { accept: 'text/markdown', 'accept-encoding': 'gzip' },
      { expect: 'wonders' },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[]) {
      for (const target of ['/ada/private', '/ada/none']) {
        const answer = await ask(service, target, { headers });
        await assertNothing(service, answer, JSON.stringify(headers));
      }
    }
  });
});
