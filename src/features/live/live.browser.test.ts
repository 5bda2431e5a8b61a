import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import { until } from '../../../test/until.ts';
import { beginJourney } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';
import { openEditor, type TestEditor } from './editor.testing.ts';

const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index + 1} stands here.`);
const textOf = (changes: Record<number, string> = {}) =>
  `# Plan\n\n${paragraphs.map((text, index) => changes[index + 1] ?? text).join('\n\n')}\n`;

describe('An open page', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
  });

  async function make(name: string, permission = 'write'): Promise<string> {
    const body = { name, content: textOf(), visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const { data } = await ada.client.put(`/briefs/ada/${name}/collaborators/grace`, {
      permission,
    });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    await eventsPlaced(service);
    return `/briefs/ada/${name}`;
  }

  const bar = (page: Page) => page.locator('#live');
  const block = (page: Page, words: string) => page.locator('.prose > p', { hasText: words });

  it('shows what others write, marks it, says who, and stays where it is', async () => {
    const path = await make('plan');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/plan');
    await block(page, 'Paragraph 40 stands').scrollIntoViewIfNeeded();
    const topOf = () =>
      block(page, 'Paragraph 40 stands').evaluate((element) => element.getBoundingClientRect().top);
    const before = await topOf();
    const changes = { 3: 'The third is new.\n\nAnd one more.', 41: 'The next one is new.' };
    await ada.client.patch(path, { content: textOf(changes) });
    await block(page, 'The third is new').waitFor();
    assert.equal(await block(page, 'Paragraph 3 stands').count(), 0);
    assert.ok(Math.abs((await topOf()) - before) < 2, `${before} → ${await topOf()}`);
    const marked = page.locator('.prose > .just-changed');
    assert.deepEqual(await marked.allTextContents(), [
      'The third is new.',
      'And one more.',
      'The next one is new.',
    ]);
    await bar(page).getByText('ada with world (token) changed 3 paragraphs.').waitFor();
    await bar(page).getByRole('button', { name: 'Show' }).click();
    const first = marked.first();
    assert.ok(await first.evaluate((element) => element.getBoundingClientRect().top > 0));
    await end();
  });

  it('a task is ticked where it is read, and the other reader sees it', async () => {
    const content = '# Tasks\n\n- [ ] Buy\n- [ ] Sell\n';
    await ada.client.post('/user/briefs', { name: 'tasks', content, visibility: 'public' });
    const [one, other] = [await beginJourney(service, ada), await beginJourney(service, grace)];
    await Promise.all([one.go('/read/ada/tasks'), other.go('/read/ada/tasks')]);
    const box = (page: Page) => page.getByRole('checkbox', { name: 'Sell' });
    assert.equal(await box(other.page).isDisabled(), true);
    await box(one.page).focus();
    await one.page.keyboard.press('Space');
    await other.page.locator('.task-list-item-checkbox:checked').waitFor();
    await one.page.locator('.just-changed').waitFor();
    // The list was replaced.
    await until('the box has the focus', () =>
      box(one.page).evaluate((element) => element === document.activeElement),
    );
    await one.page.keyboard.press('Space');
    await until('it is cleared', async () => {
      return (await ada.client.get('/briefs/ada/tasks')).data.content === content;
    });
    await Promise.all([one.end(), other.end()]);
  });

  it('shows what came between the making of the page and its connection', async () => {
    const path = await make('between');
    const { page, go, end } = await beginJourney(service, grace);
    // The script of the comments comes late.
    await page.route(/\/comments-[^/]*\.js$/, async (route) => {
      await pass(500);
      await route.continue();
    });
    await page.routeWebSocket(/\/live\//, async (socket) => {
      await ada.client.patch(path, { content: textOf({ 2: 'Written in between.' }) });
      await ada.client.post(`${path}/threads`, { body: 'Said in between.' });
      socket.connectToServer();
    });
    await go('/read/ada/between');
    await block(page, 'Written in between').waitFor();
    await page.locator('#comments').getByText('Said in between.').waitFor();
    await end({ close: true });
  });

  it('at a secret link, too, shows a text that came in between', async () => {
    const path = await make('linked-between');
    const { data } = await ada.client.post(`${path}/links`, { access: 'read' });
    const { page, end } = await beginJourney(service, grace);
    await page.routeWebSocket(/\/live\//, async (socket) => {
      await ada.client.patch(path, { content: textOf({ 2: 'Written in between.' }) });
      socket.connectToServer();
    });
    await page.goto(data.url);
    await block(page, 'Written in between').waitFor();
    await end({ close: true });
  });

  it('shows comments, answers and reviews', async () => {
    const path = await make('talk');
    const { page, go, end } = await beginJourney(service, ada);
    await go('/read/ada/talk');
    const on = { quote: 'Paragraph 7 stands here.' };
    const { data } = await grace.client.post(`${path}/threads`, { body: 'Why seven?', on });
    await page.locator('#comments').getByText('Why seven?').waitFor();
    assert.equal(await bar(page).textContent(), '', 'the card says it');
    const below = { body: 'Why fifty?', on: { quote: 'Paragraph 50 stands here.' } };
    await grace.client.post(`${path}/threads`, below);
    await bar(page).getByText('grace with world (token) commented on this document.').waitFor();
    await grace.client.post(`${path}/threads/${data.id}/comments`, { body: 'It is odd.' });
    await page.locator('#comments').getByText('1 answer').click();
    await page.locator('#comments .thread', { hasText: 'Why seven?' }).click();
    await page.locator('#comments').getByText('It is odd.').waitFor();
    await grace.client.post(`${path}/reviews`, { verdict: 'approved', revision: 1 });
    await page.locator('.review-badge').getByText('Approved').waitFor();
    await end();
  });

  it('keeps the text in its place when a bar comes above it', async () => {
    const path = await make('asked');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/asked');
    const top = () =>
      block(page, 'Paragraph 1 stands').evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    await ada.client.put(`${path}/reviewers/grace`, {});
    await page.locator('.review-bar').waitFor();
    assert.ok(Math.abs((await top()) - before) < 2, `${before} → ${await top()}`);
    await end();
  });

  it('decides nothing about what has come just as the reader clicks', async () => {
    const path = await make('clicked');
    const suggest = (number: number) =>
      grace.client.post(`${path}/threads`, {
        on: { quote: `Paragraph ${number} stands here.` },
        replacement: `The ${number}th is mine.`,
      });
    await suggest(7);
    const { page, go, end } = await beginJourney(service, ada);
    await go('/read/ada/clicked');
    // The cards are folded.
    const accept = page.getByRole('button', { name: /^Accept/, includeHidden: true });
    assert.equal(await accept.count(), 1);
    const clicked = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const click = () => {
            const buttons = document.querySelectorAll('#comments button');
            const accepting = ([...buttons] as HTMLButtonElement[]).filter(
              ({ value }) => value === 'accept',
            );
            if (accepting.length < 2) return void setTimeout(click, 10);
            accepting[0]?.click();
            resolve();
          };
          click();
        }),
    );
    await suggest(3);
    await clicked;
    await page.getByText('nothing was done').waitFor();
    assert.equal(await accept.count(), 2);
    await page.waitForTimeout(1_100);
    await page.locator('.thread').first().click();
    await page.locator('#comments .thread').first().click();
    await accept.first().click();
    await block(page, 'The 3th is mine.').waitFor();
    await end();
  });

  it('waits while the reader selects, and offers the change', async () => {
    const path = await make('careful');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/careful');
    await block(page, 'Paragraph 5 stands').selectText();
    await ada.client.patch(path, { content: textOf({ 5: 'Another fifth.' }) });
    await bar(page).getByText('ada with world (token) changed this document.').waitFor();
    assert.equal(await block(page, 'Another fifth').count(), 0);
    await bar(page).getByRole('button', { name: 'Show' }).click();
    await block(page, 'Another fifth').waitFor();
    await end();
  });

  it('goes along to a new name, and says when access has ended', async () => {
    const path = await make('old-name', 'read');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/old-name');
    await page.waitForTimeout(300);
    await ada.client.patch(path, { name: 'new-name' });
    await page.waitForURL('**/read/ada/new-name');
    await page.waitForTimeout(300);
    await ada.client.delete('/briefs/ada/new-name/collaborators/grace');
    await ada.client.patch('/briefs/ada/new-name', { content: '# Secret\n' });
    await bar(page).getByText('You can no longer read this document here.').waitFor();
    assert.equal(await page.getByText('Secret').count(), 0);
    await end();
  });

  it('shows who else is there, and at which block somebody edits', async () => {
    const path = await make('shared');
    // Ada's program isn't there any more.
    service.advance(61_000);
    const [of1, of2] = [await beginJourney(service, ada), await beginJourney(service, grace)];
    const { page } = of1;
    const people = page.locator('#people');
    await of1.go('/read/ada/shared');
    assert.equal(await people.isVisible(), false);
    await of2.go('/read/ada/shared');
    await people.locator('.label', { hasText: 'grace is reading' }).waitFor();
    await of2.go('/edit/ada/shared');
    await people.locator('.label', { hasText: 'grace is editing' }).waitFor();
    await of2.page.locator('#people').locator('.label', { hasText: 'ada is reading' }).waitFor();
    await of2.page.locator('.cm-line', { hasText: 'Paragraph 3 stands' }).click();
    const edited = page.locator('.prose > [data-editing]');
    await edited.filter({ hasText: 'Paragraph 3 stands' }).waitFor();
    assert.equal(await edited.getAttribute('data-editing'), 'grace');
    await ada.client.patch(path, { content: textOf({ 1: 'A new first.\n\nAnd second.' }) });
    await block(page, 'A new first').waitFor();
    await edited.filter({ hasText: 'Paragraph 3 stands' }).waitFor();
    await people.locator('summary').click();
    await people.locator('li', { hasText: 'world (token) of ada is writing' }).waitFor();
    await of2.end({ close: true });
    await people.locator('.label', { hasText: /^world \(token\) is writing$/ }).waitFor();
    await of1.end();
  });

  /**
   * Opens Ada's editor.
   *
   * @param html of a page, which its answer doesn't have
   */
  async function edit(name: string, html?: string): Promise<TestEditor> {
    const kind = html === undefined ? 'briefs' : 'pages';
    const { data } = await ada.client.get(`/${kind}/ada/${name}`);
    const cookie = Array.from(ada.visitor.cookies, (pair) => pair.join('=')).join('; ');
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${data.id}`;
    const accountId = (await ada.client.get('/user')).data.id;
    const at = { url, headers: { origin: service.webUrl, cookie }, accountId };
    return openEditor(at, { version: 1, text: html ?? data.content });
  }

  /** Types a word every tenth of a second behind other words, until told to stop. */
  function typeBehind(editor: TestEditor, words: string): { stop(): Promise<number> } {
    let count = 0;
    let end = editor.text().indexOf(words) + words.length;
    const typing = setInterval(() => {
      count += 1;
      const word = ` word-${count}.`;
      editor.type(end, word);
      end += word.length;
    }, 100);
    return {
      async stop() {
        clearInterval(typing);
        return count;
      },
    };
  }

  const revisionsOf = async (name: string) =>
    (await ada.client.get(`/briefs/ada/${name}/revisions`)).data.length;

  it('shows what somebody types without a pause, before a revision has it', async () => {
    await make('typed');
    const { data } = await ada.client.post('/briefs/ada/typed/links', { access: 'read' });
    const [reading, linked] = [await beginJourney(service, grace), await beginJourney(service)];
    await reading.go('/read/ada/typed');
    await linked.page.goto(data.url);
    const editor = await edit('typed');
    const typing = typeBehind(editor, 'Paragraph 3 stands here.');
    for (const { page } of [reading, linked]) {
      await block(page, 'word-5.').waitFor();
      await block(page, 'word-15.').waitFor();
      assert.equal(await page.locator('.prose > .just-changed').count(), 1);
      assert.equal(await bar(page).textContent(), '');
    }
    assert.equal(await revisionsOf('typed'), 1);
    const last = await typing.stop();
    await block(reading.page, `word-${last}.`).waitFor();
    // The revision says who it was.
    await bar(reading.page).getByText('ada changed 1 paragraph.').waitFor();
    assert.equal(await reading.page.locator('#live[data-typed]').count(), 0);
    assert.ok((await block(reading.page, 'word-1.').textContent())?.endsWith(`word-${last}.`));
    editor.cut();
    await linked.end({ close: true });
    await reading.end();
  });

  it('keeps comments at their words while somebody types, and approves only what a revision has', async () => {
    const path = await make('marked');
    await ada.client.put(`${path}/reviewers/grace`, {});
    for (const quote of ['Paragraph 4 stands', 'Paragraph 5 stands', 'Paragraph 6 stands']) {
      await ada.client.post(`${path}/threads`, { body: `About ${quote}.`, on: { quote } });
    }
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/marked');
    const areMarked = (...words: string[]) =>
      until(`${words} are marked`, async () => {
        const marked = await page.evaluate(() =>
          Array.from(CSS.highlights.get('comment') ?? [], String).sort(),
        );
        return String(marked) === String(words);
      });
    await areMarked('Paragraph 4 stands', 'Paragraph 5 stands', 'Paragraph 6 stands');
    const card = page.locator('#comments .thread', { hasText: 'About Paragraph 4 stands.' });
    await card.evaluate((element) => element.classList.add('same'));
    const editor = await edit('marked');
    editor.type(editor.text().indexOf('Paragraph 1 '), 'A new block.\n\n');
    editor.type(editor.text().indexOf('Paragraph 4'), 'Now ');
    editor.type(
      editor.text().indexOf('stands', editor.text().indexOf('Paragraph 5')),
      'no longer ',
    );
    await block(page, 'Paragraph 5 no longer stands').waitFor();
    await areMarked('Paragraph 4 stands', 'Paragraph 6 stands');
    assert.equal(await card.evaluate((element) => element.classList.contains('same')), true);
    const typing = typeBehind(editor, 'Paragraph 9 stands here.');
    await block(page, 'word-3.').waitFor();
    await page.waitForTimeout(1_100);
    await page.getByRole('button', { name: /Approve revision \d/ }).click();
    await page.getByText('some words aren’t saved yet').waitFor();
    assert.deepEqual((await ada.client.get(`${path}/reviews`)).data.reviews, []);
    await typing.stop();
    await page.getByRole('button', { name: 'Approve revision 2' }).waitFor();
    await areMarked('Paragraph 4 stands', 'Paragraph 5 no longer stands', 'Paragraph 6 stands');
    editor.cut();
    await end();
  });

  it('offers what somebody types to a reader who selects, and shows nothing once access has ended', async () => {
    const path = await make('typed-carefully');
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/typed-carefully');
    await block(page, 'Paragraph 5 stands').selectText();
    const editor = await edit('typed-carefully');
    const typing = typeBehind(editor, 'Paragraph 5 stands here.');
    await bar(page).getByText('Somebody is typing here.').waitFor();
    assert.equal(await block(page, 'word-').count(), 0);
    assert.equal(await page.evaluate(() => String(getSelection())), 'Paragraph 5 stands here.');
    await bar(page).getByRole('button', { name: 'Show' }).click();
    await block(page, 'word-1.').waitFor();
    await page.evaluate(() => getSelection()?.empty());
    await ada.client.delete(`${path}/collaborators/grace`);
    await bar(page).getByText('You can no longer read this document here.').waitFor();
    editor.type(editor.text().indexOf('Paragraph 7'), 'Secret. ');
    await page.waitForTimeout(1_500);
    assert.equal(await page.getByText('Secret.').count(), 0);
    await typing.stop();
    editor.cut();
    await end();
  });

  it('at a secret link shows new text to anyone', async () => {
    const path = await make('linked');
    const { data } = await ada.client.post(`${path}/links`, { access: 'read' });
    const { page, end } = await beginJourney(service, grace);
    await page.context().clearCookies();
    await page.goto(data.url);
    await block(page, 'Paragraph 2 stands').waitFor();
    await page.waitForTimeout(300);
    await ada.client.patch(path, { content: textOf({ 2: 'Anyone reads this.' }) });
    await block(page, 'Anyone reads this').waitFor();
    await bar(page).getByText('1 paragraph changed.').waitFor();
    await end({ close: true });
  });

  it('of an HTML page shows new text in its frame, unless the reader does something there', async () => {
    const html = (title: string) => `<h1>${title}</h1>${'<p>More of it.</p>'.repeat(100)}`;
    const body = { name: 'board', html: html('One'), visibility: 'private' };
    assert.equal((await ada.client.post('/user/pages', body)).status, 201);
    const { page, go, end } = await beginJourney(service, ada);
    await go('/read/ada/pages/board');
    await page.frameLocator('.page-frame').getByText('One').waitFor();
    const scrolled = () =>
      page
        .frameLocator('.page-frame')
        .locator('html')
        .evaluate(() => scrollY);
    await page.locator('.page-frame').hover();
    await page.mouse.wheel(0, 700);
    await until('the frame is scrolled', async () => (await scrolled()) === 700);
    await ada.client.patch('/pages/ada/board', { html: html('Two') });
    await page.frameLocator('.page-frame').getByText('Two').waitFor();
    await until('it is at the same place', async () => (await scrolled()) === 700);
    await page.frameLocator('.page-frame').getByText('More of it.').nth(40).click();
    await ada.client.patch('/pages/ada/board', { html: html('Three') });
    await bar(page).getByText('changed this document.').waitFor();
    const place = await scrolled();
    await page.frameLocator('.page-frame').getByText('Two').waitFor();
    await bar(page).getByRole('button', { name: 'Show' }).click();
    await page.frameLocator('.page-frame').getByText('Three').waitFor();
    await until('it is at the same place', async () => (await scrolled()) === place);
    await end();
  });

  it('of an HTML page shows what is typed, with its comments', async () => {
    const html = '<h1>Board</h1><p>The first paragraph.</p><p>The second paragraph.</p>';
    const body = { name: 'typed-board', html, visibility: 'private' };
    assert.equal((await ada.client.post('/user/pages', body)).status, 201);
    const thread = { on: { quote: 'The second paragraph.' }, body: 'Which one?' };
    assert.equal((await ada.client.post('/pages/ada/typed-board/threads', thread)).status, 201);
    const path = '/pages/ada/typed-board/collaborators/grace';
    const { data } = await ada.client.put(path, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/pages/typed-board');
    const frame = page.frameLocator('.page-frame');
    await frame.getByText('The second paragraph.').waitFor();
    const editor = await edit('typed-board', html);
    const typing = typeBehind(editor, 'The first paragraph.');
    await frame.getByText('word-1').waitFor();
    await frame.getByText('word-4').waitFor();
    assert.equal((await ada.client.get('/pages/ada/typed-board/revisions')).data.length, 1);
    const last = await typing.stop();
    await frame.getByText(`word-${last}.`).waitFor();
    await bar(page).getByText('ada changed this document.').waitFor();
    await frame.getByText('The second paragraph.').click({ position: { x: 40, y: 9 } });
    await page.locator('.thread.active', { hasText: 'Which one?' }).waitFor();
    editor.cut();
    await end();
  });
});
