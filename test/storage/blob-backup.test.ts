import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { create, extract } from 'tar';
import { PNG, uploadForm } from '../files/samples.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { type Outcome, runBriefs, succeed } from '../process.ts';
import { namedBlobs, storedBlobs, storedBytes } from './stored.ts';

const BRIEFS = fileURLToPath(new URL('../../../bin/briefs.js', import.meta.url));

describe('Backup and restore of stored content', () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const at = (name: string) => join(home, name);
  const source = { DATA_DIR: at('source') };
  let service: Service;
  let ada: Client;

  before(async () => {
    mkdirSync(source.DATA_DIR);
    service = await startService(source);
    ada = await service.user('ada');
    for (const [name, html] of Object.entries({ empty: '', small: 'é', large: 'x'.repeat(3e6) })) {
      await ada.post('/user/pages', { html, name, visibility: 'private' });
    }
    for (const bytes of [PNG, Buffer.alloc(5_000_000, 'y'), Buffer.alloc(0)]) {
      const form = uploadForm({ bytes, name: 'a file' });
      assert.equal((await ada.request('/user/files', { method: 'POST', ...form })).status, 201);
    }
  });
  after(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function assertRefused({ code, stdout, stderr }: Outcome, message: RegExp): void {
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    assert.match(stderr, /^briefs: [^\n]+\n$/);
  }

  /** The backup unpacked, changed and packed again. */
  async function tampered(backup: string, change: (root: string) => void): Promise<string> {
    const root = mkdtempSync(join(home, 'unpacked-'));
    await extract({ file: backup, cwd: root });
    change(root);
    const file = `${root}.backup`;
    await create({ file, cwd: root, portable: true }, readdirSync(root));
    return file;
  }

  it('a backup that finds no room leaves nothing behind', async () => {
    // Room for the database, not for the content: in blocks of 512 bytes.
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
    assert.deepEqual(
      readdirSync(source.DATA_DIR).filter((name) => name.startsWith('backup-')),
      [],
    );
  });

  it('brings back every blob, byte for byte, and nothing that no row names', async () => {
    writeFileSync(join(source.DATA_DIR, 'blobs/pages/stray.html'), 'unnamed');
    await succeed(['backup', at('quiet')], source);
    const restored = { DATA_DIR: at('restored') };
    await succeed(['restore', at('quiet')], restored);
    const named = namedBlobs(source.DATA_DIR);
    assert.equal(named.length, 6);
    assert.deepEqual(storedBlobs(restored.DATA_DIR), named);
    for (const key of named) {
      assert.ok(storedBytes(restored.DATA_DIR, key).equals(storedBytes(source.DATA_DIR, key)), key);
    }
    rmSync(join(source.DATA_DIR, 'blobs/pages/stray.html'));
    const left = readdirSync(source.DATA_DIR).filter((name) => /^(backup|restore)-/.test(name));
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

  it('replaces blobs with the data, and leaves none of the old ones', async () => {
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

  it('taken while pages are rewritten without a pause it is consistent', async () => {
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

  it('with a blob missing, shortened or lengthened is refused, and nothing is replaced', async () => {
    const key = namedBlobs(source.DATA_DIR).find(
      (each) => storedBytes(source.DATA_DIR, each).length > 1_000_000,
    ) as string;
    const changes: Record<string, (path: string) => void> = {
      missing: (path) => rmSync(path),
      shortened: (path) => truncateSync(path, 1_000),
      emptied: (path) => truncateSync(path, 0),
      lengthened: (path) => truncateSync(path, 20_000_000),
      'a directory': (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    };
    await succeed(['backup', at('whole')], source);
    for (const [what, change] of Object.entries(changes)) {
      const file = await tampered(at('whole'), (root) => change(join(root, 'blobs', key)));
      const target = { DATA_DIR: at(`refused-${what.replace(' ', '-')}`) };
      assertRefused(await runBriefs(['restore', file], target), /is damaged: .* is not whole/);
      assert.deepEqual(storedBlobs(target.DATA_DIR), [], what);
      assert.deepEqual(
        readdirSync(target.DATA_DIR).filter((name) => name !== 'blobs'),
        [],
        what,
      );
      // Over data that is there: it stays as it is.
      const kept = { DATA_DIR: at('restored') };
      assertRefused(await runBriefs(['restore', file, '--force'], kept), /is not whole/);
      assert.deepEqual(storedBlobs(kept.DATA_DIR), namedBlobs(kept.DATA_DIR));
    }
  });

  it('that would write elsewhere, or is cut off, is refused', async () => {
    const root = mkdtempSync(join(home, 'hostile-'));
    await extract({ file: at('quiet'), cwd: root });
    mkdirSync(join(root, 'inner'));
    writeFileSync(join(root, 'escape'), 'out');
    const file = at('hostile.backup');
    await create({ file, cwd: join(root, 'inner'), portable: true, preservePaths: true }, [
      '../escape',
    ]);
    const target = { DATA_DIR: at('hostile-target') };
    assertRefused(await runBriefs(['restore', file], target), /no backup of Briefs/);
    assert.deepEqual(readdirSync(target.DATA_DIR), []);

    const cut = await tampered(at('quiet'), () => {});
    truncateSync(cut, 200_000);
    const outcome = await runBriefs(['restore', cut], target);
    assertRefused(outcome, /is no backup of Briefs|is damaged/);
    assert.deepEqual(readdirSync(target.DATA_DIR), []);
  });
});
