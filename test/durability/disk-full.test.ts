import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePorts } from '../free-ports.ts';
import { ask } from '../installation.ts';
import { createUser, runBriefs, type ServeProcess, startServe, succeed } from '../process.ts';
import { STACK } from '../stack.ts';
import { until } from '../until.ts';

const MB = 1024 * 1024;
const home = mkdtempSync(join(tmpdir(), 'briefs-full-'));

/** Mounts a small file system. @returns why it can't, if so */
function mountMissing(): string | false {
  if (STACK !== 'embedded') return 'the disk is that of the embedded back ends';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', home], { stdio: 'pipe' });
    return false;
  } catch {
    return 'this user may not mount a file system';
  }
}

const SKIP = mountMissing();
after(() => {
  if (!SKIP) execFileSync('umount', ['--lazy', home]);
  rmSync(home, { recursive: true, force: true });
});

describe('A full disk', { skip: SKIP }, async () => {
  const filler = join(home, 'filler');
  const dataDir = join(home, 'data');
  let service: ServeProcess;
  let metricsUrl: string;

  async function start(): Promise<void> {
    const [metricsPort] = await freePorts(1);
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    service = await startServe({ DATA_DIR: dataDir, METRICS_PORT: String(metricsPort) });
  }

  mkdirSync(dataDir, { mode: 0o700 });
  await start();
  const token = await createUser(dataDir, 'ada');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  after(() => service?.kill('SIGTERM'));

  const write = (name: string, bytes = 800 * 1024) =>
    ask(`${service.baseUrl}/user/briefs`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name, content: 'x'.repeat(bytes) }),
    });
  const written: string[] = [];

  /** Fills the remaining space, like another program. */
  function fillDisk(): void {
    for (const bytes of [MB, 4096, 1]) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
      } catch {
        // It is full to within this many bytes.
      }
    }
  }

  it('is reported by a warning, a metric and the readiness check', async () => {
    assert.equal((await ask(`${service.webUrl}/readyz`)).status, 200);
    // As large as the database, so that its log can't be copied into it.
    for (;;) {
      const name = `text-${written.length}`;
      const { status } = await write(name);
      if (status === 503) break;
      assert.equal(status, 201);
      written.push(name);
    }
    await until(
      'it is not ready',
      async () => (await ask(`${service.webUrl}/readyz`)).status === 503,
    );
    fillDisk();
    await until('it says why', async () =>
      /The disk is full/.test((await ask(`${service.webUrl}/readyz`)).text),
    );
    const free = /^briefs_disk_free_bytes (\S+)$/m.exec(await (await fetch(metricsUrl)).text());
    assert.ok(Number(free?.[1]) < 64 * MB, `free: ${free?.[1]}`);
  });

  it('many refused writes log few lines', async () => {
    fillDisk();
    // What the refused write left behind in the log has room for a few small ones.
    for (let name = 0; (await write(`small-${name}`, 10)).status === 201; name += 1) {
      assert.ok(name < 100);
    }
    for (let times = 0; times < 300; times += 1) {
      assert.equal((await write(`more-${times}`, 10)).status, 503);
    }
    const lines = service
      .stdout()
      .split('\n')
      .filter((line) => /request failed/.test(line));
    assert.ok(lines.length > 0 && lines.length < 10, `${lines.length} lines`);
  });

  it('says so, and data can be read', async () => {
    fillDisk();
    const { status, text } = await write('one-more');
    assert.equal(status, 503);
    assert.match(text, /"The disk of the service is full, so nothing can be saved\./);
    for (const name of written) {
      const read = await ask(`${service.baseUrl}/briefs/ada/${name}`, { headers });
      assert.equal(read.status, 200);
    }
  });

  it('a service that starts meanwhile lets people read, and data can be backed up', async () => {
    await service.kill('SIGTERM');
    fillDisk();
    const elsewhere = mkdtempSync(join(tmpdir(), 'briefs-backup-'));
    try {
      const backup = join(elsewhere, 'backup.tar');
      await succeed(['backup', backup], { DATA_DIR: dataDir });
      await succeed(['backup', 'verify', backup], { DATA_DIR: dataDir });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
    await start();
    assert.match((await ask(`${service.webUrl}/readyz`)).text, /The disk is full/);
    for (const name of written) {
      const read = await ask(`${service.baseUrl}/briefs/ada/${name}`, { headers });
      assert.equal(read.status, 200);
    }
    const { status, text } = await write('one-more', 10);
    assert.equal(status, 503);
    assert.match(text, /"The disk of the service is full, so nothing can be saved\./);
    const refused = await runBriefs(['users', 'disable', 'ada'], { DATA_DIR: dataDir });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^briefs: [^\n]*disk is full/);
  });

  it('a database that does not exist yet is refused', async () => {
    const empty = join(home, 'empty');
    const outcome = await runBriefs(['serve'], { DATA_DIR: empty, LOG_LEVEL: 'silent' });
    assert.equal(outcome.code, 2);
    assert.match(outcome.stderr, /^briefs: DATA_DIR: [^\n]*full[^\n]*\n$/);
    rmSync(empty, { recursive: true });
  });

  it('writes and deletes work again once there is space', async () => {
    rmSync(filler);
    execFileSync('mount', ['-o', 'remount,size=256m', home]);
    await until('writes work', async () => (await write('after')).status === 201);
    await until('it is ready', async () => (await ask(`${service.webUrl}/readyz`)).status === 200);
    const read = await ask(`${service.baseUrl}/briefs/ada/after`, { headers });
    assert.equal(read.status, 200);
    const { authorization = '' } = headers;
    const removed = await ask(`${service.baseUrl}/briefs/ada/after`, {
      method: 'DELETE',
      headers: { authorization },
    });
    assert.equal(removed.status, 204);
  });
});
