import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import { assertError, type Client, type Service, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import { storedBlobs } from '../../../test/state.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';
import { sweepTrash } from './trash-service.ts';

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');

/** Asserts that the stored data is consistent after old texts are packed, which moves blobs. */
async function assertInOrder({ app: { context } }: Service = service): Promise<void> {
  await packAll(context);
  await assertConsistent(context);
}

/** Creates a document and deletes it. @returns its path and its id */
async function makeTrashed(
  client: Client,
  name: string,
  options: Parameters<typeof makeDocument>[2] = {},
): Promise<{ path: string; id: string }> {
  const path = await makeDocument(client, name, options);
  const { id } = (await client.get(path)).data;
  await expectStatus(client.delete(path), 204);
  return { path, id };
}

/**
 * Creates an organization of ada, and a brief there by grace with everything that a document can
 * have. Invites alan.
 */
async function makeEverything(name: string): Promise<{ path: string; id: string }> {
  const org = `studio-${name}`;
  await makeOrganization(ada, org);
  await join(ada, org, grace);
  const options = { org, visibility: 'internal', content: `# ${name}\n` } as const;
  const before = await makeDocument(grace, `former-${name}`, options);
  await expectStatus(grace.patch(before, { name }), 200);
  const path = before.replace('former-', '');
  await expectStatus(grace.patch(path, { content: `# ${name}\n\nA word.\n` }), 200);
  await collaborate(grace, path, ada, 'read');
  await invite(grace, path, alan, 'read');
  await expectStatus(grace.put(`${path}/labels`, { labels: [name] }), 200);
  await expectStatus(ada.put(`${path}/pin`, {}), 204);
  await expectStatus(ada.put(`${path}/subscription`, { level: 'all' }), 204);
  await expectStatus(grace.post(`${path}/links`, { access: 'read' }), 201);
  await expectStatus(grace.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
  await expectStatus(grace.put(`${path}/reviewers/ada`, {}), 204);
  await expectStatus(ada.post(`${path}/threads`, { body: 'Really?' }), 201);
  const edits = [{ op: 'replace', old: 'A word', new: 'Two words' }];
  await expectStatus(ada.post(`${path}/edits`, { edits, propose: true }), 201);
  const { headers, data } = await grace.get(path);
  const revision = Number(headers.get('x-revision'));
  await expectStatus(grace.post(`${path}/reviews`, { verdict: 'approved', revision }), 201);
  return { path, id: data.id };
}

describe('a deleted document', () => {
  for (const kind of ALL_KINDS) {
    it(`is in the trash, and restored unchanged: a ${kind.kind}`, async () => {
      const path = await makeDocument(ada, 'plans', { kind, visibility: 'private' });
      await collaborate(ada, path, grace, 'write');
      await invite(ada, path, alan, 'read');
      await expectStatus(ada.patch(path, { [kind.contentField]: '<p>second</p>\n' }), 200);
      const whole = await ada.get(path);
      const { id } = whole.data;
      await expectStatus(ada.delete(path), 204);
      for (const client of [ada, grace]) assert.equal((await client.get(path)).status, 404);
      assert.deepEqual((await alan.get('/user/brief_invitations')).data, [], 'invitations end');

      const [entry] = (await ada.get('/user/trash')).data;
      const { deletedAt, expiresAt, ...rest } = entry;
      const shown = { id, documentType: kind.kind, name: 'plans', fullName: 'ada/plans' };
      const { id: adaId } = (await ada.get('/user')).data;
      assert.deepEqual(rest, { ...shown, deletedBy: adaId, deletedByUsername: 'ada' });
      assert.equal(Date.parse(expiresAt) - Date.parse(deletedAt), 30 * DAY_MS);

      const restored = await ada.post(`/trash/${id}/restore`);
      assert.equal(restored.status, 200, restored.text);
      assert.deepEqual(restored.data, whole.data);
      assert.equal(restored.headers.get('etag'), whole.headers.get('etag'));
      assert.equal(restored.headers.get('location'), service.baseUrl + path);
      assert.deepEqual((await ada.get(path)).data, whole.data);
      const [collaborator] = (await ada.get(`${path}/collaborators`)).data;
      assert.deepEqual([collaborator.username, collaborator.permission], ['grace', 'write']);
      assert.deepEqual(pluck(await ada.get(`/user/${kind.segment}`), 'id'), [id]);
      assert.deepEqual((await ada.get('/user/trash')).data, []);
      assertError(await ada.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
      await expectStatus(ada.delete(path), 204);
      await expectStatus(ada.delete(`/trash/${id}`), 204);
    });

    it(`frees its name: a ${kind.kind} whose name was taken is restored under another`, async () => {
      const { path, id } = await makeTrashed(ada, 'taken', { kind });
      await makeDocument(ada, 'taken', { kind });
      const refused = await ada.post(`/trash/${id}/restore`, {});
      assertError(refused, 422, 'UNPROCESSABLE', /^name: you already have .*“taken”.*“taken-2” is/);
      assertError(await ada.post(`/trash/${id}/restore`, { name: 'a/b' }), 400, 'BAD_REQUEST');
      const { data, headers } = await expectStatus(
        ada.post(`/trash/${id}/restore`, { name: 'Taken 2' }),
        200,
      );
      assert.deepEqual([data.id, data.name], [id, 'taken-2']);
      assert.match(
        headers.get('etag') ?? '',
        new RegExp(`^"${id}\\.2\\.`),
        'a rename is a version',
      );
      for (const name of ['taken', 'taken-2']) {
        await expectStatus(ada.delete(path.replace('taken', name)), 204);
      }
      const names = pluck(await ada.get('/user/trash'), 'name');
      assert.deepEqual(names, ['taken-2', 'taken'], 'the latest deleted first');
      for (const each of pluck(await ada.get('/user/trash'), 'id')) {
        await expectStatus(ada.delete(`/trash/${each}`), 204);
      }
    });

    it(`can be permanently deleted: a ${kind.kind} with its blobs`, async () => {
      await packAll(service.app.context);
      const blobs = await storedBlobs(service.app.context);
      const path = await makeDocument(ada, 'secret', { kind });
      await expectStatus(ada.patch(path, { [kind.contentField]: 'another' }), 200);
      const { id } = (await ada.get(path)).data;
      await expectStatus(ada.delete(path), 204);
      await expectStatus(ada.delete(`/trash/${id}`), 204);
      assertError(await ada.delete(`/trash/${id}`), 404, 'NOT_FOUND');
      assertError(await ada.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
      assert.deepEqual(await storedBlobs(service.app.context), blobs);
      await assertInOrder();
    });
  }

  it('appears nowhere but in the trash, in events and in the audit trail, until it is restored', async () => {
    const { path, id } = await makeEverything('nowhere');
    await expectStatus(grace.patch(path, { visibility: 'public' }), 200);
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    const routes = Object.entries(paths as object)
      .filter(
        ([route, methods]) => 'get' in methods && !/audit|events|inbox|trash|webhooks/.test(route),
      )
      .map(([route]) => route.replace('{org}', 'studio-nowhere'));
    const fill = (route: string, client: Client) => route.replace('{username}', client.username);
    const lists = routes.filter((route) => !/\{(?!username)/.test(route));
    lists.push(`/search?q=nowhere`, '/orgs/studio-nowhere/briefs?label=nowhere');
    const naming = async () => {
      await everythingIndexed(service.app.context);
      const found: string[] = [];
      for (const client of [ada, grace, alan]) {
        for (const route of new Set(lists.map((list) => fill(list, client)))) {
          const { text } = await client.get(route);
          if (text.includes(id)) found.push(`${client.username} ${route}`);
        }
      }
      return found;
    };
    const before = await naming();
    assert.ok(before.length > 8, before.join());
    const below = routes.filter((route) => route.startsWith('/briefs/{owner}/{name}'));
    await expectStatus(grace.delete(path), 204);
    assert.deepEqual(await naming(), []);
    for (const client of [ada, grace, alan]) {
      for (const route of below) {
        const address = route.replace('/briefs/{owner}/{name}', path).replace(/\{\w+\}/g, '1');
        assert.equal((await client.get(address)).status, 404, `${client.username} ${address}`);
      }
    }
    await expectStatus(grace.post(`/trash/${id}/restore`), 200);
    const isInvitation = (each: string) => each.includes('invitations');
    assert.deepEqual(
      await naming(),
      before.filter((each) => !isInvitation(each)),
    );
    assert.ok(before.some(isInvitation));
    await expectStatus(grace.delete(path), 204);
    await expectStatus(grace.delete(`/trash/${id}`), 204);
  });

  it('leaves no row when it is permanently deleted', async () => {
    const { path, id } = await makeEverything('rowless');
    const { read } = service.app.context.sql;
    const tables = (await read.introspection.getTables())
      .filter(({ isView, columns }) => !isView && columns.some(({ name }) => name === 'documentId'))
      .map(({ name }) => name)
      // What is protected stays so, and the audit trail; the others come and go when it is their turn.
      .filter(
        (name) =>
          !['protected_address', 'audit_entry', 'search_pending', 'mail', 'presence'].includes(
            name,
          ),
      );
    const naming = async () => {
      await everythingIndexed(service.app.context);
      const found: string[] = [];
      for (const name of tables) {
        const { rows } = await sql`select "documentId" from ${sql.table(name)}
          where "documentId" = ${id}`.execute(read);
        if (rows.length > 0) found.push(name);
      }
      return found.sort();
    };
    const ended = ['document_link', 'invitation'];
    const kept = ['collaborator', 'document_alias', 'document_label', 'event', 'pinned_document'];
    kept.push(
      'review',
      'review_request',
      'review_setting',
      'revision',
      'revision_text',
      'thread',
      'watch',
    );
    const isOf = (some: string[]) => (name: string) => some.includes(name);
    const before = await naming();
    assert.deepEqual(before.filter(isOf([...ended, ...kept])), [...kept, ...ended].sort());
    await expectStatus(grace.delete(path), 204);
    assert.deepEqual(await naming(), kept);
    await expectStatus(grace.delete(`/trash/${id}`), 204);
    assert.deepEqual(await naming(), []);
    await assertInOrder();
  });

  it('is listed on result pages', async () => {
    const made: string[] = [];
    for (const name of ['one', 'two', 'three']) made.unshift((await makeTrashed(alan, name)).id);
    const first = await alan.get('/user/trash?per_page=2');
    const second = await alan.get('/user/trash?per_page=2&page=2');
    assert.deepEqual([...pluck(first, 'id'), ...pluck(second, 'id')], made);
    assert.match(first.headers.get('link') ?? '', /per_page=2&page=2>; rel="last"/);
    for (const id of made) await expectStatus(alan.delete(`/trash/${id}`), 204);
  });
});

describe('who can restore', () => {
  it('everyone who could delete it; others get 404', async () => {
    const path = await makeDocument(ada, 'shared');
    await collaborate(ada, path, grace, 'admin');
    await collaborate(ada, path, alan, 'write');
    const { id } = (await ada.get(path)).data;
    await expectStatus(grace.delete(path), 204);
    assert.deepEqual(pluck(await grace.get('/user/trash'), 'id'), [id]);
    assert.deepEqual(pluck(await ada.get('/user/trash'), 'id'), [id]);
    assert.deepEqual((await alan.get('/user/trash')).data, []);
    for (const body of [{}, { name: 'a/b' }, { unknown: 1 }]) {
      assertError(await alan.post(`/trash/${id}/restore`, body), 404, 'NOT_FOUND');
    }
    assertError(await alan.delete(`/trash/${id}`), 404, 'NOT_FOUND');
    await expectStatus(grace.post(`/trash/${id}/restore`), 200);
    await expectStatus(ada.delete(path), 204);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
  });

  it('in an organization: admins, and people with full access until they leave', async () => {
    await makeOrganization(ada, 'guild');
    for (const member of [grace, alan]) await join(ada, 'guild', member);
    const stranger = await service.user('stranger');
    const { id } = await makeTrashed(grace, 'minutes', { org: 'guild', visibility: 'internal' });
    const other = await makeTrashed(ada, 'budget', { org: 'guild' });
    assert.deepEqual(pluck(await ada.get('/orgs/guild/trash'), 'id'), [other.id, id]);
    assert.deepEqual(pluck(await grace.get('/orgs/guild/trash'), 'id'), [id]);
    assert.deepEqual(pluck(await grace.get('/user/trash'), 'id'), [id]);
    assert.deepEqual((await alan.get('/orgs/guild/trash')).data, []);
    assertError(await stranger.get('/orgs/guild/trash'), 403, 'FORBIDDEN');
    assertError(await stranger.get('/orgs/nothing/trash'), 404, 'NOT_FOUND');
    for (const client of [alan, stranger]) {
      assertError(await client.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
    }
    const { data } = await expectStatus(grace.post(`/trash/${id}/restore`), 200);
    assert.equal(data.visibility, 'internal');
    await expectStatus(grace.delete('/briefs/guild/minutes'), 204);

    await expectStatus(grace.delete('/user/memberships/orgs/guild'), 204);
    assert.deepEqual((await grace.get('/user/trash')).data, []);
    assertError(await grace.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
    await expectStatus(ada.post(`/trash/${id}/restore`), 200);
    const collaborators = await ada.get('/briefs/guild/minutes/collaborators');
    assert.deepEqual(collaborators.data, [], 'leaving ended what was in the trash, too');
  });

  it('once: of concurrent requests, one succeeds', async () => {
    const { id } = await makeTrashed(ada, 'once');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ada.post(`/trash/${id}/restore`)),
    );
    assert.deepEqual(countStatuses(answers), { 200: 1, 404: 4 });
    await expectStatus(ada.delete('/briefs/ada/once'), 204);
    const mixed = await Promise.all([
      ada.post(`/trash/${id}/restore`),
      ada.delete(`/trash/${id}`),
      ada.post('/user/briefs', documentBody(ALL_KINDS[0] as never, { name: 'once' })),
      sweepTrash(service.app.context),
    ]);
    const [restored, removed] = mixed;
    const outcomes = [restored.status, removed.status];
    const isGone = outcomes[1] === 204;
    assert.ok(
      isGone ? [404, 422].includes(outcomes[0] as number) : outcomes[0] === 200,
      `${outcomes}`,
    );
    await assertInOrder();
  });
});

describe('emptying the trash', () => {
  it('deletes documents after 30 days', async () => {
    const joan = await service.user('joan');
    const kinds = ALL_KINDS.map((kind) => ({ kind }));
    for (const options of kinds) await makeTrashed(joan, 'old', options);
    service.advance(29 * DAY_MS);
    const { id } = await makeTrashed(joan, 'newer');
    assert.equal((await joan.get('/user/trash')).data.length, 3);
    service.advance(DAY_MS);
    // Even before the sweep has run.
    assert.deepEqual(pluck(await joan.get('/user/trash'), 'id'), [id]);
    assert.ok((await sweepTrash(service.app.context)) >= 2);
    await assertInOrder();
    await expectStatus(joan.post(`/trash/${id}/restore`), 200);
  });

  it('deletes a deleted owner’s documents', async () => {
    const kurt = await service.user('kurt');
    const stays = await makeDocument(ada, 'stays');
    await collaborate(ada, stays, kurt, 'admin');
    const { id } = (await ada.get(stays)).data;
    await expectStatus(kurt.delete(stays), 204);
    await makeOrganization(kurt, 'club');
    for (const kind of ALL_KINDS) {
      await makeTrashed(kurt, 'gone', { kind });
      await makeTrashed(kurt, 'gone', { kind, org: 'club' });
    }
    await expectStatus(kurt.delete('/orgs/club'), 204);
    await deleteUser(service.app.context, 'kurt');
    const [entry] = (await ada.get('/user/trash')).data;
    assert.deepEqual([entry.id, entry.deletedBy], [id, null]);
    await expectStatus(ada.post(`/trash/${id}/restore`), 200);
    assert.deepEqual((await ada.get(`${stays}/collaborators`)).data, []);
    const left = await service.app.context.sql.read
      .selectFrom('stored_document')
      .select('name')
      .where('name', '=', 'gone')
      .execute();
    assert.deepEqual(left, []);
    await assertInOrder();
  });
});

describe('TRASH_DAYS=0', () => {
  it('deletes permanently at once', async () => {
    const without = await startService({ TRASH_DAYS: '0' });
    try {
      const user = await without.user('ada');
      for (const kind of ALL_KINDS) {
        const path = await makeDocument(user, 'gone', { kind });
        const { id } = (await user.get(path)).data;
        await expectStatus(user.put(`${path}/labels`, { labels: ['Kept'] }), 200);
        await expectStatus(user.delete(path), 204);
        assert.deepEqual((await user.get('/user/trash')).data, []);
        assertError(await user.post(`/trash/${id}/restore`), 404, 'NOT_FOUND');
      }
      assert.deepEqual(await storedBlobs(without.app.context), []);
      assert.deepEqual((await user.get('/user/labels')).data, []);
      await assertInOrder(without);
    } finally {
      await without.stop();
    }
  });
});

it('leaves no rows behind', () => assertInOrder());
