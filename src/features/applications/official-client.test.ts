import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { auth } from '@modelcontextprotocol/client';
import { readAnswer, startService } from '../../../test/harness.ts';
import {
  decideAt,
  EVERYTHING,
  followOut,
  listTools,
  locationOf,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { signedIn } from '../../../test/oauth/visitor.ts';
import { Host } from './host.testing.ts';

describe('The official client with one URL', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const ada = await signedIn(service, (await (await service.user('ada')).get('/user')).data.id);

  async function statusAtMcp(token: string): Promise<number> {
    const answer = await listTools(service, token);
    await answer.arrayBuffer();
    return answer.status;
  }

  for (const query of ['', '?tools=read', '?tools=documents,whoami']) {
    it(`discovers, registers, authorizes, refreshes, and is disconnected (/mcp${query})`, () =>
      connectsAt(query));
  }

  async function connectsAt(query: string): Promise<void> {
    const host = new Host();
    const serverUrl = `${service.baseUrl}/mcp${query}`;
    assert.equal(await auth(host, { serverUrl }), 'REDIRECT');
    assert.ok(host.information?.client_id);
    const asked = host.sentTo;
    assert.ok(asked);
    assert.equal(asked.origin + asked.pathname, `${service.baseUrl}/sso/authorize`);
    assert.equal(asked.searchParams.get('resource'), serverUrl);

    const page = locationOf(await ada.get(asked.href)).href;
    assert.match((await ada.get(page)).text, /Connect Official host\?/);
    const back = await followOut(service, ada, await decideAt(ada, page, EVERYTHING));
    const authorizationCode = back.searchParams.get('code') ?? '';
    const iss = back.searchParams.get('iss') ?? '';
    assert.equal(await auth(host, { serverUrl, authorizationCode, iss }), 'AUTHORIZED');
    const first = host.held;
    assert.ok(first?.refresh_token);
    assert.equal(await statusAtMcp(first.access_token), 200);

    assert.equal(await auth(host, { serverUrl }), 'AUTHORIZED', 'by refreshing');
    const second = host.held;
    assert.notEqual(second?.access_token, first.access_token);
    assert.equal(await statusAtMcp(second?.access_token ?? ''), 200);

    const body = new URLSearchParams({
      client_id: host.information.client_id,
      token: second?.refresh_token ?? '',
    });
    const revoked = await readAnswer(
      await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body }),
    );
    assert.equal(revoked.status, 200);
    for (const tokens of [first, second]) {
      assert.equal(await statusAtMcp(tokens?.access_token ?? ''), 401);
    }
    host.sentTo = undefined;
    assert.equal(await auth(host, { serverUrl }), 'REDIRECT', 'has to ask again');
  }
});
