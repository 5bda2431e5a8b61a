import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { actorOf, openLimiter, refusal } from '../../../test/account/actors.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { storeAddress } from '../../../test/mail/post-office.ts';
import { newVisitor, signIn } from '../../../test/sign-in/visitor.ts';
import { callOf } from '../../core/context.ts';
import { changeEmail } from './email-service.ts';
import { setPassword } from './password-service.ts';

const PASSWORD = 'three odd walnuts';

describe('Changing your email address', async () => {
  const service = await startService();
  const context = service.app.context;
  const limiter = await openLimiter(service);
  after(async () => {
    await limiter.close();
    await service.stop();
  });

  const change = async (client: Client, email: string, current = '') =>
    changeEmail(callOf(context, await actorOf(client)), limiter, { email, current });
  const emailOf = async (client: Client) => (await client.get('/user')).data.email;

  it('without a password: none is required, and the address is trimmed', async () => {
    const ada = await service.user('ada');
    assert.equal(await change(ada, ' Ada@Example.org '), 'Ada@example.org');
    assert.equal(await emailOf(ada), 'Ada@example.org');
    assert.equal(await change(ada, 'ADA@example.org'), 'ADA@example.org', 'another spelling');
  });

  it('with a password: it is required, and attempts are limited', async () => {
    const grace = await service.user('grace');
    await setPassword(context, 'grace', PASSWORD);
    for (let attempt = 0; attempt < 10; attempt++) {
      assert.match(
        await refusal(change(grace, 'new@example.com', 'wrong')),
        /^UNPROCESSABLE current: /,
      );
    }
    assert.match(await refusal(change(grace, 'new@example.com', PASSWORD)), /^RATE_LIMITED /);
    assert.equal(await emailOf(grace), 'grace@example.com');
    const hopper = await service.user('hopper');
    await setPassword(context, 'hopper', PASSWORD);
    assert.equal(await change(hopper, 'new@example.com', PASSWORD), 'new@example.com');
  });

  it('allows ten attempts an hour, because they reveal whether addresses are taken', async () => {
    const joan = await service.user('joan');
    await service.user('taken');
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      outcomes.push(await refusal(change(joan, 'taken@example.com')));
    }
    const told = outcomes.filter((outcome) =>
      /^UNPROCESSABLE email: another account uses /.test(outcome),
    );
    assert.equal(told.length, 10, outcomes.join('\n'));
    assert.match(outcomes.at(-1) ?? '', /^RATE_LIMITED /);
  });

  it('refuses a malformed address and another account’s', async () => {
    const mary = await service.user('mary');
    await service.user('other');
    for (const text of [
      '',
      'nowhere',
      'a@b@c',
      'root@localhost',
      '<a@example.com>',
      'a@[10.0.0.1]',
    ]) {
      assert.match(await refusal(change(mary, text)), /^BAD_REQUEST email: must be /, text);
    }
    assert.match(
      await refusal(change(mary, 'OTHER@example.com')),
      /^UNPROCESSABLE email: another account uses /,
    );
    assert.equal(await emailOf(mary), 'mary@example.com');
  });

  it('one address is taken in all its spellings', async () => {
    const [ida, other] = [await service.user('ida'), await service.user('another')];
    assert.equal(await change(ida, 'Ida@Bücher.example'), 'Ida@xn--bcher-kva.example');
    for (const text of [
      'ida@bücher.example',
      'IDA@XN--BCHER-KVA.example',
      'ida@ｂücher。example',
    ]) {
      assert.match(await refusal(change(other, text)), /^UNPROCESSABLE email: another /, text);
    }
    await setPassword(context, 'ida', PASSWORD);
    const named = await signIn(newVisitor(service), 'ida@BÜCHER.example', PASSWORD);
    assert.equal(named.status, 303);
  });

  it('an address that only an earlier version accepted still signs in', async () => {
    const email = '"Lise M." <lise@example.com>';
    await service.user('lise');
    await setPassword(context, 'lise', PASSWORD);
    await storeAddress(service, 'lise', email);
    assert.equal((await signIn(newVisitor(service), email.toUpperCase(), PASSWORD)).status, 303);
  });

  it('of concurrent changes to one address, one succeeds', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const clients = await Promise.all(names.map((name) => service.user(name)));
    const outcomes = await Promise.all(
      clients.map((client) => refusal(change(client, 'wanted@example.com'))),
    );
    const refused = outcomes.filter((outcome) => /^UNPROCESSABLE email: /.test(outcome));
    assert.equal(refused.length, names.length - 1, outcomes.join('\n'));
  });
});
