import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { GIF, JPEG, PDF, PNG, uploadForm, WEBP } from '../../../test/files/samples.ts';
import { assertError, type Client, readAnswer, startService } from '../../../test/harness.ts';
import { namedBlobs, storedBlobs, storedBytes } from '../../../test/state.ts';

const FIELDS = ['id', 'name', 'url', 'contentType', 'sizeBytes', 'createdAt'];

/** File names as sent by clients, and as stored. */
const NAMES: Record<string, string> = {
  'orbit.txt': 'orbit.txt',
  'with spaces  and (brackets)!.txt': 'with spaces  and (brackets)!.txt',
  'größe 東京 👩‍🚀.txt': 'größe 東京 👩‍🚀.txt',
  'cafe\u{301}.txt': 'café.txt',
  '../../etc/passwd': 'passwd',
  '/etc/passwd': 'passwd',
  'C:\\Users\\ada\\a.txt': 'a.txt',
  '..': 'file',
  '.': 'file',
  ' ': 'file',
  'a/b/': 'file',
  '%2e%2e%2fa.txt': '%2e%2e%2fa.txt',
  "it's*(a)~!.txt": "it's*(a)~!.txt",
  '<script>alert(1)': '<script>alert(1)',
  "a;b,c=d&e#f?g:'h": "a;b,c=d&e#f?g:'h",
  '-rf': '-rf',
  [`${'x'.repeat(251)}.txt`]: `${'x'.repeat(251)}.txt`,
};

const BAD_NAMES: Record<string, string> = {
  'too long': `${'x'.repeat(252)}.txt`,
  'far too long': 'x'.repeat(5_000),
  'a tab': 'a\tb.txt',
  'an escape': 'a\u{1b}[31m.txt',
  'a C1 control': 'a\u{85}b.txt',
  'an override of direction': 'a\u{202E}gpj.txt',
};

describe('Files', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const grace = await service.user('grace');

  const upload = (client: Client, bytes: Uint8Array | string, name = 'x', type?: string) =>
    client.request('/user/files', {
      method: 'POST',
      ...uploadForm({ bytes, name, ...(type !== undefined && { type }) }),
    });

  it('POST: 201 with the fields, and unchanged bytes on the disk', async () => {
    const { status, data } = await upload(ada, PNG, 'orbit.png', 'image/png');
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(data), FIELDS);
    assert.deepEqual(
      [data.name, data.contentType, data.sizeBytes],
      ['orbit.png', 'image/png', PNG.length],
    );
    assert.match(data.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [key = '', ...more] = await storedBlobs(service.app.context);
    assert.deepEqual(more, []);
    assert.deepEqual(await storedBytes(service.app.context, key), PNG);
    await ada.delete(`/user/files/${data.id}`);
  });

  it('GET: your own files, newest first, on result pages', async () => {
    assert.deepEqual((await grace.get('/user/files')).data, []);
    assert.equal((await grace.get('/user/files')).headers.get('link'), null);
    for (let count = 0; count < 5; count++) await upload(grace, 'x', `${count}.txt`);
    await upload(ada, 'x', 'not-hers.txt');
    const names = async (query: string): Promise<string[]> =>
      (await grace.get(`/user/files${query}`)).data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(''), ['4.txt', '3.txt', '2.txt', '1.txt', '0.txt']);
    assert.deepEqual(await names('?per_page=2'), ['4.txt', '3.txt']);
    assert.deepEqual(await names('?per_page=2&page=3'), ['0.txt']);
    assert.deepEqual(await names('?per_page=2&page=4'), []);
    const { headers, data } = await grace.get('/user/files?per_page=2&page=2');
    for (const rel of ['first', 'prev', 'next', 'last']) {
      assert.match(headers.get('link') ?? '', new RegExp(`rel="${rel}"`));
    }
    for (const entry of data) assert.deepEqual(Object.keys(entry), FIELDS);
    for (const query of ['?per_page=0', '?per_page=101', '?page=0', '?page=x']) {
      assertError(await grace.get(`/user/files${query}`), 400, 'BAD_REQUEST');
    }
  });

  it('DELETE: 204 once, then 404; gone from the list, the address and the disk', async () => {
    const before = await storedBlobs(service.app.context);
    const { data } = await upload(ada, GIF, 'a.gif');
    const { headers } = await fetch(data.url);
    assert.equal((await ada.delete(`/user/files/${data.id}`)).status, 204);
    assertError(await ada.delete(`/user/files/${data.id}`), 404, 'NOT_FOUND', /id/);
    const etag = headers.get('etag') ?? '';
    for (const condition of [{}, { 'if-none-match': etag }, { range: 'bytes=0-1' }]) {
      assert.equal((await fetch(data.url, { headers: condition })).status, 404);
    }
    const { data: list } = await ada.get('/user/files');
    assert.ok(!list.some(({ id }: { id: string }) => id === data.id));
    assert.deepEqual(await storedBlobs(service.app.context), before);
  });

  it('another user’s file: 404 as if it didn’t exist, and it stays', async () => {
    const { data } = await upload(ada, 'mine', 'a.txt');
    const theirs = await grace.delete(`/user/files/${data.id}`);
    const nobodys = await grace.delete('/user/files/019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f');
    assertError(theirs, 404, 'NOT_FOUND');
    assert.equal(theirs.text, nobodys.text);
    for (const id of ['x', '%00', data.url.split('/').at(-2), data.id.toUpperCase()]) {
      assertError(await grace.delete(`/user/files/${encodeURIComponent(id)}`), 404, 'NOT_FOUND');
    }
    assert.equal(await (await fetch(data.url)).text(), 'mine');
  });

  it('are served to anyone in a sandbox, with type and disposition', async () => {
    const kinds: [Uint8Array | string, string, string, string][] = [
      [JPEG, 'a.jpg', 'image/jpeg', 'inline'],
      [PNG, 'a.png', 'image/png', 'inline'],
      [GIF, 'a.gif', 'image/gif', 'inline'],
      [WEBP, 'a.webp', 'image/webp', 'inline'],
      [PDF, 'a.pdf', 'application/pdf', 'attachment'],
      ['text', 'a.txt', 'text/plain; charset=utf-8', 'inline'],
      ['# md', 'a.md', 'text/markdown; charset=utf-8', 'inline'],
    ];
    for (const [bytes, name, type, disposition] of kinds) {
      const { data } = await upload(ada, bytes, name);
      const { status, headers } = await readAnswer(await fetch(data.url));
      assert.equal(status, 200);
      const expected = {
        'content-type': type,
        'content-disposition': `${disposition}; filename*=UTF-8''${name}`,
        'x-content-type-options': 'nosniff',
        'content-security-policy':
          "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'content-length': String(Buffer.byteLength(bytes as string)),
      };
      for (const [header, value] of Object.entries(expected)) {
        assert.equal(headers.get(header), value, `${name}: ${header}`);
      }
      assert.equal(headers.get('set-cookie'), null);
      const head = await fetch(data.url, { method: 'HEAD' });
      assert.equal(head.headers.get('content-length'), expected['content-length']);
      assert.equal((await head.text()).length, 0);
      const etag = headers.get('etag') ?? '';
      const again = await fetch(data.url, { headers: { 'if-none-match': etag } });
      assert.deepEqual([again.status, await again.text()], [304, '']);
    }
  });

  it('have addresses on the render host that can’t be guessed', async () => {
    const addresses = new Set<string>();
    for (let count = 0; count < 20; count++) {
      const { data } = await upload(ada, 'same', 'same.txt');
      const [, address = ''] =
        /^\/files\/([\w-]{27,})\/same\.txt$/.exec(data.url.slice(service.renderUrl.length)) ?? [];
      assert.ok(data.url.startsWith(service.renderUrl) && address, data.url);
      assert.ok(!data.url.includes(data.id) && !data.url.includes(ada.username));
      addresses.add(address);
    }
    assert.equal(addresses.size, 20);
    const firsts = new Set(Array.from(addresses, (address) => address.slice(0, 4)));
    assert.ok(firsts.size > 15, 'random from the beginning');
  });

  it('treat hostile names as plain names', async () => {
    for (const [sent, kept] of Object.entries(NAMES)) {
      const answer = await upload(ada, 'x', sent.replaceAll('\\', '\\\\'));
      assert.equal(answer.status, 201, `${sent}: ${answer.text}`);
      assert.equal(answer.data.name, kept);
      const served = await fetch(answer.data.url);
      assert.equal(served.status, 200, answer.data.url);
      const disposition = served.headers.get('content-disposition') ?? '';
      assert.match(disposition, /^inline; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/);
      assert.equal(decodeURIComponent(disposition.split("''")[1] ?? ''), kept);
    }
    const quoted = await upload(ada, 'x', 'say \\"hi\\".txt');
    assert.equal(quoted.status, 201, quoted.text);
    assert.match(quoted.data.name, /hi/);
    assert.equal((await fetch(quoted.data.url)).status, 200);
    assert.ok(
      (await storedBlobs(service.app.context)).every((key) => /^files\/[\w-]+\/[\w-]+$/.test(key)),
    );
  });

  it('with an invalid name: 400, and nothing is stored', async () => {
    const before = await storedBlobs(service.app.context);
    for (const [what, name] of Object.entries(BAD_NAMES)) {
      const answer = await upload(ada, 'x', name);
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      assertError(answer, 400, 'BAD_REQUEST');
    }
    const split = await upload(ada, 'x', 'a\r\nX-Injected: 1\r\n\r\nb.txt');
    assert.ok([201, 400].includes(split.status), split.text);
    if (split.status === 201) {
      const served = await fetch(split.data.url);
      assert.equal(served.headers.get('x-injected'), null);
      await ada.delete(`/user/files/${split.data.id}`);
    }
    assert.deepEqual(await storedBlobs(service.app.context), before);
    assert.deepEqual(await namedBlobs(service.app.context), before);
  });
});
