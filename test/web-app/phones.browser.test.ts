import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { type Service, startService } from '../harness.ts';
import { launch } from '../render/browser.ts';
import { browserMissing, clientMissing } from '../web/built-client.ts';
import { beginJourney, type Journey } from './journey.ts';
import { makePerson, makeWorld, type Person } from './world.ts';

const LONG_NAME = 'a-name-that-is-as-long-as-one-can-be-39';

describe('On a phone', { skip: browserMissing || clientMissing }, () => {
  let service: Service;
  let browser: Browser;
  let ada: Person;

  before(async () => {
    service = await startService();
    ({ ada } = await makeWorld(service));
    const other = await makePerson(service, LONG_NAME);
    const path = `/briefs/ada/plan/collaborators/${LONG_NAME}`;
    const { data } = await ada.client.put(path, { permission: 'read' });
    await other.client.patch(`/user/brief_invitations/${data.id}`);
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  /** Ada's phone. */
  const phone = (width = 360): Promise<Journey> =>
    beginJourney(browser, service, ada, { viewport: { width, height: 760 } });

  /** Those of the elements whose text is cut off, or reaches out of what they are in. */
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

  it('says who has access, whatever they are called', async () => {
    const { page, go, end } = await phone();
    const names = page.locator('.person .item-title');
    await go('/share/ada/plan');
    assert.deepEqual(await names.allTextContents(), ['ada (you)', LONG_NAME, 'grace', 'edsger']);
    assert.deepEqual(await cutOff(page.locator('.person :is(.item-title, button)')), []);
    await go('/organizations/observatory/members');
    assert.deepEqual((await names.allTextContents()).sort(), ['ada (you)', 'grace']);
    assert.deepEqual(await cutOff(page.locator('.person :is(.item-title, button)')), []);
    await go('/read/ada/plan');
    await page.getByRole('link', { name: 'Share' }).click();
    await page.getByRole('dialog', { name: 'Share' }).waitFor();
    assert.deepEqual(await cutOff(page.locator('dialog .person :is(.item-title, button)')), []);
    await end();
  });
});
