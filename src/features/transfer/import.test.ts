import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { actorOf, refusal } from '../../../test/account/actors.ts';
import { type RawEnd, type RawEntry, rawZip, streamOf, zip } from '../../../test/document/zip.ts';
import { PNG } from '../../../test/files/samples.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { makeOrganization } from '../../../test/rest/scenario.ts';
import { namedBlobs, storedBlobs } from '../../../test/state.ts';
import { until } from '../../../test/until.ts';
import { callOf } from '../../core/context.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { ImportBudget } from './import-rules.ts';
import { type ImportFate, importDocuments } from './import-service.ts';
import type { ImportOptions } from './import-target.ts';

const MB = 1024 * 1024;

describe('Importing files', async () => {
  let users = 0;

  const service = await startService();
  after(() => service.stop());
  const context = service.app.context;

  /** Imports files as a new user, and returns the results. */
  async function importAs(
    client: Client,
    files: [path: string, bytes: Buffer | string | Readable][],
    wanted: Partial<ImportOptions> & { owner?: OwnerRef } = {},
  ): Promise<ImportFate[]> {
    const { owner = { type: 'user', namespace: client.username }, ...rest } = wanted;
    async function* all() {
      for (const [path, bytes] of files) {
        yield { path, bytes: bytes instanceof Readable ? bytes : streamOf(bytes) };
      }
    }
    const fates: ImportFate[] = [];
    const requireSession = async () => {};
    const base = { visibility: 'private', ifTaken: 'skip', requireSession } as const;
    const options = { ...base, ...rest };
    for await (const fate of importDocuments(
      callOf(context, await actorOf(client)),
      owner,
      all(),
      options,
    )) {
      fates.push(fate);
    }
    return fates;
  }

  const newUser = () => service.user(`user${++users}`);
  const importNew = async (
    ...args: Parameters<typeof importAs> extends [Client, ...infer R] ? R : never
  ) => importAs(await newUser(), ...args);

  /** Results in short form: `path → name` or `path: reason`. */
  const short = (fates: ImportFate[]) =>
    fates.map((fate) =>
      fate.outcome === 'created'
        ? `${fate.path} → ${fate.kind} ${fate.name}`
        : `${fate.path} ${fate.outcome}: ${fate.outcome === 'uploaded' ? fate.url : fate.reason}`,
    );

  it('creates briefs from Markdown and pages from HTML, and skips other files', async () => {
    const ada = await newUser();
    const frontMatter = '---\r\ntitle: Plans\r\n---\r\n\r\n# Größe\r\n';
    const fates = await importAs(ada, [
      ['Some Folder/My Plans.MD', frontMatter],
      ['notes.markdown', '\ufeff# Notes'],
      ['Report.html', '<title>é</title>'],
      ['old.HTM', ''],
      ['readme.txt', 'text'],
      ['image.png', 'x'],
      ['Makefile', 'x'],
      ['.hidden.md', 'x'],
      ['__MACOSX/x.md', 'x'],
      ['constructor.__proto__', 'x'],
    ]);
    assert.deepEqual(short(fates).slice(0, 4), [
      'Some Folder/My Plans.MD → brief my-plans',
      'notes.markdown → brief notes',
      'Report.html → page report',
      'old.HTM → page old',
    ]);
    assert.deepEqual(
      fates.slice(4).map(({ outcome }) => outcome),
      Array.from({ length: 6 }, () => 'skipped'),
    );
    assert.match(short(fates)[4] ?? '', /is neither Markdown \(.*\) nor HTML/);
    const path = `/briefs/${ada.username}`;
    const { data } = await ada.get(`${path}/my-plans`);
    assert.equal(data.content, frontMatter);
    assert.equal(data.visibility, 'private');
    assert.equal((await ada.get(`${path}/notes`)).data.content, '# Notes', 'without its mark');
    assert.equal((await ada.get(`/pages/${ada.username}/report`)).data.html, '<title>é</title>');
  });

  it('names: invalid characters become hyphens; otherwise the content gives the name', async () => {
    const fates = await importNew([
      ['Q3 (final) — draft!.md', 'x'],
      ['a--b_.c.md', 'x'],
      ['Cafe\u0301.md', 'x'],
      ['日本語.md', 'x'],
      ['notes.md.md', 'x'],
      [`${'x'.repeat(150)}.md`, 'x'],
      ['???.md', '# From the heading'],
      ['!!!.html', '<title>The Title</title>'],
      ['***.md', ''],
    ]);
    assert.deepEqual(
      fates.map((fate) => (fate.outcome === 'created' ? fate.name : fate)).slice(0, 8),
      [
        'q3-final-draft',
        'a--b_.c',
        'café',
        '日本語',
        'notes',
        'x'.repeat(100),
        'from-the-heading',
        'the-title',
      ],
    );
    assert.match(short(fates)[8] ?? '', /^\*\*\*\.md → brief untitled-[a-z0-9]{6}$/);
  });

  it('taken names: skipped or numbered; nothing is overwritten', async () => {
    const ada = await newUser();
    const files = (): [string, string][] => [
      ['plans.md', 'first'],
      ['b/plans.md', 'second'],
      ['plans.html', '<p>page'],
    ];
    assert.deepEqual(short(await importAs(ada, files())), [
      'plans.md → brief plans',
      'b/plans.md skipped: already exists, as "plans"',
      'plans.html → page plans',
    ]);
    assert.deepEqual(short(await importAs(ada, files(), { ifTaken: 'number' })), [
      'plans.md → brief plans-2',
      'b/plans.md → brief plans-3',
      'plans.html → page plans-2',
    ]);
    const long = `${'y'.repeat(100)}.md`;
    const numbered = await importAs(
      ada,
      [
        [long, '1'],
        [long, '2'],
      ],
      { ifTaken: 'number' },
    );
    assert.match(short(numbered)[1] ?? '', /→ brief y{98}-2$/);
    assert.equal((await ada.get(`/briefs/${ada.username}/plans`)).data.content, 'first');
    assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
  });

  it('a file that isn’t UTF-8 or is too large fails with the reason; the exact limit is accepted', async () => {
    const ada = await newUser();
    const endless = Readable.from(
      (function* () {
        for (let sent = 0; sent < 20 * MB; sent += MB) yield Buffer.alloc(MB, 'x');
      })(),
      { objectMode: false },
    );
    const fates = await importAs(ada, [
      ['utf16.md', Buffer.from('\ufeffhi', 'utf16le')],
      ['utf16be.md', Buffer.from('\ufeffhi', 'utf16le').swap16()],
      ['latin1.html', Buffer.from('<p>caf\xe9</p>', 'latin1')],
      ['binary.md', Buffer.from('a\0b')],
      ['large.md', 'x'.repeat(900 * 1024 + 1)],
      ['endless.html', endless],
      ['exact.md', `\ufeff${'x'.repeat(900 * 1024)}`],
    ]);
    assert.deepEqual(short(fates), [
      'utf16.md failed: is UTF-16 text; save it as UTF-8 first',
      'utf16be.md failed: is UTF-16 text; save it as UTF-8 first',
      'latin1.html failed: is not UTF-8 text; save it as UTF-8 first',
      'binary.md failed: is not text: it contains a NUL character',
      'large.md failed: is over 900 KB',
      'endless.html failed: is over 5 MB',
      'exact.md → brief exact',
    ]);
  });

  it('into an organization: only by people who can create there; otherwise no file is read', async () => {
    const [boss, stranger] = [await newUser(), await newUser()];
    await makeOrganization(boss, 'import-org');
    const owner = { type: 'organization', namespace: 'import-org' } as const;
    const internal = { owner, visibility: 'internal' } as const;
    assert.deepEqual(short(await importAs(boss, [['a.md', 'x']], internal)), ['a.md → brief a']);
    const { data } = await boss.get('/briefs/import-org/a');
    assert.equal(data.visibility, 'internal');
    const untouched = new Readable({ read: () => assert.fail('read') });
    for (const [client, options, message] of [
      [stranger, internal, /^FORBIDDEN /],
      [stranger, { owner: { type: 'user', namespace: boss.username } }, /^FORBIDDEN /],
      [boss, { owner: { type: 'user', namespace: 'nobody-here' } }, /^NOT_FOUND /],
      [boss, { visibility: 'internal' }, /^BAD_REQUEST visibility: /],
    ] as const) {
      assert.match(await refusal(importAs(client, [['a.md', untouched]], options)), message);
    }
  });

  it('unpacks archives; one level in others, too; skips folders, hidden files and deeper ones', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('briefs-import-'));
    const archive = await zip({
      'docs/': '',
      'docs/a.md': '# A',
      'docs/ü.html': '<p>ü',
      '__MACOSX/docs/._a.md': 'x',
      'docs/.git/config.md': 'x',
      'docs/broken.zip': 'x',
      'docs/inner.zip': await zip({ 'c.md': 'c', 'deeper.zip': await zip({ 'd.md': 'd' }) }),
      'docs/photo.jpg': 'x',
      'b.md': 'b',
    });
    const fates = await importNew([
      ['Some.ZIP', archive],
      ['after.md', 'x'],
    ]);
    assert.deepEqual(short(fates), [
      'Some.ZIP/docs/broken.zip failed: is damaged, or not a zip archive',
      'Some.ZIP/docs/a.md → brief a',
      'Some.ZIP/docs/ü.html → page ü',
      'Some.ZIP/__MACOSX/docs/._a.md skipped: is macOS metadata',
      'Some.ZIP/docs/.git/config.md skipped: is hidden',
      'Some.ZIP/b.md → brief b',
      'Some.ZIP/docs/c.md → brief c',
      'Some.ZIP/docs/deeper.zip skipped: is an archive inside an archive',
      'Some.ZIP/docs/photo.jpg skipped: isn’t a document, and no document refers to it',
      'after.md → brief after',
    ]);
    // Other tests import at the same time; their data is deleted when they end.
    const left = () =>
      readdirSync(tmpdir()).filter(
        (name) => name.startsWith('briefs-import-') && !before.includes(name),
      );
    await until('nothing is left behind', () => left().length === 0);
  });

  it('reads names in UTF-8 without its flag, and in old encodings', async () => {
    const archive = rawZip([
      { name: 'größe.md', content: 'x', flags: 0 },
      { name: Buffer.from([0x81, 0x2e, 0x6d, 0x64]), content: 'x', flags: 0 },
    ]);
    assert.deepEqual(short(await importNew([['a.zip', archive]])), [
      'a.zip/größe.md → brief größe',
      'a.zip/ü.md → brief ü',
    ]);
  });

  const good: RawEntry = { name: 'good.md', content: 'good' };

  /** Entries next to a valid one, and their expected results. */
  const HOSTILE: Record<string, [entries: RawEntry[], reasons: RegExp[]]> = {
    'a name that leads out': [
      ['../up.md', '/etc/x.md', 'a/../../x.md', 'C:/x.md', '..\\up.md'].map((name) => ({
        name,
        content: 'x',
      })),
      Array.from({ length: 5 }, () => /has a path outside the archive/),
    ],
    'an encrypted file': [[{ name: 'x.md', content: 'x', flags: 1 }], [/is encrypted/]],
    'an unknown compression': [
      [{ name: 'x.md', content: 'x', method: 99 }],
      [/unsupported compression/],
    ],
    'a name that is there twice': [
      [
        { name: 'x.md', content: '1' },
        { name: 'x.md', content: '2' },
      ],
      [/→ brief x/, /is in the archive twice/],
    ],
    'files that share their bytes': [
      [
        { name: 'x.md', content: 'x' },
        { name: 'y.md', content: 'x', offset: 0 },
      ],
      [/→ brief x/, /shares its bytes/],
    ],
    'a bomb that says so': [[{ name: 'x.html', content: Buffer.alloc(40 * MB) }], [/is over 5 MB/]],
    'a bomb that lies': [
      [{ name: 'x.html', content: Buffer.alloc(40 * MB), size: 10 }],
      [/damaged/],
    ],
    'less than promised': [[{ name: 'x.md', content: 'x', size: 10 }], [/is damaged/]],
    'another checksum': [[{ name: 'x.md', content: 'x', crc: 1 }], [/is damaged/]],
    'bytes that are no deflate': [[{ name: 'x.md', content: 'x', packedSize: 1 }], [/is damaged/]],
    'a place that no file has': [[{ name: 'x.md', content: 'x', offset: 4e9 }], [/is damaged/]],
    'more bytes than the archive': [
      [{ name: 'x.md', content: 'x', packedSize: 4e9 }],
      [/is damaged/],
    ],
    '64-bit values beyond all numbers': [
      [
        {
          name: 'x.md',
          content: 'x',
          offset: 0xffffffff,
          extra: Buffer.concat([Buffer.from([1, 0, 8, 0]), Buffer.alloc(8, 0xff)]),
        },
      ],
      [/is damaged/],
    ],
    'control characters in a name': [
      [{ name: 'a\0\x1b[2J/b.md', content: 'x' }],
      [/^a\.zip\/a\ufffd\ufffd\[2J\/b\.md → brief b$/],
    ],
    'a name without end': [
      [{ name: `${'x/'.repeat(20_000)}b.md`, content: 'x' }],
      [/^….{190,}→ brief b$/],
    ],
  };
  for (const [what, [entries, reasons]] of Object.entries(HOSTILE)) {
    it(`an archive with ${what}: all other files are imported`, async () => {
      // The valid entry comes last if the damage is at the end.
      const first = entries.some(({ offset }) => offset === 0) ? entries : [...entries];
      const fates = short(await importNew([['a.zip', rawZip([...first, good])]]));
      assert.equal(fates.at(-1), 'a.zip/good.md → brief good', fates.join('\n'));
      assert.equal(fates.length, reasons.length + 1, fates.join('\n'));
      for (const [index, reason] of reasons.entries()) assert.match(fates[index] ?? '', reason);
    });
  }

  /** Archives that can't be read to the end, and the expected last result. */
  const BROKEN: Record<string, [archive: Buffer, reason: RegExp, created?: number]> = {
    'is none': [Buffer.from('no archive'), /^a\.zip failed: is damaged, or not a zip/],
    'is empty': [Buffer.alloc(0), /is damaged, or not a zip/],
    'breaks off': [rawZip([good]).subarray(0, -30), /is damaged, or not a zip/],
    'has less entries than it says': [rawZip([good], { entries: 5 }), /is damaged/, 1],
    'has its directory elsewhere': [rawZip([good], { directoryOffset: 3 }), /is damaged/],
    'has its directory nowhere': [rawZip([good], { directoryOffset: 4e9 }), /is damaged/],
    'is one of many parts': [rawZip([good], { disk: 3 }), /is one part of a split archive/],
    'has too many entries': [
      rawZip(Array.from({ length: 1001 }, (_, number) => ({ name: `${number}.md`, content: '' }))),
      /has 1001 entries; at most 1000/,
    ],
    'says that it has more entries than there are numbers': [
      rawZip([good], { zip64: { entries: 2n ** 64n - 1n, directoryOffset: 0n } }),
      /has \d+ entries; at most 1000/,
    ],
    'has a 64-bit directory beyond all numbers': [
      rawZip([good], { zip64: { entries: 1n, directoryOffset: 2n ** 64n - 1n } }),
      /is damaged/,
    ],
    'has the end of its directory beyond all numbers': [
      rawZip([good], { zip64: { entries: 1n, directoryOffset: 0n, at: 2n ** 64n - 1n } } as RawEnd),
      /is damaged/,
    ],
    'has sizes that contradict each other': [
      rawZip([good, { name: 'x.md', content: 'xx', method: 0, size: 1 }]),
      /is damaged/,
      1,
    ],
    'is encrypted strongly': [rawZip([{ ...good, flags: 0x41 }]), /is encrypted/],
  };
  for (const [what, [archive, reason, created = 0]] of Object.entries(BROKEN)) {
    it(`an archive that ${what} fails with the reason; the next file is imported`, async () => {
      const fates = await importNew([
        ['a.zip', archive],
        ['next.md', 'x'],
      ]);
      assert.equal(fates.length, created + 2, short(fates).join('\n'));
      assert.match(short(fates).at(-2) ?? '', reason);
      assert.equal(short(fates).at(-1), 'next.md → brief next');
    });
  }

  it('an archive that is too large is skipped and not stored', async () => {
    const piece = Buffer.alloc(MB);
    let given = 0;
    const large = Readable.from(
      (function* () {
        for (; given < 60; given++) yield piece;
      })(),
      { objectMode: false },
    );
    const fates = await importNew([
      ['large.zip', large],
      ['next.md', 'x'],
    ]);
    assert.deepEqual(short(fates), ['large.zip failed: is over 50 MB', 'next.md → brief next']);
  });

  const pages = (count: number, sizeBytes: number) =>
    Array.from({ length: count }, (_, number) => ({
      name: `p${number}.html`,
      content: Buffer.alloc(sizeBytes, 'x'),
    }));
  const tooMuch = /^\w+\.zip failed: would make more than 20 MB of all that was sent$/;

  it('of a small archive that would make much, nothing is made', async () => {
    const ada = await newUser();
    const archive = rawZip(pages(40, 5 * MB));
    assert.ok(archive.length < MB);
    const blobs = await storedBlobs(context);
    const fates = short(await importAs(ada, [['bomb.zip', archive]]));
    assert.equal(fates.length, 1);
    assert.match(fates[0] ?? '', tooMuch);
    assert.deepEqual((await ada.get('/user/pages')).data, []);
    assert.deepEqual(await storedBlobs(context), blobs);
  });

  it('several archives of one import count together', async () => {
    const archive = rawZip(pages(2, 4 * MB));
    const small = rawZip([{ name: 'small.md', content: 'x' }]);
    const fates = await importNew(
      [
        ['a.zip', archive],
        ['b.zip', archive],
        ['c.zip', archive],
        ['d.zip', small],
      ],
      { ifTaken: 'number' },
    );
    assert.match(short(fates)[4] ?? '', tooMuch);
    assert.deepEqual(
      fates.map(({ outcome }) => outcome),
      ['created', 'created', 'created', 'created', 'failed', 'created'],
    );
  });

  it('makes at most 1,000 documents, however many archives are sent', () => {
    const budget = new ImportBudget();
    budget.receive(MB);
    assert.equal(budget.take({ documents: 600, bytes: 600 }), undefined);
    assert.match(budget.take({ documents: 600, bytes: 600 }) ?? '', /more than 1000 documents/);
    assert.equal(budget.take({ documents: 400, bytes: 400 }), undefined);
    // A large archive may make more, but never more than an archive can hold.
    assert.equal(budget.take({ bytes: 45 * MB }), undefined);
    budget.receive(100 * MB);
    assert.match(budget.problemWith({ bytes: 160 * MB }) ?? '', /more than 200 MB/);
  });

  it('a picture counts in each page that shows it', async () => {
    const data = Buffer.concat([Buffer.from('IDAT'), Buffer.alloc(2 * MB)]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(2 * MB);
    sum.writeUInt32BE(crc32(data));
    const picture = Buffer.concat([PNG.subarray(0, -12), length, data, sum, PNG.subarray(-12)]);
    const shown = Array.from({ length: 30 }, (_, number) => ({
      name: `p${number}.html`,
      content: '<img src="a.png">',
    }));
    const fates = short(
      await importNew([['shown.zip', rawZip([{ name: 'a.png', content: picture }, ...shown])]]),
    );
    assert.equal(fates.filter((fate) => /→ page/.test(fate)).length, 7);
    assert.match(fates.at(-1) ?? '', tooMuch);
  });

  it('of an archive that makes more than its owner may have, nothing is made', async () => {
    const ada = await newUser();
    const archive = rawZip(pages(3, 1_000));
    const usual = context.quotas;
    for (const [limits, of] of [
      [{ documents: 2 }, 'documents'],
      [{ bytes: 2_999 }, 'storage, with history, trash, files and comments'],
      [{ documentsPerDay: 2 }, 'new documents in 24 hours'],
    ] as const) {
      context.quotas = { ...usual, ...limits };
      const [fate = '', ...others] = short(await importAs(ada, [['all.zip', archive]]));
      assert.deepEqual(others, []);
      assert.match(fate, new RegExp(`^all.zip failed: was refused: .* for ${of} is`));
    }
    context.quotas = { ...usual, documents: 3, documentsPerDay: 3 };
    await importAs(ada, [['all.zip', archive]]);
    // What is there already isn't made again.
    const again = await importAs(ada, [['all.zip', archive]]);
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ['skipped', 'skipped', 'skipped'],
    );
    context.quotas = usual;
  });

  it('unpacks what it has to read with little memory', async () => {
    // Invalid text, so that nothing has to be stored.
    const content = Buffer.alloc(5 * MB, 0xff);
    const noise = { name: 'noise.bin', content: randomBytes(5 * MB) };
    const archive = rawZip([
      ...Array.from({ length: 39 }, (_, number) => ({ name: `${number}.html`, content })),
      noise,
    ]);
    let most = 0;
    const watch = setInterval(() => {
      const { rss } = process.memoryUsage();
      most = Math.max(most, rss);
    }, 5);
    const { rss } = process.memoryUsage();
    const fates = short(await importNew([['large.zip', archive]]));
    clearInterval(watch);
    assert.equal(fates.length, 40);
    assert.match(fates[38] ?? '', /is not UTF-8 text/);
    assert.ok(most - rss < 150 * MB, `${(most - rss) / MB} MB`);
  });

  it('a truncated upload ends the import; earlier files stay', async () => {
    const ada = await newUser();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('gone');
      })(),
      { objectMode: false },
    );
    for (const name of ['broken.md', 'broken.zip']) {
      const files: [string, string | Readable][] = [
        [`before-${name}.md`, 'x'],
        [name, broken],
      ];
      await assert.rejects(importAs(ada, files));
    }
    assert.equal((await ada.get('/user/briefs')).data.length, 2);
  });
});
