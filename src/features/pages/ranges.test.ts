import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { uploadForm } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { ask, targetOf } from '../../../test/render/expected.ts';

const TEXT = Array.from({ length: 5_000 }, (_, line) => `${line} `).join('');
const SIZE = TEXT.length;

/** Ranges and the bytes that they request; `undefined` if the response is the whole. */
const RANGES: Record<string, [number, number] | undefined> = {
  'bytes=0-0': [0, 0],
  'bytes=0-99': [0, 99],
  'bytes=100-': [100, SIZE - 1],
  'bytes=-7': [SIZE - 7, SIZE - 1],
  [`bytes=${SIZE - 1}-`]: [SIZE - 1, SIZE - 1],
  [`bytes=10-${SIZE + 99}`]: [10, SIZE - 1],
  'bytes=0-9,10-19': [0, 19],
  'bytes=0-9,100-109': undefined,
  [`bytes=${SIZE}-`]: undefined,
  [`bytes=-${SIZE + 1}`]: undefined,
  'bytes=9-0': undefined,
  'bytes=-0': undefined,
  'bytes=a-b': undefined,
  'bytes=': undefined,
  'lines=0-9': undefined,
  '0-9': undefined,
};

describe('Ranges', async () => {
  const targets: Record<string, string> = {};

  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  await ada.post('/user/pages', { html: TEXT, name: 'open' });
  await ada.post('/user/pages', { html: TEXT, name: 'closed', visibility: 'private' });
  const form = uploadForm({ bytes: TEXT, name: 'a.txt' });
  const file = await ada.request('/user/files', { method: 'POST', ...form });
  assert.equal(file.status, 201, file.text);
  targets['a public page'] = '/ada/open';
  targets['a signed page'] = targetOf((await ada.get('/pages/ada/closed/render-url')).data.url);
  targets['a file'] = targetOf(file.data.url);

  for (const what of ['a public page', 'a signed page', 'a file']) {
    it(`of ${what}`, async () => {
      const target = targets[what] as string;
      for (const [range, part] of Object.entries(RANGES)) {
        const { status, headers, body } = await ask(service, target, { headers: { range } });
        assert.equal(status, part ? 206 : 200, range);
        const [start, end] = part ?? [0, SIZE - 1];
        assert.ok(body === TEXT.slice(start, end + 1), range);
        assert.equal(headers['content-range'], part && `bytes ${start}-${end}/${SIZE}`, range);
        assert.equal(headers['accept-ranges'], 'bytes');
        assert.ok(headers['content-security-policy']?.startsWith('sandbox'), range);
      }
    });

    it(`of ${what}, on conditions`, async () => {
      const target = targets[what] as string;
      const { etag = '' } = (await ask(service, target)).headers;
      const range = 'bytes=5-9';
      const statusFor = async (headers: Record<string, string>, method = 'GET') =>
        (await ask(service, target, { method, headers: { range, ...headers } })).status;
      assert.equal(await statusFor({ 'if-range': etag }), 206);
      assert.equal(await statusFor({ 'if-range': '"other"' }), 200);
      assert.equal(await statusFor({ 'if-range': `W/${etag}` }), 200);
      assert.equal(await statusFor({ 'if-range': new Date().toUTCString() }), 200);
      assert.equal(await statusFor({ 'if-none-match': etag }), 304);
      assert.equal(await statusFor({}, 'HEAD'), 200);
    });
  }

  it('empty: the whole file', async () => {
    const grace = await service.user('grace');
    await grace.post('/user/pages', { html: '', name: 'empty' });
    for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) {
      const answer = await ask(service, '/grace/empty', { headers: { range } });
      assert.deepEqual([answer.status, answer.body], [200, '']);
      assert.equal(answer.headers['content-length'], '0');
    }
  });
});
