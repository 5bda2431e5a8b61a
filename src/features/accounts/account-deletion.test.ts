import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { actorOf, openLimiter, refusal, upload } from '../../../test/account/actors.ts';
import { type Client, RESERVING_NAMES, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { databaseState, namedBlobs, storedBlobs } from '../../../test/state.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { callOf } from '../../core/context.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { lockFeed } from '../../core/event/feed-store.ts';
import { findVisitor, passwordState, startSession } from '../../core/identity/session-service.ts';
import { createOrganization } from '../../core/owner/organization-service.ts';
import { insertInbox } from '../feed/inbox-store.ts';
import { acceptMembership } from '../organizations/membership-service.ts';
import { inviteOrChangeCollaborator } from '../sharing/collaborator-service.ts';
import { deleteAccount, deleteUser, describeAccountDeletion } from './account-deletion-service.ts';
import { setPassword } from './password-service.ts';

const PASSWORD = 'three odd walnuts';

describe('Deleting an account', async () => {
  const service = await startService({}, RESERVING_NAMES);
  const context = service.app.context;
  const limiter = await openLimiter(service);
  after(async () => {
    await limiter.close();
    await service.stop();
  });

  const remove = async (client: Client, input: { confirmation?: string; password?: string } = {}) =>
    deleteAccount(callOf(context, await actorOf(client)), limiter, {
      confirmation: client.username,
      password: '',
      ...input,
    });

  it('runs once, even while events are numbered', async () => {
    const ada = await service.user('placing');
    const { id: accountId } = await actorOf(ada);
    await makeDocument(ada, 'plans');
    let deletion: Promise<void> | undefined;
    let runs = 0;
    // The locks that the numbering of events takes, in its order.
    await context.sql.transaction(async (tx) => {
      runs += 1;
      const position = await lockFeed(tx);
      const kept = { viaName: null };
      await tx.updateTable('event').set(kept).where('accountId', '=', accountId).execute();
      deletion ??= remove(ada);
      // PostgreSQL looks for deadlocks after a second. It must find none in either order.
      await setTimeout(1_500);
      await insertInbox(tx, [
        { accountId, position: position + 1_000, reason: 'own', readAt: null },
      ]);
    });
    await deletion;
    assert.equal(runs, 1);
  });

  it('deletes everything of the account and nothing of others', async () => {
    const keeper = await service.user('keeper');
    await makeOrganization(keeper, 'guild');
    const kept = await makeDocument(keeper, 'kept', { kind: KINDS.page });
    await upload(service, await actorOf(keeper), 'kept.txt', 'kept');
    const before = await databaseState(context);
    const blobsBefore = await storedBlobs(context);

    const ada = await service.user('ada');
    const actor = await actorOf(ada);
    const own = await makeDocument(ada, 'own');
    await makeDocument(ada, 'page', { kind: KINDS.page, visibility: 'private' });
    await upload(service, actor, 'note.txt', 'note');
    await collaborate(ada, own, keeper, 'write');
    await collaborate(keeper, kept, ada, 'admin');
    await invite(ada, kept, await service.user('guest-of-ada'), 'read');
    await join(keeper, 'guild', ada, 'admin');
    await makeDocument(ada, 'open', { org: 'guild', visibility: 'public' });
    const open = () => fetch(`${service.webUrl}/guild/open`, { headers: { accept: 'text/html' } });
    // Repeated until the packer has stored everything.
    for (let times = 0; times < 3; times += 1) await open();
    const signed = await open();
    assert.match(await signed.text(), /href="[^"]*\/ada"/);
    await makeOrganization(keeper, 'other');
    await keeper.put('/orgs/other/members/ada', { role: 'member' });
    await makeDocument(ada, 'shared', { org: 'guild', visibility: 'internal' });
    const token = await startSession(context, {
      accountId: actor.id,
      userAgent: 'test',
      factors: ['password'],
      password: passwordState(null),
      replaces: undefined,
      isNewBrowser: false,
    });
    assert.ok(await findVisitor(context, token));

    const described = await describeAccountDeletion(callOf(context, actor));
    assert.deepEqual(described, {
      briefs: 1,
      pages: 1,
      trashed: 0,
      takenDown: 0,
      files: 1,
      tokens: 1,
      applications: 0,
      collaborations: 3,
      organizations: ['guild'],
      lastAdminOf: [],
      invitations: 1,
      links: 0,
    });

    await remove(ada, { confirmation: ' ADA ' });

    assert.equal((await ada.get('/user')).status, 401);
    assert.equal(await findVisitor(context, token), undefined);
    assert.match(await refusal(describeAccountDeletion(callOf(context, actor))), /^NOT_FOUND /);
    assert.match(await refusal(deleteUser(context, 'ada')), /^NOT_FOUND username: /);
    // The audit trail keeps the id, without address and device (features/audit/recording.test.ts).
    const { audit_entry: _, ...state } = await databaseState(context);
    assert.doesNotMatch(JSON.stringify(state), new RegExp(actor.id));
    assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    assert.deepEqual(await storedBlobs(context), blobsBefore);
    // Her remaining trace: a document, without her name. Her invitation ended.
    const shared = (await keeper.get('/briefs/guild/shared')).data;
    assert.deepEqual([shared.createdBy, shared.updatedBy], [null, null]);
    assert.deepEqual(state.invitation ?? [], before.invitation ?? []);
    for (const table of ['document', 'file', 'collaborator', 'membership', 'access_token']) {
      const rows = state[table]?.map((row) => row.id);
      for (const row of before[table] ?? []) assert.ok(rows?.includes(row.id), table);
    }
    const unsigned = await open();
    assert.doesNotMatch(await unsigned.text(), /\bada\b/, 'nor on a page that was made before');
    assert.notEqual(unsigned.headers.get('etag'), signed.headers.get('etag'));
    assert.equal((await keeper.get('/briefs/ada/own')).status, 404);
    await assert.rejects(service.user('ada'), /"ada" is reserved/);
  });

  it('removes the name from messages about what was accepted', async () => {
    const owner = await service.user('rewriter');
    const [eve, evelyn] = [await service.user('eve'), await service.user('evelyn')];
    const content = 'One two three four five six.\n';
    const path = await makeDocument(owner, 'accepted', { visibility: 'public', content });
    const suggest = async (client: Client, quote: string) => {
      const thread = { body: 'Better.', on: { quote }, replacement: quote.toUpperCase() };
      return (await expectStatus(client.post(`${path}/threads`, thread), 201)).data.id as string;
    };
    const accept = async (threads: string[], more: object = {}) => {
      const revision = Number((await owner.get(path)).headers.get('x-revision'));
      const body = { threads, revision, ...more };
      await expectStatus(owner.post(`${path}/suggestions/accept`, body), 200);
    };
    for (const client of [eve, evelyn]) await collaborate(owner, path, client, 'read');
    await accept([await suggest(eve, 'One')]);
    await accept([await suggest(evelyn, 'two'), await suggest(eve, 'three')]);
    await accept([await suggest(evelyn, 'four')]);
    await accept([await suggest(eve, 'five')], { message: 'As eve, said' });
    await remove(eve);
    const { data } = await owner.get(`${path}/revisions`);
    const messages = data.map(({ message }: { message: string | null }) => message);
    assert.deepEqual(messages, [
      'As eve, said',
      'Accepted a suggestion by evelyn',
      'Accepted 2 suggestions by evelyn, a deleted account',
      'Accepted a suggestion by a deleted account',
      null,
    ]);
  });

  it('needs the username and the password', async () => {
    const grace = await service.user('grace');
    assert.match(await refusal(remove(grace, { confirmation: '' })), /^UNPROCESSABLE confirmation/);
    assert.match(
      await refusal(remove(grace, { confirmation: 'ada' })),
      /^UNPROCESSABLE confirmation/,
    );
    await setPassword(context, 'grace', PASSWORD);
    for (let attempt = 0; attempt < 10; attempt++) {
      const wrong = remove(grace, { password: 'wrong' });
      assert.match(await refusal(wrong), /^UNPROCESSABLE password: /);
    }
    assert.match(await refusal(remove(grace, { password: PASSWORD })), /^RATE_LIMITED /);
    assert.equal((await grace.get('/user')).status, 200);
    const mary = await service.user('mary');
    await setPassword(context, 'mary', PASSWORD);
    await remove(mary, { password: PASSWORD });
    assert.equal((await mary.get('/user')).status, 401);
  });

  it('is refused for an organization’s last admin, and names the organization', async () => {
    const [boss, member] = [await service.user('boss'), await service.user('member')];
    for (const org of ['acme', 'zenith']) await makeOrganization(boss, org);
    await join(boss, 'acme', member);
    const described = await describeAccountDeletion(callOf(context, await actorOf(boss)));
    assert.deepEqual(described.lastAdminOf, ['acme', 'zenith']);
    assert.match(await refusal(remove(boss)), /^UNPROCESSABLE .*acme, zenith/);
    assert.equal((await boss.get('/user')).status, 200);
    await boss.put('/orgs/acme/members/member', { role: 'admin' });
    await boss.delete('/orgs/zenith');
    await remove(boss);
    assert.deepEqual(
      (await member.get('/orgs/acme/members')).data.map(
        (one: { username: string }) => one.username,
      ),
      ['member'],
    );
  });

  it('of two last admins deleted concurrently, one stays', async () => {
    for (let round = 0; round < 8; round++) {
      const org = `duo${round}`;
      const [one, two] = [await service.user(`one${round}`), await service.user(`two${round}`)];
      await makeOrganization(one, org);
      await join(one, org, two, 'admin');
      const leave = [
        () => refusal(remove(two)),
        () => refusal(remove(two)),
        async () => String((await two.delete(`/user/memberships/orgs/${org}`)).status),
        async () =>
          String(
            (await one.put(`/orgs/${org}/members/${two.username}`, { role: 'member' })).status,
          ),
      ][round % 4] as () => Promise<string>;
      await Promise.all([refusal(remove(one)), leave()]);
      assert.equal(await adminsOf(org), 1, org);
    }
  });

  it('later requests with its sessions are refused', async () => {
    const guest = await service.user('late');
    const actor = await actorOf(guest);
    await remove(guest);
    const session = {
      accountId: actor.id,
      userAgent: '',
      factors: ['password'] as const,
      password: passwordState(null),
      replaces: undefined,
      isNewBrowser: false,
    };
    const refusals = [
      await refusal(upload(service, actor, 'note.txt', 'note')),
      await refusal(
        createOrganization(callOf(context, actor), { namespace: 'too-late', name: 'Late' }),
      ),
      await refusal(startSession(context, session)),
    ];
    assert.deepEqual(refusals, Array(3).fill('UNAUTHORIZED This account no longer exists.'));
  });

  it('concurrent joining, inviting, writing and uploading leave nothing behind', async () => {
    const host = await service.user('host');
    await makeOrganization(host, 'open');
    const board = { kind: 'brief', owner: 'host', name: 'board' } as const;
    await makeDocument(host, board.name);
    const [hostActor, owner] = [await actorOf(host), { type: 'user' } as const];
    for (let round = 0; round < 8; round++) {
      const guest = await service.user(`guest${round}`);
      const actor = await actorOf(guest);
      const { username } = actor;
      await host.put(`/orgs/open/members/${username}`, { role: 'admin' });
      const page = { content: '<p>x</p>', name: 'page' };
      const [deleted, invited] = await Promise.all([
        refusal(remove(guest)),
        refusal(inviteOrChangeCollaborator(callOf(context, hostActor), board, username, 'read')),
        refusal(acceptMembership(callOf(context, actor), 'open')),
        refusal(
          createDocument(callOf(context, actor), 'page', { ...owner, namespace: username }, page),
        ),
        refusal(upload(service, actor, 'note.txt', 'note')),
      ]);
      assert.equal(deleted, 'was not refused');
      assert.match(invited, /^was not refused|^NOT_FOUND username: /);
      const { audit_entry: _, ...state } = await databaseState(context);
      assert.doesNotMatch(JSON.stringify(state), new RegExp(actor.id));
    }
    assert.equal(await adminsOf('open'), 1);
  });

  async function adminsOf(org: string): Promise<number> {
    const rows = await context.sql.read
      .selectFrom('membership')
      .innerJoin('owner', 'owner.id', 'membership.organizationId')
      .where('owner.namespace', '=', org)
      .where('membership.role', '=', 'admin')
      .select('membership.id')
      .execute();
    return rows.length;
  }
});
