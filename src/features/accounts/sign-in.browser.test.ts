import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { PASSWORD, startWithVisitors } from '../../../test/sign-in/visitor.ts';

describe('Accounts in a browser', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;

  openStage({ start: () => startWithVisitors() }, (stage) => {
    ({ service, browser } = stage);
  });

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with script' : 'without script';
    it(`can be created, changed, signed out of and into: ${how}`, async () => {
      const username = javaScriptEnabled ? 'ada' : 'grace';
      const viewport = { width: 360, height: 740 };
      const context = await browser.newContext({ javaScriptEnabled, viewport });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
      });

      await page.goto(`${service.webUrl}/settings`);
      await page.getByRole('link', { name: 'Create an account' }).click();
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Email address').fill(`${username}@example.com`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Create account' }).click();
      assert.equal(page.url(), `${service.webUrl}/settings`, 'where the visitor was going');
      await page.getByRole('link', { name: 'Security' }).click();
      await page.getByRole('link', { name: 'Sessions' }).click();
      assert.equal(await page.getByText('Chrome on Linux').count(), 1);
      const wide = await page.evaluate('document.documentElement.scrollWidth').catch(() => 360);
      assert.ok(Number(wide) <= 360, 'nothing to scroll sideways');

      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      assert.equal(page.url(), `${service.webUrl}/`);
      await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Username or email address').fill(username);
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      assert.equal(await page.getByRole('alert').count(), 1);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      assert.ok((await page.getByTitle(`Signed in as ${username}`).count()) > 0);
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }
});
