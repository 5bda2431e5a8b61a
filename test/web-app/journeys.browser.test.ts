import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { everythingIndexed } from '../document/everything-indexed.ts';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';

import { PASSWORD } from '../sign-in/visitor.ts';
import { until } from '../until.ts';
import {
  afterFrames,
  beginJourney,
  editorReady,
  focused,
  hasFocus,
  saved,
  tabTo,
  toast,
} from './journey.ts';
import type { Person } from './world.ts';

describe('One person', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;

  openStage({ people: ['ada'] }, (stage) => {
    ({ service, ada } = stage);
  });

  const make = async (name: string, content: string) => {
    const answer = await ada.client.post('/user/briefs', { name, content });
    assert.equal(answer.status, 201, answer.text);
  };

  for (const width of [1280, 360]) {
    it(`signs up and writes briefs with only the keyboard, ${width} px wide`, async () => {
      const username = `keys-${width}`;
      const viewport = { width, height: 760 };
      const { page, go, end } = await beginJourney(service, undefined, { viewport });
      const { keyboard } = page;
      await go('/');
      await tabTo(page.getByRole('main').getByRole('link', { name: 'Sign up' }));
      await keyboard.press('Enter');
      await focused(page.getByLabel('Username'));
      await keyboard.type(username);
      await keyboard.press('Tab');
      await keyboard.type(`${username}@example.com`);
      await keyboard.press('Tab');
      await keyboard.type(PASSWORD);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your first document' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/');

      for (const [heading, text] of [
        ['Gears', 'They mesh by involutes.'],
        ['Levers', `They need a fulcrum${width}.`],
      ]) {
        await page.waitForLoadState('load');
        await keyboard.press('c');
        await editorReady(page);
        await page.locator('.write-pane :is(.title-field, .cm-content):focus').waitFor();
        await keyboard.type(`# ${heading}\n\n${text}`);
        await keyboard.press('Control+s');
        await saved(page);
        await keyboard.press('Escape');
        await tabTo(page.getByRole('link', { name: 'Done' }), 'Shift+Tab');
        await keyboard.press('Enter');
        await page.waitForURL('**/read/**');
        await page
          .locator('main')
          .getByText(text ?? '')
          .waitFor();
        await tabTo(page.getByRole('link', { name: 'Briefs', exact: true }).first(), 'Shift+Tab');
        await keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      }

      const title = (name: string) => page.locator('.items').getByRole('link', { name });
      await title('gears').waitFor();
      await page.waitForLoadState('load');
      await keyboard.press('j');
      assert.ok(await hasFocus(title('levers')), 'the latest comes first');
      await keyboard.press('j');
      assert.ok(await hasFocus(title('gears')));
      await keyboard.press('k');
      assert.ok(await hasFocus(title('levers')));
      await keyboard.press('/');
      assert.ok(await hasFocus(page.getByLabel('Filter and search')));
      await keyboard.type('gea');
      await title('levers').waitFor({ state: 'detached' });
      assert.equal(await title('gears').isVisible(), true);
      assert.equal(new URL(page.url()).search, '?q=gea');
      assert.ok(await hasFocus(page.getByLabel('Filter and search')));
      await tabTo(title('gears'));
      await keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.getByText('Next document in the list').waitFor();
      await keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      await focused(title('gears'));
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Gears', level: 1 }).waitFor();

      await everythingIndexed(service.app.context);
      const share = page.getByRole('link', { name: 'Share' });
      await tabTo(share);
      await keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Search and go anywhere' });
      await focused(palette.getByRole('combobox'));
      await keyboard.type('lev');
      await keyboard.press('Escape');
      await palette.waitFor({ state: 'detached' });
      await focused(share);
      await keyboard.press('Control+k');
      await keyboard.type(`fulcrum${width}`);
      const options = palette.getByRole('option');
      await options.filter({ hasText: `${username}/levers` }).waitFor();
      const current = palette.locator('[role="option"][aria-selected="true"]');
      assert.match((await current.textContent()) ?? '', /Levers/);
      await keyboard.press('ArrowDown');
      assert.match((await current.textContent()) ?? '', /Search for/);
      await keyboard.press('ArrowUp');
      const composing = { key: 'ArrowDown', bubbles: true, isComposing: true };
      await palette.getByRole('combobox').dispatchEvent('keydown', composing);
      assert.match((await current.textContent()) ?? '', /Levers/, 'an input method has its keys');
      await keyboard.press('Enter');
      await page.waitForURL(`${service.webUrl}/read/${username}/levers`);
      await page.getByRole('heading', { name: 'Levers', level: 1 }).waitFor();
      for (const command of ['Copy link', 'Share', 'History', 'Levers']) {
        await keyboard.press('Control+k');
        await keyboard.type(command);
        const names = await options.locator('span:first-child').allTextContents();
        assert.ok(names.includes(command), `${command} in ${names}`);
        await keyboard.press('Escape');
      }
      await keyboard.press('Control+k');
      await keyboard.type('rename');
      await keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Rename' }).waitFor();
      await keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, 'nothing to scroll sideways');
      await end();
    });
  }

  it('renames a brief and undoes it, deletes it, and goes back', async () => {
    await make('taken', '# Taken');
    await make('sketch', '# Sketch');
    const { page, go, end } = await beginJourney(service, ada);
    const pathname = () => new URL(page.url()).pathname;
    await go('/');
    await page.getByRole('link', { name: 'Sketch', exact: true }).click();
    const more = page.locator('.own-actions details.menu summary');
    const dialog = page.getByRole('dialog');
    await more.click();
    await page.getByRole('link', { name: 'Rename' }).click();
    await focused(dialog.getByLabel('Name'));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(more);

    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('link', { name: 'Rename' }));
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').fill('taken');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.locator('.fault').waitFor();
    assert.equal(pathname(), '/read/ada/sketch');
    await dialog.getByLabel('Name').fill('drawing');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL('**/read/ada/drawing');
    const renamed = await toast(page, 'Renamed to drawing.');
    await renamed.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL('**/read/ada/sketch');
    await toast(page, 'Renamed to sketch.');

    await more.click();
    await page.getByRole('link', { name: 'Delete' }).click();
    await dialog.getByText('For 30 days you can restore it').waitFor();
    await dialog.getByRole('link', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await focused(more);
    assert.equal((await ada.client.get('/briefs/ada/sketch')).status, 200);
    await more.click();
    await page.getByRole('link', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete brief' }).click();
    await page.waitForURL(`${service.webUrl}/`);
    await toast(page, 'ada/sketch was deleted.');
    assert.equal((await ada.client.get('/briefs/ada/sketch')).status, 404);
    assert.equal(await page.getByRole('link', { name: 'Sketch', exact: true }).count(), 0);
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.locator('.toast').count(), 0, 'what has been said is not said again');
    await end();
  });

  it('gets a form’s result announced after the page has loaded, with an Undo that stays while it has the focus', async () => {
    await make('bridge', '# Bridge');
    const { page, go, end } = await beginJourney(service, ada);
    await page.clock.install();
    await page.addInitScript(recordToasts);
    await go('/rename/ada/bridge');
    const script = Promise.withResolvers<void>();
    await page.route('**/app-*.js', async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.getByLabel('Name').fill('arch');
    await page.getByRole('button', { name: 'Rename' }).click();
    const renamed = await toast(page, 'Renamed to arch.');
    const undo = renamed.getByRole('button', { name: 'Undo' });
    await tabTo(undo, 'Shift+Tab');
    script.resolve();
    await said(renamed);
    assert.deepEqual(await page.evaluate('toastRecord'), ['gone', 'there'], 'to be heard');
    assert.ok(await hasFocus(undo), 'which had it before there was a script');
    await page.clock.fastForward(60_000);
    await tabTo(renamed.getByRole('button', { name: 'Dismiss' }));
    await page.keyboard.press('Enter');
    await renamed.waitFor({ state: 'detached' });
    assert.ok(await page.evaluate('document.activeElement !== document.body'));

    await go('/delete/ada/arch');
    await page.getByRole('button', { name: 'Delete brief' }).click();
    const deleted = await toast(page, 'ada/arch was deleted.');
    await said(deleted);
    assert.equal(await deleted.getByRole('button', { name: 'Undo' }).count(), 1);
    await page.clock.fastForward(15_000);
    assert.equal(await deleted.count(), 1, 'long enough to reach Undo');
    await page.clock.fastForward(6_000);
    await deleted.waitFor({ state: 'detached' });
    await end({ close: true });
  });

  it('returns from dialogs and forms to the previous screen', async () => {
    await make('ledger', '# Ledger');
    const { page, go, end } = await beginJourney(service, ada);
    await go('/?in=own');
    await page.getByRole('link', { name: 'Ledger', exact: true }).click();
    // Until its script has come, a link leads to a screen, not a dialog.
    await page.waitForURL('**/read/ada/ledger');
    await page.getByRole('link', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Private').click();
    await toast(page, 'Private. Only ada');
    await page.keyboard.press('Escape');
    await page.locator('.trail', { hasText: 'Private' }).waitFor();
    await page.goBack();
    await page.waitForURL('**/?in=own');
    const row = page.locator('[data-row]').filter({ hasText: 'ledger' });
    await row.getByText('Private').waitFor();
    await page.goForward();
    await page.locator('.trail', { hasText: 'Private' }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await editorReady(page);
    await page.locator('.write-pane .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nPaid.');
    await page.keyboard.press('Control+s');
    await saved(page);
    await page.goBack();
    await page.waitForURL('**/read/ada/ledger');
    await page.locator('main').getByText('Paid.').waitFor();
    await end();
  });

  it('keeps the focus in a dialog that opens while the page behind it refreshes', async () => {
    await make('tide', '# Tide');
    const { page, go, end } = await beginJourney(service, ada);
    const dialog = page.getByRole('dialog', { name: 'Share' });
    const link = page.getByRole('link', { name: 'Share' });
    const trail = (visibility: string) => page.locator('.trail', { hasText: visibility });
    const change = async (visibility: string) => {
      await dialog.getByLabel(visibility).click();
      await toast(page, `${visibility}.`);
    };
    const close = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await focused(link);
    };
    // Only the dialog refreshes the page here.
    await page.routeWebSocket('**/live/**', () => {});
    await go('/read/ada/tide');
    // Fetches the page immediately, but holds the response back until the test releases it.
    const answers: (() => Promise<void>)[] = [];
    await page.route('**/read/ada/tide', async (route) => {
      const response = await route.fetch();
      answers.push(() => route.fulfill({ response }));
    });
    const asked = (times: number) => until('the page is asked for', () => answers.length >= times);
    const answer = async (index: number) => {
      const done = page.waitForEvent('requestfinished', (request) => request.url() === page.url());
      await answers[index]?.();
      await done;
      await page.evaluate(afterFrames);
    };

    await link.press('Enter');
    await change('Private');
    await close();
    await asked(1);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await answer(0);
    await close();
    await trail('Private').waitFor();
    await focused(link);

    await page.keyboard.press('Enter');
    await change('Public');
    await close();
    await asked(2);
    await page.keyboard.press('Enter');
    await change('Private');
    await close();
    await asked(3);
    await answer(2);
    await answer(1);
    assert.ok(await trail('Private').isVisible(), 'the earlier answer comes too late');
    const undo = page.locator('.toast').getByRole('button', { name: 'Undo' });
    await page.keyboard.press('Enter');
    await change('Public');
    await close();
    await asked(4);
    await tabTo(undo);
    await answer(3);
    await trail('Public').waitFor();
    assert.ok(await hasFocus(undo));
    await end();
  });

  it('gets the result of a form after closing its dialog early', async () => {
    await make('tower', '# Tower');
    const { page, go, end } = await beginJourney(service, ada);
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await go('/read/ada/tower');
    const sendAndClose = async (sender: Locator) => {
      const answered = Promise.withResolvers<void>();
      const sent = Promise.withResolvers<void>();
      await page.route('**/share/ada/tower{,/*,?*}', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        const response = await route.fetch({ maxRedirects: 0 });
        sent.resolve();
        await answered.promise;
        await route.fulfill({ response });
      });
      await sender.click();
      await sent.promise;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      answered.resolve();
    };
    await page.getByRole('link', { name: 'Share' }).click();
    await sendAndClose(dialog.getByLabel('Private'));
    await toast(page, 'Private. Only ada');
    await page.locator('.trail', { hasText: 'Private' }).waitFor();
    await page.getByRole('link', { name: 'Share' }).click();
    await dialog.getByLabel('Invite by username').fill('nobody-here');
    await sendAndClose(dialog.getByRole('button', { name: 'Invite' }));
    await toast(page, 'No user “nobody-here”.');
    await end();
  });

  it('compares two revisions, restores one and undoes that', async () => {
    await make('versions', '# Versions\n\nthe first word');
    await ada.client.patch('/briefs/ada/versions', { content: '# Versions\n\nthe second word' });
    const { page, go, end } = await beginJourney(service, ada);
    await page.setViewportSize({ width: 1440, height: 900 });
    await go('/read/ada/versions');
    await page.locator('.own-actions summary').click();
    await page.getByRole('link', { name: 'History' }).click();
    // The newest is shown beside the list, with its changes; the source is one step further.
    await page.locator('.history-text ins', { hasText: 'second' }).waitFor();
    await page.locator('.history-text del', { hasText: 'first' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.history-text', { hasText: 'Revision 1 of 2' }).waitFor();
    await page.locator('.history-text .prose', { hasText: 'the first word' }).waitFor();
    await page.getByRole('link', { name: 'revision 2' }).click({ modifiers: ['Shift'] });
    await page.locator('.history-text ins', { hasText: 'second' }).waitFor();
    await page.locator('.changes-bar').getByRole('link', { name: 'Source' }).click();
    const [before, after] = [page.locator('.changed .before'), page.locator('.changed .after')];
    assert.deepEqual(await before.locator('del').allTextContents(), ['first']);
    assert.deepEqual(await after.locator('ins').allTextContents(), ['second']);
    const place = async (side: Locator) => (await side.boundingBox()) ?? { x: 0, y: 0 };
    assert.equal((await place(before)).y, (await place(after)).y, 'beside each other');
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal((await place(before)).x, (await place(after)).x, 'one below the other');

    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    const restored = await toast(page, 'Restored revision 1.');
    const content = async () => (await ada.client.get('/briefs/ada/versions')).data.content;
    assert.match(await content(), /first/);
    await restored.getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'Restored revision 2.');
    assert.match(await content(), /second/);

    const more = page.getByTitle('More for revision 1');
    await more.click();
    await page.getByRole('button', { name: 'Pin', exact: true }).locator('visible=true').click();
    await toast(page, 'Pinned revision 1.');
    await go('/ada/versions@1');
    await page.getByText('This link always shows this text.').waitFor();
    await page.getByText('the first word').waitFor();
    await end();
  });

  it('gets to the requested screen after signing in', async () => {
    await make('deep', '# Deep');
    const { page, go, end } = await beginJourney(service);
    await go('/history/ada/deep');
    assert.equal(new URL(page.url()).pathname, '/sign-in');
    await focused(page.getByLabel('Username or email address'));
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'History of deep' }).waitFor();
    assert.equal(page.url(), `${service.webUrl}/history/ada/deep`);
    await end();
  });
});

/** Waits until the script has announced the toast. It is also present before that. */
function said(toast: Locator): Promise<void> {
  return toast.and(toast.page().locator('[data-result]')).waitFor();
}

/** Runs in the browser: records when toasts disappear and appear after the page has loaded. */
function recordToasts(): void {
  const record: string[] = [];
  Object.assign(globalThis, { toastRecord: record });
  new MutationObserver((changes) => {
    for (const { target, addedNodes, removedNodes } of changes) {
      if ((target as Element).id !== 'toasts') continue;
      if (removedNodes.length > 0) record.push('gone');
      else if (addedNodes.length > 0 && record.length > 0) record.push('there');
    }
  }).observe(document, { childList: true, subtree: true });
}
