import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { assertError, startService } from '../../../test/harness.ts';
import {
  expectStatus,
  invite,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';

describe('Errors', async () => {
  const service = await startService();
  after(() => service.stop());
  const { ada, grace } = await users(service, 'ada', 'grace');
  await makeDocument(ada, 'open');
  await makeDocument(ada, 'hidden', { visibility: 'private' });

  it('every error body has the form { error: { code, message } }, as application/json', async () => {
    const answer = await ada.get('/briefs/ada/missing');
    assertError(answer, 404, 'NOT_FOUND');
    assert.equal(typeof answer.json.error.message, 'string');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/);
  });

  it('400 BAD_REQUEST: missing or invalid parameters; the message names the field', async () => {
    assertError(await ada.post('/briefs', {}), 400, 'BAD_REQUEST', /content/);
    assertError(await ada.get('/briefs?page=0'), 400, 'BAD_REQUEST', /page/);
    const body = { content: 'x', visibility: 'secret' };
    assertError(await ada.post('/briefs', body), 400, 'BAD_REQUEST', /visibility/);
  });

  it('401 UNAUTHORIZED: missing or invalid credentials', async () => {
    for (const token of [undefined, 'brf_nonsense']) {
      assertError(await service.client(token).get('/user'), 401, 'UNAUTHORIZED');
    }
  });

  it('403 FORBIDDEN: insufficient permission', async () => {
    assertError(await grace.delete('/briefs/ada/open'), 403, 'FORBIDDEN');
  });

  it('404 NOT_FOUND at an address that the API doesn’t have says what is near it', async () => {
    for (const [path, near] of [
      ['/briefs/ada/open/commments', /Below \/api\/briefs\/\{owner\}\/\{name\}\/ are: .*threads/],
      ['/briefs/019f0000-0000-7000-8000-000000000000', /Below .*\/\{owner\}\/ are: \{name\}\./],
      ['/documents/ada/open', /Below \/api\/documents\/ are: move, read\./],
      ['/orgs/somebody/members/ada/role', /Nothing is below .*\/members\/\{username\}\.$/],
      ['/nothing', /Below \/api\/ are: .*briefs, .*search/],
    ] as const) {
      assertError(await ada.get(path), 404, 'NOT_FOUND', near);
    }
  });

  it('400 BAD_REQUEST: other services’ names of “per_page” and “page”', async () => {
    for (const name of ['limit', 'offset', 'pageSize']) {
      const answer = await ada.get(`/user/briefs?${name}=5`);
      assertError(
        answer,
        400,
        'BAD_REQUEST',
        new RegExp(`^${name}: .* Known are .*per_page, page`),
      );
    }
    assert.equal((await ada.get('/user/briefs?cache=5')).status, 200);
    assert.equal((await ada.get('/user?limit=5')).status, 200);
  });

  it('404 NOT_FOUND: resource not found; also if existence must not leak', async () => {
    const missing = await grace.get('/briefs/ada/missing');
    const hidden = await grace.get('/briefs/ada/hidden');
    assertError(missing, 404, 'NOT_FOUND');
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, missing.text);
  });

  it('413 PAYLOAD_TOO_LARGE: request body over the size limit', async () => {
    const body = { content: 'x'.repeat(1024 * 1024) };
    assertError(await ada.post('/briefs', body), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('413 CONTENT_TOO_LARGE: brief content over its cap', async () => {
    const body = { content: 'x'.repeat(900 * 1024 + 1) };
    assertError(await ada.post('/briefs', body), 413, 'CONTENT_TOO_LARGE', /content/);
  });

  it('422 UNPROCESSABLE: name already taken', async () => {
    const body = { content: 'x', name: 'open' };
    assertError(await ada.post('/briefs', body), 422, 'UNPROCESSABLE', /name/);
    await makeOrganization(ada, 'guild');
    const again = await ada.post('/user/orgs', { namespace: 'guild', name: 'Guild' });
    assertError(again, 422, 'UNPROCESSABLE', /namespace/);
  });

  it('422 UNPROCESSABLE: duplicate invitation; expired invitation', async () => {
    const id = await invite(ada, '/briefs/ada/hidden', grace, 'read');
    const path = '/briefs/ada/hidden/collaborators/grace';
    assertError(await ada.put(path, { permission: 'read' }), 422, 'UNPROCESSABLE');
    service.advance(7 * 24 * 3_600_000);
    assertError(await grace.patch(`/user/brief_invitations/${id}`), 422, 'UNPROCESSABLE');
  });

  it('429: rate limit exceeded; carries header Retry-After in seconds', async () => {
    const limited = await startService({ RATE_LIMIT_API: '2/5m' });
    try {
      const alan = await limited.user('alan');
      for (const remaining of ['1', '0']) {
        const answer = await expectStatus(alan.get('/user'), 200);
        assert.equal(answer.headers.get('x-ratelimit-limit'), '2');
        assert.equal(answer.headers.get('x-ratelimit-remaining'), remaining);
      }
      const refused = await alan.get('/user');
      assertError(refused, 429, 'RATE_LIMITED');
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 300, `${seconds}`);
    } finally {
      await limited.stop();
    }
  });

  it('500 INTERNAL: server error, without stack, query or path', async () => {
    const broken = await startService();
    try {
      const alan = await broken.user('alan');
      await broken.app.context.sql.transaction(async (tx) => {
        await sql`drop table invitation`.execute(tx);
      });
      const answer = await alan.get('/user/brief_invitations');
      assertError(answer, 500, 'INTERNAL');
      assert.doesNotMatch(answer.text, /sql|table|select|invitation|\.[jt]s|\/|at /i);
      assert.ok(answer.headers.get('x-request-id'));
    } finally {
      await broken.stop();
    }
  });
});
