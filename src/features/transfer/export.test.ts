import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Entry, fromBufferPromise } from 'yauzl';
import { actorOf, refusal, upload } from '../../../test/account/actors.ts';
import { newChance } from '../../../test/chance.ts';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { streamOf } from '../../../test/document/zip.ts';
import { PNG } from '../../../test/files/samples.ts';
import { type Client, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { until } from '../../../test/until.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import { callOf } from '../../core/context.ts';
import { exportDocuments } from './export-service.ts';
import { readMarks } from './import-marks.ts';
import { type ImportFate, importDocuments } from './import-service.ts';

const MB = 1024 * 1024;

/** Contents that must survive an export and import, and others that don't. */
const CONTENTS: Record<string, string> = {
  plans: '# Plans\r\n\r\n\ttabs \u00e9 e\u0301 \u{1f600}\n',
  größe: '---\ntitle: x\n---\n',
  日本語: '# a mark \ufeff inside',
  '.hidden': 'a name may begin so',
  'a--b_.c': 'x',
  __macosx: 'x',
  files: 'x',
};

/** The caller stays signed in. */
const requireSession = async () => {};

describe('Exporting documents', async () => {
  const service = await startService();
  after(() => service.stop());
  const context = service.app.context;
  const ada = await service.user('ada');
  const grace = await service.user('grace');

  const exported = async (client: Client, org?: string, history = false) =>
    buffer(
      await exportDocuments(callOf(context, await actorOf(client)), {
        org,
        history,
        requireSession,
      }),
    );

  async function unzip(archive: Buffer): Promise<Map<string, string>> {
    const zip = await fromBufferPromise(archive);
    const files = new Map<string, string>();
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
    }
    return files;
  }

  it('with history: includes every stored old text and its author, which importing ignores', async () => {
    const writer = await service.user('historian');
    const path = await makeDocument(writer, 'draft', { content: '# One' });
    await writer.patch(path, { content: '# Two', message: 'Second' });
    await writer.patch(path, { visibility: 'private' });
    const archive = await exported(writer, undefined, true);
    const files = await unzip(archive);
    assert.deepEqual([...files.keys()].sort(), [
      'briefs.json',
      'briefs/draft.md',
      ...[1, 2, 3].map((n) => `history/briefs/draft/${n}.md`),
    ]);
    assert.equal(files.get('history/briefs/draft/1.md'), '# One');
    assert.equal(files.get('history/briefs/draft/3.md'), '# Two');
    const [about] = JSON.parse(files.get('briefs.json') ?? '').documents;
    assert.deepEqual(
      about.revisions.map((each: Record<string, unknown>) => [each.number, each.message]),
      [
        [3, null],
        [2, 'Second'],
        [1, null],
      ],
    );
    assert.equal((await unzip(await exported(writer))).size, 2, 'without history, as before');
    const reader = await service.user('importer');
    const sent = async function* () {
      yield { path: 'all.zip', bytes: streamOf(archive) };
    };
    const owner = { type: 'user', namespace: 'importer' } as const;
    const options = { visibility: 'private', ifTaken: 'skip', requireSession } as const;
    const skipped: string[] = [];
    for await (const fate of importDocuments(
      callOf(context, await actorOf(reader)),
      owner,
      sent(),
      options,
    )) {
      if (fate.outcome === 'skipped') skipped.push(fate.path);
    }
    assert.equal(skipped.filter((path) => path.includes('history/')).length, 3);
    assert.equal((await reader.get('/user/briefs')).data.length, 1);
  });

  it('labels and pins are restored by an import, as far as the importer can set them', async () => {
    const mary = await service.user('mary');
    const path = await makeDocument(mary, 'fossils', { content: '# Fossils' });
    await makeDocument(mary, 'bones', { content: '# Bones' });
    await expectStatus(mary.put(`${path}/labels`, { labels: ['Sea', 'old'] }), 200);
    await expectStatus(mary.put(`${path}/pin`), 204);
    const archive = await exported(mary);
    await makeOrganization(mary, 'museum', { membersCanCreate: true });
    const anna = await service.user('anna');
    await join(mary, 'museum', anna);
    const imported = async (type: OwnerType, namespace: string) => {
      const sent = async function* () {
        yield { path: 'all.zip', bytes: streamOf(archive) };
      };
      const actor = await actorOf(anna);
      const options = { visibility: 'private', ifTaken: 'skip', requireSession } as const;
      const fates: ImportFate[] = [];
      for await (const fate of importDocuments(
        callOf(context, actor),
        { type, namespace },
        sent(),
        options,
      )) {
        fates.push(fate);
      }
      const { data } = await anna.get(`/briefs/${namespace}/fossils/labels`);
      return { labels: data.labels, index: fates.at(-1) };
    };
    const index = { path: 'all.zip/briefs.json' };
    assert.deepEqual(await imported('user', 'anna'), {
      labels: ['old', 'Sea'],
      index: { ...index, outcome: 'skipped', reason: 'describes the archive' },
    });
    const pins = (await anna.get('/users/anna/pins')).data;
    assert.deepEqual(
      pins.map(({ name }: { name: string }) => name),
      ['fossils'],
    );
    const reason = 'has labels or pins that could not be restored for one document';
    assert.deepEqual(await imported('organization', 'museum'), {
      labels: ['old', 'Sea'],
      index: { ...index, outcome: 'failed', reason },
    });
    assert.deepEqual((await anna.get('/orgs/museum/pins')).data, []);
  });

  it('a forged index sets what it can and breaks nothing', () => {
    const label = { labels: ['a'], isPinned: false };
    for (const [documents, marks] of [
      [[null, 1, 'x', [], {}, { path: 2 }, { path: 'b.md', labels: ['a', null, 3] }], label],
      [[{ path: 'b.md', labels: 'a', pinned: 'yes' }], { labels: [], isPinned: false }],
    ] as const) {
      assert.deepEqual([...readMarks(JSON.stringify({ documents }))], [['b.md', marks]]);
    }
    for (const index of ['', '{', 'null', '1', '[]', '{"documents":{"path":"b.md"}}']) {
      assert.equal(readMarks(index).size, 0, index);
    }
  });

  it('includes everything that the actor owns, with descriptions, and nothing of others', async () => {
    const plans = await makeDocument(ada, 'plans', { content: '# Plans', visibility: 'private' });
    await makeDocument(ada, 'report', { kind: KINDS.page, content: '<p>r' });
    await collaborate(ada, plans, grace, 'write');
    await expectStatus(ada.put(`${plans}/labels`, { labels: ['b', 'A'] }), 200);
    await expectStatus(ada.put(`${plans}/pin`), 204);
    const others = await makeDocument(grace, 'others');
    await collaborate(grace, others, ada, 'admin');
    const file = await upload(service, await actorOf(ada), 'nöte.md', 'a note');
    const files = await unzip(await exported(ada));
    const path = `files/${file.id}-nöte.md`;
    assert.deepEqual(
      [...files.keys()],
      ['briefs/plans.md', 'pages/report.html', path, 'briefs.json'],
    );
    assert.equal(files.get('briefs/plans.md'), '# Plans');
    assert.equal(files.get('pages/report.html'), '<p>r');
    assert.equal(files.get(path), 'a note');
    const index = JSON.parse(files.get('briefs.json') ?? '');
    const { data } = await ada.get('/briefs/ada/plans');
    assert.equal(index.owner, 'ada');
    assert.deepEqual(index.documents[0], {
      path: 'briefs/plans.md',
      id: data.id,
      kind: 'brief',
      name: 'plans',
      visibility: 'private',
      createdAt: data.createdAt,
      updatedAt: data.updatedAt,
      labels: ['A', 'b'],
      pinned: true,
      collaborators: [{ username: 'grace', permission: 'write' }],
    });
    assert.deepEqual(index.documents[1].labels, []);
    assert.equal(index.documents.length, 2);
    assert.deepEqual(index.files[0], {
      path,
      id: file.id,
      name: 'nöte.md',
      contentType: 'text/markdown',
      sizeBytes: 6,
      createdAt: file.createdAt,
    });
    const empty = await unzip(await exported(await service.user('empty')));
    assert.deepEqual([...empty.keys()], ['briefs.json']);
  });

  it('the index lists each of many documents', async () => {
    const many = await service.user('many');
    const names = Array.from(
      { length: 700 },
      (_, index) => `brief-${String(index).padStart(3, '0')}`,
    );
    await Promise.all(names.map((name) => makeDocument(many, name)));
    const index = (await unzip(await exported(many))).get('briefs.json') ?? '';
    assert.ok(index.length > 2 * 65_536, 'it is put together of pieces');
    const { documents, files } = JSON.parse(index);
    assert.deepEqual(documents.map(({ name }: { name: string }) => name).sort(), names);
    assert.deepEqual(files, []);
  });

  it('admins can export an organization', async () => {
    await makeOrganization(ada, 'acme');
    await join(ada, 'acme', grace);
    await makeDocument(grace, 'inside', { org: 'acme', visibility: 'internal', content: 'in' });
    const files = await unzip(await exported(ada, 'ACME'));
    assert.deepEqual([...files.keys()], ['briefs/inside.md', 'briefs.json']);
    assert.equal(JSON.parse(files.get('briefs.json') ?? '').documents[0].visibility, 'internal');
    assert.match(await refusal(exported(grace, 'acme')), /^FORBIDDEN /);
    assert.match(await refusal(exported(grace, 'nowhere')), /^NOT_FOUND /);
    assert.match(await refusal(exported(grace, 'ada')), /^NOT_FOUND /);
  });

  it('another user can import it with the same result', async () => {
    const [from, to] = [await service.user('from'), await service.user('to')];
    for (const [name, content] of Object.entries(CONTENTS)) {
      for (const kind of Object.values(KINDS)) await makeDocument(from, name, { kind, content });
    }
    await upload(service, await actorOf(from), 'upload.md', 'no document');
    async function* files() {
      yield { path: 'export.zip', bytes: streamOf(await exported(from)) };
    }
    const fates: ImportFate[] = [];
    const owner = { type: 'user', namespace: 'to' } as const;
    const options = { visibility: 'private', ifTaken: 'skip', requireSession } as const;
    for await (const fate of importDocuments(
      callOf(context, await actorOf(to)),
      owner,
      files(),
      options,
    )) {
      fates.push(fate);
    }
    const count = (outcome: string) => fates.filter((fate) => fate.outcome === outcome).length;
    assert.equal(count('created'), 2 * Object.keys(CONTENTS).length, JSON.stringify(fates));
    assert.deepEqual([count('skipped'), count('failed')], [2, 0]);
    for (const [name, content] of Object.entries(CONTENTS)) {
      const path = `to/${encodeURIComponent(name)}`;
      assert.equal((await to.get(`/briefs/${path}`)).data.content, content, name);
      assert.equal((await to.get(`/pages/${path}`)).data.html, content, name);
    }
  });

  it('references are relative in it, and lead to the new documents after an import', async () => {
    const [from, to] = [await service.user('sender'), await service.user('receiver')];
    const file = await upload(service, await actorOf(from), 'a (1).png', PNG);
    const url = (await from.get('/user/files')).data[0].url as string;
    const [web, render] = [service.webUrl, context.renderUrl];
    const kept =
      '[a](other.md#x) [[Other]] [[other|o]] [d](dice.html) [[dice.html]] [x](gone.md) ' +
      '[y](https://x.example/other.md) [[nobody/other]] `[c](other.md)` <https://x.example>\r\n';
    const brief = `${kept}![p](${url})\n\n[r]\n\n[r]: ${url} "T"\n`;
    const moved = `[a](${web}/sender/other#x) [b](/read/sender/pages/dice) [c](${render}/sender/dice) [e](${web}/edit/sender/other)`;
    const page = `<a href="${web}/read/sender/plan#x">p</a><a href='${url}'>f</a><p>x`;
    await makeDocument(from, 'plan', { content: brief });
    await makeDocument(from, 'moved', { content: moved });
    await makeDocument(from, 'other', { content: '# X' });
    await makeDocument(from, 'dice', { kind: KINDS.page, content: page });
    const archive = await exported(from);
    const files = await unzip(archive);
    const path = `../files/${encodeURIComponent(`${file.id}-a (1).png`)}`;
    assert.equal(
      files.get('briefs/plan.md'),
      `${kept.replace('(dice.html)', '(../pages/dice.html)')}![p](${path})\n\n[r]\n\n[r]: ${path} "T"\n`,
    );
    assert.equal(
      files.get('briefs/moved.md'),
      `[a](other.md#x) [b](../pages/dice.html) [c](../pages/dice.html) [e](${web}/edit/sender/other)`,
    );
    assert.match(
      files.get('pages/dice.html') ?? '',
      /^<a href="\.\.\/briefs\/plan\.md#x">p<\/a><a href='\.\.\/files\/[^']*'>f<\/a><p>x$/,
    );

    async function* sent() {
      yield { path: 'all.zip', bytes: streamOf(archive) };
    }
    const owner = { type: 'user', namespace: 'receiver' } as const;
    const options = { visibility: 'private', ifTaken: 'skip', requireSession } as const;
    const actor = await actorOf(to);
    const fates: ImportFate[] = [];
    for await (const fate of importDocuments(callOf(context, actor), owner, sent(), options))
      fates.push(fate);
    const [newFile, ...others] = (await to.get('/user/files')).data;
    assert.deepEqual([newFile.name, others.length], ['a (1).png', 0]);
    const textOf = async (name: string) => (await to.get(`/briefs/receiver/${name}`)).data.content;
    assert.equal(await textOf('plan'), brief.replaceAll(url, newFile.url));
    assert.equal(
      await textOf('moved'),
      `[a](other.md#x) [b](dice.html) [c](dice.html) [e](${web}/edit/sender/other)`,
    );
    const { html } = (await to.get('/pages/receiver/dice')).data;
    assert.equal(html, page.replace('/sender/', '/receiver/').replace(url, newFile.url));
    const again = await unzip(await exported(to));
    assert.equal(
      again.get('briefs/plan.md')?.replaceAll(/[0-9a-f-]{36}/g, ''),
      files.get('briefs/plan.md')?.replaceAll(/[0-9a-f-]{36}/g, ''),
    );
  });

  it('an organization’s archive has the files that its documents show', async () => {
    const boss = await service.user('chief');
    await makeOrganization(boss, 'yard');
    const file = await upload(service, await actorOf(boss), 'x.png', PNG);
    const url = (await boss.get('/user/files')).data[0].url as string;
    await expectStatus(boss.post('/orgs/yard/briefs', { name: 'p', content: `![x](${url})` }), 201);
    const files = await unzip(await exported(boss, 'yard'));
    assert.equal(files.get('briefs/p.md'), `![x](../files/${file.id}-x.png)`);
    assert.ok(files.has(`files/${file.id}-x.png`));
  });

  it('concurrent changes: the archive is valid and lacks only deleted documents', async () => {
    const busy = await service.user('busy');
    const names = Array.from({ length: 120 }, (_, number) => `d${number}`);
    // The export can't read on until someone reads the second one.
    const large = newChance('export')
      .bytes(MB / 2)
      .toString('base64');
    const contentOf = (name: string) => (name === 'd1' ? large : name);
    for (const name of names) await makeDocument(busy, name, { content: contentOf(name) });
    await makeDocument(busy, 'page', { kind: KINDS.page, content: 'first' });
    const archive = await exportDocuments(callOf(context, await actorOf(busy)), { requireSession });
    await busy.delete('/briefs/busy/d119');
    await busy.patch('/briefs/busy/d118', { name: 'd0-after', content: 'renamed' });
    await busy.patch('/briefs/busy/d0', { name: 'old-d0' });
    await busy.patch('/briefs/busy/d117', { name: 'd0', visibility: 'private' });
    await busy.patch('/pages/busy/page', { html: 'second' });
    const files = await unzip(await buffer(archive));
    assert.ok(!files.has('briefs/d119.md'));
    assert.equal(files.get('briefs/d0-after.md'), 'renamed');
    assert.equal(files.get('pages/page.html'), 'second');
    const { documents } = JSON.parse(files.get('briefs.json') ?? '');
    const paths = documents.map((one: { path: string }) => one.path);
    assert.equal(new Set(paths).size, 120);
    assert.deepEqual([...paths, 'briefs.json'], [...files.keys()]);
    for (const name of names.slice(1, 117)) {
      assert.equal(files.get(`briefs/${name}.md`), contentOf(name));
    }
  });

  it('holds only the current document in memory; closing the archive stops the export', async () => {
    const large = await service.user('large');
    // Incompressible data, so that all of it has to wait.
    const content = newChance('export')
      .bytes(3 * MB)
      .toString('base64');
    for (let number = 0; number < 12; number++) {
      await makeDocument(large, `p${number}`, { kind: KINDS.page, content });
    }
    // The search index reads pages, too.
    await everythingIndexed(context);
    const archive = await exportDocuments(callOf(context, await actorOf(large)), {
      requireSession,
    });
    let reads = 0;
    const { read } = context.blobs;
    context.blobs.read = (...args) => {
      reads++;
      return read.apply(context.blobs, args);
    };
    try {
      for (let round = 0; round < 200; round++) await turn();
      assert.ok(reads <= 2, `${reads} pages are open though nobody reads`);
      archive.destroy();
      await once(archive, 'close');
      const before = reads;
      for (let round = 0; round < 200; round++) await turn();
      assert.ok(reads <= before + 1);
    } finally {
      context.blobs.read = read;
    }
  });

  it('closing the archive closes all pages, even unread ones', async () => {
    const small = await service.user('small');
    const content = newChance('export').bytes(20_000).toString('base64');
    for (let number = 0; number < 8; number++) {
      await makeDocument(small, `p${number}`, { kind: KINDS.page, content });
    }
    const opened: Readable[] = [];
    const { read } = context.blobs;
    context.blobs.read = async (...args) => {
      const bytes = await read.apply(context.blobs, args);
      if (bytes) opened.push(bytes);
      return bytes;
    };
    try {
      const archive = await exportDocuments(callOf(context, await actorOf(small)), {
        requireSession,
      });
      await until('two pages are open', () => opened.length > 1);
      archive.destroy();
      await until('all are closed', () => opened.every(({ closed }) => closed));
    } finally {
      context.blobs.read = read;
    }
  });
});
