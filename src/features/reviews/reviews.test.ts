import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  decide,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { type Actor, callOf } from '../../core/context.ts';
import { changeDocument } from '../../core/document/document-change-service.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { openThread } from '../comments/new-thread-service.ts';
import { placeThread } from '../comments/thread-change-service.ts';
import { createLink } from '../links/link-service.ts';
import { moveDocument } from '../moves/document-move-service.ts';
import { inviteOrChangeMember } from '../organizations/member-service.ts';
import { pinRevision } from '../revisions/revision-service.ts';
import { inviteOrChangeCollaborator } from '../sharing/collaborator-service.ts';
import { acceptSuggestions } from '../suggestions/suggestion-service.ts';
import { giveReview, requestReview } from './review-service.ts';
import { changeOrganizationProtection, changeReviewSettings } from './review-setting-service.ts';

const service = await startService();
after(() => service.stop());
const { ada, grace, alan, eve } = await users(service, 'ada', 'grace', 'alan', 'eve');

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
  await giveReview(callOf(service.app.context, actor), refOf(path), review);
}

/** Asks for a review in the web app. */
async function askOnTheWeb(client: Client, path: string, username: string): Promise<void> {
  const actor = await onTheWeb(client);
  await requestReview(callOf(service.app.context, actor), refOf(path), { username });
}

const reviewsOf = async (client: Client, path: string) =>
  (await expectStatus(client.get(`${path}/reviews`), 200)).data;

const review = (client: Client, path: string, verdict: string, revision: number) =>
  client.post(`${path}/reviews`, { verdict, revision });

const renameOnTheWeb = async (client: Client, path: string, name: string) =>
  changeDocument(
    callOf(service.app.context, await onTheWeb(client)),
    refOf(path),
    { name },
    undefined,
  );

describe('reviews', () => {
  for (const kind of ALL_KINDS) {
    it(`of a ${kind.kind}: requested, given, outdated, given again`, async () => {
      const path = await makeDocument(ada, 'looked-at', { kind });
      await collaborate(ada, path, grace, 'read');
      assert.deepEqual(await reviewsOf(ada, path), {
        state: 'none',
        revision: 1,
        protected: false,
        requests: [],
        reviews: [],
        unapproved: [],
      });
      await expectStatus(ada.put(`${path}/reviewers/grace`, { note: 'Please.' }), 204);
      const { state, requests } = await reviewsOf(grace, path);
      const [{ createdAt: _, ...request }] = requests;
      assert.equal(state, 'requested');
      assert.deepEqual(request, {
        username: 'grace',
        requestedBy: 'ada',
        revision: 1,
        note: 'Please.',
        answered: false,
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

  it('stay valid after a revision that only accepts what their author has seen', async () => {
    const { context } = service.app;
    const path = await makeDocument(ada, 'own-suggestions', { content: 'One word here.\n' });
    await collaborate(ada, path, grace, 'read');
    await collaborate(ada, path, alan, 'write');
    const suggest = async (actor: Actor, quote: string, replacement: string) =>
      (await openThread(callOf(context, actor), refOf(path), { on: { quote }, replacement })).id;
    const approve = async () => {
      await approveOnTheWeb(grace, path, (await reviewsOf(ada, path)).revision);
    };
    const acceptOnTheWeb = async (id: string) =>
      acceptSuggestions(callOf(context, await onTheWeb(ada)), refOf(path), [id]);
    const stateIs = async (state: string) =>
      assert.equal((await reviewsOf(ada, path)).state, state);

    await approve();
    await acceptOnTheWeb(await suggest(await onTheWeb(grace), 'word', 'sentence'));
    await stateIs('approved');

    const withToken = { on: { quote: 'sentence' }, replacement: 'phrase' };
    const byToken = (await expectStatus(grace.post(`${path}/threads`, withToken), 201)).data;
    await acceptOnTheWeb(byToken.id);
    await stateIs('outdated');

    await approve();
    const accepted = await suggest(await onTheWeb(grace), 'phrase', 'clause');
    await expectStatus(decide(ada, path, 'accept', [accepted]), 200);
    await stateIs('outdated');

    await approve();
    await acceptOnTheWeb(await suggest(await onTheWeb(ada), 'clause', 'line'));
    await stateIs('outdated');

    await approve();
    const moved = await suggest(await onTheWeb(grace), 'line', 'row');
    const thread = `${path}/threads/${moved}`;
    await expectStatus(alan.patch(thread, { on: { quote: 'here' } }), 200);
    assert.equal((await alan.get(thread)).data.author, 'alan', 'it is of who moved it');
    await acceptOnTheWeb(moved);
    assert.equal((await ada.get(path)).data.content, 'One line row.\n');
    await stateIs('outdated');

    await approve();
    const again = await suggest(await onTheWeb(grace), 'row', 'rank');
    await placeThread(callOf(context, await onTheWeb(grace)), refOf(path), again, {
      quote: 'line',
    });
    await acceptOnTheWeb(again);
    await stateIs('approved');

    // Others can give it another meaning, although its passage stays.
    const older = await suggest(await onTheWeb(grace), 'rank', 'rank of all');
    await expectStatus(ada.patch(path, { content: 'Not one rank row.\n' }), 200);
    await approve();
    await acceptOnTheWeb(older);
    assert.equal((await ada.get(path)).data.content, 'Not one rank of all row.\n');
    await stateIs('outdated');
    await expectStatus(ada.patch(path, { content: 'One rank row.\n' }), 200);

    // Once it was rejected or resolved, it is no longer what its author has seen.
    for (const [quote, replacement] of [
      ['rank', 'file'],
      ['file', 'rank'],
    ] as const) {
      await approve();
      const closed = await suggest(await onTheWeb(grace), quote, replacement);
      const thread = `${path}/threads/${closed}`;
      if (quote === 'file') await expectStatus(grace.patch(thread, { state: 'resolved' }), 200);
      else await decide(grace, path, 'reject', [closed]);
      assert.notEqual((await ada.get(thread)).data.state, 'open');
      await expectStatus(ada.patch(thread, { state: 'open' }), 200);
      await acceptOnTheWeb(closed);
      await stateIs('outdated');
    }
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
    await expectStatus(decide(ada, path, 'accept', [thread.id]), 200);
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
      requestReview(callOf(context, commenter), refOf(path), { username: 'alan' }),
      unshared,
    );
    const later = { ...context, now: () => new Date(Date.now() + 8 * 86_400_000).toISOString() };
    await assert.rejects(
      requestReview(callOf(later, await onTheWeb(ada)), refOf(path), { username: 'alan' }),
      unshared,
    );
    await expectStatus(alan.patch(`/user/brief_invitations/${invitation}`), 204);
    await expectStatus(ask(ada), 204);
  });

  it('are requested again from someone who has answered', async () => {
    const path = await makeDocument(ada, 'asked-again');
    await collaborate(ada, path, grace, 'read');
    const ask = () => expectStatus(ada.put(`${path}/reviewers/grace`, {}), 204);
    const stateOf = async () => (await reviewsOf(ada, path)).state;
    await ask();
    assert.equal(await stateOf(), 'requested');
    service.advance(1_000);
    await expectStatus(review(grace, path, 'approved', 1), 201);
    assert.equal(await stateOf(), 'approved');
    await expectStatus(ada.patch(path, { content: 'Other words.' }), 200);
    assert.equal(await stateOf(), 'outdated');
    service.advance(1_000);
    await ask();
    assert.equal(await stateOf(), 'requested');
  });

  it('are requested from 20 people at most', async () => {
    const path = await makeDocument(ada, 'asked-many');
    const names = Array.from({ length: 21 }, (_, index) => `reader-${index}`);
    const readers = await users(service, ...names);
    for (const name of names) await collaborate(ada, path, readers[name] as Client, 'read');
    const ask = (name: string) => ada.put(`${path}/reviewers/${name}`, {});
    for (const name of names.slice(0, 20)) await expectStatus(ask(name), 204);
    assertError(await ask('reader-20'), 422, 'UNPROCESSABLE', /^username: 20 people/);
    await expectStatus(ask('reader-0'), 204);
  });

  it('notify the people concerned', async () => {
    const path = await makeDocument(ada, 'reaching');
    await collaborate(ada, path, grace, 'read');
    /** Waits for an event of this type about the document. */
    async function next(client: Client, after: number, type: string) {
      for (let cursor = after; ; ) {
        const { data } = await client.get(`/user/events?after=${cursor}&wait=30`);
        cursor = data.cursor;
        const event = data.items.find(
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

describe('what was shown', () => {
  it('is all that a program accepts or rejects, if it says so', async () => {
    const path = await makeDocument(ada, 'shown', { content: 'Speling.\n\nNo passwords.\n' });
    await expectStatus(ada.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const open = async (quote: string, replacement: string) => {
      const answer = eve.post(`${path}/threads`, { on: { quote }, replacement });
      return (await expectStatus(answer, 201)).data;
    };
    const { id, digest } = await open('Speling', 'Spelling');
    const accept = (more: object) =>
      ada.post(`${path}/suggestions/accept`, { threads: [id], ...more });
    const reject = (more: object) =>
      ada.post(`${path}/suggestions/reject`, { threads: [id], ...more });

    await expectStatus(eve.patch(`${path}/threads/${id}`, { on: { quote: 'No passwords' } }), 200);
    for (const act of [accept, reject]) {
      const answer = await act({ expected: [digest] });
      assertError(answer, 409, 'CONFLICT', /has changed since you read it/);
    }
    await expectStatus(ada.patch(path, { content: 'Speling.\n\nNo passwords!\n' }), 200);
    for (const act of [accept, reject]) {
      const answer = await act({ revision: 1 });
      assertError(answer, 409, 'CONFLICT', /text has changed since revision 1/);
      assert.equal(answer.data.currentRevision, 2);
      assertError(await act({ expected: [] }), 400, 'BAD_REQUEST', /^expected/);
      assertError(await act({ revision: 9 }), 400, 'BAD_REQUEST', /^revision/);
    }
    assert.equal((await ada.get(path)).data.content, 'Speling.\n\nNo passwords!\n');
    await expectStatus(ada.post(`${path}/threads/${id}/comments`, { body: 'Hm?' }), 201);
    const { digest: now } = (await ada.get(`${path}/threads/${id}`)).data;
    await expectStatus(accept({ revision: 2, expected: [now] }), 200);
    assert.equal((await ada.get(path)).data.content, 'Speling.\n\nSpelling!\n');
  });

  it('is all that becomes public or is replaced, if the program says so', async () => {
    const path = await makeDocument(ada, 'published', { visibility: 'private', content: 'One.\n' });
    await expectStatus(ada.patch(path, { content: 'One.\n\nUnread.\n' }), 200);
    const changes = [
      { visibility: 'public', revision: 1 },
      { visibility: 'public', baseRevision: 1 },
      { visibility: 'public', baseRevision: 1, content: 'One!\n' },
      { content: 'One!\n', revision: 1 },
    ];
    for (const change of changes) {
      assertError(await ada.patch(path, change), 409, 'CONFLICT');
    }
    const restore = (revision: number) => ada.post(`${path}/revisions/1/restore`, { revision });
    assertError(await restore(1), 409, 'CONFLICT', /text has changed since revision 1/);
    assert.equal((await ada.get(path)).data.visibility, 'private');
    await expectStatus(restore(2), 200);
    await expectStatus(ada.patch(path, { visibility: 'public', revision: 3 }), 200);
    // A change of the name or visibility alone is no new text.
    await expectStatus(ada.patch(path, { visibility: 'private', revision: 3 }), 200);
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
    await askOnTheWeb(ada, path, 'grace');
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
    assertError(await decide(ada, path, 'accept', threads), 422, 'UNPROCESSABLE', /^content/);
    const { context } = service.app;
    await assert.rejects(
      acceptSuggestions(callOf(context, await onTheWeb(grace)), refOf(path), threads),
      /protected/,
    );
    await acceptSuggestions(callOf(context, await onTheWeb(ada)), refOf(path), threads);
    assert.equal((await ada.get(path)).data.content, 'One sentence.\n');
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    await expectStatus(ada.patch(path, { content: 'free again' }), 200);
  });

  it('is unprotected only in the web app', async () => {
    const path = await makeDocument(ada, 'freed');
    const settings = `${path}/review-settings`;
    await expectStatus(ada.patch(settings, { protected: true }), 200);
    assertError(await ada.patch(settings, { protected: false }), 403, 'FORBIDDEN');
    await changeReviewSettings(callOf(service.app.context, await onTheWeb(ada)), refOf(path), {
      protected: false,
    });
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
  });

  it('can be every document of a protected organization', async () => {
    await makeOrganization(ada, 'acme');
    await join(ada, 'acme', alan);
    const protection = '/orgs/acme/protection';
    assert.deepEqual((await alan.get(protection)).data, { protected: false, twoPeople: true });
    assertError(await alan.patch(protection, { protected: true }), 403, 'FORBIDDEN');
    assertError(await eve.get(protection), 403, 'FORBIDDEN');
    await expectStatus(ada.patch(protection, { protected: true }), 200);
    assert.deepEqual((await alan.get(protection)).data, { protected: true, twoPeople: true });
    const created = await ada.post('/orgs/acme/briefs', { content: 'x' });
    assertError(created, 422, 'UNPROCESSABLE', /^visibility/);
    const path = await makeDocument(ada, 'plan', { org: 'acme', visibility: 'internal' });
    const publish = () => ada.patch(path, { visibility: 'public' });
    assertError(await publish(), 422, 'UNPROCESSABLE', /^visibility/);
    await approveOnTheWeb(ada, path, 1);
    assertError(
      await publish(),
      422,
      'UNPROCESSABLE',
      /needs the approval of somebody other than ada/,
    );
    const alone = await ada.patch(protection, { twoPeople: false });
    assertError(alone, 403, 'FORBIDDEN', /or that two people approve, in the web app/);
    await askOnTheWeb(ada, path, 'alan');
    await approveOnTheWeb(alan, path, 1);
    await expectStatus(publish(), 200);
    assertError(await ada.patch(protection, { protected: false }), 403, 'FORBIDDEN');
    const off = { protected: false };
    await changeOrganizationProtection(
      callOf(service.app.context, await onTheWeb(ada)),
      'acme',
      off,
    );
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
  });

  it('lets a token pin only texts that are approved or public', async () => {
    const path = await makeDocument(ada, 'pinned', { visibility: 'private', content: 'One.\n' });
    const pin = (number: number) => ada.patch(`${path}/revisions/${number}`, { pinned: true });
    const publish = () => ada.patch(path, { visibility: 'public' });
    await expectStatus(ada.patch(path, { content: 'Unapproved.\n' }), 200);
    await expectStatus(pin(2), 200);
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    await expectStatus(ada.patch(path, { content: 'Three.\n' }), 200);
    assertError(await pin(1), 422, 'UNPROCESSABLE', /^pinned: this brief is protected/);
    await approveOnTheWeb(ada, path, 3);
    await expectStatus(pin(3), 200);
    assertError(await publish(), 422, 'UNPROCESSABLE', /revision 2 is pinned/);
    await expectStatus(ada.patch(`${path}/revisions/2`, { pinned: false }), 200);
    await expectStatus(publish(), 200);
    assertError(await pin(2), 422, 'UNPROCESSABLE', /^pinned/);
    await pinRevision(callOf(service.app.context, await onTheWeb(ada)), refOf(path), 2, true);
    assert.equal(await (await fetch(`${service.webUrl}/ada/pinned@2.md`)).text(), 'Unapproved.\n');
  });

  it('protects its address, too', async () => {
    const path = await makeDocument(ada, 'prot', { content: 'Approved.\n' });
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    const evil = { content: 'Unapproved.\n', visibility: 'public' } as const;
    const other = await makeDocument(ada, 'other', evil);
    const refused = async (answer: Promise<Answer>) =>
      assertError(
        await answer,
        422,
        'UNPROCESSABLE',
        /a protected brief was public under this name/,
      );
    /** Tries to bring another public text to the address. */
    const attack = async () => {
      await refused(ada.post('/user/briefs', { ...evil, name: 'prot' }));
      await refused(ada.patch(other, { name: 'prot' }));
      const hidden = await makeDocument(ada, 'prot', { ...evil, visibility: 'private' });
      const publish = await ada.patch(hidden, { visibility: 'public' });
      assertError(publish, 422, 'UNPROCESSABLE', /this brief is protected/);
      await expectStatus(ada.delete(hidden), 204);
      const { id } = (await ada.get('/user/trash')).data[0];
      await expectStatus(ada.delete(other), 204);
      const trashed = (await ada.get('/user/trash')).data[0];
      await refused(ada.post(`/trash/${trashed.id}/restore`, { name: 'prot' }));
      await expectStatus(ada.post(`/trash/${trashed.id}/restore`), 200);
      await expectStatus(ada.delete(`/trash/${id}`), 204);
    };
    await renameOnTheWeb(ada, path, 'prot-old');
    // Being protected and public itself proves nothing about its words.
    await expectStatus(ada.patch(`${other}/review-settings`, { protected: true }), 200);
    await attack();
    await renameOnTheWeb(ada, '/briefs/ada/prot-old', 'prot');
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    await renameOnTheWeb(ada, path, 'prot-hidden');
    await attack();
    await renameOnTheWeb(ada, '/briefs/ada/prot-hidden', 'prot');
    await expectStatus(ada.delete(path), 204);
    await attack();
    const fresh = await makeDocument(ada, 'prot', { visibility: 'private' });
    const off = { protected: false };
    await changeReviewSettings(callOf(service.app.context, await onTheWeb(ada)), refOf(fresh), off);
    await expectStatus(ada.patch(fresh, { visibility: 'public' }), 200);
    await expectStatus(ada.delete(fresh), 204);
    await makeDocument(ada, 'prot', evil);
  });

  it('keeps its address from a text that comes with the name', async () => {
    const path = await makeDocument(ada, 'kept', { content: 'Approved.\n' });
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    await renameOnTheWeb(ada, path, 'kept-1');
    for (const visibility of ['public', 'private'] as const) {
      const other = await makeDocument(ada, `next-${visibility}`, { visibility });
      await approveOnTheWeb(ada, other, 1);
      const both = { name: 'kept', visibility: 'public', content: 'Unapproved.\n' };
      const refused = await ada.patch(other, both);
      assertError(refused, 422, 'UNPROCESSABLE', /^name: a protected brief/);
      await expectStatus(ada.patch(other, { name: 'kept', visibility: 'public' }), 200);
      await renameOnTheWeb(ada, path, `left-${visibility}`);
    }
  });

  it('leaves an address that only its own admins and those of the organization can free', async () => {
    const { context } = service.app;
    await makeOrganization(ada, 'dock');
    await join(ada, 'dock', grace);
    await expectStatus(ada.patch('/orgs/dock', { defaultBriefPermission: 'write' }), 200);
    const path = await makeDocument(ada, 'plan', { org: 'dock', visibility: 'public' });
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    // A member is the admin of what comes to the address, which only an admin vacates.
    await assert.rejects(renameOnTheWeb(grace, path, 'plan-1'), /so only an admin can change it/);
    await renameOnTheWeb(ada, path, 'plan-1');
    await makeDocument(grace, 'plan', { org: 'dock', visibility: 'private' });
    const end = (actor: Actor, at: string) =>
      changeReviewSettings(callOf(context, actor), refOf(at), { protected: false });
    await assert.rejects(end(await onTheWeb(grace), path), /was public at this address, so only/);
    assertError(await grace.patch(path, { visibility: 'public' }), 422, 'UNPROCESSABLE');
    // Elsewhere it is an own document, but then it can't come back.
    await renameOnTheWeb(grace, path, 'plan-2');
    await end(await onTheWeb(grace), `${path}-2`);
    await expectStatus(grace.patch(`${path}-2`, { visibility: 'public' }), 200);
    assertError(await grace.patch(`${path}-2`, { name: 'plan' }), 422, 'UNPROCESSABLE');
    // Nor does it become hers by having been public there with an approval.
    for (const change of [{ visibility: 'private' }, { name: 'plan-3' }]) {
      await makeDocument(grace, 'plan', { org: 'dock', visibility: 'private' });
      await approveOnTheWeb(ada, path, 1);
      await expectStatus(grace.patch(path, { visibility: 'public' }), 200);
      if (change.name !== undefined) await renameOnTheWeb(ada, path, change.name);
      else {
        await expectStatus(grace.patch(path, change), 200);
        await assert.rejects(
          end(await onTheWeb(grace), path),
          /was public at this address, so only/,
        );
        await expectStatus(grace.delete(path), 204);
      }
    }
    await end(await onTheWeb(grace), `${path}-3`);
    await expectStatus(grace.patch(`${path}-3`, { content: 'Unapproved.\n' }), 200);
    const create = grace.post('/orgs/dock/briefs', { name: 'plan', content: 'Unapproved.\n' });
    assertError(await create, 422, 'UNPROCESSABLE', /a protected brief was public under this name/);
    assertError(await eve.get(path), 404, 'NOT_FOUND');
    await makeDocument(grace, 'plan', { org: 'dock', visibility: 'private' });
    await end(await onTheWeb(ada), path);
    await expectStatus(grace.patch(path, { visibility: 'public' }), 200);
  });

  it('leaves an address that everyone who was protected there keeps', async () => {
    const { context } = service.app;
    await makeOrganization(ada, 'quay');
    await join(ada, 'quay', grace);
    await expectStatus(ada.patch('/orgs/quay', { defaultBriefPermission: 'write' }), 200);
    const path = '/briefs/quay/plan';
    const end = async (client: Client, at: string) =>
      changeReviewSettings(callOf(context, await onTheWeb(client)), refOf(at), {
        protected: false,
      });
    // A member was there before an admin.
    await makeDocument(grace, 'plan', { org: 'quay', visibility: 'public' });
    await expectStatus(grace.patch(`${path}/review-settings`, { protected: true }), 200);
    await renameOnTheWeb(grace, path, 'first');
    await makeDocument(ada, 'plan', { org: 'quay', visibility: 'private' });
    await approveOnTheWeb(ada, path, 1);
    await changeOrganizationProtection(callOf(context, await onTheWeb(ada)), 'quay', {
      twoPeople: false,
    });
    await expectStatus(ada.patch(path, { visibility: 'public' }), 200);
    await renameOnTheWeb(ada, path, 'second');
    // Hers doesn't come back without an approval, nor does it free the address.
    const back = await grace.patch('/briefs/quay/first', { name: 'plan' });
    assertError(back, 422, 'UNPROCESSABLE', /^name: a protected brief/);
    await end(grace, '/briefs/quay/first');
    const create = await grace.post('/orgs/quay/briefs', { name: 'plan', content: 'Mine.\n' });
    assertError(create, 422, 'UNPROCESSABLE', /a protected brief was public under this name/);
    // What alone keeps it comes back as it is, and its end frees the address.
    await renameOnTheWeb(ada, '/briefs/quay/second', 'plan');
    await renameOnTheWeb(ada, path, 'second');
    await end(ada, '/briefs/quay/second');
    await makeDocument(grace, 'plan', { org: 'quay', visibility: 'public' });
  });

  it('leaves an address where only those who could free it let words through', async () => {
    const { context } = service.app;
    await makeOrganization(ada, 'pier');
    await join(ada, 'pier', grace);
    await expectStatus(ada.patch('/orgs/pier', { defaultBriefPermission: 'write' }), 200);
    const path = await makeDocument(ada, 'plan', { org: 'pier', visibility: 'public' });
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    await renameOnTheWeb(ada, path, 'plan-1');
    const body = { org: 'pier', visibility: 'private', content: 'Unapproved.\n' } as const;
    await makeDocument(grace, 'plan', body);
    await expectStatus(grace.patch(path, { content: 'Good.\n' }), 200);
    await approveOnTheWeb(ada, path, 2);
    await expectStatus(grace.patch(path, { visibility: 'public' }), 200);
    await expectStatus(grace.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const suggestion = { body: 'x', on: { quote: 'Good' }, replacement: 'Bad' };
    const { id } = (await expectStatus(eve.post(`${path}/threads`, suggestion), 201)).data;
    const accept = async (client: Client) =>
      acceptSuggestions(callOf(context, await onTheWeb(client)), refOf(path), [id]);
    const pin = async (client: Client) =>
      pinRevision(callOf(context, await onTheWeb(client)), refOf(path), 1, true);
    const show = async (client: Client) =>
      changeReviewSettings(callOf(context, await onTheWeb(client)), refOf(path), {
        threadsSince: null,
      });
    for (const act of [pin, accept, show]) {
      await assert.rejects(act(grace), /the owner, or an admin of the organization/);
      await act(ada);
    }
    // Elsewhere she answers for it.
    await renameOnTheWeb(ada, path, 'plan-2');
    const elsewhere = refOf(`${path}-2`);
    const again = { body: 'x', on: { quote: 'Bad' }, replacement: 'Mine' };
    const thread = (await expectStatus(eve.post(`${path}-2/threads`, again), 201)).data;
    await acceptSuggestions(callOf(context, await onTheWeb(grace)), elsewhere, [thread.id]);
    const back = await grace.patch(`${path}-2`, { name: 'plan' });
    assertError(back, 422, 'UNPROCESSABLE', /^name: a protected brief/);
  });

  it('needs two people at its address, too, whatever comes there', async () => {
    const path = await makeDocument(ada, 'pairs', { content: 'Approved.\n' });
    const settings = { protected: true, twoPeople: true };
    await expectStatus(ada.patch(`${path}/review-settings`, settings), 200);
    await renameOnTheWeb(ada, path, 'pairs-old');
    const alone = { content: 'Mine.\n', visibility: 'public' } as const;
    const other = await makeDocument(ada, 'mine', alone);
    await approveOnTheWeb(ada, other, 1);
    const renamed = await ada.patch(other, { name: 'pairs' });
    assertError(renamed, 422, 'UNPROCESSABLE', /^name: a protected brief/);
    const fresh = await makeDocument(ada, 'pairs', { ...alone, visibility: 'private' });
    await approveOnTheWeb(ada, fresh, 1);
    const publish = () => ada.patch(fresh, { visibility: 'public' });
    assertError(
      await publish(),
      422,
      'UNPROCESSABLE',
      /needs the approval of somebody other than ada/,
    );
    // What needed two people before still does, at an address that doesn't.
    await expectStatus(ada.delete(fresh), 204);
    const single = await makeDocument(ada, 'single');
    await expectStatus(ada.patch(`${single}/review-settings`, { protected: true }), 200);
    await expectStatus(ada.delete(single), 204);
    const strict = await makeDocument(ada, 'strict', { visibility: 'private' });
    await expectStatus(ada.patch(`${strict}/review-settings`, { twoPeople: true }), 200);
    await renameOnTheWeb(ada, strict, 'single');
    const kept = (await ada.get(`${single}/review-settings`)).data;
    assert.deepEqual([kept.protected, kept.twoPeople], [true, true]);
  });

  it('keeps a token from linking to it, and from moving it out of its organization', async () => {
    const { context } = service.app;
    const path = await makeDocument(ada, 'linked', { visibility: 'private' });
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    assertError(await ada.post(`${path}/links`, { access: 'read' }), 403, 'FORBIDDEN', /protected/);
    await createLink(callOf(context, await onTheWeb(ada)), refOf(path), { access: 'read' });

    await makeOrganization(ada, 'korg');
    await expectStatus(ada.patch('/orgs/korg/protection', { protected: true }), 200);
    const inside = await makeDocument(ada, 'inside', { org: 'korg', visibility: 'internal' });
    const move = { owner: 'ada', visibility: 'private' } as const;
    assertError(await ada.post(`${inside}/move`, move), 403, 'FORBIDDEN', /in the web app/);
    const out = await ada.post(`${path}/move`, { owner: 'korg' });
    assertError(out, 403, 'FORBIDDEN', /only its owner can move it, in the web app/);
    await moveDocument(callOf(context, await onTheWeb(ada)), refOf(inside), move, undefined);
  });

  it('isn’t replaced in a protected organization by what was public before', async () => {
    await makeOrganization(ada, 'lodge');
    await join(ada, 'lodge', alan);
    const old = await makeDocument(ada, 'old', { org: 'lodge', content: 'Unapproved.\n' });
    const trashed = await makeDocument(ada, 'gone', { org: 'lodge', content: 'Unapproved.\n' });
    const early = await makeDocument(ada, 'early', { org: 'lodge' });
    await expectStatus(ada.delete(trashed), 204);
    await expectStatus(ada.patch('/orgs/lodge/protection', { protected: true }), 200);
    const path = await makeDocument(ada, 'handbook', { org: 'lodge', visibility: 'internal' });
    await askOnTheWeb(ada, path, 'alan');
    await approveOnTheWeb(alan, path, 1);
    await expectStatus(ada.patch(path, { visibility: 'public' }), 200);
    const [{ id }] = (await ada.get('/orgs/lodge/trash')).data;
    await renameOnTheWeb(ada, path, 'hb2');
    for (const attempt of [
      ada.patch(old, { name: 'handbook' }),
      ada.post(`/trash/${id}/restore`, { name: 'handbook' }),
    ]) {
      assertError(await attempt, 422, 'UNPROCESSABLE', /^name: a protected brief/);
    }
    for (const name of ['fresh', undefined]) {
      const attempt = await ada.post(`/trash/${id}/restore`, { name });
      assertError(attempt, 422, 'UNPROCESSABLE', /^name: this brief would be public at once/);
    }
    // Nor can a member free an address with a protection of their own document's.
    const web = await onTheWeb(alan);
    const mine = await makeDocument(alan, 'mine', { org: 'lodge', visibility: 'internal' });
    await approveOnTheWeb(ada, mine, 1);
    await expectStatus(alan.patch(mine, { visibility: 'public' }), 200);
    await expectStatus(ada.patch('/orgs/lodge', { defaultBriefPermission: 'write' }), 200);
    await assert.rejects(
      renameOnTheWeb(alan, mine, 'mine-2'),
      /so only an admin of the organization/,
    );
    await renameOnTheWeb(ada, mine, 'mine-2');
    for (const isOn of [true, false]) {
      const settings = { protected: isOn };
      await changeReviewSettings(callOf(service.app.context, web), refOf(`${mine}-2`), settings);
    }
    const replaced = await alan.patch(old, { name: 'mine' });
    assertError(replaced, 422, 'UNPROCESSABLE', /^name: a protected brief/);
    // What was public there while it was protected comes back.
    await expectStatus(ada.delete(old), 204);
    const [{ id: recent }] = (await ada.get('/orgs/lodge/trash')).data;
    assert.notEqual(recent, id);
    await expectStatus(ada.post(`/trash/${recent}/restore`), 200);
    await renameOnTheWeb(ada, '/briefs/lodge/hb2', 'handbook');
    // Without the protection, its former addresses are free.
    await renameOnTheWeb(ada, early, 'late');
    const again = ada.post('/orgs/lodge/briefs', { name: 'early', content: 'x' });
    assertError(await again, 422, 'UNPROCESSABLE');
    await changeOrganizationProtection(callOf(service.app.context, await onTheWeb(ada)), 'lodge', {
      protected: false,
    });
    await makeDocument(ada, 'early', { org: 'lodge', content: 'Unapproved.\n' });
  });

  it('keeps suggestions from becoming other ones by moving them', async () => {
    const path = await makeDocument(ada, 'placed', { content: 'One.\n\nTwo.\n' });
    const edits = [{ op: 'replace', old: 'Two.', new: 'Zwei.' }];
    const proposal = await ada.post(`${path}/edits`, { edits, propose: true });
    const on = { quote: 'One.' };
    const move = (id: string) => ada.patch(`${path}/threads/${id}`, { on });
    assertError(await move(proposal.data.id), 422, 'UNPROCESSABLE', /^on: a proposal/);
    const suggestion = { on: { quote: 'Two.' }, replacement: 'Deux.' };
    const { id } = (await expectStatus(ada.post(`${path}/threads`, suggestion), 201)).data;
    await expectStatus(decide(ada, path, 'accept', [id]), 200);
    assertError(await move(id), 422, 'UNPROCESSABLE', /^on: the suggestion has been accepted/);
  });

  it('needs two people in an organization, unless its admins turn that off', async () => {
    const { context } = service.app;
    await makeOrganization(ada, 'pair');
    await join(ada, 'pair', alan);
    await expectStatus(ada.patch('/orgs/pair/protection', { protected: true }), 200);
    const path = await makeDocument(alan, 'own', { org: 'pair', visibility: 'internal' });
    const publish = () => alan.patch(path, { visibility: 'public' });
    await approveOnTheWeb(alan, path, 1);
    assertError(
      await publish(),
      422,
      'UNPROCESSABLE',
      /needs the approval of somebody other than alan/,
    );
    const moved = await makeDocument(alan, 'brought', { content: 'Mine.\n' });
    await approveOnTheWeb(alan, moved, 1);
    const move = await alan.post(`${moved}/move`, { owner: 'pair' });
    assertError(move, 422, 'UNPROCESSABLE', /^owner: .*by someone who didn’t write/);
    await approveOnTheWeb(ada, path, 1);
    await expectStatus(publish(), 200);

    // Accepting one's own words would publish them alone, too.
    const on = { quote: (await alan.get(path)).data.content.trim() };
    const own = await openThread(callOf(context, await onTheWeb(alan)), refOf(path), {
      on,
      replacement: 'x',
    });
    const accept = async (client: Client) =>
      acceptSuggestions(callOf(context, await onTheWeb(client)), refOf(path), [own.id]);
    await assert.rejects(accept(alan), /an admin of the organization accepts it/);
    await accept(ada);
    // A suggestion that somebody else has moved is by both.
    const quote = { quote: 'x' };
    const both = await openThread(callOf(context, await onTheWeb(alan)), refOf(path), {
      on: quote,
      replacement: 'y',
    });
    await placeThread(callOf(context, await onTheWeb(ada)), refOf(path), both.id, quote);
    const accepted = acceptSuggestions(callOf(context, await onTheWeb(ada)), refOf(path), [
      both.id,
    ]);
    await assert.rejects(accepted, /another admin has to accept it/);

    const settings = await alan.patch(`${path}/review-settings`, { twoPeople: false });
    assertError(settings, 422, 'UNPROCESSABLE', /^twoPeople/);
    const off = { twoPeople: false };
    await changeOrganizationProtection(callOf(context, await onTheWeb(ada)), 'pair', off);
    const alone = await makeDocument(alan, 'alone', { org: 'pair', visibility: 'internal' });
    await approveOnTheWeb(alan, alone, 1);
    const published = await alan.patch(alone, { visibility: 'public' });
    assertError(published, 422, 'UNPROCESSABLE', /an admin, or a reviewer whom an admin asked/);
    await askOnTheWeb(ada, alone, 'alan');
    await expectStatus(alan.patch(alone, { visibility: 'public' }), 200);
  });

  it('shows the public of a protected organization only words that its admins let through', async () => {
    const { context } = service.app;
    await makeOrganization(ada, 'herald');
    await join(ada, 'herald', alan);
    await expectStatus(ada.patch('/orgs/herald/protection', { protected: true }), 200);
    const body = { org: 'herald', visibility: 'internal', content: 'Unapproved.\n' } as const;
    const path = await makeDocument(alan, 'news', body);
    await expectStatus(alan.patch(path, { content: 'Good.\n' }), 200);
    await approveOnTheWeb(ada, path, 2);
    await expectStatus(alan.patch(path, { visibility: 'public' }), 200);
    await expectStatus(alan.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const suggestion = { body: 'x', on: { quote: 'Good' }, replacement: 'Bad' };
    const { id } = (await expectStatus(eve.post(`${path}/threads`, suggestion), 201)).data;
    const accept = async (client: Client) =>
      acceptSuggestions(callOf(context, await onTheWeb(client)), refOf(path), [id]);
    const pin = async (client: Client) =>
      pinRevision(callOf(context, await onTheWeb(client)), refOf(path), 1, true);
    // Who created a document has full access to it, but could also have a second account.
    await assert.rejects(accept(alan), /an admin of the organization accepts it/);
    await assert.rejects(pin(alan), /only an admin of the organization can pin it/);
    const read = async (address: string) => (await fetch(service.webUrl + address)).text();
    assert.equal(await read('/herald/news.md'), 'Good.\n');
    await accept(ada);
    await pin(ada);
    assert.equal(await read('/herald/news.md'), 'Bad.\n');
    assert.equal(await read('/herald/news@1.md'), 'Unapproved.\n');

    const draft = await makeDocument(alan, 'draft', body);
    const link = async (client: Client) =>
      createLink(callOf(context, await onTheWeb(client)), refOf(draft), { access: 'read' });
    await assert.rejects(link(alan), /Only an admin of the organization can create one/);
    await link(ada);
    const show = async (client: Client) =>
      changeReviewSettings(callOf(context, await onTheWeb(client)), refOf(path), {
        threadsSince: null,
      });
    await assert.rejects(show(alan), /Only an admin of the organization can show them/);
    await show(ada);
  });

  it('counts only reviewers whom its owner or an organization’s admin asked on the web', async () => {
    const path = await makeDocument(ada, 'asked', { visibility: 'private', content: 'One.\n' });
    await collaborate(ada, path, grace, 'admin');
    await collaborate(ada, path, alan, 'read');
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    const publish = () => ada.patch(path, { visibility: 'public' });
    const isRefused = async () => assertError(await publish(), 422, 'UNPROCESSABLE', /^visibility/);
    // An admin whom someone has invited is no more than any collaborator.
    await approveOnTheWeb(grace, path, 1);
    await approveOnTheWeb(alan, path, 1);
    await isRefused();
    await expectStatus(ada.put(`${path}/reviewers/alan`, {}), 204);
    await askOnTheWeb(grace, path, 'alan');
    await askOnTheWeb(grace, path, 'grace');
    await isRefused();
    await askOnTheWeb(ada, path, 'alan');
    // Later requests by others don't take that back.
    await askOnTheWeb(grace, path, 'alan');
    await expectStatus(grace.put(`${path}/reviewers/alan`, {}), 204);
    await setAccountDisabled(service.app.context, 'alan', true);
    await isRefused();
    await setAccountDisabled(service.app.context, 'alan', false);
    // Who is let in again after losing access has to be asked again.
    await expectStatus(ada.delete(`${path}/collaborators/alan`), 204);
    await collaborate(ada, path, alan, 'read');
    await isRefused();
    await askOnTheWeb(ada, path, 'alan');
    await expectStatus(publish(), 200);

    await makeOrganization(ada, 'asking');
    await join(ada, 'asking', alan);
    const inside = await makeDocument(ada, 'asked', { org: 'asking', visibility: 'internal' });
    await expectStatus(ada.patch(`${inside}/review-settings`, { protected: true }), 200);
    await askOnTheWeb(ada, inside, 'alan');
    await approveOnTheWeb(alan, inside, 1);
    await expectStatus(alan.delete('/user/memberships/orgs/asking'), 204);
    await join(ada, 'asking', alan);
    const refused = await ada.patch(inside, { visibility: 'public' });
    assertError(refused, 422, 'UNPROCESSABLE', /^visibility/);
    await askOnTheWeb(ada, inside, 'alan');
    await expectStatus(ada.patch(inside, { visibility: 'public' }), 200);
  });

  it('gets its admins only on the web, and so does a protected organization', async () => {
    const { context } = service.app;
    const path = await makeDocument(ada, 'admins', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    const asked = `${path}/collaborators/alan`;
    const { id } = (await expectStatus(ada.put(asked, { permission: 'read' }), 201)).data;
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    const admin = { permission: 'admin' };
    for (const attempt of [
      ada.put(`${path}/collaborators/grace`, admin),
      ada.put(`${path}/collaborators/eve`, admin),
      ada.patch(`${path}/invitations/${id}`, admin),
      ada.post(`${path}/email_invitations`, { ...admin, email: 'x@example.com' }),
    ]) {
      assertError(await attempt, 403, 'FORBIDDEN', /full access, in the web app/);
    }
    await expectStatus(ada.put(`${path}/collaborators/grace`, { permission: 'read' }), 204);
    const web = await onTheWeb(ada);
    await inviteOrChangeCollaborator(callOf(context, web), refOf(path), 'grace', 'admin');

    await makeOrganization(ada, 'crew');
    await join(ada, 'crew', alan);
    await expectStatus(ada.patch('/orgs/crew/protection', { protected: true }), 200);
    for (const attempt of [
      ada.put('/orgs/crew/members/alan', { role: 'admin' }),
      ada.put('/orgs/crew/members/eve', { role: 'admin' }),
      ada.post('/orgs/crew/email_invitations', { role: 'admin', email: 'x@example.com' }),
    ]) {
      assertError(await attempt, 403, 'FORBIDDEN', /make someone an admin, in the web app/);
    }
    await inviteOrChangeMember(callOf(context, web), 'crew', 'alan', 'admin');

    // So does an organization that only some protected document is in, or was.
    await makeOrganization(ada, 'band');
    const inBand = await makeDocument(ada, 'score', { org: 'band', visibility: 'private' });
    await expectStatus(ada.patch(`${inBand}/review-settings`, { protected: true }), 200);
    const promote = () => ada.put('/orgs/band/members/eve', { role: 'admin' });
    assertError(await promote(), 403, 'FORBIDDEN', /make someone an admin, in the web app/);
    await expectStatus(ada.delete(inBand), 204);
    assertError(await promote(), 403, 'FORBIDDEN', /make someone an admin, in the web app/);
    await makeOrganization(ada, 'choir');
    await makeDocument(ada, 'score', { org: 'choir', visibility: 'private' });
    await expectStatus(ada.put('/orgs/choir/members/eve', { role: 'admin' }), 201);
  });
});
