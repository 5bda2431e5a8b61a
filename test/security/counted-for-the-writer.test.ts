import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { REVIEW_LIMITS, SHARE_OF_ONE } from '../../src/core/review/thread.ts';
import { deleteUser } from '../../src/features/accounts/account-deletion-service.ts';
import { recountAll, setExceptions } from '../../src/features/quotas/quota-admin-service.ts';
import { newChance } from '../chance.ts';
import { type Answer, assertError, type Client, type Service, startService } from '../harness.ts';
import {
  collaborate,
  decide,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
} from '../rest/scenario.ts';

const KB = 1024;

async function storageOf(client: Client): Promise<number> {
  return (await client.get('/user/usage')).data.bytes.used;
}

async function assertCounted({ app }: Service, after_: string): Promise<void> {
  const { wrong } = await recountAll(app.context);
  assert.deepEqual(wrong, [], after_);
}

function assertFull(answer: Answer, owner: string): void {
  assert.deepEqual([answer.status, answer.json.error?.code], [422, 'QUOTA_EXCEEDED'], answer.text);
  assert.match(answer.json.error.message, new RegExp(`The limit of “${owner}” for storage`));
}

/** A page of text that can't be compressed. */
const noise = (bytes: number) => `<p>${randomBytes(bytes * 0.75).toString('base64')}</p>\n`;

describe('What somebody adds to documents of others counts for them', () => {
  let service: Service;
  let ada: Client;
  let mal: Client;
  let bob: Client;

  before(async () => {
    service = await startService({ QUOTA_BYTES: '1MB', RATE_LIMIT_API: 'off' });
    [ada, mal, bob] = [
      await service.user('ada'),
      await service.user('mal'),
      await service.user('bob'),
    ];
  });
  after(() => service.stop());

  async function open(owner: Client, name: string, kind: 'brief' | 'page' = 'brief') {
    const body =
      kind === 'page' ? { html: '<p>one two three</p>\n' } : { content: 'one two three\n' };
    const segment = `${kind}s`;
    await expectStatus(
      owner.post(`/user/${segment}`, { name, visibility: 'public', ...body }),
      201,
    );
    const path = `/${segment}/${owner.username}/${name}`;
    await expectStatus(owner.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    return path;
  }

  for (const kind of ['brief', 'page'] as const) {
    it(`one account fills nothing with proposals, comments, suggestions or reviews of a ${kind}`, async () => {
      const path = await open(ada, `full-${kind}`, kind);
      const before_ = await storageOf(ada);
      const field = kind === 'page' ? 'html' : 'content';
      const acts: Record<string, (bytes: number) => Promise<Answer>> = {
        proposal: (bytes) =>
          mal.post(`${path}/edits`, {
            propose: true,
            edits: [{ op: 'append', content: noise(bytes) }],
          }),
        comment: (bytes) =>
          mal.post(`${path}/threads`, { body: 'c'.repeat(Math.min(bytes, 9 * KB)) }),
        suggestion: (bytes) =>
          mal.post(`${path}/threads`, {
            on: { quote: 'two' },
            replacement: 'r'.repeat(Math.min(bytes, 90 * KB)),
          }),
        review: (bytes) =>
          mal.post(`${path}/reviews`, {
            verdict: 'changes_requested',
            revision: 1,
            body: 'b'.repeat(Math.min(bytes, 9 * KB)),
          }),
      };
      await setExceptions(service.app.context, undefined, 'mal', { bytes: 2_000 * KB });
      for (const [what, act] of Object.entries(acts)) {
        const had = await storageOf(mal);
        await expectStatus(act(8 * KB), 201);
        const more = (await storageOf(mal)) - had;
        assert.ok(more > 6 * KB && more < 11 * KB, `${what}: ${more}`);
        await assertCounted(service, what);
      }
      assert.equal(await storageOf(ada), before_);
      const used = await storageOf(mal);
      await setExceptions(service.app.context, undefined, 'mal', { bytes: used + 4 * KB });
      for (const act of Object.values(acts)) assertFull(await act(50 * KB), 'mal');
      assert.equal(await storageOf(mal), used);
      // Others aren't concerned, and what makes room still works.
      await expectStatus(bob.post(`${path}/threads`, { body: 'Mine.' }), 201);
      const threads = (await mal.get(`${path}/threads?state=all`)).data as {
        id: string;
        author: string;
        comments: { id: string; body: string }[];
      }[];
      const own = threads.find(({ author, comments }) => author === 'mal' && comments.length > 0);
      const comment = `${path}/threads/${own?.id}/comments/${own?.comments[0]?.id}`;
      await expectStatus(mal.patch(comment, { body: 'short' }), 200);
      await expectStatus(mal.delete(comment), 204);
      assert.ok((await storageOf(mal)) < used);
      await assertCounted(service, field);
    });
  }

  it('many at once don’t exceed the limit together', async () => {
    const paths = await Promise.all(['at-once-1', 'at-once-2'].map((name) => open(ada, name)));
    await setExceptions(service.app.context, undefined, 'bob', {
      bytes: (await storageOf(bob)) + 20 * KB,
    });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        bob.post(`${paths[index % 2]}/threads`, { body: 'x'.repeat(3 * KB) }),
      ),
    );
    assert.ok(answers.some(({ status }) => status === 201));
    assert.ok(answers.some(({ status }) => status === 422));
    const { used, allowed } = (await bob.get('/user/usage')).data.bytes;
    assert.ok(used <= allowed, `${used} of ${allowed}`);
    await assertCounted(service, 'at once');
  });

  it('whatever is done, the counts are those of the rows', async () => {
    const chance = newChance('feedback');
    await setExceptions(service.app.context, undefined, 'mal', { bytes: null });
    await setExceptions(service.app.context, undefined, 'bob', { bytes: null });
    const path = await open(ada, 'any');
    await collaborate(ada, path, bob, 'write');
    const pick = <T>(list: readonly T[]) => list[chance.below(list.length)];
    const log: string[] = [];
    const succeeded = new Set<string>();
    type Listed = { id: string; kind: string; state: string; comments: { id: string }[] };
    // Until each kind of act has been met; some are rare.
    for (let round = 0; round < 200 || (succeeded.size < 13 && round < 1_000); round++) {
      const who = pick([ada, mal, bob]) as Client;
      const { data } = await ada.get(path);
      const revision = Number((await ada.get(path)).headers.get('x-revision'));
      const threads = (await ada.get(`${path}/threads?state=all&per_page=100`)).data as Listed[];
      const thread = pick(threads);
      const comment = thread && pick(thread.comments);
      const at = `${path}/threads/${thread?.id}`;
      const word = `w${round}`;
      const quote = pick((data.content as string).split(/\s+/).filter(Boolean)) as string;
      const acts: Record<string, () => Promise<Answer>> = {
        comment: () => who.post(`${path}/threads`, { body: word.repeat(50), on: { quote } }),
        suggest: () => who.post(`${path}/threads`, { on: { quote }, replacement: `${word} ü` }),
        propose: () =>
          who.post(`${path}/edits`, {
            propose: true,
            edits: [{ op: 'append', content: `${word}\n` }],
          }),
        answer: () => who.post(`${at}/comments`, { body: 'é'.repeat(99) }),
        change: () => who.patch(`${at}/comments/${comment?.id}`, { body: word }),
        'delete a comment': () => ada.delete(`${at}/comments/${comment?.id}`),
        'move a suggestion': () => who.patch(at, { on: { quote } }),
        accept: () => decide(ada, path, 'accept', [thread?.id]),
        reject: () => decide(ada, path, 'reject', [thread?.id]),
        reopen: () => ada.patch(at, { state: 'open' }),
        review: () => who.post(`${path}/reviews`, { verdict: 'approved', revision, body: word }),
        write: () => ada.patch(path, { content: `${data.content}${word} more\n` }),
        erase: () => ada.delete(`${path}/revisions/${1 + chance.below(revision)}`),
      };
      const what = pick(Object.keys(acts)) as string;
      const { status } = await (acts[what] as () => Promise<Answer>)();
      log.push(`${who.username}: ${what} ${status}`);
      assert.ok(status < 500, log.join('\n'));
      if (status < 300) succeeded.add(what);
      if (round % 10 === 9) await assertCounted(service, log.join('\n'));
    }
    await assertCounted(service, log.join('\n'));
    assert.equal(succeeded.size, 13, [...succeeded].join());
    // Everything that is deleted for good is given back.
    const { id } = (await ada.get(path)).data;
    await expectStatus(ada.delete(path), 204);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    await assertCounted(service, 'deleted for good');
  });

  it('is given back when an organization or an account with the documents is deleted', async () => {
    const kim = await service.user('kim');
    await makeOrganization(kim, 'guild');
    await join(kim, 'guild', mal);
    const inOrg = await makeDocument(kim, 'a', { org: 'guild', visibility: 'internal' });
    const own = await open(kim, 'own');
    const before_ = await storageOf(mal);
    await expectStatus(mal.post(`${own}/threads`, { body: 'x'.repeat(2 * KB) }), 201);
    await collaborate(kim, inOrg, mal, 'write');
    await expectStatus(mal.post(`${inOrg}/threads`, { body: 'x'.repeat(2 * KB) }), 201);
    assert.ok((await storageOf(mal)) > before_ + 6 * KB);
    await expectStatus(kim.delete('/orgs/guild'), 204);
    await deleteUser(service.app.context, 'kim');
    assert.equal(await storageOf(mal), before_);
    await assertCounted(service, 'deleted');
  });
});

describe('One stranger on a public document', () => {
  let service: Service;
  let ada: Client;
  let mal: Client;
  let grace: Client;
  let path: string;

  before(async () => {
    service = await startService({ RATE_LIMIT_API: 'off' });
    [ada, mal, grace] = [
      await service.user('ada'),
      await service.user('mal'),
      await service.user('grace'),
    ];
    path = await makeDocument(ada, 'a', { content: 'one two three\n', visibility: 'public' });
    await expectStatus(ada.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
  });
  after(() => service.stop());

  const share = (limit: number) => limit * SHARE_OF_ONE;

  async function until422(act: () => Promise<Answer>): Promise<number> {
    for (let count = 0; ; count++) {
      const answer = await act();
      if (answer.status === 201) continue;
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.json.error.message, /one person who can’t edit/);
      return count;
    }
  }

  it('leaves room for the proposals, comments and threads of others', async () => {
    const propose = (who: Client, text: string) =>
      who.post(`${path}/edits`, { propose: true, edits: [{ op: 'append', content: text }] });
    assert.equal(await until422(() => propose(mal, 'evil\n')), share(REVIEW_LIMITS.openProposals));
    await expectStatus(propose(grace, 'good\n'), 201);
    const { id } = (await expectStatus(grace.post(`${path}/threads`, { body: 'Hello.' }), 201))
      .data;
    const answer = (who: Client) => who.post(`${path}/threads/${id}/comments`, { body: 'x' });
    assert.equal(await until422(() => answer(mal)), share(REVIEW_LIMITS.commentsPerThread));
    await expectStatus(answer(grace), 201);
    const proposals = share(REVIEW_LIMITS.openProposals);
    const openThread = (who: Client) => who.post(`${path}/threads`, { body: 'x' });
    const opened = await until422(() => openThread(mal));
    assert.equal(opened, share(REVIEW_LIMITS.openThreads) - proposals);
    for (const who of [grace, ada]) await expectStatus(openThread(who), 201);
    // Who closes one can open another.
    const [own] = (await mal.get(`${path}/threads?state=open`)).data.filter(
      ({ author }: { author: string }) => author === 'mal',
    );
    await expectStatus(mal.patch(`${path}/threads/${own.id}`, { state: 'resolved' }), 200);
    await expectStatus(openThread(mal), 201);
    const reopened = await mal.patch(`${path}/threads/${own.id}`, { state: 'open' });
    assert.equal(reopened.status, 422);
  });

  it('with others like them leaves room for insiders, and those for who can edit', async () => {
    const other = await makeDocument(ada, 'b', { content: 'one\n', visibility: 'public' });
    await expectStatus(ada.patch(`${other}/review-settings`, { comments: 'readers' }), 200);
    const [reader, second] = [await service.user('reader'), await service.user('second')];
    for (const who of [reader, second]) await collaborate(ada, other, who, 'read');
    const edits = [{ op: 'append', content: 'more\n' }];
    const propose = (who: Client) => who.post(`${other}/edits`, { propose: true, edits });
    const eve = await service.user('eve');
    const most = share(REVIEW_LIMITS.openProposals);
    for (const who of [mal, grace, reader]) {
      for (let times = 0; times < most; times++) await expectStatus(propose(who), 201);
    }
    for (const who of [eve, second]) assertError(await propose(who), 422, 'UNPROCESSABLE', /open/);
    await expectStatus(propose(ada), 201);
  });

  it('isn’t limited so once they can edit', async () => {
    await collaborate(ada, path, mal, 'write');
    await expectStatus(mal.post(`${path}/threads`, { body: 'x' }), 201);
  });
});
