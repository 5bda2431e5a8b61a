import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { uploadForm } from '../../../test/files/samples.ts';
import { startService } from '../../../test/harness.ts';
import { runBriefs, succeed } from '../../../test/process.ts';
import { namedBlobs, storedBlobs } from '../../../test/storage/stored.ts';

const HOURS = 60 * 60_000;

describe('briefs storage sweep', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const settings = { DATA_DIR: dataDir };

  const service = await startService(settings);
  const ada = await service.user('ada');
  await ada.post('/user/pages', { html: 'kept', name: 'kept' });
  const form = uploadForm({ bytes: 'kept', name: 'kept.txt' });
  await ada.request('/user/files', { method: 'POST', ...form });
  for (const key of namedBlobs(dataDir)) age(key, 100);
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function age(key: string, hours: number): void {
    const then = new Date(Date.now() - hours * HOURS);
    utimesSync(join(dataDir, 'blobs', key), then, then);
  }

  function leave(key: string, hours: number): void {
    const path = join(dataDir, 'blobs', key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'left behind');
    age(key, hours);
  }

  const sweep = (...args: string[]) => succeed(['storage', 'sweep', ...args], settings);

  it('removes unused blobs older than an hour, and unfinished files', async () => {
    const named = namedBlobs(dataDir);
    leave('pages/aa/old.html', 2);
    leave('pages/aa/old.html.0000.partial', 2);
    leave('files/bb/old', 2);
    leave('stray', 48);
    leave('pages/aa/young.html', 0.5);
    leave('files/bb/young.0000.partial', 0);
    assert.equal(await sweep(), 'Removed 4 unused blobs.\n');
    const young = ['files/bb/young.0000.partial', 'pages/aa/young.html'];
    assert.deepEqual(storedBlobs(dataDir), [...named, ...young].sort());
    assert.equal(await sweep('--older-than', '20m'), 'Removed 1 unused blobs.\n');
    assert.equal(await sweep('--older-than', '1ms'), 'Removed 1 unused blobs.\n');
    assert.deepEqual(storedBlobs(dataDir), named);
  });

  it('keeps used blobs of any age, while the service runs', async () => {
    assert.equal(await sweep('--older-than', '1ms'), 'Removed 0 unused blobs.\n');
    assert.equal((await ada.get('/pages/ada/kept')).data.html, 'kept');
    const [file] = (await ada.get('/user/files')).data;
    assert.equal(await (await fetch(file.url)).text(), 'kept');
  });

  it('removes many at once', async () => {
    const named = namedBlobs(dataDir);
    for (let count = 0; count < 1_203; count++) leave(`pages/${count % 7}/${count}.html`, 3);
    assert.equal(await sweep(), 'Removed 1203 unused blobs.\n');
    assert.deepEqual(storedBlobs(dataDir), named);
  });

  it('refuses an invalid age', async () => {
    const before = storedBlobs(dataDir);
    for (const span of ['', 'x', '-1h', '1']) {
      const { code } = await runBriefs(['storage', 'sweep', '--older-than', span], settings);
      assert.equal(code, 2, span);
    }
    assert.deepEqual(storedBlobs(dataDir), before);
  });

  it('does nothing without blobs', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    try {
      await succeed(['migrate'], { DATA_DIR: empty });
      const said = await succeed(['storage', 'sweep'], { DATA_DIR: empty });
      assert.equal(said, 'Removed 0 unused blobs.\n');
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  });
});

describe('briefs signing-key rotate', () => {
  it('works while the service runs: old addresses keep working, or end at once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    const service = await startService({ DATA_DIR: dataDir });
    try {
      const ada = await service.user('ada');
      await ada.post('/user/pages', { html: 'x', name: 'x', visibility: 'private' });
      const sign = async () => (await ada.get('/pages/ada/x/render-url')).data.url;
      const statusOf = async (url: string) => (await fetch(url)).status;
      const first = await sign();
      await succeed(['signing-key', 'rotate'], { DATA_DIR: dataDir });
      assert.equal(await statusOf(first), 200);
      const second = await sign();
      await succeed(['signing-key', 'rotate', '--revoke'], { DATA_DIR: dataDir });
      assert.deepEqual([await statusOf(first), await statusOf(second)], [404, 404]);
      assert.equal(await statusOf(await sign()), 200);
    } finally {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
