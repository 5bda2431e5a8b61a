import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { ask, type Replica, type User } from '../installation.ts';
import { runBriefs } from '../process.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  makeDocument,
  makeOrganization,
} from '../rest/scenario.ts';
import { type PgbouncerServer, pgbouncerMissing, startPgbouncer } from '../servers/pgbouncer.ts';
import { SKIP, startCluster } from './cluster.ts';

const lacking = SKIP === false ? pgbouncerMissing() : undefined;
if (lacking && process.env.REQUIRE_BACKENDS === '1') {
  throw new Error(`REQUIRE_BACKENDS=1, and this machine lacks ${lacking}`);
}
if (lacking) console.error(`SKIPPED: this machine lacks ${lacking}`);

describe('PgBouncer in transaction mode', { skip: SKIP || lacking }, async () => {
  let pgbouncer: PgbouncerServer;

  const cluster = await startCluster({}, async (databaseUrl) => {
    pgbouncer = await startPgbouncer(databaseUrl);
    const url = new URL(pgbouncer.through(databaseUrl));
    url.searchParams.set('pooler', 'transaction');
    return url.href;
  });
  // Both find the database empty.
  const replicas = (await cluster.startAll(2)) as [Replica, Replica];
  const [ada, grace] = await Promise.all([cluster.user('ada'), cluster.user('grace')]);
  after(async () => {
    await cluster?.stop();
    await pgbouncer?.stop();
  });

  const of = (user: User, index: number) => user.at(replicas[index % 2] as Replica);

  const atOnce = <T>(count: number, request: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => request(index)));

  it('documents can be created, read, shared, changed and deleted', async () => {
    for (const kind of ALL_KINDS) {
      const path = await makeDocument(of(ada, 0), 'pooled', { kind, visibility: 'private' });
      await collaborate(of(ada, 0), path, of(grace, 1), 'write');
      await expectStatus(of(grace, 0).patch(path, { [kind.contentField]: '<p>new</p>' }), 200);
      const { data } = await expectStatus(of(ada, 1).get(path), 200);
      assert.equal(data[kind.contentField], '<p>new</p>');
      await expectStatus(of(ada, 0).patch(path, { visibility: 'public' }), 200);
      const { webUrl, renderUrl } = replicas[1];
      const place = kind.kind === 'brief' ? webUrl : renderUrl;
      assert.equal(
        (await ask(`${place}/ada/pooled`, { headers: { accept: 'text/html' } })).status,
        200,
      );
      await expectStatus(of(ada, 1).delete(path), 204);
      await expectStatus(of(ada, 0).get(path), 404);
    }
  });

  it('races have one winner', async () => {
    for (let round = 0; round < 6; round += 1) {
      const body = documentBody(KINDS.brief, { name: `wanted-${round}` });
      const made = await atOnce(12, (index) => of(ada, index).post('/user/briefs', body));
      assert.deepEqual(countStatuses(made), { 201: 1, 422: 11 });

      const path = `/briefs/ada/wanted-${round}`;
      const id = await invite(of(ada, 0), path, of(grace, 0), 'read');
      const accepted = await atOnce(6, (index) =>
        of(grace, index).patch(`/user/brief_invitations/${id}`),
      );
      assert.deepEqual(countStatuses(accepted), { 204: 1, 404: 5 });

      const condition = { 'if-match': (await of(ada, 0).get(path)).headers.get('etag') as string };
      const written = await atOnce(6, (index) =>
        of(ada, index).patch(path, { content: `${index}` }, condition),
      );
      assert.deepEqual(countStatuses(written), { 200: 1, 412: 5 });

      const namespace = `org-${round}`;
      await makeOrganization(of(ada, 0), namespace);
      const deleted = await atOnce(4, (index) => of(ada, index).delete(`/orgs/${namespace}`));
      assert.deepEqual(countStatuses(deleted), { 204: 1, 404: 3 });
    }
  });

  it('more concurrent requests than sessions are all answered', async () => {
    const answers = await atOnce(128, (index) =>
      index % 2
        ? of(ada, index >> 1).get('/user/briefs')
        : of(grace, index >> 1).post('/user/briefs', documentBody(KINDS.brief)),
    );
    assert.deepEqual(countStatuses(answers), { 200: 64, 201: 64 });
  });

  it('without the setting, the service refuses to start and names it', async () => {
    const url = new URL(cluster.settings.DATABASE_URL as string);
    url.searchParams.delete('pooler');
    const settings = { ...cluster.settings, DATABASE_URL: url.href };
    const { code, stdout, stderr } = await runBriefs(['serve'], settings);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^briefs: DATABASE_URL: [^\n]*add \?pooler=transaction[^\n]*\n$/);
  });
});
