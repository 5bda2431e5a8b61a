import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { assertError, type Client, type Service, startService } from '../../../test/harness.ts';
import { createToken, revokeToken } from '../../core/identity/token-service.ts';

describe('Several documents in one request', () => {
  let service: Service;
  let ada: Client;
  let alan: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    alan = await service.user('alan');
  });
  after(() => service?.stop());

  const statuses = (results: { status: number }[]) => results.map(({ status }) => status);

  it('creates each by itself, in their order', async () => {
    const documents = [
      { type: 'brief', name: 'one', content: '# One', visibility: 'private' },
      { type: 'page', name: 'one', content: '<p>Page' },
      { type: 'brief', name: 'one', content: 'again' },
      { type: 'brief', owner: 'Ada', content: '# Named by its heading' },
      { type: 'brief', owner: 'alan', name: 'theirs', content: 'x' },
      { type: 'brief', name: 'long', content: 'x'.repeat(921_601) },
    ];
    const { status, data } = await ada.post('/documents', { documents });
    assert.equal(status, 200);
    assert.deepEqual(statuses(data), [201, 201, 422, 201, 404, 413]);
    assert.equal(data[3].document.fullName, 'ada/named-by-its-heading');
    assert.equal(data[2].error.code, 'UNPROCESSABLE');
    const { headers } = await ada.get('/briefs/ada/one');
    assert.equal(headers.get('etag'), data[0].document.etag);
    assert.equal((await ada.get('/pages/ada/one')).data.html, '<p>Page');
    assertError(await alan.get('/briefs/alan/theirs'), 404, 'NOT_FOUND');
  });

  it('reads what the caller can read, with its text and revision', async () => {
    await ada.post('/user/briefs', { name: 'open', content: 'open' });
    await ada.post('/user/briefs', { name: 'hidden', content: 'hidden', visibility: 'private' });
    await ada.post('/user/briefs', { name: 'before', content: 'moved' });
    await ada.patch('/briefs/ada/before', { name: 'behind' });
    await ada.patch('/briefs/ada/open', { content: 'opened' });
    const documents = ['open', 'hidden', 'before', 'none'].map((name) => {
      return { type: 'brief', owner: 'ada', name };
    });
    const own = (await ada.post('/documents/read', { documents })).data;
    assert.deepEqual(statuses(own), [200, 200, 308, 404]);
    const { content, revision, type } = own[0].document;
    assert.deepEqual([content, revision, type], ['opened', 2, 'brief']);
    const others = (await alan.post('/documents/read', { documents })).data;
    assert.deepEqual(statuses(others), [200, 404, 308, 404]);
    assert.deepEqual(others[1], others[3]);
  });

  it('moves each as a whole or not at all, with the visibility that it gets', async () => {
    await ada.post('/user/orgs', { namespace: 'movers', name: 'Movers' });
    const visibility = 'private';
    await ada.post('/orgs/movers/briefs', { name: 'held', content: 'there already' });
    for (const name of ['first', 'held']) {
      await ada.post('/user/briefs', { name, content: name, visibility });
    }
    await ada.post('/user/pages', { name: 'third', html: '<p>third', visibility });
    await alan.post('/user/briefs', { name: 'foreign', content: 'x' });
    const documents = [
      { type: 'brief', owner: 'ada', name: 'first' },
      { type: 'brief', owner: 'ada', name: 'held' },
      { type: 'page', owner: 'ada', name: 'third' },
      { type: 'brief', owner: 'ada', name: 'first' },
      { type: 'brief', owner: 'alan', name: 'foreign' },
      { type: 'brief', owner: 'ada', name: 'none-such' },
    ];
    const to = { owner: 'movers', visibility: 'internal' };
    const { status, data } = await ada.post('/documents/move', { documents, ...to });
    assert.equal(status, 200);
    assert.deepEqual(statuses(data), [200, 422, 200, 308, 403, 404]);
    assert.match(data[1].error.message, /held-2/);
    for (const [at, path] of [
      [0, '/briefs/movers/first'],
      [2, '/pages/movers/third'],
    ] as const) {
      const now = await ada.get(path);
      assert.equal(now.data.visibility, 'internal');
      assert.equal(now.headers.get('etag'), data[at].document.etag);
    }
    assert.equal((await ada.get('/briefs/ada/held')).data.visibility, 'private');
    const away = { documents, owner: 'movers', visibility: 'public' };
    assertError(await ada.post('/documents/move', away), 400, 'BAD_REQUEST', /visibility/);
  });

  it('sends at most 1 MB of texts, and nothing after what has no room', async () => {
    const names = { half: 600_000, small: 10, more: 600_000, least: 10 };
    for (const [name, length] of Object.entries(names)) {
      await ada.post('/user/pages', { name, html: `<p>${'x'.repeat(length)}` });
    }
    const documents = Object.keys(names).map((name) => ({ type: 'page', owner: 'ada', name }));
    const { data } = await ada.post('/documents/read', { documents });
    assert.deepEqual(statuses(data), [200, 200, 413, 413]);
  });

  it('counts ten documents as one request, and refuses all if that is too many', async () => {
    const limited = await startService({ RATE_LIMIT_API: '12/1h', QUOTA_DOCUMENTS: '22' });
    try {
      const grace = await limited.user('grace');
      const left = ({ headers }: { headers: Headers }) => headers.get('x-ratelimit-remaining');
      const create = (from: number, count: number) => {
        const names = Array.from({ length: count }, (_, index) => `d${from + index}`);
        const documents = names.map((name) => ({ type: 'brief', name, content: name }));
        return grace.post('/documents', { documents });
      };
      const first = await create(0, 21);
      assert.deepEqual([first.status, left(first)], [200, '9']);
      const read = (count: number) => {
        const document = { type: 'brief', owner: 'grace', name: 'd0' };
        return grace.post('/documents/read', { documents: Array(count).fill(document) });
      };
      assert.equal(left(await read(10)), '8');
      const second = await create(100, 2);
      assert.deepEqual(statuses(second.data), [201, 422]);
      assert.equal(second.data[1].error.code, 'QUOTA_EXCEEDED');
      assertError(await read(100), 429, 'RATE_LIMITED');
      assertError(await grace.get('/user'), 429, 'RATE_LIMITED');
    } finally {
      await limited.stop();
    }
    const lower = await startService({ RATE_LIMIT_API: '3/1h' });
    const kay = await lower.user('kay');
    const documents = Array(100).fill({ type: 'brief', owner: 'kay', name: 'x' });
    assert.equal((await kay.post('/documents/read', { documents })).status, 200);
    assertError(await kay.get('/user'), 429, 'RATE_LIMITED');
    await lower.stop();
  });

  it('ends where its token ends', async () => {
    const account = { username: 'ada', name: 'short', lifetimeMs: undefined };
    const { context } = service.app;
    const { id, token } = await createToken(context, account);
    const short = service.client(token);
    const documents = Array.from({ length: 100 }, (_, index) => {
      return { type: 'brief', name: `short-${index}`, content: 'x' };
    });
    const { documentChanged } = context;
    let revoked: Promise<void> | undefined;
    Object.assign(context, {
      documentChanged: () => {
        revoked ??= revokeToken(context, id);
        documentChanged();
      },
    });
    const made = await short.post('/documents', { documents });
    Object.assign(context, { documentChanged });
    await revoked;
    const ended = statuses(made.data).indexOf(401);
    assert.ok(ended > 0, 'it ends while the request runs');
    assert.ok(
      statuses(made.data)
        .slice(ended)
        .every((status) => status === 401),
    );
    assertError(await short.post('/documents', { documents }), 401, 'UNAUTHORIZED');
  });

  it('needs the scopes of the single requests, and a list of 1 to 100', async () => {
    const account = { username: 'ada', name: 'reader', lifetimeMs: undefined };
    const scopes = ['documents:read'] as const;
    const { token } = await createToken(service.app.context, { ...account, scopes });
    const reader = service.client(token);
    const one = [{ type: 'brief', owner: 'ada', name: 'open', content: 'x' }];
    assertError(await reader.post('/documents', { documents: one }), 403, 'FORBIDDEN');
    for (const documents of [[], Array(101).fill(one[0]), [{ type: 'file', content: 'x' }]]) {
      assertError(await ada.post('/documents', { documents }), 400, 'BAD_REQUEST', /documents/);
    }
  });
});
