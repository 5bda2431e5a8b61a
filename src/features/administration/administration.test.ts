import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  assertError,
  type Client,
  RESERVING_NAMES,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { openPostOffice, type PostOffice, queued, verify } from '../../../test/mail/post-office.ts';
import { collaborate, expectStatus, makeDocument, onTheWeb } from '../../../test/rest/scenario.ts';
import { newVisitor, PASSWORD, signIn, signUp } from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import type { Actor } from '../../core/context.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { findAccountByUsername } from '../../core/identity/account-store.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { authenticate, createToken } from '../../core/identity/token-service.ts';
import { appointOrganizationAdmin } from './organizations-service.ts';
import { listPeople } from './people-service.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  makeResetLink,
  type PersonChange,
  unlockPerson,
} from './person-service.ts';

let office: PostOffice;
let service: Service;
let root: Client;
let counter = 0;

before(async () => {
  office = await openPostOffice();
  service = await startService(office.settings, RESERVING_NAMES);
  root = await administrator('chief');
});
after(async () => {
  await service.stop();
  await office.close();
});
beforeEach(async () => {
  await until('an empty queue', async () => (await queued(service)) === 0);
  office.mails.length = 0;
});

/** Creates an administrator, and a client with a token that may administer. */
async function administrator(username: string): Promise<Client> {
  await service.user(username);
  await setAdmin(service.app.context, undefined, { username, isAdmin: true });
  return withScopes(username, ALL_SCOPES);
}

async function withScopes(username: string, scopes: readonly (typeof ALL_SCOPES)[number][]) {
  const input = { username, name: 'admin', lifetimeMs: undefined, scopes };
  return service.client((await createToken(service.app.context, input)).token);
}

const FIRST_PAGE = { number: 1, size: 30 };

async function actorOf({ token }: Client): Promise<Actor> {
  return (await authenticate(service.app.context, token as string, 'api')) as Actor;
}

/** Creates an account with a verified address. */
async function person(name = 'person'): Promise<Client> {
  counter += 1;
  const client = await service.user(`${name}${counter}`);
  await verify(service, client.username);
  return client;
}

/** Waits for the mails, and returns their subjects and the body of the last. */
async function mailed(): Promise<{ subjects: string[]; body: string }> {
  await until('an empty queue', async () => (await queued(service)) === 0);
  const mails = office.mails.splice(0);
  return { subjects: mails.map(({ subject }) => subject ?? ''), body: mails.at(-1)?.text ?? '' };
}

/** Returns the entries of the audit trail about an account, the last first. */
async function audited(accountId: string) {
  return service.app.context.sql.read
    .selectFrom('audit_entry')
    .where('accountId', '=', accountId)
    .select(['action', 'actorName as actor', 'subject', 'means'])
    .orderBy('id', 'desc')
    .execute();
}

describe('The list of people', () => {
  it('has what each account stores', async () => {
    const ada = await person('store');
    await makeDocument(ada, 'one', { content: 'x'.repeat(1000), visibility: 'private' });
    await expectStatus(ada.patch(`/briefs/${ada.username}/one`, { content: 'y'.repeat(500) }), 200);
    await makeDocument(ada, 'gone', { content: 'z'.repeat(300) });
    await expectStatus(ada.delete(`/briefs/${ada.username}/gone`), 204);
    const [row, ...others] = (await root.get(`/admin/users?q=${ada.username}`)).data;
    assert.deepEqual(others, []);
    assert.equal(row.email, `${ada.username}@example.com`);
    assert.equal(row.lastSignInAt, null);
    const { usage } = row;
    assert.equal(usage.documents, 1);
    assert.equal(usage.currentBytes, 500);
    assert.equal(usage.trashBytes, 300);
    assert.equal(usage.fileBytes, 0);
    assert.ok(usage.historyBytes > 0);
    assert.equal(
      usage.totalBytes,
      usage.currentBytes + usage.trashBytes + usage.historyBytes + usage.fileBytes,
    );
  });

  it('finds by the start of a name or an address, and filters', async () => {
    const { context } = service.app;
    await createAccount(context, { username: 'findable', email: 'zed@somewhere.example' });
    const names = async (query: string) =>
      (await root.get(`/admin/users?${query}`)).data.map(
        (row: { username: string }) => row.username,
      );
    assert.deepEqual(await names('q=FINDA'), ['findable']);
    assert.deepEqual(await names('q=Zed@'), ['findable']);
    assert.deepEqual(await names('q=indable'), []);
    assert.deepEqual(await names('filter=admins'), ['chief']);
    await setAccountDisabled(context, 'findable', true);
    assert.deepEqual(await names('filter=disabled'), ['findable']);
    assert.ok((await names('filter=new')).includes('findable'));
    const visitor = await signUp(service, 'signer');
    assert.ok(visitor);
    assert.ok(!(await names('filter=new')).includes('signer'));
    for (const filter of ['unverified', 'singleFactor', 'unlinked']) {
      assert.ok((await names(`filter=${filter}`)).includes('signer'), filter);
    }
    await changePerson(context, await onTheWeb(service, root), 'signer', { emailVerified: true });
    assert.ok(!(await names('filter=unverified')).includes('signer'));
    const { waysIn } = (await root.get('/admin/users/signer')).data;
    assert.deepEqual(waysIn, { password: true, provider: false, passkeys: 0 });
  });

  it('has result pages, with every account once', async () => {
    const { context } = service.app;
    for (let index = 0; index < 55; index += 1) {
      const username = `many-${index}`;
      await createAccount(context, { username, email: `${username}@example.com` });
    }
    const all: string[] = [];
    for (const page of [1, 2, 3]) {
      const { data, headers } = await root.get(`/admin/users?q=many-&per_page=25&page=${page}`);
      all.push(...data.map(({ username }: { username: string }) => username));
      assert.match(headers.get('link') ?? '', /q=many-&per_page=25&page=3>; rel="last"/);
    }
    assert.deepEqual(
      all,
      Array.from({ length: 55 }, (_, index) => `many-${54 - index}`),
    );
    const past = await root.get('/admin/users?q=many-&page=9');
    assert.deepEqual([past.status, past.data], [200, []]);
  });

  it('one person’s page names documents, tokens and memberships, but has no text', async () => {
    const ada = await person('shown');
    await makeDocument(ada, 'secret-plan', { content: '# Hidden words', visibility: 'private' });
    counter += 1;
    await expectStatus(ada.post('/user/orgs', { namespace: `org${counter}`, name: 'Org' }), 201);
    const answer = await root.get(`/admin/users/${ada.username}`);
    assert.doesNotMatch(answer.text, /Hidden/);
    const { data } = answer;
    assert.deepEqual(data.largestDocuments, [
      { kind: 'brief', name: 'secret-plan', visibility: 'private', isTakenDown: false, bytes: 14 },
    ]);
    assert.deepEqual(data.memberships, [{ namespace: `org${counter}`, role: 'admin' }]);
    assert.deepEqual(
      data.tokens.map(({ name }: { name: string }) => name),
      ['test'],
    );
    assertError(await root.get('/admin/users/nobody'), 404, 'NOT_FOUND', /username/);
  });
});

describe('Acts on an account', () => {
  it('creating one gives a link with which its owner sets a password', async () => {
    const body = { username: 'made', email: 'made@example.com' };
    const { context } = service.app;
    const { account, link } = await createPerson(context, await onTheWeb(service, root), {
      ...body,
      withLink: true,
    });
    assert.equal(account.adminSince, null);
    const { subjects } = await mailed();
    assert.equal(subjects.length, 1);
    assert.match(subjects[0] as string, /address/);
    const [latest, first] = await audited(account.id);
    const actions = [latest?.action, first?.action].sort();
    assert.deepEqual(actions, ['account.created', 'account.reset_link']);
    const path = new URL(`${link}`).pathname;
    const visitor = newVisitor(service);
    const asked = (await visitor.get(path)).text;
    assert.match(asked, /Choose your password/);
    assert.doesNotMatch(asked, /sessions|old one/);
    const set = await visitor.post(path, { password: PASSWORD });
    assert.ok(set.status < 400, set.text);
    assert.equal((await signIn(newVisitor(service), 'made')).status, 303);
    assert.deepEqual([latest?.actor, first?.actor], ['chief', 'chief']);
    const without = await root.post('/admin/users', { username: 'plain', email: 'p@example.com' });
    assert.equal(without.status, 201, without.text);
    assertError(await root.post('/admin/users', body), 422, 'UNPROCESSABLE', /username/);
  });

  for (const [change, action, subject] of [
    [{ disabled: true }, 'account.disabled', 'Your account was disabled'],
    [
      { email: 'else@example.org' },
      'account.email_changed',
      'Your account has another email address',
    ],
    [{ admin: true }, 'account.admin_granted', 'You administer this server'],
  ] as const) {
    it(`${Object.keys(change)} is recorded, and mailed`, async () => {
      const ada = await person();
      const { context } = service.app;
      const by = await onTheWeb(service, root);
      const { id } = await changePerson(context, by, ada.username, change);
      const { subjects } = await mailed();
      assert.ok(subjects.includes(subject), subjects.join());
      const [entry] = await audited(id);
      const expected = { action, actor: 'chief', subject: ada.username, means: 'web' };
      assert.deepEqual(entry, expected);
      if ('admin' in change) await changePerson(context, by, ada.username, { admin: false });
    });
  }

  it('the mail says that an administrator did it', async () => {
    const ada = await person();
    await expectStatus(root.delete(`/admin/users/${ada.username}/sessions`), 204);
    const { subjects, body } = await mailed();
    assert.deepEqual(subjects, ['You were signed out everywhere']);
    assert.match(body, /by an administrator/);
    assert.match(body, /If you didn’t expect this, ask/);
  });

  it('several changes are one: all happen, or none', async () => {
    const ada = await person();
    const path = `/admin/users/${ada.username}`;
    const change = async (changes: PersonChange) =>
      changePerson(service.app.context, await onTheWeb(service, root), ada.username, changes);
    await assert.rejects(change({ disabled: true, email: 'chief@example.com' }), /email/);
    assert.equal((await root.get(path)).data.disabledAt, null);
    const good = await change({ email: 'new@example.net', emailVerified: true });
    assert.equal(good.email, 'new@example.net');
    assert.notEqual(good.emailVerifiedAt, null);
    const { subjects } = await mailed();
    assert.deepEqual(subjects.sort(), [
      'Your account has another email address',
      'Your email address was verified',
    ]);
  });

  it('a renamed account keeps its documents, and its former name stays reserved', async () => {
    const ada = await person('before');
    const grace = await person();
    const from = ada.username;
    const to = `${from}-after`;
    const shared = await makeDocument(ada, 'kept', { content: '# Kept\n' });
    await collaborate(ada, shared, grace, 'write');
    assert.equal((await fetch(`${service.webUrl}/${from}/kept`)).status, 200);
    const byProgram = await root.patch(`/admin/users/${from}`, { username: to });
    assertError(byProgram, 400, 'BAD_REQUEST', /username/);
    const by = await onTheWeb(service, root);
    const rename = (username: string, to: string, who = by) =>
      changePerson(service.app.context, who, username, { username: to });
    const program = { ...by, via: { ...by.via, means: 'token' as const } };
    await assert.rejects(rename(from, to, program), { code: 'FORBIDDEN' });
    assert.equal((await rename(from, to.toUpperCase())).username, to);
    assert.equal((await ada.get(`/briefs/${to}/kept`)).status, 200);
    assert.equal((await grace.get(`/briefs/${to}/kept`)).status, 200);
    const page = await fetch(`${service.webUrl}/${to}/kept`, { headers: { accept: 'text/html' } });
    assert.doesNotMatch(await page.text(), new RegExp(`/${from}/`));
    assert.equal((await fetch(`${service.webUrl}/${from}/kept`)).status, 404);
    assertError(
      await root.post('/admin/users', { username: from, email: 'again@example.com' }),
      422,
      'UNPROCESSABLE',
      /reserved/,
    );
    const { subjects } = await mailed();
    assert.ok(subjects.includes('Your account has a new username'));
    await assert.rejects(rename(to, 'chief'), { code: 'UNPROCESSABLE', message: /username/ });
    await assert.rejects(rename(to, from), { message: /deleted or renamed/ });
    assert.equal((await rename(to, to)).username, to);
  });

  it('revoking access ends tokens; unlocking forgets failures; both are mailed', async () => {
    const ada = await person();
    await expectStatus(root.delete(`/admin/users/${ada.username}/access`), 204);
    assert.equal((await ada.get('/user')).status, 401);
    await unlockPerson(service.app.context, await onTheWeb(service, root), ada.username);
    const { subjects } = await mailed();
    assert.deepEqual(subjects, ['Your tokens and apps were disconnected', 'You can sign in again']);
  });

  it('a link to a new password is refused for a disabled account', async () => {
    const ada = await person();
    const path = `/admin/users/${ada.username}`;
    const makeLink = async () =>
      makeResetLink(service.app.context, await onTheWeb(service, root), ada.username);
    assert.match(await makeLink(), /\/sign-in\/reset\//);
    assert.deepEqual((await mailed()).subjects, [
      'A link to a new password was made for your account',
    ]);
    await expectStatus(root.patch(path, { disabled: true }), 200);
    await assert.rejects(makeLink(), { code: 'UNPROCESSABLE' });
  });

  it('a token leads to no password, address or right of others, whatever its scopes', async () => {
    const { context } = service.app;
    const ada = await person();
    const by = await actorOf(root);
    const { username } = ada;
    const attempts: Record<string, () => Promise<unknown>> = {
      link: () => makeResetLink(context, by, username),
      'account with a link': () =>
        createPerson(context, by, { username: 'eve', email: 'eve@example.com', withLink: true }),
      address: () => changePerson(context, by, username, { email: 'eve@example.com' }),
      verified: () => changePerson(context, by, username, { emailVerified: true }),
      administrator: () => changePerson(context, by, username, { admin: true }),
      'not an administrator': () => changePerson(context, by, 'chief', { admin: false }),
      'administrator by itself': () => setAdmin(context, by, { username, isAdmin: true }),
      unlock: () => unlockPerson(context, by, username),
      admin: () => appointOrganizationAdmin(context, by, 'none', username),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      await assert.rejects(attempt(), { code: 'FORBIDDEN', message: /Only people can/ }, what);
    }
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    const described = JSON.stringify(
      Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/admin/'))),
    );
    assert.doesNotMatch(described, /reset-link|\/lock|\/admins\//);
    for (const body of [{ admin: true }, { email: 'e@example.com' }, { emailVerified: true }]) {
      const sent = root.patch(`/admin/users/${username}`, { disabled: false, ...body });
      assertError(await sent, 400, 'BAD_REQUEST');
    }
    assert.deepEqual((await mailed()).subjects, []);
  });

  it('deleting shows what goes, and needs the name on the web', async () => {
    const { context } = service.app;
    const ada = await person();
    await makeDocument(ada, 'one');
    const path = `/admin/users/${ada.username}`;
    const { data } = await root.get(`${path}/deletion`);
    assert.equal(data.briefs, 1);
    assert.deepEqual(data.lastAdminOf, []);
    const by = await actorOf(root);
    await assert.rejects(
      deletePerson(context, by, ada.username, { confirmation: 'other' }),
      /confirm/,
    );
    const account = await findAccountByUsername(context.sql.read, ada.username);
    assertError(await root.delete(path), 422, 'UNPROCESSABLE', /documents/);
    await expectStatus(root.delete(`${path}?documents=delete`), 204);
    assert.equal((await root.get(path)).status, 404);
    assert.deepEqual((await mailed()).subjects, ['Your account was deleted']);
    const [entry] = await audited(account?.id as string);
    assert.equal(entry?.action, 'account.deleted');
    assert.equal(entry?.actor, 'chief');
  });
});

describe('The last administrator', () => {
  it('can’t be removed, disabled or deleted, except by an operator', async () => {
    const { context } = service.app;
    const by = await onTheWeb(service, root);
    await assert.rejects(changePerson(context, by, 'chief', { admin: false }), {
      message: /last administrator/,
    });
    for (const refused of [
      await root.patch('/admin/users/chief', { disabled: true }),
      await root.delete('/admin/users/chief'),
    ]) {
      assertError(refused, 422, 'UNPROCESSABLE', /last administrator/);
    }
    await changePerson(context, undefined, 'chief', { admin: false });
    assert.equal((await root.get('/admin/users')).status, 403);
    await changePerson(context, undefined, 'chief', { admin: true });
    assert.equal((await root.get('/admin/users')).status, 200);
  });

  it('can’t delete their own account while others have one', async () => {
    for (const others of [true, false]) {
      const own = await startService({ FIRST_ACCOUNT: 'admin' });
      try {
        const first = await signUp(own, 'first');
        if (others) await signUp(own, 'other');
        const form = { confirmation: 'first', password: PASSWORD };
        const { status, text } = await first.post('/settings/account/delete', form);
        assert.equal(status, others ? 422 : 303, text);
        if (others) assert.match(text, /first is the last administrator/);
      } finally {
        await own.stop();
      }
    }
  });

  it('is left when two remove one another at once', async () => {
    const { context } = service.app;
    const other = await administrator('second');
    const [by, byOther] = [await onTheWeb(service, root), await onTheWeb(service, other)];
    const done = await Promise.allSettled([
      changePerson(context, by, 'second', { admin: false }),
      changePerson(context, byOther, 'chief', { disabled: true }),
    ]);
    assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
    const { items } = await listPeople(context, undefined, { filter: 'admins' }, FIRST_PAGE);
    assert.ok(items.some(({ disabledAt }) => disabledAt === null));
    await changePerson(context, undefined, 'chief', { admin: true, disabled: false });
    await changePerson(context, undefined, 'second', { admin: false });
  });
});

describe('Organizations', () => {
  it('are listed with their members and what they store', async () => {
    const ada = await person();
    const namespace = `listed${counter}`;
    await expectStatus(ada.post('/user/orgs', { namespace, name: 'Listed' }), 201);
    const brief = { name: 'rota', content: '# Hidden', visibility: 'internal' };
    await expectStatus(ada.post(`/orgs/${namespace}/briefs`, brief), 201);
    const { data } = await root.get(`/admin/orgs?q=${namespace.toUpperCase()}`);
    assert.equal(data.length, 1);
    const [row] = data;
    assert.deepEqual([row.members, row.admins, row.activeAdmins], [1, 1, 1]);
    assert.equal(row.usage.documents, 1);
    const one = await root.get(`/admin/orgs/${namespace}`);
    assert.doesNotMatch(one.text, /Hidden/);
    assert.deepEqual(
      one.data.people.map(({ username }: { username: string }) => username),
      [ada.username],
    );
    assert.equal(one.data.largestDocuments[0].name, 'rota');
    assertError(await root.get('/admin/orgs/nowhere'), 404, 'NOT_FOUND', /org/);
  });

  it('one whose admins are disabled gets an admin; one that has an admin doesn’t', async () => {
    const { context } = service.app;
    const ada = await person();
    const grace = await person();
    const namespace = `broken${counter}`;
    await expectStatus(ada.post('/user/orgs', { namespace, name: 'Broken' }), 201);
    const by = await onTheWeb(service, root);
    const appoint = ({ username }: { username: string }) =>
      appointOrganizationAdmin(context, by, namespace, username);
    await assert.rejects(appoint(grace), { code: 'UNPROCESSABLE', field: 'org' });
    const adminless = async () =>
      (await root.get('/admin/orgs?filter=adminless')).data.map(
        (row: { namespace: string }) => row.namespace,
      );
    assert.ok(!(await adminless()).includes(namespace));
    await setAccountDisabled(context, ada.username, true);
    assert.ok((await adminless()).includes(namespace));
    for (const absent of [{ username: 'nobody' }, ada]) {
      await assert.rejects(appoint(absent), { code: 'NOT_FOUND', field: 'username' });
    }
    office.mails.length = 0;
    await appoint(grace);
    assert.deepEqual((await mailed()).subjects, ['You are an admin of Broken']);
    assert.equal((await grace.get(`/orgs/${namespace}`)).data.role, 'admin');
    const { id } = (await root.get(`/admin/users/${grace.username}`)).data;
    assert.equal((await audited(id))[0]?.action, 'organization.admin_appointed');
    // Again changes nothing.
    await appoint(grace);
    const other = await person();
    await assert.rejects(appoint(other), { code: 'UNPROCESSABLE', field: 'org' });
    await appointOrganizationAdmin(context, undefined, namespace, other.username);
    assert.equal((await root.get(`/admin/orgs/${namespace}`)).data.activeAdmins, 2);
  });
});

describe('Background work', () => {
  it('a test mail is sent at once, and has the server’s answer', async () => {
    const good = await root.post('/admin/test-mail');
    assert.equal(good.data.sent, true);
    assert.match(good.data.answer, /^250 /);
    assert.deepEqual(office.mails.at(-1)?.recipients, ['chief@example.com']);
    office.answer = 550;
    try {
      const bad = await root.post('/admin/test-mail');
      assert.equal(bad.data.sent, false);
      assert.match(bad.data.answer, /550/);
    } finally {
      office.answer = 250;
    }
  });

  it('a failing mail says why, and is sent when it is tried again', async () => {
    const ada = await person();
    office.answer = 451;
    await expectStatus(root.delete(`/admin/users/${ada.username}/sessions`), 204);
    const failing = async () => (await root.get('/admin/work')).data.mails;
    try {
      await until('a failed attempt', async () => (await failing()).length > 0);
    } finally {
      office.answer = 250;
    }
    const [mail] = await failing();
    assert.equal(mail.kind, 'security');
    assert.equal(mail.attempts, 1);
    assert.match(mail.fault, /451/);
    assert.ok(mail.nextAt > service.app.context.now());
    const retried = await root.post('/admin/work/retries', { work: 'mail' });
    assert.equal(retried.data.tried, 1);
    assert.deepEqual((await mailed()).subjects, ['You were signed out everywhere']);
    assert.deepEqual(await failing(), []);
  });

  it('failing deliveries show the host of the address only', async () => {
    const ada = await person();
    const url = 'https://hooks.example.com/secret-path';
    const hook = await ada.post('/user/webhooks', { url, types: ['revision.created'] });
    const { context } = service.app;
    const now = context.now();
    const nextAt = new Date(Date.parse(now) + 3_600_000).toISOString();
    await context.sql.transaction((tx) =>
      tx
        .insertInto('webhook_delivery')
        .values({
          id: context.newId(),
          webhookId: hook.data.id,
          eventId: null,
          status: 'pending',
          attempt: 2,
          nextAt,
          code: 503,
          fault: 'status',
          createdAt: now,
          attemptedAt: now,
        })
        .execute(),
    );
    const answer = await root.get('/admin/work');
    assert.doesNotMatch(answer.text, /secret-path/);
    const [delivery] = answer.data.deliveries;
    assert.equal(delivery.host, 'hooks.example.com');
    assert.equal(delivery.owner, ada.username);
    assert.deepEqual([delivery.attempts, delivery.code, delivery.nextAt], [2, 503, nextAt]);
    const retried = await root.post('/admin/work/retries', { work: 'webhooks' });
    assert.equal(retried.data.tried, 1);
    const work = answer.data.queues.map(({ work }: { work: string }) => work);
    assert.deepEqual(work, ['mail', 'webhooks', 'search', 'feed', 'packing']);
  });

  it('storage has totals, and what was created on each of 30 days', async () => {
    const { data } = await root.get('/admin/storage');
    assert.ok(data.totals.accounts > 1);
    assert.ok(data.totals.databaseBytes > 0);
    assert.equal(data.days.length, 30);
    assert.equal(data.days.at(-1).day, service.app.context.now().slice(0, 10));
    assert.ok(data.days.at(-1).accounts > 1);
    assert.ok(data.days.at(-1).documents > 0);
  });
});

describe('RELEASES_URL', () => {
  it('is asked once a day for the latest release, and a newer one is named', async () => {
    let answer: object = { tag_name: 'v1.10.0', html_url: 'https://example.com/releases/1.10.0' };
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const shown = async () => {
      const settings = { RELEASES_URL: `http://127.0.0.1:${port}/latest`, FIRST_ACCOUNT: 'admin' };
      const fresh = await startService(settings);
      try {
        const chief = await signUp(fresh, 'chief');
        await chief.get('/admin/work');
        return (await chief.get('/admin/work')).text;
      } finally {
        await fresh.stop();
      }
    };
    assert.match(
      await shown(),
      /This is Briefs 1\.0\.0\. <a href="https:\/\/example\.com\/releases\/1\.10\.0">Version 1\.10\.0<\/a> has been released/,
    );
    assert.equal(asked, 1);
    for (const other of [
      { tag_name: 'v1.0.0', html_url: 'https://example.com' },
      { tag_name: 2 },
    ]) {
      answer = other;
      assert.match(await shown(), /This is Briefs 1\.0\.0\.\s*<\/p>/);
    }
    server.close();
  });
});

describe('FIRST_ACCOUNT=admin', () => {
  it('makes exactly one administrator, also of two who sign up at once', async () => {
    const fresh = await startService({ FIRST_ACCOUNT: 'admin' });
    try {
      const { context } = fresh.app;
      const made = await Promise.all(
        ['one', 'two', 'three'].map((username) =>
          createAccount(context, { username, email: `${username}@example.com` }),
        ),
      );
      assert.equal(made.filter(({ adminSince }) => adminSince !== null).length, 1);
      const later = await createAccount(context, { username: 'four', email: 'four@example.com' });
      assert.equal(later.adminSince, null);
      const { items } = await listPeople(context, undefined, { filter: 'admins' }, FIRST_PAGE);
      assert.equal(items.length, 1);
    } finally {
      await fresh.stop();
    }
  });

  it('is off by default', async () => {
    const fresh = await startService();
    try {
      const { adminSince } = await createAccount(fresh.app.context, {
        username: 'one',
        email: 'one@example.com',
      });
      assert.equal(adminSince, null);
    } finally {
      await fresh.stop();
    }
  });
});
