import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { clientMissing } from '../../../test/web/built-client.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('Unreadable documents look like missing ones', { skip: clientMissing }, () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    await ada.post('/user/briefs', { content: '# S3cret', name: 'private', visibility: 'private' });
    for (const visibility of ['private', 'internal']) {
      await ada.post('/orgs/engines/briefs', { content: '# S3cret', name: visibility, visibility });
    }
    // A document that was public, and read, before.
    await ada.post('/user/briefs', { content: '# S3cret', name: 'once-public' });
    for (const accept of [BROWSER, '*/*']) await get('/ada/once-public', { accept });
    await ada.patch('/briefs/ada/once-public', { visibility: 'private' });
  });
  after(() => service.stop());

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    return readAnswer(await fetch(service.webUrl + path, { headers, method, redirect: 'manual' }));
  }

  const paths = [
    '/ada/private',
    '/ada/once-public',
    '/engines/private',
    '/engines/internal',
    '/engines/missing',
    '/ada/missing',
    '/nobody/missing',
    '/a--b/missing',
    '/ada/%00',
    '/ada/%F0%9F%98%80',
    `/ada/${'x'.repeat(101)}`,
  ];

  /** A response without the parts that always differ. */
  function comparable({ status, headers, text }: Answer) {
    const fields = Object.fromEntries(headers);
    for (const own of ['x-request-id', 'date']) {
      assert.ok(fields[own]);
      delete fields[own];
    }
    return { status, fields, text };
  }

  for (const [form, ask] of Object.entries<{ suffix: string; headers: Record<string, string> }>({
    'a page': { suffix: '', headers: { accept: BROWSER } },
    Markdown: { suffix: '', headers: { accept: '*/*' } },
    '.md': { suffix: '.md', headers: {} },
    '.md in a browser': { suffix: '.md', headers: { accept: BROWSER } },
    'format=md': { suffix: '?format=md', headers: { accept: BROWSER } },
    'a condition': { suffix: '', headers: { 'if-none-match': '*' } },
  })) {
    it(`requested as ${form}: the same 404, in body and headers`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const answers = await Promise.all(
          paths.map((path) => get(path + ask.suffix, ask.headers, method)),
        );
        const [first, ...others] = answers.map(comparable);
        assert.equal(first?.status, 404);
        assert.equal(first?.fields.vary, 'Accept');
        assert.equal(first?.fields['cache-control'], 'no-store');
        assert.equal(first?.fields.etag, undefined);
        assert.equal(first?.fields['last-modified'], undefined);
        // The message is the same for everything that isn't public.
        const told = first?.text.replaceAll('It’s private or doesn’t exist.', '');
        assert.doesNotMatch(told ?? '', /S3cret|private|internal|ada|engines/);
        for (const other of others) assert.deepEqual(other, first);
      }
    });
  }

  it('a token or cookie makes no difference on public addresses', async () => {
    const headers = { authorization: `Bearer ${ada.token}`, cookie: `token=${ada.token}` };
    for (const path of ['/ada/private', '/engines/internal']) {
      assert.equal((await get(path, headers)).status, 404);
      assert.equal((await get(path, { ...headers, accept: BROWSER })).status, 404);
    }
  });

  it('people get a screen, programs the error format', async () => {
    const page = await get('/ada/private', { accept: BROWSER });
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.text, /^<!doctype html>/);
    assertError(await get('/ada/private'), 404, 'NOT_FOUND');
  });

  it('profiles show, count and list only public documents', async () => {
    const { text } = await get('/ada');
    assert.match(text, /has no public documents yet/);
    assert.doesNotMatch(text, /once-public|private/);
    await ada.post('/orgs/engines/briefs', { content: '# x', name: 'open' });
    const organization = await get('/engines');
    assert.match(organization.text, /1 public document/);
    assert.match(organization.text, /\/engines\/open"/);
    assert.doesNotMatch(organization.text, /\/engines\/(private|internal)"/);
  });
});

describe('Hostile names and contents', { skip: clientMissing }, () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  const HOSTILE = `"><img src=x onerror=alert(1)></title><script>alert(1)</script>'&lt;\${x}`;

  async function page(path: string): Promise<string> {
    const response = await fetch(service.webUrl + path, { headers: { accept: BROWSER } });
    return response.text();
  }

  /**
   * Parsed as by a browser, there is no script except the service's own, no handler, and no other
   * title.
   */
  function assertHarmless(html: string): void {
    const elements = elementsOf(parse(html));
    for (const { tagName, attrs } of elements) {
      for (const { name, value } of attrs) {
        assert.doesNotMatch(name, /^on/i);
        assert.doesNotMatch(value, /^\s*javascript:/i);
      }
      if (tagName !== 'script') continue;
      assert.match(attrs.find(({ name }) => name === 'src')?.value ?? '', /^\/assets\//);
    }
    assert.equal(elements.filter(({ tagName }) => tagName === 'title').length, 1);
  }

  function elementsOf(node: DefaultTreeAdapterTypes.Node): DefaultTreeAdapterTypes.Element[] {
    const children = 'childNodes' in node ? node.childNodes.flatMap(elementsOf) : [];
    return 'tagName' in node ? [node, ...children] : children;
  }

  it('a title, a description and headings are escaped', async () => {
    const content = `# ${HOSTILE}\n\n${HOSTILE}\n\n## ${HOSTILE}\n\n## ${HOSTILE}\n\n## \`${HOSTILE}\`\n`;
    await ada.post('/user/briefs', { content, name: 'hostile' });
    const html = await page('/ada/hostile');
    assert.match(html, /alert\(1\)/);
    assertHarmless(html);
  });

  it('an organization’s display name is escaped', async () => {
    const made = await ada.post('/user/orgs', { namespace: 'evil', name: HOSTILE });
    assert.equal(made.status, 201);
    const html = await page('/evil');
    assert.match(html, /alert\(1\)/);
    assertHarmless(html);
  });

  it('names contain only letters, so that addresses stay valid', async () => {
    for (const name of [
      HOSTILE,
      'a"b',
      '<b>',
      'a/b',
      'a?b',
      'a#b',
      'a%41',
      'a\\b',
      'javascript:x',
    ]) {
      assertError(
        await ada.post('/user/briefs', { content: 'x', name }),
        400,
        'BAD_REQUEST',
        /^name: /,
      );
    }
  });

  it('error pages don’t repeat addresses', async () => {
    for (const path of [
      `/ada/${encodeURIComponent(HOSTILE)}`,
      '/%3Cscript%3Ealert(1)%3C/x%zz',
      `/nobody?x=${HOSTILE}`,
    ]) {
      const html = await page(path);
      assert.match(html, /^<!doctype html>/);
      assertHarmless(html);
    }
  });
});
