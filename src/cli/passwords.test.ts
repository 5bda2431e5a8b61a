import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  assertOAuthError,
  obtainTokens,
  refresh,
  register,
  statusWith,
} from '../../test/oauth/agent.ts';
import { signedIn as openedBy } from '../../test/oauth/visitor.ts';
import { BRIEFS, runBriefs } from '../../test/process.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  whoIs,
} from '../../test/sign-in/visitor.ts';
import { stackSettings } from '../../test/stack.ts';
import { hashPassword } from '../core/identity/password.ts';
import { createToken } from '../core/identity/token-service.ts';
import { setPassword } from '../features/accounts/password-service.ts';

/** From util-linux; other versions have different arguments. */
const scriptMissing =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') !== true &&
  'script (util-linux) is missing';

/** Runs `briefs` at a terminal, and types a line when it asks. @returns the terminal's output */
async function typeAt(args: string, settings: Record<string, string>, line: string) {
  const child = spawn('script', ['-qec', `"$NODE" "$BRIEFS" ${args}`, '/dev/null'], {
    env: { ...process.env, ...settings, NODE: process.execPath, BRIEFS },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    if (shown === '') child.stdin.end(line);
    shown += text;
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}

describe('Passwords by command', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const settings = { DATA_DIR: service.config.dataDir };

  const CREATE = ['users', 'create', 'ada', '--email', 'ada@example.com', '--password-stdin'];

  it('create an account with a password, and set another, which ends all sessions', async () => {
    const created = await runBriefs(CREATE, settings, `${PASSWORD}\n`);
    assert.equal(created.code, 0, created.stderr);
    const ada = newVisitor(service);
    assert.equal((await signIn(ada, 'ada')).status, 303);
    const input = { username: 'ada', name: 'test', lifetimeMs: undefined };
    const { token } = await createToken(service.app.context, input);
    const { id } = (await service.client(token).get('/user')).data;
    const application = await register(service);
    const access = await obtainTokens(service, await openedBy(service, id), application);
    assert.equal(await statusWith(service, access.access_token), 200);
    const args = ['users', 'set-password', 'ada', '--password-stdin'];
    const set = await runBriefs(args, settings, 'another odd walnut\r\n');
    assert.equal(set.code, 0, set.stderr);
    assert.doesNotMatch(set.stdout + set.stderr, /walnut/);
    assert.equal(await whoIs(ada), undefined);
    assert.match(set.stdout, /applications were disconnected\. Personal access tokens still work/);
    assert.equal(await statusWith(service, access.access_token), 401);
    assertOAuthError(
      await refresh(service, application, access.refresh_token),
      400,
      'invalid_grant',
    );
    assert.equal((await service.client(token).get('/user')).status, 200);
    assert.equal((await signIn(ada, 'ada')).status, 422);
    assert.equal((await signIn(ada, 'ada', 'another odd walnut')).status, 303);
  });

  it('ask at a terminal, without showing the input', { skip: scriptMissing }, async () => {
    const create = ['users', 'create', 'linus', '--email', 'linus@example.com'];
    assert.equal((await runBriefs(create, settings)).code, 0);
    const atDatabase = { ...settings, ...(await stackSettings(service.config.dataDir)) };
    const args = 'users set-password linus --password-stdin';
    const set = await typeAt(args, atDatabase, 'an odd almond\r');
    assert.equal(set.code, 0, set.shown);
    assert.match(set.shown, /^Password[^\n]*: \r\n.*Set the password of linus/s);
    assert.doesNotMatch(set.shown, /almond/);
    assert.equal((await signIn(newVisitor(service), 'linus', 'an odd almond')).status, 303);
    for (const givesUp of ['\r', '\x03', '\x04']) {
      const { code, shown } = await typeAt(args, atDatabase, givesUp);
      assert.equal(code, 1);
      assert.match(shown, /no password on standard input/);
    }
  });

  it('let a locked-out user sign in again, while the service runs', async () => {
    await signUp(service, 'rosa');
    let nextAddress = 0;
    const elsewhere = () => {
      nextAddress += 1;
      return newVisitor(service, { address: `198.51.100.${nextAddress}` });
    };
    for (const name of ['rosa', 'rosa@example.com']) {
      for (let times = 0; times < 10; times++) await signIn(elsewhere(), name, 'wrong');
      assert.equal((await signIn(elsewhere(), name)).status, 429);
    }
    const unlocked = await runBriefs(['users', 'unlock', 'Rosa'], settings);
    assert.equal(unlocked.code, 0, unlocked.stderr);
    assert.equal(unlocked.stdout, 'Reset the failed sign-ins of rosa.\n');
    for (const name of ['rosa', 'rosa@example.com']) {
      assert.equal((await signIn(elsewhere(), name)).status, 303);
    }
    const nobody = await runBriefs(['users', 'unlock', 'nobody-here'], settings);
    assert.equal(nobody.code, 1);
    assert.match(nobody.stderr, /no user “/);
  });

  it('the new password wins over a concurrent change', async () => {
    const { context } = service.app;
    await signUp(service, 'mary');
    const changed = Promise.withResolvers<void>();
    const change = context.sql.transaction(async (tx) => {
      const owner = tx.selectFrom('owner').where('namespace', '=', 'mary').select('id');
      await tx
        .updateTable('account')
        .set({ passwordHash: await hashPassword('a thief’s walnut') })
        .where('id', '=', owner)
        .execute();
      changed.resolve();
      // As long as the other needs until it has to wait.
      await sleep(500);
    });
    await changed.promise;
    await setPassword(context, 'mary', 'another odd walnut');
    await change;
    assert.equal((await signIn(newVisitor(service), 'mary', 'another odd walnut')).status, 303);
  });

  it('refuse an address that isn’t one', async () => {
    const refused = await runBriefs(
      ['users', 'create', 'joan', '--email', 'root@localhost'],
      settings,
    );
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /email: must be an email address/);
  });

  it('refuse an invalid password, and change nothing', async () => {
    for (const [password, reason] of [
      ['', /no password on standard input/],
      ['\n', /no password on standard input/],
      ['an odd cashew\nan odd cashew\n', /one line/],
      ['short', /password: must have at least 8/],
      ['grace@example.com', /password: must not be/],
    ] as const) {
      const args = ['users', 'create', 'grace', '--email', 'grace@example.com'];
      const refused = await runBriefs([...args, '--password-stdin'], settings, password);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, reason);
    }
    const unknown = ['users', 'set-password', 'grace'];
    for (const args of [unknown, [...unknown, '--password-stdin']]) {
      assert.match((await runBriefs(args, settings, PASSWORD)).stderr, /no user “/);
    }
  });
});
