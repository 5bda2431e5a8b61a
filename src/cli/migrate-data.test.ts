import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../test/files/samples.ts';
import { freePorts } from '../../test/free-ports.ts';
import { type Client, type Service, startService } from '../../test/harness.ts';
import { type Outcome, runBriefs, startBriefs, succeed } from '../../test/process.ts';
import {
  collaborate,
  join as enrol,
  expectStatus,
  invite,
  makeDocument,
} from '../../test/rest/scenario.ts';
import { STACK, stackSettings } from '../../test/stack.ts';
import { databaseState, namedBlobs, storedBlobs, storedBytes } from '../../test/state.ts';
import { readConfig } from '../core/config/read-config.ts';
import type { Context } from '../core/context.ts';
import { KINDS } from '../core/document/kind.ts';
import { closeContext, openContext } from '../open-context.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

type Settings = Record<string, string>;

/** An installation on SQLite and disk, whatever the stack under test. */
function embedded(name: string): Settings & { DATA_DIR: string } {
  return { DATA_DIR: join(home, name), DATABASE_URL: '', BLOB_URL: '', REDIS_URL: '' };
}

/** An installation on the stack under test. */
async function onStack(name: string): Promise<Settings> {
  const settings = embedded(name);
  return { ...settings, ...(await stackSettings(settings.DATA_DIR)) };
}

/** Writes a settings file for `--to`. */
function fileOf(settings: Settings): string {
  const file = join(home, `${randomUUID()}.env`);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

function migrate(source: Settings, target: Settings, ...flags: string[]): Promise<Outcome> {
  return runBriefs(['migrate-data', '--to', fileOf(target), ...flags], source);
}

/** Migrates everything, requires that all comparisons agree, and returns the output. */
async function carry(source: Settings, target: Settings, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await migrate(source, target, ...flags);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /\nThe copy is equal to the source\.\n$/);
  assert.doesNotMatch(stdout, /\bNO\b/);
  return stdout;
}

async function inside<T>(settings: Settings, work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext(readConfig(settings));
  return work(context).finally(() => closeContext(context));
}

async function serving<T>(settings: Settings, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService(settings);
  return work(service).finally(() => service.stop());
}

/** Reads all of an installation: rows and the bytes they refer to. */
function contentOf(settings: Settings) {
  return inside(settings, async (context) => {
    const blobs: Record<string, string> = {};
    for (const key of await namedBlobs(context)) {
      blobs[key] = (await storedBytes(context, key)).toString('base64');
    }
    return { rows: await databaseState(context), blobs };
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

describe('migrate-data', () => {
  const source = embedded('source');
  let ports: Settings;
  let clients: Client[];
  let addresses: string[];
  let answers: unknown[];
  let unanswered: Promise<Outcome>;

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
    const [unused] = await freePorts(1);
    const away = `postgres://u:secret@127.0.0.1:${unused}/x`;
    // Takes half a minute, in parallel with the other tests.
    unanswered = migrate(source, { ...embedded('away'), DATABASE_URL: away });
  });

  /** Requires that callers can't tell the two installations apart. */
  async function assertServes(settings: Settings): Promise<void> {
    await serving({ ...settings, ...ports }, async (service) => {
      assert.deepEqual(await answersOf(service, clients, addresses), answers);
      await makeDocument(service.client(clients[0]?.token), 'another');
    });
  }

  it('copies everything to other back ends, where the service continues, and back', async () => {
    const target = await onStack('target');
    const said = await carry(source, target);
    assert.match(said, /^document +11 +[0-9a-f]{12} +yes$/m);
    assert.match(said, /^8 +\d+ +0 +0 +yes$/m);
    await assertSame(source, target);
    await inside(target, async (context) => {
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    });
    const back = embedded('back');
    await carry(target, back);
    await assertSame(source, back);
    await assertServes(target);
    await carry(target, back, '--resume');
    await assertSame(target, back);
  });

  const onServers = { skip: STACK !== 'servers' && 'two data directories share no database' };

  it('doesn’t copy what both sides share', onServers, async () => {
    const { DATABASE_URL = '' } = await onStack('mixed');
    const mixed = { ...embedded('mixed'), DATABASE_URL };
    await carry(source, mixed);
    const elsewhere = { ...embedded('mixed-elsewhere'), DATABASE_URL };
    const said = await carry(mixed, elsewhere);
    assert.doesNotMatch(said, /TABLE|PostgreSQL/);
    await assertSame(source, elsewhere);
    const sameDisk = { ...source, DATABASE_URL };
    assert.doesNotMatch(await carry(source, sameDisk, '--resume'), /BLOBS|files in/);
  });

  it('--resume copies any later change', async () => {
    const changing = embedded('changing');
    await carry(source, changing);
    const target = await onStack('changed');
    await carry(changing, target);
    await serving(changing, async (service) => {
      const [ada, grace, alan] = clients.map(({ token }) => service.client(token)) as [
        Client,
        Client,
        Client,
      ];
      const rename = (from: string, name: string) =>
        expectStatus(ada.patch(`/briefs/ada/${from}`, { name }), 200);
      await rename('empty', 'between');
      await rename('unicode', 'empty');
      await rename('between', 'unicode');
      await expectStatus(ada.patch('/pages/ada/page-quotes', { html: '<p>new</p>' }), 200);
      await expectStatus(ada.delete('/pages/ada/page-empty'), 204);
      await expectStatus(ada.delete('/briefs/ada/large'), 204);
      await makeDocument(grace, 'new');
      await expectStatus(ada.patch('/orgs/engines', { membersCanCreate: false }), 200);
      await expectStatus(alan.patch('/user/memberships/orgs/engines', { state: 'active' }), 200);
      await expectStatus(ada.delete('/orgs/engines/members/grace'), 204);
      await service.user('newcomer');
    });
    await succeed(['users', 'disable', 'grace'], changing);
    await inside(changing, ({ sql }) =>
      sql.transaction(async (writer) => {
        // Two users exchange their names and email addresses.
        for (const [from, to] of [
          ['ada', 'x'],
          ['grace', 'ada'],
          ['x', 'grace'],
        ] as const) {
          const set = { email: to, email_key: to };
          const id = writer.selectFrom('owner').select('id').where('namespace', '=', from);
          await writer.updateTable('account').set(set).where('id', '=', id).execute();
          await writer
            .updateTable('owner')
            .set({ namespace: to })
            .where('namespace', '=', from)
            .execute();
        }
      }),
    );
    assertRefused(await migrate(changing, target), 1, /already has data/);
    await carry(changing, target, '--resume');
    await assertSame(changing, target);
    await carry(changing, target, '--resume');
    await assertSame(changing, target);
  });

  it('--resume makes the target equal to the source', async () => {
    const target = await onStack('foreign');
    await serving(target, async (service) => {
      const [grace, other] = [await service.user('grace'), await service.user('other')];
      await makeDocument(other, 'foreign');
      const path = await makeDocument(grace, 'shared', { kind: KINDS.page });
      await collaborate(grace, path, other, 'write');
      assert.equal((await fetch(`${service.webUrl}/other/foreign`)).status, 200);
    });
    const [damaged = ''] = await inside(source, namedBlobs);
    await inside(target, ({ blobs }) => blobs.write(damaged, Readable.from([Buffer.from('!')])));
    await carry(source, target, '--resume');
    await assertSame(source, target);
    await inside(target, async ({ sql }) => {
      assert.deepEqual(await sql.read.selectFrom('rendition').selectAll().execute(), []);
    });
  });

  it('reports missing content at the source, and exits with 1', async () => {
    const broken = embedded('broken');
    await carry(source, broken);
    const [key = ''] = await inside(broken, namedBlobs);
    await inside(broken, ({ blobs }) => blobs.delete(key));
    const target = embedded('unbroken');
    const { code, stdout, stderr } = await migrate(broken, target);
    assert.equal(code, 1);
    assert.match(stdout, /^8 +\d+ +0 +1 +NO$/m);
    assert.match(
      stderr,
      /^briefs: [^\n]*content of 1 rows[^\n]*Stop the service[^\n]*--resume\.\n$/,
    );
    await inside(source, async (context) => {
      const bytes = await storedBytes(context, key);
      await inside(broken, ({ blobs }) => blobs.write(key, Readable.from([bytes])));
    });
    await carry(broken, target, '--resume');
    await assertSame(source, target);
  });

  it('run during writes and again after stopping, misses nothing', async () => {
    const busy = embedded('busy');
    await carry(source, busy);
    const target = await onStack('followed');
    const outcome = await serving(busy, async (service) => {
      let writing = true;
      const ada = service.client(clients[0]?.token);
      const write = async () => {
        for (let count = 0; writing; count++) {
          await expectStatus(ada.post('/user/briefs', { name: `b${count}`, content: 'x' }), 201);
          await expectStatus(ada.patch('/pages/ada/page-quotes', { html: `${count}` }), 200);
        }
      };
      const run = migrate(busy, target).finally(() => {
        writing = false;
      });
      await Promise.all([run, write()]);
      return run;
    });
    assert.ok(
      outcome.code === 0 || /was deleted at the source/.test(outcome.stderr),
      outcome.stderr,
    );
    await carry(busy, target, '--resume');
    await assertSame(busy, target);
  });

  it('refuses impossible targets in one line', async () => {
    const target = embedded('refusing');
    assertRefused(
      await migrate(source, source),
      1,
      /describes the same data as the environment: SQLite in /,
    );
    assertRefused(await migrate(source, source, '--resume'), 1, /describes the same data/);
    const run = (file: string) => runBriefs(['migrate-data', '--to', file], source);
    assertRefused(await run(join(home, 'missing.env')), 1, /There is no file .*missing\.env/);
    const unknown = fileOf({ ...target, DATABASE_URI: 'x' });
    assertRefused(await run(unknown), 2, /\.env: DATABASE_URI: unknown setting/);
    const malformed = fileOf({ ...target, DATABASE_URL: 'postgres://:secret@' });
    const outcome = await run(malformed);
    assertRefused(outcome, 2, /\.env: DATABASE_URL: is not an address/);
    assert.doesNotMatch(outcome.stderr, /secret/);
    const empty = embedded('nothing');
    assertRefused(await migrate(empty, target), 1, /There is no data in .*nothing/);
    const inFile = { ...target, DATA_DIR: fileOf({}) };
    assertRefused(await migrate(source, inFile), 1, /\.env: DATA_DIR: .*is not a folder/);
  });

  it('refuses a target that doesn’t answer, naming the setting without the password', async () => {
    const outcome = await unanswered;
    const waiting = /^briefs: waiting up to 30 seconds for the database [^\n]+\n/;
    assert.match(outcome.stderr, waiting);
    outcome.stderr = outcome.stderr.replace(waiting, '');
    assertRefused(outcome, 1, /\.env: DATABASE_URL: the database does not answer/);
    assert.doesNotMatch(outcome.stderr, /secret/);
  });

  it('needs --to', async () => {
    const { code, stderr } = await runBriefs(['migrate-data'], source);
    assert.equal(code, 2);
    assert.match(stderr, /required option '--to/);
  });
});

describe('migrate-data, killed in the middle', () => {
  const source = embedded('many');
  const BRIEFS = 6_000;
  const PAGES = 400;

  before(async () => {
    await succeed(['users', 'create', 'ada', '--email', 'ada@example.com'], source);
    await inside(source, async ({ sql, blobs }) => {
      const ids = Array.from({ length: BRIEFS + PAGES }, (_, n) => String(n).padStart(6, '0'));
      await sql.transaction(async (writer) => {
        const owner = await writer.selectFrom('owner').select('id').executeTakeFirstOrThrow();
        for (const [n, id] of ids.entries()) {
          await writer
            .insertInto('document')
            .values({
              id,
              name: id,
              owner_id: owner.id,
              owner_type: 'user',
              visibility: 'public',
              version: 1,
              size_bytes: 4_000,
              created_at: id,
              updated_at: id,
              ...(n < BRIEFS
                ? { kind: 'brief', content: id.repeat(700) }
                : { kind: 'page', storage_path: `pages/${id}` }),
            })
            .execute();
        }
      });
      for (const id of ids.slice(BRIEFS)) {
        await blobs.write(`pages/${id}`, Readable.from([Buffer.from(id.repeat(700))]));
      }
    });
  });

  /** Starts the command and kills it once the target has some of what is counted. */
  async function killOnceThereAre(
    target: Settings,
    count: (context: Context) => Promise<number>,
    ...flags: string[]
  ): Promise<number> {
    const context = await openContext(readConfig(target));
    try {
      const before = await count(context);
      const args = ['migrate-data', '--to', fileOf(target), ...flags];
      const running = startBriefs(args, source);
      let ended = false;
      void running.ended.then(() => {
        ended = true;
      });
      while (!ended && (await count(context)) === before)
        await new Promise((resolve) => setTimeout(resolve, 2));
      const { signal, stderr } = await running.kill('SIGKILL');
      assert.equal(signal, 'SIGKILL', stderr);
      return await count(context);
    } finally {
      await closeContext(context);
    }
  }

  const countRows = async ({ sql }: Context) =>
    (await sql.read.selectFrom('document').select('id').execute()).length;
  const countBlobs = async (context: Context) => (await storedBlobs(context)).length;

  it('continues with --resume, from rows and from blobs, with the same result', async () => {
    const target = await onStack('killed');
    const rows = await killOnceThereAre(target, countRows);
    assert.ok(rows > 0 && rows < BRIEFS + PAGES, `${rows} rows`);
    assertRefused(await migrate(source, target), 1, /--resume/);
    const more = await killOnceThereAre(target, countRows, '--resume');
    assert.ok(more > rows, `${more} rows`);
    const blobs = await killOnceThereAre(target, countBlobs, '--resume');
    assert.ok(blobs > 0 && blobs < PAGES, `${blobs} blobs`);
    await carry(source, target, '--resume');
    await assertSame(source, target);
  });
});

describe('Backups', () => {
  it('refuse data on servers, and say what to do instead', async () => {
    const url = { DATABASE_URL: 'postgres://127.0.0.1:1/x', BLOB_URL: 's3://bucket' };
    const file = join(home, 'x.backup');
    for (const [setting, value] of Object.entries(url)) {
      for (const command of ['backup', 'restore']) {
        const settings = { ...embedded('backed-up'), [setting]: value };
        const message = new RegExp(`${setting} is set, .*pg_dump.*migrate-data`);
        assertRefused(await runBriefs([command, file], settings), 1, message);
      }
    }
  });
});
