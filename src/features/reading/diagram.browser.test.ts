import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { after, describe, it } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import {
  browserMissing,
  builtFile,
  CHROMIUM,
  clientMissing,
  MANIFEST,
} from '../../../test/web/built-client.ts';
import { readingPage, site } from '../../../test/web/samples.ts';
import { loadAssets } from '../../surfaces/web/assets.ts';
import { webHeaders } from '../../surfaces/web/security-headers.ts';
import { renderReadingPage } from './reading-page.tsx';

const GOOD = 'flowchart LR\n  A[Write] --> B[Read]';
const BROKEN = 'flowchart LR\n  A -->';
/** Hostile diagrams. EVIL stands for the address of a server that counts requests. */
const HOSTILE = {
  'a javascript: link': 'flowchart LR\n  A --> B\n  click A "javascript:alert(1)"',
  'a callback': 'flowchart LR\n  A --> B\n  click A call alert(1)',
  'a loosened security level':
    '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n' +
    '  A["<img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"',
  'loosened in the front matter':
    '---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n---\nflowchart LR\n' +
    '  A["<script>alert(1)</script><img src=x onerror=alert(1)>"] --> B',
  'markup in labels':
    'flowchart LR\n  A["<img src=EVIL/a onerror=alert(1)><iframe src=EVIL>"] --> B',
  'styles that load': 'flowchart LR\n  A --> B\n  style A fill:url(EVIL/fill)',
  'a theme that loads':
    '%%{init: {"themeCSS": "@import url(EVIL/theme.css);", "fontFamily": "x;}' +
    '*{background:url(EVIL/font)}"}}%%\nflowchart LR\n  A --> B',
  'a link out': 'flowchart LR\n  A --> B\n  click A href "EVIL/out" _top',
  'markup in a sequence':
    'sequenceDiagram\n  participant A as <img src=x onerror=alert(1)>\n  A->>A: <svg onload=alert(1)>',
  'a picture from elsewhere': 'flowchart LR\n  A@{ img: "EVIL/node.png", label: "x" }',
};

describe('Diagrams in a brief', { skip: clientMissing || browserMissing }, async () => {
  const documents = new Map<string, string>();
  const visits: string[] = [];

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', origin).pathname;
    const headers = webHeaders({ webUrl: origin, renderUrl: 'http://localhost:1' });
    if (path.startsWith('/assets/')) {
      response.writeHead(200, { ...headers.asset(path), 'content-type': MEDIA[extname(path)] });
      response.end(builtFile(path));
    } else {
      const html = documents.get(path);
      response.writeHead(html ? 200 : 404, { ...headers.page, 'content-type': 'text/html' });
      response.end(html);
    }
  });
  const origin = await listen(server);
  const evil = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end();
  });
  const evilOrigin = await listen(evil);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });

  after(async () => {
    await browser?.close();
    server?.close();
    evil?.close();
  });

  /** Opens a brief with these diagrams and records errors and unexpected requests. */
  async function open(...sources: string[]): Promise<{ page: Page; trouble: string[] }> {
    const path = `/ada/brief-${documents.size}`;
    const html = sources.map(
      (source) =>
        '<pre class="mermaid-source" data-diagram="mermaid"><code>' +
        `${source.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`,
    );
    const assets = loadAssets(MANIFEST);
    const document = readingPage({ html: html.join('\n'), diagrams: true });
    documents.set(path, renderReadingPage({ ...site, assets, webUrl: origin }, document));

    const page = await browser.newPage();
    const trouble: string[] = [];
    page.on('dialog', (dialog) => {
      trouble.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => trouble.push(`popup ${popup.url()}`));
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(`console ${message.text()}`);
    });
    page.on('pageerror', (error) => trouble.push(`error ${error.message}`));
    await page.goto(origin + path);
    return { page, trouble };
  }

  /** Waits until every diagram is drawn or explained. */
  const settled = (page: Page, count: number) =>
    page
      .locator('.diagram img, .diagram-note')
      .nth(count - 1)
      .waitFor();

  it('are drawn as images above their folded source, by one frame with an opaque origin', async () => {
    const { page, trouble } = await open(GOOD, 'sequenceDiagram\n  A->>B: Hello');
    await settled(page, 2);
    const widths = await page.$$eval('.diagram img', (images) =>
      images.map((image) => (image as { naturalWidth?: number }).naturalWidth ?? 0),
    );
    assert.equal(widths.length, 2);
    assert.ok(
      widths.every((width) => width > 50),
      `${widths}`,
    );
    await page.click('.diagram summary');
    assert.equal(await page.textContent('.diagram details[open] pre'), GOOD);

    const [frame, ...more] = page.frames().slice(1);
    assert.ok(frame && more.length === 0);
    assert.equal(await frame.evaluate('origin'), 'null');
    assert.deepEqual(trouble, []);
  });

  it('are redrawn when the theme changes', async () => {
    const { page, trouble } = await open(GOOD);
    await settled(page, 1);
    const before = await page.getAttribute('.diagram img', 'src');
    await page.click('[data-action="theme"]');
    await page.waitForSelector('.diagram[data-theme="dark"]');
    await page.waitForFunction(
      (src) => document.querySelector('.diagram img')?.getAttribute('src') !== src,
      before,
    );
    assert.deepEqual(trouble, []);
  });

  it('have parts that stand out from the page, and text that can be read on the author’s fills', async () => {
    const pie = 'pie\n  "A" : 60\n  "B" : 30\n  "C" : 10';
    const filled = 'flowchart LR\n  A[Light]\n  classDef own fill:#fdd\n  class A own';
    const { page } = await open(pie, filled);
    await page.click('[data-action="theme"]');
    await page.locator('.diagram[data-theme="dark"]').nth(1).waitFor();
    const [slices, text] = (await page.evaluate(`(async () => {
      const shown = [...document.querySelectorAll('.diagram img')].map((image) => {
        const svg = decodeURIComponent(image.src.slice(image.src.indexOf(',') + 1));
        return new DOMParser().parseFromString(svg, 'image/svg+xml');
      });
      document.body.style.color = 'var(--paper)';
      const paper = getComputedStyle(document.body).color;
      const lightness = (colour) => colour.match(/[0-9]+/g).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0.05);
      const slices = [...shown[0].querySelectorAll('.pieCircle')];
      return [
        slices.map((slice) => lightness(slice.getAttribute('fill')) / lightness(paper)),
        [...shown[1].querySelectorAll('.node text tspan')].at(-1).getAttribute('style'),
      ];
    })()`)) as [number[], string];
    assert.equal(slices.length, 3);
    assert.ok(
      slices.every((ratio) => ratio >= 3),
      `${slices}`,
    );
    assert.match(text, /fill: black/);
  });

  it('stay text with a note if they have an error, and others are still drawn', async () => {
    const { page } = await open(BROKEN, GOOD, `flowchart LR\n  A["${'x'.repeat(20_000)}"]`);
    await settled(page, 3);
    const notes = await page.$$eval('.diagram-note', (all) => all.map((one) => one.textContent));
    assert.match(notes[0] ?? '', /draw this diagram: Parse error on line/);
    assert.match(notes[1] ?? '', /too long/);
    assert.ok(await page.isVisible('article pre:has(+ .diagram-note)'));
    assert.equal(await page.locator('.diagram img').count(), 1);
  });

  for (const [what, source] of Object.entries(HOSTILE)) {
    it(`with ${what} run no script, open no address and load nothing`, async () => {
      const { page, trouble } = await open(source.replaceAll('EVIL', evilOrigin));
      const address = page.url();
      await settled(page, 1);
      if (await page.locator('.diagram img').count()) await page.click('.diagram img');
      await page.waitForTimeout(300);
      assert.equal(page.url(), address);
      assert.deepEqual(visits.splice(0), []);
      // The frame's policy may report what it refused; nothing else may go wrong.
      const refused = /Content Security Policy|ERR_BLOCKED_BY_CSP/;
      assert.deepEqual(
        trouble.filter((one) => !refused.test(one)),
        [],
      );
      assert.equal(await page.locator('article svg, article iframe, article script').count(), 0);
    });
  }

  it('get labels without event handlers, which nothing has to refuse', async () => {
    const { page, trouble } = await open(
      `graph TD\nA["<img src=x onerror='alert(1)'> one"] --> B["<b onclick=alert(1)>two</b>"]`,
    );
    await settled(page, 1);
    assert.deepEqual(
      trouble.filter((one) => /script-src-attr|event handler/.test(one)),
      [],
    );
  });

  it('are accepted only from the frame', async () => {
    const { page } = await open(BROKEN);
    await page.evaluate(`(() => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
      setInterval(() => postMessage({ id: 0, svg, width: 9, height: 9, title: 'forged' }), 1);
    })()`);
    await settled(page, 1);
    assert.equal(await page.locator('.diagram img').count(), 0);
  });

  it('can’t be drawn for pages of other sites', async () => {
    const page = await browser.newPage();
    await page.goto('about:blank');
    await page.setContent(`<iframe src="${origin}/assets/diagram.html"></iframe>`);
    await page.waitForTimeout(300);
    assert.ok(page.frames().every((frame) => !frame.url().endsWith('diagram.html')));
  });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

const MEDIA: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
