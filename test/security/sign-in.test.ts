import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findAccountByUsername } from '../../src/core/identity/account-store.ts';
import { loadAuthorizationKeys } from '../../src/core/identity/key-service.ts';
import { accountLinkToken } from '../../src/features/accounts/account-link.ts';
import { resetLink } from '../../src/features/accounts/reset-service.ts';
import { PERIOD, setUpCodes } from '../../src/features/factors/factors.testing.ts';
import type { Answer } from '../harness.ts';
import {
  type Authenticator,
  addPasskey,
  makeAuthenticator,
  optionsAt,
  signInWithPasskey,
} from '../sign-in/authenticator.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../sign-in/visitor.ts';

const MINUTE = 60_000;
const SECURITY = '/settings/security';
const SECOND = '/sign-in/second';

type SignOptions = Parameters<Authenticator['sign']>[0];
type CreateOptions = Parameters<Authenticator['create']>[0];

describe('Attacks on signing in', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-sign-in-'));
  const service = await startWithVisitors({ DATA_DIR: dataDir });
  const second = await startWithVisitors({ DATA_DIR: dataDir });
  after(async () => {
    await second.stop();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const advance = (ms: number) => {
    service.advance(ms);
    second.advance(ms);
  };

  /** Somebody with a passkey. */
  async function withPasskey(username: string): Promise<{ visitor: Visitor; key: Authenticator }> {
    const visitor = await signUp(service, username);
    const key = makeAuthenticator(service.webUrl);
    assert.equal((await addPasskey(visitor, key, 'Key')).status, 201);
    return { visitor, key };
  }

  const tick = () => advance(2 * PERIOD);
  const proveOptions = (visitor: Visitor) =>
    optionsAt<SignOptions>(visitor, '/settings/confirm/options');
  const prove = (visitor: Visitor, credential: string) =>
    visitor.post('/settings/confirm', { next: '/inbox', proof_credential: credential });
  const isProven = ({ headers }: Answer) => headers.get('location') === '/inbox';
  const succeeded = (answers: Answer[]) => answers.filter(({ status }) => status === 303).length;

  it('a passkey is worth nothing for another account', async () => {
    const ada = await withPasskey('ada');
    const eve = await withPasskey('eve');
    advance(16 * MINUTE);
    assert.ok(!isProven(await prove(ada.visitor, eve.key.sign(await proveOptions(ada.visitor)))));
    const half = newVisitor(service);
    await signIn(half, 'ada');
    const options = await optionsAt<SignOptions>(half, `${SECOND}/options`);
    await half.post(`${SECOND}/passkey`, { credential: eve.key.sign(options) });
    assert.equal(await whoIs(half), undefined);
    // A key says whose it is, and can't say that it is another's.
    const adaId = (await findAccountByUsername(service.app.context.sql.read, 'ada'))?.id ?? '';
    const plain = newVisitor(service);
    const asked = await optionsAt<SignOptions>(plain, '/sign-in/passkey/options');
    const credential = eve.key.sign(asked, { userHandle: adaId });
    assert.equal((await plain.post('/sign-in/passkey', { credential })).status, 422);
    assert.equal(await whoIs(plain), undefined);
    // Nobody can register the key of another as their own.
    assert.equal((await addPasskey(await fresh('mallory'), ada.key, 'Mine')).status, 422);
    assert.ok(isProven(await prove(ada.visitor, ada.key.sign(await proveOptions(ada.visitor)))));
  });

  const fresh = (username: string) => signUp(service, username);

  it('a challenge serves one purpose, in one session, once', async () => {
    const { visitor, key } = await withPasskey('bob');
    const other = newVisitor(service);
    assert.equal((await signInWithPasskey(other, key)).status, 303);
    assert.equal(await whoIs(other), 'bob');
    advance(16 * MINUTE);
    const cookie = 'briefs-challenge';
    const take = async (from: Visitor, path: string) => {
      const options = await optionsAt<SignOptions>(from, path);
      return { credential: key.sign(options), cookie: from.cookies.get(cookie) ?? '' };
    };
    // Of a sign-in, and of another session of the same user.
    const stranger = newVisitor(service);
    for (const [from, path] of [
      [stranger, '/sign-in/passkey/options'],
      [other, '/settings/confirm/options'],
    ] as const) {
      const taken = await take(from, path);
      visitor.cookies.set(cookie, taken.cookie);
      assert.ok(!isProven(await prove(visitor, taken.credential)), path);
    }
    // Of a proof, for signing in.
    const proof = await take(visitor, '/settings/confirm/options');
    stranger.cookies.set(cookie, proof.cookie);
    const { credential } = proof;
    assert.equal((await stranger.post('/sign-in/passkey', { credential })).status, 422);
    // Each once, also if all come at the same time and to different processes.
    const again = await take(stranger, '/sign-in/passkey/options');
    const answers = await Promise.all(
      [service, second, service, second].map((at) => {
        const cookies = new Map([[cookie, again.cookie]]);
        const form = { credential: again.credential };
        return newVisitor(at, { cookies }).post('/sign-in/passkey', form);
      }),
    );
    assert.equal(succeeded(answers), 1);
  });

  it('an authenticator that isn’t honest is refused', async () => {
    const { visitor, key } = await withPasskey('carol');
    advance(16 * MINUTE);
    for (const wrong of [
      { isUnverified: true },
      { origin: 'https://evil.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { type: 'webauthn.create' },
    ]) {
      const credential = key.sign(await proveOptions(visitor), wrong);
      assert.ok(!isProven(await prove(visitor, credential)), JSON.stringify(wrong));
    }
    assert.ok(isProven(await prove(visitor, key.sign(await proveOptions(visitor)))));
    for (const wrong of [{ isUnverified: true }, { origin: 'https://evil.example' }]) {
      const options = await optionsAt<CreateOptions>(visitor, `${SECURITY}/passkeys/options`);
      const credential = makeAuthenticator(service.webUrl).create(options, wrong);
      const added = await visitor.post(`${SECURITY}/passkeys`, { name: 'x', credential });
      assert.equal(added.status, 422, JSON.stringify(wrong));
    }
  });

  it('codes are accepted once, also at the same time on two processes', async () => {
    const visitor = await signUp(service, 'dora');
    const { app, recovery } = await setUpCodes(service, visitor);
    tick();
    for (const code of [app.code(), recovery[0] ?? '']) {
      const halves = await Promise.all(
        [service, second, service, second].map(async (at) => {
          const half = newVisitor(at);
          await signIn(half, 'dora');
          return half;
        }),
      );
      const answers = await Promise.all(halves.map((half) => half.post(SECOND, { code })));
      assert.equal(succeeded(answers), 1, code);
    }
  });

  it('recovery codes can’t be guessed by asking several processes', async () => {
    const visitor = await signUp(service, 'frank');
    await setUpCodes(service, visitor);
    const statuses: number[] = [];
    for (let guess = 0; guess < 14; guess += 1) {
      const at = guess % 2 === 0 ? service : second;
      const half = newVisitor(at, { address: `198.51.100.${guess}` });
      await signIn(half, 'frank');
      const code = `0000-0000-0000-0000-0000-${String(guess).padStart(4, '0')}`;
      statuses.push((await half.post(SECOND, { code })).status);
    }
    assert.equal(statuses.filter((status) => status === 422).length, 10);
    assert.equal(statuses.at(-1), 429);
  });

  it('a proof counts for the account that gave it, not for the next in the browser', async () => {
    const visitor = await signUp(service, 'gina');
    await signUp(service, 'harry');
    const stale = visitor.cookies.get('briefs-session') ?? '';
    await signIn(visitor, 'harry');
    advance(16 * MINUTE);
    const page = await visitor.get(`${SECURITY}/passkeys/new`);
    assert.match(page.text, /Confirm that it’s you/);
    // Back to Gina, with the page that Harry was shown.
    await signIn(visitor, 'gina');
    advance(16 * MINUTE);
    const options = await proveOptions(visitor);
    await signIn(visitor, 'harry');
    advance(16 * MINUTE);
    const key = makeAuthenticator(service.webUrl);
    assert.ok(!isProven(await prove(visitor, key.sign(options))));
    const old = newVisitor(service, { cookies: new Map([['briefs-session', stale]]) });
    assert.equal(await whoIs(old), undefined, 'the earlier session of the browser has ended');
  });

  it('what one user began to set up isn’t finished for another', async () => {
    const visitor = await signUp(service, 'ivan');
    await signUp(service, 'jane');
    const page = await visitor.get(`${SECURITY}/codes`);
    const [, secret = ''] = /name="secret" value="([^"]+)"/.exec(page.text) ?? [];
    const options = await optionsAt<CreateOptions>(visitor, `${SECURITY}/passkeys/options`);
    await signIn(visitor, 'jane');
    const codes = await visitor.post(`${SECURITY}/codes`, { secret, code: '123456' });
    assert.equal(codes.headers.get('location'), SECURITY, 'starts again');
    const credential = makeAuthenticator(service.webUrl).create(options);
    const added = await visitor.post(`${SECURITY}/passkeys`, { name: 'x', credential });
    assert.equal(added.status, 422);
  });

  it('links of mails end with the address that they were sent to, and work once', async () => {
    const { context } = service.app;
    const visitor = await signUp(service, 'kate');
    const [key = ''] = (await loadAuthorizationKeys(context)).cookie;
    const accountId = (await findAccountByUsername(context.sql.read, 'kate'))?.id ?? '';
    const expiresAt = Date.parse(context.now()) + 60 * MINUTE;
    const link = { accountId, state: 'kate@example.com', expiresAt };
    const verify = `/verify/${accountLinkToken('verify-email', link, key)}`;
    const reset = new URL(await resetLink(context, 'kate')).pathname;
    const change = { email: 'kate@new.example', current: PASSWORD };
    assert.equal((await visitor.post('/settings/email', change)).status, 303);
    // Somebody else now has the address that both were for.
    const form = { username: 'liam', email: 'kate@example.com', password: PASSWORD };
    assert.equal((await newVisitor(service).post('/sign-up', form)).status, 303);
    const { status } = await newVisitor(service).post(verify);
    // Without a mail server, nothing takes such links.
    assert.ok(status === 404 || status === 405, String(status));
    const password = 'another odd walnut';
    assert.equal((await newVisitor(service).post(reset, { password })).status, 404);
    const verified = await context.sql.read
      .selectFrom('account')
      .where('emailVerifiedAt', 'is not', null)
      .select('id')
      .execute();
    assert.deepEqual(verified, []);
    // A link that is used twice at once sets one password.
    const fresh = new URL(await resetLink(context, 'kate')).pathname;
    const answers = await Promise.all(
      [service, second].map((at, index) =>
        newVisitor(at).post(fresh, { password: `odd walnut number ${index}` }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  });
});
