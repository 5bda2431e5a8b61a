import { strict as assert } from 'node:assert';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from '../harness.ts';
import { succeed } from '../process.ts';
import { type Observed, observe } from './observe.ts';

/** What `make.ts` wrote beside the data. */
interface Made {
  at: string;
  seen: Observed;
}

/** The data of each release, as a backup that it made, and what its users saw (`make.ts`). */
const RELEASES = fileURLToPath(new URL('../../../test/releases/', import.meta.url));
const releases = readdirSync(RELEASES).filter((name) => name.endsWith('.tar'));

describe('Data of earlier releases', () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  after(() => rmSync(home, { recursive: true, force: true }));

  it('is there', () => assert.ok(releases.length > 0));

  for (const archive of releases) {
    const release = archive.slice(0, -'.tar'.length);
    it(`of ${release} is taken over, and everybody sees what they saw`, async () => {
      const settings = { DATA_DIR: join(home, release) };
      const made: Made = JSON.parse(readFileSync(join(RELEASES, `${release}.json`), 'utf8'));
      await succeed(['restore', join(RELEASES, archive)], settings);
      // As if it were the day of the release: invitations end, and the trash is emptied.
      const ago = Date.now() - Date.parse(made.at);
      const now = () => new Date(Date.now() - ago).toISOString();
      const service = await startService(settings, { now });
      try {
        const seenNow = await observe(service);
        for (const [person, paths] of Object.entries(made.seen)) {
          for (const [path, seen] of Object.entries(paths)) {
            const of = `${person}: ${path}`;
            // Later versions may say more.
            assert.partialDeepStrictEqual({ of, seen: seenNow[person]?.[path] }, { of, seen });
          }
        }
      } finally {
        await service.stop();
      }
    });
  }
});

describe('The version', () => {
  const read = (path: string) => readFileSync(join(RELEASES, '../..', path), 'utf8');
  const { version } = JSON.parse(read('package.json'));

  it('is one for the service and the command line', () => {
    const lock = JSON.parse(read('package-lock.json'));
    assert.equal(JSON.parse(read('briefs-cli/package.json')).version, version);
    assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
  });

  it('has its data and its changes, if it is released', () => {
    const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? [];
    if (newest === 'Unreleased') return;
    assert.equal(newest, version);
    assert.ok(releases.includes(`${version}.tar`));
  });
});
