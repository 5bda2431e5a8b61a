import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import type { Client, Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { watch } from '../../../test/render/browser.ts';
import {
  clientMissing,
  WHOLE_CHROMIUM,
  wholeBrowserMissing,
} from '../../../test/web/built-client.ts';

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
  const say = (what) => { document.body.setAttribute('data-' + what, 'yes') };
  const drawing = canvas.getContext('2d');
  drawing.fillStyle = 'rgb(9, 8, 7)';
  drawing.fillRect(0, 0, 20, 20);
  if (drawing.getImageData(1, 1, 1, 1).data[0] === 9) say('canvas');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    document.body.dataset.form = new FormData(form).get('word');
  });
  if (eval('1 + 1') === 2) say('eval');
  new Worker('data:text/javascript,postMessage(1)').onmessage = () => say('data-worker');
  fetch('data:text/plain,fetched').then((answer) => answer.text()).then(say);
  const framed = document.body.appendChild(document.createElement('iframe'));
  framed.src = 'data:text/html,<script>parent.postMessage("framed", "*")<' + '/script>';
  const blobbed = document.body.appendChild(document.createElement('iframe'));
  blobbed.src = URL.createObjectURL(new Blob(
    ['<script>parent.postMessage("blobbed", "*")<' + '/script>'], { type: 'text/html' }));
  addEventListener('message', ({ data }) => /framed|blobbed/.test(data) && say(data));
  const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])));
  worker.onmessage = () => say('worker');
  import('data:text/javascript,export default 1').then(() => say('module'));
  save.href = URL.createObjectURL(new Blob(['saved']));
  const blob = new Image();
  canvas.toBlob((bytes) => { blob.src = URL.createObjectURL(bytes) });
  blob.onload = () => say('blob');
  requestAnimationFrame(() => say('animation'));
</script>`;

const PARTS = 'canvas eval worker data-worker fetched framed blobbed module blob animation'.split(
  ' ',
);

/** A page that remembers, copies and fills the screen. */
const REMEMBERING = `<!doctype html><html><head><title>Remembering</title><script>
  const before = localStorage.getItem('n');
  localStorage.setItem('n', 1);
  localStorage.theme = 'dark';
  sessionStorage.setItem('s', { toString: () => 'text' });
  localStorage.setItem('gone', 'x');
  delete localStorage.gone;
  document.cookie = 'a=b; path=/';
  document.cookie = 'c=d=e; max-age=60';
  document.cookie = 'old=x; expires=Thu, 01 Jan 1970 00:00:00 GMT';
</script></head><body><p id="stored"></p><p id="refused"></p>
<button id="copy">Copy</button><button id="full">Full</button><script>
  stored.textContent = JSON.stringify({
    before, n: localStorage.n, keys: Object.keys(localStorage), length: localStorage.length,
    has: 'theme' in localStorage, missing: localStorage.getItem('x'), undefined: localStorage.x ?? null,
    session: sessionStorage.getItem('s'), cookie: document.cookie, key: localStorage.key(1),
    is: localStorage instanceof Storage, whole: { ...localStorage },
  });
  const result = (button, work, done) => {
    button.onclick = () => work().then(() => done, (error) => error.message)
      .then((text) => { button.dataset.result = text });
  };
  result(copy, () => navigator.clipboard.writeText('copied'), 'copied');
  result(full, () => document.documentElement.requestFullscreen(), 'full');
  (async () => {
    const names = [];
    for (const work of [
      () => indexedDB.open('a'),
      () => caches.open('a'),
      () => localStorage.setItem('big', 'x'.repeat(6e6)),
      () => document.documentElement.requestFullscreen(),
    ]) try { await work(); names.push('worked') } catch (error) { names.push(error.name) }
    refused.textContent = JSON.stringify(names);
    document.body.dataset.done = 'yes';
  })();
</script>`;

const STORED = {
  before: null,
  n: '1',
  keys: ['n', 'theme'],
  length: 2,
  has: true,
  missing: null,
  undefined: null,
  session: 'text',
  cookie: 'a=b; c=d=e',
  key: 'theme',
  is: true,
  whole: { n: '1', theme: 'dark' },
};

/** The fields of an image element that these tests read. */
interface Sized {
  naturalWidth: number;
}

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
    for (const what of PARTS) {
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
    assert.deepEqual(seen.console, []);
    await page.close();
  });

  it('says what is missing, in the bar around it', async () => {
    const html = `<!doctype html><title>Chart</title><script src="https://cdn.example/chart.js"></script>
      <link rel="stylesheet" href="https://fonts.example/css"><img src="chart.png"><p>Here.`;
    const { data } = await ada.post('/user/pages', { html, name: 'missing' });
    const page = await browser.newPage();
    await page.goto(data.url);
    const note = page.locator('.missing-parts');
    await note.waitFor();
    await page.waitForFunction(
      "/beside/.test(document.querySelector('.missing-parts').textContent)",
    );
    const text = (await note.textContent()) ?? '';
    assert.match(text, /^Parts of this page are missing\. It asks for /);
    for (const part of ['cdn.example', 'fonts.example', 'files beside it']) {
      assert.ok(text.includes(part), text);
    }
    const whole = await ada.post('/user/pages', { html: '<title>Whole</title><p>Here.' });
    await page.goto(whole.data.url);
    await page.frames()[1]?.waitForSelector('p');
    assert.equal(await note.count(), 0);
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
      assert.deepEqual(console, [], url);
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

/** In the whole Chromium, because the headless one lets nobody write to the clipboard. */
describe('A page in its frame or a tab', { skip: wholeBrowserMissing || clientMissing }, () => {
  let ada: Client;
  let browser: Browser;

  openStage({ executablePath: WHOLE_CHROMIUM }, async (stage) => {
    ({ browser } = stage);
    ada = await stage.service.user('ada');
  });

  it('remembers what it stores until it ends, copies and fills the screen after a click', async () => {
    const { data } = await ada.post('/user/pages', { html: REMEMBERING, name: 'remembering' });
    for (const url of [data.url, data.renderUrl]) {
      const page = await browser.newPage();
      const seen = watch(page);
      await page.goto(url);
      const frame = page.frames().at(-1);
      assert.ok(frame);
      await frame.waitForSelector('body[data-done]');
      assert.deepEqual(JSON.parse((await frame.textContent('#stored')) ?? ''), STORED, url);
      assert.deepEqual(JSON.parse((await frame.textContent('#refused')) ?? ''), [
        'SecurityError',
        'SecurityError',
        'QuotaExceededError',
        'TypeError',
      ]);
      await frame.click('#copy');
      await frame.waitForSelector('#copy[data-result="copied"]');
      // Without a click, the clipboard stays as it is. `evaluate` alone would count as one.
      const late = await frame.evaluate(`new Promise((done) => setTimeout(done, 6000)).then(() =>
        navigator.clipboard.writeText('unasked')).then(() => 'written', ({ name }) => name)`);
      assert.equal(late, 'NotAllowedError');
      await frame.click('#full');
      await frame.waitForSelector('#full[data-result="full"]');
      assert.deepEqual(seen.errors, []);
      await page.reload();
      await page.frames().at(-1)?.waitForSelector('body[data-done]');
      assert.match((await page.frames().at(-1)?.textContent('#stored')) ?? '', /"before":null/);
      await page.close();
    }
  });
});
