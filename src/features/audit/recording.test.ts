import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { formFor } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { UNSENT_MAIL, verify } from '../../../test/mail/post-office.ts';
import { obtainTokens, register } from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { succeed } from '../../../test/process.ts';
import {
  collaborate,
  expectStatus,
  invite,
  makeDocument,
  onTheWeb,
} from '../../../test/rest/scenario.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
} from '../../../test/sign-in/visitor.ts';
import { stackSettings } from '../../../test/stack.ts';
import { until } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { AUDIT_ACTIONS } from '../../core/audit/actions.ts';
import { listAuditEntries } from '../../core/audit/audit-store.ts';
import { callOf } from '../../core/context.ts';
import { findAccountByUsername } from '../../core/identity/account-store.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';
import { accountLinkToken } from '../accounts/account-link.ts';
import { resetLink } from '../accounts/reset-service.ts';
import { acceptSuggestions } from '../suggestions/suggestion-service.ts';
import { type AuditEntry, entryOf } from './audit-entry.ts';

const HERE = '192.0.2.1';
const BROWSER = {
  means: 'web',
  meansName: null,
  address: HERE,
  device: 'Firefox on Linux',
} as const;
const TOKEN = { means: 'token', meansName: 'world' } as const;

const ELSEWHERE = [
  'account.access_revoked',
  'account.renamed',
  'account.second_factor_reset',
  'account.sessions_ended',
  'application.narrowed',
  'codes.turned_off',
  'codes.turned_on',
  'document.reports_closed',
  'document.takedown_ended',
  'document.taken_down',
  'file.taken_away',
  'invitation.sign_up_created',
  'invitation.sign_up_revoked',
  'organization.admin_appointed',
  'organization.second_factor_changed',
  'passkey.added',
  'passkey.removed',
  'provider.linked',
  'provider.refused',
  'provider.unlinked',
  'recovery_code.used',
  'recovery_codes.made',
  'second_factor.failed',
  'work.retried',
];

describe('The audit trail', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-audit-'));
  let settings: Record<string, string>;
  let service: Service;
  let ada: Person;
  let grace: Person;
  const done = new Set<string>();

  before(async () => {
    settings = { DATA_DIR: dataDir, ...(await stackSettings(dataDir)) };
    service = await startWithVisitors({ ...UNSENT_MAIL, ...settings });
    ada = await named('ada');
    grace = await named('grace');
    for (const name of ['ada', 'grace']) await verify(service, name);
    await expectStatus(
      ada.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' }),
      201,
    );
  });
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function named(username: string): Promise<Person> {
    const person = await makePerson(service, username);
    return { ...person, client: { ...person.client, username } };
  }

  async function entries(): Promise<AuditEntry[]> {
    const rows = await listAuditEntries(service.app.context.sql.read, {}, { size: 1_000 });
    return rows.map(entryOf);
  }

  /** Does something and requires exactly these new entries, oldest first. */
  async function records(
    work: () => Promise<unknown>,
    ...expected: (Partial<AuditEntry> & { action: string })[]
  ): Promise<AuditEntry[]> {
    const known = new Set((await entries()).map(({ id }) => id));
    await work();
    const made = async () => (await entries()).filter(({ id }) => !known.has(id)).reverse();
    if (expected.some(({ action }) => action === 'session.failed')) {
      await until('an entry', async () => (await made()).length > 0);
    }
    const found = await made();
    assert.deepEqual(
      found.map(({ action }) => action),
      expected.map(({ action }) => action),
    );
    for (const [index, want] of expected.entries()) {
      done.add(want.action);
      const entry = found[index] as AuditEntry;
      const got = Object.keys(want).map((key) => [key, entry[key as keyof AuditEntry]]);
      assert.deepEqual(Object.fromEntries(got), want);
    }
    return found;
  }

  const idOf = async (name: string) =>
    (await findOwner(service.app.context.sql.read, name))?.id ?? null;

  it('has signing up, in and out, with where from', async () => {
    const by = { actor: 'kay', ...BROWSER };
    const started = { action: 'session.started', detail: { factors: 'password' }, ...by };
    await records(
      () => signUp(service, 'kay'),
      { action: 'account.created', actor: null, subject: 'kay', ...BROWSER },
      started,
    );
    const kay = newVisitor(service);
    await records(() => signIn(kay, 'kay'), started);
    await records(() => kay.post('/sign-out'), { action: 'session.left', ...by });
  });

  it('has one failed sign-in of an account a minute, and none of unknown ones', async () => {
    const at = newVisitor(service, { address: '198.51.100.7' });
    const accountId = await idOf('kay');
    const failed = {
      action: 'session.failed',
      actor: null,
      accountId,
      subject: 'kay',
      address: '198.51.100.7',
    };
    await records(() => signIn(at, 'kay', 'wrong walnuts'), failed);
    await records(() => signIn(at, 'kay', 'wrong walnuts'));
    await records(() => signIn(at, 'nobody', 'wrong walnuts'));
    service.advance(61_000);
    await records(() => signIn(at, 'kay@example.com', 'wrong walnuts'), failed);
  });

  it('has ended sessions', async () => {
    await signIn(newVisitor(service), 'ada');
    const { text } = await ada.visitor.get('/settings/sessions');
    const [, session = ''] = /name="session" value="([^"]+)"/.exec(text) ?? [];
    const by = { actor: 'ada', ...BROWSER };
    await records(() => ada.visitor.post('/settings/sessions/end', { session }), {
      action: 'session.ended',
      ...by,
    });
    await records(() => ada.visitor.post('/settings/sessions/end', { session }));
    const kay = newVisitor(service);
    await signIn(kay, 'kay');
    await records(() => kay.post('/settings/sessions/end-all'), {
      action: 'session.ended',
      actor: 'kay',
      detail: { sessions: 2 },
    });
  });

  it('has passwords', async () => {
    const password = 'four even walnuts';
    const by = { actor: 'ada', ...BROWSER };
    await records(() => ada.visitor.post('/settings/password', { current: 'x', password }));
    await records(
      () => ada.visitor.post('/settings/password', { current: PASSWORD, password }),
      { action: 'password.set', ...by },
      { action: 'session.confirmed', detail: { factors: 'password' }, ...by },
    );
    const unknown = { actor: null, ...BROWSER };
    const accountId = await idOf('grace');
    await records(() => newVisitor(service).post('/sign-in/forgot', { name: 'grace' }), {
      action: 'password.reset_asked',
      subject: 'grace',
      accountId,
      ...unknown,
    });
    await records(() => newVisitor(service).post('/sign-in/forgot', { name: 'nobody' }));
    const link = new URL(await resetLink(service.app.context, 'kay')).pathname;
    await records(() => newVisitor(service).post(link, { password }), {
      action: 'password.reset',
      subject: 'kay',
      ...unknown,
    });
  });

  it('has addresses, without saying which', async () => {
    const form = { email: 'ada@new.example', current: 'four even walnuts' };
    const [entry] = await records(
      () => ada.visitor.post('/settings/email', form),
      { action: 'account.email_changed', actor: 'ada', ...BROWSER },
      { action: 'session.confirmed' },
    );
    assert.ok(!JSON.stringify(entry).includes('new.example'));
    const [secret = ''] = (await loadAuthorizationKeys(service.app.context)).cookie;
    const expiresAt = Date.now() + 3_600_000;
    const accountId = (await idOf('ada')) as string;
    const link = { accountId, state: 'ada@new.example', expiresAt };
    const path = `/verify/${accountLinkToken('verify-email', link, secret)}`;
    await records(() => newVisitor(service).post(path), {
      action: 'account.email_verified',
      subject: 'ada',
      ...BROWSER,
      actor: null,
    });
  });

  it('has tokens', async () => {
    const by = { actor: 'ada', ...BROWSER, subject: 'laptop' };
    const form: [string, string][] = [
      ['name', 'laptop'],
      ['lifetime', '30'],
      ['scopes', 'documents:read'],
    ];
    const [made] = await records(() => ada.visitor.post('/settings/tokens', form), {
      action: 'token.created',
      ...by,
      detail: { scopes: 'documents:read', days: 30 },
    });
    assert.ok(made);
    const { text } = await ada.visitor.get('/settings/tokens');
    const [, id = ''] = /\/settings\/tokens\/([0-9a-f-]{36})\/revoke"/.exec(text) ?? [];
    await records(() => ada.visitor.post(`/settings/tokens/${id}/revoke`), {
      action: 'token.revoked',
      ...by,
    });
  });

  it('has applications', async () => {
    const client = await register(service);
    const visitor = await signedIn(service, (await idOf('ada')) as string);
    let tokens: Awaited<ReturnType<typeof obtainTokens>> | undefined;
    const connected = { action: 'application.connected', actor: 'ada', subject: 'Scribe' };
    await records(async () => {
      tokens = await obtainTokens(service, visitor, client);
    }, connected);
    const { text } = await ada.visitor.get('/settings/applications');
    const [, application = ''] = /name="application" value="([^"]+)"/.exec(text) ?? [];
    const post = () => ada.visitor.post('/settings/applications/disconnect', { application });
    await records(post, { action: 'application.disconnected', actor: 'ada', subject: 'Scribe' });
    await records(post);
    tokens = await obtainTokens(service, visitor, client);
    const body = new URLSearchParams({
      client_id: client.client_id,
      token: tokens.refresh_token,
    });
    await records(() => fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body }), {
      action: 'application.disconnected',
      actor: null,
      accountId: await idOf('ada'),
      subject: 'Scribe',
    });
  });

  it('has what is done with a document', async () => {
    const path = await makeDocument(ada.client, 'plan', { visibility: 'private' });
    const { id: documentId } = (await ada.client.get(path)).data;
    const of = { documentId, ownerId: await idOf('ada'), actor: 'ada' };
    const byToken = { ...of, ...TOKEN, subject: 'ada/plan' };
    await records(() => ada.client.patch(path, { content: 'A text that nobody may see' }));
    await records(() => ada.client.patch(path, { visibility: 'public' }), {
      action: 'document.visibility_changed',
      ...byToken,
      detail: { visibility: 'public' },
    });
    await ada.client.patch(path, { visibility: 'private' });
    await records(() => ada.client.patch(path, { name: 'plan-two' }), {
      action: 'document.renamed',
      ...byToken,
      detail: { name: 'plan-two' },
    });
    await ada.client.patch('/briefs/ada/plan-two', { name: 'plan' });
    await records(() => ada.visitor.post('/delete/ada/plan', {}), {
      action: 'document.deleted',
      ...of,
      ...BROWSER,
      subject: 'ada/plan',
      detail: { forGood: false },
    });
    await records(() => ada.client.post(`/trash/${documentId}/restore`, {}), {
      action: 'document.restored',
      ...byToken,
    });
    await ada.client.delete(path);
    await records(() => ada.client.delete(`/trash/${documentId}`), {
      action: 'document.purged',
      ...byToken,
    });
    const moved = await makeDocument(ada.client, 'moving', { visibility: 'private' });
    await records(
      () => ada.client.post(`${moved}/move`, { owner: 'engines' }),
      {
        action: 'document.moved',
        actor: 'ada',
        ownerId: await idOf('ada'),
        subject: 'ada/moving',
        detail: { to: 'engines/moving' },
      },
      { action: 'document.received', ownerId: await idOf('engines'), subject: 'engines/moving' },
    );
  });

  it('has links, without their secret', async () => {
    const path = await makeDocument(ada.client, 'linked', { visibility: 'private' });
    const of = { actor: 'ada', ...TOKEN, subject: 'ada/linked' };
    let url = '';
    let id = '';
    const [made] = await records(
      async () => {
        const { data } = await ada.client.post(`${path}/links`, { access: 'read' });
        ({ url, id } = data);
      },
      { action: 'link.created', ...of },
    );
    assert.equal(made?.detail.link, id);
    assert.ok(!JSON.stringify(made).includes(url.split('/').at(-1) as string));
    await records(() => ada.client.delete(`${path}/links/${id}`), {
      action: 'link.revoked',
      ...of,
      detail: { link: id },
    });
    await records(() => ada.client.delete(`${path}/links/${id}`));
  });

  it('has collaborators', async () => {
    const path = await makeDocument(ada.client, 'shared', { visibility: 'private' });
    const person = grace.client;
    const of = { subject: 'ada/shared', ...TOKEN, accountId: await idOf('grace') };
    let id = '';
    await records(
      async () => {
        id = await invite(ada.client, path, person, 'read');
      },
      { action: 'collaborator.invited', actor: 'ada', ...of },
    );
    await records(() => ada.client.patch(`${path}/invitations/${id}`, { permission: 'write' }), {
      action: 'invitation.changed',
      actor: 'ada',
      ...of,
    });
    await records(() => grace.client.patch(`/user/brief_invitations/${id}`), {
      action: 'collaborator.accepted',
      actor: 'grace',
      ...of,
      detail: { level: 'write' },
    });
    await records(() => ada.client.put(`${path}/collaborators/grace`, { permission: 'admin' }), {
      action: 'collaborator.level_changed',
      actor: 'ada',
      ...of,
    });
    await records(() => ada.client.delete(`${path}/collaborators/grace`), {
      action: 'collaborator.removed',
      actor: 'ada',
      ...of,
      detail: { username: 'grace' },
    });
    const [byAddress] = await records(
      () =>
        ada.client.post(`${path}/email_invitations`, {
          email: 'secret@example.net',
          permission: 'read',
        }),
      { action: 'collaborator.invited', actor: 'ada', subject: 'ada/shared' },
    );
    assert.ok(!JSON.stringify(byAddress).includes('secret@'));
    const again = await invite(ada.client, path, person, 'read');
    await records(() => grace.client.delete(`/user/brief_invitations/${again}`), {
      action: 'invitation.declined',
      actor: 'grace',
      ...of,
    });
    const third = await invite(ada.client, path, person, 'read');
    await records(() => ada.client.delete(`${path}/invitations/${third}`), {
      action: 'invitation.cancelled',
      actor: 'ada',
      ...of,
    });
  });

  it('has what makes words readable, or erases them', async () => {
    await records(() => makeDocument(ada.client, 'hidden', { visibility: 'private' }));
    let path = '';
    const of = { actor: 'ada', subject: 'ada/shown' };
    await records(
      async () => {
        path = await makeDocument(ada.client, 'shown', { visibility: 'public', content: 'One.\n' });
      },
      { action: 'document.created', ...of, ...TOKEN, detail: { visibility: 'public' } },
    );
    await records(() => ada.client.patch(path, { content: 'Two words.\n' }));
    const pin = (pinned: boolean) => ada.client.patch(`${path}/revisions/1`, { pinned });
    const first = { ...of, detail: { revision: 1 } };
    await records(() => pin(true), { action: 'document.revision_pinned', ...first });
    await records(() => pin(true));
    await records(() => pin(false), { action: 'document.revision_unpinned', ...first });
    const erase = () => ada.client.delete(`${path}/revisions/1`);
    const [erased] = await records(erase, { action: 'document.text_erased', ...first });
    assert.ok(!JSON.stringify(erased).includes('One'));
    await records(erase);

    const { id: document } = (await ada.client.get(path)).data;
    await ada.client.patch(`${path}/review-settings`, { comments: 'readers', protected: true });
    // Strangers can't object to what is protected.
    await ada.client.put(`${path}/reviewers/grace`, {});
    const give = (person: Person, verdict: string) =>
      person.visitor.post('/review/ada/shown', { document, verdict, revision: '2', body: 'Why.' });
    const second = { subject: 'ada/shown', ...BROWSER, detail: { revision: 2 } };
    await records(() => give(grace, 'changes_requested'), {
      action: 'document.changes_requested',
      actor: 'grace',
      ...second,
    });
    await records(() => give(ada, 'approved'), {
      action: 'document.approved',
      actor: 'ada',
      ...second,
    });
    const suggestion = { body: 'Better.', on: { quote: 'Two' }, replacement: 'Three' };
    const { id } = (await expectStatus(grace.client.post(`${path}/threads`, suggestion), 201)).data;
    const actor = await onTheWeb(service, ada.client);
    const ref = { kind: 'brief', owner: 'ada', name: 'shown' } as const;
    const [accepted] = await records(
      () => acceptSuggestions(callOf(service.app.context, actor), ref, [id]),
      { action: 'document.words_accepted', ...of, detail: { revision: 3 } },
    );
    assert.ok(!JSON.stringify(accepted).includes('Three'));
    const { data: thread } = await ada.client.get(`${path}/threads/${id}`);
    await records(
      () => ada.client.delete(`${path}/threads/${id}/comments/${thread.comments[0].id}`),
      {
        action: 'document.comment_deleted',
        ...of,
        detail: { thread: id },
      },
    );
    const own = (await ada.client.post(`${path}/threads`, { body: 'Mine.' })).data;
    await records(() =>
      ada.client.delete(`${path}/threads/${own.id}/comments/${own.comments[0].id}`),
    );
  });

  it('has imports, exports and deleted files', async () => {
    const form = new FormData();
    const choice = { owner: 'ada', visibility: 'public', ifTaken: 'skip' };
    for (const [name, value] of Object.entries(choice)) form.set(name, value);
    form.append('files', new Blob(['# Imported\n']), 'imported.md');
    form.append('files', new Blob(['no']), 'no.exe');
    const of = { actor: 'ada', ...BROWSER, ownerId: await idOf('ada') };
    await records(
      () => ada.visitor.post('/import', form),
      { action: 'document.created', ...of, subject: 'ada/imported' },
      {
        action: 'document.imported',
        ...of,
        subject: 'ada',
        detail: { documents: 1, visibility: 'public' },
      },
    );
    await records(() => ada.visitor.get('/export?history'), {
      action: 'document.exported',
      ...of,
      subject: 'ada',
      detail: { history: true },
    });
    const { id } = (
      await ada.client.request('/user/files', { method: 'POST', body: formFor('file') })
    ).data;
    await records(() => ada.client.delete(`/user/files/${id}`), {
      action: 'file.deleted',
      actor: 'ada',
      ...TOKEN,
      subject: 'note.txt',
      detail: { file: id },
    });
    await records(() => ada.client.delete(`/user/files/${id}`));
  });

  it('has organizations and members', async () => {
    const of = async () => ({ ownerId: await idOf('mills'), subject: 'mills', ...TOKEN });
    let mills = {};
    await records(
      async () => {
        await ada.client.post('/user/orgs', { namespace: 'mills', name: 'Mills' });
        mills = await of();
      },
      { action: 'organization.created', actor: 'ada', subject: 'mills' },
    );
    await records(() => ada.client.patch('/orgs/mills', { membersCanCreate: false }), {
      action: 'organization.settings_changed',
      actor: 'ada',
      ...mills,
      detail: { membersCanCreate: false },
    });
    await records(() => ada.client.put('/orgs/mills/members/grace', { role: 'member' }), {
      action: 'member.invited',
      actor: 'ada',
      ...mills,
      accountId: await idOf('grace'),
    });
    const join = () => grace.client.patch('/user/memberships/orgs/mills', { state: 'active' });
    await records(join, { action: 'member.added', actor: 'grace', ...mills });
    await records(() => ada.client.put('/orgs/mills/members/grace', { role: 'admin' }), {
      action: 'member.level_changed',
      actor: 'ada',
      ...mills,
    });
    await records(() => ada.client.delete('/orgs/mills/members/grace'), {
      action: 'member.removed',
      actor: 'ada',
      ...mills,
      accountId: await idOf('grace'),
    });
    await records(
      () =>
        ada.visitor.post('/organizations/mills/protection', { protected: 'on', twoPeople: 'on' }),
      {
        action: 'organization.protection_changed',
        actor: 'ada',
        subject: 'mills',
        detail: { protected: true, twoPeople: true },
      },
    );
    const policies = { linkMakers: 'admins', tokenHolders: 'members' };
    await records(() => ada.client.patch('/orgs/mills/policies', policies), {
      action: 'organization.policies_changed',
      actor: 'ada',
      ...mills,
    });
    const { text } = await ada.visitor.get('/organizations/mills/audit');
    for (const said of [
      'who makes links: admins',
      'who invites from outside: everyone who can share',
      'whose tokens reach it: members',
    ]) {
      assert.ok(text.includes(said), said);
    }
    await records(() => ada.client.patch('/orgs/mills/policies', policies));
    await records(() => ada.client.delete('/orgs/mills'), {
      action: 'organization.deleted',
      actor: 'ada',
      ...mills,
    });
  });

  it('has review and protection settings', async () => {
    const path = await makeDocument(ada.client, 'guarded', { visibility: 'private' });
    const of = { actor: 'ada', subject: 'ada/guarded', ...TOKEN };
    await records(() => ada.client.patch(`${path}/review-settings`, { protected: true }), {
      action: 'document.protection_changed',
      ...of,
      detail: { protected: true, twoPeople: false },
    });
    await records(() => ada.client.patch(`${path}/review-settings`, { comments: 'readers' }), {
      action: 'document.review_changed',
      ...of,
    });
  });

  it('has webhooks, with their host only', async () => {
    const of = { actor: 'ada', ...TOKEN, subject: 'hooks.example.net' };
    let id = '';
    const [made] = await records(
      async () => {
        const url = 'https://hooks.example.net/a-secret-path';
        const { data } = await ada.client.post('/user/webhooks', {
          url,
          types: ['document.deleted'],
        });
        id = data.id;
      },
      { action: 'webhook.created', ...of },
    );
    assert.ok(!JSON.stringify(made).includes('a-secret-path'));
    await records(() => ada.client.patch(`/user/webhooks/${id}`, { enabled: false }), {
      action: 'webhook.changed',
      ...of,
    });
    await records(() => ada.client.delete(`/user/webhooks/${id}`), {
      action: 'webhook.deleted',
      ...of,
    });
  });

  it('has operators’ commands, with who ran them', async () => {
    const by = { actor: null, means: 'command', address: null } as const;
    const run =
      (...args: string[]) =>
      () =>
        succeed(args, settings);
    const subject = 'tim';
    const about = { ...by, subject };
    const [made] = await records(run('users', 'create', 'tim', '--email', 'tim@example.com'), {
      action: 'account.created',
      ...about,
    });
    assert.ok(made?.meansName);
    await records(run('users', 'disable', 'tim'), { action: 'account.disabled', ...about });
    await records(run('users', 'enable', 'tim'), { action: 'account.enabled', ...about });
    await records(run('users', 'set-admin', 'tim'), { action: 'account.admin_granted', ...about });
    await records(run('users', 'set-admin', 'tim', '--remove'), {
      action: 'account.admin_revoked',
      ...about,
    });
    await records(run('users', 'unlock', 'tim'), { action: 'account.unlocked', ...about });
    await records(run('users', 'reset-link', 'tim'), { action: 'account.reset_link', ...about });
    await records(run('tokens', 'create', 'tim', '--name', 'robot'), {
      action: 'token.created',
      ...by,
      subject: 'robot',
      accountId: await idOf('tim'),
    });
    const [, id = ''] = /\n(\S{36}) +robot/.exec(await run('tokens', 'list', 'tim')()) ?? [];
    await records(run('tokens', 'revoke', id), {
      action: 'token.revoked',
      ...by,
      subject: 'robot',
    });
    const plan = await makeDocument(ada.client, 'handed');
    await records(
      run('users', 'hand-over', 'ada', 'handed', '--to', 'tim'),
      { action: 'account.handed_over', ...by, subject: 'ada', accountId: await idOf('ada') },
      { action: 'document.moved', ...by },
      { action: 'document.received', ...by, subject: 'tim/handed' },
    );
    await expectStatus(ada.client.get(plan), 308);
    const tim = await idOf('tim');
    await records(run('users', 'delete', 'tim', '--yes'), {
      action: 'account.deleted',
      ...about,
      accountId: tim,
    });
    const printed = await run('audit', '--person', tim as string, '--json')();
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      [lines.at(0).action, lines.at(-1).action, lines.length],
      ['account.deleted', 'account.created', 10],
    );
    const some = ['audit', '--person', tim as string, '--action', 'token.created', '--since', '1h'];
    assert.equal((await run(...some, '--json')()).trim().split('\n').length, 1);
    assert.match(await run(...some)(), /token\.created +\S+ +command/);
    const limited = { ...by, subject: 'engines', ownerId: await idOf('engines') };
    await records(run('quotas', 'set', 'engines', '--bytes', '5GB', '--documents', 'none'), {
      action: 'quota.set',
      ...limited,
      detail: { bytes: 5 * 1024 ** 3, documents: null },
    });
    const shown = await run('quotas', 'show', 'engines', '--json')();
    assert.deepEqual(JSON.parse(shown).limits, { bytes: 5 * 1024 ** 3, documents: null });
    await records(run('quotas', 'set', 'engines'), { action: 'quota.removed', ...limited });
    assert.match(await run('quotas', 'recount')(), /^Counted \d+ owners\. 0 counts were wrong\.$/m);
    await records(run('authorization-keys', 'rotate'), { action: 'keys.rotated', ...by });
  });

  it('keeps no address of an account that is deleted, but its id', async () => {
    await signUp(service, 'leaver');
    const id = (await idOf('leaver')) as string;
    await deleteUser(service.app.context, 'leaver');
    const own = (await entries()).filter((entry) => entry.accountId === id);
    assert.equal(own.length, 3);
    for (const { address, device } of own) assert.deepEqual([address, device], [null, null]);
  });

  it('has nothing of what failed', async () => {
    const path = await makeDocument(ada.client, 'failing', { visibility: 'private' });
    await makeDocument(ada.client, 'taken', { visibility: 'private' });
    await records(() => ada.client.patch(path, { name: 'taken', visibility: 'public' }));
    await records(() => grace.client.delete(path));
    await records(() => ada.client.put(`${path}/collaborators/nobody`, { permission: 'read' }));
    await records(() => ada.client.put('/orgs/engines/members/ada', { role: 'member' }));
    await collaborate(ada.client, path, grace.client, 'write');
    await records(() => grace.client.post(`${path}/links`, { access: 'read' }));
  });

  it('has proofs of who somebody is, and says with what', async () => {
    const kay = newVisitor(service);
    await signIn(kay, 'kay', 'four even walnuts');
    service.advance(16 * 60_000);
    const proof = { next: '/', proof_password: 'four even walnuts' };
    await records(() => kay.post('/settings/confirm', proof), {
      action: 'session.confirmed',
      detail: { factors: 'password' },
      actor: 'kay',
      ...BROWSER,
    });
    assert.match(
      (await kay.get('/settings/activity')).text,
      /Signed in<\/strong>.*?with: password/s,
    );
  });

  it('has every action that there is', async () => {
    const { context } = service.app;
    const admin = await findAccountByUsername(context.sql.read, 'ada');
    assert.ok(admin);
    await setAdmin(context, undefined, { username: 'ada', isAdmin: true });
    const untested = Object.keys(AUDIT_ACTIONS).filter((action) => !done.has(action));
    // What administrators do, and second factors, are tested with what does them.
    assert.deepEqual(untested, ELSEWHERE);
  });
});
