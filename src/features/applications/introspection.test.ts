import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { assertOAuthError, obtainTokens, register, UNLIMITED } from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';

describe('POST /oauth/introspect (RFC 7662)', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const client = await register(service);
  const adaId: string = (await (await service.user('ada')).get('/user')).data.id;
  const ada = await signedIn(service, adaId);
  const tokens = await obtainTokens(service, ada, client, { scopes: ['profile'] });

  async function introspect(by: { client_id: string }, token: string): Promise<Answer> {
    const body = new URLSearchParams({ client_id: by.client_id, token });
    const address = `${service.baseUrl}/oauth/introspect`;
    return readAnswer(await fetch(address, { method: 'POST', body }));
  }

  it('describes an application’s own token', async () => {
    const { status, json } = await introspect(client, tokens.access_token);
    assert.equal(status, 200);
    assert.deepEqual(
      [json.active, json.sub, json.client_id, json.scope, json.iss],
      [true, adaId, client.client_id, 'profile', service.baseUrl],
    );
    assert.equal((await introspect(client, tokens.refresh_token)).json.active, true);
  });

  it('is inactive for other applications’ tokens', async () => {
    const other = await register(service);
    for (const token of [tokens.access_token, tokens.refresh_token, 'unknown', 'brf_x', '\0']) {
      assert.deepEqual((await introspect(other, token)).json, { active: false });
    }
    const stranger = await introspect({ client_id: 'nobody' }, tokens.access_token);
    assertOAuthError(stranger, 401, 'invalid_client');
  });

  it('is inactive while the account is disabled', async () => {
    const { context } = service.app;
    await setAccountDisabled(context, 'ada', true);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      assert.deepEqual((await introspect(client, token)).json, { active: false });
    }
    await setAccountDisabled(context, 'ada', false);
    assert.equal((await introspect(client, tokens.access_token)).json.active, true);
  });

  it('is inactive for expired and revoked tokens', async () => {
    service.advance(61 * 60_000);
    assert.deepEqual((await introspect(client, tokens.access_token)).json, { active: false });
    const body = new URLSearchParams({ client_id: client.client_id, token: tokens.refresh_token });
    await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body });
    assert.deepEqual((await introspect(client, tokens.refresh_token)).json, { active: false });
  });
});
