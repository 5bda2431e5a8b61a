import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { parseLabel } from '../../base/schema/label.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { type Context, callOf } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { listLibrary } from '../library/library-service.ts';

describe('A label', () => {
  const TABLE: Record<string, string | RegExp> = {
    plan: 'plan',
    '  Release   2 ': 'Release 2',
    'e\u0301t\u00e9': '\u00e9t\u00e9',
    '': /1 to 40/,
    '   ': /1 to 40/,
    ['\u{1f331}'.repeat(40)]: '\u{1f331}'.repeat(40),
    ['a'.repeat(41)]: /1 to 40/,
    'a,b': /comma/,
    'a\nb': /U\+000A/,
    'a\u2028b': /U\+2028/,
    'a\u202eb': /U\+202E/,
  };
  for (const [text, expected] of Object.entries(TABLE)) {
    it(`${JSON.stringify(text)}: ${expected}`, () => {
      const parsed = parseLabel(text);
      if (typeof expected === 'string') {
        assert.deepEqual(parsed, { label: expected, key: expected.toLowerCase() });
      } else assert.match('problem' in parsed ? parsed.problem : '', expected);
    });
  }
});

describe('Labels', async () => {
  let made = 0;
  /** Creates a document of each owner for each test. */
  let own: string;
  let shared: string;

  const service = await startService();
  after(() => service.stop());
  const { ada, grace, edsger } = await users(service, 'ada', 'grace', 'edsger');
  await makeOrganization(ada, 'guild');
  await join(ada, 'guild', grace);
  beforeEach(async () => {
    made += 1;
    own = await makeDocument(ada, `own-${made}`, { visibility: 'private' });
    shared = await makeDocument(ada, `shared-${made}`, { org: 'guild', visibility: 'internal' });
  });

  const label = (who: Client, path: string, ...labels: string[]) =>
    who.put(`${path}/labels`, { labels });
  const labelsOf = async (who: Client, path: string) =>
    (await expectStatus(who.get(`${path}/labels`), 200)).data.labels;

  it('replaces labels, sorted, ignoring case, without a revision', async () => {
    const before = await ada.get(own);
    const set = await expectStatus(label(ada, own, 'Beta', 'alpha', 'ALPHA', ' beta '), 200);
    assert.deepEqual(set.data, { labels: ['alpha', 'Beta'] });
    assert.deepEqual(await labelsOf(ada, own), ['alpha', 'Beta']);
    const after = await ada.get(own);
    assert.deepEqual(after.data, before.data);
    assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    await expectStatus(label(ada, own), 200);
    assert.deepEqual(await labelsOf(ada, own), []);
  });

  it('refuses invalid labels and more than 20, and changes nothing', async () => {
    await expectStatus(label(ada, own, 'good'), 200);
    const many = Array.from({ length: 21 }, (_, index) => `label ${index}`);
    for (const labels of [['a,b'], ['fine', 'a\nb'], [''], many]) {
      assertError(await label(ada, own, ...labels), 400, 'BAD_REQUEST', /labels/);
    }
    assert.deepEqual(await labelsOf(ada, own), ['good']);
    await expectStatus(label(ada, own, ...many.slice(1)), 200);
  });

  it('readers see labels, editors set them, others learn nothing about the document', async () => {
    await expectStatus(label(ada, shared, 'draft'), 200);
    assert.deepEqual(await labelsOf(grace, shared), ['draft']);
    assertError(await label(grace, shared, 'mine'), 403, 'FORBIDDEN');
    await collaborate(ada, shared, grace, 'write');
    await expectStatus(label(grace, shared, 'final'), 200);
    for (const path of [own, '/briefs/ada/none']) {
      for (const answer of [await grace.get(`${path}/labels`), await label(grace, path, 'a,b')]) {
        assertError(answer, 404, 'NOT_FOUND');
      }
    }
  });

  it('lists filter by label, and counts include only documents that the caller can see', async () => {
    const name = `Filter ${made}`;
    const secret = await makeDocument(ada, `secret-${made}`, {
      org: 'guild',
      visibility: 'private',
    });
    const page = await makeDocument(ada, `page-${made}`, {
      kind: KINDS.page,
      org: 'guild',
      visibility: 'public',
    });
    for (const path of [own, shared, secret, page]) await label(ada, path, name, 'other');
    const find = async (who: Client, list: string) => {
      const query = `label=${encodeURIComponent(name.toUpperCase())}&per_page=1`;
      const answer = await expectStatus(who.get(`${list}?${query}`), 200);
      return pluck(answer, 'fullName');
    };
    assert.deepEqual(await find(ada, '/user/briefs'), [`ada/own-${made}`]);
    assert.deepEqual(await find(ada, '/briefs'), [`ada/own-${made}`]);
    assert.deepEqual(await find(grace, '/users/ada/briefs'), []);
    assert.deepEqual(await find(ada, '/orgs/guild/briefs'), [`guild/secret-${made}`]);
    assert.deepEqual(await find(grace, '/orgs/guild/briefs'), [`guild/shared-${made}`]);
    assert.deepEqual(await find(edsger, '/orgs/guild/briefs'), []);
    assert.deepEqual(await find(edsger, '/orgs/guild/pages'), [`guild/page-${made}`]);
    const count = async (who: Client, list: string) => {
      const { data } = await expectStatus(who.get(`${list}?per_page=100`), 200);
      return data.find((one: { label: string }) => one.label === name)?.documents;
    };
    assert.equal(await count(ada, '/user/labels'), 1);
    assert.equal(await count(grace, '/users/ada/labels'), undefined);
    assert.equal(await count(ada, '/orgs/guild/labels'), 3);
    assert.equal(await count(grace, '/orgs/guild/labels'), 2);
    assert.equal(await count(edsger, '/orgs/guild/labels'), 1);
    await collaborate(ada, secret, grace, 'read');
    assert.equal(await count(grace, '/orgs/guild/labels'), 3);
    assert.equal((await ada.get('/user/briefs?label=a%2Cb')).status, 400);
    assert.equal((await ada.get('/orgs/none/labels')).status, 404);
  });

  it('lists with a label are exact beyond 5,000 documents, in each order and on each result page', async () => {
    const { context } = service.app;
    const maker = await service.user('maker');
    const { id: ownerId } = (await maker.get('/user')).data;
    const oldest = await makeDocument(maker, 'oldest', { visibility: 'private' });
    await fillLabelled(context, { ownerId, count: MANY - 1, key: 'many' });
    await expectStatus(label(maker, oldest, 'many'), 200);
    await expectStatus(maker.patch(oldest, { content: '# AAA\n' }), 200);
    const list = '/user/briefs?label=many&per_page=100';
    const first = await expectStatus(maker.get(list), 200);
    assert.match(first.headers.get('link') ?? '', new RegExp(`page=${MANY / 100}>; rel="last"`));
    const last = await expectStatus(maker.get(`${list}&page=${MANY / 100}`), 200);
    assert.equal(last.data.length, 100);
    assert.equal(last.data.at(-1).name, 'oldest');
    assert.deepEqual((await maker.get('/user/labels')).data, [{ label: 'many', documents: MANY }]);
    const actor = await requireAccount(context.sql.read, 'maker');
    for (const [sort, name] of [
      ['changed', 'oldest'],
      ['title', 'oldest'],
      ['created', `made-${MANY - 1}`],
    ] as const) {
      for (const place of ['own', 'recent'] as const) {
        const request = { place, sort, label: 'many', size: 2 };
        const { items, next } = await listLibrary(
          callOf(context, { ...actor, scopes: [], via: VIA_WEB }),
          request,
        );
        assert.equal(items[0]?.name, name, `${place} ${sort}`);
        const more = { ...request, before: next };
        const { items: rest } = await listLibrary(
          callOf(context, { ...actor, scopes: [], via: VIA_WEB }),
          more,
        );
        assert.equal(rest.length, 2);
        assert.ok(!rest.some(({ id }) => items.some((item) => item.id === id)));
      }
    }
  });

  it('what lists read of labels stays what the documents are, whatever happens to them', async () => {
    const { read } = service.app.context.sql;
    const assertTrue = async (what: string) => {
      const wrong = await sql`select "documentId" from document_label
        left join document on document.id = "documentId"
        where (document.id is null) <> (document_label.visibility is null)
          or document_label.visibility <> document.visibility
          or document_label."ownerId" <> document."ownerId" or document_label.kind <> document.kind
          or document_label."updatedAt" <> document."updatedAt"
          or "titleKey" <> lower(coalesce(document.title, document.name))`.execute(read);
      assert.deepEqual(wrong.rows, [], what);
    };
    await makeOrganization(ada, `to-${made}`);
    for (const path of [own, shared]) await expectStatus(label(ada, path, 'One', 'Two'), 200);
    await assertTrue('set');
    await expectStatus(label(ada, own, 'two', 'Three'), 200);
    await assertTrue('replaced');
    await expectStatus(ada.patch(own, { content: '# Other\n' }), 200);
    await assertTrue('changed');
    await expectStatus(ada.patch(own, { visibility: 'public', content: 'No heading' }), 200);
    await assertTrue('made public');
    await expectStatus(ada.patch(own, { name: `renamed-${made}` }), 200);
    const renamed = `/briefs/ada/renamed-${made}`;
    await assertTrue('renamed');
    await expectStatus(ada.post(`${renamed}/move`, { owner: `to-${made}` }), 200);
    const moved = `/briefs/to-${made}/renamed-${made}`;
    await assertTrue('moved');
    const { id } = (await ada.get(moved)).data;
    await expectStatus(ada.delete(moved), 204);
    await assertTrue('deleted');
    await expectStatus(ada.post(`/trash/${id}/restore`, { name: 'back' }), 200);
    await assertTrue('restored under another name');
    await expectStatus(label(ada, `/briefs/to-${made}/back`), 200);
    await assertTrue('removed');
    await expectStatus(ada.delete(`/orgs/to-${made}`), 204);
    await assertTrue('deleted with its owner');
  });

  it('only the document decides who sees it, even if its labels say otherwise', async () => {
    const { context } = service.app;
    const name = `Stale ${made}`;
    await expectStatus(label(ada, shared, name), 200);
    const list = `/orgs/guild/briefs?label=${encodeURIComponent(name)}`;
    const ofGrace = { ...(await requireAccount(context.sql.read, 'grace')), scopes: [] };
    const library = async () => {
      const request = { place: 'recent', label: name.toLowerCase(), size: 2 } as const;
      return (await listLibrary(callOf(context, { ...ofGrace, via: VIA_WEB }), request)).items;
    };
    assert.equal((await grace.get(list)).data.length, 1);
    assert.equal((await library()).length, 1);
    // As a process of an earlier version changes it, which doesn't know the copy in the labels.
    const { id } = (await ada.get(shared)).data;
    await context.sql.transaction(async (tx) => {
      await sql`update stored_document set visibility = 'private' where id = ${id}`.execute(tx);
    });
    assert.deepEqual((await expectStatus(grace.get(list), 200)).data, []);
    assert.deepEqual(await library(), []);
    assert.equal((await ada.get(list)).data.length, 1, 'an admin sees it');
  });

  it('deleting a document permanently, or its owner, deletes its labels and pins', async () => {
    const left = async () => {
      const { read } = service.app.context.sql;
      const tables = ['document_label', 'pinned_document'] as const;
      return Promise.all(
        tables.map((table) =>
          read
            .selectFrom(table)
            .where('documentId', '=', id)
            .select('documentId')
            .execute()
            .then(({ length }) => length),
        ),
      );
    };
    await makeOrganization(ada, 'club');
    const alone = await makeDocument(ada, 'alone', { org: 'club' });
    let { id } = (await ada.get(own)).data;
    for (const path of [own, alone]) {
      await expectStatus(label(ada, path, 'gone'), 200);
      await expectStatus(ada.put(`${path}/pin`), 204);
    }
    await expectStatus(ada.delete(own), 204);
    assert.deepEqual(await left(), [1, 1]);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    assert.deepEqual(await left(), [0, 0]);
    ({ id } = (await ada.get(alone)).data);
    assert.deepEqual(await left(), [1, 1]);
    await expectStatus(ada.delete('/orgs/club'), 204);
    assert.deepEqual(await left(), [0, 0]);
  });
});

/** More than once were looked through. */
const MANY = 5_200;

/** Stores private briefs with a label, each a second newer than the one before. */
async function fillLabelled(
  { sql: { read } }: Context,
  { ownerId, count, key }: { ownerId: string; count: number; key: string },
): Promise<void> {
  const inserted = await sql`
    insert into stored_document (id, kind, "ownerId", "ownerType", name, visibility, version, "sizeBytes",
      "createdAt", "updatedAt", content)
    with recursive numbers(n) as (
      select 1 union all select n + 1 from numbers where n < ${sql.lit(count)}
    )
    select '09' || substr(cast(1000000 + n as text), 2) || '-0000-7000-8000-000000000000',
      'brief', ${sql.lit(ownerId)}, 'user', 'made-' || n, 'private', 1, 1,
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'x'
    from numbers`.execute(read);
  assert.ok(inserted);
  await sql`insert into document_label ("documentId", key, "ownerId", label, kind, visibility, "updatedAt", "titleKey")
    select id, ${sql.lit(key)}, "ownerId", ${sql.lit(key)}, kind, visibility, "updatedAt", name
    from document where "ownerId" = ${sql.lit(ownerId)} and name like 'made-%'`.execute(read);
  // As autovacuum does soon after so much was stored.
  await sql`analyze`.execute(read);
}
