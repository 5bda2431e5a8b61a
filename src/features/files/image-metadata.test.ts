import { strict as assert } from 'node:assert';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { GIF, JPEG, PNG, uploadForm, WEBP } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { withoutMetadata } from './image-metadata.ts';

/** What nobody may read afterwards. */
const PLACE = '52.5200N 13.4050E';
const place = Buffer.from(PLACE);

/** Exif data with an orientation and a place. */
const exif = (orientation: number, order: 'MM' | 'II' = 'MM') => {
  const tiff = Buffer.alloc(26);
  const isLittle = order === 'II';
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  tiff.write(order, 0);
  short(42, 2);
  if (isLittle) tiff.writeUInt32LE(8, 4);
  else tiff.writeUInt32BE(8, 4);
  short(1, 8);
  short(0x0112, 10);
  short(3, 12);
  short(1, isLittle ? 14 : 16);
  short(orientation, 18);
  return Buffer.concat([tiff, place]);
};

function segment(marker: number, ...data: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(data.map((one) => Buffer.from(one)));
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const app1 = (orientation = 1, order?: 'MM' | 'II') =>
  segment(0xe1, 'Exif\0\0', exif(orientation, order));

const START = JPEG.subarray(0, 2);
const REST = JPEG.subarray(2);
/** Where the scan of the sample begins. */
const SCAN = JPEG.indexOf(Buffer.from([0xff, 0xda]));
const END = JPEG.subarray(-2);

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const [PNG_HEAD, PNG_REST] = [PNG.subarray(0, 33), PNG.subarray(33)];
const withChunk = (type: string, data: Buffer = place) =>
  Buffer.concat([PNG_HEAD, pngChunk(type, data), PNG_REST]);

function riffChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(8 + data.length + (data.length % 2));
  chunk.write(type, 0);
  chunk.writeUInt32LE(data.length, 4);
  data.copy(chunk, 8);
  return chunk;
}

function webp(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const VP8X = riffChunk('VP8X', Buffer.from([0b1100, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
const VP8L = WEBP.subarray(12);

/** A block of a GIF: its kind, and sub-blocks. */
function gifBlock(kind: number[], ...blocks: (Buffer | string)[]): Buffer {
  const all = blocks.map((block) => Buffer.from(block));
  const sized = all.flatMap((block) => [Buffer.from([block.length]), block]);
  return Buffer.concat([Buffer.from(kind), ...sized, Buffer.from([0])]);
}

/** The sample with a block before its image. */
const withBlock = (block: Buffer) => Buffer.concat([GIF.subarray(0, 19), block, GIF.subarray(19)]);
const LOOP = gifBlock([0x21, 0xff], 'NETSCAPE2.0', Buffer.from([1, 0, 0]));

/** An image with the place, and what is stored instead. */
const CASES: [what: string, name: string, given: Buffer, stored: Buffer][] = [
  ['Exif', 'a.jpg', Buffer.concat([START, app1(), REST]), JPEG],
  [
    'Exif after fill bytes',
    'a.jpg',
    Buffer.concat([
      START,
      REST.subarray(0, 18),
      Buffer.from([255, 255]),
      app1(),
      REST.subarray(18),
    ]),
    JPEG,
  ],
  [
    'Exif after the first scan',
    'a.jpg',
    Buffer.concat([JPEG.subarray(0, -2), app1(), JPEG.subarray(SCAN)]),
    Buffer.concat([JPEG.subarray(0, -2), JPEG.subarray(SCAN)]),
  ],
  ['Exif after the last scan', 'a.jpg', Buffer.concat([JPEG.subarray(0, -2), app1(), END]), JPEG],
  ['a second image', 'a.jpg', Buffer.concat([JPEG, START, app1(), REST]), JPEG],
  ['a trailer', 'a.jpg', Buffer.concat([JPEG, Buffer.from('ftypmp42'), place]), JPEG],
  [
    'XMP, comments and segments of programs',
    'a.jpg',
    Buffer.concat([
      START,
      REST.subarray(0, 18),
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', place),
      segment(0xfe, place),
      segment(0xed, 'Photoshop 3.0\0', place),
      segment(0xe2, 'MPF\0', place),
      segment(0xe0, 'JFXX\0', place),
      REST.subarray(18),
    ]),
    JPEG,
  ],
  ['texts', 'a.png', withChunk('tEXt'), PNG],
  ['compressed texts', 'a.png', withChunk('zTXt'), PNG],
  ['international texts', 'a.png', withChunk('iTXt'), PNG],
  ['Exif', 'a.png', withChunk('eXIf', exif(1)), PNG],
  ['long Exif', 'a.png', withChunk('eXIf', Buffer.concat([exif(6), Buffer.alloc(70_000)])), PNG],
  ['content credentials', 'a.png', withChunk('caBX'), PNG],
  ['chunks of programs', 'a.png', withChunk('prVt'), PNG],
  ['bytes after the end', 'a.png', Buffer.concat([PNG, place]), PNG],
  ['comments', 'a.gif', withBlock(gifBlock([0x21, 0xfe], place, place)), GIF],
  ['XMP', 'a.gif', withBlock(gifBlock([0x21, 0xff], 'XMP DataXMP', place)), GIF],
  ['bytes after the end', 'a.gif', Buffer.concat([GIF, place]), GIF],
  [
    'all but repetition',
    'a.gif',
    withBlock(Buffer.concat([LOOP, gifBlock([0x21, 0xff], 'XMP DataXMP', place)])),
    withBlock(LOOP),
  ],
  ['bytes after the end', 'a.webp', Buffer.concat([WEBP, place]), WEBP],
  [
    'Exif, XMP and unknown chunks',
    'a.webp',
    webp(
      VP8X,
      VP8L,
      riffChunk('EXIF', exif(6)),
      riffChunk('XMP ', place),
      riffChunk('ours', place),
    ),
    webp(
      riffChunk('VP8X', Buffer.from([0b1000, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
      VP8L,
      riffChunk('EXIF', Buffer.concat([cleanExif(6), Buffer.alloc(place.length)])),
      riffChunk('JUNK', Buffer.alloc(place.length)),
      riffChunk('JUNK', Buffer.alloc(place.length)),
    ),
  ],
  ...[1, 3, 6, 8].flatMap((orientation): (typeof CASES)[number][] => [
    [
      `all but orientation ${orientation}`,
      'a.jpg',
      Buffer.concat([START, app1(orientation, 'II'), app1(2), REST]),
      orientation === 1
        ? Buffer.concat([START, segment(0xe1, 'Exif\0\0', cleanExif(2)), REST])
        : Buffer.concat([START, segment(0xe1, 'Exif\0\0', cleanExif(orientation)), REST]),
    ],
    [
      `all but orientation ${orientation}`,
      'a.png',
      withChunk('eXIf', exif(orientation)),
      orientation === 1 ? PNG : withChunk('eXIf', cleanExif(orientation)),
    ],
  ]),
];

/** Exif data with nothing but an orientation. */
function cleanExif(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

describe('Metadata of images', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

  /** Uploads an image. @returns its bytes as everyone gets them, and what the response says */
  async function uploaded(name: string, given: Buffer) {
    const bytes = new Uint8Array(given);
    const answer = await ada.request('/user/files', {
      method: 'POST',
      ...uploadForm({ bytes, name, type: '' }),
    });
    assert.equal(answer.status, 201, answer.text);
    const served = await fetch(answer.data.url);
    return { served: Buffer.from(await served.arrayBuffer()), data: answer.data };
  }

  for (const [what, name, given, stored] of CASES) {
    it(`${name}: ${what}`, async () => {
      const { served, data } = await uploaded(name, given);
      assert.ok(!served.includes(PLACE));
      assert.deepEqual(served, stored);
      assert.equal(data.sizeBytes ?? data.size, stored.length);
    });
  }

  it('images that would take too much memory are refused, wherever they say their size', async () => {
    const png = Buffer.from(PNG);
    png.writeUInt32BE(30_000, 16);
    png.writeUInt32BE(30_000, 20);
    const frame = JPEG.findIndex((byte, at) => byte === 0xff && JPEG[at + 1] === 0xc9);
    assert.ok(frame > 0);
    const jpeg = Buffer.from(JPEG);
    jpeg.write('ffffffff', frame + 5, 'hex');
    const colours = segment(0xe2, 'ICC_PROFILE\0', Buffer.alloc(60_000));
    const lateJpeg = Buffer.concat([
      jpeg.subarray(0, frame),
      ...Array(20).fill(colours),
      jpeg.subarray(frame),
    ]);
    const screen = Buffer.from(GIF);
    screen.write('ffffffff', 6, 'hex');
    const image = Buffer.from(GIF);
    image.write('ffffffff', GIF.indexOf(0x2c, 19) + 5, 'hex');
    const wide = webp(riffChunk('VP8X', Buffer.from('00000000ffffffffffff', 'hex')), VP8L);
    const lossless = webp(riffChunk('VP8L', Buffer.from('2fffffff0f0710111188', 'hex')));
    const shortest = webp(riffChunk('VP8L', Buffer.from('2fffffff0f071011', 'hex')));
    const lossy = webp(riffChunk('VP8 ', Buffer.from('0000009d012affffffff', 'hex')));
    const given: [string, Buffer][] = [
      ['a.png', png],
      ['a.jpg', jpeg],
      ['a.jpg', lateJpeg],
      ['a.gif', screen],
      ['a.gif', image],
      ['a.webp', wide],
      ['a.webp', lossless],
      ['a.webp', shortest],
      ['a.webp', lossy],
    ];
    const before = (await ada.get('/user/files?per_page=100')).data.length;
    for (const [name, bytes] of given) {
      const form = () => uploadForm({ bytes: new Uint8Array(bytes), name, type: '' });
      const refused = await ada.request('/user/files', { method: 'POST', ...form() });
      assert.equal(refused.status, 422, name);
      assert.match(refused.text, /must have at most 50 million pixels/);
    }
    assert.equal((await ada.get('/user/files?per_page=100')).data.length, before);
    png.writeUInt32BE(10_000, 16);
    png.writeUInt32BE(5_000, 20);
    await uploaded('a.png', png);
  });

  it('the same whatever pieces the bytes come in', async () => {
    const types: Record<string, string> = { jpg: 'jpeg', png: 'png', gif: 'gif', webp: 'webp' };
    for (const [what, name, given, stored] of CASES) {
      const type = `image/${types[name.slice(2)]}`;
      for (const size of [1, 2, 3, 7, 64]) {
        const pieces = async function* () {
          for (let at = 0; at < given.length; at += size) yield given.subarray(at, at + size);
        };
        const cleaned = await buffer(withoutMetadata(type, pieces()));
        assert.deepEqual(cleaned, stored, `${name}: ${what}, ${size} bytes at a time`);
      }
    }
  });

  it('takes all that is sent after an image, and stores none of it', async () => {
    for (const [name, image] of [
      ['a.png', PNG],
      ['a.jpg', JPEG],
      ['a.gif', GIF],
      ['a.webp', WEBP],
    ] as const) {
      const bytes = new Uint8Array(Buffer.concat([image, Buffer.alloc(1_000_000)]));
      const { served } = await uploaded(name, Buffer.from(bytes));
      assert.ok(served.length < 10_000, name);
    }
    const bytes = new Uint8Array(Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]));
    const form = uploadForm({ bytes, name: 'a.png', type: '' });
    assert.equal((await ada.request('/user/files', { method: 'POST', ...form })).status, 413);
  });

  it('a cut or damaged image ends, and never with more than was given', async () => {
    for (const [, name, given] of CASES) {
      for (let length = 12; length < Math.min(given.length, 400); length += 1) {
        const type = `image/${name.slice(2).replace('jpg', 'jpeg')}`;
        const noise = Buffer.from(given.subarray(0, length));
        noise[length - 1] = 255 - (noise[length - 1] as number);
        for (const bytes of [given.subarray(0, length), noise]) {
          const cleaned = await buffer(withoutMetadata(type, Readable.from([bytes])));
          assert.ok(cleaned.length <= bytes.length + 40, `${name} ${length}`);
        }
      }
    }
  });
});
