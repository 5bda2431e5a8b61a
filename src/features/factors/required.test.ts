import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Client, Service } from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { setPolicies } from '../../../test/rest/scenario.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { createToken } from '../../core/identity/token-service.ts';
import type { OutsideInviters } from '../../core/owner/policy.ts';
import { membershipCounts } from '../../core/owner/second-factor-rule.ts';
import { PERIOD, setUpCodes } from './factors.testing.ts';
import { resetSecondFactor } from './reset-factor-service.ts';

const MINUTE = 60_000;

describe('A second factor that the server requires', async () => {
  const service = await startWithVisitors({ SECOND_FACTOR: 'required' });
  after(() => service.stop());

  it('is set up before anything else in the web app; tokens go on working', async () => {
    const { visitor: ada, client } = await makePerson(service, 'ada');
    for (const path of ['/', '/settings', '/settings/tokens', '/new', '/export', '/inbox']) {
      const { status, headers } = await ada.get(path);
      const next = path === '/' ? '' : `?next=${encodeURIComponent(path)}`;
      const location = `/settings/security${next}`;
      assert.deepEqual([status, headers.get('location')], [303, location], path);
    }
    const change = { current: PASSWORD, password: 'another odd walnut' };
    for (const path of ['/settings/password', '/settings/tokens', '/settings/sessions/end-all']) {
      const { status, headers } = await ada.post(path, change);
      assert.deepEqual([status, headers.get('location')], [303, '/settings/security'], path);
    }
    const script = await ada.get('/settings', { accept: 'application/json' });
    assert.equal(script.status, 403);
    assert.equal((await ada.get('/sign-in')).headers.get('location'), '/settings/security');
    assert.match(
      (await ada.get('/settings/security')).text,
      /This server requires a second factor/,
    );
    assert.equal((await client.post('/user/briefs', { name: 'a', content: '# A' })).status, 201);
    await setUpCodes(service, ada);
    assert.equal(await whoIs(ada), 'ada');
    assert.doesNotMatch((await ada.get('/settings/security')).text, /requires a second factor/);
  });

  it('leads on to where its user was going once it is set up', async () => {
    const visitor = newVisitor(service);
    await signUp(service, 'dora');
    const wanted = '/new?owner=dora&x=1';
    const signed = await signIn(visitor, 'dora', PASSWORD, { next: wanted });
    assert.equal(signed.headers.get('location'), wanted);
    let { headers } = await visitor.get(wanted);
    const security = headers.get('location') ?? '';
    const linkIn = (text: string, label: string) =>
      new RegExp(`href="([^"]+)"[^>]*>\\s*${label}`).exec(text)?.[1]?.replaceAll('&amp;', '&') ??
      '';
    const text = (await visitor.get(security)).text;
    assert.match(linkIn(text, 'Add a passkey'), /passkeys\/new\?next=%2Fnew/);
    // A proof on the way doesn't lose it.
    service.advance(16 * MINUTE);
    const path = linkIn(text, 'Set up one-time codes');
    const asked = await visitor.get(path);
    const [, next = ''] = /name="next" value="([^"]+)"/.exec(asked.text) ?? [];
    const proof = { next: next.replaceAll('&amp;', '&'), proof_password: PASSWORD };
    ({ headers } = await visitor.post('/settings/confirm', proof));
    assert.equal(headers.get('location'), path);
    const { text: done } = await setUpCodes(service, visitor, path);
    assert.equal(linkIn(done, 'I’ve stored them'), wanted);
    assert.equal((await visitor.get(wanted)).status, 200);
    assert.equal(linkIn((await visitor.get(security)).text, 'Go on'), wanted);
  });

  it('never leads to another host', async () => {
    const visitor = await signUp(service, 'eve');
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
    ]) {
      const query = `?next=${encodeURIComponent(next)}`;
      for (const path of ['/settings/security', '/settings/security/codes']) {
        assert.doesNotMatch((await visitor.get(path + query)).text, /evil/, next);
      }
    }
  });

  it('isn’t the last to be removed, except by an operator; signing out always works', async () => {
    const bob = await signUp(service, 'bob');
    const { app } = await setUpCodes(service, bob);
    service.advance(3 * PERIOD);
    const off = { password: PASSWORD, code: app.code() };
    const refused = await bob.post('/settings/security/codes/off', off);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /requires a second factor, and this is your last/);
    await resetSecondFactor(service.app.context, undefined, 'bob');
    assert.equal((await signIn(bob, 'bob')).headers.get('location'), '/');
    assert.equal((await bob.get('/')).headers.get('location'), '/settings/security');
    assert.equal((await bob.post('/sign-out')).headers.get('location'), '/');
    assert.match((await bob.get('/settings')).headers.get('location') ?? '', /^\/sign-in/);
  });

  it('a session without one reaches no live text and no private page', async () => {
    const { visitor, client } = await makePerson(service, 'carol');
    await client.post('/user/briefs', { name: 'p', content: '# P', visibility: 'private' });
    for (const path of ['/read/carol/p', '/raw/carol/p', '/edit/carol/p', '/history/carol/p']) {
      const { status, text } = await visitor.get(path);
      assert.ok(status !== 200 && !text.includes('<h1>P'), `${path}: ${status}`);
    }
  });
});

describe('A second factor that an organization requires', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const admin = await makePerson(service, 'ada');
  const member = await makePerson(service, 'grace');
  const other = await makePerson(service, 'bob');
  await admin.client.post('/user/orgs', { namespace: 'acme', name: 'Acme' });
  for (const { username, client } of [member, other]) {
    await admin.client.put(`/orgs/acme/members/${username}`, { role: 'member' });
    await client.patch('/user/memberships/orgs/acme', { state: 'active' });
  }
  for (const [name, visibility] of [
    ['internal', 'internal'],
    ['open', 'public'],
    ['shared', 'private'],
  ]) {
    const brief = { name, content: `# Text of ${name}`, visibility };
    assert.equal((await admin.client.post('/orgs/acme/briefs', brief)).status, 201);
  }
  await shareByName(admin.client, member.client);

  async function shareByName(from: Client, to: Client): Promise<void> {
    const path = '/briefs/acme/shared/collaborators/grace';
    assert.equal((await from.put(path, { permission: 'read' })).status, 201);
    const [{ id }] = (await to.get('/user/brief_invitations')).data;
    assert.equal((await to.patch(`/user/brief_invitations/${id}`)).status, 204);
  }

  const require = (visitor: Visitor, required: 'on' | 'off') =>
    visitor.post('/organizations/acme/second-factor', { required });
  const SAYS = /acme requires a second factor|Acme requires a second factor/;

  it('is set by admins who have one, after signing in again', async () => {
    assert.equal((await require(member.visitor, 'on')).status, 303);
    assert.equal((await member.client.get('/briefs/acme/internal')).status, 200, 'not by members');
    await require(admin.visitor, 'on');
    assert.match(
      (await admin.visitor.get('/organizations/acme/settings')).text,
      /Set up a second factor yourself first/,
    );
    assert.equal(
      (await member.client.get('/briefs/acme/internal')).status,
      200,
      'not by one without',
    );
    const { app } = await setUpCodes(service, admin.visitor);
    service.advance(16 * MINUTE);
    assert.match((await require(admin.visitor, 'on')).text, /Confirm that it’s you/);
    await admin.visitor.post('/settings/confirm', { next: '/', proof_code: app.code() });
    const page = await admin.visitor.get('/organizations/acme/settings');
    assert.match(page.text, /Without one now: bob, grace\./);
    await require(admin.visitor, 'on');
    const [entry] = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', '=', 'organization.second_factor_changed')
      .selectAll()
      .execute();
    assert.deepEqual([entry?.actorName, entry?.detail], ['ada', '{"required":true}']);
    const list = await admin.visitor.get('/organizations/acme/members');
    assert.equal(list.text.match(/No second factor/g)?.length, 2);
    assert.doesNotMatch(
      JSON.stringify((await admin.client.get('/orgs/acme/members')).data),
      /actor/,
    );
  });

  it('members without one lose what membership gives, on every surface, and are told why', async () => {
    const { client, visitor } = member;
    for (const [method, path, body] of [
      ['get', '/briefs/acme/internal'],
      ['get', '/briefs/acme/nothing'],
      ['get', '/orgs/acme/members'],
      ['post', '/orgs/acme/briefs', { name: 'x', content: '# X' }],
      ['patch', '/briefs/acme/internal', { content: '# Changed' }],
    ] as const) {
      const answer = await (method === 'get' ? client.get(path) : client[method](path, body));
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.match(answer.text, SAYS, path);
    }
    const seen = await client.get('/orgs/acme');
    assert.equal(seen.status, 200, seen.text);
    assert.deepEqual(Object.keys(seen.data), ['id', 'namespace', 'name', 'createdAt']);
    const listed = await client.get('/orgs/acme/briefs');
    assert.equal(listed.status, 200, listed.text);
    assert.deepEqual(
      listed.data.map(({ name }: { name: string }) => name),
      ['open'],
    );
    for (const path of ['/orgs/acme/pages', '/orgs/acme/pins', '/orgs/acme/labels']) {
      const list = await client.get(path);
      assert.equal(list.status, 200, path);
      assert.doesNotMatch(list.text, /internal/, path);
    }
    const membership = await client.get('/user/memberships/orgs/acme');
    assert.equal(membership.data.state, 'active', 'they are still members');
    const found = await client.get('/search?q=Text');
    assert.doesNotMatch(found.text, /internal/);
    assert.equal((await client.get('/briefs/acme/open')).status, 200, 'public');
    assert.equal((await client.get('/briefs/acme/shared')).status, 200, 'shared by name');
    const web = await visitor.get('/organizations/acme');
    assert.equal(web.status, 403);
    assert.match(web.text, SAYS);
    assert.match(web.text, /href="\/settings\/security\?next=%2Forganizations%2Facme"/);
    for (const name of ['open', 'shared']) {
      assert.equal((await visitor.get(`/share/acme/${name}`)).status, 200, name);
    }
    const read = await visitor.get('/read/acme/internal');
    assert.equal(read.status, 403);
    assert.match(read.text, SAYS);
    assert.doesNotMatch((await visitor.get('/')).text, /acme\/internal/);
    const { token } = await createToken(service.app.context, {
      username: 'grace',
      name: 'agent',
      lifetimeMs: undefined,
    });
    const agent = await connect(service, token);
    const refused = await agent.call('read_document', { owner: 'acme', name: 'internal' });
    const byAgent = await agent.call('search_documents', { owner: 'acme' });
    assert.match(byAgent.text, /acme\/open|"open"/);
    assert.doesNotMatch(byAgent.text, /internal/);
    const organization = await agent.call('get_organization', { organization: 'acme' });
    assert.equal(organization.code, undefined, organization.text);
    assert.doesNotMatch(organization.text, /membersCanCreate|members/);
    await agent.close();
    assert.equal(refused.code, 'FORBIDDEN', refused.text);
    assert.match(refused.text, SAYS);
    assert.equal((await client.get('/briefs/acme/internal')).status, 403);
    // Strangers learn nothing new.
    const stranger = await makePerson(service, 'stranger');
    assert.equal((await stranger.client.get('/briefs/acme/internal')).status, 404);
  });

  it('have it again as soon as they have one, until they remove it', async () => {
    await member.visitor.post('/settings/confirm', { next: '/', proof_password: PASSWORD });
    const { app } = await setUpCodes(service, member.visitor);
    assert.equal((await member.client.get('/briefs/acme/internal')).status, 200);
    assert.equal((await member.visitor.get('/organizations/acme')).status, 200);
    service.advance(3 * PERIOD);
    const off = { password: PASSWORD, code: app.code() };
    assert.equal((await member.visitor.post('/settings/security/codes/off', off)).status, 303);
    assert.equal((await member.client.get('/briefs/acme/internal')).status, 403);
  });

  it('what they share and collaborate on waits for them, and ends with their membership', async () => {
    await admin.client.put('/orgs/acme/members/bob', { role: 'admin' });
    const { visitor, client } = other;
    await visitor.post('/settings/confirm', { next: '/', proof_password: PASSWORD });
    const { app } = await setUpCodes(service, visitor);
    const brief = { name: 'bobs', content: '# Bob', visibility: 'private' };
    assert.equal((await client.post('/orgs/acme/briefs', brief)).status, 201);
    const made = await client.post('/briefs/acme/shared/links', { access: 'read' });
    const link = new URL(made.data.url).pathname;
    const opens = async () => (await newVisitor(service).get(link)).status;
    assert.equal(await opens(), 200);
    service.advance(3 * PERIOD);
    await visitor.post('/settings/security/codes/off', { password: PASSWORD, code: app.code() });
    const policy = (outsideInviters: OutsideInviters) =>
      setPolicies(service, admin.client, 'acme', { outsideInviters });
    assert.equal((await policy('nobody')).effects.stoppedCollaborators, 0);
    await policy('sharers');
    assert.equal(await opens(), 404, 'without a second factor');
    const page = await admin.visitor.get('/read/acme/shared');
    assert.doesNotMatch(page.text, /Anyone with the link/, 'the link doesn’t work');
    await admin.client.put('/orgs/acme/members/bob', { role: 'admin' });
    service.advance(3 * PERIOD);
    const again = await setUpCodes(service, visitor);
    assert.equal(await opens(), 200, 'again');
    assert.equal((await client.get('/briefs/acme/bobs')).status, 200);
    service.advance(3 * PERIOD);
    const off = { password: PASSWORD, code: again.app.code() };
    await visitor.post('/settings/security/codes/off', off);
    await admin.client.put('/orgs/acme/members/bob', { role: 'member' });
    assert.equal(await opens(), 404, 'a member shares nothing of others');
    assert.equal((await admin.client.get('/briefs/acme/shared/links')).data.length, 0);
  });

  it('admins still manage them; they can leave; an organization keeps an admin who counts', async () => {
    const promoted = await admin.client.put('/orgs/acme/members/bob', { role: 'admin' });
    assert.equal(promoted.status, 204);
    const leave = await admin.client.delete('/user/memberships/orgs/acme');
    assert.equal(leave.status, 422, 'the other admin doesn’t count');
    assert.equal((await other.client.put('/orgs/acme/members/stranger', {})).status, 403);
    assert.equal(
      (await admin.client.put('/orgs/acme/members/bob', { role: 'member' })).status,
      204,
    );
    assert.equal((await admin.client.delete('/orgs/acme/members/bob')).status, 204);
    assert.equal((await member.client.delete('/user/memberships/orgs/acme')).status, 204);
    assert.deepEqual(
      (await admin.client.get('/orgs/acme/members')).data.map(
        ({ username }: { username: string }) => username,
      ),
      ['ada'],
    );
  });
});

describe('Whether a membership counts', async () => {
  const service: Service = await startWithVisitors();
  after(() => service.stop());
  const people: Record<string, Person> = {};
  for (const name of ['boss', 'with', 'without']) people[name] = await makePerson(service, name);
  const boss = people.boss as Person;

  it('is what the rule says, for each organization and member', async () => {
    const { sql } = service.app.context;
    await setUpCodes(service, (people.with as Person).visitor);
    for (const secondFactorRequired of [false, true]) {
      const org = secondFactorRequired ? 'strict' : 'easy';
      await boss.client.post('/user/orgs', { namespace: org, name: org });
      await boss.client.post(`/orgs/${org}/briefs`, {
        name: 'b',
        content: '# B',
        visibility: 'internal',
      });
      for (const name of ['with', 'without']) {
        await boss.client.put(`/orgs/${org}/members/${name}`, { role: 'member' });
        await (people[name] as Person).client.patch(`/user/memberships/orgs/${org}`, {
          state: 'active',
        });
      }
      await sql.transaction((tx) =>
        tx
          .updateTable('organization')
          .set({ secondFactorRequired: secondFactorRequired ? 1 : 0 })
          .where('name', '=', org)
          .execute(),
      );
      for (const hasSecondFactor of [false, true]) {
        const name = hasSecondFactor ? 'with' : 'without';
        const counts = membershipCounts({ secondFactorRequired, hasSecondFactor });
        assert.equal(counts, !(secondFactorRequired && !hasSecondFactor));
        const rows = await sql.read
          .selectFrom('membership')
          .innerJoin('owner as member', 'member.id', 'membership.accountId')
          .innerJoin('owner as org', 'org.id', 'membership.organizationId')
          .where('member.namespace', '=', name)
          .where('org.namespace', '=', org)
          .select('membership.role')
          .execute();
        assert.equal(rows.length === 1, counts, `${name} in ${org}`);
        const { status } = await (people[name] as Person).client.get(`/briefs/${org}/b`);
        assert.equal(status, counts ? 200 : 403, `${name} in ${org}`);
      }
    }
  });
});
