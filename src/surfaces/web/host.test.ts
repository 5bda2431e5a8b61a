import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, assertError, readAnswer, startService } from '../../../test/harness.ts';
import { clientMissing } from '../../../test/web/built-client.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('The web host', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

  async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return readAnswer(await fetch(service.webUrl + path, { headers, redirect: 'manual' }));
  }

  function assertPage({ status, headers, text }: Answer): void {
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /^<!doctype html>/);
    const policy = headers.get('content-security-policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      `frame-src 'self' ${service.renderUrl}`,
    ]) {
      assert.ok(policy.split('; ').includes(directive), directive);
    }
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'strict-origin-when-cross-origin');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(headers.get('strict-transport-security'), null, 'not without https');
    assert.equal(headers.get('set-cookie'), null);
  }

  it('/ explains how to begin, with this service’s addresses', async () => {
    const answer = await get('/');
    assertPage(answer);
    assert.ok(answer.text.includes('href="/sign-up"'));
    assert.ok(answer.text.includes(`${service.baseUrl}/user/briefs`));
  });

  it('/reference shows every operation', async () => {
    const answer = await get('/reference');
    assertPage(answer);
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    for (const operations of Object.values<Record<string, { summary: string }>>(paths)) {
      for (const { summary } of Object.values(operations)) {
        assert.ok(answer.text.includes(summary.replaceAll('&', '&amp;')), summary);
      }
    }
  });

  it('healthz and readyz answer without a token, in JSON', async () => {
    for (const [path, status] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ] as const) {
      const answer = await get(path);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { status });
    }
  });

  it('every page links to existing, immutable assets of the right type', async () => {
    await ada.post('/user/briefs', { content: '$x$\n\n```mermaid\ngraph\n```\n', name: 'assets' });
    const pages = await Promise.all(
      ['/', '/reference', '/ada', '/ada/assets', '/missing/page'].map((path) =>
        get(path, { accept: BROWSER }),
      ),
    );
    const urls = new Set(pages.flatMap(({ text }) => text.match(/\/assets\/[^"\s)]+/g) ?? []));
    assert.ok(urls.size >= 5);
    const types: Record<string, string> = {
      js: 'application/javascript',
      css: 'text/css',
      svg: 'image/svg+xml; charset=utf-8',
      png: 'image/png',
      woff2: 'font/woff2',
      html: 'text/html',
    };
    for (const url of urls) {
      const { status, headers } = await get(url);
      assert.equal(status, 200, url);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.ok(
        headers.get('content-type')?.startsWith(types[url.split('.').at(-1) ?? ''] ?? '?'),
        url,
      );
      assert.ok(headers.get('content-security-policy'));
      if (url.endsWith('.html')) continue;
      assert.match(url, /-[\w-]{8}\.\w+$/, 'the name changes with the content');
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
  });

  it('pages have no inline script or style', async () => {
    for (const path of ['/', '/reference', '/ada', '/missing/page']) {
      const { text } = await get(path, { accept: BROWSER });
      for (const [script] of text.matchAll(/<script[^>]*>/g))
        assert.match(script, /\ssrc="\/assets\//);
      assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|javascript:/i);
    }
  });

  it('HSTS where the address is https', async () => {
    const secure = await startService({
      WEB_URL: 'https://localhost',
      BASE_URL: service.baseUrl,
    }).catch((error) => error as Error);
    // The service at this address has started, because its API responds.
    assert.ok(!(secure instanceof Error), String(secure));
    try {
      const { port } = secure.config;
      const { headers } = await fetch(`http://localhost:${port}/`);
      assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/);
    } finally {
      await secure.stop();
    }
  });

  it('a profile lists the public documents, newest first, thirty on a page', async () => {
    const grace = await service.user('grace');
    for (let index = 1; index <= 61; index++) {
      const visibility = index % 10 === 0 ? 'private' : 'public';
      await grace.post('/user/briefs', { content: 'x', name: `n-${index}`, visibility });
    }
    const names = ({ text }: Answer) =>
      Array.from(text.matchAll(/\/grace\/(n-\d+)"/g), (match) => match[1]);
    const expected = Array.from({ length: 61 }, (_, index) => 61 - index)
      .filter((index) => index % 10 !== 0)
      .map((index) => `n-${index}`);
    const first = await get('/grace');
    assertPage(first);
    assert.match(first.text, /55 public documents/);
    assert.match(first.text, /Page 1 of 2/);
    const second = await get('/grace?page=2');
    assert.deepEqual([...names(first), ...names(second)], expected);
    assert.match(first.text, /rel="next" href="\/grace\?page=2"/);
    assert.doesNotMatch(first.text, /rel="prev"/);
    assert.match(second.text, /rel="prev" href="\/grace"/);
    assert.doesNotMatch(second.text, /rel="next"/);
    const beyond = await get('/grace?page=9');
    assert.equal(beyond.status, 200);
    assert.deepEqual(names(beyond), []);
  });

  it('a profile page that isn’t a number is 400 and named', async () => {
    for (const page of ['0', '-1', '1.5', '1e1', '', '%201', '0x1', '9'.repeat(20), '1&page=2']) {
      assertError(await get(`/ada?page=${page}`), 400, 'BAD_REQUEST', /^page: /);
    }
  });

  it('a profile is found in any case; an unknown one is 404', async () => {
    assertPage(await get('/ADA'));
    for (const path of ['/nobody', '/a--b', '/admin', '/%00', '/ad%C3%A5', `/${'x'.repeat(40)}`]) {
      assertError(await get(path), 404, 'NOT_FOUND');
      const page = await get(path, { accept: BROWSER });
      assert.equal(page.status, 404);
      assert.match(page.text, /^<!doctype html>/);
    }
  });
});
