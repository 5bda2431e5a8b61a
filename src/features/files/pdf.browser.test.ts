import { strict as assert } from 'node:assert';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { PDF, uploadForm } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { openStage } from '../../../test/in-browser.ts';
import { WHOLE_CHROMIUM, wholeBrowserMissing } from '../../../test/web/built-client.ts';
import { renderHeaders } from '../pages/headers.ts';

describe('An uploaded PDF in a browser', { skip: wholeBrowserMissing }, () => {
  let service: Service;
  let browser: Browser;
  let server: Server;
  let origin: string;

  after(() => server?.close());
  openStage({ executablePath: WHOLE_CHROMIUM }, async (stage) => {
    ({ service, browser } = stage);
    // The same bytes and policy, but not as a download.
    const { file } = renderHeaders(service.webUrl, [], service.renderUrl);
    server = createServer((_request, response) => {
      response.writeHead(200, { ...file, 'content-type': 'application/pdf' }).end(PDF);
    });
    await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });

  it('is downloaded, not shown', async () => {
    const ada = await service.user('ada');
    const form = uploadForm({ bytes: PDF, name: 'a b.pdf' });
    const { data } = await ada.request('/user/files', { method: 'POST', ...form });
    const page = await browser.newPage();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      // The navigation is aborted, as for every download.
      page.goto(data.url).catch(() => {}),
    ]);
    assert.equal(download.suggestedFilename(), 'a b.pdf');
    await page.close();
  });

  it('would open in Chromium’s viewer despite the sandbox if it weren’t a download', async () => {
    const page = await browser.newPage();
    await page.goto(`${origin}/a.pdf`);
    const viewer = () => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'));
    for (let tries = 0; tries < 250 && !viewer(); tries++) await page.waitForTimeout(20);
    assert.ok(viewer(), 'the viewer');
    await page.close();
  });
});
