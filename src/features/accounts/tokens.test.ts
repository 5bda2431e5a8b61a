import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';
import { documentBody, expectStatus } from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { formatToken } from '../../core/identity/token.ts';
import { createToken, listAccountTokens, revokeToken } from '../../core/identity/token-service.ts';

const service = await startService();
after(() => service.stop());
const ada = await service.user('ada');

const make = (username: string, lifetimeMs?: number) =>
  createToken(service.app.context, { username, name: 'test', lifetimeMs });

async function assertRefused(token: string | undefined): Promise<void> {
  const answer = await service.client(token).get('/user');
  assertError(answer, 401, 'UNAUTHORIZED');
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const metadata = `${service.webUrl}/.well-known/oauth-protected-resource/api`;
  assert.match(challenge, /^Bearer /);
  assert.ok(challenge.endsWith(`resource_metadata="${metadata}"`), challenge);
}

describe('Authentication', () => {
  it('every REST route requires a token: without one, or with a bad one, 401 UNAUTHORIZED', async () => {
    await expectStatus(ada.post('/briefs', documentBody(KINDS.brief, { name: 'open' })), 201);
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    let tried = 0;
    for (const [template, operations] of Object.entries(paths as Record<string, object>)) {
      const path = template
        .replace('{owner}', 'ada')
        .replace('{name}', 'open')
        .replace('{username}', 'ada')
        .replace(/\{\w+\}/g, 'x');
      for (const method of Object.keys(operations)) {
        for (const token of [undefined, 'brf_x', 'x']) {
          const init = { method: method.toUpperCase() };
          const answer = await service.client(token).request(path, init);
          assertError(answer, 401, 'UNAUTHORIZED');
          tried += 1;
        }
      }
    }
    assert.ok(tried > 90, `${tried}`);
    assert.equal((await ada.get('/briefs/ada/open')).status, 200);
  });

  it('an unknown route answers 404 NOT_FOUND, after authentication', async () => {
    for (const path of ['', '/', '/nothing', '/briefs/ada', '/user/nothing', '/orgs']) {
      assertError(await ada.get(path), 404, 'NOT_FOUND');
      assertError(await service.client().get(path), 401, 'UNAUTHORIZED');
    }
  });

  it('the token is accepted only as Authorization: Bearer', async () => {
    const token = ada.token as string;
    const client = service.client();
    const refused = [
      token,
      `Basic ${token}`,
      `Token ${token}`,
      `Bearer`,
      `Bearer${token}`,
      `Bearer ${token}x`,
      `Bearer "${token}"`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token} ${token}`,
    ];
    for (const authorization of refused) {
      assertError(await client.get('/user', { authorization }), 401, 'UNAUTHORIZED');
    }
    for (const path of [`/user?access_token=${token}`, `/user?token=${token}`]) {
      assertError(await client.get(path), 401, 'UNAUTHORIZED');
    }
    assertError(await client.get('/user', { cookie: `token=${token}` }), 401, 'UNAUTHORIZED');
    // The scheme is case-insensitive (RFC 9110, section 11.1).
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await client.get('/user', { authorization: `${scheme} ${token}` });
      assert.equal(answer.status, 200, scheme);
    }
  });
});

describe('Personal access tokens', () => {
  it('brf_ and base62 with at least 160 random bits; each different', async () => {
    const tokens = new Set<string>();
    for (let index = 0; index < 20; index += 1) {
      const { token } = await make('ada');
      // 27 base62 digits are 160.8 bits; 6 more are the checksum.
      assert.match(token, /^brf_[0-9A-Za-z]{33,}$/);
      tokens.add(token);
    }
    assert.equal(tokens.size, 20);
  });

  it('several work in parallel, each for its own user', async () => {
    const grace = await service.user('grace');
    for (const username of ['ada', 'ada', 'grace']) {
      const { token } = await make(username);
      assert.equal((await service.client(token).get('/user')).data.username, username);
    }
    assert.equal((await grace.get('/user')).data.username, 'grace');
  });

  it('expired: 401 from that moment', async () => {
    const { token } = await make('ada', 60_000);
    const client = service.client(token);
    service.advance(58_000);
    assert.equal((await client.get('/user')).status, 200);
    service.advance(2_000);
    await assertRefused(token);
    assert.equal((await ada.get('/user')).status, 200);
  });

  it('older than the server lets tokens get: 401, those that exist, too', async () => {
    const { context } = service.app;
    const [endless, short] = [await make('grace'), await make('grace', 60_000)];
    const shown = async () =>
      (await listAccountTokens(context, 'grace')).find(({ id }) => id === endless.id)?.expiresAt;
    assert.equal(await shown(), null);
    context.tokenLifetimeMs = 120_000;
    try {
      assert.ok(await shown());
      service.advance(70_000);
      await assertRefused(short.token);
      assert.equal((await service.client(endless.token).get('/user')).status, 200);
      service.advance(60_000);
      await assertRefused(endless.token);
      await createAccount(context, { username: 'lifer', email: 'lifer@example.com' });
      const fresh = await make('lifer', 600_000);
      assert.equal((await service.client(fresh.token).get('/user')).status, 200);
    } finally {
      context.tokenLifetimeMs = undefined;
    }
    assert.equal((await service.client(endless.token).get('/user')).status, 200);
  });

  it('revoked: 401 at once; others still work', async () => {
    const { token, id } = await make('ada');
    assert.equal((await service.client(token).get('/user')).status, 200);
    await revokeToken(service.app.context, id);
    await assertRefused(token);
    await assert.rejects(revokeToken(service.app.context, id), { code: 'NOT_FOUND' });
    assert.equal((await ada.get('/user')).status, 200);
  });

  it('disabled account: 401 for all its tokens, until it is enabled', async () => {
    const alan = await service.user('alan');
    const { token } = await make('alan');
    await setAccountDisabled(service.app.context, 'alan', true);
    await assertRefused(alan.token);
    await assertRefused(token);
    await setAccountDisabled(service.app.context, 'alan', false);
    assert.equal((await alan.get('/user')).status, 200);
  });

  it('mistyped: 401 for every single wrong, missing or swapped character', async () => {
    const { token } = await make('ada');
    for (let index = 4; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a';
      await assertRefused(token.slice(0, index) + other + token.slice(index + 1));
    }
    await assertRefused(token.slice(0, -1));
    await assertRefused(`${token}0`);
    await assertRefused(token.toUpperCase());
    await assertRefused(token.slice(4));
    await assertRefused(token.replace('brf_', 'ghp_'));
    assert.equal((await service.client(token).get('/user')).status, 200);
  });

  it('well-formed but unknown: 401', async () => {
    await assertRefused(formatToken(new Uint8Array(22)));
    await assertRefused(formatToken(new Uint8Array(22).fill(255)));
  });

  it('only the SHA-256 is stored: no table contains the token', async () => {
    const { token } = await make('ada');
    const rows = await service.app.context.sql.read
      .selectFrom('access_token')
      .selectAll()
      .execute();
    const text = JSON.stringify(rows);
    assert.ok(!text.includes(token));
    assert.ok(!text.includes(token.slice(4, 34)));
    assert.ok(rows.every(({ tokenHash }) => /^[0-9a-f]{64}$/.test(tokenHash)));
  });

  it('the last use is shown, to the minute', async () => {
    const { id, token } = await make('ada');
    const lastUsed = async () =>
      (await listAccountTokens(service.app.context, 'ada')).find((one) => one.id === id)
        ?.lastUsedAt;
    assert.equal(await lastUsed(), null);
    await service.client(token).get('/user');
    const first = await lastUsed();
    assert.ok(first);
    await service.client(token).get('/user');
    assert.equal(await lastUsed(), first);
    service.advance(61_000);
    await service.client(token).get('/user');
    assert.ok(((await lastUsed()) as string) > first);
  });
});

describe('Accounts', () => {
  it('an email address is unique, ignoring case', async () => {
    const twin = { username: 'ada-twin', email: 'ADA@Example.com' };
    const making = createAccount(service.app.context, twin);
    await assert.rejects(making, { code: 'UNPROCESSABLE', message: /email/ });
    // All or nothing: the username is still free.
    assertError(await ada.get('/users/ada-twin'), 404, 'NOT_FOUND');
    await service.user('ada-twin');
  });
});
