import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { beginJourney, toast } from './journey.ts';
import type { Person } from './world.ts';

/** Without scripts, every form must work by itself. */
const PLAIN = { javaScriptEnabled: false };

describe('Without scripts, a person', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  it('writes a brief, shares it, and changes who can read it', async () => {
    const hers = await beginJourney(service, ada, PLAIN);
    const theirs = await beginJourney(service, grace, PLAIN);
    const { page } = hers;
    const text = page.getByRole('main').locator('textarea[name="content"]');
    await hers.go('/');
    await page.getByRole('main').getByRole('link', { name: 'New brief' }).first().click();
    await text.fill('# Tides\n\nTwice a day.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/read/ada/tides');
    await toast(page, 'Saved as ada/tides. Private: only ada and people you invite can read this.');
    await page.getByRole('link', { name: 'Edit' }).click();
    await text.fill('# Tides\n\nTwice a lunar day.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Twice a lunar day.').waitFor();

    await page.getByRole('link', { name: 'Share' }).click();
    await page.waitForURL('**/share/ada/tides?*');
    await page.getByLabel('Invite by username').fill('nobody-here');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.locator('.fault').waitFor();
    await page.getByLabel('Invite by username').fill('grace');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await toast(page, 'Invited grace');

    await theirs.go('/invitations');
    await theirs.page.getByRole('button', { name: 'Accept the invitation to ada / tides' }).click();
    await theirs.page.waitForURL('**/read/ada/tides');
    await toast(theirs.page, 'Accepted. You can read it.');
    assert.equal(await theirs.page.getByRole('link', { name: 'Edit' }).count(), 0);

    await page.reload();
    await page.getByLabel('Level of grace', { exact: true }).selectOption('write');
    await page.getByRole('button', { name: 'Save: Level of grace' }).click();
    await toast(page, 'grace: can edit.');
    await theirs.page.reload();
    assert.equal(await theirs.page.getByRole('link', { name: 'Edit' }).count(), 1);

    assert.equal((await fetch(`${service.webUrl}/ada/tides`)).status, 404);
    await page.getByLabel('Public').check();
    await page.getByRole('button', { name: 'Change visibility' }).click();
    const said = await toast(page, 'Public. Anyone on the web can read this.');
    assert.equal((await fetch(`${service.webUrl}/ada/tides`)).status, 200);
    await said.getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'Private.');
    assert.equal((await fetch(`${service.webUrl}/ada/tides`)).status, 404);

    await page.getByRole('button', { name: 'Remove grace' }).click();
    await toast(page, 'Removed grace.');
    assert.equal(await theirs.go('/read/ada/tides'), 404);
    await hers.end();
    await theirs.end();
  });

  it('renames and deletes a brief from its menu', async () => {
    await ada.client.post('/user/briefs', { name: 'old', content: '# Old' });
    const { page, go, end } = await beginJourney(service, ada, PLAIN);
    await go('/read/ada/old');
    await page.locator('.own-actions details.menu summary').click();
    await page.getByRole('link', { name: 'Rename' }).click();
    await page.getByLabel('Name').fill('new');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL('**/read/ada/new');
    await page.locator('.own-actions details.menu summary').click();
    await page.getByRole('link', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete brief' }).click();
    await toast(page, 'ada/new was deleted.');
    await end();
  });

  it('creates an organization and invites a member', async () => {
    const hers = await beginJourney(service, ada, PLAIN);
    const theirs = await beginJourney(service, grace, PLAIN);
    const { page } = hers;
    await hers.go('/organizations/new');
    await page.getByLabel('Name', { exact: true }).fill('Engines');
    await page.getByLabel('Namespace').fill('engines');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await toast(page, 'Engines created.');
    await page.getByRole('main').getByRole('link', { name: 'Members' }).click();
    await page.getByLabel('Invite by username').fill('grace');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await toast(page, 'Invited grace as a member.');
    await theirs.go('/invitations');
    await theirs.page.getByRole('button', { name: 'Accept the invitation to engines' }).click();
    await toast(theirs.page, 'Accepted. You’re now a member of Engines.');
    await page.reload();
    await page.getByLabel('Role of grace', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Save: Role of grace' }).click();
    await toast(page, 'grace is now an admin.');
    await hers.end();
    await theirs.end();
  });

  it('can choose “internal” only for documents of organizations', async () => {
    await ada.client.post('/user/orgs', { namespace: 'dial', name: 'Dial makers' });
    const { page, go, end } = await beginJourney(service, ada, PLAIN);
    const choices: [path: string, internal: Locator][] = [
      ['/import', page.getByLabel('Internal')],
      ['/new', page.getByLabel('Who can read this').locator('option[value="internal"]')],
    ];
    for (const [path, internal] of choices) {
      await go(path);
      const isOffered = () =>
        internal.evaluate(
          (choice) => getComputedStyle(choice.closest('.choice') ?? choice).display !== 'none',
        );
      assert.equal(await isOffered(), false, path);
      await page.getByLabel('Owner').selectOption('dial');
      assert.equal(await isOffered(), true, path);
    }
    // Chosen before the owner was, so it is refused and then no longer selected.
    await go('/import');
    await page.getByLabel('Owner').selectOption('dial');
    await page.getByLabel('Internal').check();
    await page.getByLabel('Owner').selectOption('ada');
    const buffer = Buffer.from('# Sun');
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'sun.md', mimeType: 'text/markdown', buffer });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Only an organization’s documents can be internal.').waitFor();
    assert.ok(await page.getByLabel('Private').isChecked());
    await end();
  });

  it('creates and revokes a token', async () => {
    const { page, go, end } = await beginJourney(service, ada, PLAIN);
    await go('/settings/tokens');
    await page.getByLabel('Name', { exact: true }).fill('shell');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    const client = service.client(token);
    assert.equal((await client.get('/user/briefs')).status, 200);
    await page.getByRole('link', { name: 'Revoke shell' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await toast(page, 'Token revoked.');
    assert.equal((await client.get('/user/briefs')).status, 401);
    await end();
  });

  it('imports files', async () => {
    const { page, go, end } = await beginJourney(service, ada, PLAIN);
    await go('/import');
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    });
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles([file('stars.md', '# Stars'), file('photo.jpg', 'light')]);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 imported, 0 uploaded, 1 skipped, 0 failed').waitFor();
    await page.getByRole('link', { name: 'ada/stars' }).click();
    await page.getByRole('heading', { name: 'Stars' }).waitFor();
    await end();
  });
});
