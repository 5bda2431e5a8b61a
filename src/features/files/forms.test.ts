import { strict as assert } from 'node:assert';
import { connect } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import {
  BOUNDARY,
  END,
  filePart,
  form,
  PDF,
  PNG,
  part,
  uploadForm,
} from '../../../test/files/samples.ts';
import { type Answer, assertError, startService } from '../../../test/harness.ts';
import { assertRawError, rawAnswer } from '../../../test/raw-http.ts';
import { STACK } from '../../../test/stack.ts';
import { namedBlobs, storedBlobs } from '../../../test/state.ts';

const LIMIT = 10 * 1024 * 1024;
const TEXT = 'A text.';
const JUNK = 'is not well-formed';

describe('Upload forms', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  // Whatever a test has sent, the stored files equal the listed files.
  afterEach(async () => {
    const { context } = service.app;
    await eventually(async () =>
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context)),
    );
    const { data } = await ada.get('/user/files?per_page=100');
    assert.equal(data.length, (await namedBlobs(context)).length);
    for (const { id } of data) assert.equal((await ada.delete(`/user/files/${id}`)).status, 204);
    assert.deepEqual(await storedBlobs(context), []);
  });

  const send = (body: Uint8Array<ArrayBuffer>, headers = form().headers): Promise<Answer> =>
    ada.request('/user/files', { method: 'POST', body, headers });
  const stored = async () => (await storedBlobs(service.app.context)).length;

  it('a file of exactly 10 MB is accepted, one more byte is 413', async () => {
    for (const bytes of [Buffer.alloc(LIMIT, 'x'), largePng(LIMIT)]) {
      const { body } = uploadForm({ bytes });
      const answer = await send(body);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.data.sizeBytes, LIMIT);
      const served = Buffer.from(await (await fetch(answer.data.url)).arrayBuffer());
      assert.ok(served.equals(bytes));
    }
    const count = await stored();
    for (const size of [LIMIT + 1, LIMIT + 200_000]) {
      const { body } = uploadForm({ bytes: Buffer.alloc(size, 'x') });
      assertError(await send(body), 413, 'PAYLOAD_TOO_LARGE', /file/);
    }
    assert.equal(await stored(), count);
  });

  it('the type of a part without one is detected', async () => {
    for (const [bytes, name, type] of [
      [PNG, 'dot.png', 'image/png'],
      [PDF, 'x', 'application/pdf'],
      [largePng(3_000_000), 'large', 'image/png'],
      ['A text.', 'a.txt', 'text/plain'],
      ['# Notes', 'notes.md', 'text/markdown'],
    ] as const) {
      const answer = await send(Buffer.concat([filePart({ bytes, name, type: '' }), END]));
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual([answer.data.contentType, answer.data.name], [type, name]);
    }
    const claimed = Buffer.concat([filePart({ bytes: PNG, type: 'text/plain' }), END]);
    assertError(await send(claimed), 422, 'UNPROCESSABLE', /sent as text\/plain/);
  });

  it('the same without Content-Length', async () => {
    const chunked = (size: number) => {
      const { body, headers } = uploadForm({ bytes: Buffer.alloc(size, 'x') });
      const stream = new Blob([body]).stream();
      const init = { method: 'POST', body: stream, duplex: 'half', headers } as RequestInit;
      return ada.request('/user/files', init);
    };
    assert.equal((await chunked(LIMIT)).data.sizeBytes, LIMIT);
    assertError(await chunked(LIMIT + 1), 413, 'PAYLOAD_TOO_LARGE', /file/);
  });

  it('after a refused upload, the connection can be used again', async () => {
    for (let round = 0; round < 3; round++) {
      const { body } = uploadForm({ bytes: Buffer.alloc(LIMIT + 1, 'x') });
      assertError(await send(body), 413, 'PAYLOAD_TOO_LARGE');
      assert.equal((await send(uploadForm({ bytes: TEXT }).body)).status, 201);
    }
  });

  const file = filePart({ bytes: TEXT });
  const bad: Record<string, [body: Buffer, message: RegExp]> = {
    'no part at all': [END, /file: is required|is not well-formed/],
    'an empty body': [Buffer.alloc(0), /file|form/],
    'two files': [Buffer.concat([file, file, END]), /only one file/],
    'two files, the second refused': [
      Buffer.concat([file, filePart({ bytes: 'a\0', type: 'image/png' }), END]),
      /only one file/,
    ],
    'three files': [Buffer.concat([file, file, file, END]), /only one file/],
    'a field after the file': [
      Buffer.concat([file, part(['Content-Disposition: form-data; name="x"'], '1'), END]),
      /only one file/,
    ],
    'a field before the file': [
      Buffer.concat([part(['Content-Disposition: form-data; name="x"'], '1'), file, END]),
      /^body: x: is not a known field/,
    ],
    'many fields': [
      Buffer.concat([
        ...Array.from({ length: 50 }, (_, at) =>
          part([`Content-Disposition: form-data; name="f${at}"`], '1'),
        ),
        END,
      ]),
      /f0: is not a known field/,
    ],
    'another field name': [
      Buffer.concat([filePart({ bytes: TEXT, field: 'upload' }), END]),
      /^body: upload: is not a known field/,
    ],
    'a field name of prototypes': [
      Buffer.concat([filePart({ bytes: TEXT, field: '__proto__' }), END]),
      /__proto__|well-formed/,
    ],
    'the field without a file': [
      Buffer.concat([part(['Content-Disposition: form-data; name="file"'], TEXT), END]),
      /file: is not a known field/,
    ],
    'a part without a name': [
      Buffer.concat([part(['Content-Disposition: form-data; filename="a"'], TEXT), END]),
      /is not a known field|well-formed/,
    ],
    'a part without a disposition': [
      Buffer.concat([part(['Content-Type: text/plain'], TEXT), END]),
      /file: is required|well-formed/,
    ],
    'no end': [file, new RegExp(JUNK)],
    'a cut end': [Buffer.concat([file, END]).subarray(0, -6), new RegExp(JUNK)],
    'a file cut in its middle': [
      uploadForm({ bytes: 'x'.repeat(100_000) }).body.subarray(0, 50_000),
      new RegExp(JUNK),
    ],
    'a part cut in its head': [file.subarray(0, 30), new RegExp(JUNK)],
    'another boundary': [
      Buffer.from('--other\r\n\r\nx\r\n--other--\r\n'),
      new RegExp(`${JUNK}|required`),
    ],
    'no form at all': [Buffer.from('{"file": "x"}'), new RegExp(`${JUNK}|required`)],
  };
  for (const [what, [body, message]] of Object.entries(bad)) {
    it(`${what}: 400`, async () => {
      assertError(await send(Buffer.from(body)), 400, 'BAD_REQUEST', message);
      assert.equal(await stored(), 0);
    });
  }

  it('anything but multipart/form-data with a boundary: 400', async () => {
    const { body } = uploadForm({ bytes: TEXT });
    const types = [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/mixed; boundary=x',
      'application/json',
      'text/plain',
      'image/png',
      'application/x-www-form-urlencoded',
      'x',
      `multipart/form-data; boundary="${'x'.repeat(500)}"`,
      `multipart/x; boundary=${BOUNDARY}`,
    ];
    for (const type of types) {
      const answer = await send(body, { 'content-type': type });
      assert.equal(answer.status, 400, `${type}: ${answer.text}`);
      assertError(answer, 400, 'BAD_REQUEST');
    }
    const none = await ada.request('/user/files', { method: 'POST' });
    assertError(none, 400, 'BAD_REQUEST', /Content-Type/);
    const quoted = { 'content-type': `Multipart/Form-Data; boundary="${BOUNDARY}"` };
    assert.equal((await send(body, quoted)).status, 201);
  });

  it('a form on a route for JSON: 400', async () => {
    const { body, headers } = uploadForm({ bytes: TEXT });
    const answer = await ada.request('/user/briefs', { method: 'POST', body, headers });
    assertError(answer, 400, 'BAD_REQUEST', /Content-Type/);
  });

  it('without a token: 401, and nothing is stored', async () => {
    const { body, headers } = uploadForm({ bytes: TEXT });
    for (const client of [service.client(), service.client('brf_nonsense')]) {
      const answer = await client.request('/user/files', { method: 'POST', body, headers });
      assertError(answer, 401, 'UNAUTHORIZED');
    }
    assert.equal(await stored(), 0);
  });

  it('a body shorter than its length, then closed: nothing is stored', async () => {
    const { body } = uploadForm({ bytes: 'x'.repeat(300_000) });
    await breakOff(body.subarray(0, 200_000), body.length);
    await eventually(async () => assert.deepEqual(await storedBlobs(service.app.context), []));
  });

  it('a connection that breaks inside a file: nothing is stored', async () => {
    const { body } = uploadForm({ bytes: Buffer.alloc(5_000_000, 'x') });
    // Cut before and after the type is known, and with the whole file but no end.
    for (const length of [10, 150, 1_000, 4_500, 100_000, 4_900_000, body.length - 10]) {
      await breakOff(body.subarray(0, length), body.length);
    }
    await eventually(async () => assert.deepEqual(await storedBlobs(service.app.context), []));
    assert.equal((await send(uploadForm({ bytes: TEXT }).body)).status, 201);
  });

  it('both length headers, or a wrong one: refused by HTTP', async () => {
    const head = `POST /api/user/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.token}`;
    const type = `Content-Type: multipart/form-data; boundary=${BOUNDARY}`;
    const lengths = 'Content-Length: 5\r\nTransfer-Encoding: chunked';
    const answer = await rawAnswer(
      service.config.port,
      `${head}\r\n${type}\r\n${lengths}\r\n\r\n0\r\n\r\n`,
    );
    assertRawError(answer, 400, 'BAD_REQUEST');
  });

  /** Sends the start of a form and breaks the connection after the service may have read it. */
  async function breakOff(bytes: Buffer, announced: number): Promise<void> {
    const socket = connect({ port: service.config.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    const head = [
      'POST /api/user/files HTTP/1.1',
      `Host: ${new URL(service.baseUrl).host}`,
      `Authorization: Bearer ${ada.token}`,
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
      `Content-Length: ${announced}`,
    ].join('\r\n');
    socket.write(`${head}\r\n\r\n`);
    await new Promise<void>((done) => socket.write(bytes, () => done()));
    // For a large start, waits until it is on the disk, so that the break is in the middle. In
    // other stores, nothing is visible until everything has arrived.
    if (bytes.length >= 100_000 && STACK === 'embedded') {
      await eventually(async () => assert.ok((await stored()) > 0));
    }
    socket.destroy();
  }
});

/** Asserts a condition that becomes true soon, without an event to wait for. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    try {
      return await check();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await check();
}

/** A PNG of this many bytes, most of which can't be decoded. */
function largePng(size: number): Buffer<ArrayBuffer> {
  const data = Buffer.alloc(size - PNG.length);
  data.writeUInt32BE(data.length - 12);
  data.write('IDAT', 4);
  return Buffer.concat([PNG.subarray(0, 33), data, PNG.subarray(33)]);
}
