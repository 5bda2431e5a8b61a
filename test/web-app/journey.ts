import { strict as assert } from 'node:assert';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Service } from '../harness.ts';
import { takeSignedIn } from '../in-browser.ts';
import { giveBack, pageOf } from '../windows.ts';
import type { Person } from './world.ts';

/** Someone with their own browser. */
export interface Journey {
  context: BrowserContext;
  page: Page;
  /** Goes to a path of the web host; returns the status. */
  go(path: string): Promise<number>;
  /**
   * Returns the window for the next test. It must not have reported errors. With `close`, closes
   * it: for tests with a clock, init scripts or emulated media.
   */
  end(options?: { close: boolean }): Promise<void>;
}

/** The longest time for something to appear on a busy machine. */
const PATIENCE_MS = 20_000;

/**
 * Opens a browser.
 *
 * @param person the signed-in user, if any
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
    // Failed loads are checked by their status.
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

/** Presses Tab until something has the focus, like someone without a mouse. */
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

/** Waits until something has the focus, even if it is rendered again. */
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
  // A closed dialog may have left one with the same text.
  const shown = page.locator('.toast').filter({ hasText: words }).last();
  await shown.waitFor();
  return shown;
}

/** Waits until the editor accepts input. */
export async function editorReady(page: Page): Promise<void> {
  await page.waitForSelector('#editor[data-ready]');
}

/** Waits until everything typed is saved. */
export async function saved(page: Page): Promise<void> {
  await page.waitForSelector('#save-state[data-state="saved"]');
}

/** Runs in the page: handlers of resizing or of a response have finished by then. */
export function afterFrames(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}

/** Shows the source of a brief beside its preview; on phones, the source. */
export async function inSplit(page: Page): Promise<void> {
  const shown = await page.locator('.panes').getAttribute('data-shows');
  if (shown === 'write') await page.keyboard.press('Control+Alt+Shift+d');
}
