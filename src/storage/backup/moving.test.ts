import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import { freePorts } from '../../../test/free-ports.ts';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { type Outcome, runBriefs, startBriefs, succeed } from '../../../test/process.ts';
import {
  collaborate,
  join as enrol,
  expectStatus,
  invite,
  makeDocument,
} from '../../../test/rest/scenario.ts';
import { STACK, stackSettings } from '../../../test/stack.ts';
import { namedBlobs, storedBlobs, storedBytes } from '../../../test/state.ts';
import { until } from '../../../test/until.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { Context } from '../../core/context.ts';
import { closeContext, openBlobs, openContext } from '../../open-context.ts';
import { knownMigrations } from '../sql/migrate.ts';
import { ArchiveWriter, rowsPath } from './archive.ts';
import { carriedTables, readLines } from './rows.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

type Settings = Record<string, string>;

const ON_SERVERS = { skip: STACK !== 'servers' && 'the embedded back ends don’t differ' };

/** An installation on SQLite and disk, whatever the stack under test. */
function embedded(name: string): Settings & { DATA_DIR: string } {
  return { DATA_DIR: join(home, name), DATABASE_URL: '', BLOB_URL: '', REDIS_URL: '' };
}

/** An installation on the stack under test. */
async function onStack(name: string): Promise<Settings> {
  const settings = embedded(name);
  return { ...settings, ...(await stackSettings(settings.DATA_DIR)) };
}

/** Backs up one installation and restores it to another. */
async function carry(source: Settings, target: Settings, ...flags: string[]): Promise<void> {
  const file = join(home, `${randomUUID()}.tar`);
  await succeed(['backup', file], source);
  const said = await succeed(['restore', file, ...flags], target);
  assert.equal(said, `Restored from ${file}.\n`);
  rmSync(file);
}

async function inside<T>(settings: Settings, work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext(readConfig(settings));
  return work(context).finally(() => closeContext(context));
}

async function serving<T>(settings: Settings, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService(settings);
  return work(service).finally(() => service.stop());
}

/** Reads all of an installation that is carried: rows and the bytes they refer to. */
function contentOf(settings: Settings) {
  return inside(settings, async (context) => {
    const blobs: Record<string, string> = {};
    for (const key of await namedBlobs(context)) {
      blobs[key] = (await storedBytes(context, key)).toString('base64');
    }
    const rows: Record<string, string> = {};
    for (const table of await carriedTables()) {
      const all: Buffer[] = [];
      for await (const lines of readLines(context.sql.read, table)) all.push(lines);
      rows[table.name] = Buffer.concat(all).toString();
    }
    return { rows, blobs };
  });
}

async function assertSame(source: Settings, target: Settings): Promise<void> {
  assert.deepEqual(await contentOf(target), await contentOf(source));
}

function assertRefused(outcome: Outcome, code: number, message: RegExp): void {
  assert.equal(outcome.code, code, outcome.stderr);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^briefs: [^\n]+\n$/);
  assert.match(outcome.stderr, message);
}

const TEXTS = {
  empty: '',
  unicode: '# Grüße 👩‍👩‍👧‍👦 \u202e𝒳\uffff\r\n\ttab \u0001\n',
  quotes: `'"\`;-- $1 ? \\ \\n %s null`,
  large: `# Large\n\n${'wörter '.repeat(115_000)}`,
};

/** Creates some of every kind of data over HTTP. */
async function populate(service: Service): Promise<Client[]> {
  const [ada, grace, alan] = [
    await service.user('ada'),
    await service.user('grace'),
    await service.user('alan'),
  ];
  for (const [name, content] of Object.entries(TEXTS)) {
    await makeDocument(ada, name, { content });
    await makeDocument(ada, `page-${name}`, { kind: KINDS.page, content, visibility: 'private' });
  }
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines ✨ "quoted"' });
  await enrol(ada, 'engines', grace, 'admin');
  await expectStatus(ada.put('/orgs/engines/members/alan', { role: 'member' }), 201);
  await makeDocument(grace, 'inside', { org: 'engines', visibility: 'internal' });
  await makeDocument(grace, 'sheet', { org: 'engines', kind: KINDS.page, visibility: 'internal' });
  const renamed = await makeDocument(ada, 'before');
  await expectStatus(ada.patch(renamed, { name: 'after' }), 200);
  await collaborate(ada, '/briefs/ada/unicode', grace, 'write');
  await invite(ada, '/briefs/ada/quotes', alan, 'read');
  await invite(ada, '/pages/ada/page-large', grace, 'admin');
  for (const bytes of [PNG, Buffer.alloc(0), Buffer.alloc(3_000_000, 'y')]) {
    const form = uploadForm({ bytes, name: 'ein "Name" 😀.png' });
    await expectStatus(ada.request('/user/files', { method: 'POST', ...form }), 201);
  }
  // A rendition, which isn't migrated.
  assert.equal((await fetch(`${service.webUrl}/ada/unicode`)).status, 200);
  return [ada, grace, alan];
}

/** Returns responses to callers, which must be the same on all back ends. */
async function answersOf(service: Service, clients: Client[], addresses: string[]) {
  const answers: unknown[] = [];
  for (const { token } of clients) {
    const client = service.client(token);
    for (const path of [
      '/user',
      '/user/briefs',
      '/user/pages',
      '/user/files',
      '/user/orgs',
      '/user/brief_invitations',
      '/orgs/engines/members',
      '/orgs/engines/briefs',
      ...Object.keys(TEXTS).flatMap((name) => [`/briefs/ada/${name}`, `/pages/ada/page-${name}`]),
      '/briefs/ada/before',
      '/briefs/engines/inside',
      '/briefs/ada/unicode/collaborators',
    ]) {
      const { status, text, headers } = await client.get(path);
      answers.push([path, status, text, headers.get('etag')]);
    }
  }
  for (const address of addresses) {
    const response = await fetch(address);
    answers.push([address, response.status, Buffer.from(await response.arrayBuffer())]);
  }
  return answers;
}

describe('Moving to other back ends', () => {
  const source = embedded('source');
  let ports: Settings;
  let clients: Client[];
  let addresses: string[];
  let answers: unknown[];

  before(async () => {
    mkdirSync(source.DATA_DIR);
    const [port, renderPort] = await freePorts(2);
    // URLs are signed for one host, so the service restarts at the same one.
    ports = { PORT: String(port), RENDER_PORT: String(renderPort) };
    await serving({ ...source, ...ports }, async (service) => {
      clients = await populate(service);
      const [ada] = clients as [Client];
      const { data: files } = await ada.get('/user/files');
      addresses = files.map((file: { url: string }) => file.url);
      for (const name of Object.keys(TEXTS)) {
        addresses.push((await ada.get(`/pages/ada/page-${name}/render-url`)).data.url);
      }
      answers = await answersOf(service, clients, addresses);
    });
  });

  /** Requires that callers can't tell the two installations apart. */
  async function assertServes(settings: Settings): Promise<void> {
    await serving({ ...settings, ...ports }, async (service) => {
      assert.deepEqual(await answersOf(service, clients, addresses), answers);
      await makeDocument(service.client(clients[0]?.token), 'another');
    });
  }

  it('carries everything to other back ends, where the service continues, and back', async () => {
    const target = await onStack('target');
    await carry(source, target);
    await assertSame(source, target);
    await inside(target, async (context) => {
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
      const queued = await context.sql.read.selectFrom('search_pending').selectAll().execute();
      const documents = await context.sql.read.selectFrom('document').select('id').execute();
      assert.equal(queued.length, documents.length);
    });
    const back = embedded('back');
    await carry(target, back);
    await assertSame(source, back);
    await assertServes(target);
    await carry(target, back, '--force');
    await assertSame(target, back);
  });

  it('between a database on a server and blobs on the disk, too', ON_SERVERS, async () => {
    const { DATABASE_URL = '', BLOB_URL, ...aws } = await onStack('mixed');
    const serverAndDisk = { ...embedded('server-and-disk'), DATABASE_URL };
    await carry(source, serverAndDisk);
    await assertSame(source, serverAndDisk);
    const fileAndBucket = { ...aws, ...embedded('file-and-bucket'), BLOB_URL: BLOB_URL ?? '' };
    await carry(serverAndDisk, fileAndBucket);
    await assertSame(source, fileAndBucket);
  });

  it('refuses a target with data, unless --force', async () => {
    const target = await onStack('foreign');
    await serving(target, async (service) => {
      const [grace, other] = [await service.user('grace'), await service.user('other')];
      await makeDocument(other, 'foreign');
      const path = await makeDocument(grace, 'shared', { kind: KINDS.page });
      await collaborate(grace, path, other, 'write');
      assert.equal((await fetch(`${service.webUrl}/other/foreign`)).status, 200);
    });
    const before = await contentOf(target);
    const file = join(home, 'refused.tar');
    await succeed(['backup', file], source);
    assertRefused(await runBriefs(['restore', file], target), 1, /already has data.*--force/);
    assert.deepEqual(await contentOf(target), before);
    const [damaged = ''] = await inside(source, namedBlobs);
    await inside(target, ({ blobs }) => blobs.write(damaged, Readable.from([Buffer.from('!')])));
    await succeed(['restore', file, '--force'], target);
    await assertSame(source, target);
    await inside(target, async (context) => {
      assert.deepEqual(await context.sql.read.selectFrom('rendition').selectAll().execute(), []);
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    });
  });

  it('leaves the target as it was if the rows are damaged', async () => {
    const target = await onStack('unharmed');
    await carry(source, target);
    const before = await contentOf(target);
    const file = join(home, 'dangling.tar');
    await writeArchive(file, [
      ['account', { id: 'u', type: 'user', email: 'x', emailKey: 'x', createdAt: '1' }],
    ]);
    const outcome = await runBriefs(['restore', file, '--force'], target);
    assertRefused(outcome, 1, /rows of account refer to missing ones|account_owner/);
    assert.deepEqual(await contentOf(target), before);
  });

  it('backs up without contents that the blob store has lost, and says so', async () => {
    const broken = await onStack('broken');
    await carry(source, broken);
    const [gone = '', cut = ''] = await inside(broken, namedBlobs);
    await inside(broken, async ({ blobs }) => {
      await blobs.delete(gone);
      await blobs.delete(cut);
      await blobs.write(cut, Readable.from([Buffer.from('of another length')]));
    });
    const file = join(home, 'broken.tar');
    const { code, stderr } = await runBriefs(['backup', file], broken);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^briefs: The backup is complete except for 2 pages, files or texts [^\n]+\n$/,
    );
    const target = embedded('without');
    const said = await succeed(['restore', file], target);
    assert.match(said, /^Missing since before the backup: 2 pages/m);
    const kept = (await inside(source, namedBlobs)).filter((key) => key !== gone && key !== cut);
    assert.deepEqual(await inside(target, storedBlobs), kept);
  });
});

describe('A restore that is killed', () => {
  const source = embedded('many');
  const BRIEFS = 3_000;
  const PAGES = 400;
  const file = join(home, 'many.tar');

  before(async () => {
    await succeed(['users', 'create', 'ada', '--email', 'ada@example.com'], source);
    await inside(source, async ({ sql, blobs }) => {
      const ids = Array.from({ length: BRIEFS + PAGES }, (_, n) => String(n).padStart(6, '0'));
      await sql.transaction(async (writer) => {
        const owner = await writer.selectFrom('owner').select('id').executeTakeFirstOrThrow();
        for (const [n, id] of ids.entries()) {
          const isBrief = n < BRIEFS;
          await writer
            .insertInto('stored_document')
            .values({
              id,
              kind: isBrief ? 'brief' : 'page',
              name: id,
              ownerId: owner.id,
              ownerType: 'user',
              visibility: 'public',
              version: 1,
              sizeBytes: 4_200,
              createdAt: id,
              updatedAt: id,
              content: isBrief ? id.repeat(700) : null,
              storagePath: isBrief ? null : `pages/${id}`,
            })
            .execute();
        }
      });
      for (const id of ids.slice(BRIEFS)) {
        await blobs.write(`pages/${id}`, Readable.from([Buffer.from(id.repeat(700))]));
      }
    });
    await succeed(['backup', file], source);
  });

  it('leaves no half of the rows, and is complete when it is run again', async () => {
    const target = await onStack('killed');
    await inside(target, async () => {});
    for (const afterMs of [700, 1_100, 1_500]) {
      const running = startBriefs(['restore', file, '--force'], target);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await running.kill('SIGKILL');
      await inside(target, async (context) => {
        const rows = await context.sql.read.selectFrom('document').select('id').execute();
        assert.ok([0, BRIEFS + PAGES].includes(rows.length), `${rows.length} rows`);
      });
    }
    await succeed(['restore', file, '--force'], target);
    await assertSame(source, target);
    await inside(target, async (context) => {
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    });
  });

  it('into new blobs, can be run again with --force', async () => {
    const target = await onStack('killed-among-blobs');
    const blobs = await openBlobs(readConfig(target));
    const hasBlob = async () => {
      for await (const _ of blobs.list()) return true;
      return false;
    };
    const running = startBriefs(['restore', file], target);
    await until('the first blob', hasBlob);
    await running.kill('SIGKILL');
    await blobs.close();
    assertRefused(await runBriefs(['restore', file], target), 1, /--force/);
    await succeed(['restore', file, '--force'], target);
    await assertSame(source, target);
  });
});

/** Writes an archive of rows that no version would write. */
async function writeArchive(file: string, rows: [table: string, row: object][]): Promise<void> {
  const out = createWriteStream(file);
  const archive = new ArchiveWriter(out);
  await archive.begin({ version: '0', migrations: knownMigrations(), createdAt: '' });
  for (const [index, [table, row]] of rows.entries()) {
    const [schema] = (await carriedTables()).filter(({ name }) => name === table);
    const empty = Object.fromEntries((schema?.columns ?? []).map((column) => [column, null]));
    const line = JSON.stringify({ ...empty, ...row });
    await archive.add(rowsPath(table, index + 1), Buffer.from(`${line}\n`));
  }
  await archive.end(new Set());
  out.end();
  await finished(out);
}
