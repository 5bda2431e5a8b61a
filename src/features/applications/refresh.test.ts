import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  obtainTokens,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { DAY_MS } from '../../base/time/clock.ts';

describe('POST /oauth/token, for a refresh token', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const client = await register(service);
  const { data } = await (await service.user('ada')).get('/user');
  const ada = await signedIn(service, data.id);

  it('works in parallel: all returned tokens are valid', async () => {
    const { refresh_token: token } = await obtainTokens(service, ada, client);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => refresh(service, client, token)),
    );
    for (const { status, text, json } of answers) {
      assert.equal(status, 200, text);
      assert.equal(await statusWith(service, json.access_token), 200);
      assert.equal((await refresh(service, client, json.refresh_token)).status, 200);
    }
  });

  it('works again within the grace period, in case the response was lost', async () => {
    const { refresh_token: token } = await obtainTokens(service, ada, client);
    assert.equal((await refresh(service, client, token)).status, 200);
    service.advance(40_000);
    assert.equal((await refresh(service, client, token)).status, 200);
    service.advance(10_000);
    const late = await refresh(service, client, token);
    assertOAuthError(late, 400, 'invalid_grant');
  });

  it('reused after the grace period, revokes its grant', async () => {
    const first = await obtainTokens(service, ada, client);
    const second = (await refresh(service, client, first.refresh_token)).json;
    const bystander = await obtainTokens(service, ada, client);
    service.advance(46_000);
    assertOAuthError(await refresh(service, client, first.refresh_token), 400, 'invalid_grant');
    assertOAuthError(await refresh(service, client, second.refresh_token), 400, 'invalid_grant');
    for (const token of [first.access_token, second.access_token]) {
      assert.equal(await statusWith(service, token), 401);
    }
    assert.equal(await statusWith(service, bystander.access_token), 200, 'another grant');
  });

  it('gives fewer scopes on request, and never more', async () => {
    const scopes = ['documents:read', 'profile'];
    const tokens = await obtainTokens(service, ada, client, { scopes });
    const more = { scope: 'documents:read documents:write' };
    const widened = await refresh(service, client, tokens.refresh_token, more);
    assertOAuthError(widened, 400, 'invalid_scope');
    const less = { scope: 'profile' };
    const narrowed = await refresh(service, client, tokens.refresh_token, less);
    assert.equal(narrowed.json.scope, 'profile');
    const caller = service.client(narrowed.json.access_token);
    assert.equal((await caller.get('/user')).status, 200);
    assert.equal((await caller.get('/user/briefs')).status, 403);
    const again = await refresh(service, client, narrowed.json.refresh_token);
    assert.equal(again.json.scope, scopes.join(' '));
    const elsewhere = { resource: 'https://other.example/' };
    const answer = await refresh(service, client, again.json.refresh_token, elsewhere);
    assertOAuthError(answer, 400, 'invalid_target');
  });

  it('belongs to one client', async () => {
    const { refresh_token: token } = await obtainTokens(service, ada, client);
    const other = await register(service);
    assertOAuthError(await refresh(service, other, token), 400, 'invalid_grant');
    assert.equal((await refresh(service, client, token)).status, 200);
  });

  it('expires after 30 unused days, and 90 days after consent', async () => {
    let { refresh_token: token } = await obtainTokens(service, ada, client);
    for (let days = 0; days < 87; days += 29) {
      service.advance(29 * DAY_MS);
      const answer = await refresh(service, client, token);
      assert.equal(answer.status, 200, `${days} ${answer.text}`);
      token = answer.json.refresh_token;
    }
    service.advance(4 * DAY_MS);
    assertOAuthError(await refresh(service, client, token), 400, 'invalid_grant');
    // The sign-in was that long ago, too.
    const { data } = await (await service.user('grace')).get('/user');
    const idle = await obtainTokens(service, await signedIn(service, data.id), client);
    service.advance(31 * DAY_MS);
    assertOAuthError(await refresh(service, client, idle.refresh_token), 400, 'invalid_grant');
  });

  it('gives access tokens for an hour', async () => {
    const { data } = await (await service.user('tim')).get('/user');
    const tim = await signedIn(service, data.id);
    const { access_token: token } = await obtainTokens(service, tim, client);
    service.advance(3_590_000);
    assert.equal(await statusWith(service, token), 200);
    service.advance(11_000);
    assert.equal(await statusWith(service, token), 401);
  });
});
