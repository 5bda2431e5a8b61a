import { strict as assert } from 'node:assert';
import {
  chmodSync,
  copyFileSync,
  createWriteStream,
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
import { after, describe, it } from 'node:test';
import { create, extract, list } from 'tar';
import { databaseState } from '../../../test/database.ts';
import { freePorts } from '../../../test/free-ports.ts';
import {
  createUser,
  type Outcome,
  runBriefs,
  type ServeProcess,
  startServe,
  succeed,
} from '../../../test/process.ts';
import { until } from '../../../test/until.ts';
import { ArchiveWriter } from './archive.ts';

/** An archive that is unpacked, changed by line, and written anew with right checksums. */
async function rewritten(
  from: string,
  to: string,
  change: (path: string, text: string) => string,
): Promise<void> {
  const archive = new ArchiveWriter(createWriteStream(to));
  const entries: { path: string; text: string }[] = [];
  await list({
    file: from,
    onReadEntry: (entry) => {
      const pieces: Buffer[] = [];
      entry.on('data', (piece) => pieces.push(piece));
      entry.on('end', () =>
        entries.push({ path: entry.path, text: Buffer.concat(pieces).toString() }),
      );
    },
  });
  for (const { path, text } of entries) {
    if (path === 'checksums.json') await archive.end(new Set());
    else await archive.add(path, Buffer.from(change(path, text)));
  }
}

const OTHER_OWNER = '{"id":"other","type":"user","namespace":"other"}\n';

const permissions = (path: string) => statSync(path).mode & 0o777;

const isStaging = (name: string) => name.startsWith('briefs-restore-');

describe('Backup and restore', async () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const at = (name: string) => join(home, name);
  const source = { DATA_DIR: at('source') };

  const service = await startServe(source);
  const token = await createUser(source.DATA_DIR, 'ada');
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
    await succeed(['restore', at('quiet.backup')], { DATA_DIR: at('quiet') });
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

  it('removes leftovers of a killed restore after a day', async () => {
    const old = ['briefs-restore-Ab3dE6', 'briefs-restore-000000'];
    const others = ['briefs-restore-aaaaaa', 'briefs-restore-notes'];
    const home = { DATA_DIR: at('interrupted') };
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    const leave = () => {
      for (const name of [...old, ...others]) {
        mkdirSync(join(home.DATA_DIR, name, 'blobs'), { recursive: true });
        if (name === 'briefs-restore-aaaaaa') continue;
        utimesSync(join(home.DATA_DIR, name), yesterday, yesterday);
      }
    };
    const left = () => readdirSync(home.DATA_DIR).filter(isStaging).sort();
    await createUser(home.DATA_DIR, 'grace');
    await succeed(['backup', at('interrupted.backup')], home);
    leave();
    await succeed(['restore', '--force', at('interrupted.backup')], home);
    assert.deepEqual(left(), others);
  });

  it('removes what a killed backup to the same file has left', async () => {
    writeFileSync(at('again.backup.partial'), 'half of it');
    await succeed(['backup', at('again.backup')], source);
    assert.ok(!existsSync(at('again.backup.partial')));
    await succeed(['backup', 'verify', at('again.backup')], {});
  });

  it('backup: refuses an existing file, and a directory without data', async () => {
    writeFileSync(at('taken'), 'precious');
    assertRefused(await runBriefs(['backup', at('taken')], source), /taken already exists/);
    assert.equal(readFileSync(at('taken'), 'utf8'), 'precious');
    const empty = { DATA_DIR: at('empty') };
    assertRefused(await runBriefs(['backup', at('none')], empty), /There is no data in/);
    assert.ok(!existsSync(at('none')) && !existsSync(at('empty')));
    assertRefused(
      await runBriefs(['backup', at('no/such/directory/file')], source),
      /no folder .*no\/such\/directory/,
    );
  });

  it('into a folder: verified, the newest remain, and metrics say when', async () => {
    const folder = at('nightly');
    mkdirSync(folder);
    const old = ['briefs-20250101T031500Z.tar', 'briefs-20250102T031500Z.tar', 'ours.tar'];
    for (const name of old) writeFileSync(join(folder, name), 'earlier');
    assertRefused(await runBriefs(['backup', '--into', at('nowhere')], source), /no folder/);
    const said = await succeed(['backup', '--into', folder, '--keep', '2'], source);
    assert.match(
      said,
      /and verified it \(bytes: \d+\)\.\nRemoved briefs-20250101T031500Z\.tar\.\n$/,
    );
    const [second, made, other] = readdirSync(folder).sort();
    assert.deepEqual([second, other], [old[1], old[2]]);
    await succeed(['backup', 'verify', join(folder, made as string)], source);
    const [metricsPort] = await freePorts(1);
    const metered = await startServe({ ...source, METRICS_PORT: String(metricsPort) });
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await metered.kill('SIGTERM');
    const [, seconds] = /^briefs_last_backup_timestamp_seconds ([\d.e+]+)$/m.exec(metrics) ?? [];
    assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 600, metrics);
    const { code } = await runBriefs(['backup', '--into', folder, '--keep', '0'], source);
    assert.equal(code, 2);
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
      await until('the new database', () => readdirSync(target.DATA_DIR).some(isStaging));
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
    const rewrite = (name: string, change: (path: string, text: string) => string) =>
      rewritten(at('good.backup'), at(name), change);
    await rewrite('dangling', (path, text) =>
      path.startsWith('rows/owner/') ? OTHER_OWNER : text,
    );
    await rewrite('newer', (path, text) =>
      path === 'briefs.json' ? text.replace('"001-tables"', '"001-tables","999-future"') : text,
    );
    await rewrite('odd', (path, text) =>
      path.startsWith('rows/owner/') ? text.replaceAll('"namespace"', '"name"') : text,
    );
    await rewrite('refused', (path, text) =>
      path.startsWith('rows/owner/') ? text.replaceAll('"user"', '"robot"') : text,
    );

    for (const [file, message] of [
      ['zeroed', /damaged/],
      ['cut', /damaged/],
      ['text', /a Briefs backup/],
      ['nothing', /a Briefs backup/],
      ['dangling', /damaged: rows of \w+ refer to missing ones/],
      ['newer', /another version of Briefs .*999-future/],
      ['odd', /rows\/owner\/000001.jsonl has other rows than those of the table owner/],
      ['refused', /rows\/owner\/000001.jsonl can’t be restored: .*owner_type/],
      ['missing', /no file/],
      ['.', /./],
    ] as const) {
      assertRefused(await runBriefs(['restore', at(file), '--force'], target), message);
      assert.deepEqual(databaseState(target.DATA_DIR), state, file);
      assert.deepEqual(readdirSync(target.DATA_DIR).filter(isStaging), []);
    }
    const fresh = { DATA_DIR: at('fresh') };
    assertRefused(await runBriefs(['restore', at('zeroed')], fresh), /damaged/);
    // Nothing was restored.
    assertRefused(await runBriefs(['users', 'list'], fresh), /There is no data/);
  });

  it('verify and restore: refuse and name unexpected entries', async () => {
    await succeed(['backup', at('own.backup')], source);
    mkdirSync(at('own-files'));
    extract({ file: at('own.backup'), cwd: at('own-files'), sync: true });
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
