import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { beginJourney, editorReady, inSplit, tabTo } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const TEXT =
  '# Plan\n\nWe open in December.\n\nIt costs a lot.\n\nEverybody can help.\n\nThe end.\n';

describe('Suggesting in the editor', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
  });

  async function make(name: string, permission: 'read' | 'write'): Promise<string> {
    const body = { name, content: TEXT, visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = `/briefs/ada/${name}`;
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return path;
  }

  const textOf = async (path: string) => (await ada.client.get(path)).data.content;
  const text = (page: Page) => page.locator('.write-pane .cm-content');
  const state = (page: Page, words: string) =>
    page.locator('#save-state', { hasText: words }).waitFor();

  /** Goes to the end of a line, from 0, and types. */
  async function typeAt(page: Page, line: number, ...keys: string[]): Promise<void> {
    await text(page).focus();
    await page.keyboard.press('Control+Home');
    for (let down = 0; down < line; down++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    for (const key of keys) {
      if (/^(Control|Shift|Backspace|Arrow)/.test(key)) await page.keyboard.press(key);
      else await page.keyboard.type(key);
    }
  }

  const WORD_BACK = ['ArrowLeft', 'Control+Backspace'];

  it('is saved as suggestions that another person accepts, rejects, and accepts all of', async () => {
    const path = await make('plan', 'write');
    const hers = await beginJourney(service, grace);
    const { page } = hers;
    await hers.go('/edit/ada/plan');
    await editorReady(page);
    await inSplit(page);
    await state(page, 'Saved');
    await page.keyboard.press('Control+Alt+Shift+X');
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    await state(page, 'Nothing suggested yet');
    await typeAt(page, 2, ...WORD_BACK, 'January');
    await typeAt(page, 4, ...WORD_BACK, 'nothing');
    await typeAt(page, 6, ...WORD_BACK, 'come');
    await typeAt(page, 8, ' Or not.');
    await state(page, '4 unsaved suggestions');
    const deleted = await page.locator('.suggested-deletion').allTextContents();
    assert.deepEqual(deleted, ['December', 'lot', 'help']);
    await page.locator('#preview', { hasText: 'January' }).waitFor();

    // Others write meanwhile, and a reload keeps what is suggested.
    const edited = TEXT.replace('# Plan', '# Plan of ours');
    await ada.client.patch(path, { content: edited });
    await text(page).getByText('of ours').waitFor();
    await state(page, '4 unsaved suggestions');
    await page.waitForTimeout(700);
    await page.reload();
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    await state(page, '4 unsaved suggestions');
    assert.equal(await textOf(path), edited);

    // Going back to editing asks first.
    const editing = page.getByRole('button', { name: 'Editing', exact: true });
    await page.getByLabel('Name', { exact: true }).focus();
    await tabTo(editing);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep suggesting' }).click();
    await state(page, '4 unsaved suggestions');
    await text(page).focus();
    await page.keyboard.press('Control+s');
    const saved = page.locator('#notice-suggested', { hasText: 'Saved 4 suggestions.' });
    await saved.waitFor();
    await state(page, 'Nothing suggested yet');
    assert.equal(await page.locator('.suggested-insertion').count(), 0);
    const href = (await saved.getByRole('link').getAttribute('href')) ?? '';
    assert.equal(await textOf(path), edited);

    // In the text, one by one.
    const theirs = await beginJourney(service, ada);
    await theirs.go('/read/ada/plan');
    const card = (word: string) => theirs.page.locator('.thread', { hasText: word });
    await card('January').click();
    await card('January').getByRole('button', { name: 'Accept' }).click();
    await theirs.page.locator('.prose', { hasText: 'We open in January.' }).waitFor();
    await theirs.go(href);
    await theirs.page.getByRole('button', { name: 'Reject suggestion 2' }).click();
    await theirs.page.getByText('Rejected by ada').waitFor();
    await theirs.page.getByRole('button', { name: 'Accept the other 2' }).click();
    await theirs.page.getByText('Accepted 2 suggestions.').waitFor();
    const accepted = edited
      .replace('December', 'January')
      .replace('help', 'come')
      .replace('The end.', 'The end. Or not.');
    assert.equal(await textOf(path), accepted);
    const { data: by } = await ada.client.get(`${path}/authorship`);
    const words = by.spans
      .filter(({ source }: { source: number }) => by.sources[source].author === 'grace')
      .map(({ start, end }: { start: number; end: number }) => accepted.slice(start, end));
    assert.match(words.join('|'), /^January\|come\|.*Or not\.$/);
    await theirs.end();

    // The editor that is still open follows, and edits again.
    await text(page).getByText('We open in January.').waitFor();
    await editing.click();
    await page.locator('#editor[data-mode="editing"]').waitFor();
    await typeAt(page, 4, ' Written.');
    await state(page, 'Saved');
    await page.locator('#done').click();
    await page.waitForURL('**/read/ada/plan');
    assert.equal(await textOf(path), accepted.replace('a lot.', 'a lot. Written.'));
    await hers.end();
  });

  it('can be discarded, and nothing of it comes into the text', async () => {
    const path = await make('dropped', 'write');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/edit/ada/dropped');
    await editorReady(page);
    await inSplit(page);
    await state(page, 'Saved');
    await page.getByRole('button', { name: 'Suggesting', exact: true }).click();
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    await typeAt(page, 2, ' Never mind.');
    await state(page, '1 unsaved suggestion');
    await page.locator('#done').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep suggesting' }).click();
    await page.getByRole('button', { name: 'Editing', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.locator('#editor[data-mode="editing"]').waitFor();
    await page.keyboard.press('Control+z');
    await typeAt(page, 0, ' B');
    await state(page, 'Saved');
    await page.locator('#done').click();
    await page.waitForURL('**/read/ada/dropped');
    assert.equal(await textOf(path), TEXT.replace('# Plan', '# Plan B'));
    await end();
  });

  it('is all that people can do who only comment, and shows what conflicts', async () => {
    const path = await make('reader', 'read');
    const { page, go, end } = await beginJourney(service, grace, {
      viewport: { width: 360, height: 740 },
    });
    await go('/edit/ada/reader');
    await page.waitForURL('**/propose/ada/reader');
    await page.locator('#editor[data-ready]').waitFor();
    await inSplit(page);
    await typeAt(page, 2, ...WORD_BACK, 'May');
    await typeAt(page, 8, ' Soon.');
    await state(page, '2 unsaved suggestions');
    await page.waitForTimeout(700);
    await page.reload();
    await state(page, '2 unsaved suggestions');
    await page.getByText('is restored').waitFor();
    await ada.client.patch(path, { content: TEXT.replace('December', 'June') });
    await page.getByRole('button', { name: 'Save suggestions' }).click();
    await page.locator('#notice-clash', { hasText: 'line 3' }).waitFor();
    assert.deepEqual(await page.locator('.suggested-deletion').allTextContents(), ['June']);
    await page.getByRole('button', { name: 'Save suggestions' }).click();
    await page.waitForURL('**/propose/ada/reader?thread=**');
    await page.getByText('Soon.').waitFor();
    const { data } = await ada.client.get(`${path}/threads`);
    assert.equal(data.length, 2);
    await go('/propose/ada/reader');
    await state(page, 'Nothing suggested yet');
    await end();
  });
});
