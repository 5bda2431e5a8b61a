import { strict as assert } from 'node:assert';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { create, extract, Header } from 'tar';
import { ArchiveWriter } from '../../src/storage/backup/archive.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { runBriefs, succeed } from '../process.ts';
import { STACK } from '../stack.ts';

const PRECIOUS = 'precious, and nobody’s business';

describe('A hostile backup', { skip: STACK !== 'embedded' }, () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const at = (name: string) => join(home, name);
  /** A valid backup with one page, unpacked. */
  const good = at('good');
  let count = 0;

  before(async () => {
    const settings = { DATA_DIR: at('source') };
    const service = await startService(settings);
    const ada = await service.user('ada');
    await ada.post('/user/pages', { html: 'x'.repeat(Buffer.byteLength(PRECIOUS)), name: 'page' });
    await service.stop();
    await succeed(['backup', at('good.backup')], settings);
    mkdirSync(good);
    extract({ file: at('good.backup'), cwd: good, sync: true });
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  /** A folder to restore to, beside a file that the archive must not reach. */
  function newPlace(): { dataDir: string; victim: string } {
    const place = at(`place-${++count}`);
    mkdirSync(place);
    writeFileSync(join(place, 'victim'), PRECIOUS);
    return { dataDir: join(place, 'data'), victim: join(place, 'victim') };
  }

  it('whose rows name a file outside as content is refused, and nothing changes', async () => {
    const { dataDir, victim } = newPlace();
    const { length } = readFileSync(victim);
    const keys = ['../../victim', '../../../victim', victim, 'blobs/../../../../victim'];
    const path = readdirSync(join(good, 'rows/stored_document'))[0] as string;
    const line = readFileSync(join(good, 'rows/stored_document', path), 'utf8');
    for (const key of [...keys, '/etc/hostname', 'pages\\..\\..\\victim', 'pages/a\n', '']) {
      const row = { ...JSON.parse(line), storagePath: key, sizeBytes: length };
      const archive = at('hostile.backup');
      await rewritten(good, archive, { [`rows/stored_document/${path}`]: JSON.stringify(row) });
      const outcome = await runBriefs(['restore', archive], { DATA_DIR: dataDir });
      assert.equal(outcome.code, 1, `${key}`);
      assert.match(outcome.stderr, /^briefs: .*is damaged: it names [^\n]*\n$/, `${key}`);
      assert.deepEqual(readdirSync(dataDir), [], `${key}`);
      assert.equal(readFileSync(victim, 'utf8'), PRECIOUS);
    }
  });

  it('with links or other entries that aren’t content is refused, and nothing is restored', async () => {
    for (const [path, type] of [
      ['blobs/pages/link', 'SymbolicLink'],
      ['blobs/files', 'SymbolicLink'],
      ['blobs/pages/hard', 'Link'],
      ['blobs/pages/device', 'CharacterDevice'],
      ['blobs/pages/pipe', 'FIFO'],
      ['blobs/UPPER', 'File'],
      ['blobs/.hidden', 'File'],
      ['rows/stored_document/1.jsonl', 'File'],
      ['rows/../../000001.jsonl', 'File'],
      ['notes.txt', 'File'],
      ['briefs.db-wal', 'File'],
    ] as const) {
      const { dataDir, victim } = newPlace();
      const archive = at('entries.backup');
      create({ file: archive, cwd: good, sync: true, portable: true }, [
        'briefs.json',
        'blobs',
        'rows',
        'checksums.json',
      ]);
      const target = type.endsWith('Link') ? victim : undefined;
      addEntries(archive, [entry(path, type, target)]);
      const outcome = await runBriefs(['restore', archive], { DATA_DIR: dataDir });
      assert.equal(outcome.code, 1, path);
      assert.match(outcome.stderr, /^briefs: [^\n]*, which isn.t part of a backup\.\n$/);
      assert.ok(outcome.stderr.includes(JSON.stringify(path)), outcome.stderr);
      assert.deepEqual(readdirSync(dataDir), [], path);
      assert.equal(readFileSync(victim, 'utf8'), PRECIOUS);
      assert.equal(statSync(victim).nlink, 1);
    }
  });

  it('with entries outside its folder writes nothing there', async () => {
    for (const path of ['../escaped', '../../escaped', 'blobs/../../../escaped', at('escaped')]) {
      const { dataDir } = newPlace();
      const archive = at('escaping.backup');
      create({ file: archive, cwd: good, sync: true, portable: true }, [
        'briefs.json',
        'blobs',
        'rows',
        'checksums.json',
      ]);
      addEntries(archive, [entry(path, 'File')]);
      await runBriefs(['restore', archive], { DATA_DIR: dataDir });
      const everything = readdirSync(home, { recursive: true }).map(String);
      assert.deepEqual(
        everything.filter((name) => name.endsWith('escaped')),
        [],
        path,
      );
      assert.ok(!existsSync(join(home, '..', 'escaped')));
    }
  });
});

describe('A database that names outside files as content', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const victim = join(dataDir, 'victim');
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService({ DATA_DIR: dataDir });
    ada = await service.user('ada');
    writeFileSync(victim, PRECIOUS);
  });
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  for (const key of ['../victim', victim, 'pages/../../victim']) {
    it(`reads and deletes none of them: ${key === victim ? 'an absolute path' : key}`, async () => {
      const { data } = await ada.post('/user/pages', { html: '<title>own</title>', name: 'own' });
      await service.app.context.sql.transaction((tx) =>
        tx
          .updateTable('stored_document')
          .set({ storagePath: key, sizeBytes: Buffer.byteLength(PRECIOUS) })
          .where('id', '=', data.id)
          .execute(),
      );
      for (const answer of [
        await ada.get('/pages/ada/own'),
        await ada.request('/pages/ada/own', { method: 'PATCH', body: '{"name":"own"}' }),
      ]) {
        assert.ok(!answer.text.includes('precious'), answer.text);
      }
      const raw = await fetch(`${service.renderUrl}/ada/own`).catch(() => undefined);
      assert.ok(!(await raw?.text().catch(() => ''))?.includes('precious'));
      assert.equal((await ada.delete('/pages/ada/own')).status, 204);
      assert.equal(readFileSync(victim, 'utf8'), PRECIOUS);
    });
  }
});

/** Writes an unpacked archive anew, with other rows and right checksums. */
async function rewritten(
  root: string,
  file: string,
  others: Record<string, string>,
): Promise<void> {
  const archive = new ArchiveWriter(createWriteStream(file));
  const all = readdirSync(root, { recursive: true }).map(String).sort();
  for (const path of all) {
    if (path === 'checksums.json' || statSync(join(root, path)).isDirectory()) continue;
    await archive.add(path, Buffer.from(others[path] ?? readFileSync(join(root, path))));
  }
  await archive.end(new Set());
}

/** Appends entries to an archive, before its final zero blocks. */
function addEntries(archive: string, entries: Buffer[]): void {
  const content = readFileSync(archive);
  let end = content.length;
  while (end >= 512 && content.subarray(end - 512, end).every((byte) => byte === 0)) end -= 512;
  const ending = Buffer.alloc(1024);
  writeFileSync(archive, Buffer.concat([content.subarray(0, end), ...entries, ending]));
}

/** The header of an entry without content. */
function entry(path: string, type: string, linkpath = ''): Buffer {
  const header = Buffer.alloc(512);
  new Header({ path, type: type as never, linkpath, size: 0, mode: 0o644 }).encode(header);
  return header;
}
