import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { freePorts } from '../../../test/free-ports.ts';
import { type Service, startService } from '../../../test/harness.ts';
import { launch } from '../../../test/render/browser.ts';
import { PASSWORD } from '../../../test/sign-in/visitor.ts';
import { browserMissing, builtFile, clientMissing } from '../../../test/web/built-client.ts';
import { beginJourney, type Journey } from '../../../test/web-app/journey.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const MAX_WORKER_BYTES = 3 * 1024;

describe('Without a network', { skip: browserMissing || clientMissing }, async () => {
  const service = await startService();
  const ada = await makePerson(service, 'ada');
  await makePerson(service, 'grace');
  for (const [name, content] of [
    ['plan', '# The plan\n\nTables first.'],
    ['notes', '# The notes'],
  ]) {
    await ada.client.post('/user/briefs', { name, content, visibility: 'private' });
  }
  await ada.client.post('/user/pages', { name: 'dice', html: '<title>Dice</title>' });
  const browser = await launch();
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Opens a user's browser and waits until its service worker runs. */
  async function begin(of: Service = service, who: Person = ada): Promise<Journey> {
    const journey = await beginJourney(of, who, { serviceWorkers: 'allow' });
    await journey.go('/');
    await journey.page.evaluate(() => navigator.serviceWorker.ready);
    await journey.page.waitForFunction(() => navigator.serviceWorker.controller);
    return journey;
  }

  const kept = (page: Page) =>
    page.evaluate(async () => {
      const paths: string[] = [];
      for (const name of await caches.keys()) {
        if (!name.startsWith('copies-')) continue;
        for (const { url } of await (await caches.open(name)).keys()) {
          paths.push(new URL(url).pathname);
        }
      }
      return paths.sort();
    });

  /** Waits until copies of exactly these paths are stored. */
  async function keeps(page: Page, paths: string[]): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (JSON.stringify(await kept(page)) === JSON.stringify(paths)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(await kept(page), paths);
  }

  it('a brief that was read opens with its styles and a notice; other addresses list it', async () => {
    const { context, page, go } = await begin();
    await go('/read/ada/plan');
    await keeps(page, ['/read/ada/plan']);
    await context.setOffline(true);
    await page.reload();
    await page.getByText('You’re offline. This is what you read on').waitFor();
    await page.getByRole('heading', { name: 'The plan' }).waitFor();
    const display = await page.locator('.bar').evaluate((bar) => getComputedStyle(bar).position);
    assert.equal(display, 'sticky', 'it has its styles');
    await go('/');
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    await go('/drafts');
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    await page.getByRole('link', { name: 'The plan' }).click();
    await page.getByText('Tables first.').waitFor();
    await context.setOffline(false);
    await ada.client.patch('/briefs/ada/plan', { content: '# The plan\n\nMirrors first.' });
    await page.reload();
    await page.getByText('Mirrors first.').waitFor();
    assert.equal(await page.getByText('You’re offline').count(), 0);
    await context.close();
  });

  it('only briefs are stored, and none that can no longer be read', async () => {
    const { context, page, go } = await begin();
    await go('/read/ada/notes');
    await go('/read/ada/pages/dice');
    await go('/history/ada/notes');
    await go('/settings/tokens');
    await keeps(page, ['/read/ada/notes']);
    await ada.client.delete('/briefs/ada/notes');
    assert.equal(await go('/read/ada/notes'), 404);
    await keeps(page, []);
    await context.close();
  });

  it('signing out deletes all copies, also without a network', async () => {
    const { context, page, go } = await begin();
    await go('/read/ada/plan');
    await keeps(page, ['/read/ada/plan']);
    await go('/');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await context.setOffline(false);
    await go('/reference');
    await keeps(page, []);
    await context.close();
  });

  it('another account sees no copies', async () => {
    const { context, page, go } = await begin();
    await go('/read/ada/plan');
    await keeps(page, ['/read/ada/plan']);
    await context.clearCookies();
    await go('/sign-in');
    await keeps(page, []);
    await page.getByLabel('Username').fill('grace');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${service.webUrl}/`);
    await context.setOffline(true);
    await go('/read/ada/plan');
    await page.getByText('None yet.').waitFor();
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

  it('once turned off, the worker deletes its copies and itself', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-offline-'));
    const [port, renderPort] = await freePorts(2);
    const settings = { DATA_DIR: dataDir, PORT: `${port}`, RENDER_PORT: `${renderPort}` };
    const on = await startService(settings);
    const grace = await makePerson(on, 'grace');
    await grace.client.post('/user/briefs', { name: 'tables', content: '# Tables' });
    const { context, page, go } = await begin(on, grace);
    await go('/read/grace/tables');
    await keeps(page, ['/read/grace/tables']);
    await on.stop();
    const off = await startService({ ...settings, OFFLINE_COPIES: 'off' });
    await go('/');
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      await registration?.update();
    });
    await keeps(page, []);
    await go('/read/grace/tables');
    assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistration()), undefined);
    assert.deepEqual(await page.evaluate(() => caches.keys()), []);
    await context.close();
    await off.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
