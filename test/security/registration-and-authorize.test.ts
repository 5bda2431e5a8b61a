import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Answer } from '../harness.ts';
import { startService } from '../harness.ts';
import {
  authorizeUrl,
  decideAt,
  EVERYTHING,
  followOut,
  goToConsent,
  makePkce,
  obtainCode,
  postRegistration,
  REDIRECT,
  redeem,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';

/** Each rule has its own test in test/oauth; these tests combine them as an attacker would. */
describe('Registration and authorize', async () => {
  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const visitor = async (name: string) =>
    signedIn(service, (await (await service.user(name)).get('/user')).data.id);
  const [ada, mallory] = [await visitor('ada'), await visitor('mallory')];
  const honest = await register(service);
  const evil = await register(service, {
    client_name: 'Scribe',
    redirect_uris: ['https://evil.example/cb'],
  });

  async function isRefused(answer: Answer): Promise<void> {
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json.access_token, undefined);
  }

  it('no one is redirected to an unregistered URI, with a code or an error', async () => {
    const { challenge } = makePkce();
    const base = { client_id: honest.client_id, code_challenge: challenge };
    for (const redirect_uri of [
      'https://evil.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      `${REDIRECT}#fragment`,
      `${REDIRECT}/more`,
      `${REDIRECT}?code=x`,
      REDIRECT.slice(0, -1),
      `${REDIRECT}%0d%0aLocation:%20https://evil.example`,
      `https://evil.example/?${REDIRECT}`,
    ]) {
      for (const more of [{}, { prompt: 'none' }, { response_type: 'x' }, { scope: 'x' }]) {
        const answer = await ada.get(authorizeUrl(service, { ...base, redirect_uri, ...more }));
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${redirect_uri}`);
        assert.equal(answer.headers.get('location'), null);
        assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      }
    }
  });

  it('no dangerous scheme can be registered, at any position in the list', async () => {
    const bad = ['javascript:alert(1)', 'data:text/html,x', 'file:///x', 'https://a.example/#x'];
    for (const uri of bad) {
      for (const redirect_uris of [[uri], [REDIRECT, uri], [uri, REDIRECT]]) {
        assert.equal((await postRegistration(service, { redirect_uris })).status, 400, uri);
      }
    }
  });

  it('a stolen code, and tokens from it, are worthless', async () => {
    const { verifier, challenge } = makePkce();
    const code = await obtainCode(service, ada, honest, { challenge });
    const thief = makePkce();
    for (const [client, fields] of [
      [honest, { code_verifier: thief.verifier }],
      [honest, { code_verifier: challenge }],
      [honest, { code_verifier: '' }],
      [evil, { code_verifier: verifier, redirect_uri: REDIRECT }],
      [evil, { code_verifier: verifier, redirect_uri: 'https://evil.example/cb' }],
      [honest, { code_verifier: verifier, redirect_uri: 'https://evil.example/cb' }],
      [honest, { code_verifier: verifier, resource: 'https://evil.example/' }],
    ] as const) {
      await isRefused(await redeem(service, client, { code, ...fields }));
    }
    const again = makePkce();
    const second = await obtainCode(service, ada, honest, { challenge: again.challenge });
    const held = await redeem(service, honest, { code: second, code_verifier: again.verifier });
    assert.equal(held.status, 200, held.text);
    assert.equal(await statusWith(service, held.json.access_token), 200);
    await isRefused(await redeem(service, honest, { code: second, code_verifier: again.verifier }));
    assert.equal(
      await statusWith(service, held.json.access_token),
      401,
      'replay ends what it gave',
    );
    await isRefused(await refresh(service, honest, held.json.refresh_token));
  });

  it('without PKCE, or with an invalid challenge, there is no consent page', async () => {
    for (const parameters of [
      { code_challenge: undefined },
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
      { code_challenge: 'x', code_challenge_method: 'S256' },
    ]) {
      const known = { client_id: honest.client_id, redirect_uri: REDIRECT };
      const answer = await ada.get(authorizeUrl(service, { ...known, ...parameters }));
      const location = new URL(answer.headers.get('location') ?? '');
      assert.equal(location.searchParams.get('error'), 'invalid_request');
      assert.equal(location.searchParams.get('code'), null);
    }
  });

  it('one person’s consent screen works for no one else, and its code gives only their account', async () => {
    const { verifier, challenge } = makePkce();
    const parameters = {
      client_id: honest.client_id,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
    };
    const page = await goToConsent(service, mallory, parameters);
    // Ada is sent to Mallory's consent screen, where she can't decide.
    const decided = await decideAt(ada, page, EVERYTHING);
    const back = await followOut(service, ada, decided).catch(() => undefined);
    const code = back?.searchParams.get('code');
    if (code) {
      const answer = await redeem(service, honest, { code, code_verifier: verifier });
      assert.notEqual(answer.status, 200, 'a code for the account of whoever was lured');
    }
    // Mallory doesn't get a code from Ada's actions either.
    const own = await followOut(service, mallory, await mallory.get(page)).catch(() => undefined);
    assert.equal(own?.searchParams.get('code') ?? null, null);
  });
});
