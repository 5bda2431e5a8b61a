import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { openPostOffice, queued, verificationPath } from '../../../test/mail/post-office.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { PERIOD, setUpCodes } from './factors.testing.ts';
import { resetSecondFactor } from './reset-factor-service.ts';

describe('Changes of the second factor', async () => {
  const office = await openPostOffice();
  const service = await startWithVisitors(office.settings);
  after(async () => {
    await service.stop();
    await office.close();
  });

  it('are told by mail and written to the audit trail, without secrets', async () => {
    const ada = await signUp(service, 'ada');
    await ada.post(await verificationPath(office, 'ada@example.com'));
    await until('an empty queue', async () => (await queued(service)) === 0);
    office.mails.length = 0;
    const { app, recovery } = await setUpCodes(service, ada);
    service.advance(3 * PERIOD);

    const there = newVisitor(service, { cookies: new Map([...ada.cookies].slice(1)) });
    await signIn(there, 'ada');
    await there.post('/sign-in/second', { code: '123456' });
    await there.post('/sign-in/second', { code: recovery[0] as string });
    await ada.post('/settings/security/recovery-codes');
    const off = { password: PASSWORD, code: app.code() };
    assert.equal((await ada.post('/settings/security/codes/off', off)).status, 303);
    const again = await setUpCodes(service, ada);
    await resetSecondFactor(service.app.context, undefined, 'Ada');
    assert.equal(await whoIs(ada), undefined, 'all sessions ended');
    assert.equal((await signIn(newVisitor(service), 'ada')).headers.get('location'), '/');

    await until('an empty queue', async () => (await queued(service)) === 0);
    assert.deepEqual(
      office.mails
        .map(({ subject }) => subject)
        .filter((subject) => !/sign-in/.test(subject ?? '')),
      [
        'One-time codes are on',
        'A recovery code was used',
        'New recovery codes',
        'One-time codes are off',
        'One-time codes are on',
        'Your second factor was removed',
      ],
    );
    const texts = office.mails.map(({ text }) => text ?? '').join('\n');
    assert.match(texts, /9 are left/);
    assert.match(texts, /removed on .*by an operator of this server\. Sign in|, by an operator/s);
    const entries = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .selectAll()
      .orderBy('id')
      .execute();
    const own = entries.filter(({ action }) => !action.startsWith('session.'));
    assert.deepEqual(
      own
        .map(({ action, actorName, means }) => `${action} ${actorName} ${means}`)
        .filter((line) => /codes?\.|factor/.test(line)),
      [
        'codes.turned_on ada web',
        'second_factor.failed null web',
        'recovery_code.used null web',
        'recovery_codes.made ada web',
        'codes.turned_off ada web',
        'codes.turned_on ada web',
        'account.second_factor_reset null service',
      ],
    );
    for (const secret of [app.secret, again.app.secret, ...recovery, ...again.recovery]) {
      assert.ok(!JSON.stringify([entries, texts]).includes(secret));
    }
    await assert.rejects(
      resetSecondFactor(service.app.context, undefined, 'ada'),
      /has no second factor/,
    );
  });
});
