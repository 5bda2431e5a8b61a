import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { assertError, type Service } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  setPolicies,
} from '../../../test/rest/scenario.ts';
import { newVisitor, startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { createToken } from '../../core/identity/token-service.ts';
import {
  ALLOW_ALL,
  isLooser,
  LINK_MAKERS,
  type LinkMakers,
  mayInviteOutsiders,
  mayMakeLinks,
  OUTSIDE_INVITERS,
  type Policies,
  PROGRAM_USERS,
} from '../../core/owner/policy.ts';
import { demandClause, type Program, whyShutOut } from '../../core/owner/program-rule.ts';

const PATH = '/orgs/engines/policies';

describe('What policies allow', () => {
  const roles = ['admin', 'member', null] as const;

  it('who makes links', () => {
    const table = LINK_MAKERS.map((makers) => roles.map((role) => mayMakeLinks(makers, role)));
    assert.deepEqual(table, [
      [true, true, true],
      [true, true, false],
      [true, false, false],
      [false, false, false],
    ]);
  });

  it('a policy is looser or not, each by itself', () => {
    const strict: Policies = {
      linkMakers: 'nobody',
      outsideInviters: 'nobody',
      publicDocuments: false,
      tokenHolders: 'nobody',
      appUsers: 'nobody',
      programDays: 1,
    };
    assert.ok(isLooser(ALLOW_ALL, strict));
    assert.ok(!isLooser(strict, ALLOW_ALL));
    assert.ok(!isLooser(strict, strict));
    for (const name of Object.keys(strict) as (keyof Policies)[]) {
      assert.ok(isLooser({ ...strict, [name]: ALLOW_ALL[name] }, strict), name);
      assert.ok(!isLooser({ ...ALLOW_ALL, [name]: strict[name] }, ALLOW_ALL), name);
    }
    assert.ok(isLooser({ ...strict, programDays: 2 }, strict));
  });

  it('who invites outsiders', () => {
    const table = OUTSIDE_INVITERS.map((inviters) =>
      roles.map((role) => mayInviteOutsiders(inviters, role)),
    );
    assert.deepEqual(table, [
      [true, true, true],
      [true, false, false],
      [false, false, false],
    ]);
  });
});

describe('Which programs policies shut out', () => {
  const roles = ['admin', 'member', null] as const;
  const now = '2026-07-01T12:00:00.000Z';
  const daysFrom = (days: number, ms = 0) =>
    new Date(Date.parse(now) + days * 24 * 60 * 60_000 + ms).toISOString();
  const token = (days: number | null, ms = 0): Program => ({
    means: 'token',
    createdAt: now,
    expiresAt: days === null ? null : daysFrom(days, ms),
  });
  const app = (daysAgo: number, ms = 0): Program => ({
    means: 'application',
    createdAt: daysFrom(-daysAgo, ms),
    expiresAt: daysFrom(90),
  });

  it('by whose they are', () => {
    for (const [field, other, program] of [
      ['tokenHolders', 'appUsers', token(null)],
      ['appUsers', 'tokenHolders', app(80)],
    ] as const) {
      const table = PROGRAM_USERS.map((users) =>
        roles.map((role) => whyShutOut({ ...ALLOW_ALL, [field]: users }, role, program, now)),
      );
      assert.deepEqual(table, [
        [undefined, undefined, undefined],
        [undefined, undefined, 'members_only'],
        [undefined, 'admins_only', 'admins_only'],
        ['nobody', 'nobody', 'nobody'],
      ]);
      for (const role of roles) {
        const others = { ...ALLOW_ALL, [other]: 'nobody' };
        assert.equal(whyShutOut(others, role, program, now), undefined);
      }
    }
  });

  it('by how long they live, or when they were connected', () => {
    const programs = [
      [token(1), [undefined, undefined, undefined, undefined]],
      [token(1, 1), [undefined, 'lives_too_long', undefined, undefined]],
      [token(30), [undefined, 'lives_too_long', undefined, undefined]],
      [token(30, 1), [undefined, 'lives_too_long', 'lives_too_long', undefined]],
      [token(366), [undefined, 'lives_too_long', 'lives_too_long', 'lives_too_long']],
      [token(null), [undefined, 'never_expires', 'never_expires', 'never_expires']],
      [app(0), [undefined, undefined, undefined, undefined]],
      [app(1), [undefined, undefined, undefined, undefined]],
      [app(1, -1), [undefined, 'connected_too_long_ago', undefined, undefined]],
      [app(31), [undefined, 'connected_too_long_ago', 'connected_too_long_ago', undefined]],
    ] as const;
    for (const [program, expected] of programs) {
      for (const role of roles) {
        const reasons = [null, 1, 30, 365].map((programDays) =>
          whyShutOut({ ...ALLOW_ALL, programDays }, role, program, now),
        );
        assert.deepEqual(reasons, expected, JSON.stringify(program));
      }
    }
  });

  it('says who may have one before how long it may live', () => {
    const both = { tokenHolders: 'admins', appUsers: 'members', programDays: 1 } as const;
    assert.equal(whyShutOut(both, 'member', token(null), now), 'admins_only');
    assert.equal(whyShutOut(both, null, app(2), now), 'members_only');
    assert.equal(demandClause(both, 'member', 'token'), 'only tokens of its admins do');
    assert.equal(
      demandClause(both, 'admin', 'token'),
      'only tokens that expire within 24 hours do',
    );
    assert.equal(demandClause(both, 'member', 'application'), 'connect it again after 24 hours');
    assert.equal(demandClause(ALLOW_ALL, null, 'token'), undefined);
  });
});

describe('Policies of an organization', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let outsider: Person;
  let path: string;

  before(async () => {
    service = await startWithVisitors();
    ada = await named('ada');
    grace = await named('grace');
    outsider = await named('olga');
    const organization = { namespace: 'engines', name: 'Engines' };
    await expectStatus(ada.client.post('/user/orgs', organization), 201);
    await join(ada.client, 'engines', grace.client);
    path = await makeDocument(grace.client, 'plan', { org: 'engines', visibility: 'internal' });
    await collaborate(grace.client, path, outsider.client, 'admin');
  });
  after(() => service.stop());

  async function named(username: string): Promise<Person> {
    const person = await makePerson(service, username);
    return { ...person, client: { ...person.client, username } };
  }

  async function set(change: Partial<Policies>) {
    const { policies, effects } = await setPolicies(service, ada.client, 'engines', change);
    return { ...policies, effects };
  }

  async function linkOf({ client }: Person): Promise<string> {
    const answer = await client.post(`${path}/links`, { access: 'read' });
    assert.equal(answer.status, 201, answer.text);
    return new URL(answer.data.url).pathname;
  }

  it('become looser in the web app only', async () => {
    await expectStatus(ada.client.patch(PATH, { linkMakers: 'admins' }), 200);
    const looser = ada.client.patch(PATH, { publicDocuments: false, linkMakers: 'members' });
    assertError(await looser, 403, 'FORBIDDEN', /Only people can loosen/);
    const { data } = await ada.client.get(PATH);
    assert.deepEqual([data.linkMakers, data.publicDocuments], ['admins', true]);
    await set(ALLOW_ALL);
  });

  it('are for admins', async () => {
    for (const { client } of [grace, outsider]) {
      assertError(await client.get(PATH), 403, 'FORBIDDEN');
      assertError(await client.patch(PATH, { publicDocuments: false }), 403, 'FORBIDDEN');
    }
    const form = { links: 'nobody', outside: 'nobody', public: 'no' };
    await grace.visitor.post('/organizations/engines/policies', form);
    const { data } = await ada.client.get(PATH);
    const { effects: _, ...policies } = data;
    assert.deepEqual(policies, ALLOW_ALL);
  });

  it('stop links, which work again later, and refuse new ones', async () => {
    const makers = [ada, grace, outsider];
    const links = [await linkOf(ada), await linkOf(grace), await linkOf(outsider)];
    const working = () =>
      Promise.all(links.map(async (link) => (await newVisitor(service).get(link)).status === 200));
    const making = () =>
      Promise.all(
        makers.map(async ({ client }) => {
          const { status, data } = await client.post(`${path}/links`, { access: 'read' });
          if (status === 201) await client.delete(`${path}/links/${data.id}`);
          else assert.equal(status, 403);
          return status === 201;
        }),
      );
    const expected = {
      sharers: [true, true, true],
      members: [true, true, false],
      admins: [true, false, false],
      nobody: [false, false, false],
    };
    for (const [makers, works] of Object.entries(expected)) {
      const linkMakers = makers as LinkMakers;
      const { effects } = await set({ linkMakers });
      assert.deepEqual(await working(), works, linkMakers);
      assert.deepEqual(await making(), works, linkMakers);
      assert.equal(effects.links, works.filter(Boolean).length);
      assert.equal(effects.stoppedLinks, works.filter((each) => !each).length);
    }
    // Their owners still see them, to revoke them.
    assert.equal((await ada.client.get(`${path}/links`)).data.length, 3);
    const form = { access: 'read', ends: 'never' };
    await grace.visitor.post('/share/engines/plan/links', form);
    assert.equal((await ada.client.get(`${path}/links`)).data.length, 3);
    await set({ linkMakers: 'sharers' });
    assert.deepEqual(await working(), [true, true, true]);
    assert.equal((await ada.client.delete(`${path}/links/x`)).status, 404);
  });

  it('refuse invitations of outsiders, also pending ones', async () => {
    const kay = await named('kay');
    const pending = await invite(grace.client, path, kay.client, 'read');
    const accept = () => kay.client.patch(`/user/brief_invitations/${pending}`);
    const inviteBy = ({ client }: Person, who: string) =>
      client.put(`${path}/collaborators/${who}`, { permission: 'read' });
    await named('mary');
    await set({ outsideInviters: 'admins' });
    assertError(await accept(), 404, 'NOT_FOUND');
    assertError(await inviteBy(grace, 'mary'), 403, 'FORBIDDEN');
    assertError(await inviteBy(outsider, 'mary'), 403, 'FORBIDDEN');
    const email = { email: 'new@example.net', permission: 'read' };
    assertError(await grace.client.post(`${path}/email_invitations`, email), 403, 'FORBIDDEN');
    await expectStatus(inviteBy(ada, 'mary'), 201);
    await expectStatus(ada.client.post(`${path}/email_invitations`, email), 201);
    const own = await makeDocument(ada.client, 'own', { org: 'engines', visibility: 'private' });
    await invite(ada.client, own, grace.client, 'read');
    // Who collaborates already stays.
    await expectStatus(outsider.client.get(path), 200);
    await set({ outsideInviters: 'nobody' });
    assertError(await inviteBy(ada, 'kay'), 403, 'FORBIDDEN');
    await set({ outsideInviters: 'sharers' });
    await expectStatus(accept(), 204);
  });

  it('take the access of outsiders, and give it back', async () => {
    const shared = async () =>
      (await outsider.visitor.get('/shared')).text.includes('/read/engines/plan');
    assert.ok(await shared());
    const { effects } = await set({ outsideInviters: 'nobody' });
    assert.equal(effects.stoppedCollaborators, 2);
    assert.equal(effects.outsideCollaborators, 0);
    assertError(await outsider.client.get(path), 404, 'NOT_FOUND');
    assert.ok(!(await shared()));
    await expectStatus(grace.client.get(path), 200);
    // Whoever joins has the access again.
    await join(ada.client, 'engines', outsider.client);
    assert.equal((await outsider.client.get(path)).data.permissions.admin, true);
    await expectStatus(ada.client.delete('/orgs/engines/members/olga'), 204);
    const back = await set({ outsideInviters: 'sharers' });
    assert.equal(back.effects.stoppedCollaborators, 0);
    assertError(await outsider.client.get(path), 404, 'NOT_FOUND');
    await collaborate(grace.client, path, outsider.client, 'write');
    await set({ outsideInviters: 'nobody' });
    await set({ outsideInviters: 'admins' });
    assert.equal((await outsider.client.get(path)).data.permissions.write, true);
  });

  it('apply to documents that are moved in and out', async () => {
    const moving = await makeDocument(ada.client, 'moving', { visibility: 'private' });
    await collaborate(ada.client, moving, outsider.client, 'write');
    await set({ outsideInviters: 'nobody' });
    await expectStatus(ada.client.post(`${moving}/move`, { owner: 'engines' }), 200);
    assertError(await outsider.client.get('/briefs/engines/moving'), 404, 'NOT_FOUND');
    const out = { owner: 'ada', name: 'moving' };
    const byToken = await ada.client.post('/briefs/engines/moving/move', out);
    assertError(
      byToken,
      403,
      'FORBIDDEN',
      /^Only people can move documents out of an organization/,
    );
    const document = (await ada.client.get('/briefs/engines/moving')).data.id;
    const moved = await ada.visitor.post('/move/engines/moving', { ...out, document });
    assert.equal(moved.status, 303, moved.text);
    await expectStatus(outsider.client.get(moving), 200);
    await set({ outsideInviters: 'sharers' });
  });

  it('refuse public documents; those that are public stay so', async () => {
    const open = await makeDocument(ada.client, 'open', { org: 'engines', visibility: 'public' });
    const own = await makeDocument(ada.client, 'of-mine', { visibility: 'public' });
    const { effects } = await set({ publicDocuments: false });
    assert.equal(effects.publicDocuments, 1);
    const body = { content: '# More', visibility: 'public' };
    assertError(await ada.client.post('/orgs/engines/briefs', body), 422, 'UNPROCESSABLE');
    assertError(await ada.client.patch(path, { visibility: 'public' }), 422, 'UNPROCESSABLE');
    assertError(await ada.client.post(`${own}/move`, { owner: 'engines' }), 422, 'UNPROCESSABLE');
    assert.equal((await newVisitor(service).get('/engines/open')).status, 200);
    await expectStatus(ada.client.patch(open, { content: '# Changed' }), 200);
    const { data: trashed } = await ada.client.get(open);
    await expectStatus(ada.client.delete(open), 204);
    const restored = await ada.client.post(`/trash/${trashed.id}/restore`, {});
    assertError(restored, 422, 'UNPROCESSABLE');
    assert.match(restored.text, /allows no public documents/);
    assert.equal((await newVisitor(service).get('/engines/open')).status, 404);
    const internal = { ...body, visibility: 'internal' };
    await expectStatus(ada.client.post('/orgs/engines/briefs', internal), 201);
    await set({ publicDocuments: true });
    await expectStatus(ada.client.post(`/trash/${trashed.id}/restore`, {}), 200);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
  });

  it('that refuse a link leave a document public for which one was wanted', async () => {
    const path = await makeDocument(ada.client, 'wanted', { org: 'engines', visibility: 'public' });
    await set({ linkMakers: 'nobody' });
    const { id } = (await ada.client.get(path)).data;
    const form = { document: id, visibility: 'link', from: 'public', revision: '1' };
    await ada.visitor.post('/share/engines/wanted/visibility', form);
    assert.match(
      (await ada.visitor.get('/share/engines/wanted')).text,
      /This organization allows no secret links/,
    );
    assert.equal((await ada.client.get(path)).data.visibility, 'public');
    await set({ linkMakers: 'sharers' });
    await ada.visitor.post('/share/engines/wanted/visibility', form);
    assert.equal((await ada.client.get(path)).data.visibility, 'internal');
    assert.equal((await ada.client.get(`${path}/links`)).data.length, 1);
  });

  it('offer no secret links to who can make none, and keep those that there are', async () => {
    await makeDocument(ada.client, 'linked', { org: 'engines', visibility: 'internal' });
    const share = async () => (await ada.visitor.get('/share/engines/linked')).text;
    await set({ linkMakers: 'nobody' });
    const shut = await share();
    assert.doesNotMatch(shut, /id="share-link"|class="link-form"/);
    assert.match(shut, /Engines lets you make no secret links\./);
    await set({ linkMakers: 'admins' });
    const open = await share();
    assert.match(open, /id="share-link"/);
    assert.match(open, /class="link-form"/);
    assert.doesNotMatch(open, /no secret links/);
    await expectStatus(
      ada.client.post('/briefs/engines/linked/links', { access: 'read', note: 'For the board' }),
      201,
    );
    await set({ linkMakers: 'nobody' });
    const stopped = await share();
    assert.match(stopped, /Revoke the link: For the board/);
    assert.doesNotMatch(stopped, /class="link-form"/);
    await set({ linkMakers: 'sharers' });
  });

  it('offer no public documents on any screen, or say why', async () => {
    const own = await makeDocument(ada.client, 'mine-open', { visibility: 'public' });
    const never = /<option(?=[^>]*value="engines")(?=[^>]*data-never-public)/;
    const screens = async () => ({
      share: (await ada.visitor.get('/share/engines/inner')).text,
      edit: (await ada.visitor.get('/edit/engines/inner')).text,
      new: (await ada.visitor.get('/new?owner=engines')).text,
      import: (await ada.visitor.get('/import?owner=engines')).text,
      move: (await ada.visitor.get('/move/ada/mine-open')).text,
    });
    await makeDocument(ada.client, 'inner', { org: 'engines', visibility: 'internal' });
    await makeDocument(ada.client, 'outer', { org: 'engines', visibility: 'public' });
    await set({ publicDocuments: false });
    ada.visitor.cookies.set('briefs-visibility', 'engines.public');
    const shut = await screens();
    assert.doesNotMatch(shut.share, /id="share-public"/);
    assert.match(shut.share, /Engines allows no public documents\./);
    assert.doesNotMatch(shut.edit, /<option value="public"/);
    assert.match(shut.new, never);
    assert.match(shut.new, /<option value="internal" selected/, 'not what was chosen last');
    assert.match(shut.import, never);
    assert.match(shut.move, /It allows no public documents\./);
    // A document that is public can stay so.
    assert.match((await ada.visitor.get('/share/engines/outer')).text, /id="share-public"/);
    assert.match((await ada.visitor.get('/edit/engines/outer')).text, /<option value="public"/);
    const id = (await ada.client.get(own)).data.id;
    const fields = { document: id, owner: 'engines', name: 'mine-open' };
    const refused = await ada.visitor.post('/move/ada/mine-open', fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /allows no public documents\. Choose internal or private/);
    const moved = await ada.visitor.post('/move/ada/mine-open', { ...fields, private: 'yes' });
    assert.equal(moved.status, 303, moved.text);
    await set({ publicDocuments: true });
    await expectStatus(ada.client.post('/briefs/engines/mine-open/move', { owner: 'ada' }), 200);
    await expectStatus(ada.client.patch(own, { visibility: 'public' }), 200);
    const open = await screens();
    assert.match(open.share, /id="share-public"/);
    assert.match(open.edit, /<option value="public"/);
    for (const text of Object.values(open)) {
      assert.doesNotMatch(text, /allows no public documents|allow no public|data-never-public/);
    }
    ada.visitor.cookies.delete('briefs-visibility');
  });

  it('are in the settings, which say what is stopped, and recorded', async () => {
    const settings = '/organizations/engines/settings';
    const form = { links: 'nobody', outside: 'nobody', public: 'no' };
    const { status } = await ada.visitor.post('/organizations/engines/policies', form);
    assert.equal(status, 303);
    const { text } = await ada.visitor.get(settings);
    assert.match(text, /Saved\. Stopped: \d secret links, \d collaborators\./);
    assert.match(text, /id="links-nobody"[^>]*checked/);
    assert.match(text, /0 working now, [1-9] stopped/);
    assert.doesNotMatch((await grace.visitor.get(settings)).text, /Who can make secret links/);
    const { data } = await ada.client.get('/orgs/engines/audit?per_page=1');
    const [{ action, detail }] = data.items;
    assert.equal(action, 'organization.policies_changed');
    assert.equal(detail.linkMakers, 'nobody');
    assert.ok(detail.stoppedLinks > 0);
  });

  it('stop programs, which work again later, and say so', async () => {
    const { context } = service.app;
    const made = { username: 'grace', name: 'CI', lifetimeMs: 10 * 24 * 60 * 60_000 };
    const { token } = await createToken(context, made);
    const short = service.client(token);
    const internal = '/orgs/engines/briefs';
    for (const body of [{ programDays: 0 }, { programDays: 366 }, { tokenHolders: 'sharers' }]) {
      assertError(await ada.client.patch(PATH, body), 400, 'BAD_REQUEST');
    }
    const before = (await ada.client.get(PATH)).data.effects;
    assert.equal(before.stoppedTokens, 0);
    assert.equal(before.tokens, 3);
    assert.equal((await grace.client.get(internal)).status, 200);
    // Ada's own token never expires either.
    const { effects } = await set({ programDays: 30 });
    assert.deepEqual([effects.tokens, effects.stoppedTokens], [1, 2]);
    assert.match((await grace.client.get(internal)).text, /it never expires, and 30 days/);
    assert.equal((await short.get(internal)).status, 200);
    assertError(await ada.client.patch(PATH, { programDays: null }), 403, 'FORBIDDEN');

    const settings = (await grace.visitor.get('/settings/tokens')).text;
    assert.match(settings, /Doesn’t reach <strong>engines<\/strong>: it never expires/);
    assert.match(settings, /engines<\/strong>: only tokens that expire within 30 days do/);
    const form = { tokens: 'admins', apps: 'nobody', days: '' };
    const path = '/organizations/engines/policies/programs';
    await ada.visitor.post(path, { ...form, days: '366' });
    assert.match(
      (await ada.visitor.get('/organizations/engines/settings')).text,
      /The number of days must be 1 to 365, or empty/,
    );
    assert.equal((await ada.visitor.post(path, form)).status, 303);
    const page = (await ada.visitor.get('/organizations/engines/settings')).text;
    assert.match(page, /Saved\. Stopped: .*2 tokens/);
    assert.match(page, /name="tokens"[^>]*>.*?<option value="admins" selected/s);
    assert.match(page, /Of members: 1 working now, 2 stopped/);
    assert.match(page, /<li>grace: 2 tokens \(2 stopped\)/);
    assertError(await short.get(internal), 403, 'FORBIDDEN');
    const { data } = await ada.client.get('/orgs/engines/audit?per_page=1');
    assert.equal(data.items[0].detail.tokenHolders, 'admins');
    assert.equal(data.items[0].detail.stoppedTokens, 2);
    await set({ tokenHolders: 'anyone', appUsers: 'anyone' });
    assert.equal((await grace.client.get(internal)).status, 200);
  });
});
