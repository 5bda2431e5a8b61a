import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { openDatabase } from '../../test/database.ts';
import {
  BRIEFS,
  backEndsOf,
  type Outcome,
  runBriefs,
  startServe,
  succeed,
  within,
} from '../../test/process.ts';
import { STACK } from '../../test/stack.ts';
import { isWellFormedToken } from '../core/identity/token.ts';

/** Settings for the embedded database. */
const ON_DATA_DIR = { skip: STACK !== 'embedded' && 'about the embedded database' };

describe('Commands, while the service runs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const settings = { DATA_DIR: dataDir };

  const service = await startServe(settings);
  await succeed(['users', 'create', 'ada', '--email', 'ada@example.com'], settings);
  after(async () => {
    await service.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runBriefs(args, settings);

  /** Asserts that it failed with one line on standard error and nothing on standard output. */
  function assertFailed(outcome: Outcome, code: number, message: RegExp): void {
    assert.equal(outcome.code, code, outcome.stderr);
    assert.equal(outcome.stdout, '');
    assert.match(outcome.stderr, message);
    assert.doesNotMatch(outcome.stderr, /\n\s+at |node:/, 'no stack');
  }

  async function statusOf(token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await fetch(`${service.baseUrl}/user`, { headers });
    await body?.cancel();
    return status;
  }

  /** Returns the cells of a printed table by row, headings first. */
  const rows = (table: string) =>
    table
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('help, for the program and each command', async () => {
    for (const args of [['--help'], ['help']]) {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      for (const command of ['serve', 'migrate', 'users', 'tokens', 'backup', 'restore']) {
        assert.match(stdout, new RegExp(`^ +${command} `, 'm'));
      }
    }
    await every(
      [
        [['users', '--help'], /disable/],
        [['users', 'create', '--help'], /--email <email>/],
        [['tokens', 'create', '--help'], /--expires <duration>/],
        [['restore', '--help'], /--force/],
      ] as const,
      async ([args, part]) => {
        const { code, stdout, stderr } = await run(...args);
        assert.equal(code, 0);
        assert.match(stdout, part);
        assert.equal(stderr, '');
      },
    );
  });

  it('unknown arguments: exit code 2 and a message on standard error', async () => {
    await every(
      [
        [['serv'], /unknown command 'serv'[\s\S]*Did you mean serve/],
        [['users', 'remove', 'ada'], /unknown command 'remove'/],
        [['users', 'disable'], /missing required argument 'username'/],
        [['users', 'create', 'x'], /required option '--email/],
        [['users', 'list', '--mail', 'y'], /unknown option '--mail'/],
        [['users', 'disable', 'a', 'b'], /too many arguments/],
        [['tokens', 'create', 'ada', '--expires', '7'], /--expires[\s\S]*must be a duration/],
        [['tokens', 'create', 'ada', '--expires', ''], /--expires/],
        [['backup'], /give either a file or --into/],
      ] as const,
      async ([args, message]) => {
        assertFailed(await run(...args), 2, message);
      },
    );
  });

  it('no command: exit code 2 and the help', async () => {
    for (const args of [[], ['users']]) {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 2);
      assert.match(stdout + stderr, /Usage: briefs/);
    }
  });

  it('users create: exit code 1 and the wrong field', async () => {
    await every(
      [
        ['ADA', 'other@example.com', /^briefs: username: "ada" is taken\. Choose another\.\n$/],
        ['admin', 'x@example.com', /^briefs: username: "admin" is reserved\. Choose another\.\n$/],
        ['api', 'x@example.com', /^briefs: username: "api" is reserved\. Choose another\.\n$/],
        ['a--b', 'x@example.com', /^briefs: username: use up to 39 /],
        ['x'.repeat(40), 'x@example.com', /^briefs: username: use up to 39 /],
        ['grace', 'nobody', /^briefs: email: must be an email address, such as /],
        ['grace', 'ADA@EXAMPLE.COM', /^briefs: email: another account /],
      ] as const,
      async ([username, email, message]) => {
        assertFailed(await run('users', 'create', username, '--email', email), 1, message);
      },
    );
    const list = await succeed(['users', 'list'], settings);
    assert.doesNotMatch(list, /grace/);
  });

  it('users list: a table, newest first', async () => {
    await succeed(['users', 'create', 'Newest', '--email', 'Newest@example.com'], settings);
    const [headings, ...users] = rows(await succeed(['users', 'list'], settings));
    assert.deepEqual(headings, [
      'USERNAME',
      'EMAIL',
      'VERIFIED',
      'ADMIN',
      'CREATED',
      'LAST SIGN-IN',
      'DISABLED',
      'DOCUMENTS',
      'BYTES',
      'ID',
    ]);
    assert.deepEqual(users[0]?.slice(0, 2), ['newest', 'Newest@example.com']);
    assert.deepEqual(users[0]?.slice(2, 4), ['no', 'no']);
    assert.match(users[0]?.[4] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(users[0]?.slice(5, 9), ['-', '-', '0', '0']);
    assert.equal(users.at(-1)?.[0], 'ada');
  });

  it('users list --json and users show: what is known of accounts', async () => {
    await succeed(['users', 'create', 'shown', '--email', 'shown@example.com'], settings);
    await succeed(['users', 'set-admin', 'shown'], settings);
    const all = JSON.parse(await succeed(['users', 'list', '--json'], settings));
    const shown = all.find(({ username }: { username: string }) => username === 'shown');
    assert.equal(shown.email, 'shown@example.com');
    assert.equal(shown.lastSignInAt, null);
    assert.match(shown.adminSince, /^\d{4}-/);
    const one = JSON.parse(await succeed(['users', 'show', 'Shown', '--json'], settings));
    assert.equal(one.id, shown.id);
    assert.equal(one.usage.totalBytes, 0);
    assert.match(
      await succeed(['users', 'show', 'shown'], settings),
      /^email +shown@example.com$/m,
    );
    const tokens = JSON.parse(await succeed(['tokens', 'list', 'shown', '--json'], settings));
    assert.deepEqual(tokens, []);
    assertFailed(await run('users', 'show', 'nobody'), 1, /^briefs: username: /);
  });

  it('users rename, set-email and end-sessions: change an account at once', async () => {
    await succeed(['users', 'create', 'former', '--email', 'former@example.com'], settings);
    const token = (await succeed(['tokens', 'create', 'former'], settings)).trim();
    const renamed = await succeed(['users', 'rename', 'former', 'later'], settings);
    assert.equal(renamed, 'former is later now.\n');
    const headers = { authorization: `Bearer ${token}` };
    const { data } = await (await fetch(`${service.baseUrl}/user`, { headers })).json();
    assert.equal(data.username, 'later');
    assertFailed(await run('users', 'rename', 'later', 'ada'), 1, /^briefs: username: "ada" is/);
    await succeed(['users', 'set-email', 'later', 'later@example.com', '--verified'], settings);
    const one = JSON.parse(await succeed(['users', 'show', 'later', '--json'], settings));
    assert.equal(one.email, 'later@example.com');
    assert.notEqual(one.emailVerifiedAt, null);
    const taken = ['users', 'set-email', 'later', 'ada@example.com'];
    assertFailed(await run(...taken), 1, /^briefs: email: /);
    await succeed(['users', 'end-sessions', 'later'], settings);
  });

  it('tokens: gives “admin” to administrators only', async () => {
    await succeed(['users', 'create', 'plain', '--email', 'plain@example.com'], settings);
    const create = ['tokens', 'create', 'plain', '--scopes', 'documents:read,admin'];
    assertFailed(
      await run(...create),
      1,
      /^briefs: scopes: only administrators .*“admin”, and plain/,
    );
    assert.equal(await succeed(['tokens', 'list', 'plain', '--json'], settings), '[]\n');
    await succeed(['users', 'set-admin', 'plain'], settings);
    assert.match(await succeed(create, settings), /^brf_/);
  });

  it('organizations: lists them, and gives one an admin', async () => {
    await succeed(['users', 'create', 'founder', '--email', 'founder@example.com'], settings);
    await succeed(['users', 'create', 'helper', '--email', 'helper@example.com'], settings);
    const token = (await succeed(['tokens', 'create', 'founder'], settings)).trim();
    const founded = await fetch(`${service.baseUrl}/user/orgs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ namespace: 'works', name: 'Works' }),
    });
    assert.equal(founded.status, 201);
    const list = JSON.parse(await succeed(['organizations', 'list', '--json'], settings));
    assert.deepEqual([list[0].namespace, list[0].members], ['works', 1]);
    assert.match(await succeed(['organizations', 'list'], settings), /^works +Works /m);
    await succeed(['organizations', 'set-admin', 'works', 'helper'], settings);
    const shown = JSON.parse(await succeed(['organizations', 'show', 'works', '--json'], settings));
    assert.equal(shown.admins, 2);
    assert.match(await succeed(['organizations', 'show', 'works'], settings), /^helper +admin /m);
    assertFailed(await run('organizations', 'show', 'none'), 1, /^briefs: org: /);
  });

  it('tokens create: prints only the token, which works at once', async () => {
    const outcome = await run('tokens', 'create', 'ADA');
    assert.equal(outcome.code, 0);
    assert.equal(outcome.stderr, '');
    assert.match(outcome.stdout, /^brf_[0-9A-Za-z]+\n$/);
    const token = outcome.stdout.trim();
    assert.ok(isWellFormedToken(token));
    assert.equal(await statusOf(token), 200);
    assertFailed(await run('tokens', 'create', 'nobody'), 1, /^briefs: username: no user /);
    assertFailed(await run('tokens', 'create', 'ada', '--name', ' '), 1, /^briefs: name: /);
    assertFailed(
      await run('tokens', 'create', 'ada', '--name', 'x'.repeat(101)),
      1,
      /^briefs: name/,
    );
  });

  it('tokens list and revoke: a revoked token is refused at once, others are not', async () => {
    await succeed(['users', 'create', 'lister', '--email', 'lister@example.com'], settings);
    const create = (...more: string[]) =>
      succeed(['tokens', 'create', 'lister', ...more], settings).then((token) => token.trim());
    const kept = await create();
    const scopes = 'profile documents:read';
    const named = await create('--name', 'on the laptop', '--expires', '90d', '--scopes', scopes);
    assert.equal(await statusOf(named), 200);
    const [headings, ...tokens] = rows(await succeed(['tokens', 'list', 'lister'], settings));
    const columns = ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED', 'SCOPES'];
    assert.deepEqual(headings, columns);
    const [newest, oldest] = tokens;
    assert.equal(newest?.[1], 'on the laptop');
    const lifetime = Date.parse(newest?.[3] ?? '') - Date.parse(newest?.[2] ?? '');
    assert.equal(lifetime, 90 * 24 * 60 * 60 * 1000);
    assert.notEqual(newest?.[4], '-', 'it was used');
    assert.deepEqual([oldest?.[1], oldest?.[3], oldest?.[5]], ['command line', '-', '-']);
    assert.deepEqual([newest?.[6], oldest?.[6]], ['documents:read profile', 'all']);
    const unknown = await run('tokens', 'create', 'lister', '--scopes', 'all');
    assertFailed(unknown, 2, /documents:read/);
    const table = await succeed(['tokens', 'list', 'lister'], settings);
    for (const token of [kept, named]) assert.ok(!table.includes(token.slice(4, 20)));

    const id = newest?.[0] ?? '';
    await succeed(['tokens', 'revoke', id], settings);
    assert.equal(await statusOf(named), 401);
    assert.equal(await statusOf(kept), 200);
    assertFailed(await run('tokens', 'revoke', id), 1, /^briefs: id: /);
    assertFailed(await run('tokens', 'revoke', 'x'), 1, /^briefs: id: /);
    const [, revoked] = rows(await succeed(['tokens', 'list', 'lister'], settings));
    assert.match(revoked?.[5] ?? '', /^\d{4}-/);
  });

  it('tokens create --expires: refused after it has expired', async () => {
    const token = (await succeed(['tokens', 'create', 'ada', '--expires', '1ms'], settings)).trim();
    assert.equal(await statusOf(token), 401);
  });

  it('users disable and enable: tokens stop at once, and work again', async () => {
    await succeed(['users', 'create', 'locked', '--email', 'locked@example.com'], settings);
    const token = (await succeed(['tokens', 'create', 'locked'], settings)).trim();
    assert.equal(await statusOf(token), 200);
    for (let round = 0; round < 2; round++) {
      await succeed(['users', 'disable', 'Locked'], settings);
      assert.equal(await statusOf(token), 401);
    }
    const line = (await succeed(['users', 'list'], settings)).match(/^locked .*$/m)?.[0] ?? '';
    assert.match(line.split(/ {2,}/)[6] ?? '', /^\d{4}-/);
    await succeed(['users', 'enable', 'locked'], settings);
    assert.equal(await statusOf(token), 200);
    assertFailed(await run('users', 'disable', 'nobody'), 1, /^briefs: username: /);
    assertFailed(await run('users', 'enable', 'nobody'), 1, /^briefs: username: /);
  });

  it('users delete: shows what would be deleted; --yes deletes it', async () => {
    await succeed(['users', 'create', 'leaving', '--email', 'leaving@example.com'], settings);
    const token = (await succeed(['tokens', 'create', 'leaving'], settings)).trim();
    const asked = await succeed(['users', 'delete', 'Leaving'], settings);
    assert.match(asked, /^tokens +1$/m);
    assert.match(asked, /Nothing was deleted/);
    assert.equal(await statusOf(token), 200);
    assert.match(
      await succeed(['users', 'delete', 'leaving', '--yes'], settings),
      /Deleted the account/,
    );
    assert.equal(await statusOf(token), 401);
    assertFailed(await run('users', 'delete', 'leaving', '--yes'), 1, /^briefs: username: /);
    const create = ['users', 'create', 'leaving', '--email', 'next@example.com'];
    assertFailed(await run(...create), 1, /^briefs: username: "leaving" is reserved until /);
    await succeed([...create, '--reuse-name'], settings);
  });

  it(
    'migrate: migrates a new database, and doesn’t change a current one',
    ON_DATA_DIR,
    async () => {
      const other = mkdtempSync(join(tmpdir(), 'briefs-test-'));
      const nested = { DATA_DIR: join(other, 'deep', 'below') };
      try {
        for (let round = 0; round < 2; round++) {
          assert.equal(await succeed(['migrate'], nested), 'The database is up to date.\n');
        }
        const database = openDatabase(nested.DATA_DIR);
        const tables = database
          .prepare("select name from sqlite_schema where name = 'document'")
          .all();
        database.close();
        assert.equal(tables.length, 1);
      } finally {
        rmSync(other, { recursive: true, force: true });
      }
      assert.equal(await succeed(['migrate'], settings), 'The database is up to date.\n');
    },
  );

  it(
    'without data: all commands except users create refuse and create nothing',
    ON_DATA_DIR,
    async () => {
      const empty = join(dataDir, 'somewhere-else');
      for (const args of [
        ['users', 'list'],
        ['users', 'disable', 'ada'],
        ['tokens', 'create', 'ada'],
        ['storage', 'sweep'],
        ['signing-key', 'rotate'],
      ]) {
        const outcome = await runBriefs(args, { DATA_DIR: empty });
        assertFailed(outcome, 1, /^briefs: There is no data in .*somewhere-else/);
        assert.ok(!existsSync(empty));
      }
      const args = ['users', 'create', 'ada', '--email', 'ada@example.com'];
      assert.match(await succeed(args, { DATA_DIR: empty }), /somewhere-else/);
    },
  );

  const noTerminal =
    !process.env.REQUIRE_BACKENDS && !existsSync('/usr/bin/script') && 'there is no script(1)';
  it('users set-password at a terminal: reads one line and exits', {
    skip: noTerminal,
  }, async () => {
    const command = 'node bin/briefs.js users set-password ada';
    // The terminal stays open, as for a person.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, ...settings, ...(await backEndsOf(settings)) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    terminal.stdout.on('data', (data) => {
      shown += data;
      if (/Enter: $/.test(shown)) terminal.stdin.write('kilimanjaro sunset pencil\n');
    });
    try {
      const [code] = await within(once(terminal, 'exit'), 'set-password');
      assert.equal(code, 0, shown);
      assert.match(shown, /Set the password of ada/);
      assert.doesNotMatch(shown, /kilimanjaro/);
    } finally {
      terminal.kill();
    }
  });

  it('tokens create for a disabled account: refused', async () => {
    await run('users', 'create', 'idle', '--email', 'idle@example.com');
    await run('users', 'disable', 'idle');
    assertFailed(await run('tokens', 'create', 'idle'), 1, /username: this account is disabled/);
  });

  const notRoot = process.getuid?.() !== 0 && 'only root can run commands as another user';
  it('run by a user without a name, as in a container', { skip: notRoot }, async () => {
    const nameless = 61_234;
    const own = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    chownSync(own, nameless, nameless);
    const environment = { ...(await backEndsOf({ DATA_DIR: own })), DATA_DIR: own };
    const asNameless = async (...args: string[]) => {
      const child = spawn(process.execPath, [BRIEFS, ...args], {
        // Docker and systemd set it; the S3 client looks for its settings there.
        env: { HOME: '/', ...environment },
        uid: nameless,
        gid: nameless,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const output = text(child.stdout);
      const [code] = await within(once(child, 'close'), args.join(' '));
      assert.equal(code, 0, args.join(' '));
      return output;
    };
    try {
      await asNameless('users', 'create', 'grace', '--email', 'grace@example.com');
      assert.match(await asNameless('audit'), / account\.created +61234 +command /);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });

  it('audit: ends without a word when nobody reads on, and says that the output can’t be written', async () => {
    const audit = async (end: string) => {
      const command = `"${process.execPath}" "${BRIEFS}" audit --json ${end}`;
      const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
        env: { ...process.env, ...settings, ...(await backEndsOf(settings)) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [said, [code]] = await within(
        Promise.all([text(child.stderr), once(child, 'close')]),
        'audit',
      );
      return { said, code };
    };
    assert.deepEqual(await audit('| true'), { said: '', code: 0 });
    if (existsSync('/dev/full')) {
      const { said, code } = await audit('> /dev/full');
      assert.match(said, /^briefs: .*no space left on device.*\n$/);
      assert.equal(code, 1);
    }
  });

  it('--version: prints only the version', async () => {
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('--settings: reads a file; the environment overrides it', ON_DATA_DIR, async () => {
    const file = join(dataDir, 'settings.env');
    const [inFile, inEnvironment] = [join(dataDir, 'in-file'), join(dataDir, 'in-environment')];
    writeFileSync(file, `DATA_DIR=${inFile}\n`);
    const args = ['--settings', file, 'migrate'];
    await succeed(args, {});
    assert.ok(existsSync(inFile));
    await succeed(args, { DATA_DIR: inEnvironment });
    assert.ok(existsSync(inEnvironment));
    assertFailed(
      await runBriefs(['--settings', '/nowhere', 'migrate']),
      1,
      /^briefs: --settings: /,
    );
  });

  it('--settings: refuses unknown names, except those of libraries', ON_DATA_DIR, async () => {
    const file = join(dataDir, 'unknown.env');
    const withLine = (line: string, ...args: string[]) => {
      writeFileSync(file, `DATA_DIR=${dataDir}\n${line}\n`);
      return runBriefs([...args, file], settings);
    };
    for (const [name, ...args] of [
      ['DATABASE', 'migrate', '--settings'],
      ['MAX_SIZE', 'migrate', '--settings'],
      ['RATE_LIMIT_PAGES', 'migrate', '--settings'],
    ] as const) {
      const outcome = await withLine(`${name}=1`, ...args);
      assertFailed(outcome, 2, new RegExp(`^briefs: .*unknown.env: ${name}: unknown setting`));
    }
    const names = ['AWS_REGION', 'PGAPPNAME', 'NODE_EXTRA_CA_CERTS', 'TZ', 'https_proxy'];
    const lines = names.map((name) => `${name}=x`).join('\n');
    assert.equal((await withLine(lines, 'migrate', '--settings')).code, 0);
  });

  it('--settings: refuses a malformed line, by its number', ON_DATA_DIR, async () => {
    const file = join(dataDir, 'mistaken.env');
    const lines = ['OIDC_CLIENT_SECRET: hunter2', 'RATE_LIMIT_API', 'a b=c', '=x', '\u00a0A=b'];
    for (const line of [...lines, `DATA_DIR ${dataDir}`, 'export\tPORT=1']) {
      writeFileSync(
        file,
        `\ufeffOIDC_NAME="two\nlines" # ours\nexport LOG_LEVEL = warn\n${line}\n`,
      );
      const outcome = await runBriefs(['--settings', file, 'users', 'list'], settings);
      assertFailed(outcome, 2, /^briefs: .*: line 4 must be NAME=value/);
      assert.doesNotMatch(outcome.stderr, /hunter2/);
    }
  });

  it(
    'an impossible data directory: exit code 2 and one line, or 1 if there could be data',
    ON_DATA_DIR,
    async () => {
      for (const [code, place, ...args] of [
        [1, '/dev/null/x', 'users', 'list'],
        [2, '/dev/null/x', 'migrate'],
        [2, '/dev/null', 'serve'],
        [2, '/proc/x', 'migrate'],
      ] as const) {
        assertFailed(await runBriefs(args, { DATA_DIR: place }), code, /^briefs: [^\n]+\n$/);
      }
    },
  );
});

/** Runs all cases in parallel, because each is a process that takes time to start. */
async function every<T>(cases: readonly T[], attempt: (one: T) => Promise<void>): Promise<void> {
  await Promise.all(cases.map(attempt));
}
