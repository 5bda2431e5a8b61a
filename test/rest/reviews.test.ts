import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { VIA_WEB } from '../../src/account/means.ts';
import { ALL_SCOPES } from '../../src/account/scope.ts';
import type { Actor } from '../../src/context.ts';
import { giveReview, requestReview } from '../../src/document/review/review-service.ts';
import {
  changeOrganizationProtection,
  changeReviewSettings,
} from '../../src/document/review/review-setting-service.ts';
import { acceptSuggestions } from '../../src/document/review/suggestion-service.ts';
import { assertError, type Client, type Service, startService } from '../harness.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  users,
} from './scenario.ts';

let service: Service;
let ada: Client;
let grace: Client;
let alan: Client;
let eve: Client;

before(async () => {
  service = await startService();
  ({ ada, grace, alan, eve } = await users(service, 'ada', 'grace', 'alan', 'eve'));
});
after(() => service.stop());

/** The actor for requests from the web app. */
async function onTheWeb(client: Client): Promise<Actor> {
  const { id, username } = (await client.get('/user')).data;
  return { id, username, scopes: ALL_SCOPES, via: VIA_WEB };
}

const refOf = (path: string) => {
  const [segment, owner = '', name = ''] = path.slice(1).split('/');
  return { kind: segment === 'pages' ? 'page' : 'brief', owner, name } as const;
};

async function approveOnTheWeb(client: Client, path: string, revision: number): Promise<void> {
  const actor = await onTheWeb(client);
  const review = { verdict: 'approved', revision } as const;
  await giveReview(service.app.context, actor, refOf(path), review);
}

const reviewsOf = async (client: Client, path: string) =>
  (await expectStatus(client.get(`${path}/reviews`), 200)).data;

const review = (client: Client, path: string, verdict: string, revision: number) =>
  client.post(`${path}/reviews`, { verdict, revision });

describe('reviews', () => {
  for (const kind of ALL_KINDS) {
    it(`of a ${kind.kind}: requested, given, outdated, given again`, async () => {
      const path = await makeDocument(ada, 'looked-at', { kind });
      await collaborate(ada, path, grace, 'read');
      assert.deepEqual(await reviewsOf(ada, path), {
        ...{ state: 'none', revision: 1, protected: false, requests: [], reviews: [] },
      });
      await expectStatus(ada.put(`${path}/reviewers/grace`, { note: 'Please.' }), 204);
      const { state, requests } = await reviewsOf(grace, path);
      const [{ createdAt: _, ...request }] = requests;
      assert.equal(state, 'requested');
      assert.deepEqual(request, {
        ...{ username: 'grace', requestedBy: 'ada', revision: 1, note: 'Please.', answered: false },
      });
      const given = await expectStatus(review(grace, path, 'changes_requested', 1), 201);
      assert.equal(given.data.state, 'changes_requested');
      assert.equal(given.data.requests[0].answered, true);
      await expectStatus(ada.patch(path, { [kind.contentField]: '<p>two</p>\n' }), 200);
      assert.equal((await reviewsOf(ada, path)).state, 'none');
      assertError(await review(grace, path, 'approved', 1), 409, 'CONFLICT');
      assertError(await review(grace, path, 'approved', 3), 400, 'BAD_REQUEST', /^revision/);
      await expectStatus(review(grace, path, 'approved', 2), 201);
      assert.equal((await reviewsOf(ada, path)).state, 'approved');
      await expectStatus(ada.patch(path, { name: 'renamed-since' }), 200);
      const renamed = path.replace('looked-at', 'renamed-since');
      assert.equal((await reviewsOf(ada, renamed)).state, 'approved');
      await expectStatus(ada.patch(renamed, { [kind.contentField]: '<p>three</p>\n' }), 200);
      const outdated = await reviewsOf(ada, renamed);
      assert.equal(outdated.state, 'outdated');
      assert.deepEqual(
        outdated.reviews.map((each: { revision: number; current: boolean }) => [
          each.revision,
          each.current,
        ]),
        [[2, false]],
      );
      await expectStatus(ada.delete(`${renamed}/reviewers/grace`), 204);
      assertError(await ada.delete(`${renamed}/reviewers/grace`), 404, 'NOT_FOUND', /^username/);
    });
  }

  it('stay valid after a revision that only accepts their author’s suggestions', async () => {
    const path = await makeDocument(ada, 'own-suggestions', { content: 'One word.\n' });
    await collaborate(ada, path, grace, 'read');
    const suggestion = { on: { quote: 'word' }, replacement: 'sentence' };
    const { id } = (await expectStatus(grace.post(`${path}/threads`, suggestion), 201)).data;
    await expectStatus(review(grace, path, 'approved', 1), 201);
    await expectStatus(ada.post(`${path}/suggestions/accept`, { threads: [id] }), 200);
    assert.equal((await reviewsOf(ada, path)).state, 'approved');
    const other = { on: { quote: 'sentence' }, replacement: 'phrase' };
    const added = (await expectStatus(ada.post(`${path}/threads`, other), 201)).data;
    await expectStatus(ada.post(`${path}/suggestions/accept`, { threads: [added.id] }), 200);
    assert.equal((await reviewsOf(ada, path)).state, 'outdated');
  });

  it('become outdated if someone writes the proposed text and more, then accepts the proposal', async () => {
    const path = await makeDocument(ada, 'swallowed', { content: 'One.\n\nTwo.\n' });
    await collaborate(ada, path, grace, 'read');
    const edits = [{ op: 'replace', old: 'One.', new: 'First.' }];
    const proposed = await grace.post(`${path}/edits`, { edits, propose: true });
    assert.ok(proposed.status < 300, proposed.text);
    await expectStatus(review(grace, path, 'approved', 1), 201);
    await expectStatus(ada.patch(path, { content: 'First.\n\nTwo, and more.\n' }), 200);
    assert.equal((await reviewsOf(ada, path)).state, 'outdated');
    const [thread] = (await ada.get(`${path}/threads`)).data;
    await expectStatus(ada.post(`${path}/suggestions/accept`, { threads: [thread.id] }), 200);
    assert.equal((await ada.get(`${path}/revisions`)).data.length, 2, 'accepting changed nothing');
    assert.equal((await reviewsOf(ada, path)).state, 'outdated');
  });

  it('are requested by editors, from people who can see the document', async () => {
    const path = await makeDocument(ada, 'asking', { visibility: 'private' });
    await collaborate(ada, path, grace, 'read');
    assertError(await grace.put(`${path}/reviewers/ada`, {}), 403, 'FORBIDDEN');
    assertError(await ada.put(`${path}/reviewers/alan`, {}), 422, 'UNPROCESSABLE', /^username/);
    assertError(await ada.put(`${path}/reviewers/nobody`, {}), 422, 'UNPROCESSABLE', /^username/);
    for (const send of [
      () => eve.get(`${path}/reviews`),
      () => review(eve, path, 'approved', 1),
      () => eve.put(`${path}/reviewers/ada`, {}),
    ]) {
      assertError(await send(), 404, 'NOT_FOUND');
    }
  });

  it('are requested from invited people once they accept; only admins learn about invitations', async () => {
    const path = await makeDocument(ada, 'inviting', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    const invitation = await invite(ada, path, alan, 'read');
    const ask = (client: Client) => client.put(`${path}/reviewers/alan`, {});
    const pending = /^username: the invitation of “\w+” is still pending\. .* once they accept/;
    assertError(await ask(ada), 422, 'UNPROCESSABLE', pending);
    const unshared = /username: no user “\w+” can read the document/;
    assertError(await ask(grace), 422, 'UNPROCESSABLE', unshared);
    const commenter: Actor = { ...(await onTheWeb(ada)), scopes: ['comments'] };
    const { context } = service.app;
    await assert.rejects(
      requestReview(context, commenter, refOf(path), { username: 'alan' }),
      unshared,
    );
    const later = { ...context, now: () => new Date(Date.now() + 8 * 86_400_000).toISOString() };
    await assert.rejects(
      requestReview(later, await onTheWeb(ada), refOf(path), { username: 'alan' }),
      unshared,
    );
    await expectStatus(alan.patch(`/user/brief_invitations/${invitation}`), 204);
    await expectStatus(ask(ada), 204);
  });

  it('notify the people concerned', async () => {
    const path = await makeDocument(ada, 'reaching');
    await collaborate(ada, path, grace, 'read');
    /** Waits for an event of this type about the document. */
    async function next(client: Client, after: number, type: string) {
      for (let cursor = after; ; ) {
        const { data } = await client.get(`/user/events?after=${cursor}&wait=30`);
        cursor = data.cursor;
        const event = data.events.find(
          (each: { type: string; fullName: string }) =>
            each.type === type && each.fullName === 'ada/reaching',
        );
        if (event) return event;
      }
    }
    const start = (await grace.get('/user/events')).data.cursor;
    await expectStatus(ada.put(`${path}/reviewers/grace`, {}), 204);
    const asked = await next(grace, start, 'review.requested');
    assert.deepEqual([asked.reason, asked.target], ['review', 'grace']);
    await expectStatus(review(grace, path, 'approved', 1), 201);
    const given = await next(ada, start, 'review.given');
    assert.deepEqual([given.author, given.revision], ['grace', 1]);
  });
});

describe('a protected document', () => {
  it('becomes public after a person approved its text in the web app', async () => {
    const path = await makeDocument(ada, 'guarded', { visibility: 'private', content: 'One.\n' });
    await collaborate(ada, path, grace, 'read');
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    const publish = () => ada.patch(path, { visibility: 'public' });
    const isRefused = async () => assertError(await publish(), 422, 'UNPROCESSABLE', /^visibility/);
    await isRefused();
    assertError(await review(ada, path, 'approved', 1), 403, 'FORBIDDEN');
    await approveOnTheWeb(grace, path, 1);
    await isRefused(); // No one asked Grace.
    await expectStatus(ada.put(`${path}/reviewers/grace`, {}), 204);
    await expectStatus(review(alan, path, 'changes_requested', 1), 404);
    await collaborate(ada, path, alan, 'read');
    await expectStatus(review(alan, path, 'changes_requested', 1), 201);
    await isRefused();
    await expectStatus(ada.patch(path, { content: 'Two.\n' }), 200);
    await isRefused();
    await approveOnTheWeb(grace, path, 2);
    const both = { visibility: 'public', content: 'Three.\n' };
    assertError(await ada.patch(path, both), 422, 'UNPROCESSABLE', /^visibility/);
    await expectStatus(publish(), 200);
  });

  it('while public, changes only by suggestions that an admin accepts in the web app', async () => {
    const path = await makeDocument(ada, 'open-guarded', { content: 'One word.\n' });
    await collaborate(ada, path, grace, 'write');
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    for (const send of [
      () => ada.patch(path, { content: 'x' }),
      () => grace.post(`${path}/edits`, { edits: [{ op: 'append', content: 'x' }] }),
      () => grace.post(`${path}/revisions/1/restore`),
    ]) {
      const answer = await send();
      // The restored text is the current one, so nothing changes.
      if (answer.status !== 200) assertError(answer, 422, 'UNPROCESSABLE', /^content/);
    }
    const suggestion = { on: { quote: 'word' }, replacement: 'sentence' };
    const { id } = (await expectStatus(grace.post(`${path}/threads`, suggestion), 201)).data;
    const threads = [id];
    assertError(
      await ada.post(`${path}/suggestions/accept`, { threads }),
      422,
      'UNPROCESSABLE',
      /^content/,
    );
    const { context } = service.app;
    await assert.rejects(
      acceptSuggestions(context, await onTheWeb(grace), refOf(path), threads),
      /protected/,
    );
    await acceptSuggestions(context, await onTheWeb(ada), refOf(path), threads);
    assert.equal((await ada.get(path)).data.content, 'One sentence.\n');
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    await expectStatus(ada.patch(path, { content: 'free again' }), 200);
  });

  it('is unprotected only in the web app', async () => {
    const path = await makeDocument(ada, 'freed');
    const settings = `${path}/review-settings`;
    await expectStatus(ada.patch(settings, { protected: true }), 200);
    assertError(await ada.patch(settings, { protected: false }), 403, 'FORBIDDEN');
    await changeReviewSettings(service.app.context, await onTheWeb(ada), refOf(path), {
      protected: false,
    });
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
  });

  it('can be every document of a protected organization', async () => {
    await makeOrganization(ada, 'acme');
    await join(ada, 'acme', alan);
    const protection = '/orgs/acme/protection';
    assert.deepEqual((await alan.get(protection)).data, { protected: false });
    assertError(await alan.patch(protection, { protected: true }), 403, 'FORBIDDEN');
    assertError(await eve.get(protection), 403, 'FORBIDDEN');
    await expectStatus(ada.patch(protection, { protected: true }), 200);
    assert.deepEqual((await alan.get(protection)).data, { protected: true });
    const created = await ada.post('/orgs/acme/briefs', { content: 'x' });
    assertError(created, 422, 'UNPROCESSABLE', /^visibility/);
    const path = await makeDocument(ada, 'plan', { org: 'acme', visibility: 'internal' });
    const publish = () => ada.patch(path, { visibility: 'public' });
    assertError(await publish(), 422, 'UNPROCESSABLE', /^visibility/);
    await approveOnTheWeb(ada, path, 1);
    await expectStatus(publish(), 200);
    assertError(await ada.patch(protection, { protected: false }), 403, 'FORBIDDEN');
    await changeOrganizationProtection(service.app.context, await onTheWeb(ada), 'acme', false);
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
  });
});
