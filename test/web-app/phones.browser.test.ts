import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { beginJourney, editorReady, focused, type Journey, tabTo, toast } from './journey.ts';
import { makePerson, makeWorld, type Person } from './world.ts';

const LONG_NAME = 'a-name-that-is-as-long-as-one-can-be-39';

describe('On a phone', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;

  openStage({}, async (stage) => {
    ({ service } = stage);
    ({ ada } = await makeWorld(service));
    const other = await makePerson(service, LONG_NAME);
    const path = `/briefs/ada/plan/collaborators/${LONG_NAME}`;
    const { data } = await ada.client.put(path, { permission: 'read' });
    await other.client.patch(`/user/brief_invitations/${data.id}`);
  });

  /** Ada's phone. */
  const phone = (width = 360): Promise<Journey> =>
    beginJourney(service, ada, { viewport: { width, height: 760 } });

  /** Returns the elements whose text is cut off or overflows its container. */
  const cutOff = (elements: Locator): Promise<string[]> =>
    elements.evaluateAll((all) =>
      all
        .filter((element) => {
          const { right } = element.getBoundingClientRect();
          const around = element.closest('li, ul')?.getBoundingClientRect().right ?? 0;
          return element.scrollWidth > element.clientWidth + 1 || right > around + 1;
        })
        .map((element) => element.textContent ?? ''),
    );

  it('the names of people with access are never cut off', async () => {
    const { page, go, end } = await phone();
    const names = page.locator('.person .item-title');
    await go('/share/ada/plan');
    assert.deepEqual(await names.allTextContents(), ['ada (you)', LONG_NAME, 'grace', 'edsger']);
    assert.deepEqual(await cutOff(page.locator('.person :is(.item-title, button)')), []);
    await go('/organizations/observatory/members');
    assert.deepEqual((await names.allTextContents()).sort(), ['ada (you)', 'edsger', 'grace']);
    assert.deepEqual(await cutOff(page.locator('.person :is(.item-title, button)')), []);
    await go('/read/ada/plan');
    await page.getByRole('link', { name: 'Share' }).click();
    await page.getByRole('dialog', { name: 'Share' }).waitFor();
    assert.deepEqual(await cutOff(page.locator('dialog .person :is(.item-title, button)')), []);
    await end();
  });

  /** Tells whether nothing covers the center of an element. */
  const isInReach = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });

  for (const [width, height] of [
    [360, 640],
    [390, 844],
    [1280, 800],
  ] as const) {
    it(`toasts never cover the link on the Share screen, ${width} px wide`, async () => {
      const viewport = { width, height };
      const { page, go, end } = await beginJourney(service, ada, { viewport });
      const link = page.locator('.share-link');
      const publish = async () => {
        await page.getByLabel('Public').click();
        return toast(page, 'Public. Anyone on the web can read this.');
      };
      const holdsInReach = async (where: string) => {
        assert.ok(await isInReach(link.getByRole('button', { name: 'Copy' })), `${where}: Copy`);
        assert.ok(await isInReach(link.locator('.hint')), `${where}: whom it works for`);
      };
      await go('/read/ada/plan');
      await page.getByRole('link', { name: 'Share' }).click();
      const said = await publish();
      await holdsInReach('dialog');
      await page.locator('.person').last().scrollIntoViewIfNeeded();
      await holdsInReach('end of the dialog');
      await said.getByRole('button', { name: 'Undo' }).click();
      await toast(page, 'Private. Only ada');

      await go('/share/ada/plan');
      const saidOnPage = await publish();
      await holdsInReach('page');
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await holdsInReach('end of the page');
      await saidOnPage.getByRole('button', { name: 'Undo' }).click();
      await toast(page, 'Private. Only ada');
      await end();
    });
  }

  it('a choice by arrow keys on the Share page is kept when a link is clicked', async () => {
    const { page, go, end } = await beginJourney(service, ada);
    await go('/share/ada/plan');
    await page.getByLabel('Private').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('link', { name: 'Back to the brief' }).click();
    await page.waitForURL(`${service.webUrl}/read/ada/plan`);
    await toast(page, 'Public. Anyone on the web can read this.');
    assert.equal((await ada.client.get('/briefs/ada/plan')).data.visibility, 'public');
    await ada.client.patch('/briefs/ada/plan', { visibility: 'private' });
    await end();
  });

  it('without scripts, toasts cover nothing', async () => {
    const viewport = { width: 390, height: 844 };
    const options = { viewport, javaScriptEnabled: false };
    const { page, go, end } = await beginJourney(service, ada, options);
    await go('/share/ada/plan');
    await page.getByLabel('Public').check();
    await page.getByRole('button', { name: 'Change visibility' }).click();
    const said = await toast(page, 'Public.');
    const heading = page.getByRole('heading', { level: 1 });
    const [top, bottom] = [await heading.boundingBox(), await said.boundingBox()];
    assert.ok(top && bottom && bottom.y + bottom.height <= top.y, 'it stands above the heading');
    await said.getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'Private.');
    await end();
  });

  /** Returns the elements that are not completely inside the window. */
  const outOfWindow = (elements: Locator): Promise<string[]> =>
    elements.evaluateAll((all) =>
      all
        .filter((element) => {
          const { left, right, top, bottom, width } = element.getBoundingClientRect();
          const isWithin = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
          return width === 0 || !isWithin;
        })
        .map((element) => element.textContent ?? ''),
    );

  it('the menu and an organization’s tabs fit the window', async () => {
    const { page, go, end } = await phone();
    await go('/organizations/observatory/settings');
    assert.deepEqual(await outOfWindow(page.locator('.tabs a')), []);
    const places = page.getByRole('navigation', { name: 'Main' });
    const button = page.getByRole('button', { name: 'Menu 2 waiting' });
    assert.equal(await places.count(), 0);
    await button.click();
    assert.deepEqual(await outOfWindow(page.locator('.rail :is(a, button)')), []);
    await places.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(await places.locator('[aria-current]').textContent(), 'Observatory');
    await page.keyboard.press('Escape');
    await places.waitFor({ state: 'detached' });
    await focused(button);
    await page.keyboard.press('Enter');
    await tabTo(places.getByRole('link', { name: 'Shared with me' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/shared');
    await end();
  });

  for (const path of ['/', '/read/ada/plan', '/read/ada/pages/dice', '/ada/reading-list']) {
    it(`the buttons of ${path} have labels, a document’s at the bottom`, async () => {
      const { page, go, end } = await phone();
      await go(path);
      // Pictures of people have none.
      const buttons = page.locator('.bar .action:visible:not(:has(.avatar))');
      await page.locator('.scripted').waitFor();
      const unnamed = await buttons.evaluateAll((all) =>
        all.flatMap((button) => {
          const { width = 0, height = 0 } =
            button.querySelector('.label')?.getBoundingClientRect() ?? {};
          return width > 8 && height > 8 ? [] : [button.outerHTML];
        }),
      );
      assert.deepEqual(unnamed, []);
      assert.deepEqual(await outOfWindow(buttons), []);
      const own = page.locator('.own-actions');
      if (path !== '/') {
        const { bottom, inBar } = await own.evaluate((actions) => ({
          bottom: innerHeight - actions.getBoundingClientRect().bottom,
          inBar: document.querySelector('.bar')?.getBoundingClientRect().height ?? 0,
        }));
        assert.deepEqual([bottom, inBar <= 48], [0, true]);
      }
      await end();
    });
  }

  it('in 320 pixels, as at 400 % on a desktop, nothing makes a page scroll sideways', async () => {
    const { page, go, end } = await phone(320);
    for (const path of ['/settings/security', '/reference', '/organizations/observatory/members']) {
      await go(path);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, path);
    }
    await end();
  });

  it('the buttons of a deleted document are below its text', async () => {
    const { page, go, end } = await phone();
    await go('/trash');
    const row = page.locator('.item').first();
    const [facts, actions] = [row.locator('.item-facts'), row.locator('.item-end')];
    const [above, below] = [await facts.boundingBox(), await actions.boundingBox()];
    assert.ok(above && below && above.y + above.height <= below.y && above.width > 180);
    await end();
  });

  it('the history and the message about a change fit the window', async () => {
    const path = '/briefs/ada/merging';
    const brief = { name: 'merging', content: 'One.\n\nTwo.\n', visibility: 'private' };
    await ada.client.post('/user/briefs', brief);
    await ada.client.patch(path, { content: 'One!\n\nTwo.\n' });
    await ada.client.patch(path, { content: 'One.\n\nTwo!\n', baseRevision: 1 });
    const { page, go, end } = await phone();
    const right = (element: Element) => element.getBoundingClientRect().right;
    await go('/history/ada/merging');
    const facts = page.locator('.item-facts').filter({ hasText: 'Merged' });
    assert.ok((await facts.locator('.revision-fact').evaluate(right)) <= 360);
    const number = facts.getByText('Revision 3', { exact: true });
    assert.equal(await number.evaluate((span) => span.getClientRects().length), 1);
    await go('/read/ada/merging');
    const told = page.locator('.live-bar p');
    await ada.client.patch(path, { content: 'One!\n\nTwo, and more.\n' });
    await told.waitFor();
    assert.ok((await page.locator('.live-bar').evaluate(right)) <= 360);
    await end();
  });

  it('the text begins at the top of the editor; the name and who can read it unfold', async () => {
    const { page, go, end } = await beginJourney(service, ada, {
      viewport: { width: 390, height: 844 },
    });
    await go('/edit/ada/plan');
    await editorReady(page);
    const first = await page.locator('.title-field').boundingBox();
    assert.ok(first && first.y <= 110, `${first?.y}`);
    const fold = page.getByRole('button', { name: 'plan Private' });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    assert.ok(!(await name.isVisible()));
    await fold.click();
    await focused(name);
    assert.ok(await page.getByLabel('Who can read this').isVisible());
    await name.fill('');
    await page.getByRole('button', { name: 'No name yet Private' }).click();
    await name.waitFor({ state: 'hidden' });
    await end();
  });

  it('Share opens over the editor, which keeps what isn’t saved', async () => {
    const { page, go, end } = await phone(390);
    await go('/new');
    await editorReady(page);
    await page.keyboard.type('# Sundial');
    const heading = page.getByRole('heading', { level: 1, name: 'New brief' });
    await heading.waitFor({ state: 'attached' });
    await page.keyboard.press('Control+s');
    await page
      .getByRole('heading', { level: 1, name: 'Edit Sundial' })
      .waitFor({ state: 'attached' });
    await page.locator('#editor-acts summary').click();
    await page.getByRole('link', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog');
    // Not a line, which the editor draws again when it likes.
    await page.evaluate(() => document.querySelector('.cm-editor')?.setAttribute('data-same', ''));
    await dialog.getByLabel('Public').click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'sundial Public' }).waitFor();
    assert.equal(await page.locator('[data-same]').count(), 1, 'it is the same editor');
    await end();
  });

  it('the outline opens within the window', async () => {
    const content = '# What is said of the orbits of the planets, and of those who went before';
    await ada.client.post('/user/briefs', { name: 'orbits', content });
    const { page, go, end } = await phone(390);
    await go('/edit/ada/orbits');
    await editorReady(page);
    await page.locator('#outline summary').click();
    await page.locator('#outline button').first().waitFor();
    assert.deepEqual(await outOfWindow(page.locator('#outline :is(ol, button)')), []);
    await end();
  });

  it('the owner and visibility of a public document aren’t cut off', async () => {
    const { page, go, end } = await phone();
    await go('/ada/reading-list');
    const isWhole = (name: Locator) => name.evaluate((one) => one.scrollWidth <= one.clientWidth);
    assert.ok(await isWhole(page.locator('.trail .owner')));
    const visibility = page.getByTitle('Anyone on the web can read this.');
    assert.equal(await visibility.textContent(), 'Public');
    assert.deepEqual(await outOfWindow(visibility), []);
    await go('/ada/pages/dice');
    assert.deepEqual(await outOfWindow(visibility), []);
    assert.equal(await visibility.textContent(), 'Public');
    await end();
  });
});
