import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launch } from './render/browser.ts';
import { atEnd, IS_WORKER } from './worker-end.ts';

// All test files of a worker share a browser, and their tests share windows. A new context with a
// page costs three times as much processor time as loading a page in an old one.

/** A context with one page, which a test left for the next one. */
interface Window {
  context: BrowserContext;
  /** Without `viewport`, which can change. */
  options: string;
}

/** Each has a process of some 100 MB. */
const MOST_IDLE = 3;

/** Where pages wait. They stay on the web host, because another site is another process. */
const LEFT_AT = '/robots.txt';

/** What tests listen to. Playwright listens to some other events itself. */
const EVENTS = [
  'console',
  'dialog',
  'download',
  'pageerror',
  'popup',
  'page',
  'weberror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
];

let browser: Promise<Browser> | undefined;
let idle: Window[] = [];
const taken = new Map<BrowserContext, Window>();

atEnd.push(closeBrowser);

async function closeBrowser(): Promise<void> {
  idle = [];
  taken.clear();
  await (await browser)?.close();
}

/** Returns this process's browser. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await browser)?.isConnected()) browser = launch();
  return browser as Promise<Browser>;
}

/**
 * Returns a context as if new, but it may have a page, for `pageOf`. Tests should give it back, or close
 * it if they did something to it that `giveBack` doesn't undo.
 */
export async function takeWindow({
  viewport = { width: 1280, height: 720 },
  ...others
}: BrowserContextOptions): Promise<BrowserContext> {
  const browser = await sharedBrowser();
  const options = JSON.stringify(others);
  const fits = (window: Window) =>
    window.options === options && window.context.browser() === browser;
  const found = idle.find(fits);
  idle = idle.filter((window) => window !== found);
  const context = found?.context ?? (await browser.newContext({ ...others, viewport }));
  if (found && viewport) await context.pages()[0]?.setViewportSize(viewport);
  taken.set(context, { context, options });
  return context;
}

/** Returns the page that the last test left in this context, or a new one. */
export async function pageOf(context: BrowserContext): Promise<Page> {
  return context.pages().find((page) => page.url().endsWith(LEFT_AT)) ?? context.newPage();
}

/**
 * Leaves a context to the next test, without its listeners, routes, cookies and what is stored for
 * the web host. Init scripts, permissions and emulated media would stay. Closes a context whose clock or
 * WebSockets are replaced, because they would stay, too.
 *
 * @param origin of the web host
 */
export async function giveBack(context: BrowserContext, origin: string): Promise<void> {
  const window = taken.get(context);
  const [page, ...others] = context.pages();
  if (!window || !page) return context.close();
  taken.delete(context);
  for (const other of others) await other.close();
  for (const event of EVENTS) {
    context.removeAllListeners(event as 'page');
    page.removeAllListeners(event as 'popup');
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(origin + LEFT_AT);
  if (!(await page.evaluate(hasOwnParts))) return context.close();
  await page.evaluate(() => sessionStorage.clear());
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
  await context.clearCookies();
  idle.push(window);
  if (idle.length > MOST_IDLE) await idle.shift()?.context.close();
}

/** Tells whether a page has the browser's own clock and WebSockets. */
function hasOwnParts(): boolean {
  return [WebSocket, setTimeout].every((part) => String(part).includes('[native code]'));
}

/** Ends a file's use of the browser, or of all contexts but those that were given back. */
export async function leaveBrowser(): Promise<void> {
  if (!IS_WORKER) return closeBrowser();
  taken.clear();
  const contexts = (await browser)?.contexts() ?? [];
  const others = contexts.filter((one) => !idle.some(({ context }) => context === one));
  await Promise.all(others.map((context) => context.close()));
}
