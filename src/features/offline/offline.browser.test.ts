import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { launch } from '../../../test/render/browser.ts';
import { browserMissing, builtFile, clientMissing } from '../../../test/web/built-client.ts';
import { beginJourney, type Journey } from '../../../test/web-app/journey.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const MAX_WORKER_BYTES = 1.5 * 1024;

describe('Without a network', { skip: browserMissing || clientMissing }, async () => {
  const service = await startService();
  const ada = await makePerson(service, 'ada');
  await ada.client.post('/user/briefs', {
    name: 'plan',
    content: '# The plan\n\nTables first.',
    visibility: 'private',
  });
  const browser = await launch();
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Opens the user's browser and waits until its service worker runs. */
  async function begin(): Promise<Journey> {
    const journey = await beginJourney(service, ada, { serviceWorkers: 'allow' });
    await journey.go('/');
    await journey.page.evaluate(() => navigator.serviceWorker.ready);
    await journey.page.waitForFunction(() => navigator.serviceWorker.controller);
    return journey;
  }

  it('an editor that is reloaded says that the unsent text is kept, and has it again later', async () => {
    const { context, page, go } = await begin();
    await go('/edit/ada/plan');
    await page.locator('.cm-content').click();
    await context.setOffline(true);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Mirrors next.');
    await page.locator('[data-state="offline"]').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    await page.getByText('is kept in this browser').waitFor();
    const margin = await page.locator('.column').evaluate((it) => getComputedStyle(it).maxWidth);
    assert.notEqual(margin, 'none', 'it has its styles');
    await go('/drafts');
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    await context.setOffline(false);
    await go('/edit/ada/plan');
    await page.locator('.cm-content').getByText('Tables first. Mirrors next.').waitFor();
    await context.close();
  });

  it('nothing that was read is stored, and copies of earlier versions are deleted', async () => {
    const { context, page, go } = await begin();
    await go('/read/ada/plan');
    const stored = () =>
      page.evaluate(async () => {
        const paths: string[] = [];
        for (const name of await caches.keys()) {
          for (const { url } of await (await caches.open(name)).keys()) {
            paths.push(new URL(url).pathname);
          }
        }
        return paths.filter((path) => !path.startsWith('/assets/'));
      });
    assert.deepEqual(await stored(), ['/offline.html']);
    await page.evaluate(async () => {
      await (await caches.open('copies-ada')).put('/read/ada/plan', new Response('The plan'));
      const registration = await navigator.serviceWorker.getRegistration();
      await registration?.unregister();
    });
    assert.equal((await stored()).length, 2);
    await go('/');
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    assert.equal(await page.evaluate(() => caches.has('copies-ada')), false);
    await context.setOffline(true);
    await go('/read/ada/plan');
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    await context.close();
  });

  it('the worker is small, and the manifest has icons', async () => {
    const worker = await (await fetch(`${service.webUrl}/service-worker.js`)).text();
    assert.ok(worker.length > 500 && worker.length <= MAX_WORKER_BYTES, `${worker.length} bytes`);
    const answer = await fetch(`${service.webUrl}/manifest.webmanifest`);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/);
    const manifest = (await answer.json()) as { icons: { src: string; sizes: string }[] };
    for (const { src, sizes } of manifest.icons) {
      const bytes = builtFile(src);
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
    }
  });
});
