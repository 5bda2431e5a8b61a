import { strict as assert } from 'node:assert';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { beginJourney, editorReady } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

describe('Two people in the same text', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
  });

  async function make(name: string, content: string): Promise<string> {
    const body = { name, content, visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = `/briefs/ada/${name}`;
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return path;
  }

  const text = (page: Page) => page.locator('.write-pane .cm-content');
  const shows = (page: Page, part: string) =>
    page.locator('.write-pane .cm-content', { hasText: part }).waitFor();

  async function edit(who: Person, name: string) {
    const journey = await beginJourney(service, who);
    await journey.go(`/edit/ada/${name}`);
    await editorReady(journey.page);
    return journey;
  }

  it('see each other’s words and carets, and undo only their own', async () => {
    const path = await make('same', 'One line.\n\nAnother line.\n');
    const [one, other] = [await edit(ada, 'same'), await edit(grace, 'same')];
    await text(one.page).click();
    await one.page.keyboard.press('Control+Home');
    await one.page.keyboard.type('Ada here. ');
    await shows(other.page, 'Ada here. One line.');
    await other.page.locator('.others-caret[data-name="ada"]').waitFor();
    await text(other.page).click();
    await other.page.keyboard.press('Control+End');
    await other.page.keyboard.type('Grace there.');
    await shows(one.page, 'Grace there.');
    await one.page.keyboard.press('Control+z');
    await shows(other.page, 'One line.');
    await other.page.waitForFunction(() => !document.body.textContent?.includes('Ada here.'));
    assert.match((await text(one.page).textContent()) ?? '', /Grace there\./);
    await ada.client.patch(path, { content: 'One line, by a program.\n\nAnother line.\n' });
    await shows(one.page, 'by a program');
    await shows(other.page, 'Grace there.');
    await one.page.locator('#save-state[data-state="saved"]').waitFor();
    await other.page.locator('#done').click();
    await other.page.waitForURL('**/read/ada/same');
    const { data } = await ada.client.get(path);
    assert.match(data.content, /by a program[\s\S]*Grace there\./);
    await one.end();
    await other.end();
  });

  it('see in the preview what others type, while they type', async () => {
    await make('previewed', 'One line.\n');
    const [one, other] = [await edit(ada, 'previewed'), await edit(grace, 'previewed')];
    await other.page.getByRole('button', { name: 'Split' }).click();
    await other.page.locator('#preview p', { hasText: 'One line.' }).waitFor();
    await text(one.page).click();
    let isTyping = true;
    const typing = (async () => {
      while (isTyping) await one.page.keyboard.type('word ', { delay: 20 });
    })();
    await other.page.locator('#preview p', { hasText: 'word word word' }).waitFor();
    isTyping = false;
    await typing;
    await one.end();
    await other.end();
  });

  it('keep the bar of the editor in one row when others come', async () => {
    await make('bar', 'One line.\n');
    const one = await edit(ada, 'bar');
    const height = () =>
      one.page.locator('.editor-bar').evaluate((bar) => (bar as HTMLElement).offsetHeight);
    const widths = [1280, 1440, 1680, 1920];
    const heights = async () => {
      const all: number[] = [];
      for (const width of widths) {
        await one.page.setViewportSize({ width, height: 720 });
        all.push(await height());
      }
      return all;
    };
    const alone = await heights();
    assert.deepEqual(new Set(alone).size, 1);
    const other = await edit(grace, 'bar');
    await one.page.locator('.editor-bar .people .avatar').first().waitFor();
    assert.deepEqual(await heights(), alone);
    await one.end();
    await other.end();
  });

  it('see at once what is typed, written by a program, commented and approved', async (t: TestContext) => {
    const path = await make('seen', '# Plan\n\nOne line.\n\nAnother line.\n');
    const [one, other] = [await edit(ada, 'seen'), await edit(grace, 'seen')];
    const reader = await beginJourney(service, grace, { colorScheme: 'dark' });
    await reader.go('/read/ada/seen');
    await text(one.page).click();
    await one.page.keyboard.press('Control+End');
    const took = async (
      what: string,
      act: () => Promise<unknown>,
      ...seen: (() => Promise<void>)[]
    ) => {
      const start = performance.now();
      const all = Promise.all(seen.map(async (see) => see().then(() => performance.now() - start)));
      await act();
      t.diagnostic(`${what}: ${(await all).map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
    };
    const reads = (part: string) => reader.page.locator('.prose', { hasText: part }).waitFor();
    await took(
      'a keystroke in the other editor',
      () => one.page.keyboard.type('!'),
      () => shows(other.page, 'Another line.!'),
    );
    const content = '# Plan\n\nOne line, by a program.\n\nAnother line.\n';
    await took(
      'an edit of a program in both editors, and where it is read',
      () => ada.client.patch(path, { content }),
      () => shows(one.page, 'by a program'),
      () => shows(other.page, 'by a program'),
      () => reads('by a program'),
    );
    await took(
      'what is typed, where it is read, with its pause of three seconds',
      () => one.page.keyboard.type('?'),
      () => reads('?'),
    );
    const on = { quote: 'One line' };
    await took(
      'a comment where it is read, and in the editor',
      () => ada.client.post(`${path}/threads`, { body: 'Which line?', on }),
      () => reader.page.locator('#comments').getByText('Which line?').waitFor(),
      () => other.page.locator('.thread-marker:visible').first().waitFor(),
    );
    const { data: revisions } = await ada.client.get(`${path}/revisions`);
    const revision = revisions[0].number;
    await took(
      'an approval where it is read',
      () => ada.client.post(`${path}/reviews`, { verdict: 'approved', revision }),
      () => reader.page.locator('.review-badge').getByText('Approved').waitFor(),
    );
    await reader.end({ close: true });
    await one.end();
    await other.end();
  });

  it('write together where no WebSocket can be opened', async () => {
    const path = await make('blocked', 'One line.\n');
    const one = await edit(ada, 'blocked');
    const other = await beginJourney(service, grace);
    await other.context.routeWebSocket('**/live/edit/**', (socket) => socket.close());
    await other.go('/edit/ada/blocked');
    await editorReady(other.page);
    await text(other.page).click();
    await other.page.keyboard.press('Control+End');
    await other.page.keyboard.type('By requests.');
    await shows(one.page, 'By requests.');
    await text(one.page).click();
    await one.page.keyboard.press('Control+Home');
    await one.page.keyboard.type('By a socket. ');
    await shows(other.page, 'By a socket. One line.');
    await one.page.locator('#done').click();
    await one.page.waitForURL('**/read/ada/blocked');
    const { data } = await ada.client.get(path);
    assert.equal(data.content, 'By a socket. One line.\nBy requests.');
    await one.end();
    await other.end({ close: true });
  });
});
