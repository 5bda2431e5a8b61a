import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { Service } from '../harness.ts';
import { runBriefs } from '../process.ts';
import { newVisitor, PASSWORD, signIn, startWithVisitors, whoIs } from './visitor.ts';

describe('Passwords by command', () => {
  let service: Service;
  let settings: Record<string, string>;

  before(async () => {
    service = await startWithVisitors();
    settings = { DATA_DIR: service.config.dataDir };
  });
  after(() => service.stop());

  const CREATE = ['users', 'create', 'ada', '--email', 'ada@example.com', '--password-stdin'];

  it('an account is made with one, and another one set, which ends all sessions', async () => {
    const created = await runBriefs(CREATE, settings, `${PASSWORD}\n`);
    assert.equal(created.code, 0, created.stderr);
    const ada = newVisitor(service);
    assert.equal((await signIn(ada, 'ada')).status, 303);
    const args = ['users', 'set-password', 'ada', '--password-stdin'];
    const set = await runBriefs(args, settings, 'another odd walnut\r\n');
    assert.equal(set.code, 0, set.stderr);
    assert.doesNotMatch(set.stdout + set.stderr, /walnut/);
    assert.equal(await whoIs(ada), undefined);
    assert.match(set.stdout, /tokens made by hand stay/);
    assert.equal((await signIn(ada, 'ada')).status, 422);
    assert.equal((await signIn(ada, 'ada', 'another odd walnut')).status, 303);
  });

  it('what cannot be one is refused, and makes nothing', async () => {
    for (const [password, reason] of [
      ['', /no password on standard input/],
      ['\n', /no password on standard input/],
      ['short', /password: must have at least 8/],
      ['grace@example.com', /password: must not be/],
    ] as const) {
      const args = ['users', 'create', 'grace', '--email', 'grace@example.com'];
      const refused = await runBriefs([...args, '--password-stdin'], settings, password);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, reason);
    }
    const unknown = ['users', 'set-password', 'grace', '--password-stdin'];
    assert.match((await runBriefs(unknown, settings, PASSWORD)).stderr, /no user has this name/);
    const without = await runBriefs(['users', 'set-password', 'grace'], settings, PASSWORD);
    assert.equal(without.code, 2);
  });
});
