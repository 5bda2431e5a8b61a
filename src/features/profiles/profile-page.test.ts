import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer } from '../../../test/harness.ts';
import {
  newVisitor,
  signUp,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { submit } from '../../../test/web-app/forms.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A PNG chunk; its checksum isn't checked. */
function chunk(type: string, data: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type + data, 'latin1'), Buffer.alloc(4)]);
}

/** An empty JPEG with the Exif data of a rotated photo. */
const JPEG = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.from('ffe100324578696600004d4d002a00000008000101120003000000010006000000000000', 'hex'),
  Buffer.from('52.5200 13.4050!', 'latin1'),
  Buffer.from('fffe000a61207365637265', 'hex').subarray(0, 10),
  Buffer.from('7400', 'hex').subarray(0, 2),
  Buffer.from('ffc0000b080001000101011100', 'hex'),
  Buffer.from('ffda0008010100003f00d2cf20ffd9', 'hex'),
]);

describe('Profiles of people and organizations', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await signUp(service, 'ada-lovelace');

  function send(visitor: Visitor, path: string, fields: Record<string, string | Buffer>) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'x.png');
    }
    return visitor.post(path, form);
  }

  const save = (fields: Record<string, string | Buffer>) => send(ada, '/settings/profile', fields);

  async function pictureOf(owner: string): Promise<{ response: Response; bytes: Buffer }> {
    const response = await fetch(`${service.webUrl}/images/${owner}/picture`);
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  const profileOf = async (owner: string): Promise<Answer> =>
    readAnswer(await fetch(`${service.webUrl}/${owner}`, { headers: { accept: 'text/html' } }));

  it('without a picture, one is drawn from the name, always the same', async () => {
    const [one, other] = [await pictureOf('ada-lovelace'), await pictureOf('ADA-lovelace')];
    assert.equal(one.response.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    assert.match(one.bytes.toString(), />AL<\/text>/);
    assert.deepEqual(one.bytes, other.bytes);
    assert.equal((await pictureOf('nobody-here')).response.status, 404);
  });

  it('a display name and a summary are on the public profile, as text', async () => {
    const fields = { displayName: ' Ada  <b>Lovelace</b> ', summary: 'Writes "notes".' };
    const made = await save(fields);
    assert.equal(made.status, 303, made.text);
    const { text } = await profileOf('ada-lovelace');
    assert.match(text, /<h1>Ada &lt;b>Lovelace&lt;\/b><\/h1>/);
    assert.match(text, /<p class="lead">Writes &quot;notes&quot;\.<\/p>/);
    assert.match(text, /<meta property="og:description" content="Writes &quot;notes&quot;\."/);
    assert.match((await ada.get('/settings')).text, /value="Writes &quot;notes&quot;\."/);
    const feed = await (await fetch(`${service.webUrl}/ada-lovelace.atom`)).text();
    assert.match(feed, /<title>Ada &lt;b&gt;Lovelace/);
    assert.equal((await save({ displayName: '', summary: '' })).status, 303);
    assert.match((await profileOf('ada-lovelace')).text, /<h1>ada-lovelace<\/h1>/);
  });

  it('a text that is too long or has bidirectional controls is refused and shown again', async () => {
    for (const [field, text] of [
      ['displayName', 'x'.repeat(101)],
      ['displayName', 'x\u202e'],
      ['summary', 'x'.repeat(301)],
    ] as const) {
      const answer = await save({ displayName: '', summary: 'kept', [field]: text });
      assert.equal(answer.status, 422);
      assert.match(answer.text, new RegExp(`id="${field}-fault"`));
    }
  });

  it('a picture is served by its detected type, with a strict policy', async () => {
    assert.equal((await save({ picture: PNG })).status, 303);
    const { response, bytes } = await pictureOf('ada-lovelace');
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /^default-src 'none'.*sandbox/,
    );
    assert.deepEqual(bytes, PNG);
    assert.equal((await save({ displayName: 'Ada' })).status, 303);
    assert.deepEqual((await pictureOf('ada-lovelace')).bytes, PNG, 'stays');
    assert.equal((await save({ remove: 'yes' })).status, 303);
    const after = await pictureOf('ada-lovelace');
    assert.equal(after.response.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  });

  it('a file that isn’t an image is refused, whatever its declared type', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    const large = Buffer.concat([PNG, Buffer.alloc(512 * 1024)]);
    for (const picture of [svg, Buffer.from('GIF89a\x01\0\x01\0'), Buffer.from('hello'), large]) {
      const answer = await save({ picture });
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, /id="picture-fault"/);
    }
    assert.equal((await pictureOf('ada-lovelace')).bytes.toString('latin1', 0, 4), '<svg');
  });

  it('a picture with too many pixels is refused, also if it has few bytes', async () => {
    const sized = (width: number, height: number) => {
      const picture = Buffer.from(PNG);
      picture.writeUInt32BE(width, 16);
      picture.writeUInt32BE(height, 20);
      return picture;
    };
    const jpeg = Buffer.from(JPEG);
    jpeg.write('ffff', jpeg.indexOf('ffc0000b08', 'hex') + 5, 'hex');
    jpeg.write('ffff', jpeg.indexOf('ffc0000b08', 'hex') + 7, 'hex');
    const webp = Buffer.from(
      '524946461a000000574542505650384c0d0000002fffffff0f0710111188880fe0ff0700',
      'hex',
    );
    for (const picture of [sized(30_000, 30_000), sized(50_001, 1_000), jpeg, webp]) {
      const answer = await save({ picture });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /id="picture-fault"[^>]*>[^<]*at most 50 million pixels/);
    }
    assert.equal((await save({ picture: sized(0, 1) })).status, 422);
    assert.equal((await save({ picture: sized(10_000, 5_000) })).status, 303);
    assert.equal((await save({ remove: 'yes' })).status, 303);
  });

  it('location and camera are removed from a photo, its orientation isn’t', async () => {
    const text = chunk('tEXt', 'Comment\x0052.5200');
    const withText = Buffer.concat([PNG.subarray(0, 33), text, PNG.subarray(33), Buffer.from('x')]);
    assert.equal((await save({ picture: withText })).status, 303);
    assert.deepEqual((await pictureOf('ada-lovelace')).bytes, PNG);
    assert.equal((await save({ picture: JPEG })).status, 303);
    const { response, bytes } = await pictureOf('ada-lovelace');
    assert.equal(response.headers.get('content-type'), 'image/jpeg');
    assert.ok(!bytes.includes('52.5200') && !bytes.includes('secret'));
    assert.ok(bytes.includes(Buffer.from('01120003000000010006', 'hex')), 'the orientation');
  });

  it('names and pictures are shown beside usernames', async () => {
    await save({ displayName: 'Ada Lovelace', summary: '' });
    await submit(ada, '/organizations/new', { namespace: 'engines', name: 'Engines' });
    const { text } = await ada.get('/organizations/engines/members');
    assert.match(text, /<bdi>Ada Lovelace<\/bdi> <span class="username">ada-lovelace<\/span>/);
    assert.match(text, /<img class="avatar" src="\/images\/ada-lovelace\/picture" alt/);
  });

  it('only admins can change an organization’s profile', async () => {
    const path = '/organizations/engines/profile';
    assert.equal((await send(ada, path, { summary: 'We build.', picture: PNG })).status, 303);
    assert.match((await profileOf('engines')).text, /We build\./);
    assert.deepEqual((await pictureOf('engines')).bytes, PNG);
    const eve = await signUp(service, 'eve');
    assert.equal((await send(eve, path, { summary: 'Mine.' })).status, 403);
    const nobody = await send(newVisitor(service), path, { summary: 'Mine.' });
    assert.match(nobody.headers.get('location') ?? '', /^\/sign-in/);
    assert.match((await profileOf('engines')).text, /We build\./);
  });
});
