import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import LinkHeader from 'http-link-header';
import { type Answer, assertError, startService } from '../../../test/harness.ts';
import { UNSENT_MAIL, verify } from '../../../test/mail/post-office.ts';
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

const COUNT = 33;

/** Every list of the service as ada requests it, with its number of items. */
const LISTS: Record<string, number> = {
  '/user/briefs': COUNT,
  '/briefs': COUNT,
  '/users/ada/briefs': COUNT,
  '/orgs/guild/briefs': 4,
  '/briefs/ada/brief-0/collaborators': 3,
  '/briefs/ada/brief-0/invitations': 3,
  '/briefs/ada/brief-0/email_invitations': 3,
  '/orgs/guild/email_invitations': 3,
  '/briefs/guild/secret/links': 3,
  '/briefs/ada/brief-0/revisions': 3,
  '/briefs/ada/brief-0/backlinks': 3,
  '/user/brief_invitations': 3,
  '/user/orgs': 3,
  '/orgs/guild/members': 4,
  '/orgs/guild/invitations': 3,
  '/user/memberships/orgs': 6,
  '/user/trash': 6,
  '/orgs/guild/trash': 3,
  '/user/inbox': 3,
  '/briefs/ada/brief-0/threads': 3,
  '/user/webhooks': 3,
  '/orgs/guild/webhooks': 3,
  '/user/labels': 3,
  '/users/ada/labels': 3,
  '/orgs/guild/labels': 3,
  '/user/pins': 3,
  '/users/ada/pins': 3,
  '/orgs/guild/pins': 3,
  '/search?q=shared': 3,
};

const service = await startService(UNSENT_MAIL);
after(() => service.stop());
const { ada, grace } = await users(service, 'ada', 'grace');
await verify(service, 'ada');
for (let index = 0; index < COUNT; index += 1) await makeDocument(ada, `brief-${index}`);
for (const content of ['second', 'third']) {
  await expectStatus(ada.patch('/briefs/ada/brief-0', { content }), 200);
}
for (const index of [1, 2, 3]) {
  const content = 'See [[brief-0]].';
  await expectStatus(ada.patch(`/briefs/ada/brief-${index}`, { content }), 200);
}
const talk = await makeDocument(ada, 'talk', { kind: KINDS.page });
await makeOrganization(ada, 'guild');
const secret = await makeDocument(ada, 'secret', { org: 'guild', visibility: 'private' });
for (let index = 0; index < 3; index += 1) {
  await expectStatus(ada.post(`${secret}/links`, { access: 'read' }), 201);
}
for (let index = 0; index < 3; index += 1) {
  const email = `invited-${index}@example.net`;
  await expectStatus(
    ada.post('/briefs/ada/brief-0/email_invitations', { email, permission: 'read' }),
    201,
  );
  await expectStatus(ada.post('/orgs/guild/email_invitations', { email }), 201);
  const member = await service.user(`member-${index}`);
  const invited = await service.user(`invited-${index}`);
  await join(ada, 'guild', member);
  await expectStatus(ada.put(`/orgs/guild/members/invited-${index}`), 201);
  await collaborate(ada, '/briefs/ada/brief-0', member, 'read');
  await expectStatus(ada.post('/briefs/ada/brief-0/threads', { body: 'x' }), 201);
  await collaborate(ada, talk, member, 'write');
  await expectStatus(member.patch(talk, { html: `<p>${index}</p>` }), 200);
  await invite(ada, '/briefs/ada/brief-0', invited, 'read');
  await makeDocument(ada, `brief-${index}`, { org: 'guild' });
  for (const owner of ['ada', 'guild']) {
    const path = `/briefs/${owner}/brief-${index}`;
    await expectStatus(ada.put(`${path}/labels`, { labels: [`label ${index}`] }), 200);
    await expectStatus(ada.put(`${path}/pin`), 204);
  }
  await invite(grace, await makeDocument(grace, `shared-${index}`), ada, 'read');
  await makeOrganization(grace, `inviting-${index}`);
  await expectStatus(grace.put(`/orgs/inviting-${index}/members/ada`), 201);
  if (index > 0) await makeOrganization(ada, `more-${index}`);
  for (const org of [{}, { org: 'guild' }]) {
    await expectStatus(ada.delete(await makeDocument(ada, 'deleted', org)), 204);
  }
}
for (const path of ['/user/webhooks', '/orgs/guild/webhooks']) {
  for (let index = 0; index < 3; index += 1) {
    const body = { url: 'https://example.com', types: ['thread.opened'] };
    await expectStatus(ada.post(path, body), 201);
  }
}
for (const list of ['/user/inbox', '/search?q=shared']) {
  while ((await ada.get(list)).data.length < 3) await setTimeout(10);
}

/** The page of each rel; every rel at most once. */
function links(answer: Answer): Record<string, string> {
  const header = answer.headers.get('link');
  if (header === null) return {};
  const { refs } = LinkHeader.parse(header);
  const found = Object.fromEntries(refs.map(({ rel, uri }) => [rel, uri]));
  assert.equal(Object.keys(found).length, refs.length, header);
  return found;
}

function pages(answer: Answer): Record<string, number> {
  return Object.fromEntries(
    Object.entries(links(answer)).map(([rel, uri]) => [
      rel,
      Number(new URL(uri).searchParams.get('page')),
    ]),
  );
}

describe('Pagination', () => {
  it('the test knows every list', async () => {
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    type Described = { get?: { parameters?: { name: string }[] } };
    const paginated = Object.entries(paths as Record<string, Described>)
      .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'page'))
      .map(([template]) => template)
      .filter((template) => !template.includes('/webhooks'));
    const lists = Object.keys(LISTS).map((path) => path.split('?')[0] as string);
    const shapes = lists.map((path) => path.split('/').length);
    assert.ok(paginated.length >= lists.length);
    for (const template of paginated) {
      // Those of administrators are tested beside them.
      if (template.startsWith('/admin/') || template.endsWith('/takedowns')) continue;
      assert.ok(shapes.includes(template.split('/').length), template);
      const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
      const known = lists.some((path) => pattern.test(path));
      assert.ok(known || /pages|files|deliveries/.test(template), template);
    }
  });

  it('every list has result pages, or continues at a cursor', async () => {
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    type Described = { get?: { operationId: string; parameters?: { name: string }[] } };
    const ways = Object.values(paths as Record<string, Described>).map(({ get }) => {
      const { operationId = '', parameters = [] } = get ?? {};
      const names = parameters.map(({ name }) => name).filter((name) => /page|after/.test(name));
      return operationId.startsWith('list') ? `${operationId}: ${names.sort()}` : '';
    });
    const others = ways.filter((way) => way !== '' && !way.endsWith(': page,per_page'));
    assert.deepEqual(others.sort(), [
      'listAudit: after,per_page',
      'listBriefEvents: after,per_page',
      'listOrganizationAudit: after,per_page',
      'listOwnAudit: after,per_page',
      'listOwnEvents: after,per_page',
      'listPageEvents: after,per_page',
    ]);
  });

  for (const [list, count] of Object.entries(LISTS)) {
    const path = list.includes('?') ? `${list}&` : `${list}?`;
    it(`GET ${list}: result pages of any size have every item once, newest first`, async () => {
      const whole = await expectStatus(ada.get(`${path}per_page=100`), 200);
      assert.equal(whole.data.length, count);
      const walked: unknown[] = [];
      let next: string | undefined = `${service.baseUrl}${path}per_page=2`;
      for (let page = 1; next; page += 1) {
        const answer: Answer = await ada.get(next.slice(service.baseUrl.length));
        const last = Math.ceil(count / 2);
        assert.deepEqual(pages(answer), {
          first: 1,
          ...(page > 1 && { prev: page - 1 }),
          ...(page < last && { next: page + 1 }),
          last,
        });
        walked.push(...answer.data);
        next = links(answer).next;
      }
      assert.deepEqual(walked, whole.data);
    });

    it(`GET ${list}: per_page outside 1 to 100, page below 1, or not integers: 400`, async () => {
      const values = ['0', '-1', '1.5', '1e1', 'x', '', '%20', '0x10', 'NaN', 'null', '٣'];
      for (const value of values) {
        for (const name of ['per_page', 'page']) {
          const answer = await ada.get(`${path}${name}=${value}`);
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(name));
        }
      }
      for (const query of ['per_page=101', 'per_page=1&per_page=2', 'page=1&page=1']) {
        assertError(await ada.get(`${path}${query}`), 400, 'BAD_REQUEST');
      }
    });
  }

  it('per_page: integer, default 30, range 1 to 100; page: default 1', async () => {
    const { data: all } = await ada.get('/briefs?per_page=100');
    assert.equal(all.length, COUNT);
    const first = await ada.get('/briefs');
    assert.deepEqual(first.data, all.slice(0, 30));
    assert.deepEqual((await ada.get('/briefs?page=1&per_page=30')).data, first.data);
    assert.deepEqual((await ada.get('/briefs?page=2')).data, all.slice(30));
    assert.deepEqual((await ada.get('/briefs?per_page=1&page=33')).data, all.slice(32));
  });

  it('Link rel next: not on the last page; prev: not on the first page', async () => {
    assert.deepEqual(pages(await ada.get('/briefs')), { first: 1, next: 2, last: 2 });
    assert.deepEqual(pages(await ada.get('/briefs?page=2')), { first: 1, prev: 1, last: 2 });
    const middle = await ada.get('/briefs?per_page=11&page=2');
    assert.deepEqual(pages(middle), { first: 1, prev: 1, next: 3, last: 3 });
    const exact = await ada.get('/briefs?per_page=11&page=3');
    assert.deepEqual(pages(exact), { first: 1, prev: 2, last: 3 });
  });

  it('Link rel first and last: always, when results exist', async () => {
    assert.deepEqual(pages(await ada.get('/briefs?per_page=100')), { first: 1, last: 1 });
  });

  it('a page past the end: 200, an empty array, with first, prev and last', async () => {
    for (const page of [4, 5, 1_000, 2 ** 31, Number.MAX_SAFE_INTEGER, '9'.repeat(400)]) {
      const answer = await ada.get(`/briefs?per_page=11&page=${page}`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.data, []);
      // The prev page has items.
      assert.deepEqual(pages(answer), { first: 1, prev: 3, last: 3 });
    }
  });

  it('no results at all: 200, an empty array, no Link header', async () => {
    const nobody = await service.user('nobody-yet');
    const lists = ['/briefs', '/user/orgs', '/user/brief_invitations', '/user/memberships/orgs'];
    for (const path of lists) {
      for (const query of ['', '?page=2', '?per_page=1']) {
        const answer = await nobody.get(path + query);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.data, []);
        assert.equal(answer.headers.get('link'), null);
      }
    }
  });

  it('Link URLs are absolute below {base_url} and keep every other query parameter', async () => {
    const query = 'state=pending&per_page=1&a%20b=c%26d&x=1&x=2&page=2';
    const found = links(await ada.get(`/user/memberships/orgs?${query}`));
    assert.deepEqual(Object.keys(found).sort(), ['first', 'last', 'next', 'prev']);
    for (const uri of Object.values(found)) {
      const url = new URL(uri);
      assert.ok(uri.startsWith(`${service.baseUrl}/user/memberships/orgs?`), uri);
      assert.equal(url.searchParams.get('state'), 'pending');
      assert.equal(url.searchParams.get('per_page'), '1');
      assert.equal(url.searchParams.get('a b'), 'c&d');
      assert.deepEqual(url.searchParams.getAll('x'), ['1', '2']);
      assert.equal(url.searchParams.getAll('page').length, 1);
    }
    const next = await ada.get((found.next as string).slice(service.baseUrl.length));
    assert.equal(next.data.length, 1);
    assert.equal(next.data[0].state, 'pending');
  });

  it('any per_page and page: the right slice, and matching links', async () => {
    const { data: all } = await ada.get('/briefs?per_page=100');
    const sizes = fc.integer({ min: 1, max: 100 });
    const numbers = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, numbers, async (size, page) => {
        const answer = await ada.get(`/briefs?per_page=${size}&page=${page}`);
        assert.deepEqual(answer.data, all.slice((page - 1) * size, page * size));
        const last = Math.ceil(COUNT / size);
        assert.deepEqual(pages(answer), {
          first: 1,
          ...(page > 1 && { prev: Math.min(page - 1, last) }),
          ...(page < last && { next: page + 1 }),
          last,
        });
      }),
      { numRuns: 60 },
    );
  });

  it('writing an item of an earlier page doesn’t change the order', async () => {
    const before = pluck(await ada.get('/briefs?per_page=100'), 'id');
    await expectStatus(ada.patch('/briefs/ada/brief-1', { content: 'written again' }), 200);
    assert.deepEqual(pluck(await ada.get('/briefs?per_page=100'), 'id'), before);
  });
});
