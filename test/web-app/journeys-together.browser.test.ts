import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { beginJourney, editorReady, focused, saved, tabTo, toast } from './journey.ts';
import type { Person } from './world.ts';

describe('Two people', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  const make = async (name: string, visibility: 'public' | 'private') => {
    const content = `# The ${name}`;
    const answer = await ada.client.post('/user/briefs', { name, content, visibility });
    assert.equal(answer.status, 201, answer.text);
  };
  const share = async (name: string, permission: 'read' | 'write') => {
    const path = `/briefs/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(path, { permission });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
  };
  const shareDialog = (page: Page) => page.getByRole('dialog', { name: 'Share' });
  const personRow = (page: Page, username: string) =>
    shareDialog(page).locator('.person').filter({ hasText: username });

  it('share a brief with the mouse', async () => {
    await make('orbit', 'private');
    const hers = await beginJourney(service, ada);
    const theirs = await beginJourney(service, grace);
    assert.equal(await theirs.go('/read/ada/orbit'), 404);

    await hers.go('/read/ada/orbit');
    await hers.page.getByRole('link', { name: 'Share' }).click();
    const dialog = shareDialog(hers.page);
    await dialog.getByLabel('Invite by username').click();
    await hers.page.keyboard.type('gra');
    await dialog.getByRole('option', { name: 'grace' }).click();
    assert.equal(await dialog.getByLabel('Invite by username').inputValue(), 'grace');
    await dialog.getByLabel('Level', { exact: true }).selectOption('write');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByRole('heading', { name: 'Invited' }).waitFor();
    await personRow(hers.page, 'grace').getByText('Expires').waitFor();
    assert.equal(hers.page.url(), `${service.webUrl}/read/ada/orbit`, 'over the reading page');

    await theirs.go('/');
    await theirs.page.getByRole('link', { name: 'Invitations 1 waiting' }).click();
    await theirs.page.getByText('invited you to edit this brief.').waitFor();
    await theirs.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await theirs.page.waitForURL('**/read/ada/orbit');
    await toast(theirs.page, 'Accepted. You can read and edit it.');
    await theirs.page.getByRole('link', { name: 'Edit' }).click();
    await editorReady(theirs.page);
    await theirs.page.locator('.write-pane .cm-content').click();
    await theirs.page.keyboard.press('Control+End');
    await theirs.page.keyboard.type('\n\nAn ellipse.');
    await theirs.page.keyboard.press('Control+s');
    await saved(theirs.page);

    await hers.page.reload();
    await hers.page.locator('main').getByText('An ellipse.').waitFor();
    await hers.page.getByText(/^Last changed .* by grace/).waitFor();
    await hers.page.getByRole('link', { name: 'Share' }).click();
    await dialog.getByLabel('Level of grace', { exact: true }).click();
    await dialog.getByLabel('Level of grace', { exact: true }).selectOption('read');
    await toast(hers.page, 'grace: can read.');
    await theirs.page.reload();
    await theirs.page.getByRole('button', { name: 'Save suggestions' }).waitFor();
    const save = theirs.page.getByRole('button', { name: 'Save', exact: true });
    assert.equal(await save.count(), 0, 'Grace may only propose now');

    await dialog.getByRole('button', { name: 'Remove grace' }).click();
    const removed = await toast(hers.page, 'Removed grace.');
    await removed.getByRole('button', { name: 'Undo' }).waitFor();
    assert.equal(await personRow(hers.page, 'grace').count(), 0);
    assert.equal(await theirs.go('/read/ada/orbit'), 404);
    await removed.getByRole('button', { name: 'Undo' }).click();
    await personRow(hers.page, 'grace').getByText('Expires').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await hers.end();
    await theirs.end();
  });

  it('can undo a choice after the share dialog has closed, without leaving the brief', async () => {
    await make('meteor', 'private');
    const { page, go, end } = await beginJourney(service, ada);
    await go('/read/ada/meteor');
    await page.getByRole('link', { name: 'Share' }).click();
    const dialog = shareDialog(page);
    await dialog.getByRole('radio', { name: 'Public' }).click();
    const chosen = await toast(page, 'Public.');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await chosen.getByRole('button', { name: 'Undo' }).click();
    const undone = await toast(page, 'Private.');
    assert.equal(new URL(page.url()).pathname, '/read/ada/meteor');
    assert.equal((await ada.client.get('/briefs/ada/meteor')).data.visibility, 'private');
    await undone.getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'Public.');
    assert.equal(new URL(page.url()).pathname, '/read/ada/meteor');
    await end();
  });

  it('share a brief with a link, which every screen then names and copies', async () => {
    await make('aurora', 'private');
    const { page, go, end } = await beginJourney(service, ada);
    const dialog = shareDialog(page);
    const copied = dialog.locator('.share-link [data-action="copy-text"]');
    const isSecret = async () =>
      /\/s\/[\w-]{32}$/.test((await copied.getAttribute('data-text')) ?? '');
    await go('/read/ada/aurora');
    await page.getByRole('link', { name: 'Share' }).click();
    await dialog.getByText('Works for people who are invited.').waitFor();
    assert.ok(!(await isSecret()));
    await dialog.getByLabel('Anyone with the link').click();
    await toast(page, 'Anyone with the link can read this.');
    await dialog.getByText('Works for anyone with the link.').waitFor();
    assert.ok(await isSecret());
    const link = await copied.getAttribute('data-text');
    assert.equal(await dialog.getByRole('button', { name: 'Copy link' }).count(), 1);

    // Another choice ends what the message said.
    await dialog.getByText('Another link').click();
    await dialog.getByLabel('Expires').selectOption('On a date');
    await dialog.getByLabel('Last day').fill('2099-12-31');
    await dialog.getByLabel('Password').fill('walnut pie');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await toast(page, 'Anyone with the link and its password can read this.');
    assert.equal(await page.locator('.toast').count(), 1);
    await dialog.getByText('Expires 31 December 2099').waitFor();
    assert.equal(await copied.getAttribute('data-text'), link, 'rather the one for anyone');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.trail').getByText('Anyone with the link').waitFor();
    await page.locator('summary[title="More"]').click();
    const item = page.getByRole('button', { name: 'Copy link' });
    assert.equal(await item.getAttribute('data-text'), link);
    await item.getByText('Works for anyone with the link.').waitFor();
    await end();
  });

  it('share a brief with only the keyboard', async () => {
    await make('comet', 'private');
    const { page, go, end } = await beginJourney(service, ada);
    const { keyboard } = page;
    const dialog = shareDialog(page);
    const link = page.getByRole('link', { name: 'Share' });
    await go('/read/ada/comet');
    await tabTo(link);
    await keyboard.press('Enter');
    await dialog.waitFor();
    await focused(dialog.getByLabel('Invite by username'));
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(link);

    await keyboard.press('Enter');
    const field = dialog.getByLabel('Invite by username');
    await focused(field);
    await keyboard.type('gra');
    await dialog.getByRole('option', { name: 'grace' }).waitFor();
    await keyboard.press('Escape');
    await dialog.getByRole('option', { name: 'grace' }).waitFor({ state: 'detached' });
    assert.ok(await dialog.isVisible(), 'Escape closes the list first');
    await keyboard.press('ArrowDown');
    await dialog.getByRole('option', { name: 'grace' }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'grace');
    await keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Invited' }).waitFor();

    const { data } = await ada.client.get('/briefs/ada/comet/invitations');
    const accepted = await grace.client.patch(`/user/brief_invitations/${data[0].id}`);
    assert.equal(accepted.status, 204, accepted.text);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(link);
    await keyboard.press('Enter');
    const level = dialog.getByLabel('Level of grace', { exact: true });
    await tabTo(level);
    // Opens the menu, and takes the next level.
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await focused(dialog.getByRole('button', { name: 'Save: Level of grace' }));
    await keyboard.press('Enter');
    await toast(page, 'grace: can edit.');
    await focused(level);
    await tabTo(dialog.getByRole('button', { name: 'Remove grace' }));
    await keyboard.press('Enter');
    const removed = await toast(page, 'Removed grace.');
    await page.waitForFunction(() => document.activeElement?.closest('dialog') !== null);
    await tabTo(removed.getByRole('button', { name: 'Undo' }));
    await keyboard.press('Enter');
    await personRow(page, 'grace').getByText('Expires').waitFor();
    // While a toast has the focus, Escape closes only the toast.
    await removed.waitFor({ state: 'detached' });
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(link);

    // Closing the dialog keeps the choice.
    await keyboard.press('Enter');
    const isPrivate = dialog.getByRole('radio', { name: 'Private' });
    await tabTo(isPrivate);
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowUp');
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await toast(page, 'Public.');
    assert.equal((await ada.client.get('/briefs/ada/comet')).data.visibility, 'public');
    await end();
  });

  it('see what a visibility means, and get or lose access by it', async () => {
    await make('atlas', 'public');
    await share('atlas', 'read');
    const hers = await beginJourney(service, ada);
    const theirs = await beginJourney(service, grace);
    const nobody = await beginJourney(service);
    assert.equal(await nobody.go('/ada/atlas'), 200);
    const change = async (label: 'Public' | 'Private') => {
      await hers.page.getByRole('link', { name: 'Share' }).click();
      const dialog = shareDialog(hers.page);
      await dialog.getByLabel(label).click();
      return dialog;
    };
    const linkCopied = hers.page.locator('.menu [data-action="copy-text"]');

    await hers.go('/read/ada/atlas');
    assert.equal(await linkCopied.getAttribute('data-text'), `${service.webUrl}/ada/atlas`);
    const dialog = await change('Private');
    await toast(hers.page, 'Private. Only ada and invited people can read this.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await hers.page.locator('.trail', { hasText: 'Private' }).waitFor();
    assert.equal(await linkCopied.getAttribute('data-text'), `${service.webUrl}/read/ada/atlas`);
    await focused(hers.page.getByRole('link', { name: 'Share' }));
    assert.equal(await nobody.go('/ada/atlas'), 404);
    assert.equal(await nobody.page.getByText('The atlas').count(), 0);

    assert.equal(await theirs.go('/ada/atlas'), 200, 'whoever may read it is led to the app');
    await theirs.page.waitForURL('**/read/ada/atlas');
    await theirs.page.getByRole('heading', { name: 'The atlas' }).waitFor();

    await change('Public');
    const said = await toast(hers.page, 'Public. Anyone on the web can read this.');
    assert.equal(await nobody.go('/ada/atlas'), 200);
    await said.getByRole('button', { name: 'Undo' }).click();
    await toast(hers.page, 'Private. Only ada');
    assert.equal(await nobody.go('/ada/atlas'), 404);
    await hers.end();
    await theirs.end();
    await nobody.end();
  });

  it('work in an organization, each with a role', async () => {
    const hers = await beginJourney(service, ada);
    const theirs = await beginJourney(service, grace);
    const { page } = hers;
    await hers.go('/organizations');
    await page.getByRole('main').getByRole('link', { name: 'New organization' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Éngines & Söhne Ltd.');
    assert.equal(await page.getByLabel('Namespace').inputValue(), 'engines-sohne-ltd');
    await page.getByLabel('Namespace').fill('ada');
    await page.getByLabel('Name', { exact: true }).fill('Engines');
    assert.equal(await page.getByLabel('Namespace').inputValue(), 'ada');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.locator('.fault').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Engines');
    await page.getByLabel('Namespace').fill('engines');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await toast(page, 'Engines created.');

    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Parts of Engines' }).getByRole('link', { name });
    await tab('Members').click();
    await page.getByLabel('Invite by username').fill('grace');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await toast(page, 'Invited grace as a member.');
    await tab('Invitations').click();
    await page.locator('.person').filter({ hasText: 'grace' }).waitFor();

    await theirs.go('/invitations');
    await theirs.page.getByRole('button', { name: 'Accept the invitation to engines' }).click();
    await theirs.page.waitForURL('**/organizations/engines');
    await theirs.page.getByRole('link', { name: 'New brief' }).last().waitFor();
    const main = theirs.page.getByRole('main');
    assert.equal(await main.getByRole('link', { name: 'New brief' }).count(), 1);
    await main.getByRole('link', { name: 'Members' }).click();
    await main.getByRole('heading', { name: 'Leave Engines' }).waitFor();
    assert.equal(await main.getByRole('link', { name: 'Invitations' }).count(), 0);
    assert.equal(await main.getByLabel('Invite by username').count(), 0);
    assert.equal(await main.getByRole('combobox').count(), 0);
    await main.getByRole('link', { name: 'Settings' }).click();
    await main.getByText('Admins of Engines can change this.').waitFor();
    assert.equal(await main.getByRole('button').count(), 0);

    await tab('Members').click();
    await page.getByLabel('Role of grace', { exact: true }).click();
    await page.getByLabel('Role of grace', { exact: true }).selectOption('admin');
    await toast(page, 'grace is now an admin.');
    await theirs.page.reload();
    await main.getByRole('button', { name: 'Save settings' }).waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'grace is now a member.');

    await tab('Settings').click();
    await page.getByLabel('Admins only').check();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await toast(page, 'Settings saved.');
    assert.ok(await page.getByLabel('Admins only').isChecked());
    await theirs.go('/organizations/engines');
    await main.getByText(/^Only admins of .* can create documents\./).waitFor();
    assert.equal(await main.getByRole('link', { name: 'New brief' }).count(), 0);

    await page.getByLabel('Type engines to confirm').fill('motors');
    await page.getByRole('button', { name: 'Delete organization' }).click();
    await page.getByText('Type engines to confirm. Nothing was deleted.').waitFor();
    await focused(page.getByLabel('Type engines to confirm'));
    await page.getByLabel('Type engines to confirm').fill('engines');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/organizations');
    await toast(page, 'Engines was deleted.');
    assert.equal(await page.getByRole('link', { name: 'Engines' }).count(), 0);
    assert.equal(await theirs.go('/organizations/engines'), 404);
    await hers.end();
    await theirs.end();
  });
});
