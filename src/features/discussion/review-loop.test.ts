import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { startCount } from '../../../test/mcp/count.ts';
import { formWith, submit } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';

const TEXTS = {
  brief: '# Report\n\nThe station was quiet in March.\n\nNobody came in 1891.\n',
  page:
    '<!doctype html><title>Report</title>\n<h1>Report</h1>\n<p>The station was quiet in March.</p>\n' +
    '<p>Nobody came in 1891.</p>\n',
};

describe('An agent writes, people review on the web, the agent revises, they approve', async () => {
  const service = await startService();
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const alan = await makePerson(service, 'alan');
  const agent = await connect(service, ada.client.token);
  after(async () => {
    await agent?.close();
    await service?.stop();
  });

  for (const { kind, webSegments } of Object.values(KINDS)) {
    it(`a ${kind}`, async (test) => {
      const { cost, call } = startCount(agent);
      const report = { kind, owner: 'ada', name: 'loop' };
      const path = ['', 'ada', ...webSegments, 'loop'].join('/');

      // The agent publishes, shares and asks for reviews.
      await call('publish_document', { ...report, content: TEXTS[kind], visibility: 'private' });
      for (const [username, reviewer] of Object.entries({ grace, alan })) {
        await call('share_document', { ...report, username, permission: 'read' });
        const [invitation] = (await reviewer.client.get('/user/brief_invitations')).data;
        await reviewer.client.patch(`/user/brief_invitations/${invitation.id}`);
        await call('comment', { ...report, action: 'request_review', reviewer: username });
      }
      const { cursor } = (await call('wait_for_feedback', { wait_seconds: 0 })).data;

      // People answer on the web: a question, a suggestion, and a request for changes.
      const say = (who: Person, fields: Record<string, string>) =>
        submit(who.visitor, `/read${path}`, { act: 'open', ...fields });
      await say(grace, { quote: 'Nobody came in 1891.', body: 'Nobody at all?' });
      await say(alan, { quote: 'quiet', replacement: 'silent' });
      await judge(alan, path, 'changes_requested');

      // The agent waits, reads the threads, revises and answers.
      const first = await call('wait_for_feedback', { until: 'review', cursor });
      assert.equal(first.data.events[0].by, 'alan');
      const listed = await call('read_document', { ...report, view: 'threads' });
      const threads = listed.text
        .split('\n')
        .filter((line) => line.startsWith('{"id"'))
        .map((line) => JSON.parse(line));
      const question = threads.find((thread) => thread.kind === 'comment');
      const suggestion = threads.find((thread) => thread.kind === 'replacement');
      assert.equal(question.comments[0].body, 'Nobody at all?');
      await call('comment', {
        ...report,
        action: 'accept',
        threads: [suggestion.id],
        expected: [suggestion.digest],
      });
      await call('edit_document', {
        ...report,
        base_revision: 2,
        resolves: [question.id],
        edits: [{ op: 'replace', old: 'Nobody came', new: 'Two people came' }],
      });
      await call('comment', {
        ...report,
        action: 'reply',
        threads: [question.id],
        body: 'Two did; corrected.',
      });

      // The reviewers see what changed, and approve. The document goes public.
      const news = await grace.visitor.get(`/history${path}?from=1&to=3`);
      assert.match(news.text, /Two people/);
      await judge(grace, path, 'approved');
      await judge(alan, path, 'approved');
      const second = await call('wait_for_feedback', {
        until: 'review',
        cursor: first.data.cursor,
        wait_seconds: 50,
      });
      assert.equal(second.data.events[0].by, 'grace');
      const status = await call('read_document', { ...report, view: 'threads' });
      assert.equal(status.data.state, 'approved');
      await call('manage_document', { ...report, action: 'update', visibility: 'public' });

      const { text } = await ada.client.get(`/${KINDS[kind].segment}/ada/loop`);
      assert.match(text, /silent in March[\s\S]*Two people came in 1891/);
      test.diagnostic(JSON.stringify({ kind, ...cost }));
    });
  }
});

async function judge(who: Person, path: string, verdict: string): Promise<void> {
  const { fields } = formWith(await who.visitor.get(`/review${path}`), 'Request changes');
  await submit(who.visitor, `/review${path}`, { ...fields, verdict });
}
