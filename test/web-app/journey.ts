import { strict as assert } from 'node:assert';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Service } from '../harness.ts';
import { takeSignedIn } from '../in-browser.ts';
import { giveBack, pageOf } from '../windows.ts';
import type { Person } from './world.ts';

/** Somebody at a browser of their own. */
export interface Journey {
  context: BrowserContext;
  page: Page;
  /** Goes to a path of the web host; gives the status. */
  go(path: string): Promise<number>;
  /**
   * Leaves the window to the next test; it must not have complained of anything. With `close`, closes
   * it: for tests with a clock, init scripts or emulated media.
   */
  end(options?: { close: boolean }): Promise<void>;
}

/** How long something may take to show, on a machine that does other things, too. */
const PATIENCE_MS = 20_000;

/**
 * Opens a browser.
 *
 * @param person who is signed in there, if anybody
 */
export async function beginJourney(
  service: Service,
  person?: Person,
  options: BrowserContextOptions = {},
): Promise<Journey> {
  const all = { reducedMotion: 'reduce', ...options } as const;
  const context = await takeSignedIn(service, person?.visitor, all);
  context.setDefaultTimeout(PATIENCE_MS);
  const url = service.webUrl;
  const complaints: string[] = [];
  context.on('console', (message) => {
    const text = message.text();
    const isComplaint = message.type() === 'error' || /Content Security Policy/i.test(text);
    // What fails to load is looked at by its status.
    if (isComplaint && !text.startsWith('Failed to load resource')) complaints.push(text);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('response', (response) => {
    const isPart = /^(stylesheet|script|image|font)$/.test(response.request().resourceType());
    if (response.status() >= (isPart ? 400 : 500)) {
      complaints.push(`${response.status()} ${response.url()}`);
    }
  });
  const page = await pageOf(context);
  return {
    context,
    page,
    async go(path) {
      const response = await page.goto(url + path);
      return response?.status() ?? 0;
    },
    async end({ close } = { close: false }) {
      await (close ? context.close() : giveBack(context, url));
      assert.deepEqual(complaints, []);
    },
  };
}

/** Presses Tab until something has the focus, as somebody without a mouse would. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  const { keyboard } = target.page();
  for (let presses = 0; presses < 80; presses++) {
    if (await hasFocus(target)) return;
    await keyboard.press(key);
  }
  assert.fail(`${target} cannot be reached by ${key}`);
}

export function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement);
}

/** Waits until something has the focus, also if it is made anew meanwhile. */
export async function focused(target: Locator): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!(await hasFocus(target))) {
    if (Date.now() < until) continue;
    const has = await target.page().evaluate(() => document.activeElement?.outerHTML);
    assert.fail(`${target} has not the focus, but ${has?.slice(0, 200)}`);
  }
}

/** Waits for a toast with these words. */
export async function toast(page: Page, words: string | RegExp): Promise<Locator> {
  // One that a dialog left behind may say the same.
  const shown = page.locator('.toast').filter({ hasText: words }).last();
  await shown.waitFor();
  return shown;
}

/** Waits until the editor takes what is typed. */
export async function editorReady(page: Page): Promise<void> {
  await page.waitForSelector('#editor[data-ready]');
}

/** Waits until everything that was written is saved. */
export async function saved(page: Page): Promise<void> {
  await page.waitForSelector('#save-state[data-state="saved"]');
}

/** Runs in the page: what it does as its size changes, or as an answer comes, it has done by then. */
export function afterFrames(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
