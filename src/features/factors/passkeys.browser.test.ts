import { strict as assert } from 'node:assert';
import { describe, it, type TestContext } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage, signedIn } from '../../../test/in-browser.ts';
import {
  newVisitor,
  PASSWORD,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { recoveryCodesIn, setUpCodes } from './factors.testing.ts';

const MINUTE = 60_000;
const SECOND = '/sign-in/second';

/** A browser with an authenticator, and somebody's session. */
interface Seat {
  page: Page;
  network: CDPSession;
  authenticatorId: string;
  visitor: Visitor;
}

describe('Passkeys', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;

  openStage({ start: () => startWithVisitors() }, (stage) => {
    ({ service, browser } = stage);
  });

  async function seat(
    test: TestContext,
    visitor: Visitor,
    options: { isUserVerified?: boolean; defaultBackupEligibility?: boolean } = {},
  ): Promise<Seat> {
    const context = await signedIn(browser, service, visitor);
    test.after(() => context.close());
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('WebAuthn.enable');
    const { authenticatorId } = await network.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        ...options,
        automaticPresenceSimulation: true,
      },
    });
    return { page, network, authenticatorId, visitor };
  }

  /** Adds a passkey in the browser. @returns the recovery codes that are shown, if any */
  async function add({ page }: Seat, name: string): Promise<string[]> {
    await page.goto(`${service.webUrl}/settings/security`);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill(name);
    await Promise.all([
      page.waitForURL(/\/settings\/security(\/passkeys)?$/),
      page.getByRole('button', { name: 'Create the passkey' }).click(),
    ]);
    return recoveryCodesIn(await page.content());
  }

  /** Signs the browser out, and in with the passkey. */
  async function signInAgain({ page }: Seat, next = '/settings/security'): Promise<void> {
    await page.context().clearCookies();
    await page.goto(`${service.webUrl}/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  }

  it('are added with a name, sign in with one button as both factors, and are removed', async (test) => {
    const ada = await seat(test, await signUp(service, 'ada'));
    const complaints: string[] = [];
    ada.page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
    });
    const codes = await add(ada, 'Phone');
    assert.equal(codes.length, 10, 'recovery codes come with the first');
    await ada.page.getByRole('link', { name: 'I’ve stored them' }).click();
    assert.equal(await ada.page.getByText('Never used').count(), 1);

    await signInAgain(ada);
    await ada.page.waitForURL('**/settings/security');
    assert.equal(await ada.page.getByText('Last used').count(), 1);
    const [{ counter } = { counter: 0 }] = await service.app.context.sql.read
      .selectFrom('passkey')
      .select('counter')
      .execute();
    assert.ok(Number(counter) > 0, 'its counter is stored');

    await ada.page.getByRole('link', { name: 'Remove Phone' }).click();
    await ada.page.getByRole('button', { name: 'Remove passkey' }).click();
    await ada.page.getByText('Passkey removed.').waitFor();
    assert.equal(await ada.page.getByText('Phone', { exact: true }).count(), 0);
    await signInAgain(ada);
    await ada.page.getByText('This passkey is not known here.').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('are the second factor after the password, with recovery codes for when they are lost', async (test) => {
    const grace = await seat(test, await signUp(service, 'grace'));
    const [code = ''] = await add(grace, 'Laptop');
    await grace.page.context().clearCookies();
    await grace.page.goto(`${service.webUrl}/sign-in?next=/settings`);
    await grace.page.getByLabel('Username or email address').fill('grace');
    await grace.page.getByLabel('Password').fill(PASSWORD);
    await grace.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await grace.page.getByRole('heading', { name: 'One more step' }).waitFor();
    await grace.page.getByRole('button', { name: 'Use a passkey' }).click();
    await grace.page.waitForURL('**/settings');
    const visitor = newVisitor(service);
    await visitor.post('/sign-in', { name: 'grace', password: PASSWORD });
    assert.equal((await visitor.post(SECOND, { code: '123456' })).status, 422, 'has no codes');
    assert.equal((await visitor.post(SECOND, { code })).status, 303);
    assert.equal(await whoIs(visitor), 'grace');
  });

  it('a proof that is sent by a double click leaves its user signed in', async (test) => {
    const dora = await seat(test, await signUp(service, 'dora'));
    service.advance(16 * MINUTE);
    await dora.page.goto(`${service.webUrl}/settings/security/codes`);
    await dora.page.getByLabel('Password').fill(PASSWORD);
    let sent = 0;
    dora.page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1;
    });
    await dora.page.getByRole('button', { name: 'Confirm' }).evaluate((button: HTMLElement) => {
      button.click();
      setTimeout(() => button.click(), 15);
    });
    await dora.page.getByText('Scan this with an app').waitFor();
    assert.equal(sent, 1);
    await dora.page.goto(`${service.webUrl}/settings/security`);
    await dora.page.getByRole('heading', { name: 'One-time codes' }).waitFor();
  });

  it('of one device that count back may be copies; those of several devices don’t count', async (test) => {
    const countOn = () =>
      service.app.context.sql.transaction((tx) =>
        tx.updateTable('passkey').set({ counter: 1000 }).execute(),
      );
    const one = await seat(test, await signUp(service, 'one-device'));
    await add(one, 'Key');
    await countOn();
    await signInAgain(one);
    await one.page.getByText('it may be a copy of yours. Sign in another way').waitFor();

    const several = await seat(test, await signUp(service, 'several'), {
      defaultBackupEligibility: true,
    });
    await add(several, 'Cloud');
    await countOn();
    await signInAgain(several);
    await several.page.waitForURL('**/settings/security');
  });

  it('need the user’s verification, not only a touch', async (test) => {
    const touch = await seat(test, await signUp(service, 'touch'));
    await add(touch, 'Key');
    await touch.network.send('WebAuthn.setUserVerified', {
      authenticatorId: touch.authenticatorId,
      isUserVerified: false,
    });
    await signInAgain(touch);
    await touch.page.getByText('No passkey was used.').waitFor();
    assert.ok(
      !(await touch.page.context().cookies()).some(({ name }) => name === 'briefs-session'),
    );
  });

  it('prove who somebody is before a sensitive change, which then goes on', async (test) => {
    const eve = await seat(test, await signUp(service, 'eve'));
    await add(eve, 'Phone');
    service.advance(16 * MINUTE);
    await eve.page.goto(`${service.webUrl}/settings/tokens`);
    await eve.page.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await eve.page.getByRole('button', { name: 'Create token' }).click();
    await eve.page.getByRole('heading', { name: 'Confirm that it’s you' }).waitFor();
    await eve.page.getByRole('button', { name: 'Use a passkey' }).click();
    await eve.page.getByText('Copy your new token “laptop” now').waitFor();
  });

  describe('An answer', () => {
    /** Does what the script does, and returns what it would send. */
    const answerIn = ({ page }: Seat, options: string, act: 'get' | 'create' = 'get') =>
      page.evaluate(
        async ({ address, isCreation }) => {
          const response = await fetch(address, {
            method: 'POST',
            headers: { accept: 'application/json' },
            body: new URLSearchParams(),
          });
          const body = await response.json();
          const credential = isCreation
            ? await navigator.credentials.create({
                publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(body),
              })
            : await navigator.credentials.get({
                publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(body),
              });
          return JSON.stringify((credential as PublicKeyCredential).toJSON());
        },
        { address: options, isCreation: act === 'create' },
      );

    /** The browser's cookies in a visitor that sends forms. */
    async function visitorOf({ page }: Seat): Promise<Visitor> {
      const cookies = (await page.context().cookies()).map(
        ({ name, value }) => [name, value] as const,
      );
      return newVisitor(service, { cookies: new Map(cookies) });
    }

    it('counts once, for five minutes, for what it was asked for', async (test) => {
      const bob = await seat(test, await signUp(service, 'bob'));
      await add(bob, 'Phone');
      await bob.page.context().clearCookies();
      await bob.page.goto(`${service.webUrl}/sign-in`);
      const credential = await answerIn(bob, '/sign-in/passkey/options');
      const visitor = await visitorOf(bob);
      const kept = new Map(visitor.cookies);
      const post = (who: Visitor, path: string, more = {}) =>
        who.post(path, { credential, next: '/settings', ...more });

      // Another browser has another challenge, or none.
      assert.equal((await post(newVisitor(service), '/sign-in/passkey')).status, 422);
      const other = newVisitor(service);
      await other.post('/sign-in/passkey/options');
      assert.equal((await post(other, '/sign-in/passkey')).status, 422);
      // Not as the second factor of somebody else, nor as a proof.
      const ada = await signUp(service, 'someone-else');
      ada.cookies.set('briefs-challenge', kept.get('briefs-challenge') ?? '');
      const proof = { next: '/settings', proof_credential: credential };
      service.advance(16 * MINUTE);
      assert.notEqual((await ada.post('/settings/confirm', proof)).status, 303);
      service.advance(-16 * MINUTE);

      assert.equal((await post(visitor, '/sign-in/passkey')).headers.get('location'), '/settings');
      assert.equal(await whoIs(visitor), 'bob');
      const again = newVisitor(service, { cookies: new Map(kept) });
      assert.equal((await post(again, '/sign-in/passkey')).status, 422, 'again');
      assert.equal(await whoIs(again), undefined);

      await bob.page.goto(`${service.webUrl}/sign-in`);
      const late = await answerIn(bob, '/sign-in/passkey/options');
      const lateVisitor = await visitorOf(bob);
      service.advance(6 * MINUTE);
      assert.equal((await post(lateVisitor, '/sign-in/passkey', { credential: late })).status, 422);
    });

    it('of another account’s passkey is no second factor, and no proof', async (test) => {
      const thief = await seat(test, await signUp(service, 'thief'));
      await add(thief, 'Own');
      const victim = await signUp(service, 'victim');
      await setUpCodes(service, victim);
      const visitor = newVisitor(service);
      await visitor.post('/sign-in', { name: 'victim', password: PASSWORD });
      const options = await visitor.post(`${SECOND}/options`);
      assert.deepEqual(JSON.parse(options.text).allowCredentials, []);
      await thief.page.context().clearCookies();
      await thief.page
        .context()
        .addCookies(
          Array.from(visitor.cookies, ([name, value]) => ({ name, value, url: service.webUrl })),
        );
      await thief.page.goto(`${service.webUrl}/sign-in`);
      const credential = await answerIn(thief, `${SECOND}/options`);
      const half = await visitorOf(thief);
      const answer = await half.post(`${SECOND}/passkey`, { credential });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /not known here/);
      assert.equal(await whoIs(half), undefined);
    });

    it('that is changed, or for another host, is refused', async (test) => {
      const carol = await seat(test, await signUp(service, 'carol'));
      await add(carol, 'Phone');
      const change = (credential: string, how: (parsed: Parsed) => void) => {
        const parsed = JSON.parse(credential) as Parsed;
        how(parsed);
        return JSON.stringify(parsed);
      };
      interface Parsed {
        id: string;
        rawId: string;
        response: Record<string, string>;
      }
      const withClient = (parsed: Parsed, from: string, to: string) => {
        const { clientDataJSON = '' } = parsed.response;
        const text = Buffer.from(clientDataJSON, 'base64url').toString().replace(from, to);
        parsed.response.clientDataJSON = Buffer.from(text).toString('base64url');
      };
      const changes: ((parsed: Parsed) => void)[] = [
        (parsed) => withClient(parsed, 'http://localhost', 'http://evil'),
        (parsed) => withClient(parsed, 'webauthn.get', 'webauthn.create'),
        (parsed) => {
          parsed.response.signature = `A${parsed.response.signature?.slice(1)}`;
        },
        (parsed) => {
          parsed.response.userHandle = Buffer.from('someone').toString('base64url');
        },
        (parsed) => {
          delete parsed.response.authenticatorData;
        },
        (parsed) => {
          parsed.id = 'x';
        },
      ];
      for (const how of changes) {
        await carol.page.context().clearCookies();
        await carol.page.goto(`${service.webUrl}/sign-in`);
        const credential = change(await answerIn(carol, '/sign-in/passkey/options'), how);
        const visitor = await visitorOf(carol);
        const answer = await visitor.post('/sign-in/passkey', { credential });
        assert.equal(answer.status, 422, String(how));
        assert.equal(await whoIs(visitor), undefined);
      }
      for (const credential of [
        '',
        '{}',
        'null',
        '[]',
        '{"id":"x","response":null}',
        'x'.repeat(9_000),
      ]) {
        const visitor = newVisitor(service);
        await visitor.post('/sign-in/passkey/options');
        assert.equal((await visitor.post('/sign-in/passkey', { credential })).status, 422);
      }
    });

    it('of a disabled account is refused like one that nobody knows', async (test) => {
      const off = await seat(test, await signUp(service, 'off'));
      await add(off, 'Phone');
      await setAccountDisabled(service.app.context, 'off', true);
      await signInAgain(off);
      await off.page.getByText('This passkey is not known here.').waitFor();
    });

    it('to a creation counts in the session that asked', async (test) => {
      const dan = await seat(test, await signUp(service, 'dan'));
      await dan.page.goto(`${service.webUrl}/settings/security/passkeys/new`);
      const path = '/settings/security/passkeys';
      const credential = await answerIn(dan, `${path}/options`, 'create');
      const visitor = await visitorOf(dan);
      const other = await signUp(service, 'other-session');
      other.cookies.set('briefs-challenge', visitor.cookies.get('briefs-challenge') ?? '');
      assert.equal((await other.post(path, { name: 'x', credential })).status, 422);
      const unnamed = await visitor.post(path, { name: ' ', credential });
      assert.equal(unnamed.status, 422);
      const rows = await service.app.context.sql.read
        .selectFrom('passkey')
        .where('name', '=', 'x')
        .selectAll()
        .execute();
      assert.deepEqual(rows, []);
    });
  });
});
