import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { packAll } from '../document/pack-all.ts';
import { type Answer, assertError, type Client, type Service, startService } from '../harness.ts';
import { storedBlobs, storedBytes } from '../state.ts';

const MB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Contents that must come back byte for byte. */
const KEPT: Record<string, string> = {
  'nothing at all': '',
  'one character': 'x',
  'a byte order mark': '\u{FEFF}<p>marked</p>',
  'two byte order marks': '\u{FEFF}\u{FEFF}',
  'every kind of line end': 'a\r\nb\nc\rd\u{2028}e\u{85}f',
  'control characters other than NUL': '\u{1}\u{8}\u{b}\u{1b}\u{7f}\u{9f}',
  'four-byte and combining characters': '👩‍👩‍👧 e\u{301} \u{10FFFF} \u{FFFE}\u{FFFF}',
  'a charset that it does not have': '<meta charset="utf-16"><p>ü</p>',
  'a replacement character': '<p>\u{FFFD}</p>',
  'what a template engine would see': '{{x}} <%= z %> $& $1',
};

describe('Page content', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  const send = (body: string | Buffer<ArrayBuffer>, headers = JSON_TYPE): Promise<Answer> =>
    ada.request('/user/pages', { method: 'POST', body, headers });

  for (const [what, html] of Object.entries(KEPT)) {
    it(`${what} comes back as it was, from the API and the render host`, async () => {
      const created = await ada.post('/user/pages', { html, name: 'kept' });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.data.sizeBytes, Buffer.byteLength(html));
      const read = await ada.get('/pages/ada/kept');
      assert.equal(read.data.html, html);
      assert.equal(read.data.sizeBytes, Buffer.byteLength(html));
      const raw = await fetch(created.data.renderUrl);
      assert.deepEqual(Buffer.from(await raw.arrayBuffer()), Buffer.from(html));
      assert.deepEqual(
        await storedBytes(service.app.context, created.data.storagePath),
        Buffer.from(html),
      );
      const updated = await ada.patch('/pages/ada/kept', { html: `${html}+` });
      assert.equal(updated.data.html, `${html}+`);
      await ada.delete('/pages/ada/kept');
    });
  }

  it('of exactly 5 MB can be created, updated and read', async () => {
    const html = `<title>Five</title>${'é'.repeat((5 * MB) / 2)}`.slice(0, (5 * MB + 19) / 2);
    const exact = html + 'x'.repeat(5 * MB - Buffer.byteLength(html));
    const created = await ada.post('/user/pages', { html: exact });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.data.sizeBytes, 5 * MB);
    assert.equal(created.data.name, 'five');
    assert.ok((await ada.get('/pages/ada/five')).data.html === exact);
    const raw = await fetch(created.data.renderUrl);
    assert.equal(raw.headers.get('content-length'), String(5 * MB));
    assert.ok((await raw.text()) === exact);
    assert.equal((await ada.patch('/pages/ada/five', { html: exact })).status, 200);
  });

  it('one byte over 5 MB: 413 CONTENT_TOO_LARGE, and nothing is stored', async () => {
    // Old texts that are packed in the meantime would leave the blob store.
    await packAll(service.app.context);
    const before = await storedBlobs(service.app.context);
    for (const html of ['x'.repeat(5 * MB + 1), `${'é'.repeat((5 * MB) / 2)}x`]) {
      assertError(await ada.post('/user/pages', { html }), 413, 'CONTENT_TOO_LARGE', /html/);
      const update = await ada.patch('/pages/ada/five', { html });
      assertError(update, 413, 'CONTENT_TOO_LARGE', /html/);
    }
    assert.deepEqual(await storedBlobs(service.app.context), before);
    assert.equal((await ada.get('/pages/ada/five')).data.sizeBytes, 5 * MB);
  });

  it('a body of exactly 6 MB is read; one byte more: 413 PAYLOAD_TOO_LARGE', async () => {
    const body = JSON.stringify({ html: '<p>padded</p>', name: 'padded' });
    assert.equal((await send(body + ' '.repeat(6 * MB - body.length))).status, 201);
    assertError(await send(body + ' '.repeat(6 * MB - body.length + 1)), 413, 'PAYLOAD_TOO_LARGE');
    const patch = (size: number) =>
      ada.request('/pages/ada/padded', {
        method: 'PATCH',
        body: body + ' '.repeat(size - body.length),
        headers: JSON_TYPE,
      });
    assert.equal((await patch(6 * MB)).status, 200);
    assertError(await patch(6 * MB + 1), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('without Content-Length has the same limits', async () => {
    const chunked = (size: number) => {
      const body = JSON.stringify({ html: '<p>x</p>', name: `chunked-${size}` });
      const stream = new Blob([body, ' '.repeat(size - body.length)]).stream();
      return ada.request('/user/pages', {
        method: 'POST',
        body: stream,
        duplex: 'half',
        headers: JSON_TYPE,
      } as RequestInit);
    };
    assert.equal((await chunked(6 * MB)).status, 201);
    assertError(await chunked(6 * MB + 1), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('without access: 404 before any size error', async () => {
    await ada.post('/user/pages', { html: 'x', name: 'hidden', visibility: 'private' });
    const eve = await service.user('eve');
    for (const html of ['x', 'x'.repeat(5 * MB + 1), 'x'.repeat(6 * MB)]) {
      assertError(await eve.patch('/pages/ada/hidden', { html }), 404, 'NOT_FOUND');
    }
  });

  it('that isn’t text: 400', async () => {
    const quoted = (bytes: Buffer<ArrayBuffer>) =>
      Buffer.concat([Buffer.from('{"name":"bad","html":"'), bytes, Buffer.from('"}')]);
    const text = JSON.stringify({ name: 'bad', html: '<p>x</p>' });
    const bad: Record<string, Buffer<ArrayBuffer>> = {
      NUL: Buffer.from('{"name":"bad","html":"a\\u0000b"}'),
      'a raw NUL': quoted(Buffer.from([0])),
      'half a surrogate pair': Buffer.from('{"name":"bad","html":"\\ud800"}'),
      'the other half': Buffer.from('{"name":"bad","html":"x\\udc00x"}'),
      'a pair the wrong way round': Buffer.from('{"name":"bad","html":"\\udc00\\ud800"}'),
      'an encoded surrogate': quoted(Buffer.from([0xed, 0xa0, 0x80])),
      'an overlong form': quoted(Buffer.from([0xc0, 0xbc])),
      'a cut character': quoted(Buffer.from([0xe2, 0x82])),
      'Latin-1': quoted(Buffer.from([0xe9])),
      'UTF-16': Buffer.from(text, 'utf16le'),
      'UTF-16 with a mark': Buffer.from(`\u{FEFF}${text}`, 'utf16le'),
      'bytes of UTF-16 within': quoted(Buffer.from('<p>', 'utf16le')),
    };
    for (const [what, body] of Object.entries(bad)) {
      const answer = await send(body);
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      assertError(answer, 400, 'BAD_REQUEST', /html|body/);
    }
    assertError(await ada.get('/pages/ada/bad'), 404, 'NOT_FOUND');
  });

  it('of a wrong type, missing or with unknown fields: 400', async () => {
    const bad = [
      {},
      { name: 'x' },
      ...[null, 1, true, ['x'], { a: 1 }].map((html) => ({ html })),
      { html: 'x', storagePath: 'pages/00/x.html' },
      { html: 'x', sizeBytes: 1 },
      { html: 'x', visibility: 'secret' },
      { html: 'x', visibility: 'internal' },
      { html: 'x', name: 'a/b' },
      { html: 'x', name: '' },
    ];
    for (const body of bad) assertError(await ada.post('/user/pages', body), 400, 'BAD_REQUEST');
    const html = JSON.stringify({ html: 'x' });
    assertError(await send(html, { 'content-type': 'text/plain' }), 400, 'BAD_REQUEST');
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    assertError(await send(html, form), 400, 'BAD_REQUEST');
  });
});
