import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import { type Answer, assertError, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { sweepAnswers } from './idempotency.ts';

let made = 0;

const key = (text = `key-${++made}`) => ({ 'idempotency-key': text });

/** All that a repeated answer has to have in common with the first. */
function sameOf({ status, text, headers }: Answer) {
  const names = ['etag', 'x-revision', 'x-merged', 'location', 'content-type', 'link'];
  return { status, text, headers: names.map((name) => headers.get(name)) };
}

const service = await startService();
after(() => service.stop());
const [ada, grace] = [await service.user('ada'), await service.user('grace')];

/** Requests that change something, each with how often it was done: the length of a list. */
const REQUESTS: Record<
  string,
  () => Promise<{ path: string; body?: unknown; status: number; count: () => Promise<unknown> }>
> = {
  'a brief': async () => ({
    path: '/user/briefs',
    body: { content: '# Untold', name: `brief-${++made}` },
    status: 201,
    count: async () => (await ada.get('/user/briefs?per_page=100')).data.length,
  }),
  'a page in an organization': async () => {
    const org = `guild-${++made}`;
    await makeOrganization(ada, org);
    return {
      path: `/orgs/${org}/pages`,
      body: { html: '<title>x</title>', name: 'x' },
      status: 201,
      count: async () => (await ada.get(`/orgs/${org}/pages`)).data.length,
    };
  },
  'an edit': async () => {
    const path = await makeDocument(ada, `edited-${++made}`, { content: 'a\n' });
    return {
      path: `${path}/edits`,
      body: { edits: [{ op: 'append', content: 'b\n' }] },
      status: 200,
      count: async () => (await ada.get(path)).data.content,
    };
  },
  'an edit that changes nothing': async () => {
    const path = await makeDocument(ada, `same-${++made}`, { content: 'a\n' });
    return {
      path: `${path}/edits`,
      body: { edits: [{ op: 'replace', old: 'a', new: 'a' }] },
      status: 200,
      count: async () => (await ada.get(path)).data.content,
    };
  },
  'a proposal': async () => {
    const path = await makeDocument(ada, `proposed-${++made}`, { content: 'a\n' });
    return {
      path: `${path}/edits`,
      body: { edits: [{ op: 'append', content: 'b\n' }], propose: true },
      status: 201,
      count: async () => (await ada.get(`${path}/threads`)).data.length,
    };
  },
  'a restored revision': async () => {
    const path = await makeDocument(ada, `restored-${++made}`, { content: 'a\n' });
    await expectStatus(ada.patch(path, { content: 'b\n' }), 200);
    return {
      path: `${path}/revisions/1/restore`,
      body: {},
      status: 200,
      count: async () => (await ada.get(`${path}/revisions`)).data.length,
    };
  },
  'a thread': async () => {
    const path = await makeDocument(ada, `thread-${++made}`);
    return {
      path: `${path}/threads`,
      body: { body: 'Really?' },
      status: 201,
      count: async () => (await ada.get(`${path}/threads`)).data.length,
    };
  },
  'a secret link': async () => {
    const path = await makeDocument(ada, `linked-${++made}`, { visibility: 'private' });
    return {
      path: `${path}/links`,
      body: { access: 'read' },
      status: 201,
      count: async () => (await ada.get(`${path}/links`)).data.length,
    };
  },
  'an organization': async () => ({
    path: '/user/orgs',
    body: { namespace: `org-${++made}`, name: 'x' },
    status: 201,
    count: async () => (await ada.get('/user/orgs')).data.length,
  }),
  'a move, whose address leads elsewhere afterwards': async () => {
    const org = `target-${++made}`;
    await makeOrganization(ada, org);
    const path = await makeDocument(ada, `moved-${++made}`);
    return {
      path: `${path}/move`,
      body: { owner: org },
      status: 200,
      count: async () => (await ada.get(`/orgs/${org}/briefs`)).data.length,
    };
  },
  'a restored document': async () => {
    const path = await makeDocument(ada, `binned-${++made}`);
    await expectStatus(ada.delete(path), 204);
    const [{ id }] = (await ada.get('/user/trash')).data;
    return {
      path: `/trash/${id}/restore`,
      status: 200,
      count: async () => (await ada.get('/user/trash')).data.length,
    };
  },
};

describe('A request that is repeated with its Idempotency-Key', () => {
  for (const [what, prepare] of Object.entries(REQUESTS)) {
    it(`${what}: is carried out once, and gets the same answer`, async () => {
      const { path, body, status, count } = await prepare();
      const header = key();
      const first = await expectStatus(ada.post(path, body, header), status);
      const afterFirst = await count();
      for (let times = 0; times < 2; times++) {
        assert.deepEqual(sameOf(await ada.post(path, body, header)), sameOf(first));
      }
      assert.deepEqual(await count(), afterFirst);
      const other = await ada.post(path, { ...(body as object), message: 'other' }, header);
      if (body !== undefined && other.status !== 400) {
        assertError(other, 422, 'UNPROCESSABLE', /^Idempotency-Key: you used this key/);
      }
    });
  }

  it('an upload', async () => {
    const send = () => {
      const { body, headers } = uploadForm({ name: 'a.png', type: 'image/png', bytes: PNG });
      const all = { ...headers, ...key('upload') };
      return ada.request('/user/files', { method: 'POST', body, headers: all });
    };
    const first = await send();
    assert.equal(first.status, 201, first.text);
    assert.equal((await send()).text, first.text);
    assert.equal((await ada.get('/user/files')).data.length, 1);
  });

  it('at the same time: is carried out once', async () => {
    const path = await makeDocument(ada, 'raced');
    const header = key();
    const send = () => ada.post(`${path}/threads`, { body: 'One' }, header);
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers[0]?.status, 201);
    assert.equal((await ada.get(`${path}/threads`)).data.length, 1);
  });

  it('is carried out if the first one was refused', async () => {
    const header = key();
    const body = { namespace: 'ada', name: 'x' };
    assertError(await ada.post('/user/orgs', body, header), 422, 'UNPROCESSABLE');
    await expectStatus(ada.post('/user/orgs', { ...body, namespace: 'other-one' }, header), 201);
  });

  it('is another request for another account, path or query', async () => {
    const header = key();
    const body = { content: 'x', name: 'keyed' };
    await expectStatus(ada.post('/user/briefs', body, header), 201);
    await expectStatus(grace.post('/user/briefs', body, header), 201);
    assertError(await ada.post('/briefs', body, header), 422, 'UNPROCESSABLE', /^Idempotency-Key/);
  });

  it('is another request for a token with other scopes', async () => {
    const path = await makeDocument(ada, 'scoped', { content: 'a\n', visibility: 'private' });
    const { token } = await createToken(service.app.context, {
      username: 'ada',
      name: 'narrow',
      lifetimeMs: undefined,
      scopes: ['comments'],
    });
    const narrow = service.client(token);
    const header = key();
    const body = { edits: [{ op: 'replace', old: 'a', new: 'b' }] };
    await expectStatus(ada.post(`${path}/edits`, body, header), 200);
    assertError(await narrow.post(`${path}/edits`, body, header), 422, 'UNPROCESSABLE');
    assertError(await narrow.post(`${path}/edits`, body, key()), 403, 'FORBIDDEN');
  });

  it('reveals nothing to somebody who lost access, except their own first answer', async () => {
    const path = await makeDocument(ada, 'lost', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    const header = key();
    const body = { edits: [{ op: 'append', content: 'x\n' }] };
    const first = await expectStatus(grace.post(`${path}/edits`, body, header), 200);
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    assert.equal((await grace.post(`${path}/edits`, body, header)).text, first.text);
    assertError(await grace.post(`${path}/edits`, body, key()), 404, 'NOT_FOUND');
    const other = { edits: [{ op: 'append', content: 'y\n' }] };
    assertError(await grace.post(`${path}/edits`, other, header), 422, 'UNPROCESSABLE');
  });

  it('gets 409 if the process ended before the answer was stored', async () => {
    const path = await makeDocument(ada, 'crashed');
    const header = key();
    await expectStatus(ada.post(`${path}/threads`, { body: 'One' }, header), 201);
    await service.app.context.sql.transaction((tx) =>
      tx.updateTable('answered_request').set({ answer: null }).execute(),
    );
    const again = await ada.post(`${path}/threads`, { body: 'One' }, header);
    assert.deepEqual([again.status, again.json.error.code], [409, 'CONFLICT']);
    assert.match(again.json.error.message, /^Idempotency-Key: .* response is lost/);
    assert.equal((await ada.get(`${path}/threads`)).data.length, 1);
  });

  it('keeps 50 MB of answers of an account a day: beyond, a repetition gets 409, or reads again', async () => {
    const mia = await service.user('mia');
    const path = await makeDocument(mia, 'one', { content: 'x'.repeat(600_000) });
    const { context } = service.app;
    const { id } = (await mia.get('/user')).data;
    await context.limiter.consume('keptAnswer', id, 49_900);
    const wanted = { documents: [{ type: 'brief', owner: 'mia', name: 'one' }] };
    const header = key();
    await expectStatus(mia.post('/documents/read', wanted, header), 200);
    await expectStatus(mia.patch(path, { content: 'two' }), 200);
    const again = await expectStatus(mia.post('/documents/read', wanted, header), 200);
    assert.equal(again.data[0].document.content, 'two');
    const written = key();
    await expectStatus(mia.post(`${path}/threads`, { body: 'One' }, written), 201);
    const repeated = await mia.post(`${path}/threads`, { body: 'One' }, written);
    assert.equal(repeated.status, 409, repeated.text);
    assert.match(repeated.json.error.message, /response is lost/);
    assert.equal((await mia.get(`${path}/threads`)).data.length, 1);
  });

  it('stores answers encrypted', async () => {
    const header = key('a-key-that-nobody-has');
    const path = await makeDocument(ada, 'sealed', { visibility: 'private' });
    const { data } = await expectStatus(ada.post(`${path}/links`, { access: 'read' }, header), 201);
    const { read } = service.app.context.sql;
    const rows = JSON.stringify(await read.selectFrom('answered_request').selectAll().execute());
    assert.doesNotMatch(rows, /a-key-that-nobody-has/);
    assert.ok(!rows.includes(data.url.split('/s/')[1]));
  });

  it('an invalid key is refused everywhere', async () => {
    for (const bad of ['x'.repeat(256), 'caf\u00e9']) {
      const answer = await ada.post('/user/orgs', { namespace: 'n', name: 'n' }, key(bad));
      assertError(answer, 400, 'BAD_REQUEST', /^Idempotency-Key/);
    }
  });

  it('is documented for every POST', async () => {
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    for (const [path, { post }] of Object.entries<{ post?: { parameters?: { name: string }[] } }>(
      paths,
    )) {
      if (!post) continue;
      const names = (post.parameters ?? []).map(({ name }) => name);
      assert.ok(names.includes('Idempotency-Key'), path);
    }
  });

  it('is carried out again after a day', async () => {
    const path = await makeDocument(ada, 'late');
    const header = key();
    const send = () => ada.post(`${path}/threads`, { body: 'One' }, header);
    await expectStatus(send(), 201);
    assert.equal(await sweepAnswers(service.app.context), 0);
    service.advance(DAY_MS + 1_000);
    await expectStatus(send(), 201);
    assert.equal((await ada.get(`${path}/threads`)).data.length, 2);
    assert.ok((await sweepAnswers(service.app.context)) > 0);
  });
});
