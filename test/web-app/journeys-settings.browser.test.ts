import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { fromBufferPromise } from 'yauzl';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { PASSWORD } from '../sign-in/visitor.ts';
import { beginJourney, editorReady, focused, saved, toast } from './journey.ts';
import { makePerson, type Person } from './world.ts';

describe('In settings and with files, a person', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;

  openStage({ people: ['ada'] }, (stage) => {
    ({ service, ada } = stage);
  });

  const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

  it('creates a token, which is shown once and works until it is revoked', async () => {
    const { page, go, end } = await beginJourney(service, ada, CLIPBOARD);
    await go('/settings/tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    const name = page.getByLabel('Name', { exact: true });
    const missing = page.getByText('Fill in this field.');
    await missing.waitFor();
    await focused(name);
    const described = await name.getAttribute('aria-describedby');
    assert.ok(described?.split(' ').includes((await missing.getAttribute('id')) ?? '?'));
    await name.fill('build server');
    assert.equal(await missing.count(), 0);
    assert.equal(await name.getAttribute('aria-invalid'), null);
    await page.getByRole('button', { name: 'Create token' }).click();
    const shown = page.getByLabel('Token', { exact: true });
    const token = await shown.inputValue();
    const line = page.locator('.copy-line').filter({ has: shown });
    await line.getByRole('button', { name: 'Copy' }).click();
    await line.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
    const client = service.client(token);
    assert.equal((await client.get('/user/briefs')).status, 200);

    await page.reload();
    await page.getByText('build server').waitFor();
    assert.equal(await shown.count(), 0, 'it is shown once');
    assert.equal((await page.content()).includes(token), false);
    const link = page.getByRole('link', { name: 'Revoke build server' });
    const dialog = page.getByRole('dialog', { name: 'Revoke build server?' });
    await link.click();
    await dialog.getByRole('link', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await focused(link);
    assert.equal((await client.get('/user/briefs')).status, 200);
    await link.click();
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await toast(page, 'Token revoked.');
    assert.equal((await client.get('/user/briefs')).status, 401);
    assert.equal(await link.count(), 0);
    await end();
  });

  it('chooses a theme, which every screen then has', async () => {
    const { page, context, go, end } = await beginJourney(service, ada, {
      colorScheme: 'light',
    });
    const ground = () =>
      page.evaluate(
        () => getComputedStyle(document.body.parentElement as HTMLElement).backgroundColor,
      );
    await go('/settings/appearance');
    const light = await ground();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const dark = await ground();
    assert.notEqual(dark, light);
    await go('/');
    assert.equal(await ground(), dark);
    await page.getByRole('button', { name: 'Switch to light theme' }).click();
    assert.equal(await ground(), light);
    await go('/settings/appearance');
    assert.ok(
      await page.getByRole('radio', { name: 'System' }).isChecked(),
      'what agrees with the system follows it',
    );
    await page.getByRole('radio', { name: 'Light' }).check();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    assert.equal(await ground(), light);
    assert.equal(context.pages().length, 1);
    await end({ close: true });
  });

  it('deletes an account after typing its name, which the front page confirms', async () => {
    const leaver = await makePerson(service, 'leaver');
    await leaver.client.post('/user/briefs', { name: 'last', content: '# Last' });
    const { page, go, end } = await beginJourney(service, leaver);
    await go('/settings/account');
    await page.getByText('deletes 1 brief').waitFor();
    await page.getByLabel('Type leaver to confirm').fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.locator('.fault').waitFor();
    await focused(page.getByLabel('Type leaver to confirm'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('leaver');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.webUrl}/`);
    await page.getByText('Your account was deleted').waitFor();
    await page.reload();
    assert.equal(await page.getByText('Your account was deleted').count(), 0);
    await go('/settings');
    assert.equal(new URL(page.url()).pathname, '/sign-in');
    assert.equal(await go('/leaver/last'), 404);
    await end();
  });

  it('creates a page from an HTML file, runs it in the sandbox, and replaces it', async () => {
    const { page, go, end } = await beginJourney(service, ada, CLIPBOARD);
    const file = (text: string) => ({
      name: 'dice.html',
      mimeType: 'text/html',
      buffer: Buffer.from(
        `<!doctype html><title>Dice</title><button onclick="this.textContent = '${text}'">Roll ${text}</button>`,
      ),
    });
    const inView = page.frameLocator('#preview .page-frame');
    const inPage = page.frameLocator('iframe.page-frame');
    await go('/');
    await page.getByRole('link', { name: 'New page' }).click();
    await editorReady(page);
    await page.locator('input[type="file"]').setInputFiles(file('six'));
    await inView.getByRole('button', { name: 'Roll six' }).click();
    await inView.getByRole('button', { name: 'six', exact: true }).waitFor();
    await page.getByLabel('Who can read this').selectOption('public');
    await page.getByRole('button', { name: 'Publish' }).click();
    await saved(page);
    await page.waitForURL('**/edit/ada/pages/dice');
    await page.getByRole('link', { name: 'Done' }).click();
    await page.waitForURL('**/read/ada/pages/dice');
    await inPage.getByRole('button', { name: 'Roll six' }).click();
    await inPage.getByRole('button', { name: 'six', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await editorReady(page);
    await page.locator('input[type="file"]').setInputFiles(file('one'));
    await inView.getByRole('button', { name: 'Roll one' }).click();
    await inView.getByRole('button', { name: 'one', exact: true }).waitFor();
    await page.locator('.cm-content').press('Control+s');
    await saved(page);
    assert.match((await ada.client.get('/pages/ada/dice')).data.html, /'one'/);
    await page.getByRole('link', { name: 'Done' }).click();
    await inPage.getByRole('button', { name: 'Roll one' }).click();
    await inPage.getByRole('button', { name: 'one', exact: true }).waitFor();

    await page.locator('.own-actions details.menu summary').click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, `${service.webUrl}/ada/pages/dice`);
    const nobody = await beginJourney(service);
    await nobody.page.goto(link);
    await nobody.page.frameLocator('iframe').getByRole('button', { name: 'Roll one' }).waitFor();
    await nobody.end();
    await end();
  });

  it('sees the preview of a page although its frame loaded slowly', async () => {
    const { page, go, end } = await beginJourney(service, ada);
    const asked = Promise.withResolvers<void>();
    const comes = Promise.withResolvers<void>();
    await page.route(`${service.renderUrl}/**`, async (route) => {
      asked.resolve();
      await comes.promise;
      await route.continue();
    });
    await go('/new/page');
    await editorReady(page);
    await asked.promise;
    const buffer = Buffer.from('<button onclick="this.textContent = \'off\'">on</button>');
    const file = { name: 'switch.html', mimeType: 'text/html', buffer };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.locator('.cm-line', { hasText: 'onclick' }).waitFor();
    comes.resolve();
    const view = page.frameLocator('#preview .page-frame');
    await view.getByRole('button', { name: 'on' }).click();
    // Longer than the time after which a frame would be replaced.
    await page.waitForTimeout(1_000);
    assert.equal(await view.getByRole('button').textContent(), 'off');
    await end();
  });

  it('imports files, sees the result of each, and exports everything', async () => {
    const taken = await ada.client.post('/user/briefs', { name: 'taken', content: '# Taken' });
    assert.equal(taken.status, 201);
    const { page, go, end } = await beginJourney(service, ada);
    await go('/');
    await page.getByRole('link', { name: 'Import' }).click();
    const file = (name: string, text: string | Uint8Array) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    });
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles([
        file('moons.md', '# Moons\n'),
        file('clock.html', '<!doctype html><title>Clock</title>'),
        file('taken.md', '# Another'),
        file('notes.docx', 'words'),
        file('broken.md', Uint8Array.of(0xff, 0xfe, 0xfd)),
      ]);
    await page.getByRole('button', { name: 'Import' }).click();
    const summary = page.getByText('2 imported, 0 uploaded, 2 skipped, 1 failed');
    await summary.waitFor();
    const place = await summary.boundingBox();
    const height = page.viewportSize()?.height ?? 0;
    assert.ok(place && place.y > 0 && place.y < height, 'in view, without scrolling');
    const row = (name: string) => page.locator('#fates tbody tr').filter({ hasText: name });
    assert.match((await row('taken.md').textContent()) ?? '', /Skipped because/);
    assert.match((await row('notes.docx').textContent()) ?? '', /Skipped because/);
    assert.match((await row('broken.md').textContent()) ?? '', /Failed because/);
    await row('clock.html').getByRole('link', { name: 'ada/clock' }).waitFor();
    await row('moons.md').getByRole('link', { name: 'ada/moons' }).click();
    await page.getByRole('heading', { name: 'Moons' }).waitFor();
    await page.locator('.trail', { hasText: 'Private' }).waitFor();
    await page.locator('.own-actions details.menu summary').click();
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Markdown' }).click();
    const markdown = await saving;
    assert.equal(markdown.suggestedFilename(), 'moons.md');
    assert.equal(await readFile(await markdown.path(), 'utf8'), '# Moons\n');

    await go('/settings/account');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export your documents' }).click();
    const archive = await download;
    assert.match(archive.suggestedFilename(), /^briefs-ada-\d{4}-\d\d-\d\d\.zip$/);
    const zip = await fromBufferPromise(await readFile(await archive.path()));
    const names: string[] = [];
    for await (const { fileName } of zip.eachEntry()) names.push(fileName);
    for (const name of ['briefs/moons.md', 'briefs/taken.md', 'pages/clock.html', 'briefs.json']) {
      assert.ok(names.includes(name), `${name} in ${names}`);
    }
    await end();
  });

  it('imports too much at once: the rest waits, and files that weren’t sent are named', async () => {
    const { context, page, go, end } = await beginJourney(service, ada);
    await go('/import');
    const names = ['first.md', 'second.md', 'large.md', 'odd.md', 'fifth.md', 'last.md'];
    const files = names.map((name) => ({
      name,
      mimeType: 'text/markdown',
      buffer: Buffer.from(`# ${name}`),
    }));
    let requests = 0;
    const answers: Record<number, (route: Route) => Promise<void>> = {
      2: (route) => route.fulfill({ status: 429, headers: { 'retry-after': '2' } }),
      4: (route) => route.fulfill({ status: 413, body: '<h1>413 Request Entity Too Large</h1>' }),
      5: (route) => route.fulfill({ status: 403, body: '<h1>Forbidden</h1>' }),
      async 6(route) {
        await context.clearCookies();
        await route.fulfill({ status: 303, headers: { location: '/sign-in?next=/import' } });
      },
    };
    await page.route('**/import', (route) => {
      const answer = route.request().method() === 'POST' ? answers[++requests] : undefined;
      return answer ? answer(route) : route.continue();
    });
    const field = page.getByLabel('Files', { exact: true });
    await field.setInputFiles(files);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('File 2 of 6: too many at once, continuing in 2 s').waitFor();
    await page.getByText('2 imported, 0 uploaded, 0 skipped, 4 failed').waitFor();
    const rows = await page.locator('#fates tbody tr[data-outcome="failed"]').allTextContents();
    assert.deepEqual(rows, [
      'large.mdFailed because it is too large',
      'odd.mdFailed because it was refused: the server answered 403',
      'fifth.mdFailed because it was not sent: you’re signed out',
      'last.mdFailed because it was not sent: you’re signed out',
    ]);
    assert.equal(await field.evaluate((input: HTMLInputElement) => input.files?.length), 6);
    await end();
  });

  it('sees why an upload was refused, and the chosen file stays selected', async () => {
    const { page, go, end } = await beginJourney(service, ada);
    await go('/settings/uploads');
    await page.route('**/settings/uploads', (route) => {
      const isUpload = route.request().method() === 'POST';
      return isUpload ? route.fulfill({ status: 413, body: 'Too large' }) : route.continue();
    });
    const field = page.getByLabel('Files to upload');
    const buffer = Buffer.from('notes');
    await field.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer });
    await page.getByText('notes.txt').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await toast(page, 'The upload is too large.');
    assert.equal(await field.evaluate((input: HTMLInputElement) => input.files?.length), 1);
    await end();
  });
});
