import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { until } from '../../../test/until.ts';
import { beginJourney, editorReady, saved } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

describe('Two people in one editor', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
    await ada.client.post('/user/briefs', {
      name: 'plan',
      content: '# Plan',
      visibility: 'private',
    });
    const path = '/briefs/ada/plan/collaborators/grace';
    const { data } = await ada.client.put(path, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
  });

  const shown = (page: Page) => page.locator('#editing-now');

  it('see each other, and readers see them before pressing Edit', async () => {
    const [of1, of2] = [await beginJourney(service, ada), await beginJourney(service, grace)];
    await of1.page.clock.install();
    await of1.go('/edit/ada/plan');
    await editorReady(of1.page);
    await of2.go('/read/ada/plan');
    await shown(of2.page).getByText('ada is editing now').waitFor();
    await of2.page.locator('[data-shortcut="e"]').click();
    await editorReady(of2.page);
    await shown(of2.page).getByText('ada is editing too').waitFor();
    assert.equal(await shown(of2.page).locator('img').count(), 1);
    // Ada's editor learns of it with its next request.
    await of1.page.clock.fastForward(21_000);
    await shown(of1.page).getByText('grace is editing too').waitFor();
    await of2.page.locator('#done').click();
    await of2.page.waitForURL('**/read/ada/plan');
    // The last request of a closed page may arrive after Ada's next request.
    await until('nobody left', async () => {
      await of1.page.clock.fastForward(21_000);
      return (await shown(of1.page).getByText('grace').count()) === 0;
    });
    await of1.end({ close: true });
    await of2.end();
  });

  it('of a new brief see each other once it is saved', async () => {
    const journey = await beginJourney(service, ada);
    const { page } = journey;
    await page.clock.install();
    await journey.go('/new');
    await editorReady(page);
    await page.keyboard.type('# Fresh');
    await page.keyboard.press('Control+s');
    await saved(page);
    const announced = page.waitForResponse((response) => response.url().includes('/editing/ada/'));
    await page.clock.fastForward(21_000);
    assert.equal((await announced).status(), 200);
    await journey.end({ close: true });
  });
});
