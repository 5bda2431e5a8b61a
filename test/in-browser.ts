import { after, before } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { type Service, startService } from './harness.ts';
import { launch } from './render/browser.ts';
import type { Visitor } from './sign-in/visitor.ts';
import { browserMissing, clientMissing } from './web/built-client.ts';
import { makePerson, type Person } from './web-app/world.ts';
import { leaveBrowser, sharedBrowser, takeWindow } from './windows.ts';

/** What tests in a browser start with: the service, a browser, and people by username. */
export type Stage<Name extends string> = Record<Name, Person> & {
  service: Service;
  browser: Browser;
};

/** Options of a `describe` for tests in a browser: why they can't run here, if so. */
export const IN_BROWSER = { skip: browserMissing || clientMissing };

/**
 * Starts a service and a browser before the tests of the current `describe`, and stops them
 * afterwards. To close something else earlier, call `after` before this.
 *
 * @param options.people usernames of accounts to create, each with a session and a token
 * @param options.start starts another service than the default one
 * @param ready receives the started stage, and prepares the rest
 */
export function openStage<Name extends string = never>(
  options: {
    people?: readonly Name[];
    start?: () => Promise<Service>;
    executablePath?: string;
  },
  ready: (stage: Stage<Name>) => void | Promise<void>,
): void {
  let service: Service | undefined;
  let browser: Browser | undefined;
  before(async () => {
    const started = await (options.start ?? startService)();
    service = started;
    const { executablePath } = options;
    browser = await (executablePath ? launch(executablePath) : sharedBrowser());
    const people = await Promise.all(
      (options.people ?? []).map(async (name) => [name, await makePerson(started, name)] as const),
    );
    const byName = Object.fromEntries(people) as Record<Name, Person>;
    await ready({ ...byName, service, browser });
  });
  after(async () => {
    if (options.executablePath) await browser?.close();
    else await leaveBrowser();
    await service?.stop();
  });
}

/** Without a service worker, whose requests Playwright's `route` doesn't see. */
const NO_WORKER = { serviceWorkers: 'block' } as const;

/** Opens a browser context with a visitor's session, if there is one. */
export async function signedIn(
  browser: Browser,
  service: Service,
  visitor?: Visitor,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...NO_WORKER, ...options });
  await addSession(context, service, visitor);
  return context;
}

/** The same in a context of the shared browser, which another test may have given back. */
export async function takeSignedIn(
  service: Service,
  visitor?: Visitor,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await takeWindow({ ...NO_WORKER, ...options });
  await addSession(context, service, visitor);
  return context;
}

async function addSession(
  context: BrowserContext,
  { webUrl: url }: Service,
  visitor?: Visitor,
): Promise<void> {
  const cookies = Array.from(visitor?.cookies ?? [], ([name, value]) => ({ name, value, url }));
  await context.addCookies(cookies);
}
