import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { makeReaders, type Readers } from '../../../test/document/readers.ts';
import { assertError, type Client, type Service, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';

const LISTED = {
  brief: [
    'id',
    'name',
    'fullName',
    'url',
    'ownerType',
    'ownerId',
    'ownerNamespace',
    'visibility',
    'permissions',
    'revision',
    'createdAt',
    'updatedAt',
  ],
  page: [
    'id',
    'name',
    'fullName',
    'url',
    'renderUrl',
    'ownerType',
    'ownerId',
    'ownerNamespace',
    'visibility',
    'permissions',
    'revision',
    'sizeBytes',
    'createdAt',
    'updatedAt',
  ],
};

describe('Search over the API: who finds what', () => {
  let service: Service;
  let readers: Readers;

  before(async () => {
    service = await startService();
    readers = await makeReaders(service, (name) => `<p>Zirkonium in ${name}</p>`);
    await everythingIndexed(service.app.context);
  });
  after(() => service.stop());

  it('every user finds exactly what they can read', async () => {
    for (const username of readers.usernames) {
      const client = await readers.clientOf(username);
      const readable = readers.scenes.filter((scene) => readers.rankOf(username, scene) > 0);
      const answer = await expectStatus(client.get('/search?q=zirkonium&per_page=100'), 200);
      assert.deepEqual(pluck(answer, 'name').sort(), readable.map(({ name }) => name).sort());
      for (const { url, permissions } of answer.data) {
        assert.equal(permissions.read, true, url);
      }
    }
  });
});

describe('Search over the API', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;

  before(async () => {
    service = await startService();
    ({ ada, grace } = await users(service, 'ada', 'grace'));
    await makeOrganization(grace, 'guild');
    await join(grace, 'guild', ada);
    const content = 'The **gnomon** points north.';
    const one = await makeDocument(ada, 'dial', { content, visibility: 'private' });
    await expectStatus(ada.put(`${one}/labels`, { labels: ['Sun Dials'] }), 200);
    const html = { kind: KINDS.page, content: '<title>Sketch</title><p>A gnomon.</p>' };
    await makeDocument(ada, 'sketch', { ...html, visibility: 'public' });
    const shared = await makeDocument(grace, 'angles', { content, visibility: 'private' });
    await collaborate(grace, shared, ada, 'write');
    await makeDocument(grace, 'gnomon', { visibility: 'public' });
    await makeDocument(ada, 'ours', { content, org: 'guild', visibility: 'private' });
    const hidden = await makeDocument(grace, 'hidden', { content, visibility: 'private' });
    await expectStatus(grace.put(`${hidden}/labels`, { labels: ['sun dials'] }), 200);
    await invite(grace, hidden, ada, 'read');
    await everythingIndexed(service.app.context);
  });
  after(() => service.stop());

  const search = (query: string, client = ada) => client.get(`/search?${query}`);
  const names = async (query: string) => {
    const answer = await expectStatus(search(query), 200);
    return pluck(answer, 'fullName');
  };

  it('an entry has the fields of other lists, with kind and excerpt', async () => {
    const { data } = await expectStatus(search('q=gnomon%20nor'), 200);
    const [listed] = (await ada.get('/user/briefs')).data;
    const found = data.find(({ name }: { name: string }) => name === 'dial');
    const { kind, excerpt, ...entry } = found;
    assert.deepEqual(entry, listed);
    assert.equal(kind, 'brief');
    assert.equal(excerpt.text, 'The gnomon points north.');
    assert.deepEqual(
      excerpt.matches.map(({ start, end }: { start: number; end: number }) =>
        excerpt.text.slice(start, end),
      ),
      ['gnomon', 'north'],
    );
    for (const each of (await search('q=gnomon')).data) {
      const fields = LISTED[each.kind as 'brief' | 'page'];
      assert.deepEqual(Object.keys(each), ['kind', ...fields, 'excerpt']);
    }
  });

  it('best match first, or sorted', async () => {
    const [best, ...others] = await names('q=gnomon');
    assert.equal(best, 'grace/gnomon');
    assert.deepEqual(others, ['guild/ours', 'grace/angles', 'ada/sketch', 'ada/dial']);
    const byTitle = ['grace/angles', 'ada/dial', 'grace/gnomon', 'guild/ours', 'ada/sketch'];
    assert.deepEqual(await names('q=gnomon&sort=title'), byTitle);
    assert.deepEqual(await names('q=gnomon&sort=created'), [
      'guild/ours',
      'grace/gnomon',
      'grace/angles',
      'ada/sketch',
      'ada/dial',
    ]);
  });

  it('filters', async () => {
    const TABLE: Record<string, string[]> = {
      'kind=page': ['ada/sketch'],
      'visibility=public': ['ada/sketch', 'grace/gnomon'],
      'owner=GUILD': ['guild/ours'],
      'owner=nobody': [],
      'label=sun%20DIALS': ['ada/dial'],
      'shared=true': ['grace/angles'],
      'shared=false&owner=ada': ['ada/dial', 'ada/sketch'],
      'changed_since=2100-01-01': [],
      'changed_since=2000-01-01&owner=grace': ['grace/angles', 'grace/gnomon'],
    };
    for (const [filter, expected] of Object.entries(TABLE)) {
      assert.deepEqual((await names(`q=gnomon&${filter}`)).sort(), expected, filter);
    }
  });

  it('result pages have links, and a query without words finds nothing', async () => {
    const answer = await expectStatus(search('q=gnomon&kind=brief&per_page=3'), 200);
    assert.equal(answer.data.length, 3);
    assert.match(
      answer.headers.get('link') ?? '',
      /q=gnomon&kind=brief&per_page=3&page=2>; rel="last"/,
    );
    const past = await expectStatus(search('q=gnomon&page=9007199254740991'), 200);
    assert.deepEqual(past.data, []);
    assert.match(past.headers.get('link') ?? '', /page=1>; rel="prev"/);
    assert.deepEqual(await names('q=%2A%2A'), []);
  });

  it('phrases, alternatives and exclusions', async () => {
    assert.deepEqual((await names('q=%22points%20north%22')).sort(), [
      'ada/dial',
      'grace/angles',
      'guild/ours',
    ]);
    assert.deepEqual(await names('q=%22north%20points%22'), []);
    assert.deepEqual(await names('q=gnomon%20-points%20-%22a%20gnomon%22'), ['grace/gnomon']);
    assert.deepEqual((await names('q=sketch%20OR%20pointing&owner=ada')).sort(), [
      'ada/dial',
      'ada/sketch',
    ]);
  });

  it('a header says whether there are changes that can’t be found yet', async () => {
    const { app } = service;
    const pending = async (client: Client) =>
      (await expectStatus(search('q=gnomon', client), 200)).headers.get('x-search-pending');
    assert.equal(await pending(ada), 'false');
    const id = (await expectStatus(ada.get('/briefs/ada/dial'), 200)).data.id;
    // Claimed by an indexer that doesn't finish.
    const row = { documentId: id, stamp: 'x', claimedUntil: '2999-01-01T00:00:00.000Z' };
    await app.context.sql.transaction((tx) =>
      tx.insertInto('search_pending').values(row).execute(),
    );
    assert.equal(await pending(ada), 'true');
    assert.equal(await pending(grace), 'false', 'she can’t read it');
    await app.context.sql.transaction((tx) =>
      tx.deleteFrom('search_pending').where('documentId', '=', id).execute(),
    );
  });

  it('an invalid filter is refused, and the parameter named', async () => {
    for (const [query, problem] of [
      ['', /q/],
      ['q=', /^q: /],
      ['q=x&kind=poem', /^kind: /],
      ['q=x&sort=size', /^sort: /],
      ['q=x&label=a,b', /^label: /],
      ['q=x&shared=yes', /^shared: /],
      ['q=x&changed_since=yesterday', /^changed_since: /],
      ['q=x&q=y', /^q: /],
    ] as const) {
      assertError(await search(query), 400, 'BAD_REQUEST', problem);
    }
  });
});
