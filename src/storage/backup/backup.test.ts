import { strict as assert } from 'node:assert';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { create, extract } from 'tar';
import { databaseState } from '../../../test/database.ts';

import {
  createUser,
  type Outcome,
  runBriefs,
  type ServeProcess,
  startServe,
  succeed,
} from '../../../test/process.ts';
import { until } from '../../../test/until.ts';

function unpack(archive: string, directory: string): void {
  mkdirSync(directory);
  extract({ file: archive, cwd: directory, sync: true });
}

function pack(directory: string, archive: string): void {
  create({ file: archive, cwd: directory, sync: true, portable: true }, ['briefs.db']);
}

const permissions = (path: string) => statSync(path).mode & 0o777;

const isStaging = (name: string) => /^(backup|restore)-/.test(name);

describe('Backup and restore', () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const at = (name: string) => join(home, name);
  const source = { DATA_DIR: at('source') };
  let service: ServeProcess;
  let token: string;

  before(async () => {
    service = await startServe(source);
    token = await createUser(source.DATA_DIR, 'ada');
  });
  after(async () => {
    await service.kill('SIGTERM');
    rmSync(home, { recursive: true, force: true });
  });

  async function publish(to: ServeProcess, name: string): Promise<string> {
    const response = await fetch(`${to.baseUrl}/user/briefs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, content: `# ${name}\n${'x'.repeat(5_000)}` }),
    });
    assert.equal(response.status, 201, await response.clone().text());
    return name;
  }

  async function rename(from: string, to: string): Promise<void> {
    const response = await fetch(`${service.baseUrl}/briefs/ada/${from}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: to }),
    });
    assert.equal(response.status, 200, await response.clone().text());
  }

  async function exists(at: ServeProcess, name: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${at.baseUrl}/briefs/ada/${name}`, { headers });
    await response.arrayBuffer();
    return response.status === 200;
  }

  function assertRefused(outcome: Outcome, message: RegExp): void {
    assert.equal(outcome.code, 1);
    assert.equal(outcome.stdout, '');
    assert.match(outcome.stderr, /^briefs: [^\n]+\n$/);
    assert.match(outcome.stderr, message);
  }

  it('contains exactly the data, and leaves no other file behind', async () => {
    await rename(await publish(service, 'former'), 'current');
    await succeed(['backup', at('quiet.backup')], source);
    unpack(at('quiet.backup'), at('quiet'));
    const state = databaseState(at('quiet'));
    assert.deepEqual(state, databaseState(source.DATA_DIR));
    assert.match(JSON.stringify(state), /former/);
    const left = readdirSync(home).filter((name) => /^quiet\.backup./.test(name));
    assert.deepEqual(left, []);
  });

  it('only the owner can read a backup and the restored data', async () => {
    await succeed(['backup', at('private.backup')], source);
    assert.equal(permissions(at('private.backup')), 0o600);
    const [made, given] = [at('made/by/restore'), at('given')];
    mkdirSync(given);
    chmodSync(given, 0o750);
    for (const DATA_DIR of [made, given]) {
      await succeed(['restore', at('private.backup')], { DATA_DIR });
    }
    assert.equal(permissions(made), 0o700);
    assert.equal(permissions(given), 0o750);
    assert.equal(permissions(join(given, 'briefs.db')), 0o600);
  });

  it('new files in an open data folder are private', async () => {
    const DATA_DIR = at('open-to-others');
    mkdirSync(DATA_DIR);
    chmodSync(DATA_DIR, 0o755);
    const running = await startServe({ DATA_DIR });
    try {
      await succeed(['users', 'create', 'grace', '--email', 'grace@example.com'], { DATA_DIR });
      const made = readdirSync(DATA_DIR, { recursive: true }).map(String);
      assert.ok(made.includes('briefs.db') && made.includes('briefs.db-wal'), `${made}`);
      for (const name of made) assert.equal(permissions(join(DATA_DIR, name)) & 0o077, 0, name);
    } finally {
      await running.kill('SIGTERM');
    }
  });

  it('removes leftovers of a killed backup or restore after a day', async () => {
    const old = ['backup-Ab3dE6', 'restore-000000'];
    const others = ['backup-aaaaaa', 'backup-of-mine', 'restore-notes'];
    const home = { DATA_DIR: at('interrupted') };
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    const leave = () => {
      for (const name of [...old, ...others]) {
        mkdirSync(join(home.DATA_DIR, name, 'blobs'), { recursive: true });
        if (name === 'backup-aaaaaa') continue;
        utimesSync(join(home.DATA_DIR, name), yesterday, yesterday);
      }
    };
    const left = () => readdirSync(home.DATA_DIR).filter(isStaging).sort();
    await createUser(home.DATA_DIR, 'grace');
    for (const command of ['backup', 'restore --force']) {
      leave();
      await succeed([...command.split(' '), at('interrupted.backup')], home);
      assert.deepEqual(left(), others, command);
    }
  });

  it('backup: refuses an existing file, and a directory without data', async () => {
    writeFileSync(at('taken'), 'precious');
    assertRefused(await runBriefs(['backup', at('taken')], source), /taken already exists/);
    assert.equal(readFileSync(at('taken'), 'utf8'), 'precious');
    const empty = { DATA_DIR: at('empty') };
    assertRefused(await runBriefs(['backup', at('none')], empty), /no database/);
    assert.ok(!existsSync(at('none')) && !existsSync(at('empty')));
    assertRefused(
      await runBriefs(['backup', at('no/such/directory/file')], source),
      /no folder .*no\/such\/directory/,
    );
  });

  it('restore: refuses existing data, unless --force', async () => {
    await succeed(['backup', at('one.backup')], source);
    const target = { DATA_DIR: at('target') };
    await createUser(target.DATA_DIR, 'grace');
    const state = databaseState(target.DATA_DIR);
    assertRefused(await runBriefs(['restore', at('one.backup')], target), /--force/);
    assert.deepEqual(databaseState(target.DATA_DIR), state);
    await succeed(['restore', at('one.backup'), '--force'], target);
    assert.deepEqual(databaseState(target.DATA_DIR), databaseState(source.DATA_DIR));
    const users = await succeed(['users', 'list'], target);
    assert.match(users, /^ada /m);
    assert.doesNotMatch(users, /grace/);
  });

  it('restore: refuses while the service runs, even with --force', async () => {
    await succeed(['backup', at('two.backup')], source);
    await publish(service, 'since-the-backup');
    for (const force of [[], ['--force']]) {
      const outcome = await runBriefs(['restore', at('two.backup'), ...force], source);
      assertRefused(outcome, /is running/);
    }
    await publish(service, 'still-at-work');
    assert.ok(await exists(service, 'since-the-backup'));
    assert.ok(await exists(service, 'still-at-work'));
  });

  it('restore: refuses data that was created or opened during verification', async () => {
    await succeed(['backup', at('late.backup')], source);
    await createUser(at('meanwhile'), 'grace');
    for (const [round, [force, message]] of [
      [[], /--force/] as const,
      [['--force'], /is running/] as const,
    ].entries()) {
      const target = { DATA_DIR: at(`late-${round}`) };
      mkdirSync(target.DATA_DIR);
      const lock = new DatabaseSync(join(target.DATA_DIR, 'start.lock'));
      // Same lock as a process that opens the data.
      lock.exec('begin exclusive');
      const outcome = runBriefs(['restore', at('late.backup'), ...force], target);
      await until('the unpacking', () => readdirSync(target.DATA_DIR).some(isStaging));
      copyFileSync(at('meanwhile/briefs.db'), join(target.DATA_DIR, 'briefs.db'));
      const service = new DatabaseSync(join(target.DATA_DIR, 'briefs.db'));
      service.prepare('select * from owner').all();
      if (force.length === 0) service.close();
      lock.close();
      assertRefused(await outcome, message);
      if (service.isOpen) service.close();
      assert.deepEqual(databaseState(target.DATA_DIR), databaseState(at('meanwhile')));
      assert.deepEqual(readdirSync(target.DATA_DIR).filter(isStaging), []);
    }
  });

  it('restore: refuses leftover pages and files without a database, unless --force', async () => {
    await succeed(['backup', at('three.backup')], source);
    const target = { DATA_DIR: at('content') };
    const page = join(target.DATA_DIR, 'blobs/pages/a.html');
    mkdirSync(join(page, '..'), { recursive: true });
    writeFileSync(page, 'precious');
    assertRefused(await runBriefs(['restore', at('three.backup')], target), /--force/);
    assert.equal(readFileSync(page, 'utf8'), 'precious');
    await succeed(['restore', at('three.backup'), '--force'], target);
    assert.ok(!existsSync(page));
  });

  it('restore: refuses damaged, foreign, newer and missing backups, and changes nothing', async () => {
    await succeed(['backup', at('good.backup')], source);
    const whole = readFileSync(at('good.backup'));
    const target = { DATA_DIR: at('precious') };
    await createUser(target.DATA_DIR, 'grace');
    const state = databaseState(target.DATA_DIR);

    const zeroed = Buffer.from(whole);
    zeroed.fill(0x5a, Math.floor(whole.length / 3), Math.floor(whole.length / 2));
    writeFileSync(at('zeroed'), zeroed);
    copyFileSync(at('good.backup'), at('cut'));
    truncateSync(at('cut'), Math.floor(whole.length / 2));
    writeFileSync(at('text'), 'This is no database.\n'.repeat(1_000));
    writeFileSync(at('nothing'), '');
    const foreign = new DatabaseSync(at('foreign'));
    foreign.exec('create table document (id text)');
    foreign.close();
    mkdirSync(at('foreign-files'));
    copyFileSync(at('foreign'), at('foreign-files/briefs.db'));
    pack(at('foreign-files'), at('packed-foreign'));
    unpack(at('good.backup'), at('dangling-files'));
    const dangling = new DatabaseSync(at('dangling-files/briefs.db'), {
      enableForeignKeyConstraints: false,
    });
    dangling.exec("delete from owner where namespace = 'ada'");
    dangling.close();
    pack(at('dangling-files'), at('dangling'));
    unpack(at('good.backup'), at('newer-files'));
    const newer = new DatabaseSync(at('newer-files/briefs.db'));
    newer.exec("insert into kysely_migration values ('999-from-the-future', '2030-01-01')");
    newer.close();
    pack(at('newer-files'), at('newer'));
    unpack(at('good.backup'), at('bare-files'));
    const bare = new DatabaseSync(at('bare-files/briefs.db'));
    bare.exec('drop table kysely_migration');
    bare.close();
    pack(at('bare-files'), at('bare'));

    for (const [file, message] of [
      ['zeroed', /damaged/],
      ['cut', /damaged/],
      ['text', /a Briefs backup/],
      ['nothing', /a Briefs backup/],
      ['foreign', /a Briefs backup/],
      ['packed-foreign', /a Briefs backup/],
      ['dangling', /damaged/],
      ['newer', /newer than this version of Briefs .*999-from-the-future/],
      ['bare', /a Briefs backup/],
      ['missing', /no file/],
      ['.', /./],
    ] as const) {
      assertRefused(await runBriefs(['restore', at(file), '--force'], target), message);
      assert.deepEqual(databaseState(target.DATA_DIR), state, file);
      assert.deepEqual(
        readdirSync(target.DATA_DIR).filter((name) => name.includes('partial')),
        [],
      );
    }
    const fresh = { DATA_DIR: at('fresh') };
    assertRefused(await runBriefs(['restore', at('zeroed')], fresh), /damaged/);
    // Nothing was restored.
    assertRefused(await runBriefs(['users', 'list'], fresh), /There is no data/);
  });

  it('verify and restore: refuse and name unexpected entries', async () => {
    await succeed(['backup', at('own.backup')], source);
    unpack(at('own.backup'), at('own-files'));
    const own = readdirSync(at('own-files'));
    const stranger = 'blobs/pages/aa/01a20d77-ce08-71d0-ac5a-9551467206aa.html';
    writeFileSync(at('evil.txt'), 'from elsewhere');
    mkdirSync(join(at('own-files'), dirname(stranger)), { recursive: true });
    writeFileSync(join(at('own-files'), stranger), 'in no manifest');
    symlinkSync(home, join(at('own-files'), 'link'));
    for (const [extra, named] of [
      ['../evil.txt', '../evil.txt'],
      [at('evil.txt'), at('evil.txt')],
      ['link', 'link'],
      [stranger, stranger],
    ] as const) {
      const archive = at('hostile.backup');
      const options = { file: archive, cwd: at('own-files'), sync: true, preservePaths: true };
      create(options, [...own, extra]);
      const message = new RegExp(`contains "${named}", which isn’t part of a backup`);
      const target = { DATA_DIR: at('hostile-target') };
      assertRefused(await runBriefs(['backup', 'verify', archive], {}), message);
      assertRefused(await runBriefs(['restore', archive], target), message);
      assertRefused(await runBriefs(['users', 'list'], target), /There is no data/);
    }
  });
});
