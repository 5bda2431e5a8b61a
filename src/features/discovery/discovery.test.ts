import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { clientMissing } from '../../../test/web/built-client.ts';
import { listSitemapParts, readSitemapPart } from './sitemap-service.ts';
import { parseXml, type XmlElement } from './xml.testing.ts';

const html = { accept: 'text/html' };
const TITLE = 'Plans & "more" <b>';

describe('Public documents for other sites', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  await ada.post('/user/briefs', { content: '# Plans', name: 'plans' });
  const page = `<title>Plans &amp; "more" &lt;b>\u0007</title><p>x`;
  await ada.post('/users/ada/pages', { html: page, name: 'grün' });
  await ada.post('/user/briefs', { content: '# Hidden', name: 'hidden', visibility: 'private' });
  const hidden = { html: '<title>Hidden</title>', name: 'hidden', visibility: 'private' };
  await ada.post('/users/ada/pages', hidden);

  async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const url = path.startsWith('http') ? path : service.webUrl + path;
    return readAnswer(await fetch(url, { headers, redirect: 'manual' }));
  }

  async function xml(path: string): Promise<XmlElement> {
    const answer = await get(path);
    assert.equal(answer.status, 200, answer.text);
    return parseXml(answer.text);
  }

  const locations = (element: XmlElement) => element.all('loc').map(({ text }) => text);

  it('who runs it is in the footer, at sign-up, in titles and in security.txt, if set', async () => {
    assert.equal((await get('/.well-known/security.txt')).status, 404);
    const own = await startService({
      INSTANCE_NAME: 'Observatory',
      CONTACT: 'ada@example.com',
      TERMS_URL: 'https://example.com/terms',
    });
    const at = async (path: string) =>
      (await fetch(own.webUrl + path, { headers: { accept: 'text/html' } })).text();
    const page = await at('/sign-up');
    assert.match(page, /<title>Create account — Observatory<\/title>/);
    assert.match(page, /you accept the <a href="https:\/\/example\.com\/terms">terms<\/a>/);
    assert.match(page, /<footer.*href="mailto:ada@example\.com">Contact<\/a>/s);
    assert.match(
      await at('/.well-known/security.txt'),
      /^Contact: mailto:ada@example\.com\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\nCanonical: http/,
    );
    await own.stop();
  });

  it('robots.txt links to the site map, and keeps robots out of the app', async () => {
    const { text, headers } = await get('/robots.txt');
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(text, /^User-agent: \*\nDisallow: \/api\/\n/);
    assert.match(text, /^Disallow: \/settings\/$/m);
    assert.ok(text.includes(`\nSitemap: ${service.webUrl}/sitemap.xml\n`));
  });

  it('llms.txt has addresses that exist', async () => {
    const { text } = await get('/llms.txt');
    assert.match(text, /^# Briefs\n\n> /);
    for (const [, url] of text.matchAll(/\]\(([^)]+)\)/g)) {
      assert.notEqual((await get(url as string)).status, 404, `${url}`);
    }
  });

  it('llms.txt has requests that the API accepts, in a few KB', async () => {
    const { text } = await get('/llms.txt');
    assert.ok(Buffer.byteLength(text) < 5_000, `${Buffer.byteLength(text)} B`);
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    const requests = [...text.matchAll(/`([A-Z]+) ([^` ]+)`(?: `(\{.*\})`)?/g)];
    assert.ok(requests.length > 20);
    await ada.post('/user/briefs', { name: 'plan', content: '1', visibility: 'private' });
    for (const content of ['2', '3']) await ada.patch('/briefs/ada/plan', { content });
    for (const [, method = '', path = '', body] of requests) {
      const template = path.replace(/\?.*/, '').replace(/^D/, '/briefs/{owner}/{name}');
      const known = Object.keys(paths).find(
        (one) =>
          one.replaceAll(/\{\w+\}/g, '') === template.replace(/\d+/, '').replaceAll(/\{\w+\}/g, ''),
      );
      assert.ok(paths[known ?? '']?.[method.toLowerCase()], `${method} ${path}`);
      if (body === undefined) continue;
      const to = template
        .replace('{owner}/{name}', 'ada/plan')
        .replace('{thread}', crypto.randomUUID())
        .replace('{username}', 'nobody');
      const { status } = await ada.request(to, {
        method,
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.ok(status !== 400 && status < 500, `${method} ${path}: ${status}`);
    }
  });

  it('the site map lists exactly the public documents, in parts', async () => {
    const index = await xml('/sitemap.xml');
    assert.equal(index.name, 'sitemapindex');
    const [part, ...more] = locations(index);
    assert.deepEqual(more, []);
    const urls = await xml(part as string);
    assert.equal(urls.attributes.xmlns, 'http://www.sitemaps.org/schemas/sitemap/0.9');
    assert.deepEqual(locations(urls), [
      `${service.webUrl}/ada/plans`,
      `${service.webUrl}/ada/pages/gr%C3%BCn`,
    ]);
    assert.ok(urls.all('lastmod').every(({ text }) => text === new Date(text).toISOString()));
    for (const path of ['/sitemap/x.xml', '/sitemap', `/sitemap/${'0'.repeat(36)}.xml`]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  it('parts are contiguous, even while documents come and go', async () => {
    const grace = await service.user('grace');
    for (const name of ['a', 'b', 'c']) await grace.post('/user/briefs', { content: 'x', name });
    const { context } = service.app;
    const starts = await listSitemapParts(context, 2);
    assert.equal(starts.length, 3);
    await grace.delete('/briefs/grace/a');
    const names = new Set<string>();
    for (const start of starts) {
      for (const { name } of await readSitemapPart(context, start, 2)) names.add(name);
    }
    assert.deepEqual([...names], ['plans', 'grün', 'b', 'c']);
  });

  it('an Atom feed per owner: newest first, with ids that survive renames', async () => {
    const feed = await xml('/ada.atom');
    assert.equal(feed.name, 'feed');
    assert.equal(feed.attributes.xmlns, 'http://www.w3.org/2005/Atom');
    const [entry, older, ...more] = feed.all('entry');
    assert.ok(entry && older);
    assert.deepEqual(more, [], 'only what is public');
    // RFC 4287, sections 4.1.1 and 4.1.2.
    for (const element of [feed, entry, older]) {
      for (const name of ['id', 'title', 'updated']) {
        const own = element.children.filter((child) => child.name === name);
        assert.equal(own.length, 1, `${element.name} has one ${name}`);
      }
      assert.match(element.child('id').text, /^urn:uuid:[0-9a-f-]{36}$/);
    }
    assert.equal(entry.child('title').text, TITLE);
    assert.equal(feed.child('author').child('name').text, 'ada');
    assert.equal(older.child('author').child('name').text, 'ada');
    const links = older.children.filter(({ name }) => name === 'link');
    const byType = new Map(links.map(({ attributes }) => [attributes.type, attributes.href]));
    assert.equal(byType.get('text/html'), `${service.webUrl}/ada/plans`);
    assert.equal(byType.get('text/markdown'), `${service.webUrl}/ada/plans.md`);

    const { status, headers } = await get('/ADA.atom');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const again = { 'if-none-match': headers.get('etag') ?? '' };
    assert.equal((await get('/ada.atom', again)).status, 304);
    await ada.patch('/briefs/ada/plans', { name: 'new-plans' });
    const renamed = (await xml('/ada.atom')).all('entry')[1] as XmlElement;
    assert.equal(renamed.child('id').text, older.child('id').text);
    await ada.patch('/briefs/ada/new-plans', { name: 'plans' });
    assert.equal((await get('/nobody.atom')).status, 404);
  });

  it('pages link to their feed, image and description', async () => {
    for (const path of ['/ada/plans', '/ada/pages/gr%C3%BCn', '/ada']) {
      const { text } = await get(path, html);
      assert.match(text, /<link rel="alternate" type="application\/atom\+xml" href="\/ada\.atom"/);
      const [, image] = /property="og:image" content="([^"]+)"/.exec(text) ?? [];
      const png = Buffer.from(await (await fetch(image as string)).arrayBuffer());
      assert.equal(png.subarray(1, 4).toString(), 'PNG', path);
    }
    const { text } = await get('/ada/plans', html);
    const [, oembed] = /type="application\/json\+oembed" href="([^"]+)"/.exec(text) ?? [];
    const { json } = await get(oembed as string);
    assert.equal(json.version, '1.0');
    assert.equal(json.type, 'link');
    assert.equal(json.author_url, `${service.webUrl}/ada`);
  });

  it('oEmbed accepts every address of a public document, and former names', async () => {
    await ada.post('/user/briefs', { content: 'x', name: 'before' });
    await ada.patch('/briefs/ada/before', { name: 'after' });
    for (const path of ['/ada/after', '/ada/after.md', '/read/ada/after', '/ada/before']) {
      const { json } = await get(`/oembed.json?url=${encodeURIComponent(service.webUrl + path)}`);
      assert.equal(json.url, `${service.webUrl}/ada/after`, path);
    }
    assert.equal((await get('/oembed.json')).status, 400);
    assert.equal((await get('/oembed.json?url=a&url=b')).status, 400);
    assert.equal((await get('/oembed.json?url=x&format=xml')).status, 400);
    assert.equal((await get('/oembed.json?url=https://example.com/ada/after')).status, 404);
  });

  it('a private document has the same 404 as a missing one', async () => {
    const of = (name: string) => [
      `/oembed.json?url=${service.webUrl}/ada/${name}`,
      `/oembed.json?url=${service.webUrl}/ada/pages/${name}`,
    ];
    const missing = of('missing');
    for (const [index, path] of of('hidden').entries()) {
      const [answer, other] = [await get(path, html), await get(missing[index] as string, html)];
      assert.equal(answer.status, 404, path);
      assert.equal(answer.text, other.text);
      const headersOf = ({ headers }: Answer) =>
        [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
      assert.deepEqual(headersOf(answer), headersOf(other));
    }
    const frame = await get('/ada/pages/hidden', html);
    assert.ok(!frame.text.includes('og:'));
  });

  it('making a document private removes its entry at once', async () => {
    await ada.post('/user/briefs', { content: 'x', name: 'brief-life' });
    assert.ok((await get('/ada.atom')).text.includes('brief-life'));
    await ada.patch('/briefs/ada/brief-life', { visibility: 'private' });
    assert.ok(!(await get('/ada.atom')).text.includes('brief-life'));
  });

  it('no user or organization can take one of these addresses', async () => {
    for (const namespace of ['robots.txt', 'sitemap.xml', 'llms.txt', 'ada.atom', 'oembed.json']) {
      const answer = await ada.post('/user/orgs', { namespace, name: 'x' });
      assert.equal(answer.status, 400, namespace);
    }
    for (const namespace of ['sitemap', 'images']) {
      const answer = await ada.post('/user/orgs', { namespace, name: 'x' });
      assert.equal(answer.status, 422, namespace);
    }
  });
});
