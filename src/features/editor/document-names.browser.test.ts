import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage, takeSignedIn } from '../../../test/in-browser.ts';
import { inSplit } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';
import { giveBack, pageOf } from '../../../test/windows.ts';

/** How long after a list has changed CodeMirror ignores Enter (`interactionDelay`). */
const CHOOSABLE_AFTER_MS = 200;

describe('Names of documents in the editor', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  it('are completed after two brackets, by keyboard', async () => {
    const make = ({ client }: Person, name: string, content: string, visibility: string) =>
      client.post('/user/briefs', { name, content, visibility });
    await make(ada, 'zeppelin', '# Airships of Zeppelin', 'private');
    await make(grace, 'zeppelins', '# Zeppelins of Grace', 'private');
    await make(ada, 'start', '# Start\n\n', 'private');
    await everythingIndexed(service.app.context);
    const context = await takeSignedIn(service, ada.visitor);
    const page = await pageOf(context);
    await page.goto(`${service.webUrl}/edit/ada/start`);
    await page.waitForSelector('#editor[data-ready]');
    await inSplit(page);
    const text = page.locator('.pane .cm-content');
    await text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('See [[zepp');
    const options = page.locator('.cm-tooltip-autocomplete').getByRole('option');
    await options.first().waitFor();
    assert.deepEqual(await options.allTextContents(), ['Airships of Zeppelinzeppelin']);
    await setTimeout(CHOOSABLE_AFTER_MS);
    await page.keyboard.press('Enter');
    await page.keyboard.type(' now.');
    assert.match((await text.textContent()) ?? '', /See \[\[zeppelin\]\] now\./);
    await page.locator('#preview a[href="/read/ada/zeppelin"]').waitFor();
    await giveBack(context, service.webUrl);
  });
});
