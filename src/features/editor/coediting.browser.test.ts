import { strict as assert } from 'node:assert';
import { describe, it, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { newChance, readNumber } from '../../../test/chance.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { beginJourney, editorReady, saved, toast } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

/** How often somebody leaves; `LEAVES=200` for the long form. */
const LEAVES = readNumber('LEAVES') ?? 8;

/** Ways to leave the editor. Each returns the page that goes on. */
const LEAVING: Record<string, (page: Page, context: BrowserContext) => Promise<Page>> = {
  async reload(page) {
    await page.reload();
    return page;
  },
  async navigation(page) {
    await page.goto(new URL('/drafts', page.url()).href);
    return page;
  },
  async close(page, context) {
    await page.close();
    return context.newPage();
  },
  async 'a crash'(page, context) {
    const crashed = page.waitForEvent('crash');
    const session = await context.newCDPSession(page);
    session.send('Page.crash').catch(() => {});
    await crashed;
    const next = await context.newPage();
    await page.close();
    return next;
  },
};

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
    const content = 'One line, by a program.\n\nAnother line.\n';
    await ada.client.patch(path, { content, baseRevision: 1 });
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

  it('keep the bar of the editor in one row, and what is in it in its place, when others come', async () => {
    await make('bar', 'One line.\n');
    const one = await edit(ada, 'bar');
    const height = () =>
      one.page.locator('.editor-bar').evaluate((bar) => {
        const name = bar.querySelector<HTMLElement>('[name="name"]');
        return [(bar as HTMLElement).offsetHeight, name?.offsetWidth].join();
      });
    const widths = [1280, 1440, 1680, 1920];
    const heights = async () => {
      const all: string[] = [];
      for (const width of widths) {
        await one.page.setViewportSize({ width, height: 720 });
        all.push(await height());
      }
      return all;
    };
    const alone = await heights();
    assert.equal(new Set(alone.map((each) => each.split(',')[0])).size, 1);
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

  it(`leave ${LEAVES} times just after the last key, and every word is in the text once`, async (t: TestContext) => {
    const chance = newChance('leaving');
    const path = await make('left', 'Begin.\n');
    // The list goes on while somebody else has the brief open, and begins anew when nobody has.
    const other = await edit(grace, 'left');
    const { context, page: first, end } = await edit(ada, 'left');
    const words: string[] = [];
    let page = first;
    for (let number = 1; number <= LEAVES; number++) {
      const how = Object.keys(LEAVING)[number % 4] as string;
      const delay = 3 + chance.below(88);
      const word = `w${number}${'abcdefghijkl'.slice(0, 3 + chance.below(10))}z`;
      words.push(word);
      await text(page).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(` ${word}`, { delay });
      await page.waitForTimeout(chance.pick([0, 0, 10, 60, 600]));
      page = (await LEAVING[how]?.(page, context)) ?? page;
      if (chance.below(4) === 0) {
        await other.page.keyboard.press('Control+Home');
        await other.page.keyboard.type(`g${number} `);
        words.push(`g${number}`);
      }
      await page.goto(`${service.webUrl}/edit/ada/left`);
      await editorReady(page);
      t.diagnostic(`${how}, ${delay} ms a key: ${word}`);
      await shows(page, word);
      await shows(other.page, word);
    }
    await saved(page);
    await page.locator('#done').click();
    await page.waitForURL('**/read/ada/left');
    const { content } = (await ada.client.get(path)).data;
    for (const word of words) {
      assert.equal(content.split(/\s+/).filter((each: string) => each === word).length, 1, word);
    }
    assert.equal(content.split(/\s+/).length, words.length + 1, content);
    assert.deepEqual((await ada.client.get(`${path}/threads`)).data, []);
    await end();
    await other.end();
  });

  it('go on with what a crashed tab left, while another is open, also if its list is gone', async () => {
    const path = await make('crashed', 'Begin.\n');
    const { context, page } = await edit(ada, 'crashed');
    // The service takes the first words, but the page doesn't learn it.
    let isAnswered = true;
    const quiet = async (silent: Page) => {
      await silent.routeWebSocket('**/live/edit/**', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          if (isAnswered) socket.send(message);
        });
      });
      await silent.goto(`${service.webUrl}/edit/ada/crashed`);
      await editorReady(silent);
    };
    const stopped = await context.newPage();
    await quiet(stopped);
    await stopped.keyboard.press('Control+End');
    await stopped.keyboard.type('one');
    await shows(page, 'one');
    await saved(stopped);
    isAnswered = false;
    await stopped.keyboard.insertText(' two');
    await shows(page, 'one two');
    await stopped.keyboard.type(' three');
    await LEAVING['a crash']?.(stopped, context);
    await shows(page, 'one two three');
    await page.locator('#done').click();
    await page.waitForURL('**/read/ada/crashed');
    assert.equal((await ada.client.get(path)).data.content, 'Begin.\n\none two three');

    await page.goto(`${service.webUrl}/edit/ada/crashed`);
    await editorReady(page);
    const again = await context.newPage();
    isAnswered = true;
    await quiet(again);
    await again.keyboard.press('Control+End');
    await again.keyboard.type(' four');
    await shows(page, 'three four');
    await saved(again);
    isAnswered = false;
    await again.keyboard.insertText(' five');
    await shows(page, 'four five');
    await again.keyboard.type(' six');
    await page.close();
    const last = (await LEAVING['a crash']?.(again, context)) as Page;
    const { sql } = service.app.context;
    const isOver = () =>
      sql.read.selectFrom('live_document').where('unsavedSince', 'is', null).selectAll().execute();
    while ((await isOver()).length === 0) await last.waitForTimeout(50);
    await sql.transaction(async (tx) => void (await tx.deleteFrom('live_document').execute()));
    await last.goto(`${service.webUrl}/edit/ada/crashed`);
    await editorReady(last);
    await shows(last, 'four five six');
    await saved(last);
    await last.locator('#done').click();
    await last.waitForURL('**/read/ada/crashed');
    const { content } = (await ada.client.get(path)).data;
    assert.equal(content, 'Begin.\n\none two three four five six');
    assert.deepEqual((await ada.client.get(`${path}/threads`)).data, []);
    await context.close();
  });

  it('rewrite one sentence, one of them offline: both are told, and the versions stay apart', async () => {
    const base = 'The work starts in May.\n\nThe end.\n';
    const path = await make('sentence', base);
    const [one, other] = [await edit(ada, 'sentence'), await edit(grace, 'sentence')];
    const rewrite = async (page: Page, by: string) => {
      await page.locator('.write-pane .cm-line').first().click();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+End');
      await page.keyboard.type(by);
    };
    const [hers, mine] = [
      'Nothing starts before the audit of June.',
      'We start in July, if legal agrees.',
    ];
    const stored = async () => (await ada.client.get(path)).data.content;
    const threads = async () => (await ada.client.get(`${path}/threads`)).data;
    const notice = one.page.locator('#notice-asked-0');
    let proposals = 0;
    for (const choice of ['Discard mine', 'Propose mine', 'Put mine in the text']) {
      await one.context.setOffline(true);
      await rewrite(one.page, mine);
      await one.page.keyboard.press('Control+End');
      await one.page.keyboard.type('More. ');
      await rewrite(other.page, hers);
      await saved(other.page);
      await one.context.setOffline(false);
      await notice.waitFor();
      await shows(one.page, hers);
      assert.match((await notice.textContent()) ?? '', /Nothing starts before.*We start in July/s);
      await shows(other.page, 'More.');
      assert.equal(await other.page.locator('.cm-content', { hasText: 'We start' }).count(), 0);
      assert.equal((await threads()).length, proposals, 'nobody sees it before a choice');
      // What isn't chosen yet is asked again.
      await one.page.reload();
      await editorReady(one.page);
      await notice.getByRole('button', { name: choice }).click();
      await notice.waitFor({ state: 'detached' });
      if (choice === 'Propose mine') {
        await one.page.locator('#notice-proposal', { hasText: 'is now a proposal' }).waitFor();
        proposals += 1;
      }
      const kept = choice === 'Put mine in the text' ? mine : hers;
      await shows(other.page, kept);
      if (kept === mine) await toast(other.page, 'ada replaced a passage that others had changed');
      await one.page.keyboard.press('Control+s');
      await saved(one.page);
      assert.equal((await stored()).split('\n')[0], kept);
      await rewrite(other.page, 'The work starts in May.');
      await saved(other.page);
      await shows(one.page, 'The work starts in May.');
      await one.page.reload();
      await editorReady(one.page);
      assert.equal(await notice.count(), 0);
    }
    assert.equal((await stored()).split('More.').length, 4);
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
    assert.equal(data.content, 'By a socket. One line.\n\nBy requests.');
    await one.end();
    await other.end({ close: true });
  });
});
