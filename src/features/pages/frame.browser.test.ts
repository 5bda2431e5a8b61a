import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import type { Client, Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { watch } from '../../../test/render/browser.ts';

const PIXEL = `data:image/png;base64,${PNG.toString('base64')}`;

/** A page that uses everything a single file can contain. */
const APPLICATION = `<!doctype html>
<title>Application</title>
<style>p { color: rgb(1, 2, 3) } @media print { p { color: red } }</style>
<p id="text">Text</p>
<img id="image" src="${PIXEL}">
<canvas id="canvas" width="20" height="20"></canvas>
<form id="form"><input name="word" value="hello" required><button>Send</button></form>
<svg id="svg" width="10" height="10"><circle r="5"/></svg>
<button id="ask" onclick="this.textContent = String(confirm('Sure?'))">Ask</button>
<a id="save" download="saved.txt">Save</a>
<script>
  const say = (what) => { document.body.dataset[what] = 'yes' };
  const drawing = canvas.getContext('2d');
  drawing.fillStyle = 'rgb(9, 8, 7)';
  drawing.fillRect(0, 0, 20, 20);
  if (drawing.getImageData(1, 1, 1, 1).data[0] === 9) say('canvas');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    document.body.dataset.form = new FormData(form).get('word');
  });
  if (eval('1 + 1') === 2) say('eval');
  const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])));
  worker.onmessage = () => say('worker');
  import('data:text/javascript,export default 1').then(() => say('module'));
  save.href = URL.createObjectURL(new Blob(['saved']));
  const blob = new Image();
  canvas.toBlob((bytes) => { blob.src = URL.createObjectURL(bytes) });
  blob.onload = () => say('blob');
  requestAnimationFrame(() => say('animation'));
</script>`;

/** The fields of an image element that these tests read. */
interface Sized {
  naturalWidth: number;
}

/** Chromium keys by site what is sandboxed, and says so; nothing follows from it. */
const complaints = (lines: string[]) =>
  lines.filter((line) => !/origin-keyed agent cluster/.test(line));

describe('A page in its frame', IN_BROWSER, () => {
  let service: Service;
  let ada: Client;
  let browser: Browser;

  openStage({}, async (stage) => {
    ({ service, browser } = stage);
    ada = await service.user('ada');
  });

  it('works: scripts, forms, canvas, workers, dialogs, downloads, inline assets', async () => {
    const { data } = await ada.post('/user/pages', { html: APPLICATION });
    const page = await browser.newPage();
    const seen = watch(page);
    page.on('dialog', (dialog) => dialog.accept());
    await page.goto(data.url);
    const frame = page.frames()[1];
    assert.ok(frame);
    for (const what of ['canvas', 'eval', 'worker', 'module', 'blob', 'animation']) {
      await frame.waitForSelector(`body[data-${what}="yes"]`, { state: 'attached' });
    }
    assert.equal(
      await frame.$eval('#image', (image) => (image as unknown as Sized).naturalWidth),
      1,
    );
    const color = await frame.evaluate("getComputedStyle(document.querySelector('#text')).color");
    assert.equal(color, 'rgb(1, 2, 3)');
    await frame.click('#form button');
    await frame.waitForSelector('body[data-form="hello"]', { state: 'attached' });
    await frame.click('#ask');
    assert.equal(await frame.textContent('#ask'), 'true');
    const [download] = await Promise.all([page.waitForEvent('download'), frame.click('#save')]);
    assert.equal(download.suggestedFilename(), 'saved.txt');
    assert.deepEqual(seen.errors, []);
    assert.deepEqual(complaints(seen.console), []);
    await page.close();
  });

  it('keeps internal links, its own link handlers and its scroll position', async () => {
    const html = `<title>Links</title><style>div { height: 3000px }</style>
      <a id="down" href="#end">x</a> <a id="top" href="#">x</a>
      <a id="own" href="https://example.com/">x</a><div></div><p id="end">End
      <script>own.onclick = () => { own.dataset.clicked = 'yes'; return false }</script>`;
    const { data } = await ada.post('/user/pages', { html });
    const page = await browser.newPage();
    const seen = watch(page);
    await page.goto(data.url);
    const frame = page.frames()[1];
    await frame?.click('#own');
    await frame?.waitForSelector('#own[data-clicked]');
    await frame?.click('#down');
    await frame?.waitForFunction("location.hash === '#end' && scrollY > 1000");
    await frame?.click('#top');
    await frame?.waitForFunction("location.hash === '' && scrollY === 0");
    assert.equal(page.context().pages().length, 1);
    assert.deepEqual(seen.popups, []);
    assert.deepEqual(seen.errors, []);
    await page.close();
  });

  it('has only security headers that Chromium understands', async () => {
    await ada.post('/user/pages', { html: '<title>Quiet</title>', name: 'quiet' });
    const form = uploadForm({ bytes: PNG, name: 'a.png' });
    const file = await ada.request('/user/files', { method: 'POST', ...form });
    for (const url of [`${service.renderUrl}/ada/quiet`, file.data.url]) {
      const page = await browser.newPage();
      const { console } = watch(page);
      await page.goto(url);
      assert.deepEqual(complaints(console), [], url);
      await page.close();
    }
  });

  it('shows an uploaded image, from data and by URL', async () => {
    const form = uploadForm({ bytes: PNG, name: 'a.png' });
    const { data } = await ada.request('/user/files', { method: 'POST', ...form });
    await ada.post('/user/briefs', { content: `# Picture\n\n![x](${data.url})`, name: 'picture' });
    const page = await browser.newPage();
    await page.goto(`${service.webUrl}/ada/picture`);
    const width = await page.$eval(
      'article img',
      (image) => (image as unknown as Sized).naturalWidth,
    );
    assert.equal(width, 1);
    await page.close();
  });
});
