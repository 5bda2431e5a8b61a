import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type DocumentKind, KINDS } from '../../src/base/schema/kind.ts';
import { callOf } from '../../src/core/context.ts';
import { changeDocument } from '../../src/core/document/document-change-service.ts';
import { ALLOW_ALL, keepsDocuments, type Policies } from '../../src/core/owner/policy.ts';
import { giveReview } from '../../src/features/reviews/review-service.ts';
import { changeOrganizationProtection } from '../../src/features/reviews/review-setting-service.ts';
import { newChance } from '../chance.ts';
import { packAll } from '../document/pack-all.ts';
import { type Answer, assertError, type Client, type Service, startService } from '../harness.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  onTheWeb,
  setPolicies,
} from '../rest/scenario.ts';
import { startWithVisitors, type Visitor } from '../sign-in/visitor.ts';
import { makePerson, type Person } from '../web-app/world.ts';

// Rules of an organization hold for its own members: they can't take documents to where the rules
// don't hold, or destroy them.

const RESTRICTED: Partial<Policies>[] = [
  { publicDocuments: false },
  { linkMakers: 'members' },
  { linkMakers: 'admins' },
  { linkMakers: 'nobody' },
  { outsideInviters: 'admins' },
  { outsideInviters: 'nobody' },
];

describe('An organization that restricts who its documents are shown to', () => {
  let service: Service;
  let ada: Person;
  let bob: Person;
  let out: Person;
  let count = 0;

  before(async () => {
    service = await startWithVisitors();
    ada = await named('ada');
    bob = await named('bob');
    out = await named('out');
  });
  after(() => service.stop());

  async function named(username: string): Promise<Person> {
    const person = await makePerson(service, username);
    return { ...person, client: { ...person.client, username } };
  }

  /** An organization with these policies, where Bob has made a document with an old text. */
  async function make(policies: Partial<Policies>, kind: DocumentKind = KINDS.brief) {
    const org = `org-${++count}`;
    await makeOrganization(ada.client, org);
    await join(ada.client, org, bob.client);
    const path = await makeDocument(bob.client, 'a', { org, visibility: 'internal', kind });
    await expectStatus(bob.client.patch(path, { [kind.contentField]: '<p>newer</p>\n' }), 200);
    await collaborate(ada.client, path, out.client, 'admin');
    await setPolicies(service, ada.client, org, policies);
    const { id } = (await ada.client.get(path)).data;
    return { org, path, id };
  }

  function sentence(answer: Answer): void {
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.json.error.message, /only its admins can/);
  }

  it('keeps old texts, however much is written; another organization keeps as many as it may', async () => {
    for (const [policies, isKept] of [
      [{ publicDocuments: false }, true],
      [ALLOW_ALL, false],
    ] as const) {
      const { path } = await make(policies);
      const { bytes } = newChance('large');
      const content = () => bytes(30_000).toString('base64');
      for (let times = 0; times < 3; times++) {
        await expectStatus(bob.client.patch(path, { content: content() }), 200);
      }
      await packAll({ ...service.app.context, revisionBytesPerDocument: 40_000 });
      const { data } = await bob.client.get(`${path}/revisions/1`);
      assert.equal(data.hasText, isKept, JSON.stringify(policies));
    }
  });

  for (const policies of RESTRICTED) {
    it(`${JSON.stringify(policies)}: only admins move, erase and delete for good`, async () => {
      const { path, org, id } = await make(policies);
      const mine = `other-${count}`;
      await makeOrganization(bob.client, mine);
      for (const [who, owner] of [
        [bob, 'bob'],
        [bob, mine],
        ...(policies.outsideInviters === 'nobody' ? [] : [[out, 'out'] as const]),
      ] as const) {
        const move = { owner, visibility: 'private' };
        sentence(await who.client.post(`${path}/move`, move));
        sentence(await who.client.delete(`${path}/revisions/1`));
      }
      await expectStatus(bob.client.delete(path), 204);
      sentence(await bob.client.delete(`/trash/${id}`));
      await expectStatus(bob.client.post(`/trash/${id}/restore`), 200);
      await expectStatus(ada.client.delete(`${path}/revisions/1`), 204);
      const to = { owner: 'ada', name: `a-${count}` };
      const byToken = await ada.client.post(`${path}/move`, { ...to, visibility: 'private' });
      assertError(byToken, 403, 'FORBIDDEN', /^Only people can move documents out/);
      const form = { ...to, document: id, private: 'on' };
      assert.equal((await ada.visitor.post(`/move/${org}/a`, form)).status, 303);
      const again = await makeDocument(bob.client, 'b', { org, visibility: 'internal' });
      const { id: other } = (await ada.client.get(again)).data;
      await expectStatus(bob.client.delete(again), 204);
      await expectStatus(ada.client.delete(`/trash/${other}`), 204);
    });
  }

  it('shows readers of a public document no more threads', async () => {
    const { org, path } = await make(ALLOW_ALL);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    const change = (threadsSince: string | null) =>
      bob.client.patch(`${path}/review-settings`, { comments: 'readers', threadsSince });
    const since = new Date(Date.now() - 60_000).toISOString();
    await expectStatus(change(since), 200);
    await setPolicies(service, ada.client, org, { publicDocuments: false });
    const refused = await change(null);
    assertError(refused, 422, 'UNPROCESSABLE', /^threadsSince: this organization allows no public/);
    await expectStatus(change(new Date(Date.now() - 30_000).toISOString()), 200);
    await expectStatus(ada.client.patch(path, { visibility: 'internal' }), 200);
    await expectStatus(change(null), 200);
  });

  it('the web app offers a member none of it, and refuses it', async () => {
    const { org, id, path } = await make({ publicDocuments: false }, KINDS.page);
    const at = `${org}/pages/a`;
    const offers = async ({ visitor }: { visitor: Visitor }) => {
      const [read, list, history] = [
        (await visitor.get(`/read/${at}`)).text,
        (await visitor.get(`/organizations/${org}`)).text,
        (await visitor.get(`/history/${at}`)).text,
      ];
      return [read.includes('Move to…'), list.includes('Move to…'), history.includes('?erase=')];
    };
    assert.deepEqual(await offers(ada), [true, true, true]);
    assert.deepEqual(await offers(bob), [false, false, false]);
    const form = { document: id };
    const moved = await bob.visitor.post(`/move/${at}`, {
      ...form,
      owner: 'bob',
      name: 'a',
      private: 'on',
    });
    assert.match(moved.text, /only its admins can move/);
    await bob.visitor.post(`/history/${at}`, { ...form, act: 'erase', revision: '1' });
    await expectStatus(bob.client.get(`${path}/revisions/1`), 200);
    await expectStatus(bob.client.delete(path), 204);
    for (const trash of ['/trash', `/organizations/${org}/trash`]) {
      assert.ok(!(await bob.visitor.get(trash)).text.includes(`/trash/${id}/delete`), trash);
    }
    assert.equal((await bob.visitor.post(`/trash/${id}/delete`)).status, 403);
    assert.ok((await ada.visitor.get(`/organizations/${org}/trash`)).text.includes(`${id}/delete`));
  });

  it('is none that restricts only programs', () => {
    const programs = { tokenHolders: 'nobody', appUsers: 'nobody', programDays: 1 } as const;
    assert.equal(keepsDocuments({ ...ALLOW_ALL, ...programs }), false);
  });
});

describe('Without a trash, in an organization that restricts who its documents are shown to', () => {
  it('only admins delete', async () => {
    const service = await startService({ TRASH_DAYS: '0' });
    try {
      const [ada, bob] = [await service.user('ada'), await service.user('bob')];
      await makeOrganization(ada, 'guild');
      await join(ada, 'guild', bob);
      const path = await makeDocument(bob, 'a', { org: 'guild', visibility: 'internal' });
      await setPolicies(service, ada, 'guild', { publicDocuments: false });
      await expectStatus(bob.delete(path), 403);
      await expectStatus(ada.delete(path), 204);
    } finally {
      await service.stop();
    }
  });
});

describe('The name of a protected public document', () => {
  let service: Service;
  let ada: Client;
  let mal: Client;
  let count = 0;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    mal = await service.user('mal');
  });
  after(() => service.stop());

  /** A protected, approved document without a heading, which Mal can write or manage. */
  async function make(
    in_: 'organization' | 'own',
    kind: DocumentKind = KINDS.brief,
    isPublic = true,
  ) {
    const owner = in_ === 'own' ? 'ada' : `org-${++count}`;
    const options = { kind, content: 'approved words\n', visibility: 'private' } as const;
    let path: string;
    if (in_ === 'own') {
      path = await makeDocument(ada, `a-${++count}`, options);
      await collaborate(ada, path, mal, 'write');
      await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    } else {
      await makeOrganization(ada, owner);
      await join(ada, owner, mal);
      path = await makeDocument(mal, 'a', { ...options, org: owner });
      const change = { protected: true, twoPeople: false };
      const web = await onTheWeb(service, ada);
      await changeOrganizationProtection(callOf(service.app.context, web), owner, change);
    }
    await approve(path);
    if (isPublic) await expectStatus(ada.patch(path, { visibility: 'public' }), 200);
    return path;
  }

  async function approve(path: string): Promise<void> {
    const [, segment = '', owner = '', name = ''] = path.split('/');
    const kind = segment === 'pages' ? 'page' : 'brief';
    const revision = Number((await ada.get(path)).headers.get('x-revision'));
    const web = await onTheWeb(service, ada);
    await giveReview(
      callOf(service.app.context, web),
      { kind, owner, name },
      { verdict: 'approved', revision },
    );
  }

  const as = (path: string, name: string) => path.replace(/[^/]+$/, name);

  async function refused(pending: Promise<Answer>): Promise<void> {
    const { status, json, text } = await pending;
    assert.equal(status, 422, text);
    assert.match(json.error.message, /name|renamed/);
  }

  for (const in_ of ['organization', 'own'] as const) {
    for (const kind of Object.values(KINDS)) {
      it(`of ${in_}, a ${kind.segment}: no token changes it`, async () => {
        const path = await make(in_, kind);
        const { id } = (await ada.get(path)).data;
        for (const who of [mal, ada]) {
          await refused(who.patch(path, { name: 'void-call-555' }));
        }
        await refused(ada.patch(path, { name: 'x', visibility: 'public' }));
        await expectStatus(ada.delete(path), 204);
        await refused(ada.post(`/trash/${id}/restore`, { name: 'void-call-555' }));
        await expectStatus(ada.post(`/trash/${id}/restore`), 200);
        await expectStatus(ada.get(path), 200);
      });

      it(`of ${in_}, a ${kind.segment}: a new one needs an approval before it is public`, async () => {
        const path = await make(in_, kind, false);
        await refused(ada.patch(path, { name: 'y', visibility: 'public' }));
        await expectStatus(mal.patch(path, { name: 'void-call-556' }), 200);
        const renamed = as(path, 'void-call-556');
        await refused(ada.patch(renamed, { visibility: 'public' }));
        await approve(renamed);
        await expectStatus(ada.patch(renamed, { visibility: 'public' }), 200);
      });
    }
  }

  it('is approved by no token, and given by no writer in the web app', async () => {
    const path = await make('own', KINDS.brief, false);
    const rename = async (from: string, name: string) => {
      const ref = { kind: 'brief', owner: 'ada', name: from.split('/').at(-1) ?? '' } as const;
      const web = await onTheWeb(service, mal);
      await changeDocument(callOf(service.app.context, web), ref, { name }, undefined);
      return as(path, name);
    };
    const renamed = await rename(path, `by-mal-${count}`);
    await refused(ada.patch(renamed, { visibility: 'public' }));
    const revision = Number((await ada.get(renamed)).headers.get('x-revision'));
    const verdict = { verdict: 'approved', revision };
    assert.equal((await ada.post(`${renamed}/reviews`, verdict)).status, 403);
    assert.equal((await mal.post(`${renamed}/reviews`, verdict)).status, 403);
    // Restoring an approved text doesn't approve the name.
    await expectStatus(mal.patch(renamed, { content: 'other words\n' }), 200);
    await expectStatus(mal.post(`${renamed}/revisions/1/restore`), 200);
    assert.equal((await ada.patch(renamed, { visibility: 'public' })).status, 422);
    // The same name in other letters is no new one, and a name and back is seen again.
    const back = await rename(renamed, `back-${count}`);
    await approve(back);
    await expectStatus(ada.patch(back, { name: `BACK ${count}`, visibility: 'public' }), 200);
    await expectStatus(ada.patch(back, { name: `Back-${count}` }), 200);
  });

  it('is that of a document that is moved in, or an admin’s', async () => {
    const org = `org-${++count}`;
    await makeOrganization(ada, org);
    await join(ada, org, mal);
    const web = await onTheWeb(service, ada);
    const change = { protected: true, twoPeople: false };
    await changeOrganizationProtection(callOf(service.app.context, web), org, change);
    const path = await makeDocument(mal, `in-${count}`, {
      content: 'words\n',
      visibility: 'public',
    });
    await collaborate(mal, path, ada, 'read');
    const ref = { kind: 'brief', owner: 'mal', name: `in-${count}` } as const;
    await giveReview(callOf(service.app.context, web), ref, { verdict: 'approved', revision: 1 });
    await refused(mal.post(`${path}/move`, { owner: org, name: 'void-call-557' }));
    await expectStatus(mal.patch(path, { name: 'void-call-558' }), 200);
    const renamed = as(path, 'void-call-558');
    assert.equal((await mal.post(`${renamed}/move`, { owner: org })).status, 422);
    const again = { ...ref, name: 'void-call-558' };
    await giveReview(callOf(service.app.context, web), again, { verdict: 'approved', revision: 2 });
    await expectStatus(mal.post(`${renamed}/move`, { owner: org }), 200);
  });

  it('isn’t vacated by a member for another document', async () => {
    const path = await make('organization');
    await refused(mal.patch(path, { name: 'away' }));
    const [, , org = ''] = path.split('/');
    const body = { name: 'a', content: 'internal', visibility: 'internal' };
    await expectStatus(mal.post(`/orgs/${org}/briefs`, body), 422);
  });
});

describe('An admin in the web app', () => {
  it('renames a protected public document, a member doesn’t', async () => {
    const service = await startWithVisitors();
    try {
      const [ada, mal] = [await makePerson(service, 'ada'), await makePerson(service, 'mal')];
      const path = await makeDocument({ ...ada.client, username: 'ada' }, 'a', {
        content: 'words',
      });
      await collaborate(ada.client, path, { ...mal.client, username: 'mal' }, 'write');
      await expectStatus(ada.client.patch(`${path}/review-settings`, { protected: true }), 200);
      const document = (await ada.client.get(path)).data.id;
      const form = { document, name: 'b' };
      const refused = await mal.visitor.post('/rename/ada/a', form);
      assert.equal(refused.status, 422);
      assert.match(refused.text, /only an admin can change it/);
      assert.equal((await ada.visitor.post('/rename/ada/a', form)).status, 303);
      // Its text was never approved; the name, which an admin gave, needs nothing.
      await expectStatus(ada.client.patch('/briefs/ada/b', { visibility: 'private' }), 200);
      const web = await onTheWeb(service, ada.client);
      const ref = { kind: 'brief', owner: 'ada', name: 'b' } as const;
      const revision = Number((await ada.client.get('/briefs/ada/b')).headers.get('x-revision'));
      await giveReview(callOf(service.app.context, web), ref, { verdict: 'approved', revision });
      await expectStatus(ada.client.patch('/briefs/ada/b', { visibility: 'public' }), 200);
    } finally {
      await service.stop();
    }
  });
});
