import { strict as assert } from 'node:assert';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { hashOf, type Memory } from '../../briefs-cli/src/memory.ts';
import { recallFile } from '../../briefs-cli/src/recall-file.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { freePorts } from '../free-ports.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { type Desk, installCommand, openDesk } from './command.ts';

/** How many operations; `TWO_FOLDERS_STEPS=500` for the long form. */
const STEPS = Number(process.env.TWO_FOLDERS_STEPS || 40);

/** Names of files, many of which give the same name of a document. */
const FILES = ['a b', 'a-b', 'a/b', 'A-B', 'x', 'X', 'x-2', 'caf\u00e9', 'cafe\u0301', 'r', 's/r'];
const NAMES = ['a-b', 'a-b-2', 'x', 'x-2', 'caf\u00e9', 'r', 's-r'];

const RUNS = [
  ['sync', '.', '--with', 'ada'],
  ['sync', '.', '--with', 'ada'],
  ['sync', '.'],
  ['push', '.'],
  ['push', '.', '--to', 'ada'],
  ['pull', '.'],
  ['pull', 'ada'],
];

/** A link in the texts of this test, with its address. */
const LINK = /(?<=^to \[x\]\()([^)]*)(?=\))/gm;

const OPERATIONS = [
  'create',
  'create',
  'edit',
  'edit',
  'edit',
  'rename',
  'copy',
  'remove',
  'reuse',
  'server create',
  'server edit',
  'server edit',
  'server rename',
  'server delete',
  'run',
  'run',
  'run',
  'run',
  'run',
  'run',
  'kill',
  'kill',
  'resolve',
  'tidy',
] as const;

/** One operation. Its numbers choose folders, files, documents and lines. */
const operation = fc.record({
  what: fc.constantFrom(...OPERATIONS),
  folder: fc.nat(1),
  first: fc.nat(999),
  second: fc.nat(999),
});

interface Document {
  id: string;
  name: string;
  text: string;
}

describe('Two folders on two machines, and a server that others change', async () => {
  const service = await startService();
  const other = await service.user('ada');
  const desk = async (name: string) => {
    const account = { username: 'ada', name, lifetimeMs: undefined };
    const { token } = await createToken(service.app.context, account);
    const environment = { BRIEFS_SERVER: service.webUrl, BRIEFS_TOKEN: token };
    return openDesk(installCommand(), environment);
  };
  const desks: [Desk, Desk] = [await desk('first'), await desk('second')];
  after(async () => {
    await service?.stop();
    for (const desk of desks ?? []) desk.remove();
  });

  it('no line is lost, nothing unread is replaced, and everything converges', async () => {
    const plan = fc.noBias(fc.array(operation, { minLength: STEPS, maxLength: STEPS }));
    await fc.assert(
      fc.asyncProperty(plan, async (operations) => {
        const world = new World(other, desks);
        for (const each of operations) await world.do(each);
        await world.converge();
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

/** What can happen while folders are watched. `server` goes away or comes back. */
const watchedStep = fc.record({
  what: fc.constantFrom('first', 'first', 'second', 'second', 'there', 'new', 'server'),
  file: fc.nat(2),
  pauseMs: fc.constantFrom(0, 0, 300, 1500),
});

describe('Two watched folders of one token, and a server that goes away and comes back', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-watched-'));
  const [port = 0] = await freePorts(1);
  const settings = { DATA_DIR: dataDir, PORT: String(port) };
  let service: Service | undefined = await startService(settings);
  const ada = await service.user('ada');
  const environment = { BRIEFS_SERVER: service.webUrl, BRIEFS_TOKEN: ada.token as string };
  const desks = ['first', 'second'].map(() => openDesk(installCommand(), environment));
  after(async () => {
    await service?.stop();
    for (const desk of desks) desk.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const begin = async () => {
    service ??= await startService(settings);
  };
  const end = async () => {
    await service?.stop();
    service = undefined;
  };

  it('every change comes to every place, without another one', async () => {
    const plan = fc.noBias(fc.array(watchedStep, { minLength: STEPS / 2, maxLength: STEPS / 2 }));
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        // Each side has its own line, so that nothing conflicts.
        const sides = ['first', 'second', 'there'];
        const started = sides.map((side) => `${side} 0\n\nbetween\n`).join('\n');
        for (const name of ['a', 'b', 'c']) {
          await ada.post('/user/briefs', { name, content: started });
        }
        for (const desk of desks) await desk.json(0, 'sync', '.', '--with', 'ada');
        const expected = new Map<string, string>();
        await end();
        const watched = desks.map((desk) => desk.start(['sync', '.', '--with', 'ada', '--watch']));
        for (const [count, { what, file, pauseMs }] of steps.entries()) {
          const name = 'abc'[file] as string;
          const line = `${what} ${count + 1}`;
          const changed = (text: string) => text.replace(new RegExp(`^${what} \\d+$`, 'm'), line);
          const desk = desks[what === 'second' ? 1 : 0] as Desk;
          if (what === 'server') await (service ? end() : begin());
          else if (what === 'new') desk.write(`new-${count}.md`, `new ${count + 1}\n`);
          else if (what !== 'there') desk.write(`${name}.md`, changed(desk.read(`${name}.md`)));
          else if (service) {
            const { data } = await ada.get(`/briefs/ada/${name}`);
            await ada.patch(`/briefs/ada/${name}`, { content: changed(data.content) });
          }
          if (what === 'new') expected.set(`new-${count} new`, line);
          else if (what !== 'server' && (what !== 'there' || service)) {
            expected.set(`${name} ${what}`, line);
          }
          await sleep(pauseMs);
        }
        await begin();
        const missing = async () => {
          const gone: string[] = [];
          for (const [key, line] of expected) {
            const [name] = key.split(' ');
            const { data } = await ada.get(`/briefs/ada/${name}`);
            const files = desks.map((desk) =>
              existsSync(desk.path(`${name}.md`)) ? desk.read(`${name}.md`) : '',
            );
            const texts = [data?.content ?? '', ...files];
            for (const [place, text] of texts.entries()) {
              if (!text.split('\n').includes(line)) gone.push(`${key}: ${line} at ${place}`);
            }
          }
          return gone;
        };
        let left: string[] = [];
        for (const until = Date.now() + 60_000; Date.now() < until; ) {
          left = await missing();
          if (left.length === 0) break;
          await sleep(200);
        }
        for (const each of watched) each.kill('SIGINT');
        const said = await Promise.all(watched.map(({ ended }) => ended));
        const story = [...steps, ...said].map((each) => JSON.stringify(each)).join('\n');
        assert.deepEqual(left, [], story);
        for (const { code } of said) assert.equal(code, 130, story);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

/** Both folders, the server, and what must not get lost. */
class World {
  readonly #client: Client;
  readonly #desks: [Desk, Desk];
  /** The lines in current texts after the last operation. */
  #live = new Set<string>();
  /** The lines that an edit removed somewhere. A run may remove them elsewhere. */
  readonly #removed = new Set<string>();
  /** For each folder, the id and hash of every text that a file in it was based on. */
  readonly #read = [new Set<string>(), new Set<string>()] as const;
  /** Revisions whose base was found there. */
  readonly #checked = new Set<string>();
  readonly #log: string[] = [];
  #count = 0;

  constructor(client: Client, desks: [Desk, Desk]) {
    this.#client = client;
    this.#desks = desks;
  }

  async do({
    what,
    folder,
    first,
    second,
  }: {
    what: (typeof OPERATIONS)[number];
    folder: number;
    first: number;
    second: number;
  }): Promise<void> {
    const desk = this.#desks[folder] as Desk;
    if (what === 'run' || what === 'kill') {
      const args = pick(RUNS, first) as string[];
      await this.#run(desk, args, what === 'kill' ? second % 500 : undefined);
      return;
    }
    this.#log.push(`${what} ${folder} ${first} ${second}`);
    if (what === 'tidy') await this.#tidy(desk, (await this.#run(desk, RUNS[0] as string[])) ?? []);
    else if (what.startsWith('server')) await this.#changeServer(what, first, second);
    else this.#changeFolder(desk, what, first, second);
    this.#live = await this.#lines();
    this.#note();
  }

  #changeFolder(desk: Desk, what: string, first: number, second: number): void {
    const files = filesOf(desk).filter((file) => !existsSync(desk.path(conflictOf(file))));
    const free = FILES.map((name) => `${name}.md`).filter((name) => !existsSync(desk.path(name)));
    const [file, target] = [pick(files, first), pick(free, second)];
    if (what === 'create' && target) desk.write(target, this.#newText());
    if (what === 'resolve') for (const marked of conflictsOf(desk)) resolveConflict(desk, marked);
    if (!file) return;
    if (what === 'edit') desk.write(file, this.#edited(desk.read(file), second));
    if (what === 'remove') rmSync(desk.path(file));
    if (!target) return;
    desk.write(target, '');
    rmSync(desk.path(target));
    if (what === 'copy') copyFileSync(desk.path(file), desk.path(target));
    if (what === 'rename' || what === 'reuse') renameSync(desk.path(file), desk.path(target));
    if (what === 'reuse') desk.write(file, this.#newText());
  }

  async #changeServer(what: string, first: number, second: number): Promise<void> {
    const name = pick(NAMES, second) as string;
    if (what === 'server create') {
      await this.#client.post('/user/briefs', { name, content: this.#newText() });
    }
    const document = pick(await this.#documents(), first);
    if (!document) return;
    const path = `/briefs/ada/${encodeURIComponent(document.name)}`;
    if (what === 'server rename') await this.#client.patch(path, { name });
    if (what === 'server delete') await this.#client.delete(path);
    if (what === 'server edit') {
      await this.#client.patch(path, { content: this.#edited(document.text, second) });
    }
  }

  /** Runs the command and checks what it did. @returns its results; undefined if it was killed */
  async #run(desk: Desk, args: string[], killAfterMs?: number): Promise<Result[] | undefined> {
    this.#log.push(`${desk === this.#desks[0] ? 0 : 1}: ${args.join(' ')} ${killAfterMs ?? ''}`);
    const started = desk.start(['--json', ...args]);
    if (killAfterMs !== undefined) {
      await Promise.race([sleep(killAfterMs), started.ended]);
      started.kill('SIGKILL');
    }
    const { code, stdout, stderr } = await started.ended;
    const results: Result[] | undefined = stdout ? JSON.parse(stdout).results : undefined;
    if (killAfterMs === undefined) assert.ok(results, `${code} ${stderr} ${this.#story()}`);
    const lines = await this.#lines();
    const lost = [...this.#live].filter((line) => !lines.has(line) && !this.#removed.has(line));
    assert.deepEqual(lost, [], this.#story());
    await this.#requireRead();
    this.#live = lines;
    this.#note();
    return results;
  }

  /** Every text that a folder's program replaced must have been the text of one of its files. */
  async #requireRead(): Promise<void> {
    for (const { id, name } of await this.#documents()) {
      const path = `/briefs/ada/${encodeURIComponent(name)}/revisions`;
      for (const revision of (await this.#client.get(`${path}?per_page=100`)).data) {
        const { number, viaName, changed, basedOn } = revision;
        const read = this.#read[['first', 'second'].indexOf(viaName)];
        if (!read || number === 1 || !changed.includes('content')) continue;
        if (this.#checked.has(`${id} ${number}`)) continue;
        const base = (await this.#client.get(`${path}/${basedOn}`)).data;
        const problem = `${name}, revision ${number}. ${this.#story()}`;
        const isRead = read.has(`${id} ${hashOf(base.content)}`);
        assert.ok(isRead || (await this.#changesLinks(path, number, base)), problem);
        this.#checked.add(`${id} ${number}`);
      }
    }
  }

  /** A run that creates documents sends those again whose links lead to later ones. */
  async #changesLinks(
    path: string,
    number: number,
    base: { viaName: string; content: string },
  ): Promise<boolean> {
    const { viaName, content } = (await this.#client.get(`${path}/${number}`)).data;
    return viaName === base.viaName && content.replace(LINK, '') === base.content.replace(LINK, '');
  }

  /** Records which texts the files are based on. */
  #note(): void {
    for (const [index, desk] of this.#desks.entries()) {
      for (const file of [...filesOf(desk), ...conflictsOf(desk)]) {
        const { memory } = recallOf(desk, file);
        if (memory) this.#read[index as 0 | 1].add(`${memory.id} ${memory.hash}`);
      }
    }
  }

  /** Does what the messages ask for, until both folders and the server have the same texts. */
  async converge(): Promise<void> {
    const sync = ['sync', '.', '--with', 'ada'];
    for (let round = 1; ; round++) {
      let isSettled = true;
      for (const desk of this.#desks) {
        const results = (await this.#run(desk, sync)) ?? [];
        isSettled &&= results.every(({ status }) => status === 'unchanged');
        await this.#tidy(desk, results);
      }
      if (isSettled) break;
      assert.ok(round < 12, `it doesn’t converge. ${this.#story()}`);
    }
    const there = Object.fromEntries((await this.#documents()).map(({ id, text }) => [id, text]));
    const names = new Map((await this.#documents()).map(({ id, name }) => [`${name}.md`, id]));
    for (const desk of this.#desks) {
      const read = filesOf(desk).map((file) => ({ file, ...recallOf(desk, file) }));
      assert.equal(read.length, Object.keys(there).length, this.#story());
      const ids = new Map(read.map(({ file, memory }) => [file, (memory as Memory).id]));
      for (const { file, memory, text } of read) {
        const theirs = there[(memory as Memory).id as string] as string;
        assert.equal(text.replace(LINK, ''), theirs.replace(LINK, ''), this.#story());
        const linked = theirs.match(LINK) ?? [];
        for (const [index, path] of (text.match(LINK) ?? []).entries()) {
          const id = ids.get(join(dirname(file), decodeURIComponent(path)));
          // A link to a file leads to its document. Others stay as they are.
          if (id)
            assert.equal(names.get(decodeURIComponent(linked[index] ?? '')), id, this.#story());
        }
      }
    }
  }

  /** Resolves what a person has to resolve after a run. */
  async #tidy(desk: Desk, results: readonly Result[]): Promise<void> {
    for (const marked of conflictsOf(desk)) resolveConflict(desk, marked);
    for (const { file, status, message = '' } of results) {
      if (!['conflict', 'failed', 'skipped'].includes(status) || !existsSync(desk.path(file)))
        continue;
      if (!/both linked|--new|Rename/.test(message)) continue;
      // One of the two can stay.
      if (message.startsWith(`${file} and `)) continue;
      const { text } = recallOf(desk, file);
      rmSync(desk.path(file));
      desk.write(`tidied-${++this.#count}.md`, text);
    }
    this.#live = await this.#lines();
    this.#note();
  }

  async #documents(): Promise<Document[]> {
    const { data } = await this.#client.get('/user/briefs?per_page=100');
    return Promise.all(
      data.map(async ({ id, name }: Document) => {
        const document = await this.#client.get(`/briefs/ada/${encodeURIComponent(name)}`);
        return { id, name, text: document.data.content };
      }),
    );
  }

  /** Returns the lines of all current texts. */
  async #lines(): Promise<Set<string>> {
    const texts = (await this.#documents()).map(({ text }) => text);
    for (const desk of this.#desks) {
      for (const file of [...filesOf(desk), ...conflictsOf(desk)]) texts.push(desk.read(file));
    }
    return new Set(texts.flatMap((text) => text.match(/^line \d+$/gm) ?? []));
  }

  #newText(): string {
    return this.#newLines() + this.#newLink();
  }

  /** A link to a file that may be there, or come later. */
  #newLink(): string {
    if (this.#count % 2 === 0) return '';
    return `to [x](${encodeURI(pick(FILES, this.#count) as string)}.md)\n`;
  }

  #newLines(): string {
    return Array.from({ length: 1 + (this.#count % 4) }, () => this.#newLine()).join('');
  }

  #newLine(): string {
    return `line ${++this.#count}\n`;
  }

  /** Adds, replaces or removes a line. */
  #edited(text: string, choice: number): string {
    const lines = text.split(/(?<=\n)/);
    const places = lines.flatMap((line, index) => (/^line \d+\n/.test(line) ? [index] : []));
    const place = pick(places, choice);
    if (place === undefined || choice % 3 === 0) return text + this.#newLine();
    this.#removed.add((lines[place] as string).trim());
    return lines.with(place, choice % 3 === 1 ? this.#newLine() : '').join('');
  }

  #story(): string {
    return `After: ${this.#log.join('; ')}`;
  }
}

interface Result {
  file: string;
  status: string;
  message?: string;
}

/** Returns a file's text, and what its folder stores about its document. */
function recallOf(desk: Desk, file: string) {
  return recallFile({ shown: file, path: desk.path(file), kind: 'brief', folder: desk.folder });
}

function pick<T>(items: readonly T[], choice: number): T | undefined {
  return items[choice % Math.max(1, items.length)];
}

function allFiles(desk: Desk): string[] {
  const names = readdirSync(desk.folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).sort();
}

function filesOf(desk: Desk): string[] {
  return allFiles(desk).filter((name) => !name.endsWith('.conflict.md'));
}

function conflictsOf(desk: Desk): string[] {
  return allFiles(desk).filter((name) => name.endsWith('.conflict.md'));
}

function conflictOf(file: string): string {
  return file.replace(/\.md$/, '.conflict.md');
}

/** Keeps the lines of both sides, and what the file has got since. */
function resolveConflict(desk: Desk, marked: string): void {
  const file = marked.replace(/\.conflict\.md$/, '.md');
  const kept = desk.read(marked).replace(/^(<<<<<<< yours|=======|>>>>>>> revision \d+)\n/gm, '');
  const own = existsSync(desk.path(file)) ? (desk.read(file).match(/^line \d+\n/gm) ?? []) : [];
  const later = own.filter((line) => !kept.includes(line));
  desk.write(file, kept + later.join(''));
  rmSync(desk.path(marked));
}
