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

  /** Gives a verdict in the dialog over the page. */
  async function judge(page: Page, button: string, body = ''): Promise<void> {
    await page.locator('details[data-menu] > summary[title="More"]').click();
    await page.getByRole('link', { name: 'Review', exact: true }).click();
    await page.getByLabel(/What you think of revision/).fill(body);
    await page.getByRole('button', { name: button }).click();
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
    await call('comment', { ...REPORT, action: 'accept', threads: [suggestion.id] });
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
      await page.getByText('2 changes since your last visit').waitFor();
      await page.getByRole('link', { name: 'Show', exact: true }).click();
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
