import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import {
  ask,
  assertNothing,
  lasting,
  pagePolicy,
  targetOf,
} from '../../../test/render/expected.ts';

const HTML = '<!doctype html><title>Hé</title><script>1</script>';

describe('The render host', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  await ada.post('/user/pages', { html: HTML, name: 'open' });
  await ada.post('/user/pages', { html: HTML, name: 'closed', visibility: 'private' });
  const signed = targetOf((await ada.get('/pages/ada/closed/render-url')).data.url);

  function assertPolicies(headers: Record<string, string>): void {
    const expected: Record<string, string> = {
      'content-security-policy': pagePolicy(service.webUrl),
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
    const features = (headers['permissions-policy'] ?? '').split(', ');
    for (const feature of features) assert.match(feature, /^[a-z-]+=\(\)$/);
    for (const feature of ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial']) {
      assert.ok(features.includes(`${feature}=()`), feature);
    }
    assert.doesNotMatch(JSON.stringify(headers), /allow-same-origin|allow-popups|allow-top-nav/);
  }

  it('serves a public page with exactly the expected headers', async () => {
    const { status, headers, body } = await ask(service, '/ada/open');
    assert.equal(status, 200);
    assert.equal(body, HTML);
    assertPolicies(headers);
    assert.equal(headers['cache-control'], 'public, no-cache');
    assert.match(headers.etag ?? '', /^"[^"]+"$/);
    assert.deepEqual(
      Object.keys(headers).sort(),
      [
        'accept-ranges',
        'cache-control',
        'connection',
        'connection-allowlist',
        'content-length',
        'content-security-policy',
        'content-type',
        'cross-origin-resource-policy',
        'date',
        'etag',
        'keep-alive',
        'permissions-policy',
        'referrer-policy',
        'vary',
        'x-content-type-options',
        'x-request-id',
      ].sort(),
    );
  });

  it('serves a signed page with exactly the expected headers', async () => {
    const { status, headers, body } = await ask(service, signed);
    assert.equal(status, 200);
    assert.equal(body, HTML);
    assertPolicies(headers);
    assert.equal(headers['cache-control'], 'private, no-store');
    assert.equal(headers['x-robots-tag'], 'noindex');
    const open = await ask(service, '/ada/open');
    assert.deepEqual(
      Object.keys(headers).filter((name) => !(name in open.headers)),
      ['x-robots-tag'],
    );
  });

  it('sends browsers another representation, with stand-ins and a script for links', async () => {
    for (const target of ['/ada/open', signed]) {
      const raw = await ask(service, target);
      assert.equal(raw.headers.vary, 'sec-fetch-dest');
      const tags = new Set([raw.headers.etag]);
      for (const destination of ['iframe', 'document']) {
        const headers = { 'sec-fetch-dest': destination };
        const shown = await ask(service, target, { headers });
        const [, own = '', links = ''] =
          /^<!doctype html><script>\(\(\) => \{\s+const QUOTA[\s\S]*?<\/script>([\s\S]*?)(\n<script>[\s\S]*)?$/.exec(
            shown.body,
          ) ?? [];
        assert.equal(`<!doctype html>${own}`, HTML, shown.body);
        assert.equal(links !== '', destination === 'iframe');
        assertPolicies(shown.headers);
        assert.equal(shown.headers['content-length'], String(Buffer.byteLength(shown.body)));
        tags.add(shown.headers.etag);

        const tagged = { ...headers, 'if-none-match': shown.headers.etag as string };
        assert.equal((await ask(service, target, { headers: tagged })).status, 304);
        const head = await ask(service, target, { method: 'HEAD', headers });
        assert.deepEqual(lasting(head), { ...lasting(shown), body: '' });
        const part = await ask(service, target, { headers: { ...headers, range: 'bytes=0-4' } });
        assert.deepEqual(lasting(part), lasting(shown), 'it is only sent whole');
      }
      assert.equal(tags.size, 3);
    }
  });

  it('limits connections to its own origin, except for top-level pages', async () => {
    const reach = async (headers: Record<string, string>) =>
      (await ask(service, '/ada/open', { headers })).headers['connection-allowlist'];
    assert.equal(await reach({ 'sec-fetch-dest': 'document' }), '("*://*:*/*")');
    assert.equal(await reach({ 'sec-fetch-dest': 'iframe' }), '(response-origin)');
    assert.equal(await reach({}), '(response-origin)');
  });

  it('answers HEAD like GET without the body', async () => {
    for (const target of ['/ada/open', signed]) {
      const get = lasting(await ask(service, target));
      const head = lasting(await ask(service, target, { method: 'HEAD' }));
      assert.deepEqual(head, { ...get, body: '' });
    }
    const gone = await ask(service, '/ada/none', { method: 'HEAD' });
    assert.deepEqual([gone.status, gone.body], [404, '']);
  });

  it('ignores cookies and tokens, and sets no cookie', async () => {
    const headers = { cookie: 'session=1', authorization: `Bearer ${ada.token}` };
    const closed = await ask(service, '/ada/closed', { headers });
    await assertNothing(service, closed, 'a private page, to its owner');
    const open = await ask(service, '/ada/open', { headers });
    assert.deepEqual(lasting(open), lasting(await ask(service, '/ada/open')));
    const wrong = { cookie: 'a=b; a=c', authorization: 'Bearer nonsense' };
    assert.equal((await ask(service, signed, { headers: wrong })).status, 200);
  });

  it('matches names like the API', async () => {
    await ada.post('/user/pages', { html: 'two', name: 'Über uns' });
    for (const target of ['/ada/%C3%BCber-uns', '/ADA/%C3%9Cber%20uns', '/ada/u%CC%88ber-uns']) {
      assert.equal((await ask(service, target)).body, 'two', target);
    }
  });

  it('follows visibility changes immediately, also for caches', async () => {
    await ada.post('/user/pages', { html: HTML, name: 'shifting' });
    const { headers } = await ask(service, '/ada/shifting');
    const cached = { headers: { 'if-none-match': headers.etag ?? '' } };
    assert.equal((await ask(service, '/ada/shifting', cached)).status, 304);
    await ada.patch('/pages/ada/shifting', { visibility: 'private' });
    await assertNothing(service, await ask(service, '/ada/shifting', cached), 'a cached one');
    await assertNothing(service, await ask(service, '/ada/shifting'), 'made private');
    await ada.patch('/pages/ada/shifting', { visibility: 'public' });
    assert.equal((await ask(service, '/ada/shifting')).body, HTML);
    await ada.delete('/pages/ada/shifting');
    await assertNothing(service, await ask(service, '/ada/shifting', cached), 'deleted');
  });

  it('answers 304 for a matching entity tag, and 200 after a change', async () => {
    await ada.post('/user/pages', { html: 'first', name: 'tagged' });
    const first = await ask(service, '/ada/tagged');
    const etag = first.headers.etag ?? '';
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await ask(service, '/ada/tagged', { headers: { 'if-none-match': value } });
      assert.deepEqual([answer.status, answer.body], [304, ''], value);
      assert.equal(answer.headers.etag, etag);
      assert.equal(answer.headers['content-security-policy'], pagePolicy(service.webUrl));
    }
    const other = await ask(service, '/ada/tagged', { headers: { 'if-none-match': '"x"' } });
    assert.equal(other.status, 200);
    await ada.patch('/pages/ada/tagged', { html: 'other' });
    const after = await ask(service, '/ada/tagged', { headers: { 'if-none-match': etag } });
    assert.deepEqual([after.status, after.body], [200, 'other']);
    assert.notEqual(after.headers.etag, etag);
  });
});
