import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Client, Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import {
  type Counter,
  startCounter,
  startPlain,
  startSockets,
  watch,
} from '../../../test/render/browser.ts';
import {
  type Attempt,
  attemptPage,
  LIBERTIES,
  LINKS,
  type Named,
  WAYS_OUT,
} from './attempts.testing.ts';

/** How long to wait for the effects of an attempt, which take a fraction of this. */
const SETTLE_MS = 250;
const AT_ONCE = 4;
/** How many attempts share a page, if they don't navigate away from it. */
const SHARE_A_PAGE = 8;

/** An exception, or nothing to show for it. */
const REFUSED = /^(threw \w+|did )$/;

type Seen = ReturnType<typeof watch>;

describe('A hostile page in its frame', IN_BROWSER, () => {
  let service: Service;
  let ada: Client;
  let browser: Browser;
  let counter: Counter;
  let plain: Awaited<ReturnType<typeof startPlain>>;

  after(() => {
    counter?.close();
    plain?.close();
  });
  openStage({}, async (stage) => {
    ({ service, browser } = stage);
    ada = await service.user('ada');
    counter = await startCounter();
    plain = await startPlain();
  });

  const publish = (name: string, attempt: Attempt) => publishAll(name, [{ ...attempt, name }]);

  /** Publishes a page that makes attempts, and returns its address. */
  async function publishAll(name: string, attempts: readonly Named[]): Promise<string> {
    const html = attemptPage(counter.origin, ...attempts);
    const { status, text, data } = await ada.post('/user/pages', { html, name });
    assert.equal(status, 201, text);
    return data.url;
  }

  /** One context for all windows, so that they share a cache. */
  let context: BrowserContext;
  before(async () => {
    context = await browser.newContext();
  });

  /** Opens an address in a new window and waits until the framed document has run. */
  async function visit<T>(
    url: string,
    { click = false, leaves = click }: Attempt,
    look: (page: Page, seen: Seen) => Promise<T>,
  ): Promise<T> {
    const page = await context.newPage();
    const seen = watch(page);
    try {
      await page.goto(url).catch(() => {});
      const frame = page.frames()[1];
      if (click) await frame?.click('#go', { timeout: 5_000 }).catch(() => {});
      // A document that has navigated away, or waits forever, has no outcome.
      await frame?.waitForFunction('window.outcome', null, { timeout: 500 }).catch(() => {});
      if (leaves) await page.waitForTimeout(SETTLE_MS);
      return await look(page, seen);
    } finally {
      await page.close();
    }
  }

  const attempts = Object.entries(WAYS_OUT).map(([what, attempt], index) => ({
    ...attempt,
    what,
    name: `attempt-${index}`,
    isAlone: Boolean(attempt.click || attempt.leaves),
  }));
  const pages = [
    ...inGroups(
      attempts.filter(({ isAlone }) => !isAlone),
      SHARE_A_PAGE,
    ),
    ...attempts.filter(({ isAlone }) => isAlone).map((attempt) => [attempt]),
  ];
  const free = turns(AT_ONCE);
  const settled = () => new Promise<void>((done) => setTimeout(done, SETTLE_MS));

  for (const [index, group] of pages.entries()) {
    const [first] = group as [(typeof attempts)[0]];
    let visited: Promise<{ url: string; at: string; popups: string[]; frames: number }>;
    before(() => {
      visited = free(async () => {
        const url = await publishAll(`page-${index}`, group);
        return visit(url, first, async (page, { popups }) => {
          const frames = await page.locator('iframe.page-frame').count();
          await settled();
          return { url, at: page.url(), popups, frames };
        });
      });
      visited.catch(() => {});
    });

    for (const { what, name } of group) {
      it(`can’t escape with ${what}`, async () => {
        const { url, at, popups, frames } = await visited;
        assert.equal(at, url, 'the window stays where it is');
        assert.deepEqual(popups, []);
        assert.equal(frames, 1);
        assert.deepEqual(counter.of(name), []);
      });
    }
  }

  it('without a policy, would escape in each of these ways', async () => {
    let left = pages.map((group) => group.map((each) => ({ ...each, name: `free-${each.name}` })));
    // On a busy machine an attempt may be late, so it is enough that each escapes once.
    for (let round = 0; round < 3 && left.length > 0; round++) {
      const visits = left.map((group, index) =>
        free(async () => {
          plain.documents.set(`/free-${index}`, attemptPage(counter.origin, ...group));
          plain.documents.set(`/frame-${index}`, `<iframe src="/free-${index}"></iframe>`);
          await visit(`${plain.origin}/frame-${index}`, group[0] as Attempt, settled);
        }),
      );
      await Promise.all(visits);
      left = left
        .map((group) => group.filter(({ name }) => counter.of(name).length === 0))
        .filter((group) => group.length > 0);
    }
    assert.deepEqual(
      left.flat().map(({ what }) => what),
      [],
      'attempts that prove nothing',
    );
  });

  /** The result of each script in one page, by name. */
  let found: Promise<Record<string, string>> | undefined;
  function takeLiberties(): Promise<Record<string, string>> {
    const taken = Object.entries(LIBERTIES).map(
      ([what, script]) =>
        `found[${JSON.stringify(what)}] = await (async () => { ${script} })().then(
          (value) => 'did ' + (value ?? ''), (error) => 'threw ' + error.name);`,
    );
    const script = `const found = {}; ${taken.join('\n')} window.found = found;`;
    return free(async () =>
      visit(await publish('liberties', { script }), {}, async (page) => {
        const frame = page.frames()[1];
        await frame?.waitForFunction('window.found', null, { timeout: 20_000 });
        return frame?.evaluate('window.found') as Promise<Record<string, string>>;
      }),
    );
  }

  for (const what of Object.keys(LIBERTIES)) {
    it(`can’t use ${what}`, async () => {
      found ??= takeLiberties();
      assert.match((await found)[what] ?? '', REFUSED);
    });
  }

  const links = Object.entries(LINKS).map(([what, markup], index) => ({
    what,
    name: `link-${index}`,
    markup: markup.replaceAll('"go"', `"go-${index}"`),
  }));
  let linked: Promise<Page> | undefined;
  async function openLinked(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(await publishAll('links', links));
    return page;
  }
  after(async () => (await linked)?.close());

  for (const [index, { what, name }] of links.entries()) {
    it(`opens only an isolated tab with a link ${what}`, async () => {
      linked ??= openLinked();
      const page = await linked;
      const url = page.url();
      const opened = page.context().waitForEvent('page', { timeout: 5_000 });
      await page.frames()[1]?.click(`#go-${index}`);
      const tab = await opened;
      await tab.waitForURL(`${counter.origin}/${name}`);
      assert.deepEqual(await tab.evaluate('[opener, document.referrer]'), [null, '']);
      assert.equal(page.url(), url);
      assert.equal(await page.frames()[1]?.title(), 'Attempt', 'the frame shows what it showed');
      assert.deepEqual(counter.of(name), [`GET /${name}`]);
      await tab.close();
    });
  }

  it('can’t open a tab without a user gesture in its frame', async () => {
    const script = `setInterval(() => parent.postMessage({ openLink: 'EVIL/x' }, '*'), 20)`;
    const page = await browser.newPage();
    await page.goto(await publish('claims', { script }));
    await page.waitForTimeout(SETTLE_MS);
    await page.click('[data-action="theme"]');
    await page.waitForTimeout(SETTLE_MS);
    assert.equal(page.context().pages().length, 1);
    assert.deepEqual(counter.of('claims'), []);
    await page.close();
  });

  it('can open one tab per gesture, only for http and https', async () => {
    const links = [
      "'javascript:alert(1)'",
      "'data:text/html,x'",
      "'about:blank'",
      "'file:///'",
      "'x'",
      "window.URL.createObjectURL(new Blob(['x']))",
      '{}',
      "'EVIL/x'",
      "'EVIL/x'",
      "'EVIL/x'",
    ];
    const onclick = links.map((link) => `parent.postMessage({ openLink: ${link} }, '*');`).join('');
    const markup = `<button id="go" onclick="${onclick}">x</button>`;
    const page = await browser.newPage();
    await page.goto(await publish('many', { markup }));
    const opened = page.context().waitForEvent('page', { timeout: 10_000 });
    await page.frames()[1]?.click('#go');
    await (await opened).waitForURL(`${counter.origin}/many`);
    await page.waitForTimeout(SETTLE_MS);
    assert.equal(page.context().pages().length, 2);
    await page.context().close();
  });

  it('can’t use WebRTC, in a frame or as a tab', async () => {
    const sockets = await startSockets();
    const script = `const peer = new RTCPeerConnection({ iceServers: [
        { urls: 'stun:127.0.0.1:${sockets.udpPort}' },
        { urls: 'turn:127.0.0.1:${sockets.tcpPort}?transport=tcp', username: 'a', credential: 'b' },
      ] });
      peer.createDataChannel('x');
      await peer.setLocalDescription();
      await new Promise((done) => setTimeout(done, 400));`;
    try {
      const url = await publish('rtc', { script });
      for (const address of [url, `${service.renderUrl}/ada/rtc`]) {
        const page = await context.newPage();
        await page.goto(address);
        await page.frames().at(-1)?.waitForFunction('window.outcome');
        await page.close();
        assert.deepEqual(sockets.seen(), { udp: 0, tcp: 0 }, address);
      }
      plain.documents.set('/rtc', attemptPage(counter.origin, { script, name: 'rtc' }));
      const page = await context.newPage();
      await page.goto(`${plain.origin}/rtc`);
      await page.waitForFunction('window.outcome');
      await page.close();
      const { udp, tcp } = sockets.seen();
      assert.ok(udp > 0 && tcp > 0, 'without a list it would');
    } finally {
      sockets.close();
    }
  });

  it('can’t use any feature that Chromium’s permissions policy controls', async () => {
    const url = await publish('features', {});
    await visit(url, {}, async (page) => {
      const allowed = await page.frames()[1]?.evaluate('document.featurePolicy.allowedFeatures()');
      const harmless =
        /^(clipboard-write|fullscreen|ch-.*|aria-notify|interest-cohort|sync-xhr|unload|media-playback.*)$/;
      assert.deepEqual(
        (allowed as string[]).filter((feature) => !harmless.test(feature)),
        [],
      );
    });
  });

  it('can’t navigate its frame elsewhere, because of frame-src', async () => {
    const url = await publish('wanderer', { script: "location = 'EVIL/x'" });
    await visit(url, { leaves: true }, async (page, seen) => {
      const policy = /Framing 'http[^']*' violates .*frame-src/;
      assert.ok(
        seen.console.some((line) => policy.test(line)),
        seen.console.join('\n'),
      );
      assert.equal(page.url(), url);
    });
    assert.deepEqual(counter.of('wanderer'), []);
  });

  it('has the same sandbox when opened as a tab', async () => {
    await publish('alone', { script: "indexedDB.open('a'); return origin" });
    const page = await browser.newPage();
    await page.goto(`${service.renderUrl}/ada/alone`);
    await page.waitForFunction('window.outcome');
    assert.equal(await page.evaluate('window.outcome'), 'threw SecurityError');
    assert.equal(await page.evaluate('origin'), 'null');
    // No header can prevent this: a page opened as a tab can navigate elsewhere.
    await page.evaluate(`location = '${counter.origin}/left'`);
    await page.waitForURL(`${counter.origin}/left`);
    assert.deepEqual(counter.of('left'), ['GET /left']);
    await page.close();
  });

  it('can’t be framed by another site', async () => {
    const url = await publish('framed', { markup: 'Unmistakable' });
    plain.documents.set(
      '/',
      `<iframe src="${service.renderUrl}/ada/framed"></iframe><iframe src="${url}"></iframe>`,
    );
    const page = await browser.newPage();
    await page.goto(`${plain.origin}/`);
    await page.waitForTimeout(SETTLE_MS);
    for (const frame of page.frames().slice(1)) {
      assert.doesNotMatch(await frame.content(), /Unmistakable|class="page-frame"/);
    }
    await page.close();
  });
});

/** Lets at most `count` pieces of work run at once. */
function turns(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const lanes: Promise<unknown>[] = Array.from({ length: count }, () => Promise.resolve());
  let next = 0;
  return (work) => {
    const lane = next++ % count;
    const turn = (lanes[lane] as Promise<unknown>).then(work);
    lanes[lane] = turn.catch(() => {});
    return turn;
  };
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let start = 0; start < items.length; start += size) {
    groups.push(items.slice(start, start + size));
  }
  return groups;
}
