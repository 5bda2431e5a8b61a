import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { GIF, JPEG, PDF, PNG, SVG, uploadForm, WEBP } from '../files/samples.ts';
import { assertError, startService } from '../harness.ts';
import { namedBlobs, storedBlobs } from '../state.ts';

const TYPES: [type: string, bytes: Buffer, name: string][] = [
  ['image/jpeg', JPEG, 'a.jpg'],
  ['image/png', PNG, 'a.png'],
  ['image/gif', GIF, 'a.gif'],
  ['image/webp', WEBP, 'a.webp'],
  ['application/pdf', PDF, 'a.pdf'],
  ['text/plain', Buffer.from('Plain text, ünïcode.\n'), 'a.txt'],
  ['text/markdown', Buffer.from('# Markdown\n'), 'a.md'],
];

/** Bytes of no allowed type, with any declared type. */
const REFUSED: Record<string, Buffer> = {
  'an XML document': Buffer.from('<?xml version="1.0"?><a xmlns="http://www.w3.org/1999/xhtml"/>'),
  'UTF-16 text': Buffer.from('\u{FEFF}Hello, UTF-16', 'utf16le'),
  'UTF-16 text without a mark': Buffer.from('Hello', 'utf16le'),
  'UTF-32 text': Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]),
  'Latin-1 text': Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
  'NUL in text': Buffer.from('text\0more'),
  'control characters in text': Buffer.from('a\u{8}\u{1}b'),
  'NUL after a long text': Buffer.from(`${'x'.repeat(200_000)}\0`),
  'bad UTF-8 at the very end': Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from([0xe2])]),
  'random bytes': Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 197 + 89) % 256)),
  'a ZIP archive': Buffer.from('PK\u{3}\u{4}\u{14}\0\0\0\0\0', 'latin1'),
  'a program': Buffer.from('\u{7f}ELF\u{2}\u{1}\u{1}\0', 'latin1'),
  'a Windows program': Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]),
  'a BMP picture': Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]),
  'a TIFF picture': Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 0, 0]),
  'an MP4 film': Buffer.from('\0\0\0\u{18}ftypmp42\0\0\0\0mp42isom', 'latin1'),
  gzip: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
};

const NO_CLAIM = 'application/octet-stream';

describe('Upload sniffing, SVG, polyglots', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

  const upload = (bytes: Uint8Array, type: string, name = 'x') =>
    ada.request('/user/files', { method: 'POST', ...uploadForm({ bytes, type, name }) });

  async function served(url: string) {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { type: response.headers.get('content-type'), response, bytes };
  }

  const unclaimed = [NO_CLAIM, 'binary/octet-stream', 'Application/Octet-Stream'];
  for (const [type, bytes, name] of TYPES) {
    it(`${type}: detected by its bytes, with or without its declared type, and served as that`, async () => {
      const claims = [type, type.toUpperCase(), `${type}; charset=utf-8`, ...unclaimed];
      for (const claim of claims) {
        const answer = await upload(bytes, claim, name);
        assert.equal(answer.status, 201, `${claim}: ${answer.text}`);
        const { data } = answer;
        assert.deepEqual(
          [data.contentType, data.sizeBytes, data.name],
          [type, bytes.length, name],
          claim,
        );
        const file = await served(data.url);
        assert.equal(file.type, type.startsWith('text/') ? `${type}; charset=utf-8` : type);
        assert.deepEqual(file.bytes, bytes);
        assert.equal(file.response.headers.get('x-content-type-options'), 'nosniff');
      }
    });

    it(`${type}: refused with another declared type`, async () => {
      const others = [...TYPES.map(([other]) => other), 'text/html', 'image/svg+xml', 'x/y'];
      for (const claim of others) {
        const bothText = claim.startsWith('text/') && type.startsWith('text/');
        if (claim === type || (bothText && claim !== 'text/html')) continue;
        assertError(
          await upload(bytes, claim, name),
          422,
          'UNPROCESSABLE',
          /^file: (\S+ isn’t supported\. Use |the content is .* but it was sent as )/,
        );
      }
    });
  }

  it('a part without a type is detected by its bytes, although RFC 7578 calls it text', async () => {
    assert.equal((await upload(Buffer.from('x'), '', 'a.md')).data.contentType, 'text/markdown');
    assert.equal((await upload(PNG, '', 'a')).data.contentType, 'image/png');
  });

  for (const words of ['BMI and weight', 'MAC addresses', 'FORM W-2', 'solid ground', '070707']) {
    it(`text that starts like another format is text: ${words}`, async () => {
      const text = Buffer.from(`${words} …\n`);
      for (const claim of [NO_CLAIM, 'text/plain']) {
        assert.equal((await upload(text, claim)).data.contentType, 'text/plain');
      }
      assertError(await upload(text, 'image/png'), 422, 'UNPROCESSABLE', /was sent as/);
      const torn = Buffer.concat([text, Buffer.from('x'.repeat(5_000)), Buffer.from([0])]);
      assertError(await upload(torn, NO_CLAIM), 422, 'UNPROCESSABLE', /must be UTF-8 text/);
    });
  }

  it('an extension that contradicts the bytes: 422, and nothing is stored', async () => {
    const stored = await storedBlobs(service.app.context);
    const errorPage = Buffer.from('<!doctype html><title>502 Bad Gateway</title>');
    for (const [bytes, type, refused] of [
      [errorPage, 'text/plain', ['x.png', 'x.PNG', 'x.tar.gz', 'x.pdf', 'x.html', 'x.htm']],
      [Buffer.from('# x'), 'text/markdown', ['x.jpg', 'x.svg', 'x.docx', 'x.mp4']],
      [SVG, 'text/plain', ['x.svg', 'x.png']],
      [PNG, 'image/png', ['x.html', 'x.js', 'x.svg', 'x.txt', 'x.md', 'x.jpg', 'x.ico', '.txt']],
      [PDF, 'application/pdf', ['x.txt', 'x.png', 'x.zip', 'x.html']],
      [JPEG, 'image/jpeg', ['x.png', 'x.webp']],
    ] as const) {
      for (const name of refused) {
        for (const claim of [NO_CLAIM, '', type]) {
          const answer = await upload(bytes, claim, name);
          assertError(
            answer,
            422,
            'UNPROCESSABLE',
            /^file: (the content is .* but the name ends in \.|\S+ isn’t supported\. Use )/,
          );
        }
      }
    }
    const { message } = (await upload(errorPage, NO_CLAIM, 'x.png')).json.error;
    assert.equal(message, 'file: the content is text/plain, but the name ends in .png.');
    assert.deepEqual(await storedBlobs(service.app.context), stored);
  });

  it('a matching or meaningless extension is accepted', async () => {
    for (const [bytes, type, accepted] of [
      [PNG, 'image/png', ['x.png', 'X.PNG', 'x.txt.png', 'png', 'x.', 'x.2024-05', 'x.unheard']],
      [JPEG, 'image/jpeg', ['x.jpg', 'x.jpeg', 'x.JPE', 'x.jfif']],
      [Buffer.from('a,b'), 'text/plain', ['x.txt', 'x.csv', 'x.js', 'x.py', 'README', 'x.conf']],
    ] as const) {
      for (const name of accepted) {
        const { status, data, text } = await upload(bytes, NO_CLAIM, name);
        assert.equal(status, 201, `${name}: ${text}`);
        assert.equal(data.contentType, type, name);
      }
    }
  });

  it('an extension or declared type distinguishes Markdown from plain text', async () => {
    const markdown = await upload(Buffer.from('x'), NO_CLAIM, 'A.MARKDOWN');
    assert.equal(markdown.data.contentType, 'text/markdown');
    const claimed = await upload(Buffer.from('x'), 'text/markdown', 'a.txt');
    assert.equal(claimed.data.contentType, 'text/markdown');
  });

  for (const [what, bytes] of Object.entries(REFUSED)) {
    it(`${what}: 422 with any declared type, and nothing is stored`, async () => {
      const before = await storedBlobs(service.app.context);
      const claims = [...unclaimed, ...TYPES.map(([type]) => type)];
      for (const claim of claims) {
        const answer = await upload(bytes, claim);
        assert.equal(answer.status, 422, `${claim}: ${answer.text}`);
        assertError(answer, 422, 'UNPROCESSABLE', /^file: /);
      }
      assert.deepEqual(await storedBlobs(service.app.context), before);
      assert.deepEqual(await namedBlobs(service.app.context), before);
    });
  }

  it('SVG and HTML: refused by name, and as text never more than text', async () => {
    const html = Buffer.from('<!doctype html><script>alert(1)</script>');
    for (const [bytes, claims] of [
      [SVG, ['image/svg+xml', 'text/html', 'application/xml', 'image/png']],
      [html, ['text/html', 'application/xhtml+xml', 'image/png', 'application/pdf']],
    ] as const) {
      for (const claim of claims) assertError(await upload(bytes, claim), 422, 'UNPROCESSABLE');
      for (const claim of ['text/plain', NO_CLAIM]) {
        const answer = await upload(bytes, claim, 'page');
        if (answer.status === 422) continue;
        assert.equal(answer.data.contentType, 'text/plain');
        const { type, response } = await served(answer.data.url);
        assert.equal(type, 'text/plain; charset=utf-8');
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox;/);
      }
    }
  });

  it('polyglots: one type, that of their first bytes, in a sandbox', async () => {
    const polyglots: [Buffer, string, string[]][] = [
      [Buffer.from('GIF89a/*\0\0*/=1;alert(1)', 'latin1'), 'image/gif', ['text/javascript']],
      [Buffer.concat([GIF, Buffer.from('<script>alert(1)</script>')]), 'image/gif', ['text/html']],
      [
        Buffer.concat([PDF, Buffer.from('<html><script>1</script>')]),
        'application/pdf',
        ['text/html'],
      ],
      [Buffer.concat([PNG, Buffer.from('PK\u{3}\u{4}')]), 'image/png', ['application/zip']],
      [Buffer.concat([JPEG, Buffer.from('<?php 1 ?>')]), 'image/jpeg', ['text/plain']],
    ];
    for (const [bytes, type, claims] of polyglots) {
      for (const claim of claims) assertError(await upload(bytes, claim), 422, 'UNPROCESSABLE');
      const answer = await upload(bytes, NO_CLAIM, 'a');
      assert.equal(answer.data?.contentType, type, answer.text);
      const file = await served(answer.data.url);
      assert.equal(file.type, type);
      assert.match(file.response.headers.get('content-security-policy') ?? '', /^sandbox;/);
    }
    const before = Buffer.concat([Buffer.from('<html>'), PDF]);
    const answer = await upload(before, NO_CLAIM);
    if (answer.status === 201) assert.equal(answer.data.contentType, 'text/plain');
    else assertError(answer, 422, 'UNPROCESSABLE');
  });

  it('an empty file: plain text or its declared text type, nothing else', async () => {
    const empty = Buffer.alloc(0);
    const { status, data } = await upload(empty, NO_CLAIM);
    assert.deepEqual([status, data.contentType, data.sizeBytes], [201, 'text/plain', 0]);
    assert.equal((await served(data.url)).bytes.length, 0);
    assert.equal((await upload(empty, 'text/markdown')).data.contentType, 'text/markdown');
    assertError(await upload(empty, 'image/png'), 422, 'UNPROCESSABLE');
  });
});
