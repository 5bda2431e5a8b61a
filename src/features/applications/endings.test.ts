import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  obtainTokens,
  type Registered,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { signedIn, type Visitor } from '../../../test/oauth/visitor.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { findClientMetadata } from './client-service.ts';
import { sweepAuthorization } from './sweep-service.ts';

const DAY_MS = 24 * 60 * 60_000;

describe('An application’s access ends', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const client = await register(service);
  const ada = await signedIn(service, (await (await service.user('ada')).get('/user')).data.id);
  const grace = await signedIn(service, (await (await service.user('grace')).get('/user')).data.id);

  async function revoke(by: Registered, token: string, hint?: string) {
    const body = new URLSearchParams({ client_id: by.client_id, token });
    if (hint) body.set('token_type_hint', hint);
    return readAnswer(await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body }));
  }

  it('when it revokes any of its tokens (RFC 7009)', async () => {
    for (const which of ['access_token', 'refresh_token'] as const) {
      for (const hint of [undefined, 'access_token', 'refresh_token', 'other']) {
        const tokens = await obtainTokens(service, ada, client);
        const bystander = await obtainTokens(service, ada, client);
        const answer = await revoke(client, tokens[which], hint);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(await statusWith(service, tokens.access_token), 401);
        const again = await refresh(service, client, tokens.refresh_token);
        assertOAuthError(again, 400, 'invalid_grant');
        assert.equal(await statusWith(service, bystander.access_token), 200);
      }
    }
    assert.equal((await revoke(client, 'unknown')).status, 200);
  });

  it('not when another application revokes the token', async () => {
    const tokens = await obtainTokens(service, ada, client);
    const other = await register(service);
    await revoke(other, tokens.access_token);
    await revoke(other, tokens.refresh_token);
    assert.equal(await statusWith(service, tokens.access_token), 200);
    const stranger = { ...client, client_id: 'nobody' };
    assertOAuthError(await revoke(stranger, tokens.access_token), 401, 'invalid_client');
  });

  it('when the user disconnects it, immediately', async () => {
    const first = await obtainTokens(service, ada, client, { scopes: ['profile'] });
    const second = await obtainTokens(service, ada, client, { scopes: ['documents:read'] });
    const others = await obtainTokens(service, grace, client);
    await statusWith(service, first.access_token);
    const { text } = await ada.get(`${service.webUrl}/settings/applications`);
    assert.equal(text.match(/Disconnect Scribe/g)?.length, 1);
    assert.match(text, /127\.0\.0\.1:9123/);
    assert.match(text, /Last used/);
    const id = /name="application" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const disconnect = (visitor: Visitor) =>
      visitor.submit(`${service.webUrl}/settings/applications/disconnect`, [['application', id]]);
    assert.equal((await disconnect(grace)).status, 404, 'only one’s own');
    assert.equal(await statusWith(service, first.access_token), 200);
    assert.equal((await disconnect(ada)).status, 303);
    for (const { access_token: access, refresh_token: token } of [first, second]) {
      assert.equal(await statusWith(service, access), 401);
      assertOAuthError(await refresh(service, client, token), 400, 'invalid_grant');
    }
    assert.equal(await statusWith(service, others.access_token), 200, 'somebody else’s goes on');
    assert.doesNotMatch(
      (await ada.get(`${service.webUrl}/settings/applications`)).text,
      /Disconnect Scribe/,
    );
    assert.equal((await disconnect(ada)).status, 404);
  });

  it('while the account is disabled', async () => {
    const tim = await signedIn(service, (await (await service.user('tim')).get('/user')).data.id);
    const tokens = await obtainTokens(service, tim, client);
    await setAccountDisabled(service.app.context, 'tim', true);
    assert.equal(await statusWith(service, tokens.access_token), 401);
    const answer = await refresh(service, client, tokens.refresh_token);
    assertOAuthError(answer, 400, 'invalid_grant');
  });

  it('without leaving rows behind', async () => {
    const { context } = service.app;
    const never = await register(service);
    const tokens = await obtainTokens(service, grace, client);
    await sweepAuthorization(context);
    assert.equal(await statusWith(service, tokens.access_token), 200, 'what works stays');
    assert.ok(await findClientMetadata(context, never.client_id));
    service.advance(8 * DAY_MS);
    await sweepAuthorization(context);
    assert.equal(await findClientMetadata(context, never.client_id), undefined);
    assert.ok(await findClientMetadata(context, client.client_id), 'still let in');
    service.advance(83 * DAY_MS);
    await sweepAuthorization(context);
    for (const table of ['oauth_token', 'oauth_flow', 'oauth_grant', 'oauth_client'] as const) {
      const rows = await context.sql.read.selectFrom(table).selectAll().execute();
      assert.deepEqual(rows, [], table);
    }
    assert.equal(await statusWith(service, tokens.access_token), 401);
    const answer = await refresh(service, client, tokens.refresh_token);
    assertOAuthError(answer, 401, 'invalid_client');
  });
});
