import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { setAdmin } from '../../src/core/identity/admin.ts';
import { type Service, startService } from '../harness.ts';
import { IN_BROWSER, openStage, signedIn } from '../in-browser.ts';
import { openPostOffice, type PostOffice } from '../mail/post-office.ts';
import { authorizeUrl, makePkce, REDIRECT, register } from '../oauth/agent.ts';
import type { Visitor } from '../sign-in/visitor.ts';
import { afterFrames } from './journey.ts';
import { CONSENT, SCREENS, type Screen, SECRET_LINK, STATES } from './screens.ts';
import { makePerson, makeWorld } from './world.ts';

/** The folder for screenshots; without it, none are taken. */
const { SCREENSHOTS } = process.env;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose results depend on the width or theme. The others are checked once per screen. */
const RULES_OF_LOOKS = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

/** Each width and each theme once. */
const LOOKS = [
  [360, 'light', undefined],
  [1440, 'dark', RULES_OF_LOOKS],
] as const;

/** Checks only these screens, in both themes: `SCREENS=home,share`. */
const wanted = process.env.SCREENS?.split(',');

/** Operations of the API reference that axe-core skips: all but the first of each tag. */
const ALIKE = '.operation ~ .operation';

interface Finding {
  id: string;
  help: string;
  nodes: { target: string[] }[];
}

describe('Every screen', IN_BROWSER, () => {
  let service: Service;
  let office: PostOffice;
  let browser: Browser;
  const visitors = new Map<string, Visitor>();
  const pages = new Map<string, Promise<Page>>();
  /** The addresses of screens whose paths are placeholders. */
  const addresses = new Map<string, string>();

  after(() => office?.close());
  openStage(
    {
      start: async () => {
        office = await openPostOffice();
        return startService(office.settings);
      },
    },
    async (stage) => {
      ({ service, browser } = stage);
      const { ada } = await makeWorld(service);
      visitors.set('ada', ada.visitor);
      const client = await register(service);
      const request = { client_id: client.client_id, redirect_uri: REDIRECT };
      const { challenge } = makePkce();
      addresses.set(CONSENT, authorizeUrl(service, { ...request, code_challenge: challenge }));
      const link = await ada.client.post('/briefs/ada/plan/links', { access: 'comment' });
      addresses.set(SECRET_LINK, link.data.url);
      visitors.set('newcomer', (await makePerson(service, 'newcomer')).visitor);
      visitors.set('steward', (await makePerson(service, 'steward')).visitor);
      const steward = { username: 'steward', isAdmin: true };
      await setAdmin(service.app.context, undefined, steward);
      if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });
    },
  );

  /**
   * Opens a window with a user's session. A new session for each screen takes four times as long.
   */
  async function windowOf(name: string): Promise<Page> {
    const options = { bypassCSP: true, reducedMotion: 'reduce' } as const;
    const context = await signedIn(browser, service, visitors.get(name), options);
    return context.newPage();
  }

  async function open(screen: Screen): Promise<Page> {
    const as = screen.as ?? 'ada';
    const opened = pages.get(as) ?? windowOf(as);
    pages.set(as, opened);
    const page = await opened;
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: 'light' });
    const address = addresses.get(screen.path) ?? service.webUrl + screen.path;
    await page.goto(address, { waitUntil: 'load' });
    const { opens } = screen;
    if (!opens) return page;
    // Dispatches an event, because a link can be inside a closed menu.
    if ('click' in opens) await page.locator(opens.click).first().dispatchEvent('click');
    else await page.keyboard.press(opens.key);
    await page.locator(opens.shows).first().waitFor();
    return page;
  }

  /** Returns what axe-core finds, by these rules or by all. */
  async function findings(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
    const found = await page.evaluate(
      async ([runOnly, alike]) => {
        const { axe } = globalThis as unknown as {
          axe: { run(where: object, how: object): Promise<{ violations: Finding[] }> };
        };
        const taken = Array.from(document.querySelectorAll(alike), (element) => {
          const place = document.createComment('');
          element.replaceWith(place);
          return () => place.replaceWith(element);
        });
        const how = { iframes: false, ...(runOnly && { runOnly }) };
        const { violations } = await axe.run({ exclude: [['iframe']] }, how);
        for (const putBack of taken) putBack();
        return violations;
      },
      [rules, ALIKE] as const,
    );
    return found.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.target)}`,
    );
  }

  /** Where the first screen with a heading, or tabs below it, had them. */
  const places = new Map<string, number>();

  /** Names headings and tabs that stand elsewhere than on the screens before. */
  async function misplacedHeads(page: Page): Promise<string[]> {
    const tops = await page.evaluate(() =>
      ['.sheet > .page-head h1', '.page-head + .tabs'].flatMap((part) => {
        const box = document.querySelector(part)?.getBoundingClientRect();
        const isOther = document.querySelector('.page-address, .sheet:is(.history, .wide)');
        return box && !isOther ? [[part, box.top + scrollY, box.left] as const] : [];
      }),
    );
    return tops.flatMap(([part, ...place]) =>
      place.flatMap((pixels, axis) => {
        const known = places.get(`${part} ${axis}`) ?? pixels;
        places.set(`${part} ${axis}`, known);
        return pixels === known ? [] : [`${part} at ${pixels} px, elsewhere at ${known} px`];
      }),
    );
  }

  for (const screen of [...SCREENS, ...STATES]) {
    if (wanted && !wanted.includes(screen.name)) continue;
    it(`${screen.name}: is accessible and fits the window, narrow and light or wide and dark`, async () => {
      const faults: string[] = [];
      const page = await open(screen);
      await page.evaluate(AXE);
      for (const [width, colorScheme, rules] of LOOKS) {
        await page.setViewportSize({ width, height: width < 500 ? 760 : 900 });
        await page.evaluate(afterFrames);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (overflow > 0) faults.push(`${width} px: scrolls sideways by ${overflow} px`);
        await page.emulateMedia({ colorScheme });
        if (width > 1000) faults.push(...(await misplacedHeads(page)));
        const where = `${width} px, ${colorScheme}`;
        faults.push(...(await findings(page, rules)).map((finding) => `${where}: ${finding}`));
        if (!SCREENSHOTS) continue;
        for (const theme of ['light', 'dark'] as const) {
          if (theme !== colorScheme && !process.env.SCREENS) continue;
          await page.emulateMedia({ colorScheme: theme });
          await page.screenshot({ path: `${SCREENSHOTS}/${screen.name}-${width}-${theme}.png` });
        }
      }
      assert.deepEqual(faults, []);
    });
  }
});
