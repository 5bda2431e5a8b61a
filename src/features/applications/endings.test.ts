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
import { DAY_MS } from '../../base/time/clock.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { findClientMetadata } from './adapter.ts';
import { sweepAuthorization } from './sweep-service.ts';

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

  it('in part, when its user takes permissions away, also from tokens that it has', async () => {
    const scopes = ['profile', 'documents:read', 'documents:write'];
    const wide = await obtainTokens(service, ada, client, { scopes });
    const small = await obtainTokens(service, ada, client, { scopes: ['documents:write'] });
    const settings = `${service.webUrl}/settings/applications`;
    const path = /href="([^"]+\/permissions)"/.exec((await ada.get(settings)).text)?.[1] ?? '';
    const page = `${service.webUrl}${path}`;
    assert.equal((await ada.get(page)).text.match(/name="scopes"/g)?.length, 3);
    const keep = (visitor: Visitor, ...kept: string[]) =>
      visitor.submit(
        page,
        kept.map((scope) => ['scopes', scope]),
      );
    assert.equal((await grace.get(page)).status, 404, 'only one’s own');
    assert.equal((await keep(grace, 'documents:read')).status, 404);
    assert.equal((await keep(ada)).status, 422, 'at least one');
    assert.equal((await keep(ada, 'sharing')).status, 422, 'only of those that it has');
    assert.equal(await statusWith(service, wide.access_token), 200);
    assert.equal((await keep(ada, 'documents:read', 'sharing')).status, 303);
    const write = async (token: string) =>
      (
        await readAnswer(
          await fetch(`${service.baseUrl}/user/briefs`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ name: 'written', content: '# W' }),
          }),
        )
      ).status;
    const read = async (token: string) =>
      (
        await fetch(`${service.baseUrl}/user/briefs`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    assert.deepEqual([await read(wide.access_token), await write(wide.access_token)], [200, 403]);
    assert.equal(await statusWith(service, small.access_token), 401, 'nothing was left of it');
    const again = await refresh(service, client, wide.refresh_token);
    assert.equal(again.json.scope, 'documents:read');
    assert.deepEqual(
      [await read(again.json.access_token), await write(again.json.access_token)],
      [200, 403],
    );
    const widened = await refresh(service, client, again.json.refresh_token, {
      scope: 'documents:read documents:write',
    });
    assertOAuthError(widened, 400, 'invalid_scope');
    assert.doesNotMatch((await ada.get(settings)).text, /\/permissions"/, 'one is left');
    const entry = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', '=', 'application.narrowed')
      .select(['actorName', 'subject', 'detail'])
      .execute();
    assert.deepEqual(entry, [
      { actorName: 'ada', subject: 'Scribe', detail: '{"scopes":"documents:read"}' },
    ]);
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
