import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { create, extract, list } from 'tar';
import { newChance } from '../../../test/chance.ts';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { type Outcome, runBriefs, startBriefs, succeed } from '../../../test/process.ts';
import { namedBlobs, storedBlobs, storedBytes } from '../../../test/storage/stored.ts';
import { blobDirectory, diskBlobStore } from '../blob/disk.ts';
import { verifyBackup } from './backup.ts';
import { restore } from './restore.ts';

const BRIEFS = fileURLToPath(new URL('../../../../bin/briefs.js', import.meta.url));

describe('Backup and restore of stored content', async () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const at = (name: string) => join(home, name);
  const source = { DATA_DIR: at('source') };

  mkdirSync(source.DATA_DIR);
  const service = await startService(source);
  const ada = await service.user('ada');
  for (const [name, html] of Object.entries({ empty: '', small: 'é', large: 'x'.repeat(3e6) })) {
    await ada.post('/user/pages', { html, name, visibility: 'private' });
  }
  // A proposal whose text is too large for the database.
  await ada.post('/user/briefs', { name: 'plan', content: 'Short.\n' });
  const content = newChance('proposal').bytes(80_000).toString('base64');
  const proposal = { edits: [{ op: 'append', content }], propose: true };
  assert.equal((await ada.post('/briefs/ada/plan/edits', proposal)).status, 201);
  for (const bytes of [PNG, Buffer.alloc(5_000_000, 'y'), Buffer.alloc(0)]) {
    const form = uploadForm({ bytes, name: 'a file' });
    assert.equal((await ada.request('/user/files', { method: 'POST', ...form })).status, 201);
  }
  after(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function assertRefused({ code, stdout, stderr }: Outcome, message: RegExp): void {
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    assert.match(stderr, /^briefs: [^\n]+\n$/);
  }

  /** A backup that is unpacked, changed and packed again. */
  async function tampered(backup: string, change: (root: string) => void): Promise<string> {
    const root = mkdtempSync(join(home, 'unpacked-'));
    await extract({ file: backup, cwd: root });
    change(root);
    const file = `${root}.backup`;
    await create({ file, cwd: root, portable: true }, readdirSync(root));
    return file;
  }

  function restoreTo(dataDir: string, file: string, replace: boolean) {
    const blobs = diskBlobStore(blobDirectory(dataDir));
    return restore({ dataDir, database: undefined, blobs, shownAs: dataDir }, file, { replace });
  }

  it('a backup without space leaves nothing behind', async () => {
    // Space for some of the content, in blocks of 512 bytes.
    const limited = ['-c', 'ulimit -f 8192; exec "$@"', 'sh', process.execPath, BRIEFS];
    const { status, stderr } = spawnSync('sh', [...limited, 'backup', at('cut-short')], {
      env: { PATH: process.env.PATH, ...source },
      encoding: 'utf8',
    });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^briefs: [^\n]+\n$/);
    assert.deepEqual(
      readdirSync(home).filter((name) => name.startsWith('cut-short')),
      [],
    );
  });

  it('restores every blob exactly, and no unreferenced ones', async () => {
    writeFileSync(join(source.DATA_DIR, 'blobs/pages/stray.html'), 'unnamed');
    await succeed(['backup', at('quiet')], source);
    const restored = { DATA_DIR: at('restored') };
    await succeed(['restore', at('quiet')], restored);
    const named = namedBlobs(source.DATA_DIR);
    assert.equal(named.length, 7);
    assert.deepEqual(storedBlobs(restored.DATA_DIR), named);
    for (const key of named) {
      assert.ok(storedBytes(restored.DATA_DIR, key).equals(storedBytes(source.DATA_DIR, key)), key);
    }
    rmSync(join(source.DATA_DIR, 'blobs/pages/stray.html'));
    const left = readdirSync(source.DATA_DIR).filter((name) => name.startsWith('briefs-'));
    assert.deepEqual(left, []);

    const other = await startService(restored);
    try {
      const client = other.client(ada.token);
      assert.equal((await client.get('/pages/ada/small')).data.html, 'é');
      const { data } = await client.get('/user/files');
      for (const { url, sizeBytes } of data) {
        assert.equal((await (await fetch(url)).arrayBuffer()).byteLength, sizeBytes);
      }
    } finally {
      await other.stop();
    }
  });

  it('replaces blobs with the data, and keeps no old ones', async () => {
    const target = { DATA_DIR: at('target') };
    mkdirSync(target.DATA_DIR);
    const old = await startService(target);
    const grace = await old.user('grace');
    await grace.post('/user/pages', { html: 'old', name: 'old' });
    await old.stop();
    const before = storedBlobs(target.DATA_DIR);
    assert.equal(before.length, 1);
    assertRefused(await runBriefs(['restore', at('quiet')], target), /--force/);
    assert.deepEqual(storedBlobs(target.DATA_DIR), before);
    await succeed(['restore', at('quiet'), '--force'], target);
    assert.deepEqual(storedBlobs(target.DATA_DIR), namedBlobs(source.DATA_DIR));
  });

  it('a backup during constant writes is consistent', async () => {
    let writing = true;
    let writes = 0;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const name = `page-${writer}`;
      await ada.post('/user/pages', { html: '0 ', name });
      for (let count = 1; writing; count++) {
        const html = `${count} `.repeat(1 + ((count * 797) % 20_000));
        assert.equal((await ada.patch(`/pages/ada/${name}`, { html })).status, 200);
        if (count % 5 === 0) {
          await ada.delete(`/pages/ada/${name}`);
          await ada.post('/user/pages', { html: '0 ', name });
        }
        writes++;
      }
    });
    try {
      for (let round = 0; round < 3; round++) {
        const target = writes + 10;
        while (writes < target) await new Promise((resolve) => setTimeout(resolve, 5));
        await succeed(['backup', at(`busy-${round}`)], source);
      }
    } finally {
      writing = false;
      await Promise.all(writers);
    }
    for (let round = 0; round < 3; round++) {
      const restored = { DATA_DIR: at(`busy-restored-${round}`) };
      await succeed(['restore', at(`busy-${round}`)], restored);
      assert.deepEqual(storedBlobs(restored.DATA_DIR), namedBlobs(restored.DATA_DIR));
      const other = await startService(restored);
      try {
        const client = other.client(ada.token);
        const { data } = await client.get('/user/pages');
        for (const { name, sizeBytes } of data) {
          const { html } = (await client.get(`/pages/ada/${name}`)).data;
          assert.equal(Buffer.byteLength(html), sizeBytes);
          if (name.startsWith('page-')) {
            const [version = ''] = html.split(' ', 1);
            assert.ok(html === `${version} `.repeat(html.length / (version.length + 1)));
          }
        }
      } finally {
        await other.stop();
      }
    }
  });

  it('verify: an undamaged backup, from a file or standard input', async () => {
    await succeed(['backup', at('sound')], source);
    const { size } = statSync(at('sound'));
    const outcome = await succeed(['backup', 'verify', at('sound')], {});
    assert.match(outcome, /sound is undamaged \(files: \d+, bytes: \d+\)\.\n$/);
    assert.ok(Number(/bytes: (\d+)/.exec(outcome)?.[1]) > size / 2, outcome);
    const input = openSync(at('sound'), 'r');
    const piped = spawnSync(process.execPath, [BRIEFS, 'backup', 'verify', '-'], {
      stdio: [input, 'pipe', 'inherit'],
    });
    closeSync(input);
    assert.equal(piped.status, 0);
    assertRefused(await runBriefs(['backup', 'verify', at('none')]), /There is no file .*none/);
    writeFileSync(at('text'), 'not a backup\n'.repeat(500));
    assertRefused(await runBriefs(['backup', 'verify', at('text')]), /a Briefs backup/);
  });

  it('with one flipped bit in its content, verify and restore name the damaged entry', async () => {
    await succeed(['backup', at('intact')], source);
    const intact = readFileSync(at('intact'));
    const entries: { path: string; start: number; size: number }[] = [];
    let start = 0;
    await list({
      file: at('intact'),
      onReadEntry: ({ path, size, header }) => {
        start += 512;
        entries.push({ path, start, size });
        start += Math.ceil(size / 512) * 512;
        assert.equal(header.cksumValid, true);
      },
    });
    const [origin] = entries;
    const rows = entries.find(({ path }) => path === 'rows/stored_document/000001.jsonl');
    const largest = entries.reduce((a, b) => (a.size >= b.size ? a : b));
    const checksums = entries.at(-1);
    assert.deepEqual([origin?.path, checksums?.path], ['briefs.json', 'checksums.json']);
    assert.ok(largest.path.startsWith('blobs/'), largest.path);
    const target = { DATA_DIR: at('flipped') };
    for (const { path, start, size } of [origin, rows, largest, checksums] as typeof entries) {
      const flipped = Buffer.from(intact);
      const at70Percent = start + Math.floor(size * 0.7);
      flipped[at70Percent] = (flipped[at70Percent] ?? 0) ^ 0x10;
      writeFileSync(at('flipped.backup'), flipped);
      const message = new RegExp(`flipped.backup is damaged: ${path} doesn't match its checksum`);
      assertRefused(await runBriefs(['backup', 'verify', at('flipped.backup')]), message);
      assertRefused(await runBriefs(['restore', at('flipped.backup')], target), message);
      assert.deepEqual(readdirSync(target.DATA_DIR), []);
      const input = Readable.from([flipped]);
      await assert.rejects(verifyBackup(input), /standard input is damaged/);
    }
  });

  it('with a flipped bit anywhere, or truncated, a backup is refused', async () => {
    const small = { DATA_DIR: at('small') };
    await succeed(['users', 'create', 'grace', '--email', 'grace@example.com'], small);
    await succeed(['backup', at('small.backup')], small);
    const intact = readFileSync(at('small.backup'));
    const whole = await verifyBackup(Readable.from([intact]));
    const end = intact.length - 1024;
    for (let place = 0; place < end; place += 3) {
      const flipped = Buffer.from(intact);
      flipped[place] = (flipped[place] ?? 0) ^ 1;
      const outcome = await verifyBackup(Readable.from([flipped])).catch(({ message }) => message);
      // Padding and the last bytes of a header's checksum are never read.
      if (typeof outcome !== 'string') assert.deepEqual(outcome, whole, `${place}`);
      else assert.match(outcome, /damaged|isn’t part of a backup/, `${place}`);
    }
    for (let length = 0; length < end; length += 100) {
      const cut = Readable.from([intact.subarray(0, length)]);
      await assert.rejects(verifyBackup(cut), /damaged/, `${length}`);
    }
  });

  it('to standard output, and restored from standard input', async () => {
    const output = openSync(at('streamed'), 'wx');
    const { ended } = startBriefs(['backup', '-'], source, '', output);
    const { code, stderr } = await ended;
    closeSync(output);
    assert.deepEqual([code, stderr], [0, '']);
    const restored = { DATA_DIR: at('from-stream') };
    const input = openSync(at('streamed'), 'r');
    const { status } = spawnSync(process.execPath, [BRIEFS, 'restore', '-'], {
      stdio: [input, 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, ...restored },
    });
    closeSync(input);
    assert.equal(status, 0);
    // The source may have packed older texts meanwhile.
    assert.deepEqual(storedBlobs(restored.DATA_DIR), namedBlobs(restored.DATA_DIR));
    const nowhere = await startBriefs(['backup', '-'], { DATA_DIR: at('nowhere') }).ended;
    assertRefused(nowhere, /There is no data in/);
  });

  const otherDevice = ['/dev/shm', '/var/tmp'].find(
    (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
  );
  it('to another file system', { skip: otherDevice === undefined }, async () => {
    const elsewhere = mkdtempSync(join(otherDevice as string, 'briefs-test-'));
    try {
      await succeed(['backup', join(elsewhere, 'a.backup')], source);
      assert.deepEqual(readdirSync(elsewhere), ['a.backup']);
      await succeed(['backup', 'verify', join(elsewhere, 'a.backup')], {});
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('with a blob missing, shortened or lengthened: is refused, and nothing is replaced', async () => {
    const key = namedBlobs(source.DATA_DIR).find(
      (each) => storedBytes(source.DATA_DIR, each).length > 1_000_000,
    ) as string;
    const changes: Record<string, (path: string) => void> = {
      missing: (path) => rmSync(path),
      shortened: (path) => truncateSync(path, 1_000),
      emptied: (path) => truncateSync(path, 0),
      lengthened: (path) => truncateSync(path, 6_000_000),
      'a directory': (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    };
    await succeed(['backup', at('whole')], source);
    for (const [what, change] of Object.entries(changes)) {
      const target = { DATA_DIR: at(`refused-${what.replace(' ', '-')}`) };
      const listed = await tampered(at('whole'), (root) => change(join(root, 'blobs', key)));
      const message = new RegExp(
        `is damaged: blobs/${key} (is missing|has \\d+ bytes, not \\d+)\\.`,
      );
      await assert.rejects(verifyBackup(listed), message);
      await assert.rejects(restoreTo(target.DATA_DIR, listed, false), message);
      assert.deepEqual(storedBlobs(target.DATA_DIR), [], what);
      assert.deepEqual(
        readdirSync(target.DATA_DIR).filter((name) => name !== 'blobs'),
        [],
        what,
      );
      // Over existing data, which must not change.
      const kept = { DATA_DIR: at('restored') };
      await assert.rejects(restoreTo(kept.DATA_DIR, listed, true), message);
      assert.deepEqual(storedBlobs(kept.DATA_DIR), namedBlobs(kept.DATA_DIR));
    }
  });

  it('that writes elsewhere, or is truncated: is refused', async () => {
    const root = mkdtempSync(join(home, 'hostile-'));
    await extract({ file: at('quiet'), cwd: root });
    mkdirSync(join(root, 'inner'));
    writeFileSync(join(root, 'escape'), 'out');
    const file = at('hostile.backup');
    await create({ file, cwd: join(root, 'inner'), portable: true, preservePaths: true }, [
      '../escape',
    ]);
    const target = { DATA_DIR: at('hostile-target') };
    assertRefused(await runBriefs(['restore', file], target), /"..\/escape", which isn’t part/);
    assert.deepEqual(readdirSync(target.DATA_DIR), []);

    const cut = await tampered(at('quiet'), () => {});
    truncateSync(cut, 200_000);
    const outcome = await runBriefs(['restore', cut], target);
    assertRefused(outcome, /isn’t a Briefs backup|is damaged/);
    assert.deepEqual(readdirSync(target.DATA_DIR), []);
  });
});
