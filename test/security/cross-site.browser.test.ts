import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { PASSWORD, signUp, startWithVisitors } from '../sign-in/visitor.ts';

/** More than the exports that one account has in five minutes. */
const IMAGES = 30;

describe('A brief’s images in a browser', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;

  openStage({ start: () => startWithVisitors() }, (stage) => {
    ({ service, browser } = stage);
  });

  it('can’t use up the reader’s exports', async () => {
    await signUp(service, 'reader');
    const author = await service.user('author');
    const images = Array.from({ length: IMAGES }, (_, index) => `![](/export?${index})`);
    await author.post('/user/briefs', {
      name: 'album',
      content: `# Album\n\n${images.join('\n')}`,
    });

    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${service.webUrl}/sign-in`);
    await page.getByLabel('Username or email address').fill('reader');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${service.webUrl}/`);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/export?')) statuses.push(response.status());
    });
    for (const path of ['/author/album', '/read/author/album']) {
      await page.goto(service.webUrl + path, { waitUntil: 'networkidle' });
      // Images further down load as they come into view.
      await page.evaluate(
        `document.querySelectorAll('img').forEach((image) => { image.loading = 'eager'; })`,
      );
      await page.waitForLoadState('networkidle');
    }
    assert.ok(statuses.length >= IMAGES, `${statuses.length} images were asked for`);
    assert.deepEqual([...new Set(statuses)], [403]);

    const exported = await context.request.get(`${service.webUrl}/export`);
    assert.equal(exported.status(), 200);
    const downloaded = page.waitForEvent('download');
    await page.evaluate(`location.href = '/export'`);
    assert.match((await downloaded).suggestedFilename(), /\.zip$/);
    await context.close();
  });
});
