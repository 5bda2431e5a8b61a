import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import {
  beginJourney,
  editorReady,
  focused,
  inSplit,
  type Journey,
  saved,
  toast,
} from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const TEXT =
  '# Report\r\n\r\nThe station was quiet.\r\n\r\nNobody came in March.\r\n\r\nThe end.\r\n';
const HTML = '<h1>Report</h1>\n<p>The station was quiet.</p>\n<p>Nobody came in March.</p>\n';

describe('Comments in the editor', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  /** Creates a document with comments by grace, and opens it in ada's editor. */
  async function edit(kind: 'brief' | 'page', name: string, quotes: string[]): Promise<Journey> {
    const content = kind === 'brief' ? { content: TEXT } : { html: HTML };
    const body = { name, visibility: 'private', ...content };
    assert.equal((await ada.client.post(`/user/${kind}s`, body)).status, 201);
    const at = `/${kind}s/ada/${name}`;
    const { data } = await ada.client.put(`${at}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    for (const quote of quotes) {
      const on = quote === '' ? {} : { on: { quote } };
      const said = await grace.client.post(`${at}/threads`, { body: `On “${quote}”`, ...on });
      assert.equal(said.status, 201, said.text);
    }
    const journey = await beginJourney(service, ada);
    await journey.go(kind === 'brief' ? `/edit/ada/${name}` : `/edit/ada/pages/${name}`);
    await editorReady(journey.page);
    // The marks are beside the lines of the source.
    if (kind === 'brief') await inSplit(journey.page);
    await journey.page.locator('.cm-content').focus();
    await journey.page.locator('.thread-marker:visible').first().waitFor();
    return journey;
  }

  /**
   * Waits until these lines have a marker with this count, because CodeMirror renders
   * asynchronously.
   */
  async function markers(page: Page, expected: [line: string, count: string][]): Promise<void> {
    await page.waitForFunction((expected) => {
      const lines = [...document.querySelectorAll('.cm-line')];
      const found = [...document.querySelectorAll<HTMLElement>('.cm-thread-gutter .thread-marker')]
        .filter((marker) => marker.checkVisibility({ visibilityProperty: true }))
        .map((marker) => {
          const { top } = marker.getBoundingClientRect();
          const line = lines.find((line) => line.getBoundingClientRect().bottom > top);
          return [line?.textContent, marker.textContent];
        });
      return JSON.stringify(found) === expected;
    }, JSON.stringify(expected));
  }

  const panel = (page: Page) => page.getByRole('dialog', { name: /^Line \d+: \d+ comments?$/ });
  const open = async (page: Page) => {
    await page.keyboard.press('Control+Alt+m');
    await panel(page).waitFor();
  };

  it('are marked beside their lines, and move with the text', async () => {
    const { page, end } = await edit('brief', 'beside', ['quiet', 'station', 'in March', '']);
    await markers(page, [
      ['# Report', '1'],
      ['The station was quiet.', '2'],
      ['Nobody came in March.', '1'],
    ]);
    await page.getByRole('button', { name: 'Comments 4' }).waitFor();
    assert.deepEqual(await page.locator('.cm-commented').allTextContents(), [
      'station',
      'quiet',
      'in March',
    ]);
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('First.\n\n');
    await markers(page, [
      ['First.', '1'],
      ['The station was quiet.', '2'],
      ['Nobody came in March.', '1'],
    ]);
    // The passage is deleted, but not saved. Its comment moves to the nearest position.
    await page.locator('.cm-line').filter({ hasText: 'Nobody' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('Two came.');
    await markers(page, [
      ['First.', '1'],
      ['The station was quiet.', '2'],
      ['Two came.', '1'],
    ]);
    await page.keyboard.press('Control+s');
    await saved(page);
    await markers(page, [
      ['First.', '1'],
      ['The station was quiet.', '2'],
      ['Two came.', '1'],
    ]);
    await end();
  });

  it('can be read, answered and resolved in a panel with the keyboard', async () => {
    const { page, end } = await edit('brief', 'answered', ['quiet', 'in March']);
    await page.keyboard.press('Control+Home');
    await open(page);
    await focused(panel(page).getByRole('heading', { name: 'Line 3: 1 comment' }));
    await panel(page).getByText('On “quiet”').waitFor();
    await panel(page).getByText('Reply', { exact: true }).first().click();
    await focused(panel(page).getByRole('textbox', { name: 'Reply' }));
    await page.keyboard.type('It was.');
    await panel(page)
      .getByRole('button', { name: /^Resolve/ })
      .click();
    await panel(page).getByRole('alert').getByText('Send your reply first, or clear it.').waitFor();
    await panel(page).getByRole('button', { name: 'Reply' }).click();
    await panel(page).locator('.comment-body').getByText('It was.').waitFor();
    await page.getByRole('button', { name: 'Next comment' }).click();
    await focused(panel(page).getByRole('heading', { name: 'Line 5: 1 comment' }));
    await panel(page)
      .getByRole('button', { name: /^Resolve/ })
      .click();
    await toast(page, 'Resolved.');
    await panel(page).waitFor({ state: 'hidden' });
    await focused(page.locator('.cm-content'));
    await markers(page, [['The station was quiet.', '1']]);
    await open(page);
    await panel(page).getByText('On “quiet”').waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    await focused(page.locator('.cm-content'));
    const { data } = await ada.client.get('/briefs/ada/answered/threads?state=all');
    const states = data.map(({ state, comments }: { state: string; comments: unknown[] }) => [
      state,
      comments.length,
    ]);
    assert.deepEqual(states.sort(), [
      ['open', 2],
      ['resolved', 1],
    ]);
    await end();
  });

  it('suggestions can be accepted into unsaved text', async () => {
    const { page, end } = await edit('brief', 'accepted', ['in March']);
    const at = '/briefs/ada/accepted/threads';
    const suggestion = { on: { quote: 'quiet' }, replacement: 'silent' };
    assert.equal((await grace.client.post(at, suggestion)).status, 201);
    await page.reload();
    await editorReady(page);
    await markers(page, [
      ['The station was quiet.', '1'],
      ['Nobody came in March.', '1'],
    ]);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Mine.');
    await page.keyboard.press('Control+Home');
    await open(page);
    await panel(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await toast(page, 'Accepted. The text has changed.');
    await markers(page, [['Nobody came in March.', '1']]);
    assert.equal(await page.getByText('saved a newer version').count(), 0);
    await page.keyboard.press('Control+s');
    await saved(page);
    const { data } = await ada.client.get('/briefs/ada/accepted');
    assert.equal(
      data.content.replaceAll('\r\n', '\n'),
      `${TEXT.replaceAll('\r\n', '\n').replace('quiet', 'silent')}Mine.`,
    );
    await end();
  });

  it('are marked beside the HTML of a page, and a click opens them', async () => {
    const { page, end } = await edit('page', 'html', ['came in March']);
    await markers(page, [['<p>Nobody came in March.</p>', '1']]);
    await page.locator('.thread-marker:visible').click();
    await panel(page).getByText('On “came in March”').waitFor();
    await end();
  });
});
