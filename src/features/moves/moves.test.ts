import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { packAll } from '../../../test/document/pack-all.ts';
import { actorOf } from '../../../test/document/readers.ts';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import { type Answer, assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { callOf } from '../../core/context.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { giveReview, requestReview } from '../reviews/review-service.ts';
import { searchDocuments } from '../search/search-service.ts';

/** Ada manages the guild, and is a member of the bazaar, which grace manages. Lin is in neither. */
const service = await startService();
const { ada, grace, alan, lin } = await users(service, 'ada', 'grace', 'alan', 'lin');
await makeOrganization(ada, 'guild');
await makeOrganization(grace, 'bazaar');
await join(ada, 'guild', alan);
await join(grace, 'bazaar', ada);
after(async () => {
  await packAll(service.app.context);
  await assertConsistent(service.app.context);
  await service.stop();
});

const move = (client: Client, path: string, owner: string, more: object = {}) =>
  client.post(`${path}/move`, { owner, ...more });

const moveTo = async (client: Client, path: string, owner: string, more: object = {}) => {
  const { data } = await expectStatus(move(client, path, owner, more), 200);
  const [, segment = ''] = path.split('/');
  return `/${segment}/${data.ownerNamespace}/${encodeURIComponent(data.name)}`;
};

function assertLeads(answer: Answer, path: string): void {
  assertError(answer, 308, 'MOVED');
  assert.equal(answer.headers.get('location'), service.baseUrl + path);
}

for (const kind of ALL_KINDS) {
  const make = (client: Client, name: string, more = {}) =>
    makeDocument(client, name, { kind, visibility: 'private', ...more });
  const owned = (owner: string, name: string) => `/${kind.segment}/${owner}/${name}`;

  describe(`Moving a ${kind.kind}`, () => {
    it('to an organization, to another, and back: keeps everything that belongs to it', async () => {
      const path = await make(ada, 'plan', { content: '<p>first</p>\n' });
      const before = (await ada.get(path)).data;
      await expectStatus(ada.patch(path, { [kind.contentField]: '<p>second</p>\n' }), 200);
      await collaborate(ada, path, lin, 'write');
      const invitation = await invite(ada, path, alan, 'read');
      await expectStatus(ada.post(`${path}/links`, { access: 'read' }), 201);
      await expectStatus(ada.post(`${path}/threads`, { body: 'Why?' }), 201);
      await expectStatus(ada.put(`${path}/reviewers/lin`, {}), 204);
      await expectStatus(ada.put(`${path}/labels`, { labels: ['Autumn'] }), 200);
      await expectStatus(ada.put(`${path}/pin`), 204);
      await expectStatus(lin.put(`${path}/subscription`, { level: 'all' }), 204);
      await expectStatus(lin.post(`${path}/reviews`, { verdict: 'approved', revision: 2 }), 201);

      let at = path;
      for (const [owner, type, client] of [
        ['guild', 'organization', ada],
        ['bazaar', 'organization', ada],
        ['ada', 'user', ada],
      ] as const) {
        const answer = await expectStatus(move(client, at, owner), 200);
        const now = owned(owner, 'plan');
        assert.equal(answer.headers.get('location'), service.baseUrl + now);
        const { data } = await expectStatus(ada.get(now), 200);
        assert.deepEqual(answer.data, data);
        assert.deepEqual(
          [data.id, data.ownerNamespace, data.ownerType, data.name, data.visibility],
          [before.id, owner, type, 'plan', 'private'],
        );
        assert.equal(data[kind.contentField], '<p>second</p>\n');
        if (now !== path) assertLeads(await ada.get(path), now);
        at = now;
        const own = owner === 'ada' ? [] : ['ada'];
        assert.deepEqual(pluck(await ada.get(`${at}/collaborators`), 'username').sort(), [
          ...own,
          'lin',
        ]);
        assert.deepEqual(pluck(await ada.get(`${at}/invitations`), 'id'), [invitation]);
        assert.equal((await ada.get(`${at}/links`)).data.length, 1);
        assert.equal((await ada.get(`${at}/threads`)).data.length, 1);
        assert.deepEqual((await ada.get(`${at}/labels`)).data.labels, ['Autumn']);
        const counted = owner === 'ada' ? '/user/labels' : `/orgs/${owner}/labels`;
        assert.ok(pluck(await ada.get(counted), 'label').includes('Autumn'));
        for (const list of ['/user', '/orgs/guild', '/orgs/bazaar']) {
          assert.ok(!pluck(await ada.get(`${list}/pins`), 'id').includes(before.id));
        }
        const { reviews, requests } = (await ada.get(`${at}/reviews`)).data;
        assert.deepEqual([reviews.length, requests.length], [1, 1]);
        const [latest, ...older] = (await ada.get(`${at}/revisions`)).data;
        assert.deepEqual([latest.changed, latest.author], [['owner'], 'ada']);
        assert.equal(
          (await ada.get(`${at}/revisions/1`)).data[kind.contentField],
          before[kind.contentField],
        );
        assert.equal(answer.headers.get('x-revision'), String(older.length + 1));
        const { data: events } = await ada.get(`${at}/events?after=0&wait=10`);
        assert.ok(events.items.length > 0);
        const about = events.items.map((event: { fullName: string }) => event.fullName);
        assert.deepEqual(new Set(about), new Set([`${owner}/${answer.data.name}`]));
        const lists = ['/orgs/guild', '/orgs/bazaar', '/user'].map(
          (list) => `${list}/${kind.segment}`,
        );
        const listed = await Promise.all(
          lists.map(async (list) => pluck(await ada.get(list), 'id')),
        );
        assert.deepEqual(
          listed.map((ids) => ids.includes(before.id)),
          ['guild', 'bazaar', 'ada'].map((each) => each === owner),
        );
      }
      await expectStatus(alan.patch(`/user/brief_invitations/${invitation}`), 204);
      await expectStatus(alan.get(at), 200);
      await expectStatus(ada.delete(at), 204);
      assert.ok(pluck(await ada.get('/user/trash'), 'id').includes(before.id));
    });

    it('to another name, which must be free', async () => {
      const path = await make(ada, 'draft');
      await make(ada, 'taken', { org: 'guild' });
      const refused = await move(ada, path, 'guild', { name: 'Taken' });
      assertError(refused, 422, 'UNPROCESSABLE');
      assert.match(refused.json.error.message, /“taken-2” is free/);
      assertError(await move(ada, path, 'guild', { name: 'a/b' }), 400, 'BAD_REQUEST');
      const now = await moveTo(ada, path, 'guild', { name: 'Final text' });
      assert.equal(now, owned('guild', 'final-text'));
      const [{ changed }] = (await ada.get(`${now}/revisions`)).data;
      assert.deepEqual(changed, ['owner', 'name']);
      assertLeads(await ada.get(path), now);
      // Another document takes the old address; moving back needs another name.
      await make(ada, 'draft');
      await expectStatus(ada.get(path), 200);
      assertError(await move(ada, now, 'ada', { name: 'draft' }), 422, 'UNPROCESSABLE');
    });

    it('needs permission for the document and for the target', async () => {
      const path = await make(ada, 'kept');
      await collaborate(ada, path, alan, 'admin');
      await collaborate(ada, path, grace, 'write');
      // A collaborator can't move a user's document, with any permission.
      for (const client of [alan, grace]) {
        assertError(await move(client, path, client.username), 403, 'FORBIDDEN');
      }
      assertError(await move(lin, path, 'lin'), 404, 'NOT_FOUND');
      assertError(await move(ada, path, 'nobody-has-this'), 404, 'NOT_FOUND');
      for (const other of ['lin', 'closed', 'foreign']) {
        if (other !== 'lin') await makeOrganization(lin, `${other}-${kind.kind}`);
        const owner = other === 'lin' ? other : `${other}-${kind.kind}`;
        if (other === 'closed') {
          await expectStatus(lin.patch(`/orgs/${owner}`, { membersCanCreate: false }), 200);
          await join(lin, owner, ada);
        }
        assertError(await move(ada, path, owner), 403, 'FORBIDDEN');
      }
      assertError(await move(ada, path, 'ada'), 422, 'UNPROCESSABLE');
      assertError(await move(ada, path, 'guild', { visibility: 'public' }), 400, 'BAD_REQUEST');
      const stale = { 'if-match': '"0.0.admin"' };
      assertError(
        await ada.post(`${path}/move`, { owner: 'guild' }, stale),
        412,
        'PRECONDITION_FAILED',
      );
      await expectStatus(ada.get(path), 200);

      // An organization's document: its admins, and collaborators with admin.
      const shared = await make(grace, `rota-${kind.kind}`, {
        org: 'bazaar',
        visibility: 'internal',
      });
      assertError(await move(ada, shared, 'ada'), 403, 'FORBIDDEN');
      await collaborate(grace, shared, ada, 'admin');
      await moveTo(ada, shared, 'guild');
    });

    it('an internal document becomes a user’s only as private', async () => {
      const path = await make(ada, 'inside', { org: 'guild', visibility: 'internal' });
      const refused = await move(ada, path, 'ada');
      assertError(refused, 422, 'UNPROCESSABLE');
      assert.match(refused.json.error.message, /visibility.*private/);
      await expectStatus(alan.get(path), 200);
      const again = { visibility: 'internal' };
      assertError(await move(ada, path, 'ada', again), 422, 'UNPROCESSABLE', /visibility.*private/);
      const now = await moveTo(ada, path, 'ada', { visibility: 'private' });
      assertError(await alan.get(now), 404, 'NOT_FOUND');
      assertError(await alan.get(path), 404, 'NOT_FOUND');
      const [{ changed }] = (await ada.get(`${now}/revisions`)).data;
      assert.deepEqual(changed, ['owner', 'visibility']);
      // It redirects its manager from an address where ada was admin.
      assertLeads(await ada.get(path), now);
      const back = await moveTo(ada, now, 'guild', { visibility: 'internal', name: 'back' });
      assert.equal((await alan.get(back)).data.visibility, 'internal');
    });

    it('changes access: the new owner’s people instead of the former owner’s', async () => {
      const path = await make(ada, 'handbook', { org: 'guild', visibility: 'internal' });
      await expectStatus(alan.get(path), 200);
      assertError(await grace.get(path), 404, 'NOT_FOUND');
      const context = service.app.context;
      const finds = async (username: string) => {
        await everythingIndexed(context);
        const actor = await actorOf(service, username);
        const { items } = await searchDocuments(callOf(context, actor), {
          query: 'handbook',
          size: 9,
        });
        return items.some((item) => item.kind === kind.kind);
      };
      assert.deepEqual([await finds('alan'), await finds('grace')], [true, false]);
      const now = await moveTo(ada, path, 'bazaar');
      assertError(await alan.get(now), 404, 'NOT_FOUND');
      assert.deepEqual((await grace.get(now)).data.permissions.admin, true);
      assert.deepEqual([await finds('alan'), await finds('grace')], [false, true]);
    });

    it('reveals no name that people could not see', async () => {
      // Members of the bazaar, who can read the document now, must not learn its internal name in
      // the guild.
      const path = await make(ada, 'secret-merger', { org: 'guild', visibility: 'internal' });
      const now = await moveTo(ada, path, 'bazaar', { name: 'neighbours' });
      const clerk = await service.user(`clerk-${kind.kind}`);
      await join(grace, 'bazaar', clerk);
      await expectStatus(clerk.get(now), 200);
      for (const client of [clerk, alan, lin]) {
        const [one, other] = [
          await client.get(path),
          await client.get(owned('guild', 'never-was')),
        ];
        assert.equal(one.status, 404);
        assert.deepEqual(one.json, other.json);
      }
      // Members of both are redirected.
      await join(ada, 'guild', clerk);
      assertLeads(await clerk.get(path), now);

      // A public name redirects everyone, also on the web.
      const open = await make(ada, 'open', { visibility: 'public' });
      await moveTo(ada, open, 'guild');
      assertLeads(await lin.get(open), owned('guild', 'open'));
      const web = ['', ...kind.webSegments, 'open'].join('/');
      const answer = await fetch(`${service.webUrl}/ada${web}`, { redirect: 'manual' });
      assert.equal(answer.status, 308);
      assert.equal(answer.headers.get('location'), `${service.webUrl}/guild${web}`);
    });

    it('keeps the new owner’s trash and former names correct', async () => {
      const path = await make(ada, 'cycle');
      const there = await moveTo(ada, path, 'guild');
      await expectStatus(ada.patch(there, { name: 'cycle-2' }), 200);
      const back = await moveTo(ada, owned('guild', 'cycle-2'), 'ada', { name: 'cycle' });
      assert.equal(back, path);
      for (const old of ['cycle', 'cycle-2']) assertLeads(await ada.get(owned('guild', old)), path);
      const { id } = (await ada.get(path)).data;
      await expectStatus(ada.delete(path), 204);
      assertError(await ada.get(owned('guild', 'cycle')), 404, 'NOT_FOUND');
      await expectStatus(ada.post(`/trash/${id}/restore`, {}), 200);
      assertLeads(await ada.get(owned('guild', 'cycle')), path);
    });

    it('respects organizations that protect their documents', async () => {
      const org = `strict-${kind.kind}`;
      const worker = await service.user(`worker-${kind.kind}`);
      await makeOrganization(ada, org);
      await join(ada, org, worker);
      await expectStatus(ada.patch(`/orgs/${org}/protection`, { protected: true }), 200);
      // A public document needs an approval to be moved in.
      const open = await make(worker, 'open-door', { visibility: 'public' });
      assertError(await move(worker, open, org), 422, 'UNPROCESSABLE');
      // Those of its owner, and of whom they asked, don't count there.
      const { context } = service.app;
      const web = async (client: Client) => {
        const { id, username } = (await client.get('/user')).data;
        return { id, username, scopes: ALL_SCOPES, via: VIA_WEB };
      };
      const at = { kind: kind.kind, owner: worker.username, name: 'open-door' } as const;
      const approval = { verdict: 'approved', revision: 1 } as const;
      await collaborate(worker, open, lin, 'read');
      await requestReview(callOf(context, await web(worker)), at, { username: 'lin' });
      await giveReview(callOf(context, await web(worker)), at, approval);
      await giveReview(callOf(context, await web(lin)), at, approval);
      assertError(await move(worker, open, org), 422, 'UNPROCESSABLE');
      await moveTo(worker, open, org, { visibility: 'private' });
      // Not even an admin of both can move it in without one.
      const theirs = await make(ada, `opened-${kind.kind}`, { org: 'guild', visibility: 'public' });
      assertError(await move(ada, theirs, org), 422, 'UNPROCESSABLE');
      const [segment, owner = '', name = ''] = theirs.slice(1).split('/');
      const ref = { kind: segment === 'pages' ? 'page' : 'brief', owner, name } as const;
      // Only a reviewer whom an admin asked in the web app can approve.
      await requestReview(callOf(context, await web(ada)), ref, { username: 'alan' });
      await giveReview(callOf(context, await web(alan)), ref, approval);
      await moveTo(ada, theirs, org);
      // Only an admin can move a document out, or its creator could publish it elsewhere.
      const inside = await make(worker, 'inside', { org });
      assertError(await move(worker, inside, worker.username), 403, 'FORBIDDEN');
      // An agent has an admin’s token, so the admin has to do it in the web app.
      assertError(await move(ada, inside, 'guild'), 403, 'FORBIDDEN', /in the web app/);
    });

    it('ends only the new owner’s own permission and invitation', async () => {
      const path = await make(grace, `given-${kind.kind}`, { org: 'bazaar' });
      await collaborate(grace, path, ada, 'admin');
      await collaborate(grace, path, lin, 'read');
      const now = await moveTo(ada, path, 'ada');
      assert.deepEqual(pluck(await ada.get(`${now}/collaborators`), 'username').sort(), [
        'grace',
        'lin',
      ]);
      // Grace created it, and stays a collaborator.
      assert.equal((await grace.get(now)).data.permissions.admin, true);
    });

    it('concurrently with other changes: one wins, and nothing is lost', async () => {
      for (let round = 0; round < 6; round += 1) {
        const name = `raced-${round}`;
        const path = await make(ada, name);
        const { id } = (await ada.get(path)).data;
        const moves = await Promise.all([move(ada, path, 'guild'), move(ada, path, 'bazaar')]);
        assert.deepEqual(countStatuses(moves), { 200: 1, 308: 1 });
        const winner = moves[0]?.status === 200 ? 'guild' : 'bazaar';
        assert.equal((await expectStatus(ada.get(owned(winner, name)), 200)).data.id, id);

        const back = await make(ada, `deleted-${round}`);
        const [moved, deleted] = await Promise.all([move(ada, back, 'guild'), ada.delete(back)]);
        if (moved.status === 200) assert.equal(deleted.status, 308, deleted.text);
        else assert.deepEqual([moved.status, deleted.status], [404, 204]);

        const renamed = await make(ada, `renamed-${round}`);
        const answers = await Promise.all([
          move(ada, renamed, 'guild'),
          ada.patch(renamed, { name: `renamed-too-${round}` }),
        ]);
        assert.deepEqual(countStatuses(answers), { 200: 1, 308: 1 });

        // Two documents to one name.
        const [one, other] = [await make(ada, `one-${round}`), await make(ada, `other-${round}`)];
        const into = { name: `both-${round}` };
        const both = [one, other].map((each) => move(ada, each, 'guild', into));
        assert.deepEqual(countStatuses(await Promise.all(both)), { 200: 1, 422: 1 });

        // Between two owners in opposite directions.
        const inShop = await make(ada, `across-${round}`, { org: 'bazaar' });
        const inGuild = await make(ada, `athwart-${round}`, { org: 'guild' });
        const across = [move(ada, inShop, 'guild'), move(ada, inGuild, 'bazaar')];
        assert.deepEqual(countStatuses(await Promise.all(across)), { 200: 2 });
      }
    });

    it('while the mover leaves the organization: it is moved completely or not at all', async () => {
      for (let round = 0; round < 4; round += 1) {
        const org = `leaving-${kind.kind}-${round}`;
        await makeOrganization(grace, org);
        await join(grace, org, alan);
        const path = await make(alan, `parting-${round}`);
        const [moved] = await Promise.all([
          move(alan, path, org),
          alan.delete(`/user/memberships/orgs/${org}`),
        ]);
        const there = await grace.get(owned(org, `parting-${round}`));
        assert.equal(there.status, moved.status === 200 ? 200 : 404);
        assert.equal((await alan.get(path)).status, moved.status === 200 ? 404 : 200);
      }
    });

    it('is counted in lists of thousands', async () => {
      const body = documentBody(kind, { name: 'counted', visibility: 'private' });
      await expectStatus(ada.post(`/user/${kind.segment}`, body), 201);
      const total = async (list: string) =>
        Number(
          /[?&]page=(\d+)[^>]*>; rel="last"/.exec(
            (await ada.get(`${list}/${kind.segment}?per_page=1`)).headers.get('link') ?? '',
          )?.[1] ?? 0,
        );
      const [own, guild] = [await total('/user'), await total('/orgs/guild')];
      await moveTo(ada, owned('ada', 'counted'), 'guild');
      assert.deepEqual([await total('/user'), await total('/orgs/guild')], [own - 1, guild + 1]);
    });
  });
}
