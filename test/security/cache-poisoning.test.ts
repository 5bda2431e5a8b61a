import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, readAnswer, type Service, startService } from '../harness.ts';
import { type CachingProxy, nginxMissing, startCachingProxy } from '../servers/nginx.ts';
import { clientMissing } from '../web/built-client.ts';

const BROWSER = { accept: 'text/html' };
const PROGRAM = { accept: 'text/markdown' };

/**
 * A cache that obeys the headers, and one that stores everything for a second or two and then
 * revalidates.
 */
const CACHES = {
  'that does as it is told': { settings: '', staleMs: 0 },
  'that keeps what must be asked for, and asks by entity tag': {
    settings:
      'proxy_ignore_headers Cache-Control Expires; proxy_cache_valid 200 1s; proxy_cache_revalidate on;',
    staleMs: 2_100,
  },
  'that keeps what must be asked for, and asks without a tag': {
    settings: 'proxy_ignore_headers Cache-Control Expires; proxy_cache_valid 200 1s;',
    staleMs: 2_100,
  },
};

describe('Cache poisoning', { skip: nginxMissing() || clientMissing, concurrency: true }, () => {
  for (const [what, { settings, staleMs }] of Object.entries(CACHES)) {
    describe(`a proxy ${what}`, () => {
      let service: Service;
      let proxy: CachingProxy;
      let ada: Client;

      before(async () => {
        service = await startService();
        ada = await service.user('ada');
        proxy = await startCachingProxy(service, settings);
      });
      after(async () => {
        await proxy?.stop();
        await service?.stop();
      });

      const get = async (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
        readAnswer(await fetch(url, { headers, redirect: 'manual' }));
      /** Waits until cached responses have to be revalidated. */
      const aged = () => sleep(staleMs);

      it('a page, then Markdown, each again, then made private: each response is right', async () => {
        const { data } = await ada.post('/user/briefs', { content: '# First', name: 'notes' });
        assert.equal(data.name, 'notes');
        const url = `${proxy.webUrl}/ada/notes`;
        for (let round = 0; round < 2; round++) {
          const page = await get(url, BROWSER);
          const markdown = await get(url, PROGRAM);
          assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
          assert.match(page.text, /<h1[^>]*>First/);
          assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/);
          assert.equal(markdown.text, '# First');
          assert.notEqual(page.headers.get('etag'), markdown.headers.get('etag'));
        }
        await aged();
        const again = await get(url, PROGRAM);
        assert.equal(again.text, '# First');
        const kept = again.headers.get('x-cache');
        if (staleMs > 0) assert.match(kept ?? '', /REVALIDATED|EXPIRED/, 'the cache is at work');

        await ada.patch('/briefs/ada/notes', { content: '# Second' });
        await aged();
        assert.match((await get(url, BROWSER)).text, /<h1[^>]*>Second/);
        assert.equal((await get(url, PROGRAM)).text, '# Second');

        const tags = [BROWSER, PROGRAM].map(async (form) => (await get(url, form)).headers);
        const [first, second] = await Promise.all(tags);
        await ada.patch('/briefs/ada/notes', { visibility: 'private' });
        await aged();
        for (const form of [BROWSER, PROGRAM]) {
          for (const tag of [undefined, first?.get('etag'), second?.get('etag'), '*']) {
            const answer = await get(url, { ...form, ...(tag && { 'if-none-match': tag }) });
            assert.equal(answer.status, 404, `${form.accept} ${tag}`);
            assert.doesNotMatch(answer.text, /Second|First/);
          }
        }
        // 404 responses aren't cached either.
        await ada.patch('/briefs/ada/notes', { visibility: 'public' });
        assert.equal((await get(url, PROGRAM)).text, '# Second');
        assert.match((await get(url, BROWSER)).text, /Second/);
      });

      it('an HTML page at its public address, changed and made private', async () => {
        await ada.post('/user/pages', { html: '<p>one', name: 'dice' });
        const url = `${proxy.renderUrl}/ada/dice`;
        for (let round = 0; round < 2; round++) assert.equal((await get(url)).text, '<p>one');
        await ada.patch('/pages/ada/dice', { html: '<p>two' });
        await aged();
        assert.equal((await get(url)).text, '<p>two');
        assert.equal((await get(url, { range: 'bytes=0-1' })).text.slice(0, 2), '<p');
        await ada.patch('/pages/ada/dice', { visibility: 'private' });
        await aged();
        assert.equal((await get(url)).status, 404);
      });

      it('compressed only for clients that accept it', async () => {
        const content = `# Compressed\n\n${'Words of a brief. '.repeat(100)}`;
        await ada.post('/user/briefs', { content, name: 'compressed' });
        const url = `${proxy.webUrl}/ada/compressed`;
        for (let round = 0; round < 3; round++) {
          for (const coding of ['gzip', 'br', 'identity', 'zstd']) {
            for (const form of [BROWSER, PROGRAM]) {
              const answer = await get(url, { ...form, 'accept-encoding': coding });
              assert.equal(answer.headers.get('content-encoding') ?? 'identity', coding);
              assert.ok(answer.text.includes('Words of a brief. '.repeat(99)));
              // This proxy compares conditions only with its own cache.
              if (staleMs === 0) continue;
              const tag = `${answer.headers.get('etag')}`;
              const headers = { ...form, 'accept-encoding': coding, 'if-none-match': tag };
              assert.equal((await get(url, headers)).status, 304);
            }
          }
          await aged();
        }
      });

      it('headers that caches ignore change nothing', async () => {
        await ada.post('/user/briefs', { content: '# Keyed', name: 'keyed' });
        const url = `${proxy.webUrl}/ada/keyed`;
        const EVIL = 'evil.example';
        await get(url, {
          ...BROWSER,
          'x-forwarded-host': EVIL,
          'x-forwarded-proto': EVIL,
          'x-forwarded-prefix': `//${EVIL}`,
          forwarded: `host=${EVIL}`,
          'x-original-url': '/ada/other',
          'x-rewrite-url': '/ada/other',
          'x-http-method-override': 'DELETE',
          'x-host': EVIL,
        });
        const clean = await get(url, BROWSER);
        assert.equal(clean.status, 200);
        assert.match(clean.text, /Keyed/);
        assert.ok(!clean.text.includes(EVIL));
      });

      // Nothing can protect responses marked private from a cache that ignores the mark.
      if (staleMs > 0) return;

      it('a person’s own responses are never cached for others', async () => {
        const grace = await service.user('grace');
        const as = ({ token }: Client) => ({ authorization: `Bearer ${token}` });
        const url = `${proxy.webUrl}/api/user`;
        for (const who of [ada, grace, ada]) {
          assert.equal((await get(url, as(who))).json.data.username, who.username);
        }
        assert.equal((await get(url)).status, 401);
        await ada.post('/user/pages', { html: '<p>own', name: 'own', visibility: 'private' });
        const signed = (await ada.get('/pages/ada/own/render-url')).data.url;
        const { pathname, search } = new URL(signed);
        assert.equal((await get(proxy.renderUrl + pathname + search)).text, '<p>own');
        await ada.delete('/pages/ada/own');
        assert.equal((await get(proxy.renderUrl + pathname + search)).status, 404);
      });
    });
  }
});
