import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../harness.ts';
import {
  listTools,
  makePkce,
  obtainCode,
  postToken,
  redeem,
  refresh,
  register,
  UNLIMITED,
} from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';

/** A token seen by one resource must not work at the other (RFC 8707, section 1). */
describe('Tokens at the wrong resource', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const user = await service.user('ada');
  const personal = user.token ?? '';
  const ada = await signedIn(service, (await user.get('/user')).data.id);
  const client = await register(service);
  const api = service.baseUrl;
  const mcp = `${service.baseUrl}/mcp`;

  type Asked = string | string[] | undefined;

  async function tokensFor(asked: Asked, atToken?: Asked) {
    const { verifier, challenge } = makePkce();
    const code = await obtainCode(service, ada, client, {
      challenge,
      parameters: { resource: asked },
    });
    const fields = { code, code_verifier: verifier, resource: atToken };
    const answer = await redeem(service, client, fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as { access_token: string; refresh_token: string };
  }

  const askApi = (token: string) =>
    fetch(`${api}/user`, { headers: { authorization: `Bearer ${token}` } });

  const askMcp = (token: string) => listTools(service, token);

  /**
   * The resources, `api` and `mcp`, at which a token works. Elsewhere, the challenge leads to a new
   * one.
   */
  async function worksAt(token: string): Promise<string[]> {
    const works: string[] = [];
    for (const [name, ask, path] of [
      ['api', askApi, '/api'],
      ['mcp', askMcp, '/api/mcp'],
    ] as const) {
      const answer = await ask(token);
      await answer.arrayBuffer();
      if (answer.status === 200) {
        works.push(name);
        continue;
      }
      assert.equal(answer.status, 401);
      const challenge = answer.headers.get('www-authenticate') ?? '';
      assert.match(challenge, /^Bearer error="invalid_token", /);
      const metadata = `${service.webUrl}/.well-known/oauth-protected-resource${path}`;
      assert.ok(challenge.includes(`resource_metadata="${metadata}"`), challenge);
    }
    return works;
  }

  const audienceOf = async (token: string) => {
    const url = `${api}/oauth/introspect`;
    const body = new URLSearchParams({ token, client_id: client.client_id });
    const answer = await fetch(url, { method: 'POST', body });
    return ((await answer.json()) as { aud?: unknown }).aud;
  };

  it('a token works only at its resource, even after a refresh', async () => {
    for (const [asked, expected, audience] of [
      [api, ['api'], api],
      [`${api}/`, ['api'], api],
      [mcp, ['mcp'], mcp],
      [`${mcp}/`, ['mcp'], mcp],
      [
        [api, mcp],
        ['api', 'mcp'],
        [api, mcp],
      ],
      [undefined, ['api', 'mcp'], [api, mcp]],
    ] as const) {
      const tokens = await tokensFor(asked as Asked);
      assert.deepEqual(await worksAt(tokens.access_token), expected, `${asked}`);
      assert.deepEqual(await audienceOf(tokens.access_token), audience);
      const next = await refresh(service, client, tokens.refresh_token);
      assert.deepEqual(await worksAt(next.json.access_token), expected, `${asked}, refreshed`);
    }
  });

  it('with consent for both, a token request can choose one or both, at each refresh', async () => {
    const one = await tokensFor([api, mcp], mcp);
    assert.deepEqual(await worksAt(one.access_token), ['mcp']);
    const other = await refresh(service, client, one.refresh_token, { resource: api });
    assert.deepEqual(await worksAt(other.json.access_token), ['api']);
    const { refresh_token } = other.json;
    const both = await refresh(service, client, refresh_token, { resource: [mcp, api] });
    assert.deepEqual(await worksAt(both.json.access_token), ['api', 'mcp']);
  });

  it('a token request gets nothing without consent', async () => {
    const refused: [string, Asked[]][] = [
      [mcp, [api, [mcp, api], [api, mcp], [mcp, 'https://evil.example/']]],
      [api, [mcp, [api, mcp], [mcp, api], [api, `${api}/`, mcp]]],
    ];
    for (const [asked, others] of refused) {
      for (const resource of others) {
        const { refresh_token } = await tokensFor(asked);
        const answer = await postToken(service, client, {
          grant_type: 'refresh_token',
          refresh_token,
          resource,
        });
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json.error, 'invalid_target');
      }
    }
  });

  it('personal access tokens work at both', async () => {
    assert.deepEqual(await worksAt(personal), ['api', 'mcp']);
  });
});
