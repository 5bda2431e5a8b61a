import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { readAnswer, type Service, startService } from '../harness.ts';
import { decideAt, EVERYTHING, followOut, locationOf, statusWith, UNLIMITED } from './agent.ts';
import { signedIn, type Visitor } from './visitor.ts';

/** An agent host’s memory, for the official client’s own flow. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:3334/oauth/callback';
  readonly clientMetadata = {
    client_name: 'Official host',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  information: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  verifier = '';
  sentTo: URL | undefined;

  clientInformation() {
    return this.information;
  }
  saveClientInformation(information: OAuthClientInformationMixed) {
    this.information = information;
  }
  tokens() {
    return this.held;
  }
  saveTokens(tokens: OAuthTokens) {
    this.held = tokens;
  }
  /** Called when what it holds is refused. */
  invalidateCredentials(scope: string) {
    if (scope === 'tokens' || scope === 'all') this.held = undefined;
    if (scope === 'client' || scope === 'all') this.information = undefined;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

describe('The official client, given one address', () => {
  let service: Service;
  let ada: Visitor;
  before(async () => {
    service = await startService(UNLIMITED);
    ada = await signedIn(service, (await (await service.user('ada')).get('/user')).data.id);
  });
  after(() => service.stop());

  it('finds the rest, registers, gets in, refreshes, and is shut out again', async () => {
    const host = new Host();
    const serverUrl = `${service.baseUrl}/mcp`;
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
    assert.equal(await statusWith(service, first.access_token), 200);

    assert.equal(await auth(host, { serverUrl }), 'AUTHORIZED', 'by refreshing');
    const second = host.held;
    assert.notEqual(second?.access_token, first.access_token);
    assert.equal(await statusWith(service, second?.access_token ?? ''), 200);

    const body = new URLSearchParams({
      client_id: host.information.client_id,
      token: second?.refresh_token ?? '',
    });
    const revoked = await readAnswer(
      await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body }),
    );
    assert.equal(revoked.status, 200);
    for (const tokens of [first, second]) {
      assert.equal(await statusWith(service, tokens?.access_token ?? ''), 401);
    }
    host.sentTo = undefined;
    assert.equal(await auth(host, { serverUrl }), 'REDIRECT', 'has to ask again');
  });
});
