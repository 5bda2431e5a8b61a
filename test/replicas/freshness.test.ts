import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import type { Answer } from '../harness.ts';
import { ask, type Replica, targetOf, type User } from '../installation.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
} from '../rest/scenario.ts';
import { newVisitor, PASSWORD, type Visitor } from '../sign-in/visitor.ts';
import { type Cluster, SKIP, startCluster } from './cluster.ts';

const HTML = { accept: 'text/html' };

const PRIVATE_PAGE = { kind: KINDS.page, visibility: 'private' } as const;

/** The statuses of a document at every place where a reader can see it. */
const HERE = [200, 200, 200];
const GONE = [404, 404, 404];
const LEADS_ON = [308, 308, 404];

describe('Changes on one replica are visible on the other', { skip: SKIP }, () => {
  let cluster: Cluster;
  let a: Replica;
  let b: Replica;
  let ada: User;
  let grace: User;

  before(async () => {
    cluster = await startCluster();
    [a, b] = (await cluster.startAll(2)) as [Replica, Replica];
    [ada, grace] = await Promise.all([cluster.user('ada'), cluster.user('grace')]);
  });
  after(() => cluster?.stop());

  /** A public brief as Markdown, as a page, and in its owner's profile. */
  async function placesOf(replica: Replica, owner: string, name: string): Promise<number[]> {
    const address = `${replica.webUrl}/${owner}/${name}`;
    const [markdown, html, profile] = await Promise.all([
      ask(address),
      ask(address, { headers: HTML }),
      ask(`${replica.webUrl}/${owner}`, { headers: HTML }),
    ]);
    const listed = profile.text.includes(`/${owner}/${name}"`);
    return [markdown.status, html.status, listed ? 200 : 404];
  }

  async function namesAt(replica: Replica, user: User): Promise<string[]> {
    const { data } = await expectStatus(user.at(replica).get('/user/briefs?per_page=100'), 200);
    return data.map(({ name }: { name: string }) => name);
  }

  const show = (replica: Replica, signed: string) => ask(replica.renderUrl + signed);

  /** A replica's signed address of a page, for a user. */
  async function sign(replica: Replica, user: User, path: string): Promise<string> {
    const { data } = await expectStatus(user.at(replica).get(`${path}/render-url`), 200);
    return targetOf(data.url);
  }

  it('a revoked token, a disabled and enabled account', async () => {
    const alan = await cluster.user('alan');
    const statuses = async () =>
      Promise.all([a, b].map(async (replica) => (await alan.at(replica).get('/user')).status));
    assert.deepEqual(await statuses(), [200, 200]);
    await cluster.run('users', 'disable', 'alan');
    assert.deepEqual(await statuses(), [401, 401]);
    await cluster.run('users', 'enable', 'alan');
    assert.deepEqual(await statuses(), [200, 200]);
    const [id = ''] = /[0-9a-f-]{36}/.exec(await cluster.run('tokens', 'list', 'alan')) ?? [];
    await cluster.run('tokens', 'revoke', id);
    assert.deepEqual(await statuses(), [401, 401]);
  });

  for (const kind of ALL_KINDS) {
    it(`a collaborator of a ${kind.kind} added, demoted and removed`, async () => {
      const path = await makeDocument(ada.at(a), 'shared', { kind, visibility: 'private' });
      assert.equal((await grace.at(b).get(path)).status, 404);
      const id = await invite(ada.at(a), path, grace.at(b), 'write');
      await expectStatus(grace.at(b).patch(`/user/brief_invitations/${id}`), 204);
      await expectStatus(grace.at(a).get(path), 200);
      const edit = () => grace.at(b).patch(path, { [kind.contentField]: '<p>by Grace</p>' });
      await expectStatus(edit(), 200);
      await expectStatus(ada.at(a).put(`${path}/collaborators/grace`, { permission: 'read' }), 204);
      await expectStatus(edit(), 403);
      await expectStatus(ada.at(a).delete(`${path}/collaborators/grace`), 204);
      await expectStatus(grace.at(b).get(path), 404);
    });

    it(`a ${kind.kind} of an organization, for members and former members`, async () => {
      const org = `team-${kind.segment}`;
      await makeOrganization(ada.at(a), org);
      const path = await makeDocument(ada.at(b), 'inside', { kind, org, visibility: 'internal' });
      await expectStatus(grace.at(b).get(path), 404);
      await join(ada.at(a), org, grace.at(b));
      await expectStatus(grace.at(b).get(path), 200);
      await expectStatus(ada.at(a).delete(`/orgs/${org}/members/grace`), 204);
      await expectStatus(grace.at(b).get(path), 404);
      await expectStatus(ada.at(b).delete(`/orgs/${org}`), 204);
      await expectStatus(ada.at(a).get(path), 404);
    });

    it(`a ${kind.kind} written with the entity tag from the other`, async () => {
      const path = await makeDocument(ada.at(a), 'conditional', { kind });
      const etagAt = async (replica: Replica) =>
        (await ada.at(replica).get(path)).headers.get('etag');
      const first = String(await etagAt(a));
      assert.equal(await etagAt(b), first);
      const unchanged = await ada.at(b).get(path, { 'if-none-match': first });
      assert.equal(unchanged.status, 304);
      const change = (replica: Replica, ifMatch: string) =>
        ada.at(replica).patch(path, { [kind.contentField]: ifMatch }, { 'if-match': ifMatch });
      const changed = await expectStatus(change(b, first), 200);
      await expectStatus(change(a, first), 412);
      await expectStatus(ada.at(a).get(path, { 'if-none-match': first }), 200);
      await expectStatus(change(a, String(changed.headers.get('etag'))), 200);
    });
  }

  it('events, to requests that wait at either, each once and in one order', async () => {
    const path = await makeDocument(ada.at(a), 'eventful', { visibility: 'private' });
    await collaborate(ada.at(a), path, grace.at(b), 'write');
    const start = (await ada.at(a).get(`${path}/events?after=0&wait=30`)).data.cursor;
    /** Waits at one replica until it has seen this many revisions. */
    async function follow(replica: Replica, until: number): Promise<string[]> {
      const seen: string[] = [];
      for (let after = start; ; ) {
        const { data } = await ada.at(replica).get(`${path}/events?after=${after}&wait=30`);
        after = data.cursor;
        for (const { position, revision } of data.items) seen.push(`${position}: ${revision}`);
        if (data.items.some(({ revision }: { revision: number }) => revision === until))
          return seen;
      }
    }
    const following = Promise.all([follow(a, 21), follow(b, 21)]);
    for (let index = 0; index < 10; index += 1) {
      await Promise.all([
        expectStatus(ada.at(a).patch(path, { content: `a${index}` }), 200),
        expectStatus(grace.at(b).patch(path, { content: `b${index}` }), 200),
      ]);
    }
    const [seenAtA, seenAtB] = await following;
    assert.deepEqual(seenAtA, seenAtB);
    const revisions = seenAtA.map((each) => Number(each.split(': ')[1]));
    assert.deepEqual(
      revisions,
      Array.from({ length: 20 }, (_, index) => index + 2),
    );
  });

  it('a brief that becomes private, public, renamed and deleted', async () => {
    await makeDocument(ada.at(a), 'seen');
    const path = '/briefs/ada/seen';
    // Both have shown it before, so any cache would contain it.
    async function assertSeen(): Promise<void> {
      for (const replica of [a, a, a, a, b, b, b, b]) {
        assert.deepEqual(await placesOf(replica, 'ada', 'seen'), HERE);
      }
    }
    await assertSeen();
    await expectStatus(ada.at(a).patch(path, { visibility: 'private' }), 200);
    assert.deepEqual(await placesOf(b, 'ada', 'seen'), GONE);
    await expectStatus(ada.at(b).patch(path, { visibility: 'public' }), 200);
    await assertSeen();
    await expectStatus(ada.at(a).patch(path, { name: 'renamed' }), 200);
    assert.deepEqual(await placesOf(b, 'ada', 'seen'), LEADS_ON);
    assert.deepEqual(await placesOf(b, 'ada', 'renamed'), HERE);
    assert.ok((await namesAt(b, ada)).includes('renamed'));
    await expectStatus(ada.at(b).delete('/briefs/ada/renamed'), 204);
    assert.deepEqual(await placesOf(a, 'ada', 'renamed'), GONE);
    assert.ok(!(await namesAt(a, ada)).includes('renamed'));
  });

  it('a changed brief: no replica shows a stale rendition', async () => {
    const path = await makeDocument(ada.at(a), 'changing', { content: '# Version 0' });
    for (let version = 1; version <= 5; version++) {
      const [writer, reader] = version % 2 ? [a, b] : [b, a];
      await expectStatus(ada.at(writer).patch(path, { content: `# Version ${version}` }), 200);
      for (let times = 0; times < 4; times += 1) {
        const { text } = await ask(`${reader.webUrl}/ada/changing`, { headers: HTML });
        assert.match(text, new RegExp(`Version ${version}`));
      }
    }
  });

  it('HTML is the same on both, with the same ETag, and 304', async () => {
    const content = '# Title\n\n```js\nconst x = 1;\n```\n\n$x^2$\n';
    await makeDocument(ada.at(a), 'rendered', { content });
    const read = (replica: Replica, headers = {}): Promise<Answer> =>
      ask(`${replica.webUrl}/ada/rendered`, { headers: { ...HTML, ...headers } });
    const [first, second] = [await read(a), await read(b)];
    assert.equal(first.status, 200);
    const etag = first.headers.get('etag') as string;
    assert.equal(second.headers.get('etag'), etag);
    assert.equal(second.text, first.text);
    const [{ count } = {}] = await cluster.look(({ sql }) =>
      sql.read
        .selectFrom('rendition')
        .innerJoin('document', 'document.id', 'rendition.documentId')
        .where('document.name', '=', 'rendered')
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .execute(),
    );
    assert.equal(count, 1);
    assert.equal((await read(b, { 'if-none-match': etag })).status, 304);
  });

  it('a page on the render host: written, private, deleted', async () => {
    const path = await makeDocument(ada.at(a), 'shown', { kind: KINDS.page, content: 'one' });
    const show = (replica: Replica) => ask(`${replica.renderUrl}/ada/shown`);
    assert.equal((await show(b)).text, 'one');
    await expectStatus(ada.at(b).patch(path, { html: 'two' }), 200);
    assert.equal((await show(a)).text, 'two');
    await expectStatus(ada.at(a).patch(path, { visibility: 'private' }), 200);
    assert.equal((await show(b)).status, 404);
    await expectStatus(ada.at(a).patch(path, { visibility: 'public' }), 200);
    assert.equal((await show(b)).text, 'two');
    await expectStatus(ada.at(b).delete(path), 204);
    assert.equal((await show(a)).status, 404);
  });

  it('a signed URL from one works on the other until the access ends', async () => {
    const path = await makeDocument(ada.at(a), 'lent', { ...PRIVATE_PAGE, content: 'lent' });
    await collaborate(ada.at(a), path, grace.at(b), 'read');
    const signed = await sign(a, grace, path);
    assert.equal((await show(b, signed)).text, 'lent');
    await expectStatus(ada.at(a).delete(`${path}/collaborators/grace`), 204);
    assert.equal((await show(b, signed)).status, 404);
    const own = await sign(b, ada, path);
    assert.equal((await show(a, own)).text, 'lent');
    await expectStatus(ada.at(b).patch(path, { html: 'lent anew' }), 200);
    assert.equal((await show(a, own)).status, 404);
  });

  it('a rotated signing key: old URLs keep working unless revoked', async () => {
    const path = await makeDocument(ada.at(a), 'signed', { ...PRIVATE_PAGE, content: 'signed' });
    const statuses = (...signed: string[]) =>
      Promise.all(signed.map(async (address) => (await show(b, address)).status));
    const first = await sign(a, ada, path);
    await cluster.run('signing-key', 'rotate');
    const second = await sign(a, ada, path);
    assert.deepEqual(await statuses(first, second), [200, 200]);
    await cluster.run('signing-key', 'rotate', '--revoke');
    assert.deepEqual(await statuses(first, second), [404, 404]);
    assert.deepEqual(await statuses(await sign(a, ada, path)), [200]);
  });

  it('a session works on both and ends on both', async () => {
    const at = (replica: Replica, cookies: Visitor['cookies']) => newVisitor(replica, { cookies });
    const browser: Visitor['cookies'] = new Map();
    const form = { username: 'lin', email: 'lin@example.com', password: PASSWORD };
    const origin = { origin: cluster.settings.WEB_URL as string };
    assert.equal((await at(a, browser).post('/sign-up', form, origin)).status, 303);
    const settings = await at(b, browser).get('/settings');
    assert.equal(settings.status, 200);
    assert.match(settings.text, /lin@example\.com/);
    const stolen = new Map(browser);
    assert.equal((await at(b, browser).post('/sign-out', {}, origin)).status, 303);
    assert.equal((await at(a, stolen).get('/settings')).status, 303);
  });

  it('a file uploaded on one is listed, served and deleted on the other', async () => {
    const bytes = 'Some notes.\n';
    const body = new FormData();
    body.set('file', new Blob([bytes], { type: 'text/plain' }), 'notes.txt');
    const upload = ada.at(a).request('/user/files', { method: 'POST', body });
    const { id, url } = (await expectStatus(upload, 201)).data;
    const { data } = await ada.at(b).get('/user/files');
    assert.deepEqual(
      data.map((file: { id: string }) => file.id),
      [id],
    );
    assert.equal((await show(b, targetOf(url))).text, bytes);
    await expectStatus(ada.at(b).delete(`/user/files/${id}`), 204);
    assert.equal((await show(a, targetOf(url))).status, 404);
  });
});

describe('A small rate limit', { skip: SKIP }, () => {
  const LIMIT = 20;
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ RATE_LIMIT_API: `${LIMIT}/1h` });
    await cluster.startAll(2);
  });
  after(() => cluster?.stop());

  it('is shared exactly, for sequential and concurrent requests', async () => {
    const [a, b] = [...cluster.replicas] as [Replica, Replica];
    const [ada, grace] = await Promise.all([cluster.user('ada'), cluster.user('grace')]);
    for (let left = LIMIT - 1; left >= 0; left--) {
      const { status, headers } = await ada.at(left % 2 ? a : b).get('/user');
      assert.equal(status, 200);
      assert.equal(headers.get('x-ratelimit-remaining'), String(left));
    }
    for (const replica of [a, b]) await expectStatus(ada.at(replica).get('/user'), 429);

    const answers = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, index) => grace.at(index % 2 ? a : b).get('/user')),
    );
    assert.deepEqual(countStatuses(answers), { 200: LIMIT, 429: LIMIT });
  });
});
