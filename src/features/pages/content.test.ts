import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertError, startService } from '../../../test/harness.ts';
import { storedBlobs, storedBytes } from '../../../test/state.ts';

const MB = 1024 * 1024;

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

describe('Page content', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

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
});
