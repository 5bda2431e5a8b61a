import { strict as assert } from 'node:assert';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { openLimiter } from '../../../test/account/actors.ts';
import type { Answer, Service } from '../../../test/harness.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { callOf } from '../../core/context.ts';
import { requireAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { TooManyAttempts } from '../../core/identity/attempts.ts';
import { countHashings } from './hashing.testing.ts';
import { confirmPassword } from './password-service.ts';

describe('Whether an account exists', () => {
  let service: Service;
  let hashings: ReturnType<typeof countHashings>;

  before(async () => {
    service = await startWithVisitors();
    hashings = countHashings();
    for (const username of ['known', 'off']) await signUp(service, username);
    await setAccountDisabled(service.app.context, 'off', true);
    await service.user('no-password');
    await (await service.user('someone')).post('/user/orgs', { namespace: 'org', name: 'Org' });
  });
  after(async () => {
    hashings.stop();
    await service.stop();
  });

  /** The part of a response that is the same each time, except for the repeated name. */
  function lasting({ status, headers, text }: Answer, name: string): object {
    const volatile = ['date', 'x-request-id', 'content-length'];
    const rest = [...headers].filter(([header]) => !volatile.includes(header));
    return { status, headers: rest, text: text.replace(`value="${name}"`, 'value=""') };
  }

  it('is revealed neither by a response nor by its cost', async () => {
    const attempts = [
      ['nobody', PASSWORD],
      ['nobody@example.com', PASSWORD],
      ['known', 'not the password'],
      ['known@example.com', 'not the password'],
      ['off', PASSWORD],
      ['off', 'not the password'],
      ['no-password', PASSWORD],
      ['no-password', ''],
      ['org', PASSWORD],
      ['not a name', PASSWORD],
      ['known', 'x'.repeat(5_000)],
    ] as const;
    const answers: object[] = [];
    for (const [name, password] of attempts) {
      const before = hashings.count();
      answers.push(lasting(await signIn(newVisitor(service), name, password), name));
      assert.equal(hashings.count() - before, 1, `${name}: one hashing`);
    }
    for (const [index, answer] of answers.entries()) {
      assert.deepEqual(answer, answers[0], attempts[index]?.[0] ?? '');
    }
  });

  it('right confirmations of a password never lock anyone out', async () => {
    await signUp(service, 'careful');
    const { context } = service.app;
    const limiter = await openLimiter(service);
    const account = await requireAccount(context.sql.read, 'careful');
    const actor = { id: account.id, username: 'careful', scopes: [], via: VIA_WEB };
    for (let times = 0; times < 12; times++) {
      await confirmPassword(callOf(context, actor), limiter, PASSWORD, 'current');
    }
    for (let times = 0; times < 10; times++) {
      await assert.rejects(
        confirmPassword(callOf(context, actor), limiter, 'wrong', 'current'),
        /wrong/,
      );
    }
    await assert.rejects(
      confirmPassword(callOf(context, actor), limiter, PASSWORD, 'current'),
      TooManyAttempts,
    );
    await limiter.close();
  });
});

describe('Guessing passwords', () => {
  let service: Service;
  let hashings: ReturnType<typeof countHashings>;

  // This test is only about the number of attempts.
  before(() => {
    hashings = countHashings({ areShort: true });
  });
  after(() => hashings.stop());

  // Each test starts with all counters at zero.
  beforeEach(async () => {
    service = await startWithVisitors();
  });
  afterEach(() => service.stop());

  let nextAddress = 0;
  const elsewhere = () => {
    nextAddress += 1;
    return newVisitor(service, { address: `198.51.100.${nextAddress}` });
  };

  function assertRefused({ status, headers, text }: Answer): void {
    assert.equal(status, 429);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 15 * 60, String(seconds));
    assert.match(text, /Too many attempts/);
    assert.match(text, /Try again in 15 minutes/);
  }

  const leadsToSignIn = ({ text }: Answer) => text.includes('href="/sign-in">Go to sign-in');

  it('ten failures with one name lock it, even for the right password', async () => {
    await signUp(service, 'ada');
    await signUp(service, 'grace');
    for (let failures = 0; failures < 10; failures++) {
      assert.equal((await signIn(elsewhere(), 'ada', 'wrong')).status, 422);
    }
    const refused = await signIn(elsewhere(), 'ada', 'wrong');
    assertRefused(refused);
    assert.ok(leadsToSignIn(refused));
    assertRefused(await signIn(elsewhere(), ' ADA ', PASSWORD));
    assert.equal((await signIn(elsewhere(), 'grace')).status, 303);
  });

  it('an unknown name is locked in the same way', async () => {
    for (let failures = 0; failures < 10; failures++) {
      assert.equal((await signIn(elsewhere(), 'nobody', 'wrong')).status, 422);
    }
    assertRefused(await signIn(elsewhere(), 'nobody', 'wrong'));
  });

  it('concurrent attempts don’t evade the limit', async () => {
    await signUp(service, 'ada');
    const many = Array.from({ length: 30 }, () => signIn(elsewhere(), 'ada', 'wrong'));
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 422).length, 10);
    assert.equal(statuses.filter((status) => status === 429).length, 20);
  });

  it('successful attempts don’t count', async () => {
    await signUp(service, 'ada');
    for (let times = 0; times < 12; times++) {
      assert.equal((await signIn(elsewhere(), 'ada')).status, 303);
    }
    assert.equal((await signIn(elsewhere(), 'ada', 'wrong')).status, 422);
  });

  it('fifty failures from one network, with any names', async () => {
    await signUp(service, 'ada');
    const host = (suffix: number) => newVisitor(service, { address: `2001:db8::${suffix}` });
    for (let failures = 0; failures < 50; failures++) {
      assert.equal((await signIn(host(failures + 1), `n${failures}`, 'wrong')).status, 422);
    }
    assertRefused(await signIn(host(99), 'ada', PASSWORD));
    const nextDoor = newVisitor(service, { address: '2001:db8:0:1::1' });
    assert.equal((await signIn(nextDoor, 'ada')).status, 303);
  });

  it('two hundred failures from the networks of one customer', async () => {
    await signUp(service, 'ada');
    const host = (network: number) =>
      newVisitor(service, { address: `2001:db8:7:${network.toString(16)}::1` });
    for (let first = 0; first < 200; first += 20) {
      const many = Array.from({ length: 20 }, (_, index) =>
        signIn(host(first + index), `n${first + index}`, 'wrong'),
      );
      for (const { status } of await Promise.all(many)) assert.equal(status, 422);
    }
    assertRefused(await signIn(host(300), 'ada', PASSWORD));
    const nextDoor = newVisitor(service, { address: '2001:db8:8::1' });
    assert.equal((await signIn(nextDoor, 'ada')).status, 303);
  });

  it('no one can lock a person out of a browser that they have used', async () => {
    const address = '203.0.113.7';
    const ada = await signUp(service, 'ada', { address });
    await ada.post('/sign-out');
    const attacker = newVisitor(service, { address });
    for (let failures = 0; failures < 60; failures++) {
      await signIn(attacker, failures < 12 ? 'ada' : `n${failures}`, 'wrong');
    }
    assertRefused(await signIn(newVisitor(service, { address }), 'ada'));
    assert.equal((await signIn(ada, 'ada')).status, 303);
    assert.equal(await whoIs(ada), 'ada');
  });

  it('a used browser has the same number of guesses, only for its person', async () => {
    const ada = await signUp(service, 'ada');
    await signUp(service, 'grace', { address: '198.51.100.250' });
    await ada.post('/sign-out');
    for (let failures = 0; failures < 10; failures++) {
      assert.equal((await signIn(ada, 'ada', 'wrong')).status, 422);
    }
    assertRefused(await signIn(ada, 'ada'));
    for (let failures = 0; failures < 10; failures++) await signIn(elsewhere(), 'grace', 'wrong');
    assertRefused(await signIn(ada, 'grace'));
  });

  it('a forged device cookie is ignored', async () => {
    const ada = await signUp(service, 'ada');
    const device = ada.cookies.get('briefs-device') ?? '';
    for (let failures = 0; failures < 10; failures++) await signIn(elsewhere(), 'ada', 'wrong');
    for (const forged of [`x${device}`, `${device}x`, device.split('.')[0] ?? '', '.', '']) {
      const visitor = elsewhere();
      visitor.cookies.set('briefs-device', forged);
      assertRefused(await signIn(visitor, 'ada'));
    }
  });

  it('confirming the password in settings is limited too', async () => {
    const ada = await signUp(service, 'ada');
    const change = () =>
      ada.post('/settings/password', { current: 'wrong', password: 'another odd walnut' });
    for (let failures = 0; failures < 10; failures++) assert.equal((await change()).status, 422);
    const refused = await change();
    assertRefused(refused);
    assert.equal(await whoIs(ada), 'ada');
    assert.ok(!leadsToSignIn(refused), 'they are signed in');
  });

  it('thirty sign-ups an hour from one address', async () => {
    const visitor = newVisitor(service, { address: '203.0.113.9' });
    const form = { username: 'taken', email: 'taken@example.com', password: PASSWORD };
    await visitor.post('/sign-up', form);
    for (let times = 1; times < 30; times++) {
      assert.equal((await visitor.post('/sign-up', form)).status, 422);
    }
    const { status, headers } = await visitor.post('/sign-up', form);
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 15 * 60);
  });
});
