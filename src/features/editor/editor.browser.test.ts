import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { PNG } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage, takeSignedIn } from '../../../test/in-browser.ts';
import { inSplit } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';
import { giveBack, pageOf } from '../../../test/windows.ts';

/**
 * For this long after a list has changed, CodeMirror inserts a line break at Enter
 * (interactionDelay).
 */
const CHOOSABLE_AFTER_MS = 200;

describe('The editor in a browser', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  async function shareWithGrace(name: string): Promise<void> {
    const path = `/briefs/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(path, { permission: 'write' });
    const accepted = await grace.client.patch(`/user/brief_invitations/${data.id}`);
    assert.equal(accepted.status, 204, accepted.text);
  }

  /** Opens a browser of a user, and records its errors. */
  async function browserOf(
    person: Person,
  ): Promise<{ context: BrowserContext; trouble: string[] }> {
    const context = await takeSignedIn(service, person.visitor);
    const trouble: string[] = [];
    context.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) trouble.push(message.text());
    });
    context.on('weberror', (error) => trouble.push(String(error.error())));
    return { context, trouble };
  }

  async function open(context: BrowserContext, path: string): Promise<Page> {
    const page = await pageOf(context);
    await page.goto(service.webUrl + path);
    await ready(page);
    return page;
  }

  const putBack = (context: BrowserContext) => giveBack(context, service.webUrl);

  const ready = async (page: Page) => {
    await page.waitForSelector('#editor[data-ready]');
    await inSplit(page);
  };
  const text = (page: Page) => page.locator('.pane .cm-content');
  /** Waits until the bar shows this state. The failure includes what it shows instead. */
  async function state(page: Page, name: string): Promise<void> {
    try {
      await page.waitForSelector(`#save-state[data-state="${name}"]`);
    } catch {
      const says = await page.locator('#save-state, #editor-notices').allTextContents();
      assert.fail(`not ${name}: ${says.join(' ')}`);
    }
  }
  const contentOf = async (name: string) =>
    (await ada.client.get(`/briefs/ada/${name}`)).data.content;

  /** Waits until the browser has stored a draft with this text, which takes up to a second. */
  async function drafted(page: Page, part: string): Promise<void> {
    const until = Date.now() + 20_000;
    while (!(await page.evaluate(hasDraft, part))) {
      assert.ok(Date.now() < until, `no draft has “${part}”`);
      await setTimeout(50);
    }
  }

  it('saves a brief and previews it as readers will see it', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    await text(page).click();
    await page.keyboard.type('# Gears\n\n- one\ntwo\n\n');
    await page.keyboard.insertText('Some $x^2$.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n');
    await page.locator('#preview h1', { hasText: 'Gears' }).waitFor();
    await page.locator('#preview math').waitFor();
    assert.equal(await page.locator('#preview li').count(), 2, 'Enter goes on with the list');
    await page.locator('#preview figure.diagram img').waitFor();

    const before = await page.locator('#preview figure.diagram img').elementHandle();
    await page.keyboard.type('More.');
    await page.locator('#preview p', { hasText: 'More.' }).waitFor();
    assert.ok(await before?.evaluate((image) => image.isConnected), 'what stays is not touched');

    await page.keyboard.type('\n/');
    await page.getByRole('option', { name: 'Heading' }).waitFor();
    await page.keyboard.type('tas');
    await page
      .getByRole('option', { name: 'Task list' })
      .and(page.locator('[aria-selected]'))
      .waitFor();
    await page.waitForTimeout(CHOOSABLE_AFTER_MS);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Oil them');
    await page.locator('#preview input[type="checkbox"]').waitFor();

    await page.keyboard.press('Control+s');
    await state(page, 'saved');
    assert.equal(page.url(), `${service.webUrl}/edit/ada/gears`);
    assert.match(await contentOf('gears'), /^# Gears\n\n- one\n- two\n\nSome \$x\^2\$\./);
    await page.keyboard.type(' And more.');
    await page.keyboard.press('Control+s');
    await state(page, 'saved');
    assert.match(await contentOf('gears'), /More\.\n- \[ \] Oil them And more\.$/);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('pastes only the text into a page if the clipboard also has a picture', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new/page');
    await text(page).click();
    await page.keyboard.type('Sum: ');
    await text(page).evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/plain', '42');
      data.items.add(new File(['<svg/>'], 'cells.svg', { type: 'image/svg+xml' }));
      const init = { bubbles: true, cancelable: true, clipboardData: data };
      element.dispatchEvent(new ClipboardEvent('paste', init));
    });
    await page.locator('.cm-line', { hasText: /^Sum: 42$/ }).waitFor();
    assert.equal(await page.locator('.toast').count(), 0);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('uploads pasted and dropped files, links to them, and says why one is refused', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const put = (type: 'paste' | 'drop', name: string, mime: string, bytes: number[]) =>
      text(page).evaluate(
        (element, [kind, fileName, fileType, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(content)], fileName, { type: fileType }));
          const init = { bubbles: true, cancelable: true };
          const { x, y } = element.getBoundingClientRect();
          element.dispatchEvent(
            kind === 'paste'
              ? new ClipboardEvent('paste', { ...init, clipboardData: data })
              : new DragEvent('drop', {
                  ...init,
                  dataTransfer: data,
                  clientX: x + 5,
                  clientY: y + 5,
                }),
          );
        },
        [type, name, mime, bytes] as const,
      );
    await put('paste', 'gear.png', 'image/png', [...PNG]);
    await page.locator('.cm-line', { hasText: '![gear.png](' }).waitFor();
    await page.locator('#preview img[alt="gear.png"]').waitFor();
    await put('drop', 'notes.txt', 'text/plain', [0x68, 0x69]);
    await page.locator('.cm-line', { hasText: '[notes.txt](' }).waitFor();
    const lines = await page.locator('.cm-line').allTextContents();
    assert.deepEqual(
      lines.map((line) => line.replace(/\(.*\)/, '()')),
      ['[notes.txt]()', '', '![gear.png]()'],
      'what began the line still does',
    );
    await put('paste', 'bad.exe', 'application/x-msdownload', [0x4d, 0x5a, 0, 1]);
    await page.locator('.toast-fault', { hasText: 'bad.exe was not uploaded.' }).waitFor();
    assert.equal(await page.locator('.upload').count(), 0, 'no placeholder stays');
    assert.doesNotMatch((await text(page).textContent()) ?? '', /bad\.exe|Uploading/);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('the caret is after an uploaded image, unless it was moved or text was typed', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const file = { name: 'gear.png', mimeType: 'image/png', buffer: Buffer.from(PNG) };
    const choose = async (files: (typeof file)[], ask: () => Promise<void>) => {
      const chooser = page.waitForEvent('filechooser');
      await ask();
      await (await chooser).setFiles(files);
    };
    const button = () => page.locator('[data-command="file"]').click();
    const images = (count: number) =>
      page.waitForFunction(
        (count) => document.querySelector('.cm-content')?.textContent?.split('![').length === count,
        count + 1,
      );
    const lines = async () =>
      (await page.locator('.cm-line').allTextContents()).map((line) =>
        line.replaceAll(/!\[.*?\]\(.*?\)/g, '!'),
      );
    await text(page).click();
    await page.keyboard.type('a');
    await choose([file, file], button);
    await images(2);
    await page.keyboard.type('b\n/image');
    const inMenu = page.locator('.cm-tooltip-autocomplete').getByText('Image or file');
    await choose([file], () => inMenu.click());
    await images(3);
    await page.keyboard.type('c');
    assert.deepEqual(await lines(), ['a ! !b', '!c']);

    for (const [key, count, expected] of [
      ['Control+Home', 4, ['da ! !b', '!c !']],
      ['e', 5, ['ded ! a ! !b', '!c !']],
    ] as const) {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route('**/uploads', async (route) => {
        await promise;
        await route.continue();
      });
      await choose([file], button);
      await page.locator('.upload').waitFor();
      await page.keyboard.press(key);
      resolve();
      await images(count);
      await page.keyboard.type('d');
      assert.deepEqual(await lines(), expected);
      await page.unroute('**/uploads');
    }
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('keeps text written offline, even after a reload, and saves it once back online', async () => {
    await ada.client.post('/user/briefs', {
      name: 'offline',
      content: 'start',
      visibility: 'private',
    });
    const { context } = await browserOf(ada);
    const page = await open(context, '/edit/ada/offline');
    await text(page).click();
    await page.keyboard.press('Control+End');
    await context.setOffline(true);
    await page.keyboard.type(' on the train');
    await page.keyboard.press('Control+s');
    await state(page, 'offline');
    await drafted(page, 'on the train');
    await context.setOffline(false);
    await state(page, 'saved');
    await save(page);
    assert.equal(await contentOf('offline'), 'start on the train');

    await context.setOffline(true);
    await page.keyboard.type(', unsaved');
    await drafted(page, 'unsaved');
    await page.close();
    await context.setOffline(false);

    // Another user of the same browser doesn't see the draft.
    const cookies = Array.from(grace.visitor.cookies, ([name, value]) => ({ name, value }));
    await shareWithGrace('offline');
    const own = await context.cookies();
    await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: service.webUrl })));
    const other = await open(context, '/edit/ada/offline');
    assert.equal(await text(other).textContent(), 'start on the train');
    assert.equal(await other.locator('#notice-draft').count(), 0);
    await other.close();
    await context.addCookies(own);
    const again = await open(context, '/edit/ada/offline');
    await again.locator('#notice-draft', { hasText: 'restored' }).waitFor();
    assert.equal(await text(again).textContent(), 'start on the train, unsaved');
    await save(again);
    // Nothing more is written in the name of a user who signed in meanwhile.
    await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: service.webUrl })));
    await again.keyboard.press('Control+End');
    await context.setOffline(true);
    await again.keyboard.type(' by whom?');
    await drafted(again, 'by whom');
    await context.setOffline(false);
    await state(again, 'failed');
    await again.locator('#notice-fault', { hasText: 'You’re now signed in as grace' }).waitFor();
    await context.addCookies(own);
    await again.reload();
    await ready(again);
    assert.equal(await text(again).textContent(), 'start on the train, unsaved by whom?');
    await save(again);
    await again.reload();
    await ready(again);
    assert.equal(await again.locator('#notice-draft').count(), 0, 'a draft goes once it is saved');
    assert.equal(await contentOf('offline'), 'start on the train, unsaved by whom?');
    await putBack(context);
  });

  it('saves the text of a deleted brief as a new private one', async () => {
    await ada.client.post('/user/briefs', { name: 'gone', content: 'start', visibility: 'public' });
    const { context } = await browserOf(ada);
    const page = await open(context, '/edit/ada/gone');
    await text(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and end');
    await ada.client.delete('/briefs/ada/gone');
    await page.keyboard.press('Control+s');
    await state(page, 'failed');
    await page.getByRole('button', { name: 'Save as a new private brief' }).click();
    await state(page, 'saved');
    const { data } = await ada.client.get('/briefs/ada/gone');
    assert.deepEqual([data.content, data.visibility], ['start and end', 'private']);
    assert.equal(await page.locator('#done').count(), 1);
    await putBack(context);
  });

  const lostAnswers: Record<string, (route: Route) => Promise<void>> = {
    'is lost': (route) => route.abort('connectionreset'),
    // As when the database fails during the commit.
    'is 503': (route) => route.fulfill({ status: 503, json: {} }),
  };
  for (const [how, answer] of Object.entries(lostAnswers)) {
    it(`creates one brief when the response to a first save ${how}`, async () => {
      const { context } = await browserOf(ada);
      const page = await open(context, '/new');
      const heading = `The answer ${how}`;
      let sent = 0;
      await page.route('**/new', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent += 1;
        await route.fetch();
        await answer(route);
      });
      await text(page).click();
      await page.keyboard.type(`# ${heading}`);
      await page.keyboard.press('Control+s');
      await state(page, 'failed');
      await page.locator('#notice-fault', { hasText: 'may or may not have been saved' }).waitFor();
      await page.evaluate(() => dispatchEvent(new Event('online')));
      assert.equal(await contentOf(heading.toLowerCase().replaceAll(' ', '-')), `# ${heading}`);
      assert.equal(sent, 1);
      await putBack(context);
    });
  }

  for (const [how, leave] of Object.entries({
    'a link': (page: Page) => page.locator('.bar a').first().click(),
    'a reload': (page: Page) => page.reload(),
  })) {
    it(`keeps text that was typed just before ${how}`, async () => {
      const name = `left-by-${how.slice(2)}`;
      await ada.client.post('/user/briefs', { name, content: 'start' });
      const { context } = await browserOf(ada);
      const page = await open(context, `/edit/ada/${name}`);
      await page.keyboard.press('Control+End');
      await page.keyboard.type(` and then ${how}`);
      await leave(page);
      await page.goto(`${service.webUrl}/edit/ada/${name}`);
      await ready(page);
      assert.equal(await text(page).textContent(), `start and then ${how}`);
      await putBack(context);
    });
  }

  it('keeps text that was typed just before a reload if the browser stores its draft too late', async () => {
    await ada.client.post('/user/briefs', { name: 'late', content: 'start' });
    const { context } = await browserOf(ada);
    // What is typed isn't sent, so that it stays a draft.
    await context.routeWebSocket('**/live/edit/**', () => {});
    const page = await open(context, '/edit/ada/late');
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => ({}) as IDBRequest<IDBValidKey>;
    });
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and the last words');
    await page.reload();
    await ready(page);
    assert.equal(await text(page).textContent(), 'start and the last words');
    // It is stored like any other draft.
    await drafted(page, 'the last words');
    await putBack(context);
  });

  it('doesn’t write twice, or propose, what was sent just before a reload', async () => {
    await ada.client.post('/user/briefs', { name: 'sent', content: 'start' });
    const { context } = await browserOf(ada);
    let isConfirmed = true;
    let sent = Promise.withResolvers<void>();
    await context.routeWebSocket('**/live/edit/**', (page) => {
      const service = page.connectToServer();
      page.onMessage((message) => {
        service.send(message);
        if (String(message).includes('"push"')) sent.resolve();
      });
      service.onMessage((message) => {
        if (isConfirmed) page.send(message);
      });
    });
    const page = await open(context, '/edit/ada/sent');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' confirmed');
    await state(page, 'saved');
    isConfirmed = false;
    sent = Promise.withResolvers();
    await page.keyboard.type(' sent');
    await sent.promise;
    await page.keyboard.type(' unsent');
    isConfirmed = true;
    // The next page may go, too, before it has begun.
    await page.reload({ waitUntil: 'commit' });
    await page.reload();
    await ready(page);
    await state(page, 'saved');
    assert.equal(await text(page).textContent(), 'start confirmed sent unsent');
    assert.equal(await page.locator('#notice-proposal').count(), 0);
    await save(page);
    assert.equal(await contentOf('sent'), 'start confirmed sent unsent');
    await putBack(context);
  });

  it('waits for a draft whose tab shows another page of it, until that page is gone', async () => {
    await ada.client.post('/user/briefs', { name: 'back', content: 'start' });
    const { context } = await browserOf(ada);
    // What is typed isn't sent, so that it stays a draft.
    await context.routeWebSocket('**/live/edit/**', () => {});
    const page = await open(context, '/edit/ada/back');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and back');
    await drafted(page, 'and back');
    // Another tab stands for the page that is slow to go.
    const slow = await context.newPage();
    await slow.goto(`${service.webUrl}/drafts`);
    await page.goto(`${service.webUrl}/drafts`);
    await slow.evaluate(async () => {
      const { held = [] } = await navigator.locks.query();
      const own = held.map(({ name }) => name);
      const drafts = await new Promise<IDBValidKey[]>((resolve) => {
        const request = indexedDB.open('briefs-drafts');
        request.onsuccess = () => {
          const all = request.result.transaction('drafts').objectStore('drafts').getAllKeys();
          all.onsuccess = () => {
            request.result.close();
            resolve(all.result);
          };
        };
      });
      for (const key of drafts) {
        if (own.includes(`draft ${key}`)) continue;
        const hold = () => new Promise((resolve) => window.setTimeout(resolve, 1000));
        void navigator.locks.request(`draft ${key}`, hold);
      }
    });
    await page.goto(`${service.webUrl}/edit/ada/back`);
    await ready(page);
    assert.equal(await text(page).textContent(), 'start and back');
    await putBack(context);
  });

  it('restores the initial text and fields when a draft is discarded', async () => {
    const { context } = await browserOf(ada);
    const page = await open(context, '/new');
    await page.getByLabel('Who can read this').selectOption('public');
    await text(page).click();
    await page.keyboard.type('for me');
    await drafted(page, 'for me');
    await page.reload();
    await ready(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    assert.equal(await page.getByLabel('Who can read this').inputValue(), 'private');
    await putBack(context);
  });

  it('lists drafts, which can be continued or discarded', async () => {
    await ada.client.post('/user/pages', { name: 'drafted', html: '<title>Saved</title>' });
    const { context } = await browserOf(ada);
    const write = async (path: string, words: string) => {
      const page = await open(context, path);
      await text(page).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(words);
      await drafted(page, words);
    };
    await write('/new', '# First idea');
    await write('/new', '# Second idea');
    const more = await open(context, '/edit/ada/pages/drafted');
    await context.setOffline(true);
    await text(more).click();
    await more.keyboard.press('Control+End');
    await more.keyboard.type('<p>More');
    await drafted(more, '<p>More');
    await more.close();
    await context.setOffline(false);
    const list = await context.newPage();
    await list.goto(service.webUrl);
    await list.getByRole('link', { name: 'Drafts', exact: true }).click();
    const row = (words: string) => list.locator('#drafts .item', { hasText: words });
    await row('First idea').getByText('New brief of ada, open in a tab').waitFor();
    assert.equal(await row('First idea').getByRole('button').count(), 0);

    await Promise.all(context.pages().map((page) => page !== list && page.close()));
    await list.reload();
    await row('Saved').getByText('ada/drafted').waitFor();
    await row('Second idea').getByRole('link', { name: 'Continue' }).click();
    await ready(list);
    assert.equal(await text(list).textContent(), '# Second idea');
    await list.goto(`${service.webUrl}/drafts`);
    await row('First idea').getByRole('button', { name: 'Discard' }).click();
    await row('First idea').getByRole('button', { name: 'for good' }).click();
    await list.locator('.toast', { hasText: 'Draft discarded.' }).waitFor();
    await row('First idea').waitFor({ state: 'detached' });
    await row('Saved').getByRole('link', { name: 'Continue' }).click();
    await ready(list);
    await list.locator('#notice-draft', { hasText: 'restored' }).waitFor();
    await putBack(context);
  });

  it('restores only what a draft changed', async () => {
    const content = 'start';
    await ada.client.post('/user/briefs', { name: 'withdrawn', content, visibility: 'public' });
    const { context } = await browserOf(ada);
    const page = await open(context, '/edit/ada/withdrawn');
    await text(page).click();
    await page.keyboard.press('Control+End');
    await context.setOffline(true);
    await page.keyboard.type(' of a draft');
    await drafted(page, 'start of a draft');
    await page.close();
    await context.setOffline(false);
    await ada.client.patch('/briefs/ada/withdrawn', { visibility: 'private' });

    const again = await open(context, '/edit/ada/withdrawn');
    await again.locator('#notice-draft', { hasText: 'restored' }).waitFor();
    assert.equal(await again.getByLabel('Who can read this').inputValue(), 'private');
    await save(again);
    const { data } = await ada.client.get('/briefs/ada/withdrawn');
    assert.deepEqual([data.content, data.visibility], ['start of a draft', 'private']);
    await again.getByRole('button', { name: 'Discard' }).click();
    await save(again);
    assert.equal(await contentOf('withdrawn'), 'start');
    await putBack(context);
  });

  it('keeps text typed before the script has loaded, and offers the draft', async () => {
    await ada.client.post('/user/briefs', {
      name: 'slow',
      content: 'start',
      visibility: 'private',
    });
    const { context } = await browserOf(ada);
    const page = await open(context, '/edit/ada/slow');
    await text(page).click();
    await page.keyboard.press('Control+Home');
    await context.setOffline(true);
    await page.keyboard.type('A draft to ');
    await drafted(page, 'A draft to start');
    await page.close();
    await context.setOffline(false);

    const slow = await context.newPage();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await slow.route(/brief-editor[^/]*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    const asked = slow.waitForRequest(/brief-editor[^/]*\.js/);
    await slow.goto(`${service.webUrl}/edit/ada/slow`, { waitUntil: 'commit' });
    await asked;
    await slow.locator('textarea[name="content"]').fill('typed early');
    letGo();
    await ready(slow);
    assert.equal(await text(slow).textContent(), 'typed early');
    await save(slow);
    assert.equal(await contentOf('slow'), 'typed early');
    assert.ok(await slow.evaluate(hasDraft, 'A draft to start'), 'and the draft is there');
    await slow.locator('#notice-offer').getByRole('button', { name: 'Restore' }).click();
    await slow.locator('#notice-asked-0', { hasText: 'A draft to start' }).waitFor();
    await slow.locator('.pane .cm-line', { hasText: 'typed early' }).waitFor();
    assert.deepEqual((await ada.client.get('/briefs/ada/slow/threads')).data, []);
    await putBack(context);
  });

  /** Opens the same private brief in the editors of two people. */
  async function twoWriters(name: string, content: string) {
    await ada.client.post('/user/briefs', { name, content, visibility: 'private' });
    await shareWithGrace(name);
    const [first, second] = [await browserOf(ada), await browserOf(grace)];
    return {
      mine: await open(first.context, `/edit/ada/${name}`),
      hers: await open(second.context, `/edit/ada/${name}`),
      async done(putBackMine = putBack) {
        assert.deepEqual([first.trouble, second.trouble], [[], []]);
        await putBackMine(first.context);
        await putBack(second.context);
      },
    };
  }

  async function replaceLine(page: Page, line: string, by: string): Promise<void> {
    await page.locator('.pane .cm-line', { hasText: line }).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type(by);
  }

  /** Saves, and waits until the service has everything. */
  async function save(page: Page): Promise<void> {
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(200);
    await state(page, 'saved');
  }

  it('marks what others wrote meanwhile as not read by who saves', async () => {
    const { mine, hers, done } = await twoWriters('apart', 'one\n\ntwo\n\nthree');
    await replaceLine(hers, 'one', 'ONE by grace');
    await save(hers);
    await mine.locator('.pane .cm-line', { hasText: 'ONE by grace' }).waitFor();
    await replaceLine(mine, 'three', 'THREE by ada');
    await save(mine);
    assert.equal(await contentOf('apart'), 'ONE by grace\n\ntwo\n\nTHREE by ada');
    const isMerged = async () =>
      (await ada.client.get('/briefs/ada/apart/revisions')).data[0].merged;
    assert.equal(await isMerged(), true, 'or Review would take it for read');
    await mine.keyboard.type('!');
    await save(mine);
    assert.equal(await isMerged(), false);

    // A draft of another line is merged with what was saved since.
    await mine.context().setOffline(true);
    await replaceLine(mine, 'THREE', 'THREE offline');
    await drafted(mine, 'THREE offline');
    await replaceLine(hers, 'two', 'TWO by grace');
    await save(hers);
    await mine.context().setOffline(false);
    await save(mine);
    assert.equal(await contentOf('apart'), 'ONE by grace\n\nTWO by grace\n\nTHREE offline');
    await done();
  });

  it('publishes what others have changed only when it is saved again', async () => {
    const { mine, hers, done } = await twoWriters('aloud', 'one\n\ntwo');
    const visibility = async () => (await ada.client.get('/briefs/ada/aloud')).data.visibility;
    await replaceLine(mine, 'two', 'two by ada');
    await mine.locator('select[name="visibility"]').selectOption('public');
    await replaceLine(hers, 'one', 'one by grace');
    await save(hers);
    await mine.locator('.pane .cm-line', { hasText: 'one by grace' }).waitFor();
    await mine.keyboard.press('Control+s');
    await mine.locator('#notice-fault', { hasText: 'Read it, then save.' }).waitFor();
    await state(mine, 'unsaved');
    assert.equal(await visibility(), 'private');
    await save(mine);
    assert.equal(await contentOf('aloud'), 'one by grace\n\ntwo by ada');
    assert.equal(await visibility(), 'public');
    await done();
  });

  it('asks before it proposes what changes the same lines after a time without a connection', async () => {
    const { mine, hers, done } = await twoWriters('away', 'one\n\ntwo\n\nthree');
    await mine.context().setOffline(true);
    await replaceLine(mine, 'two', 'two by ada');
    await drafted(mine, 'two by ada');
    await mine.close();
    await replaceLine(hers, 'two', 'TWO by grace');
    await save(hers);
    await mine.context().setOffline(false);
    const again = await open(mine.context(), '/edit/ada/away');
    const notice = again.locator('#notice-asked-0', { hasText: 'two by ada' });
    await notice.waitFor();
    await again.locator('.pane .cm-line', { hasText: 'TWO by grace' }).waitFor();
    assert.deepEqual((await ada.client.get('/briefs/ada/away/threads')).data, []);
    await notice.getByRole('button', { name: 'Propose mine' }).click();
    await again.locator('#notice-proposal', { hasText: 'is now a proposal' }).waitFor();
    const { data: threads } = await ada.client.get('/briefs/ada/away/threads');
    assert.equal(threads.length, 1);
    assert.equal(threads[0].kind, 'proposal');
    assert.equal(await contentOf('away'), 'one\n\nTWO by grace\n\nthree');
    await again.reload();
    await ready(again);
    assert.equal(await again.locator('#notice-draft, #notice-asked-0').count(), 0);
    await done();
  });

  it('Done saves unsaved changes, and asks if it can’t', async () => {
    await ada.client.post('/user/briefs', { name: 'done', content: 'one', visibility: 'private' });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/edit/ada/done');
    // The text has the focus.
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' two');
    const done = page.getByRole('link', { name: 'Done' });
    await done.click();
    await page.waitForURL('**/read/ada/done');
    assert.equal(await contentOf('done'), 'one two');

    await page.goto(`${service.webUrl}/edit/ada/done`);
    await ready(page);
    await context.setOffline(true);
    await page.keyboard.type('zero ');
    await done.click();
    const ask = page.locator('#notice-leave');
    await ask.filter({ hasText: 'Your changes aren’t saved.' }).waitFor();
    assert.equal(page.url(), `${service.webUrl}/edit/ada/done`);
    assert.equal(await contentOf('done'), 'one two');
    await context.setOffline(false);
    await state(page, 'saved');
    await save(page);
    assert.equal(await contentOf('done'), 'zero one two');

    // If the save is refused, the writer stays in the editor, with a way out.
    await page.getByLabel('Name').fill('a/b');
    await done.click();
    await ask.getByRole('button', { name: 'Leave without saving' }).click();
    await page.waitForURL('**/read/ada/done');
    // Without changes, it neither asks nor sends anything.
    await page.goto(`${service.webUrl}/edit/ada/done`);
    await page.locator('#notice-draft').getByRole('button', { name: 'Discard' }).click();
    let posts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/edit/')) posts++;
    });
    await save(page);
    posts = 0;
    await done.click();
    await page.waitForURL('**/read/ada/done');
    assert.equal(posts, 0);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('refuses to publish an empty text, and offers a free name if one is taken', async () => {
    await ada.client.post('/user/briefs', { name: 'weekly', content: 'x', visibility: 'private' });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const publish = page.getByRole('button', { name: 'Save' });
    await publish.click();
    await page.locator('#notice-fault', { hasText: 'Write something first.' }).waitFor();
    // The cursor is in the text.
    await page.keyboard.type('# Weekly');
    await publish.click();
    const notice = page.locator('#notice-fault');
    await notice.filter({ hasText: 'You already have a brief named “weekly”.' }).waitFor();
    await notice.getByRole('button', { name: 'Use weekly-2' }).click();
    await state(page, 'saved');
    assert.equal(page.url(), `${service.webUrl}/edit/ada/weekly-2`);
    assert.equal(await contentOf('weekly-2'), '# Weekly');
    assert.equal(await contentOf('weekly'), 'x');
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('turns the selection into a link, but never a link inside a link', async () => {
    const content = 'alpha beta [gamma](https://example.com/x)';
    const body = { name: 'linked', content, visibility: 'private' };
    await ada.client.post('/user/briefs', body);
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/edit/ada/linked');
    const line = page.locator('.pane .cm-line').first();
    const link = page.locator('.tools').getByRole('button', { name: 'Link' });
    await page.keyboard.press('Home');
    for (let index = 0; index < 6; index++) await page.keyboard.press('ArrowRight');
    for (let index = 0; index < 4; index++) await page.keyboard.press('Shift+ArrowRight');
    await link.click();
    await line.filter({ hasText: /^alpha \[beta\]\(https:\/\/\) / }).waitFor();
    await link.click();
    await line.filter({ hasText: /^alpha beta \[gamma\]/ }).waitFor();
    await link.click();
    await page.keyboard.type('https://example.org');
    await line.filter({ hasText: /^alpha \[beta\]\(https:\/\/example\.org\) \[gamma/ }).waitFor();
    // Inside a link that has an address, the command selects the address.
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await link.click();
    await page.keyboard.type('https://example.net');
    await line.filter({ hasText: /\[gamma\]\(https:\/\/example\.net\)$/ }).waitFor();
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('counts only words that readers see', async () => {
    const content = [
      '# Two words',
      '',
      '![a long description](https://files.example.com/a/b/c/picture-one.png "And a title")',
      '',
      '1. [three](https://example.com/some/long/address) and https://example.com/a/b',
      '- [x] done',
      '',
      '<div class="some class" title="not a word">seven <b>eight</b></div>',
      '',
      '<!-- nothing to read -->',
      '',
      '[reference][one] `code`',
      '',
      '[one]: https://example.com/one "Title"',
    ].join('\n');
    await ada.client.post('/user/briefs', { name: 'counted', content, visibility: 'private' });
    const { context } = await browserOf(ada);
    const page = await open(context, '/edit/ada/counted');
    // Two words; three and (an address); done; seven eight; reference code.
    await page.locator('#word-count', { hasText: /^10 words$/ }).waitFor();
    await putBack(context);
  });

  it('typing over any selection violates no content security policy', async () => {
    const content = '# Head **bold**\n\nText `code` [link](https://example.com)\n\n> quote';
    await ada.client.post('/user/briefs', { name: 'typed', content, visibility: 'private' });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/edit/ada/typed');
    for (const keys of [
      ['Control+Home', 'Shift+End'],
      ['Control+Home', 'Control+Shift+End'],
      ['Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown'],
    ]) {
      for (const key of keys) await page.keyboard.press(key);
      await page.keyboard.type('new');
      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+z');
    }
    await page.keyboard.press('Control+a');
    await page.keyboard.type('over');
    await page.waitForTimeout(300);
    await save(page);
    assert.equal(await contentOf('typed'), 'over');
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('previews unsaved HTML in the sandbox of published pages', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new/page');
    await text(page).click();
    const probe =
      'try { indexedDB.open("a"); result.textContent = "open"; } catch { result.textContent = "sealed"; }';
    await page.keyboard.insertText(
      `<!doctype html><title>Dice</title><p id="result">none</p><script>${probe}</script>`,
    );
    const frame = page.frameLocator('#preview .page-frame');
    await frame.getByText('sealed').waitFor();
    const inner = page.frames().find((one) => one.url() === `${service.renderUrl}/preview`);
    assert.equal(await inner?.evaluate('origin'), 'null');
    assert.equal(await inner?.evaluate('document.compatMode'), 'CSS1Compat');
    await page.getByLabel('Who can read this').selectOption('private');
    await page.getByRole('button', { name: 'Save' }).click();
    await state(page, 'saved');
    assert.equal(page.url(), `${service.webUrl}/edit/ada/pages/dice`);
    assert.equal((await ada.client.get('/pages/ada/dice')).data.visibility, 'private');
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('creates code blocks with a language, removes rows and columns, and offers used blocks first', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const lines = () => page.locator('.pane .cm-line').allTextContents();
    await text(page).click();
    await page.keyboard.insertText('f(1)');
    await page.getByRole('button', { name: 'Code block', exact: true }).click();
    await page.getByRole('option', { name: 'python' }).click();
    assert.deepEqual(await lines(), ['```python', 'f(1)', '```']);

    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('|a|\n|-|\n|1|\n|2|');
    await page.getByRole('button', { name: 'Remove row' }).click();
    assert.deepEqual(await lines(), ['| a   |', '| --- |', '| 1   |']);
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.keyboard.insertText('b');
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('button', { name: 'Remove column' }).click();
    assert.deepEqual(await lines(), ['|     |', '| --- |', '| b   |']);

    await page.keyboard.press('Control+A');
    await page.keyboard.type('/Warn');
    await page.getByRole('option', { name: 'Warning' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('/');
    const first = page.locator('.cm-tooltip-autocomplete').getByRole('option').first();
    await first.waitFor();
    assert.match((await first.textContent()) ?? '', /^Warning/);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('resizes an image in the preview with the mouse and with keys', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"/>';
    await page.route('**/gear.svg', (route) =>
      route.fulfill({ body: svg, contentType: 'image/svg+xml' }),
    );
    const lines = () => page.locator('.pane .cm-line').allTextContents();
    await text(page).click();
    const one = '![one|300x200](/gear.svg)';
    const rest = ['', 'Text ![two](/gear.svg)', '', '|a|', '|-|', '|![three](/gear.svg)|', ''];
    await page.keyboard.insertText([one, ...rest, '<img src="/gear.svg" alt="four">'].join('\n'));
    const width = (alt: string) =>
      page.locator(`#preview img[alt="${alt}"]`).evaluate((image) => image.clientWidth);
    const handle = (alt: string) => page.getByRole('slider', { name: `Width of ${alt}` });
    await handle('three').waitFor({ state: 'attached' });
    assert.equal(await handle('four').count(), 0, 'HTML says its own width');
    assert.equal(await width('one'), 300);

    await handle('one').focus();
    for (const key of ['ArrowRight', 'Shift+ArrowLeft']) await page.keyboard.press(key);
    await page.locator('.cm-line', { hasText: '![one|309](/gear.svg)' }).waitFor();
    await page.locator('#preview img[alt="one"][width="309"]:not([height])').waitFor();
    await page.locator('.resize-handle[aria-valuenow="309"]:focus').waitFor();
    await page.keyboard.press('Delete');
    await page.locator('.cm-line', { hasText: '![one](/gear.svg)' }).waitFor();
    await page.locator('#preview img[alt="one"]:not([width])').waitFor();

    const widths: number[] = [];
    for (const alt of ['two', 'three']) {
      const wanted = (await width(alt)) - 100;
      widths.push(wanted);
      await page.locator(`#preview img[alt="${alt}"]`).hover();
      // Once it stands still: the preview may just have changed.
      await handle(alt).hover();
      const box = await handle(alt).boundingBox();
      const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 100, y, { steps: 3 });
      await page.mouse.up();
      await page.locator(`#preview img[alt="${alt}"][width="${wanted}"]`).waitFor();
    }
    const [first, , second, , , , third] = await lines();
    assert.deepEqual(
      [first, second, third],
      [
        '![one](/gear.svg)',
        `Text ![two|${widths[0]}](/gear.svg)`,
        `|![three\\|${widths[1]}](/gear.svg)|`,
      ],
    );
    await text(page).focus();
    await page.keyboard.press('Control+Z');
    await page.locator('.cm-line', { hasText: '|![three](/gear.svg)|' }).waitFor();
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('starts with a template as unsaved text, and offers an earlier draft', async () => {
    const template = { name: 'minutes', content: '# Minutes {{date}}', visibility: 'private' };
    await ada.client.post('/user/briefs', template);
    await ada.client.put('/briefs/ada/minutes/labels', { labels: ['template'] });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    await text(page).click();
    await page.keyboard.type('Typed before');
    await drafted(page, 'Typed before');
    page.on('dialog', (dialog) => dialog.accept());
    await page.getByText('Templates').click();
    await page.getByRole('link', { name: 'Minutes' }).click();
    await page.waitForURL('**/new?owner=ada&template=*');
    await ready(page);
    await page.locator('.cm-line', { hasText: /^# Minutes \d{4}-\d\d-\d\d$/ }).waitFor();
    await state(page, 'unsaved');
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await state(page, 'saved');
    assert.match(page.url(), /\/edit\/ada\/minutes-\d{4}-\d\d-\d\d$/);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('keeps a table inside its list item', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    await text(page).click();
    await page.keyboard.insertText('- Gears\n\n  |a|b|\n  |-|-|\n  |1|2|');
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Levers');
    const lines = await page.locator('.pane .cm-line').allTextContents();
    const table = ['| a   | b   |', '| --- | --- |', '| 1   | 2   |', '| 3   |     |'];
    const indented = table.map((line) => `  ${line}`);
    assert.deepEqual(lines, ['- Gears', '', ...indented, '', '  Levers']);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('leaves a table as it is typed', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const start = async (content: string) => {
      await text(page).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      if (content !== '') await page.keyboard.insertText(content);
    };
    const written = async () => (await page.locator('.pane .cm-line').allTextContents()).join('\n');
    const whole = '| Step | Who |\n|---|---|\n| Freeze | Grace |\n| Ship | Ada |';
    const typed = [
      whole,
      `${whole}\n\nAfter`,
      'Step | Who\n--- | ---\nFreeze | Grace\nShip | Ada',
      '| a | b | c |\n|:--|:-:|--:|\n| 1 | `x` | **y** |\n| [2](u) | (3) | {"4"} |',
      '|a|b|\n|-|-|\n|1|2|\n|a \\| b|',
      'Words:\n\n| a |\n| - |\n| 1 |\n\n# End',
    ];
    for (const table of typed) {
      await start('');
      await page.keyboard.type(table);
      assert.equal(await written(), table);
    }
    await start('```\n');
    await page.keyboard.type('|a|b|\n|-|-|\n|1|2|\n|3');
    assert.equal(await written(), '```\n|a|b|\n|-|-|\n|1|2|\n|3');

    // Lists and quotes go on by themselves.
    await start('- Gears\n\n  ');
    await page.keyboard.type('| a | b |\n|---|---|\n| 1 | 2 |');
    assert.equal(await written(), '- Gears\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |');
    await start('> ');
    await page.keyboard.type('| a | b |\n|---|---|\n| 1 | 2 |');
    assert.equal(await written(), '> | a | b |\n> |---|---|\n> | 1 | 2 |');
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    const quoted = ['| a   | b   |', '| --- | --- |', '| 1   | 2   |', '| 3    |     |'];
    assert.equal(await written(), quoted.map((line) => `> ${line}`).join('\n'));

    // In the middle of a table, at the end of a row and before its first cell.
    await start(whole);
    for (const key of ['ArrowUp', 'End', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('| Test | Tim |');
    const middle = whole.replace('| Ship', '| Test | Tim |\n| Ship');
    assert.equal(await written(), middle);
    for (const key of ['Home', 'Enter', 'ArrowUp']) await page.keyboard.press(key);
    await page.keyboard.type('| Plan | Pia |');
    assert.equal(await written(), middle.replace('| Test', '| Plan | Pia |\n| Test'));
    await page.keyboard.press('Backspace');
    await page.keyboard.type('|');
    assert.equal(await written(), middle.replace('| Test', '| Plan | Pia |\n| Test'));

    // Within a row, Enter and Tab move between cells, and Undo takes each back.
    await start(whole);
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('New');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Nia');
    const grown =
      '| Step   | Who   |\n| ------ | ----- |\n| Freeze | Grace |\n| Ship   | Ada   |\n';
    assert.equal(await written(), `${grown}| New    | Nia      |`);
    for (let undo = 0; undo < 6 && (await written()) !== whole; undo++) {
      await page.keyboard.press('Control+Z');
    }
    assert.equal(await written(), whole);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('leaves a list as it is typed, and ends it with a blank line', async () => {
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/new');
    const written = async () => (await page.locator('.pane .cm-line').allTextContents()).join('\n');
    const cases = [
      ['- one\n- two\n\nAfter'],
      ['- [ ] one\n- [ ] two\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
      ['1. one\n2. two\n- three'],
      ['- one\n  - inner\n  - more\n- two'],
      ['```\n- one\n- - two\n```'],
      ['- - one'],
      ['- one\ntwo\n\nAfter', '- one\n- two\n\nAfter'],
      ['- [ ] one\ntwo\n\nAfter', '- [ ] one\n- [ ] two\n\nAfter'],
    ];
    for (const [typed = '', expected = typed] of cases) {
      await text(page).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.type(typed);
      assert.equal(await written(), expected);
    }
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('keeps the line endings of a text, also in a merge and a draft', async () => {
    const content = '# T\r\n\r\nline a\r\nline b\r\nline c\r\n';
    await ada.client.post('/user/briefs', { name: 'endings', content, visibility: 'private' });
    const patch = (next: string) => ada.client.patch('/briefs/ada/endings', { content: next });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/edit/ada/endings');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('added');
    await save(page);
    assert.equal(await contentOf('endings'), `${content}added`);

    // Merged with another's line.
    const theirs = `${content}added`.replace('line a', 'line A');
    await patch(theirs);
    await page.keyboard.type(' too');
    await save(page);
    assert.equal(await contentOf('endings'), `${theirs} too`);

    await context.setOffline(true);
    await page.keyboard.type(', again\nand new');
    await drafted(page, 'and new');
    await page.close();
    await context.setOffline(false);
    const again = await open(context, '/edit/ada/endings');
    await again.locator('#notice-draft', { hasText: 'restored' }).waitFor();
    await save(again);
    assert.equal(await contentOf('endings'), `${theirs} too, again\r\nand new`);
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('asks for a reload if the page’s code is gone after an update', async () => {
    await ada.client.post('/user/briefs', { name: 'older', content: 'old', visibility: 'private' });
    const { context, trouble } = await browserOf(ada);
    const page = await open(context, '/edit/ada/older');
    await page.route(/search[^/]*\.js/, (route) => route.fulfill({ status: 404 }));
    const outdated = page.locator('#editor-notices', { hasText: 'Briefs was updated' });
    await text(page).click();
    await page.keyboard.press('Control+f');
    await outdated.waitFor();

    const bare = await context.newPage();
    await bare.route(/brief-editor[^/]*\.js/, (route) => route.fulfill({ status: 404 }));
    await bare.goto(`${service.webUrl}/new`);
    await bare.locator('#editor-notices', { hasText: 'didn’t load' }).waitFor();
    await bare.locator('textarea[name="content"]').fill('# Written without it');
    await bare.locator('#editor button[type="submit"]').click();
    await bare.waitForURL('**/read/ada/written-without-it');
    assert.deepEqual(trouble, []);
    await putBack(context);
  });

  it('lets Tab leave the text after Escape', async () => {
    const { context } = await browserOf(ada);
    const page = await open(context, '/new');
    await text(page).click();
    await page.keyboard.type('- one\n');
    await page.keyboard.type('two');
    await page.keyboard.press('Tab');
    assert.match((await text(page).innerText()).replace(/\n+/g, '\n'), /^- one\n {2}- two/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const isOut = await page.evaluate('document.activeElement?.closest(".cm-editor") === null');
    assert.ok(isOut);
    await putBack(context);
  });
});

/** Runs in the browser: tells whether a stored draft contains a text. */
function hasDraft(part: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = indexedDB.open('briefs-drafts');
    request.onsuccess = () => {
      const { result } = request;
      const all = result.transaction('drafts').objectStore('drafts').getAll();
      all.onsuccess = () => {
        result.close();
        resolve(all.result.some(({ content }) => content.includes(part)));
      };
    };
  });
}
