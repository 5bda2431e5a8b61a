import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startService } from '../../../test/harness.ts';
import { launch } from '../../../test/render/browser.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { browserMissing, clientMissing } from '../../../test/web/built-client.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const TALL = 'A line.\n\n'.repeat(60);
const CONTENT = `# Gears\n\n## One\n\ntext\n\n---\n\n${TALL}\n## Last\n\n[a link](https://example.com)`;

describe('Presenting a brief', { skip: browserMissing || clientMissing }, async () => {
  const service = await startService();
  const browser = await launch();
  const ada = await makePerson(service, 'ada');
  for (const [name, visibility] of [
    ['talk', 'public'],
    ['own', 'private'],
  ]) {
    await ada.client.post('/user/briefs', { name, content: CONTENT, visibility });
  }
  await ada.client.post('/user/pages', { name: 'dice', html: '<p>1', visibility: 'public' });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  it('is possible for everyone who can read it, with a link from the brief', async () => {
    const [nobody, grace] = [newVisitor(service), await makePerson(service, 'grace')];
    const at = (name: string) => `/present/ada/${name}`;
    for (const visitor of [nobody, grace.visitor, ada.visitor]) {
      const { status, text } = await visitor.get(at('talk'));
      assert.equal(status, 200);
      assert.equal(text.match(/<section class="slide"/g)?.length, 4);
      assert.match(text, /<meta name="robots" content="noindex"/);
    }
    assert.equal((await ada.visitor.get(at('own'))).status, 200);
    for (const name of ['own', 'nothing']) {
      assert.equal((await grace.visitor.get(at(name))).status, 404);
      const { status, headers } = await nobody.get(at(name));
      assert.equal(status, 303);
      assert.match(String(headers.get('location')), /^\/sign-in\?/);
    }
    const page = await ada.visitor.get('/present/ada/pages/dice');
    assert.equal(page.headers.get('location'), '/read/ada/pages/dice');
    assert.match((await nobody.get('/ada/talk')).text, /href="\/present\/ada\/talk"/);
    assert.match((await ada.visitor.get('/read/ada/own')).text, /href="\/present\/ada\/own"/);
    assert.doesNotMatch((await ada.visitor.get('/read/ada/pages/dice')).text, /\/present\//);
  });

  async function open(
    path: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(service.webUrl + path);
    return { context, page };
  }
  const at = (page: Page, number: number) =>
    page.waitForFunction((hash) => location.hash === hash, `#${number}`);
  /** The slide at the top of the window. */
  const shown = (page: Page) =>
    page.evaluate(() => {
      const top = document.querySelector('.slides')?.getBoundingClientRect().top ?? 0;
      const slides = [...document.querySelectorAll('.slide')];
      return slides.findIndex((slide) => Math.abs(slide.getBoundingClientRect().top - top) < 2) + 1;
    });

  it('steps through slides with keys, and the address has the slide’s number', async () => {
    const { context, page } = await open('/present/ada/talk');
    await at(page, 1);
    for (const [key, number] of [
      ['ArrowRight', 2],
      ['ArrowLeft', 1],
      ['Space', 2],
      ['ArrowDown', 3],
      ['End', 4],
      ['PageUp', 3],
      ['Home', 1],
    ] as const) {
      await page.keyboard.press(key);
      await at(page, number);
      assert.equal(await shown(page), number, key);
    }
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await at(page, 3);
    await page.keyboard.press('Space');
    while ((await shown(page)) === 3) await page.waitForTimeout(20);
    assert.match(page.url(), /#3$/, 'the rest of a tall slide comes first');

    await page.goto(`${service.webUrl}/present/ada/talk#2`);
    await page.reload();
    await at(page, 2);
    assert.equal(await shown(page), 2);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement?.className === 'slides');
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement === null);
    await page.keyboard.press('Escape');
    await page.waitForURL(`${service.webUrl}/ada/talk`);
    await context.close();
  });

  it('shows all slides below each other without scripts, and prints one per sheet', async () => {
    const { context, page } = await open('/present/ada/talk#4', { javaScriptEnabled: false });
    assert.equal(await page.locator('.slide').count(), 4);
    assert.ok(await page.getByRole('link', { name: 'a link' }).isVisible());
    const box = await page.locator('.slide').nth(3).boundingBox();
    assert.ok(box && box.y < 100, 'a fragment leads to its slide');
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const sheets = Number(/\/Type \/Pages[\s\S]*?\/Count (\d+)/.exec(pdf)?.[1] ?? 0);
    assert.ok(sheets >= 4, `${sheets} sheets`);
    await context.close();
  });

  it('changes the slide with a swipe on a phone', async () => {
    const viewport = { width: 360, height: 640 };
    const { context, page } = await open('/present/ada/talk', { hasTouch: true, viewport });
    await at(page, 1);
    const client = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x === undefined ? [] : [{ x, y: 300 }],
      });
    await touch('touchStart', 300);
    await touch('touchMove', 200);
    await touch('touchMove', 100);
    await touch('touchEnd');
    await at(page, 2);
    const isWider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(isWider, false);
    await context.close();
  });
});
