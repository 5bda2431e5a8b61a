import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { GIF, PNG, uploadForm } from '../../../test/files/samples.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { KINDS } from '../../base/schema/kind.ts';

describe('Uploaded pictures in pages', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await service.user('ada'), await service.user('grace')];

  async function upload(client: Client, name: string, given: Buffer): Promise<string> {
    const form = uploadForm({ bytes: new Uint8Array(given), name, type: '' });
    const answer = await client.request('/user/files', { method: 'POST', ...form });
    assert.equal(answer.status, 201, answer.text);
    return answer.data.url;
  }

  /** Publishes a page. @returns its warnings, and a function that loads it as a frame does */
  async function publish(name: string, html: string) {
    const answer = await ada.post('/user/pages', { name, html });
    assert.equal(answer.status, 201, answer.text);
    const load = async (headers: Record<string, string> = { 'sec-fetch-dest': 'iframe' }) => {
      const response = await fetch(answer.data.renderUrl, { headers });
      assert.equal(response.status, 200);
      return { text: await response.text(), etag: response.headers.get('etag') };
    };
    return { data: answer.data, load };
  }

  const dataOf = async (url: string, type: string) =>
    `data:${type};base64,${Buffer.from(await (await fetch(url)).arrayBuffer()).toString('base64')}`;

  it('are in the HTML that browsers get, and only there', async () => {
    const png = await upload(ada, 'chart (1) é.png', PNG);
    const gif = await upload(grace, 'other.gif', GIF);
    const html = (picture: string, other: string) =>
      `<!doctype html><title>Report</title><style>p { background: url("${other}") }</style>
      <p style="background-image: url(${other})"><img alt=x src="${picture}">
      <img src=${other}><img srcset="${picture} 1x, ${other} 2x">
      <video poster="${picture}"></video><svg><image href="${picture}"/></svg>
      <a href="${png}">the file</a><script>const text = "${png}";</script>`;
    const { data, load } = await publish('report', html(png, gif));
    assert.deepEqual(data.warnings, undefined);
    const { text } = await load();
    const shown = html(await dataOf(png, 'image/png'), await dataOf(gif, 'image/gif'));
    assert.ok(text.includes(shown.slice(shown.indexOf('<style>'))), text);
    assert.ok((await load({ 'sec-fetch-dest': 'document' })).text.includes('data:image/png'));
    assert.equal((await load({})).text, html(png, gif));
    assert.equal((await ada.get('/pages/ada/report')).data.html, html(png, gif));
  });

  it('leave it once they are deleted, and the page is what it was', async () => {
    const url = await upload(ada, 'soon.png', PNG);
    const { load } = await publish('soon', `<p><img src="${url}">`);
    const before = await load();
    assert.match(before.text, /data:image\/png/);
    assert.deepEqual(await load(), before);
    const [file] = (await ada.get('/user/files')).data;
    assert.equal((await ada.delete(`/user/files/${file.id}`)).status, 204);
    const later = await load();
    assert.doesNotMatch(later.text, /data:image/);
    assert.notEqual(later.etag, before.etag);
  });

  it('are put in as far as the page has room for them; its writer is told which aren’t', async () => {
    const url = await upload(ada, 'small.png', PNG);
    const dataLength = (await dataOf(url, 'image/png')).length;
    const start = `<p><img src="${url}"><img src="${url}"><!--`;
    const room = KINDS.page.contentLimitBytes - start.length - 3 - (dataLength - url.length);
    const fits = await publish('one-fits', `${start}${'x'.repeat(room)}-->`);
    assert.deepEqual(
      fits.data.warnings.map(({ code }: { code: string }) => code),
      ['pictures-left-out'],
    );
    assert.deepEqual(fits.data.warnings[0].addresses, [url]);
    assert.equal((await fits.load()).text.split('data:image').length, 2);
    const full = await publish('none-fits', `${start}${'x'.repeat(room + 1)}-->`);
    assert.match(full.data.warnings[0].message, /larger than 5 MB/);
    assert.equal((await full.load()).text.split('data:image').length, 1);
  });

  it('are only those that exist: all else is said to be missing', async () => {
    const text = await upload(ada, 'style.txt', Buffer.from('p { color: red }'));
    const none = `${service.renderUrl}/files/${'x'.repeat(27)}/a.png`;
    const { data, load } = await publish(
      'missing',
      `<img src="${none}"><img src="${text}"><script src="${text}"></script>`,
    );
    assert.deepEqual(data.warnings[0].addresses, [none, text]);
    assert.match(data.warnings[0].message, /Upload images as files/);
    assert.doesNotMatch((await load()).text, /data:(?:image|text)/);
  });
});
