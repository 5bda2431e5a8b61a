import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { BlobStoreUnavailable } from './blob.ts';
import { from, itIsABlobStore, keysOf, textOf } from './blob-contract.testing.ts';
import { blobDirectory, diskBlobStore } from './disk.ts';

describe('The blob store on the disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const root = blobDirectory(dataDir);
  const store = diskBlobStore(root);
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  itIsABlobStore(() => store);

  it('reads and deletes nothing outside its folder, and lists only keys', async () => {
    const victim = join(dataDir, 'victim');
    writeFileSync(victim, 'precious');
    writeFileSync(join(root, 'NOTES'), 'of the operator');
    assert.equal(await store.read('../victim'), undefined);
    assert.equal(await store.read(victim), undefined);
    await store.delete('../victim');
    await store.delete('NOTES');
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
    assert.ok(!(await keysOf(store)).includes('NOTES'));
    assert.equal(readFileSync(join(root, 'NOTES'), 'utf8'), 'of the operator');
  });

  it('stores nothing if it can’t write', async () => {
    mkdirSync(join(root, 'pages'), { recursive: true });
    writeFileSync(join(root, 'pages/file'), '');
    await assert.rejects(store.write('pages/file/x.html', from('x')));
    assert.equal(await store.read('pages/file/x.html'), undefined);
    await store.delete('pages/file');
  });

  it('is unavailable if the disk fails during a read', async () => {
    mkdirSync(join(root, 'pages/ee'), { recursive: true });
    // A file that can be opened; reading its start is an I/O error.
    symlinkSync('/proc/self/mem', join(root, 'pages/ee/unreadable.html'));
    await assert.rejects(textOf(store, 'pages/ee/unreadable.html'), BlobStoreUnavailable);
  });

  it('also lists unfinished files, so that a sweep finds them', async () => {
    const bytes = new PassThrough();
    bytes.write('half');
    const writing = store.write('pages/cc/half.html', bytes);
    const isListed = (key: string) => key.startsWith('pages/cc/half.html.');
    while (!(await keysOf(store)).some(isListed)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(await store.read('pages/cc/half.html'), undefined);
    bytes.end(' and half');
    await writing;
    assert.equal(await textOf(store, 'pages/cc/half.html'), 'half and half');
    assert.ok(!(await keysOf(store)).some(isListed));
  });

  it('is available if it could write, even before its folder exists', async () => {
    await diskBlobStore(join(dataDir, 'not/yet/there')).ping();
    await assert.rejects(diskBlobStore(join(dataDir, 'blobs/pages/cc/half.html/x')).ping());
  });

  it('is unavailable without write permission', async () => {
    chmodSync(root, 0o500);
    // Root may write anywhere, so a process of nobody asks.
    const program = `
      import { diskBlobStore } from ${JSON.stringify(import.meta.resolve('./disk.js'))};
      if (process.getuid?.() === 0) process.setuid(65534);
      await diskBlobStore(${JSON.stringify(root)}).ping();`;
    const asked = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    await assert.rejects(asked, /EACCES/);
    chmodSync(root, 0o700);
  });
});
