import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { message, post } from '../../../test/mcp/agent.ts';
import { clientMissing } from '../../../test/web/built-client.ts';

const CODINGS = ['zstd', 'br', 'gzip'];

/** `Accept-Encoding` headers and the resulting encodings. */
const NEGOTIATED: [accepted: string, coding: string | null][] = [
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip;q=1.0, br;q=0.9, zstd;q=0.8', 'gzip'],
  ['GZIP;Q=0.5,BR;Q=0.6', 'br'],
  ['gzip;q=0.001', 'gzip'],
  ['*', 'zstd'],
  ['zstd;q=0, *', 'br'],
  ['zstd;q=0, br;q=0, *;q=0.1', 'gzip'],
  ['*;q=0.5, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.6', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0, br', 'br'],
  ['identity;q=0.6, gzip;q=0.5', null],
  ['identity', null],
  ['gzip;q=0', null],
  ['*;q=0', null],
  ['zstd;q=0, br;q=0, gzip;q=0, *', null],
  ['deflate, compress, x', null],
  ['gzip;q=2', null],
  ['', null],
  [';;,=', null],
];

const LONG = `# Long\n\n${'Words about telescopes, and more of them. '.repeat(50)}\n`;

describe('Compressed responses', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const names = ['long', 'short', 'other', 'yet-another', 'and-another', 'and-one-more'];
  for (const name of names) {
    const content = name === 'long' ? LONG : '# Short';
    const answer = await ada.post('/user/briefs', { name, content });
    assert.equal(answer.status, 201, answer.text);
  }

  /** Bodies are decoded; `content-length` is that of the sent bytes. */
  async function get(url: string, accepted: string, more: RequestInit = {}): Promise<Answer> {
    const headers = { accept: 'text/html', 'accept-encoding': accepted, ...more.headers };
    return readAnswer(await fetch(new URL(url, service.webUrl), { ...more, headers }));
  }

  const codingOf = ({ headers }: Answer) => headers.get('content-encoding');
  const varyOf = ({ headers }: Answer) => headers.get('vary')?.split(', ').sort() ?? [];

  for (const [accepted, coding] of NEGOTIATED) {
    it(`Accept-Encoding: ${accepted} gets ${coding ?? 'uncompressed text'}`, async () => {
      const plain = await get('/reference', 'identity');
      const answer = await get('/reference', accepted);
      assert.equal(answer.status, 200);
      assert.equal(codingOf(answer), coding);
      assert.ok(varyOf(answer).includes('Accept-Encoding'));
      assert.equal(answer.text, plain.text);
      const [sent, whole] = [answer, plain].map((one) => Number(one.headers.get('content-length')));
      assert.equal(whole, Buffer.byteLength(plain.text));
      if (coding) assert.ok(sent && whole && sent < whole / 8, `${sent} of ${whole} bytes`);
    });
  }

  it('pages, Markdown, lists and the OpenAPI document are compressed', async () => {
    const authorization = `Bearer ${ada.token}`;
    for (const [path, headers] of [
      ['/', {}],
      ['/ada', {}],
      ['/ada/long', {}],
      ['/ada/long.md', {}],
      ['/sign-in', {}],
      ['/api/user/briefs', { authorization }],
      ['/api/openapi.json', {}],
    ] as const) {
      const plain = await get(path, 'identity', { headers });
      assert.ok(plain.text.length >= 1024, `${path} has ${plain.text.length} characters`);
      for (const coding of CODINGS) {
        const answer = await get(path, coding, { headers });
        assert.equal(codingOf(answer), coding, path);
        assert.equal(answer.text, plain.text, path);
        assert.deepEqual(varyOf(answer), varyOf(plain), path);
      }
    }
    const list = await get('/api/user/briefs', 'gzip', { headers: { authorization } });
    assert.deepEqual(varyOf(list), ['Accept-Encoding', 'Authorization']);
    const page = ['Accept', 'Accept-Encoding', 'Cookie'];
    assert.deepEqual(varyOf(await get('/ada/long', 'gzip')), page);
  });

  it('HEAD has the headers of GET', async () => {
    for (const path of ['/reference', '/ada/long', '/ada/long.md', '/api/openapi.json']) {
      for (const accepted of [...CODINGS, 'identity']) {
        const whole = await get(path, accepted);
        const head = await get(path, accepted, { method: 'HEAD' });
        assert.equal(head.text, '');
        for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
          assert.equal(head.headers.get(name), whole.headers.get(name), `${path}: ${name}`);
        }
      }
    }
  });

  for (const path of ['/ada/long', '/ada/long.md']) {
    it(`${path}: each encoding has its own strong tag, which 304 repeats`, async () => {
      const forms = [...CODINGS, 'identity'];
      const tags = await Promise.all(
        forms.map(async (accepted) => (await get(path, accepted)).headers.get('etag') ?? ''),
      );
      assert.equal(new Set(tags).size, forms.length);
      for (const [at, accepted] of forms.entries()) {
        for (const [other, tag] of tags.entries()) {
          assert.match(tag, /^"[^"]+"$/);
          const answer = await get(path, accepted, { headers: { 'if-none-match': tag } });
          assert.equal(answer.status, at === other ? 304 : 200, `${accepted} with ${tag}`);
          assert.equal(answer.headers.get('etag'), tags[at]);
          const page = path.endsWith('.md') ? [] : ['Cookie'];
          assert.deepEqual(varyOf(answer), ['Accept', 'Accept-Encoding', ...page]);
          if (answer.status === 304) assert.equal(codingOf(answer), null);
        }
      }
    });
  }

  it('an entity tag of the API stays the same and strong, for If-Match', async () => {
    const path = '/api/briefs/ada/long';
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
    const plain = await get(path, 'identity', { headers });
    const answer = await get(path, CODINGS.join(), { headers });
    const etag = answer.headers.get('etag') ?? '';
    assert.equal(answer.text, plain.text);
    assert.ok(answer.text.length > 1024);
    assert.equal(etag, plain.headers.get('etag'));
    assert.equal(codingOf(answer), null, 'another coding would need another tag');
    const again = await get(path, CODINGS.join(), {
      headers: { ...headers, 'if-none-match': etag },
    });
    assert.equal(again.status, 304);
    const change = { method: 'PATCH', body: JSON.stringify({ content: `${LONG}\nMore.` }) };
    const patch = (tag: string) =>
      get(path, CODINGS.join(), { ...change, headers: { ...headers, 'if-match': tag } });
    assert.equal((await patch(etag)).status, 200);
    assert.equal((await patch(etag)).status, 412);
  });

  it('short responses aren’t compressed, and don’t vary', async () => {
    for (const path of ['/ada/short.md', '/healthz']) {
      const answer = await get(path, 'gzip');
      assert.equal(answer.status, 200);
      assert.equal(codingOf(answer), null);
      assert.ok(!varyOf(answer).includes('Accept-Encoding'), path);
    }
  });

  it('errors aren’t compressed', async () => {
    const answer = await get('/ada/no-such-brief', 'gzip');
    assert.deepEqual([answer.status, codingOf(answer)], [404, null]);
    assert.deepEqual(varyOf(answer), ['Accept']);
    assert.ok(answer.text.length > 1024);
  });

  it('streams aren’t compressed: HTML pages, files, exports, tool results', async () => {
    const html = `<p>${'page '.repeat(1000)}`;
    await ada.post('/user/pages', { name: 'big', html });
    const page = await get(`${service.renderUrl}/ada/big`, 'gzip');
    assert.deepEqual([codingOf(page), page.text], [null, html]);
    const range = { headers: { range: 'bytes=0-3' } };
    const part = await get(`${service.renderUrl}/ada/big`, 'gzip', range);
    assert.deepEqual([part.status, codingOf(part), part.text], [206, null, '<p>p']);
    const form = new FormData();
    form.append('file', new Blob([html], { type: 'text/plain' }), 'big.txt');
    const uploaded = await ada.request('/user/files', { method: 'POST', body: form });
    assert.equal(uploaded.status, 201, uploaded.text);
    const file = await get(uploaded.data.url, 'gzip');
    assert.deepEqual([codingOf(file), file.text], [null, html]);
    const tools = await post(service, ada.token, message('tools/list'), {
      'accept-encoding': 'gzip',
    });
    assert.deepEqual([tools.status, codingOf(tools)], [200, null]);
    assert.ok(tools.text.length > 10_000);
  });

  it('scripts and styles are served as compressed at build time', async () => {
    const { text } = await get('/', 'gzip');
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
    const answer = await get(style, 'gzip');
    assert.equal(codingOf(answer), 'gzip');
    assert.equal((await get(style, 'identity')).text, answer.text);
  });
});
