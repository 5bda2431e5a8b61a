import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { newVisitor, type Visitor } from '../../../test/sign-in/visitor.ts';
import { makePerson } from '../../../test/web-app/world.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES, USUAL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { changePerson } from './person-service.ts';

/** Pages, forms and what they may answer to an administrator. */
const PAGES = [
  '/admin/people',
  '/admin/people/new',
  '/admin/people/victim',
  '/admin/people/victim/rename',
  '/admin/people/victim/email',
  '/admin/people/victim/delete',
  '/admin/people/victim/verify',
  '/admin/people/victim/reset-link',
  '/admin/people/victim/unlock',
  '/admin/people/victim/sessions',
  '/admin/people/victim/access',
  '/admin/people/victim/second-factor',
  '/admin/people/victim/make-admin',
  '/admin/people/victim/remove-admin',
  '/admin/people/victim/disable',
  '/admin/people/victim/enable',
  '/admin/people/victim/hand-over',
  '/admin/organizations',
  '/admin/organizations/engines',
  '/admin/organizations/engines/appoint',
  '/admin/work',
  '/admin/storage',
];

/** The last ones change what the others need. */
const FORMS: [path: string, form: Record<string, string>, status: number][] = [
  ['/admin/people/new', { username: 'made', email: 'made@example.com' }, 303],
  ['/admin/people/new', { username: 'linked', email: 'l@example.com', link: 'yes' }, 201],
  ['/admin/people/new', { username: '!', email: 'x' }, 422],
  ['/admin/people/victim/email', { email: 'victim@example.org' }, 303],
  ['/admin/people/victim/email', { email: 'no address' }, 422],
  ['/admin/people/victim/verify', {}, 303],
  ['/admin/people/victim/reset-link', {}, 201],
  ['/admin/people/victim/unlock', {}, 303],
  ['/admin/people/victim/sessions', {}, 303],
  ['/admin/people/victim/access', {}, 303],
  ['/admin/people/victim/second-factor', {}, 422],
  ['/admin/people/victim/make-admin', {}, 303],
  ['/admin/people/victim/remove-admin', {}, 303],
  ['/admin/people/victim/hand-over', { to: 'second' }, 303],
  ['/admin/people/victim/hand-over', { to: 'nobody' }, 422],
  ['/admin/people/victim/disable', { documents: 'hand-over', to: '' }, 422],
  ['/admin/people/victim/disable', {}, 303],
  ['/admin/people/victim/enable', {}, 303],
  ['/admin/people/chief/remove-admin', {}, 422],
  ['/admin/people/chief/disable', {}, 422],
  ['/admin/organizations/engines/appoint', { username: 'victim' }, 422],
  ['/admin/organizations/engines/appoint', { username: 'nobody' }, 422],
  ['/admin/organizations/orphaned/appoint', { username: 'victim' }, 303],
  ['/admin/work/retry', { work: 'mail' }, 303],
  ['/admin/work/test-mail', {}, 422],
  ['/admin/people/victim/delete', { confirmation: 'victim!' }, 422],
  ['/admin/people/second/rename', { to: 'chief' }, 422],
  ['/admin/people/second/rename', { to: 'renamed' }, 303],
  ['/admin/people/renamed/delete', { confirmation: 'Renamed' }, 303],
];

const OPERATIONS: [method: string, path: string, body?: object][] = [
  ['GET', '/admin/users'],
  ['POST', '/admin/users', { username: 'by-program', email: 'by-program@example.com' }],
  ['GET', '/admin/users/victim'],
  ['PATCH', '/admin/users/victim', { disabled: false }],
  ['GET', '/admin/users/victim/deletion'],
  ['POST', '/admin/users/head/hand-over', { to: 'engines' }],
  ['DELETE', '/admin/users/victim/sessions'],
  ['DELETE', '/admin/users/victim/access'],
  ['GET', '/admin/orgs'],
  ['GET', '/admin/orgs/engines'],
  ['GET', '/admin/work'],
  ['POST', '/admin/work/retries', { work: 'mail' }],
  ['POST', '/admin/test-mail'],
  ['GET', '/admin/storage'],
  ['DELETE', '/admin/users/doomed'],
];

describe('Who can administer the instance', () => {
  let service: Service;
  /** Browsers and API clients, by who has them. */
  const visitors: Record<string, Visitor> = {};
  const clients: Record<string, Client> = {};

  before(async () => {
    service = await startService();
    const { context } = service.app;
    const withScope = async (username: string, scopes: typeof ALL_SCOPES) => {
      const input = { username, name: 'admin', lifetimeMs: undefined, scopes };
      return service.client((await createToken(context, input)).token);
    };
    for (const username of ['chief', 'plain', 'head', 'former', 'disabled', 'victim', 'second']) {
      const person = await makePerson(service, username);
      visitors[username] = person.visitor;
      clients[username] = person.client;
    }
    visitors.nobody = newVisitor(service);
    clients.nobody = service.client();
    await service.user('doomed');
    await clients.head?.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    for (const namespace of ['orphaned', 'deserted']) {
      const leaver = await service.user(`leaver-${namespace}`);
      await leaver.post('/user/orgs', { namespace, name: namespace });
      await setAccountDisabled(context, `leaver-${namespace}`, true);
    }
    for (const username of ['chief', 'plain', 'former', 'disabled']) {
      await setAdmin(context, undefined, { username, isAdmin: true });
    }
    clients.withScope = await withScope('chief', ALL_SCOPES);
    clients.plainWithScope = await withScope('plain', ALL_SCOPES);
    clients.formerWithScope = await withScope('former', ALL_SCOPES);
    clients.disabledWithScope = await withScope('disabled', ALL_SCOPES);
    clients.withUsualScopes = await withScope('chief', USUAL_SCOPES);
    for (const username of ['plain', 'former']) {
      await setAdmin(context, undefined, { username, isAdmin: false });
    }
    await setAccountDisabled(context, 'disabled', true);
  });
  after(() => service.stop());

  const send = (client: Client, [method, path, body]: (typeof OPERATIONS)[number]) =>
    client.request(path, {
      method,
      ...(body && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });

  for (const [who, status, code] of [
    ['nobody', 401, 'UNAUTHORIZED'],
    ['plain', 403, 'FORBIDDEN'],
    ['head', 403, 'FORBIDDEN'],
    // A token that was created without scopes.
    ['chief', 403, 'FORBIDDEN'],
    ['withUsualScopes', 403, 'FORBIDDEN'],
    ['plainWithScope', 403, 'FORBIDDEN'],
    ['formerWithScope', 403, 'FORBIDDEN'],
    ['disabledWithScope', 401, 'UNAUTHORIZED'],
  ] as const) {
    it(`${who} can call no operation of administrators`, async () => {
      for (const operation of OPERATIONS) {
        const answer = await send(clients[who] as Client, operation);
        assert.equal(answer.status, status, `${operation.join(' ')}: ${answer.text}`);
        assert.equal(answer.json.error.code, code);
      }
    });
  }

  for (const who of ['nobody', 'plain', 'head', 'former', 'disabled'] as const) {
    it(`${who} sees no page of administrators, and can send none of their forms`, async () => {
      const visitor = visitors[who] as Visitor;
      const isSignedOut = who === 'nobody' || who === 'disabled';
      const all = [
        ...(await Promise.all([...PAGES, '/admin'].map((path) => visitor.get(path)))),
        ...(await Promise.all(FORMS.map(([path, form]) => visitor.post(path, form)))),
      ];
      for (const { status, text, headers } of all) {
        assert.equal(status, isSignedOut ? 303 : 404, text);
        if (isSignedOut) assert.match(headers.get('location') ?? '', /^\/sign-in/);
        else assert.match(text, /There is nothing at this address/);
        assert.doesNotMatch(text, /victim@|href="\/admin/);
      }
    });
  }

  it('an administrator sees every page, and the link to them', async () => {
    const chief = visitors.chief as Visitor;
    assert.equal((await chief.get('/admin')).headers.get('location'), '/admin/people');
    for (const path of PAGES) {
      const { status, text } = await chief.get(path);
      assert.equal(status, 200, path);
      assert.match(text, /href="\/admin"/);
    }
    assert.doesNotMatch((await (visitors.plain as Visitor).get('/settings')).text, /\/admin/);
    assert.equal((await chief.get('/admin/people/nobody')).status, 404);
    assert.match((await chief.get('/admin/people?q=vict')).text, /victim@example\.com/);
    assert.doesNotMatch((await chief.get('/admin/people?q=xyz')).text, /victim@/);
  });

  it('offers the permission to administrators only', async () => {
    const form = { name: 'mine', scopes: 'admin', lifetime: '7' };
    const [chief, user] = [visitors.chief as Visitor, visitors.plain as Visitor];
    assert.match((await chief.get('/settings/tokens')).text, /value="admin"/);
    assert.doesNotMatch((await user.get('/settings/tokens')).text, /value="admin"/);
    assert.equal((await chief.post('/settings/tokens', form)).status, 201);
    const refused = await user.post('/settings/tokens', form);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /only administrators/i);
  });

  it('an administrator’s token with the scope can call every operation', async () => {
    for (const operation of OPERATIONS) {
      const answer = await send(clients.withScope as Client, operation);
      // This service has no mail server.
      const isMail = operation[1] === '/admin/test-mail';
      const isGood = isMail ? answer.status === 422 : answer.status < 300;
      assert.ok(isGood, `${operation.join(' ')}: ${answer.status} ${answer.text}`);
    }
  });

  it('an administrator can send every form, also without a script', async () => {
    const chief = visitors.chief as Visitor;
    for (const [path, form, status] of FORMS) {
      const answer = await chief.post(path, form);
      assert.equal(answer.status, status, `${path}: ${answer.text}`);
    }
    const { app } = service;
    await changePerson(app.context, undefined, 'chief', { admin: false });
    assert.equal((await chief.get('/admin/people')).status, 404);
  });
});
