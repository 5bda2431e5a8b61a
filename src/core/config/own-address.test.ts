import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import { type Service, startService } from '../../../test/harness.ts';

describe('After a change of address', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  after(() => rmSync(DATA_DIR, { recursive: true, force: true }));

  const textOf = async (url: string, headers: Record<string, string>) => {
    const answer = await fetch(url, { headers });
    assert.equal(answer.status, 200, url);
    return answer.text();
  };
  const briefOf = ({ webUrl }: Service, type: string) =>
    textOf(`${webUrl}/ada/plan`, { accept: type });

  it('what a text names of this service leads to the present one, and the text stays', async () => {
    const first = await startService({ DATA_DIR });
    const ada = await first.user('ada');
    const form = uploadForm({ bytes: new Uint8Array(PNG), name: 'a.png', type: '' });
    const picture = (await ada.request('/user/files', { method: 'POST', ...form })).data.url;
    const content = `# Plan

![a](${picture}) <img src="${picture}" srcset="${picture} 2x"> ![b][p]

[self](${first.webUrl}/ada/plan?x=1#plan) <${first.webUrl}/ada/other> [api](${first.baseUrl}/briefs)

[elsewhere](https://a.example/?of=${first.webUrl}/ada)

[p]: ${picture}
`;
    const html = `<title>Page</title><img src="${picture}"><a href="${first.webUrl}/ada/plan">plan</a>`;
    assert.equal((await ada.post('/briefs', { name: 'plan', content })).status, 201);
    assert.equal((await ada.post('/pages', { name: 'page', html })).status, 201);
    const before = await briefOf(first, 'text/html');
    assert.ok(before.includes(`src="${picture}"`));
    await first.stop();

    const second = await startService({ DATA_DIR });
    const moved = picture.replace(first.renderUrl, second.renderUrl);
    const shown = await briefOf(second, 'text/html');
    assert.equal(shown.split(moved).length - 1, 4);
    assert.ok(shown.includes(`href="${second.webUrl}/ada/plan?x=1#plan"`));
    assert.ok(shown.includes(`href="${second.webUrl}/ada/other"`));
    assert.ok(shown.includes(`href="${second.baseUrl}/briefs"`));
    assert.ok(shown.includes(`href="https://a.example/?of=${first.webUrl}/ada"`));
    assert.equal((await fetch(moved)).status, 200);
    assert.equal(await briefOf(second, 'text/markdown'), content);
    const page = await textOf(`${second.renderUrl}/ada/page`, { 'sec-fetch-dest': 'iframe' });
    assert.match(page, /<img src="data:image\/png/);
    assert.ok(page.includes(`href="${second.webUrl}/ada/plan"`));
    await second.stop();

    // Back again: the first addresses are the present ones.
    const ports = { PORT: new URL(first.webUrl).port, RENDER_PORT: new URL(first.renderUrl).port };
    const third = await startService({ DATA_DIR, ...ports });
    assert.equal(await briefOf(third, 'text/html'), before);
    await third.stop();
  });
});
