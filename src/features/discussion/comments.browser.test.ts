import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import {
  afterFrames,
  beginJourney,
  focused,
  type Journey,
  tabTo,
  toast,
} from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const FILLER = Array.from({ length: 30 }, (_, n) => `Line ${n} of a long report.\n`).join('\n');

const TEXT = `# Report

The **station** was [quiet](https://example.org/) in March.

- Nobody came.
- Nobody came again.

${FILLER}
The last word.
`;

const WIDE = { viewport: { width: 1440, height: 900 } };
const NARROW = { viewport: { width: 360, height: 760 } };

describe('Comments on a brief, in a browser', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  /** Creates a brief that grace can edit, with a thread for each of `threads`. */
  async function make(name: string, ...threads: object[]): Promise<string> {
    const made = await ada.client.post('/user/briefs', {
      name,
      content: TEXT,
      visibility: 'private',
    });
    assert.equal(made.status, 201, made.text);
    const invited = `/briefs/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(invited, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    for (const body of threads) {
      const answer = await grace.client.post(`/briefs/ada/${name}/threads`, body);
      assert.equal(answer.status, 201, answer.text);
    }
    return `/read/ada/${name}`;
  }

  async function visit(path: string, options: object = WIDE, who = ada): Promise<Journey> {
    const journey = await beginJourney(service, who, options);
    await journey.go(path);
    await journey.page.waitForFunction(() => CSS.highlights.has('comment'));
    return journey;
  }

  /** The texts that a highlight marks. */
  const marked = (page: Page, name: 'comment' | 'comment-active' = 'comment') =>
    page.evaluate((name) => Array.from(CSS.highlights.get(name) ?? [], String), name);

  /** Selects from an offset in one element to an offset in another. */
  const select = (page: Page, from: [string, number], to: [string, number]) =>
    page.evaluate(
      ([[start, at], [end, until]]) => {
        const textIn = (selector: string) => {
          const element = document.querySelector(`.prose ${selector}`) as Element;
          return document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
        };
        getSelection()?.setBaseAndExtent(textIn(start), at, textIn(end), until);
      },
      [from, to] as const,
    );

  const composer = (page: Page) => page.getByRole('dialog', { name: 'New comment' });
  const cards = (page: Page) => page.locator('#comments .thread:not(.closed)');
  const card = (page: Page, text: string) => page.locator('.thread').filter({ hasText: text });
  /** Opens the field for a reply, or the one for changing one's own comment. */
  const openReply = async (card: Locator) => {
    await card.click();
    await card.getByText('Reply', { exact: true }).first().click();
  };
  const openEdit = async (card: Locator) => {
    await card.click();
    await card.getByTitle('Edit or delete').click();
    await card.getByRole('button', { name: 'Edit' }).click();
  };

  it('a selection across markup can be commented on with the mouse', async () => {
    const { page, end } = await visit(await make('mouse'));
    await select(page, ['p strong', 0], ['p a', 5]);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    assert.equal(
      await composer(page).getByLabel('Passage', { exact: true }).inputValue(),
      'station was quiet',
    );
    await page.keyboard.type('Why *so*?');
    await composer(page).getByRole('button', { name: 'Comment', exact: true }).click();
    await card(page, 'Why so?').waitFor();
    assert.deepEqual(await marked(page), ['station was quiet']);
    await focused(card(page, 'Why so?'));
    const { data } = await ada.client.get('/briefs/ada/mouse/threads');
    assert.match(data[0].on.quote, /^station\*\* was \[quiet$/);
    await page.getByRole('link', { name: 'Comments 1 open' }).waitFor();
    await end();
  });

  it('the keyboard is enough to comment, go to a comment, reply and resolve', async () => {
    const path = await make('keys', { body: 'One', on: { quote: 'March' } });
    const { page, end } = await visit(path);
    const { keyboard } = page;
    await select(page, ['li:nth-child(2)', 0], ['li:nth-child(2)', 11]);
    await keyboard.press('m');
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    await keyboard.press('Escape');
    await composer(page).waitFor({ state: 'hidden' });
    await select(page, ['li:nth-child(2)', 0], ['li:nth-child(2)', 11]);
    await keyboard.press('m');
    await keyboard.type('Two');
    await tabTo(composer(page).getByRole('button', { name: 'Comment', exact: true }));
    await keyboard.press('Enter');
    await card(page, 'Two').waitFor();
    assert.deepEqual(await marked(page), ['March', 'Nobody came']);

    await focused(card(page, 'Two'));
    await keyboard.press('p');
    await focused(card(page, 'One'));
    assert.deepEqual(await marked(page, 'comment-active'), ['March']);
    await keyboard.press('n');
    await focused(card(page, 'Two'));
    assert.deepEqual(await marked(page, 'comment-active'), ['Nobody came']);
    await keyboard.press('r');
    await focused(card(page, 'Two').getByLabel('Reply'));
    await keyboard.type('Three');
    await keyboard.press('Control+Enter');
    await card(page, 'Three').waitFor();
    await focused(card(page, 'Two'));
    await keyboard.press('x');
    await toast(page, 'Resolved.');
    assert.deepEqual(await marked(page), ['March']);
    await focused(card(page, 'One'));
    await page.getByText('Resolved 1').waitFor();
    await end();
  });

  it('what opens to write in has the focus, so that letters are text and not shortcuts', async () => {
    const path = await make('focus', { body: 'Wy?', on: { quote: 'March' } });
    const { page, end } = await visit(path, WIDE, grace);
    const { keyboard } = page;
    const [reply, edit] = [
      card(page, 'Wy?').getByLabel('Reply'),
      card(page, 'Wy?').getByLabel('Your comment', { exact: true }),
    ];
    await openReply(card(page, 'Wy?'));
    await keyboard.type('even');
    assert.equal(await reply.inputValue(), 'even');
    await openEdit(card(page, 'Wy?'));
    await keyboard.type('e');
    assert.equal(await edit.inputValue(), 'Wy?e', 'the caret is at the end');
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.message());
      void (questions.length === 1 ? question.dismiss() : question.accept());
    });
    await keyboard.press('Escape');
    assert.equal(await edit.inputValue(), 'Wy?e');
    await keyboard.press('Escape');
    await edit.waitFor({ state: 'hidden' });
    await openEdit(card(page, 'Wy?'));
    await keyboard.press('Escape');
    await edit.waitFor({ state: 'hidden' });
    assert.deepEqual(questions, Array(2).fill('Discard what you have written?'));
    await page.getByText('New comment').click();
    await keyboard.type('each');
    const comment = page.locator('#comments').getByLabel('Comment', { exact: true });
    assert.equal(await comment.inputValue(), 'each');
    assert.match(page.url(), /\/read\//);
    await end();
  });

  it('`m` without a selection comments on the whole brief', async () => {
    const { page, end } = await visit(await make('whole'));
    await page.keyboard.press('m');
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    assert.equal(await composer(page).getByLabel('Passage', { exact: true }).isVisible(), false);
    await page.keyboard.type('Nice.');
    await composer(page).getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('article', { name: 'Comment by ada on the whole brief' }).waitFor();
    await end();
  });

  it('`a` accepts a suggestion, and the text changes without a reload', async () => {
    const replacement = 'April and in May, when it rained';
    const path = await make('accept', { replacement, on: { quote: 'March' } });
    const { page, end } = await visit(path);
    const foot = page.locator('.foot p').first();
    const before = await foot.textContent();
    await page.keyboard.press('n');
    await focused(cards(page).first());
    await page.keyboard.press('a');
    await toast(page, 'Accepted.');
    await page.locator('.prose').getByText('in April').waitFor();
    assert.equal(await cards(page).count(), 0);
    const after = await foot.textContent();
    assert.notEqual(after, before);
    await page.reload();
    assert.equal(after, await foot.textContent(), 'the foot is what it is after a reload');

    const again = await make('undone', { replacement: 'May', on: { quote: 'March' } });
    await page.goto(service.webUrl + again);
    await cards(page).first().click();
    await page.getByRole('button', { name: 'Accept: Suggestion' }).click();
    await page.locator('.prose').getByText('in May').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL('**/read/ada/undone');
    await page.locator('.prose').getByText('in March').waitFor();
    await end();
  });

  it('the composer is beside the selection, which stays marked; a suggestion begins with the passage', async () => {
    const { page, end } = await visit(
      await make('suggest', { body: 'Hm', on: { quote: 'March' } }),
    );
    const { keyboard } = page;
    const replacement = composer(page).getByLabel('Replace the passage with');
    const send = () => composer(page).getByRole('button', { name: 'Suggest', exact: true }).click();
    await select(page, ['p strong', 0], ['p strong', 7]);
    await keyboard.press('m');
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    assert.deepEqual(await marked(page, 'comment-active'), ['station']);
    const tops = await page.evaluate(() =>
      [document.querySelector('.composer'), document.querySelector('.prose strong')].map(
        (each) => each?.getBoundingClientRect().top ?? 0,
      ),
    );
    assert.ok(Math.abs((tops[0] ?? 0) - (tops[1] ?? 99)) < 8, `${tops}`);
    await composer(page).getByText('Suggest', { exact: true }).first().click();
    await focused(replacement);
    assert.equal(await replacement.inputValue(), 'station');
    await send();
    await composer(page).getByText('Change the passage, or choose Comment.').waitFor();
    assert.equal(
      await replacement.evaluate((field: HTMLTextAreaElement) => field.validationMessage),
      'Change the passage, or choose Comment.',
    );
    await keyboard.press('Escape');
    await composer(page).waitFor({ state: 'hidden' });
    await select(page, ['li:nth-child(2)', 0], ['li:nth-child(2)', 11]);
    await keyboard.press('m');
    await keyboard.type('Nobody?');
    await composer(page).getByLabel('Suggest other words').check();
    assert.equal(await replacement.inputValue(), 'Nobody came', 'of another passage');
    await composer(page).getByLabel('Write a comment').check();
    await composer(page).getByLabel('Comment', { exact: true }).press('Control+Enter');
    await card(page, 'Nobody?').waitFor();

    await select(page, ['p strong', 0], ['p strong', 7]);
    await keyboard.press('m');
    await composer(page).getByLabel('Suggest other words').check();
    await replacement.fill('stations');
    page.once('dialog', (question) => void question.dismiss());
    await replacement.press('Escape');
    assert.equal(await replacement.inputValue(), 'stations', 'what was written is kept');
    await send();
    await page.locator('.thread ins').getByText('stations').waitFor();
    await select(page, ['p a', 0], ['p a', 5]);
    await keyboard.press('m');
    await composer(page).getByLabel('Suggest other words').check();
    await replacement.fill('');
    await send();
    await page.getByText('Delete this passage').waitFor();
    const { data } = await ada.client.get('/briefs/ada/suggest/threads');
    const kinds = data.map(({ kind, replacement }: Record<string, unknown>) => [kind, replacement]);
    assert.deepEqual(kinds.toSorted(), [
      ['comment', null],
      ['comment', null],
      ['replacement', ''],
      ['replacement', 'stations'],
    ]);
    await end();
  });

  it('take no room before there are any, and tables do', async () => {
    const { page, end } = await visit(await make('empty'), {
      viewport: { width: 1120, height: 900 },
    });
    const left = () =>
      page
        .locator('.prose > p')
        .first()
        .evaluate((each) => each.getBoundingClientRect().left);
    const before = await left();
    await page.getByRole('heading', { name: 'Comments 0' }).waitFor({ state: 'attached' });
    await grace.client.post('/briefs/ada/empty/threads', { body: 'One.', on: { quote: 'March' } });
    await page.reload();
    await card(page, 'One.').waitFor();
    assert.ok((await left()) < before, 'the column has its own room');
    await end();
  });

  it('a refused comment says why, and keeps its text', async () => {
    const { page, end } = await visit(await make('refused'));
    await page.keyboard.press('m');
    await composer(page).getByRole('button', { name: 'Comment', exact: true }).click();
    await composer(page).getByRole('alert').getByText('must not be empty').waitFor();
    await page.keyboard.type('More.');
    page.once('dialog', (question) => void question.dismiss());
    await composer(page).getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await composer(page).getByLabel('Comment', { exact: true }).inputValue(), 'More.');
    await end();
  });

  it('a refused action says why, and keeps an unsent reply', async () => {
    const path = await make('unsent', { body: 'When?', on: { quote: 'March' } });
    const { page, end } = await visit(path);
    const { data } = await ada.client.get('/briefs/ada/unsent/threads');
    await openReply(card(page, 'When?'));
    const reply = card(page, 'When?').getByLabel('Reply');
    await reply.fill('In spring.');
    await card(page, 'When?')
      .getByRole('button', { name: /^Resolve/ })
      .click();
    await card(page, 'When?').getByRole('alert').getByText('Send your reply first').waitFor();
    assert.equal(await reply.inputValue(), 'In spring.');
    const [{ id, comments }] = data;
    const said = `/briefs/ada/unsent/threads/${id}/comments/${comments[0].id}`;
    assert.equal((await grace.client.delete(said)).status, 204);
    await card(page, 'When?').getByRole('button', { name: 'Reply' }).click();
    await card(page, 'When?').getByRole('alert').getByText('There is no such thread.').waitFor();
    assert.equal(await reply.inputValue(), 'In spring.');
    await end();
  });

  it('cards are beside their passages; hovering a card or clicking a passage highlights the other', async () => {
    const path = await make(
      'beside',
      { body: 'Early', on: { quote: 'March' } },
      { body: 'Middle', on: { quote: 'Line 9 of' } },
      { body: 'Second half', on: { quote: 'Line 20 of' } },
      { body: 'Late', on: { quote: 'The last word.' } },
    );
    const { page, end } = await visit(path);
    const distances = await page.evaluate(() => {
      const ranges = [...(CSS.highlights.get('comment') ?? [])] as Range[];
      const list = document.querySelectorAll('.threads .thread');
      return ranges.map((range, at) => {
        const { top } = (list[at] as Element).getBoundingClientRect();
        return Math.round(top - range.getBoundingClientRect().top);
      });
    });
    assert.deepEqual(
      distances.map(Math.abs).filter((each) => each > 2),
      [],
      `${distances}`,
    );
    await card(page, 'Early').hover();
    assert.deepEqual(await marked(page, 'comment-active'), ['March']);
    await page
      .locator('.prose p')
      .filter({ hasText: 'The last word.' })
      .click({
        position: { x: 20, y: 10 },
      });
    await focused(card(page, 'Late'));
    assert.deepEqual(await marked(page, 'comment-active'), ['The last word.']);
    await end();
  });

  it('cover nothing of the line above the text that says what is new', async () => {
    const path = await make('news', { body: 'Mind this.', on: { quote: 'station' } });
    const first = await visit(path);
    await first.end();
    const changed = { content: TEXT.replace('in March', 'in April') };
    assert.equal((await grace.client.patch('/briefs/ada/news', changed)).status, 200);
    const { page, end } = await visit(path);
    const banner = page.getByRole('complementary', { name: 'New since your last visit' });
    const covered = await banner.evaluate((element) => {
      // What covers it lets the pointer through.
      document.styleSheets[0]?.insertRule('*::before { pointer-events: auto !important }');
      const { left, right, top, height } = element.getBoundingClientRect();
      const at = Array.from({ length: 20 }, (_, n) => left + ((right - left) * (n + 0.5)) / 20);
      return at.filter((x) => !element.contains(document.elementFromPoint(x, top + height / 2)));
    });
    assert.deepEqual(covered, []);
    await end();
  });

  it('a hundred cards have two lines each; the open one is at its passage, which stays in view', async () => {
    const on = (n: number) => ({ quote: `Line ${n % 30} of` });
    const body = 'A **long** comment about this line. '.repeat(12);
    const many = Array.from({ length: 100 }, (_, n) => ({ body: `${n}. ${body}`, on: on(n) }));
    const few = [{ body: 'Early', on: { quote: 'March' } }, ...many.slice(0, 12)];
    for (const [name, threads] of Object.entries({ few, many })) {
      const { page, end } = await visit(await make(`lines-${name}`, ...threads));
      await page.evaluate(afterFrames);
      const sizes = await page.evaluate(() => ({
        cards: Array.from(document.querySelectorAll('.threads .thread'), (card) =>
          Math.round(card.getBoundingClientRect().height),
        ),
        column: (document.querySelector('#comments') as HTMLElement).offsetHeight,
        text: (document.querySelector('.prose') as HTMLElement).offsetHeight,
      }));
      assert.ok(Math.max(...sizes.cards.slice(0, 5)) < 90, `${sizes.cards}`);
      assert.ok(sizes.column < sizes.text + 300, `${sizes.column} beside ${sizes.text}`);
      for (const at of [1, 9, 3]) {
        const passage = await page.evaluate((at) => {
          const range = ([...(CSS.highlights.get('comment') ?? [])] as Range[])[at] as Range;
          scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2);
          const { left, top } = range.getBoundingClientRect();
          return { x: left + 5, y: top + 8, top, scrollY };
        }, at);
        await page.mouse.click(passage.x, passage.y);
        await page.locator('.thread.active').waitFor();
        await page.evaluate(afterFrames);
        const after = await page.evaluate(() => ({
          top: (document.querySelector('.thread.active') as Element).getBoundingClientRect().top,
          scrollY,
        }));
        assert.equal(after.scrollY, passage.scrollY, 'the text stays');
        assert.ok(Math.abs(after.top - passage.top) < 2, `${name}: ${after.top}, ${passage.top}`);
      }
      await page.keyboard.press('n');
      await page.evaluate(afterFrames);
      assert.equal(await page.locator('.thread.active').count(), 1);
      await end();
    }
  });

  it('a collapsed card shows the beginning of what is suggested, however long the passage is', async () => {
    const on = { quote: 'The station was quiet in March.' };
    const path = await make('long', { on, replacement: 'Nothing happened before April.' });
    const { page, end } = await visit(path);
    const card = await page.locator('.thread').boundingBox();
    const words = await page.locator('.thread ins').boundingBox();
    assert.ok(card && words);
    assert.ok(words.x + words.width < card.x + card.width, `${words.x} ${words.width}`);
    await end();
  });

  it('comments on the whole brief are apart; buttons show only one’s own, or those by agents', async () => {
    const threads = [1, 2, 3].map((n) => ({ body: `Whole ${n}` }));
    const path = await make('groups', ...threads, { body: 'Here', on: { quote: 'March' } });
    const { page, end } = await visit(path);
    assert.equal(await card(page, 'Whole 1').isVisible(), false);
    await page.getByText('The whole brief 3').click();
    await card(page, 'Whole 1').waitFor();
    await select(page, ['li:nth-child(2)', 0], ['li:nth-child(2)', 11]);
    await page.keyboard.press('m');
    await page.keyboard.type('My own');
    await page.keyboard.press('Control+Enter');
    await card(page, 'My own').waitFor();
    assert.ok(await card(page, 'Whole 1').isVisible(), 'the group stays unfolded');
    const shown = async (name: RegExp) => {
      const button = page.getByRole('button', { name });
      await button.click();
      assert.equal(await button.getAttribute('aria-pressed'), 'true');
      return page.locator('#comments .thread:visible').count();
    };
    assert.equal(await shown(/^Mine 1/), 1);
    assert.deepEqual(await marked(page), ['March', 'Nobody came']);
    assert.equal(await shown(/^Agents 4/), 4, 'by a token');
    assert.equal(await shown(/^Open 5/), 5);
    await end();
  });

  it('`@` completes a username with the keyboard, and the mention is a link', async () => {
    const path = await make('mention', { body: 'Who?', on: { quote: 'March' } });
    const { page, end } = await visit(path);
    await openReply(card(page, 'Who?'));
    const reply = card(page, 'Who?').locator('.reply textarea');
    const option = page.getByRole('option', { name: 'grace' });
    await page.keyboard.type('Ask @g');
    await option.waitFor();
    assert.equal(await option.getAttribute('aria-selected'), 'true');
    const [field, list] = [await reply.boundingBox(), await option.boundingBox()];
    assert.ok(field && list && list.y >= field.y + field.height, 'the list covers no words');
    assert.equal(
      await reply.getAttribute('aria-activedescendant'),
      await option.getAttribute('id'),
    );
    await page.keyboard.press('Escape');
    await option.waitFor({ state: 'hidden' });
    assert.ok(await reply.isVisible());
    await page.keyboard.type('r');
    await option.waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await reply.inputValue(), 'Ask @grace ');
    assert.equal(await reply.getAttribute('aria-activedescendant'), null);
    await page.keyboard.type('then.');
    const preview = card(page, 'Who?').getByRole('button', { name: 'Preview' });
    await preview.click();
    await card(page, 'Who?').locator('.preview').getByRole('link', { name: '@grace' }).waitFor();
    assert.equal(await reply.isVisible(), false);
    await preview.click();
    await focused(reply);
    await page.keyboard.press('Control+Enter');
    await card(page, 'Ask @grace then.').getByRole('link', { name: '@grace' }).waitFor();
    await end();
  });

  it('the list of people to mention is below a new comment, too', async () => {
    const { page, end } = await visit(await make('mention-below', { body: 'Who?' }));
    await select(page, ['p strong', 0], ['p a', 5]);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const text = composer(page).getByLabel('Comment', { exact: true });
    await focused(text);
    await page.keyboard.type('Ask @g');
    const [field, list] = [
      await text.boundingBox(),
      await page.getByRole('option', { name: 'grace' }).boundingBox(),
    ];
    assert.ok(field && list && list.y >= field.y + field.height);
    assert.ok(Math.abs(list.x - field.x) < 16);
    await end();
  });

  it('people edit and delete their own comments', async () => {
    const { page, end } = await visit(await make('own', { body: 'Wy?' }), WIDE, grace);
    await openEdit(card(page, 'Wy?'));
    await card(page, 'Wy?').getByLabel('Your comment', { exact: true }).fill('Why?');
    await card(page, 'Wy?').getByRole('button', { name: 'Save' }).click();
    const edited = cards(page).filter({ has: page.getByText('Why?', { exact: true }) });
    await edited.locator('.comment-body').getByText('Why?').waitFor();
    await edited.getByTitle('Edit or delete').click();
    await edited.getByRole('button', { name: 'Delete' }).click();
    await toast(page, 'Comment deleted.');
    assert.equal(await cards(page).count(), 0);
    await end();
  });

  it('a comment moves to the selection with “Choose new passage”', async () => {
    const path = await make('again', { body: 'When?', on: { quote: 'in March' } });
    const content = TEXT.replace('in March', '');
    await ada.client.patch('/briefs/ada/again', { content });
    const { page, end } = await visit(path);
    const passage = card(page, 'When?').getByLabel('New passage');
    const summary = card(page, 'When?').getByText('Choose new passage').first();
    await card(page, 'When?').click();
    await select(page, ['p strong', 0], ['p strong', 7]);
    await summary.focus();
    await page.keyboard.press('Enter');
    await passage.waitFor();
    assert.equal(await passage.inputValue(), 'station', 'with the keyboard');
    await focused(passage);
    await summary.press('Enter');
    await select(page, ['p a', 0], ['p a', 5]);
    await summary.click();
    assert.equal(await passage.inputValue(), 'quiet');
    await card(page, 'When?').getByRole('button', { name: 'Choose new passage' }).click();
    await toast(page, 'Moved to the new passage.');
    assert.deepEqual(await marked(page), ['quiet']);
    await end();
  });

  it('on a phone, comments are in a drawer, which clicking a passage opens', async () => {
    const path = await make('phone', { body: 'Small', on: { quote: 'March' } });
    const { page, end } = await visit(path, NARROW);
    const drawer = page.locator('#comments');
    assert.equal(await drawer.isVisible(), false);
    await page.getByRole('link', { name: 'Comments 1 open' }).click();
    await card(page, 'Small').waitFor();
    await page.evaluate(AXE);
    const faults = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> };
      };
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`);
    });
    assert.deepEqual(faults, []);
    await page.keyboard.press('m');
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    assert.equal(await drawer.isVisible(), false, 'the drawer would cover the form');
    await page.keyboard.press('Escape');
    await composer(page).waitFor({ state: 'hidden' });
    const at = await page.evaluate(() => {
      const [range] = [...(CSS.highlights.get('comment') ?? [])] as Range[];
      const { left, top, width, height } = (range as Range).getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });
    await page.mouse.click(at.x, at.y);
    await focused(card(page, 'Small'));
    await end();
  });

  it('a link to a thread shows it, even if it is resolved', async () => {
    const path = await make('linked', { body: 'Here', on: { quote: 'The last word.' } });
    const { data } = await ada.client.get('/briefs/ada/linked/threads');
    const [{ id }] = data;
    const { page, end, go } = await visit(`${path}#thread-${id}`);
    await focused(card(page, 'Here'));
    await ada.client.patch(`/briefs/ada/linked/threads/${id}`, { state: 'resolved' });
    await go('/');
    await go(`${path}#thread-${id}`);
    await focused(card(page, 'Here'));
    await page.evaluate(afterFrames);
    assert.ok(await card(page, 'Here').isVisible());
    await end();
  });
});
