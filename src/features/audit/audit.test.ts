import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  type Service,
} from '../../../test/harness.ts';
import { obtainTokens, register } from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { newVisitor, signIn, startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import type { AuditEntry } from './audit-entry.ts';
import { shownToOrganization, shownToPerson } from './audit-entry.ts';
import { sweepAudit } from './audit-service.ts';

describe('Who reads the audit trail', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let root: Person;

  before(async () => {
    service = await startWithVisitors();
    [ada, grace, root] = [await named('ada'), await named('grace'), await named('ruth')];
    await setAdmin(service.app.context, undefined, { username: 'ruth', isAdmin: true });
    root = { ...root, client: await administering('ruth') };
    const organization = { namespace: 'engines', name: 'Engines' };
    await expectStatus(ada.client.post('/user/orgs', organization), 201);
    const plan = await makeDocument(ada.client, 'plan', { visibility: 'private' });
    await collaborate(ada.client, plan, grace.client, 'admin');
    await expectStatus(grace.client.post(`${plan}/links`, { access: 'read' }), 201);
    const rota = await makeDocument(ada.client, 'rota', { org: 'engines', visibility: 'internal' });
    await collaborate(ada.client, rota, grace.client, 'admin');
    await expectStatus(grace.client.patch(rota, { visibility: 'private' }), 200);
  });
  after(() => service.stop());

  /** Returns a client with the scope `admin`, which tokens have only if they name it. */
  async function administering(username: string): Promise<Client> {
    const input = { username, name: 'admin', lifetimeMs: undefined, scopes: ALL_SCOPES };
    return service.client((await createToken(service.app.context, input)).token);
  }

  async function named(username: string): Promise<Person> {
    const person = await makePerson(service, username);
    return { ...person, client: { ...person.client, username } };
  }

  async function read(person: Person, path: string): Promise<AuditEntry[]> {
    const answer = await person.client.get(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.data.items;
  }

  /** The client's checker expects JSON. */
  async function asLines({ client }: Person, path: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${client.token}`, accept: 'application/x-ndjson' };
    return readAnswer(await fetch(service.baseUrl + path, { headers }));
  }

  const actionsOf = (entries: readonly AuditEntry[]) =>
    entries.map(({ action, actor }) => `${actor} ${action}`);

  it('everyone reads what concerns them, from others without where they were', async () => {
    const own = await read(ada, '/user/audit');
    assert.deepEqual(actionsOf(own), [
      'ada collaborator.invited',
      'ada document.created',
      'grace link.created',
      'grace collaborator.accepted',
      'ada collaborator.invited',
      'ada organization.created',
      'null token.created',
      'ada session.started',
      'null account.created',
    ]);
    for (const { actor, address, meansName } of own) {
      if (actor === 'grace') assert.deepEqual([address, meansName], [null, null]);
      if (actor === 'ada') assert.ok(address);
    }
    const hers = actionsOf(await read(grace, '/user/audit'));
    assert.ok(hers.includes('ada collaborator.invited'), hers.join());
    assert.ok(!hers.includes('ada organization.created'), hers.join());
    const { text } = await ada.visitor.get('/settings/activity');
    assert.match(
      text,
      /Created a secret link<\/strong> ada\/plan.*by grace with the token · access: read</s,
    );
    assert.match(text, /Signed in<\/strong>.*?by you · from 192\.0\.2\.1, Firefox on Linux/s);
  });

  it('an attack from elsewhere shows where it came from', async () => {
    await signIn(newVisitor(service, { address: '203.0.113.9' }), 'grace', 'not her walnuts');
    const seen = async () =>
      (await read(grace, '/user/audit')).find(({ action }) => action === 'session.failed');
    for (let tries = 0; tries < 100 && !(await seen()); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal((await seen())?.address, '203.0.113.9');
  });

  it('an organization’s admins read what concerns it, with addresses of members only', async () => {
    const entries = await read(ada, '/orgs/engines/audit');
    assert.deepEqual(actionsOf(entries), [
      'grace document.visibility_changed',
      'grace collaborator.accepted',
      'ada collaborator.invited',
      'ada document.created',
      'ada organization.created',
    ]);
    for (const { actor, address, meansName } of entries) {
      assert.equal(address === null && meansName === null, actor === 'grace', actor ?? '');
    }
    assertError(await grace.client.get('/orgs/engines/audit'), 403, 'FORBIDDEN');
    const { text } = await ada.visitor.get('/organizations/engines/audit');
    assert.match(text, /Changed who can see a document<\/strong> engines\/rota/);
    assert.equal((await grace.visitor.get('/organizations/engines/audit')).status, 403);
    assert.equal((await grace.visitor.get('/organizations/engines/audit.ndjson')).status, 403);
  });

  it('administrators of the instance read everything, by person, owner, action and time', async () => {
    const all = await read(root, '/admin/audit?per_page=100');
    assert.ok(all.length > 15);
    const one = async (query: string) => actionsOf(await read(root, `/admin/audit?${query}`));
    const made = ['ada organization.created'];
    assert.deepEqual(await one('person=ADA&action=organization.created'), made);
    assert.deepEqual((await one('organization=engines')).slice(-1), made);
    const { ownerId, at } = all.find(({ action }) => action === 'organization.created') ?? {};
    assert.deepEqual((await one(`organization=${ownerId}`)).slice(-1), made);
    assert.deepEqual(await one(`organization=engines&until=${at}`), []);
    assert.deepEqual((await one(`since=${at}&organization=engines`)).slice(-1), made);
    assertError(await root.client.get('/admin/audit?person=nobody'), 404, 'NOT_FOUND');
    assertError(await root.client.get('/admin/audit?action=none'), 400, 'BAD_REQUEST');
    assertError(await ada.client.get('/admin/audit'), 403, 'FORBIDDEN');
    for (const path of ['/admin/audit', '/admin/audit.ndjson']) {
      assert.equal((await ada.visitor.get(path)).status, 404);
    }
    const { text } = await root.visitor.get('/admin/audit?person=ada&action=organization.created');
    assert.match(text, /Created an organization<\/strong> <a [^>]+>engines</);
    assert.doesNotMatch(text, /Created a secret link<\/strong>/);
    const tokens = (await root.visitor.get('/admin/audit?action=token.created')).text;
    assert.match(
      tokens,
      /Created a token<\/strong> world of <a href="\/admin\/people\/ada">ada<\/a>/,
    );
    const changes = (await root.visitor.get('/admin/audit?organization=engines')).text;
    assert.match(
      changes,
      /<a href="\/admin\/organizations\/engines">engines<\/a>\/rota.*?by <a href="\/admin\/people\/grace">grace<\/a>/s,
    );
    const none = (await root.visitor.get('/admin/audit?until=2001-01-01')).text;
    assert.match(none, /No entry fits\./);
    const { status } = await root.visitor.get('/admin/audit?person=nobody');
    assert.equal(status, 422);
    for (const day of ['31.12.2001', '2001-02-31', '2001-1-1', '2001', 'yesterday']) {
      const refused = await root.visitor.get(`/admin/audit?since=${day}`);
      assert.equal(refused.status, 422, day);
      assert.match(refused.text, /Write the day as 2026-01-31\./, day);
    }
  });

  it('comes in parts, and as lines', async () => {
    const whole = await read(ada, '/user/audit?per_page=100');
    const parts: AuditEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&after=${cursor}`;
      const { data } = await ada.client.get(`/user/audit?per_page=3${query}`);
      parts.push(...data.items);
      cursor = data.cursor;
    }
    assert.deepEqual(parts, whole);
    for (const cursor of ['', 'x', '7']) {
      const refused = await ada.client.get(`/user/audit?after=${cursor}`);
      assertError(refused, 400, 'BAD_REQUEST', /^after: /);
    }
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const streamed = await asLines(ada, '/user/audit');
    assert.match(streamed.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    assert.deepEqual(lines(streamed.text), whole);
    const downloaded = await ada.visitor.get('/settings/activity.ndjson');
    assert.deepEqual(lines(downloaded.text), whole);
    const some = await root.visitor.get('/admin/audit.ndjson?organization=engines');
    assert.equal(lines(some.text).length, 5);
    assertError(await asLines(grace, '/orgs/engines/audit'), 403, 'FORBIDDEN');
    const more = await ada.visitor.get(`/settings/activity?after=${whole[1]?.id}`);
    assert.match(more.text, />Newest</);
    assert.doesNotMatch(more.text, /Invited a collaborator<\/strong> engines/);
  });

  it('applications get no addresses, and nothing of the whole', async () => {
    const registered = await register(service);
    const { data } = await root.client.get('/user');
    const scopes = ['documents:read', 'organizations'] as const;
    const options = { scopes: [...scopes] };
    const visitor = await signedIn(service, data.id);
    const { access_token } = await obtainTokens(service, visitor, registered, options);
    const app = service.client(access_token);
    const { items: entries } = (await app.get('/user/audit')).data;
    assert.ok(entries.length > 2);
    for (const { address, device } of entries) assert.deepEqual([address, device], [null, null]);
    assertError(await app.get('/admin/audit'), 403, 'FORBIDDEN');
  });

  it('forgets what is older than AUDIT_RETENTION', async () => {
    const { context } = service.app;
    service.advance(400 * DAY_MS);
    await expectStatus(ada.client.patch('/orgs/engines', { membersCanCreate: false }), 200);
    service.advance(-399 * DAY_MS);
    assert.equal(await sweepAudit(context), 0);
    service.advance(399 * DAY_MS);
    assert.ok((await sweepAudit(context)) > 15);
    const left = await read(ada, '/orgs/engines/audit');
    assert.deepEqual(actionsOf(left), ['ada organization.settings_changed']);
    assert.equal(await sweepAudit({ ...context, auditRetentionMs: undefined }), 0);
  });
});

describe('What is shown of an entry', () => {
  const entry = { actorId: 'a', accountId: 'b', means: 'token' } as AuditEntry;
  const origin = { address: '192.0.2.1', device: 'curl', meansName: 'ci' };
  const web = { means: 'web', name: null } as const;
  const app = { means: 'application', name: 'x' } as const;

  it('depends on who reads it', () => {
    const shown = (by: Partial<AuditEntry>, show: (entry: AuditEntry) => AuditEntry) => {
      const { address, meansName } = show({ ...entry, ...origin, ...by });
      return [address !== null, meansName !== null];
    };
    const person =
      (id: string, via: typeof web | typeof app = web) =>
      (given: AuditEntry) =>
        shownToPerson(given, { id, via });
    const organization =
      (members: string[], via: typeof web | typeof app = web) =>
      (given: AuditEntry) =>
        shownToOrganization(given, { via }, new Set(members));
    const attempt = { actorId: null, means: 'web' } as const;
    const command = { actorId: null, means: 'command' } as const;
    assert.deepEqual(shown({}, person('a')), [true, true]);
    assert.deepEqual(shown({}, person('b')), [false, false]);
    assert.deepEqual(shown({}, person('a', app)), [false, true]);
    assert.deepEqual(shown(attempt, person('b')), [true, true]);
    assert.deepEqual(shown(attempt, person('c')), [false, false]);
    assert.deepEqual(shown(command, person('b')), [false, false]);
    assert.deepEqual(shown({}, organization(['a'])), [true, true]);
    assert.deepEqual(shown({}, organization(['b'])), [false, false]);
    assert.deepEqual(shown({}, organization(['a'], app)), [false, true]);
    assert.deepEqual(shown(command, organization(['a', 'b'])), [false, false]);
  });
});
