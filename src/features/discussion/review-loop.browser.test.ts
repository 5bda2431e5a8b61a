import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { type Agent, connect } from '../../../test/mcp/agent.ts';
import { startCount } from '../../../test/mcp/count.ts';
import { until } from '../../../test/until.ts';
import { inFrame } from '../../../test/web-app/in-frame.ts';
import { beginJourney, focused, type Journey, toast } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const FILLER = '<p>Nothing to see here.</p>\n'.repeat(30);

const HTML = `<!doctype html><html lang="en"><title>Report</title>
<h1>Report</h1>
<p id="march">The station was quiet in March.</p>
${FILLER}<figure id="chart"><svg width="200" height="80"><rect width="200" height="80"/></svg></figure>
<p id="visitors">Nobody came in 1891.</p>
</html>
`;

const REPORT = { kind: 'page', owner: 'ada', name: 'report' };
const READ = '/read/ada/pages/report';

describe('An agent’s HTML page', IN_BROWSER, () => {
  let service: Service;
  let people: Record<'ada' | 'grace' | 'alan', Person>;
  let agent: Agent;

  after(() => agent?.close());
  openStage({ people: ['ada', 'grace', 'alan'] }, async (stage) => {
    ({ service, ...people } = stage);
    agent = await connect(service, people.ada.client.token);
  });

  /** Opens the page beside its comments. */
  async function visit(person: Person): Promise<Journey & { frame: Frame }> {
    const journey = await beginJourney(service, person, {
      viewport: { width: 1440, height: 900 },
    });
    await journey.go(READ);
    const frame = journey.page.frames()[1] as Frame;
    await until('the script', () => inFrame<boolean>(frame, `CSS.highlights.has('comment')`));
    return { ...journey, frame };
  }

  /** Selects words in the frame, as with the mouse, and opens the form for a comment on them. */
  async function select(page: Page, frame: Frame, selector: string, words: string): Promise<void> {
    await frame.evaluate(
      ([selector, words]) => {
        const element = document.querySelector(selector) as Element;
        element.scrollIntoView({ block: 'center' });
        const text = element.firstChild as Text;
        const from = text.data.indexOf(words);
        getSelection()?.setBaseAndExtent(text, from, text, from + words.length);
      },
      [selector, words] as const,
    );
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const passage = composer(page).getByLabel('Passage', { exact: true });
    assert.equal(await passage.inputValue(), words);
  }

  const composer = (page: Page) => page.getByRole('dialog', { name: 'New comment' });
  const send = (page: Page) =>
    composer(page).getByRole('button', { name: 'Comment', exact: true }).click();
  const card = (page: Page, text: string) => page.locator('.thread').filter({ hasText: text });

  async function say(page: Page, text: string): Promise<void> {
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    await page.keyboard.type(text);
    await send(page);
    await card(page, text).waitFor();
  }

  /** Gives a verdict in the bar above the page. */
  async function judge(page: Page, button: string, body = ''): Promise<void> {
    const bar = page.locator('#review-bar');
    await bar.getByText('Add a comment').click();
    await bar.getByRole('textbox').fill(body);
    await bar.getByRole('button', { name: button }).click();
    await toast(page, /./);
  }

  it('is reviewed by two people in a browser until they approve it, then published', async (test) => {
    const { call, cost } = startCount(agent);
    await call('publish_document', { ...REPORT, content: HTML, visibility: 'private' });
    for (const username of ['grace', 'alan'] as const) {
      await call('share_document', { ...REPORT, username, permission: 'read' });
      const { client } = people[username];
      const [invitation] = (await client.get('/user/brief_invitations')).data;
      await client.patch(`/user/brief_invitations/${invitation.id}`);
      await call('comment', { ...REPORT, action: 'request_review', reviewer: username });
    }
    const { cursor } = (await call('wait_for_feedback', { wait_seconds: 0 })).data;

    // Grace asks about words and about the chart, through the review frame.
    const grace = await visit(people.grace);
    await select(grace.page, grace.frame, '#visitors', 'Nobody came in 1891.');
    await say(grace.page, 'Nobody at all?');
    await grace.page.getByText('New comment').click();
    await grace.page.getByRole('button', { name: 'Choose an element' }).click();
    await grace.frame.click('#chart rect');
    await composer(grace.page).getByText('On the chosen element').waitFor();
    await say(grace.page, 'Too dark.');
    await grace.end();

    // Alan suggests another word, and requests changes.
    const alan = await visit(people.alan);
    await select(alan.page, alan.frame, '#march', 'quiet');
    await composer(alan.page).getByLabel('Suggest other words').check();
    await composer(alan.page).getByLabel('Replace the passage with').fill('silent');
    await composer(alan.page).getByRole('button', { name: 'Suggest', exact: true }).click();
    await alan.page.locator('.thread ins').getByText('silent').waitFor();
    await judge(alan.page, 'Request changes', 'See my suggestion.');
    await alan.end();

    // The agent waits, reads the threads, revises and answers.
    const first = await call('wait_for_feedback', { until: 'review', cursor });
    assert.equal(first.data.events[0].by, 'alan');
    const listed = await call('read_document', { ...REPORT, view: 'threads' });
    const threads = listed.text
      .split('\n')
      .filter((line) => line.startsWith('{"id"'))
      .map((line) => JSON.parse(line));
    const about = (body: string) =>
      threads.find(({ comments }) => comments.some((one: { body: string }) => one.body === body));
    const [question, dark] = [about('Nobody at all?'), about('Too dark.')];
    assert.equal(question.quote, 'Nobody came in 1891.');
    assert.match(dark.element, /rect/);
    const suggestion = threads.find(({ kind }) => kind === 'replacement');
    await call('comment', {
      ...REPORT,
      action: 'accept',
      threads: [suggestion.id],
      expected: [suggestion.digest],
    });
    const edited = await call('edit_document', {
      ...REPORT,
      base_revision: 2,
      resolves: [question.id, dark.id],
      edits: [
        { op: 'replace', old: 'Nobody came', new: 'Two people came' },
        { op: 'replace', old: '<rect width', new: '<rect fill="#9ab" width' },
      ],
    });
    assert.equal(edited.data.revision, 3);
    await call('comment', {
      ...REPORT,
      action: 'reply',
      threads: [question.id],
      body: 'Two did; corrected.',
    });

    // The reviewers see only what has changed, and approve.
    for (const person of [people.grace, people.alan]) {
      const { page, frame, end } = await visit(person);
      await frame.getByText('Two people came in 1891.').waitFor();
      assert.equal(await page.locator('#comments > .threads > li').count(), 0);
      await page.locator('#review-bar').getByRole('link', { name: 'Show the changes' }).click();
      // Both pages, as they are shown; the source is one step further.
      await page.frameLocator('[title="The page after"]').getByText('Two people').waitFor();
      await page.locator('.changes-bar').getByRole('link', { name: 'Source' }).click();
      await page.locator('ins').getByText('Two people').first().waitFor();
      const unchanged = await page.locator('main').getByText('Nothing to see here.').count();
      assert.ok(unchanged < 30, `${unchanged} of 30 lines that stayed`);
      await page.goto(service.webUrl + READ);
      await judge(page, 'Approve');
      await end();
    }
    const second = await call('wait_for_feedback', {
      until: 'review',
      cursor: first.data.cursor,
      wait_seconds: 50,
    });
    assert.equal(second.data.events[0].by, 'grace');
    assert.equal(
      (await call('read_document', { ...REPORT, view: 'threads' })).data.state,
      'approved',
    );
    await call('manage_document', { ...REPORT, action: 'update', visibility: 'public' });

    // Anyone can read it now, without a word of the comments.
    const anyone = await beginJourney(service);
    assert.equal(await anyone.go('/ada/pages/report'), 200);
    const shown = anyone.page.frames()[1] as Frame;
    await shown.getByText('The station was silent in March.').waitFor();
    assert.doesNotMatch(await anyone.page.content(), /Too dark|Nobody at all/);
    await anyone.end();
    test.diagnostic(JSON.stringify(cost));
    assert.equal(cost.calls, 14);
  });
});

describe('The review bar', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
  });

  const paragraphs = Array.from({ length: 40 }, (_, index) => `Paragraph ${index + 1} stands.`);
  const textOf = (changes: Record<number, string>) =>
    `# Plan\n\n${paragraphs.flatMap((text, index) => changes[index + 1] ?? text).join('\n\n')}\n`;

  const bar = (page: Page) => page.locator('#review-bar');
  const approve = (page: Page, revision: number) =>
    bar(page).getByRole('button', { name: `Approve revision ${revision}` });

  it('approves what is on the screen, and shows in the text what has changed since', async () => {
    const body = { name: 'plan', content: textOf({}), visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = '/briefs/ada/plan';
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    await ada.client.put(`${path}/reviewers/grace`, { note: 'The figures, please.' });

    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/plan');
    await bar(page).getByText('ada asked you to review this.').waitFor();
    await bar(page).getByText('“The figures, please.”').waitFor();
    await bar(page).getByText('Add a comment').click();
    await bar(page).getByRole('textbox').fill('Well done.');
    await approve(page, 1).click();
    await bar(page).getByText('You approved this text.').waitFor();
    const { reviews } = (await ada.client.get(`${path}/reviews`)).data;
    assert.deepEqual([reviews[0].revision, reviews[0].body], [1, 'Well done.']);

    await page.evaluate(() => scrollTo(0, 0));
    const changes = {
      2: 'Paragraph 2 rests.',
      35: '',
      38: 'Paragraph 38 stands.\n\nAnd a new one.',
    };
    await ada.client.patch(path, { content: textOf(changes) });
    await bar(page).getByText('You approved revision 1. It has changed since.').waitFor();
    // Not before the reader has seen the part at the end.
    await page.waitForTimeout(1_100);
    await approve(page, 2).click();
    await page.getByText('You haven’t looked at this change yet.').waitFor();
    await page.locator('.prose > p', { hasText: 'And a new one.' }).waitFor();

    await bar(page).getByRole('link', { name: 'Show the changes' }).click();
    const marked = (selector: string) => page.locator(`.prose ${selector}`).allTextContents();
    await page.locator('.prose .new-words').first().waitFor();
    assert.deepEqual(await marked('.new-words'), ['rests']);
    assert.deepEqual(await marked('.gone'), ['stands', 'Paragraph 35 stands.']);
    assert.deepEqual(await marked('.added-block'), ['And a new one.']);
    await bar(page).getByText('1 of 3').waitFor();
    for (const place of ['2 of 3', '3 of 3']) {
      await bar(page).getByRole('button', { name: 'Next change' }).click();
      await bar(page).getByText(place).waitFor();
      await page.waitForTimeout(100);
    }
    await bar(page).getByRole('button', { name: 'Hide changes' }).click();
    assert.deepEqual(await marked('.new-words, .prose .gone'), []);
    await approve(page, 2).click();
    await bar(page).getByText('You approved this text.').waitFor();
    await end();
  });

  it('sends who approves a text with hidden words to the dialog, where the same is required', async () => {
    const diagram = '```mermaid\nflowchart LR\n  A --> B\n```\n';
    const content = `${textOf({})}\n${diagram}`;
    const body = { name: 'drawn', content, visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = '/briefs/ada/drawn';
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    await ada.client.put(`${path}/reviewers/grace`, {});

    const { page, go, end } = await beginJourney(service, grace);
    await go('/read/ada/drawn');
    // A script draws it out of sight, which is no change of the text.
    await page.locator('.prose .diagram-picture img').waitFor({ state: 'attached' });
    await bar(page).getByRole('link', { name: 'Approve…' }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByRole('button', { name: 'Approve revision 1' }).click();
    await toast(page, 'You approved revision 1.');
    await page.keyboard.press('Escape');

    await ada.client.patch(path, { content: content.replace('Paragraph 35 stands', 'It rests') });
    await bar(page).getByText('It has changed since.').waitFor();
    await page.waitForTimeout(1_100);
    await page.locator('.own-actions .review-badge').click();
    await dialog.getByRole('button', { name: 'Approve revision 2' }).click();
    await page.getByText('You haven’t looked at this change yet.').waitFor();
    assert.equal(await dialog.count(), 0);
    assert.ok(await page.locator('.prose > p', { hasText: 'It rests' }).isVisible());
    assert.equal((await ada.client.get(`${path}/reviews`)).data.reviews[0].revision, 1);
    await end();
  });

  it('also asks for a look at a change that came with the reader’s own act', async () => {
    const body = { name: 'busy', content: textOf({}), visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = '/briefs/ada/busy';
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    await ada.client.put(`${path}/reviewers/grace`, {});
    const { page, go, end } = await beginJourney(service, grace);
    // Nothing tells the page what others do.
    await page.routeWebSocket(/\/live\//, (socket) => void socket.close());
    const isRefused = async (revision: number) => {
      await approve(page, revision).click();
      await page.getByText('You haven’t looked at this change yet.').waitFor();
      await page.evaluate(() => scrollTo(0, 0));
    };
    await go('/read/ada/busy');
    // The comments' script, which hears keys, loads last.
    await page.waitForLoadState('networkidle');

    await ada.client.patch(path, { content: textOf({ 38: 'It rests.' }) });
    await page.keyboard.press('m');
    await page.getByRole('textbox', { name: 'Comment' }).fill('Fine so far.');
    await page.keyboard.press('Control+Enter');
    await page.locator('#comments .thread', { hasText: 'Fine so far.' }).waitFor();
    await isRefused(2);

    await page.locator('.own-actions .review-badge').click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByLabel('Comment on revision').fill('Not yet.');
    await dialog.getByRole('button', { name: 'Request changes' }).click();
    await toast(page, 'You requested changes');
    await ada.client.patch(path, { content: textOf({ 37: 'It runs.' }) });
    await page.keyboard.press('Escape');
    await page.locator('.prose > p', { hasText: 'It runs.' }).waitFor();
    await bar(page)
      .getByText('You requested changes to revision 2. It has changed since.')
      .waitFor();
    await isRefused(3);
    await end({ close: true });
  });

  it('tells the author who is asked, and asks again', async () => {
    const path = '/briefs/ada/plan';
    await ada.client.patch(path, { content: textOf({ 3: 'Paragraph 3 runs.' }) });
    const { page, go, end } = await beginJourney(service, ada);
    await go('/read/ada/plan');
    await bar(page).getByText('Approved by grace. It has changed since.').waitFor();
    assert.equal(await approve(page, 3).count(), 0);
    await bar(page).getByRole('button', { name: 'Ask grace again' }).click();
    await bar(page).getByText('Waiting for grace.').waitFor();
    await go('/history/ada/plan?from=1&to=3');
    await page.getByRole('link', { name: 'In the text' }).click();
    await page.locator('.prose .new-words', { hasText: 'runs' }).waitFor();
    // Words that are gone can be commented on: in the revision that had them.
    const gone = page.locator('.prose del.gone', { hasText: 'stands' }).first();
    await gone.evaluate((element) => getSelection()?.selectAllChildren(element));
    await page.keyboard.press('m');
    await page.locator('.composer').getByLabel('Comment', { exact: true }).fill('It stood.');
    assert.equal(await page.locator('.composer .thread-kind').isVisible(), false);
    await page.keyboard.press('Control+Enter');
    await page.locator('#comments', { hasText: 'It stood.' }).waitFor();
    const { data: threads } = await ada.client.get(`${path}/threads`);
    const { on } = threads.find(({ comments }: { comments: { body: string }[] }) =>
      comments.some(({ body }) => body === 'It stood.'),
    );
    assert.deepEqual([on.quote, on.revision, on.state], ['stands', 1, 'gone']);

    await go('/read/ada/plan');
    await page.keyboard.press('w');
    const writers = page.getByRole('toolbar', { name: 'Who wrote this' });
    await writers.getByRole('button', { name: 'ada with world (token), an agent' }).press('Enter');
    await writers.getByText('ada with world (token), revision 1').waitFor();
    await page.keyboard.press('w');
    await writers.waitFor({ state: 'detached' });
    await end();
  });
});
