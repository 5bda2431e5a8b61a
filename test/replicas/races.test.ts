import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import type { Answer } from '../harness.ts';
import { ask, type Replica, targetOf, type User } from '../installation.ts';
import {
  ALL_KINDS,
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
} from '../rest/scenario.ts';
import { SKIP, startCluster } from './cluster.ts';

const ROUNDS = 8;

// test/security/races.test.ts tests races inside one process;
// src/features/documents/races-processes.test.ts tests two processes, on either stack.
describe('Races between replicas', { skip: SKIP }, async () => {
  const cluster = await startCluster();
  const replicas = (await cluster.startAll(2)) as [Replica, Replica];
  const [ada, grace, alan] = await Promise.all([
    cluster.user('ada'),
    cluster.user('grace'),
    cluster.user('alan'),
  ]);
  after(() => cluster?.stop());

  /** A user's client that alternates between the replicas. */
  const of = (user: User, index: number) => user.at(replicas[index % 2] as Replica);

  const atOnce = <T>(count: number, request: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => request(index)));

  function assertNoFault(answers: Answer[]): void {
    for (const { status, text } of answers) assert.ok(status < 500, text);
  }

  it('the first signing key, created concurrently: all signed URLs work, also after rotation', async () => {
    const path = await makeDocument(of(ada, 0), 'first', {
      kind: KINDS.page,
      visibility: 'private',
    });
    const signed = await atOnce(8, (index) => of(ada, index).get(`${path}/render-url`));
    await cluster.run('signing-key', 'rotate');
    for (const [index, { data }] of signed.entries()) {
      const { renderUrl } = replicas[index % 2] as Replica;
      assert.equal((await ask(renderUrl + targetOf(data.url))).status, 200);
    }
  });

  for (const kind of ALL_KINDS) {
    it(`six concurrent conditional writes of a ${kind.kind}: one 200, five 412`, async () => {
      const path = await makeDocument(of(ada, 0), 'contested', { kind });
      for (let round = 0; round < ROUNDS; round += 1) {
        const { headers } = await of(ada, round).get(path);
        const condition = { 'if-match': headers.get('etag') as string };
        const answers = await atOnce(6, (index) =>
          of(ada, index).patch(path, { [kind.contentField]: `${round}-${index}` }, condition),
        );
        assert.deepEqual(countStatuses(answers), { 200: 1, 412: 5 });
        const winner = answers.findIndex(({ status }) => status === 200);
        const { data } = await of(ada, round).get(path);
        assert.equal(data[kind.contentField], `${round}-${winner}`);
      }
    });

    it(`a ${kind.kind} written and deleted concurrently: one succeeds`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = await makeDocument(of(ada, 0), `fleeting-${round}`, { kind });
        const condition = {
          'if-match': (await of(ada, 0).get(path)).headers.get('etag') as string,
        };
        const [written, deleted] = await Promise.all([
          of(ada, round).patch(path, { [kind.contentField]: 'new' }, condition),
          of(ada, round + 1).delete(path, condition),
        ]);
        const statuses = `${written.status} ${deleted.status}`;
        assert.ok(['200 412', '404 204'].includes(statuses), statuses);
        await expectStatus(of(ada, 0).get(path), deleted.status === 204 ? 404 : 200);
      }
    });

    it(`two of a ${kind.kind} renamed concurrently to colliding names: no duplicates`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const names = ['left', 'right'].map((side) => `${side}-${round}`) as [string, string];
        const [left, right] = await atOnce(2, (index) =>
          makeDocument(of(ada, index), names[index] as string, { kind }),
        );
        const rename = (index: number, path: string, name: string) =>
          of(ada, index).patch(path, { name });
        const swapped = await Promise.all([
          rename(0, left as string, names[1]),
          rename(1, right as string, names[0]),
        ]);
        assert.deepEqual(countStatuses(swapped), { 422: 2 });
        const onto = `middle-${round}`;
        const met = await Promise.all([
          rename(0, left as string, onto),
          rename(1, right as string, onto),
        ]);
        assert.deepEqual(countStatuses(met), { 200: 1, 422: 1 });
      }
      const all = pluck(await of(ada, 0).get(`/user/${kind.segment}?per_page=100`), 'name');
      assert.equal(new Set(all).size, all.length);
    });
  }

  it('an organization deleted while documents are created in it: nothing remains', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `vanishing-${round}`;
      await makeOrganization(of(ada, 0), org);
      await join(of(ada, 0), org, of(grace, 1));
      const [deleted, ...made] = await atOnce(9, (index) => {
        if (index === 0) return of(ada, round).delete(`/orgs/${org}`);
        const kind = index % 3 ? KINDS.brief : KINDS.page;
        return of(grace, index).post(`/orgs/${org}/${kind.segment}`, documentBody(kind));
      });
      assert.equal(deleted?.status, 204);
      for (const { status, text } of made) assert.ok([201, 404].includes(status), text);
      await expectStatus(of(grace, round).get(`/orgs/${org}`), 404);
      await cluster.run('users', 'create', org, '--email', `${org}@example.com`, '--reuse-name');
      for (const { segment } of ALL_KINDS) {
        assert.deepEqual(pluck(await of(grace, 0).get(`/users/${org}/${segment}`), 'name'), []);
      }
    }
  });

  it('an invitation accepted and cancelled concurrently: exactly one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = await makeDocument(of(ada, 0), `cancelled-${round}`);
      const id = await invite(of(ada, 0), path, of(grace, 0), 'write');
      const answers = await Promise.all([
        of(grace, round).patch(`/user/brief_invitations/${id}`),
        of(ada, round + 1).delete(`${path}/invitations/${id}`),
      ]);
      assert.deepEqual(countStatuses(answers), { 204: 1, 404: 1 });
      const { data } = await of(ada, 0).get(`${path}/collaborators`);
      assert.equal(data.length, answers[0]?.status === 204 ? 1 : 0);
    }
  });

  it('a membership accepted while its invitation is cancelled: exactly one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const org = `joining-${round}`;
      await makeOrganization(of(ada, 0), org);
      const { data } = await of(ada, 0).put(`/orgs/${org}/members/grace`, { role: 'member' });
      const [accepted, cancelled] = await Promise.all([
        of(grace, round).patch(`/user/memberships/orgs/${org}`, { state: 'active' }),
        of(ada, round + 1).delete(`/orgs/${org}/invitations/${data.id}`),
      ]);
      const statuses = `${accepted.status} ${cancelled.status}`;
      assert.ok(['200 404', '404 204'].includes(statuses), statuses);
      const members = await of(ada, 0).get(`/orgs/${org}/members`);
      assert.equal(members.data.length, accepted.status === 200 ? 2 : 1);
    }
  });

  it('32 concurrent creates for one owner: all are created and counted', async () => {
    const crowd = await cluster.user('crowd');
    const kindOf = (index: number) => (index % 4 === 0 ? KINDS.page : KINDS.brief);
    const answers = await atOnce(32, (index) =>
      of(crowd, index).post(
        `/user/${kindOf(index).segment}`,
        documentBody(kindOf(index), { name: `one-${index}` }),
      ),
    );
    assert.deepEqual(countStatuses(answers), { 201: 32 });
    for (const kind of ALL_KINDS) {
      const list = await of(crowd, 0).get(`/user/${kind.segment}?per_page=100`);
      const expected = Array.from({ length: 32 }, (_, index) => index)
        .filter((index) => kindOf(index).kind === kind.kind)
        .map((index) => `one-${index}`);
      assert.deepEqual(pluck(list, 'name').sort(), expected.sort());
      const single = await of(crowd, 1).get(`/user/${kind.segment}?per_page=1`);
      assert.match(
        single.headers.get('link') ?? '',
        new RegExp(`[?&]page=${expected.length}[^,]*rel="last"`),
      );
    }
  });

  it('owners who invite each other, join and leave concurrently: no errors', async () => {
    const everybody = [ada, grace, alan];
    await makeOrganization(of(ada, 0), 'crossing');
    for (const user of [grace, alan]) await join(of(ada, 0), 'crossing', of(user, 1), 'admin');
    for (let round = 0; round < ROUNDS; round += 1) {
      const paths = await atOnce(3, (index) =>
        makeDocument(of(everybody[index] as User, index), `crossing-${round}`),
      );
      const steps = everybody.flatMap((user, index) => {
        const path = paths[index] as string;
        const other = everybody[(index + 1) % 3] as User;
        const share = `${path}/collaborators/${other.username}`;
        const inOrg = `/orgs/crossing/members/${other.username}`;
        return [
          () => of(user, 0).put(share, { permission: 'read' }),
          () => of(user, 1).put(share, { permission: 'write' }),
          () => of(user, 0).put(inOrg, { role: 'admin' }),
          () => of(user, 1).put(inOrg, { role: 'member' }),
          () => of(user, 0).post('/orgs/crossing/briefs', documentBody(KINDS.brief)),
          () => of(user, 1).patch(path, { content: 'changed' }),
          () => acceptAll(user, 0),
          () => acceptAll(user, 1),
          () => of(user, 1).patch('/user/memberships/orgs/crossing', { state: 'active' }),
          () => of(user, 0).delete(share),
          () => of(user, 1).delete(path),
        ];
      });
      assertNoFault((await Promise.all(steps.map((step) => step()))).flat());
    }
    const members = await of(ada, 0).get('/orgs/crossing/members');
    assert.ok(pluck(members, 'role').includes('admin'));
  });

  async function acceptAll(user: User, index: number): Promise<Answer[]> {
    const list = await of(user, index).get('/user/brief_invitations');
    return atOnce(list.data.length, (nth) =>
      of(user, index).patch(`/user/brief_invitations/${list.data[nth].id}`),
    );
  }
});
