import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, it } from 'node:test';
import { KINDS } from '../../src/document/kind.ts';
import { parseLabel } from '../../src/document/label/label.ts';
import { assertError, type Client, type Service, startService } from '../harness.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../rest/scenario.ts';

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

describe('Labels and pins', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;
  let edsger: Client;
  let made = 0;
  /** A document of each owner, anew for each test. */
  let own: string;
  let shared: string;

  before(async () => {
    service = await startService();
    ({ ada, grace, edsger } = await users(service, 'ada', 'grace', 'edsger'));
    await makeOrganization(ada, 'guild');
    await join(ada, 'guild', grace);
  });
  after(() => service.stop());
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
    assertError(await grace.put(`${shared}/pin`), 403, 'FORBIDDEN');
    assertError(await grace.delete(`${shared}/pin`), 403, 'FORBIDDEN');
    await collaborate(ada, shared, grace, 'write');
    await expectStatus(label(grace, shared, 'final'), 200);
    await collaborate(ada, shared, edsger, 'admin');
    assertError(await edsger.put(`${shared}/pin`), 403, 'FORBIDDEN');
    for (const path of [own, '/briefs/ada/none']) {
      for (const answer of [
        await grace.get(`${path}/labels`),
        await label(grace, path, 'a,b'),
        await grace.put(`${path}/pin`),
        await grace.delete(`${path}/pin`),
      ]) {
        assertError(answer, 404, 'NOT_FOUND');
      }
    }
  });

  it('lists filter by label, and counts include only documents that the caller can see', async () => {
    const name = `Filter ${made}`;
    const secret = await makeDocument(ada, `secret-${made}`, {
      ...{ org: 'guild', visibility: 'private' },
    });
    const page = await makeDocument(ada, `page-${made}`, {
      ...{ kind: KINDS.page, org: 'guild', visibility: 'public' },
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

  it('pins are listed last pinned first, for people who can see them', async () => {
    const page = await makeDocument(ada, `pinned-${made}`, {
      ...{ kind: KINDS.page, org: 'guild', visibility: 'public' },
    });
    const pins = async (who: Client, list: string) =>
      pluck(await expectStatus(who.get(list), 200), 'fullName');
    for (const path of [shared, page, shared]) await expectStatus(ada.put(`${path}/pin`), 204);
    assert.deepEqual(await pins(grace, '/orgs/guild/pins'), [
      `guild/pinned-${made}`,
      `guild/shared-${made}`,
    ]);
    assert.deepEqual(await pins(edsger, '/orgs/guild/pins'), [`guild/pinned-${made}`]);
    await expectStatus(ada.put(`${own}/pin`), 204);
    assert.deepEqual(await pins(ada, '/user/pins'), [`ada/own-${made}`]);
    assert.deepEqual(await pins(grace, '/users/ada/pins'), []);
    for (const path of [own, shared, page]) await expectStatus(ada.delete(`${path}/pin`), 204);
    assert.deepEqual(await pins(ada, '/orgs/guild/pins'), []);
  });

  it('an owner has 12 pins; a trashed document keeps its pin, unless 12 others are pinned by then', async () => {
    const names = Array.from({ length: 13 }, (_, index) => `twelve-${index}`);
    const paths: string[] = [];
    await makeOrganization(ada, 'dozen');
    for (const name of names) paths.push(await makeDocument(ada, name, { org: 'dozen' }));
    const [first = '', ...others] = paths;
    await label(ada, first, 'kept');
    for (const path of [first, ...others.slice(0, 11)]) {
      await expectStatus(ada.put(`${path}/pin`), 204);
    }
    const last = others.at(-1) as string;
    assertError(await ada.put(`${last}/pin`), 422, 'UNPROCESSABLE', /pin/);
    const restore = async () => {
      const [{ id }] = (await ada.get('/orgs/dozen/trash')).data;
      await expectStatus(ada.post(`/trash/${id}/restore`, {}), 200);
    };
    await expectStatus(ada.delete(first), 204);
    assert.equal((await ada.get('/orgs/dozen/pins')).data.length, 11);
    await restore();
    assert.equal((await ada.get('/orgs/dozen/pins')).data.length, 12);
    assert.deepEqual(await labelsOf(ada, first), ['kept']);
    await expectStatus(ada.delete(first), 204);
    await expectStatus(ada.put(`${last}/pin`), 204);
    await restore();
    assert.ok(!pluck(await ada.get('/orgs/dozen/pins'), 'name').includes('twelve-0'));
    assert.deepEqual(await labelsOf(ada, first), ['kept']);
  });

  it('deleting a document permanently, or its owner, deletes its labels and pins', async () => {
    const left = async () => {
      const { read } = service.app.context.sql;
      const tables = ['document_label', 'pinned_document'] as const;
      return Promise.all(
        tables.map((table) =>
          read
            .selectFrom(table)
            .where('document_id', '=', id)
            .select('document_id')
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
