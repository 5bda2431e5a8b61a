import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readAnswer, type Service, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  makePkce,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';

describe('POST /oauth/token, for a code', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-oauth-'));

  /** Two processes with the same data and the same public address. */
  const service = await startService({ ...UNLIMITED, DATA_DIR: dataDir });
  const { webUrl, baseUrl } = service;
  const second = await startService({ ...UNLIMITED, DATA_DIR: dataDir, ...addresses(service) });
  assert.equal(second.webUrl, webUrl);
  const { port } = second.config;
  // Acts as a proxy in front: the second process has its own port.
  const other = { baseUrl: baseUrl.replace(/:\d+/, `:${port}`), stop: second.stop };
  const client = await register(service);
  const { data } = await (await service.user('ada')).get('/user');
  const ada = await signedIn(service, data.id);
  after(async () => {
    await other.stop();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function addresses({ webUrl, renderUrl }: Service): Record<string, string> {
    return { WEB_URL: webUrl, RENDER_URL: renderUrl };
  }

  async function newCode(options: { parameters?: Record<string, string> } = {}) {
    const { verifier: code_verifier, challenge } = makePkce();
    return {
      code: await obtainCode(service, ada, client, { challenge, ...options }),
      code_verifier,
    };
  }

  it('requires the same verifier, redirect and client', async () => {
    const other = await register(service);
    const secretive = await register(service, { token_endpoint_auth_method: 'client_secret_post' });
    const given = await newCode();
    for (const [by, change, status, error] of [
      [client, { code_verifier: undefined }, 400, 'invalid_grant'],
      [client, { code_verifier: makePkce().verifier }, 400, 'invalid_grant'],
      [client, { code_verifier: makePkce().challenge }, 400, 'invalid_grant'],
      [client, { redirect_uri: 'https://evil.example/' }, 400, 'invalid_grant'],
      [client, { redirect_uri: undefined }, 400, 'invalid_request'],
      [other, {}, 400, 'invalid_grant'],
      [secretive, {}, 400, 'invalid_grant'],
      [client, { code: 'x'.repeat(43) }, 400, 'invalid_grant'],
      [client, { code: undefined }, 400, 'invalid_request'],
      [client, { client_id: 'nobody' }, 401, 'invalid_client'],
      [client, { client_id: undefined }, 400, 'invalid_request'],
      [client, { grant_type: undefined }, 400, 'invalid_request'],
      [client, { grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [client, { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ] as const) {
      const fields = { ...given, ...change } as typeof given;
      assertOAuthError(await redeem(service, by, fields), status, error);
    }
    assert.equal((await redeem(service, client, given)).status, 200, 'it is still good');
  });

  it('requires a consented resource of ours', async () => {
    const { baseUrl } = service;
    for (const resource of ['https://other.example/', baseUrl]) {
      const wrong = await newCode({ parameters: { resource: `${baseUrl}/mcp` } });
      assertOAuthError(
        await redeem(service, client, { ...wrong, resource }),
        400,
        'invalid_target',
      );
    }
    const right = await newCode({ parameters: { resource: `${baseUrl}/mcp` } });
    const answer = await redeem(service, client, { ...right, resource: `${baseUrl}/mcp` });
    assert.equal(answer.status, 200, answer.text);
  });

  it('refuses a reused code and revokes the tokens from its first use', async () => {
    const given = await newCode();
    const { json } = await redeem(service, client, given);
    assert.equal(await statusWith(service, json.access_token), 200);
    assertOAuthError(await redeem(service, client, given), 400, 'invalid_grant');
    assert.equal(await statusWith(service, json.access_token), 401);
    assertOAuthError(await refresh(service, client, json.refresh_token), 400, 'invalid_grant');
  });

  it('does so across processes', async () => {
    const given = await newCode();
    const { json } = await redeem(other, client, given);
    assert.equal(await statusWith(service, json.access_token), 200, 'issued by the other');
    assertOAuthError(await redeem(service, client, given), 400, 'invalid_grant');
    assert.equal(await statusWith(other, json.access_token), 401);
  });

  it('of concurrent uses on two processes, gives tokens to at most one', async () => {
    for (let round = 0; round < 5; round++) {
      const given = await newCode();
      const places = Array.from({ length: 8 }, (_, index) => (index % 2 ? service : other));
      const answers = await Promise.all(places.map((place) => redeem(place, client, given)));
      const good = answers.filter(({ status }) => status === 200);
      assert.ok(good.length <= 1, String(good.length));
      for (const answer of answers) {
        if (answer.status !== 200) assertOAuthError(answer, 400, 'invalid_grant');
      }
      for (const { json } of good) assert.equal(await statusWith(service, json.access_token), 401);
    }
  });

  it('refuses an expired code', async () => {
    const given = await newCode();
    service.advance(61_000);
    try {
      assertOAuthError(await redeem(service, client, given), 400, 'invalid_grant');
    } finally {
      service.advance(-61_000);
    }
  });

  it('accepts neither a code nor a refresh token as an access token', async () => {
    const { code } = await newCode();
    assert.equal(await statusWith(service, code), 401);
    const tokens = await obtainTokens(service, ada, client);
    assert.equal(await statusWith(service, tokens.refresh_token), 401);
    const swapped = await refresh(service, client, tokens.access_token);
    assertOAuthError(swapped, 400, 'invalid_grant');
  });

  it('answers bad requests in OAuth’s form', async () => {
    const post = async (body: string, type: string) =>
      readAnswer(
        await fetch(`${service.baseUrl}/oauth/token`, {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        }),
      );
    const form = 'application/x-www-form-urlencoded';
    assertOAuthError(await post('{}', 'application/json'), 400, 'invalid_request');
    assertOAuthError(await post('', form), 400, 'invalid_request');
    assertOAuthError(await post(`x=${'y'.repeat(60_000)}`, form), 413, 'invalid_request');
    const twice = `client_id=${client.client_id}&client_id=x&grant_type=refresh_token`;
    assertOAuthError(await post(twice, form), 400, 'invalid_request');
    assertOAuthError(await postToken(service, client, {}), 400, 'invalid_request');
  });
});
