import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../../../test/chance.ts';
import { freePorts } from '../../../test/free-ports.ts';
import { type Service, startService } from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { type ServeProcess, startServe } from '../../../test/process.ts';
import { nginxMissing, startDeployedProxy } from '../../../test/servers/nginx.ts';
import type { ServerProcess } from '../../../test/servers/server-process.ts';
import { until } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { openEditor, type TestEditor } from './editor.testing.ts';

/** How long they write, and how many; docs/develop/performance.md has the long form. */
const SECONDS = Number(process.env.LIVE_SECONDS || 5);
const EDITORS = Number(process.env.LIVE_EDITORS || 6);
/** How long the text is at first, in paragraphs. */
const PARAGRAPHS = Number(process.env.LIVE_PARAGRAPHS || 40);

const chance = newChance('live');

/** A word that someone wrote. */
interface Word {
  text: string;
  at: number;
  /** Whether the service has said that it is stored. */
  isStored: boolean;
}

/** How processes end, and whether editors reach them by the documented proxy. */
const WAYS = [
  { what: 'killed one after another', signal: 'SIGKILL', isProxied: false },
  { what: 'restarted one after another behind the proxy', signal: 'SIGTERM', isProxied: true },
] as const;

for (const way of WAYS) {
  describe(`Many people and two agents in one text, on processes ${way.what}`, {
    skip: way.isProxied && nginxMissing(),
  }, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    let service: Service;
    const others: ServeProcess[] = [];
    const people: Person[] = [];
    const settings: Record<string, string> = { DATA_DIR: dataDir };
    let proxy: ServerProcess | undefined;

    before(async () => {
      service = await startService({ DATA_DIR: dataDir });
      for (const name of ['ada', 'grace', 'alan', 'edsger', 'agent']) {
        people.push(await makePerson(service, name));
      }
      const [port] = await freePorts(1);
      if (way.isProxied) settings.WEB_URL = `http://127.0.0.1:${port}`;
      for (let count = 0; count < 2; count += 1) others.push(await startServe(settings));
      const [one, other] = others as [ServeProcess, ServeProcess];
      if (way.isProxied) proxy = await startDeployedProxy([one.port, other.port], port);
    });
    after(async () => {
      await proxy?.kill('SIGTERM');
      await Promise.all(others.map((each) => each.kill('SIGTERM')));
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });

    const latencies: Record<'key' | 'agent', number[]> = { key: [], agent: [] };
    const words = new Map<string, Word>();
    /** Who waits to see a word of another: by its text. */
    const seen = (text: string, kind: 'key' | 'agent') => {
      for (const [, word] of text.matchAll(/(\w+-\d+)\./g)) {
        const written = words.get(word as string);
        if (written) latencies[kind].push(performance.now() - written.at);
      }
    };

    async function makeBrief(): Promise<{ id: string; text: string }> {
      const [ada] = people as [Person];
      const paragraphs = Array.from(
        { length: PARAGRAPHS },
        (_, index) => `Paragraph ${index} says what was known in the beginning.`,
      );
      const text = `# Plan\n\n## Agents\n\n${paragraphs.join('\n\n')}\n`;
      const body = { name: 'plan', content: text, visibility: 'private' };
      const { data } = await ada.client.post('/user/briefs', body);
      for (const { username, client } of people.slice(1)) {
        const path = `/briefs/ada/plan/collaborators/${username}`;
        const added = await ada.client.put(path, { permission: 'write' });
        await client.patch(`/user/brief_invitations/${added.data.id}`);
      }
      return { id: data.id, text };
    }

    const cookieOf = ({ visitor }: Person) =>
      Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');

    async function open(index: number, brief: { id: string; text: string }): Promise<TestEditor> {
      const who = people[index % 4] as Person;
      const place = others[index % others.length] as ServeProcess;
      const { data } = await who.client.get('/user');
      const url = `${place.webUrl.replace('http', 'ws')}/live/edit/${brief.id}`;
      const headers = { origin: place.webUrl, cookie: cookieOf(who) };
      const from = { version: 1, text: brief.text };
      return openEditor({ url, headers, accountId: data.id }, from);
    }

    /** Types words at the ends of random lines until the time is up, and comes back when it is cut. */
    async function type(editor: TestEditor, name: string, end: number): Promise<void> {
      editor.onOthers = ({ clientId, changes }) =>
        seen(JSON.stringify(changes), clientId === '' ? 'agent' : 'key');
      for (let count = 1; performance.now() < end; count += 1) {
        const text = editor.text();
        const lines = [...text.matchAll(/\.$/gm)];
        const at = (chance.pick(lines)?.index ?? text.length - 1) + 1;
        const word = `${name}-${count}`;
        words.set(word, { text: word, at: performance.now(), isStored: false });
        const { refused } = editor;
        editor.type(at, ` ${word}.`);
        await sleep(chance.below(400));
        // Where a program's write met the word, a person would be asked about it.
        if (editor.isSent() && editor.refused === refused) {
          const written = words.get(word);
          if (written) written.isStored = true;
        }
        if (chance.below(100) < 3) editor.cut();
        while (editor.socket.readyState !== WebSocket.OPEN && performance.now() < end) {
          if (!(await editor.reconnect())) await sleep(100);
        }
      }
      await until(`${name} is connected`, async () => {
        return editor.socket.readyState === WebSocket.OPEN || editor.reconnect();
      });
    }

    /** Adds lines by tools until the time is up. */
    async function edit(name: string, end: number): Promise<void> {
      const agent = await connect(service, (people[4] as Person).client.token);
      for (let count = 1; performance.now() < end; count += 1) {
        const word = `${name}-${count}`;
        words.set(word, { text: word, at: performance.now(), isStored: false });
        const edits = [{ op: 'insert', after: '## Agents\n\n', content: `${word}.\n\n` }];
        const done = await agent.call('edit_document', { owner: 'ada', name: 'plan', edits });
        assert.equal(done.code, undefined, done.text);
        (words.get(word) as Word).isStored = true;
        await sleep(500 + chance.below(500));
      }
      await agent.close();
    }

    /** Kills one process after another and starts it again. */
    async function killSome(end: number): Promise<number> {
      let kills = 0;
      for (let index = 0; ; index = (index + 1) % others.length) {
        await sleep(Math.min((SECONDS * 1_000) / 3, 15_000));
        if (performance.now() > end - 1_000) return kills;
        const { port, renderUrl } = others[index] as ServeProcess;
        await (others[index] as ServeProcess).kill(way.signal);
        kills += 1;
        others[index] = await startServe({
          ...settings,
          PORT: String(port),
          RENDER_PORT: new URL(renderUrl).port,
        });
      }
    }

    it(`for ${SECONDS} seconds, with cuts: nothing stored is lost, and all see the same`, async (t: TestContext) => {
      const brief = await makeBrief();
      const editors: TestEditor[] = [];
      for (let index = 0; index < EDITORS; index += 1) editors.push(await open(index, brief));
      const end = performance.now() + SECONDS * 1_000;
      const [kills] = await Promise.all([
        killSome(end),
        edit('first', end),
        edit('second', end),
        ...editors.map((editor, index) => type(editor, `person${index}`, end)),
      ]);
      const isSame = async () => {
        // A process may have ended last.
        const connected = await Promise.all(
          editors.map((each) => each.socket.readyState === WebSocket.OPEN || each.reconnect()),
        );
        const text = editors[0]?.text() ?? '';
        const isThere = (word: string) => text.includes(`${word}.`);
        // What an agent wrote last may be on its way to the editors.
        return (
          connected.every(Boolean) &&
          editors.every((each) => each.isSent() && each.text() === text) &&
          words.values().every(({ text: word, isStored }) => !isStored || isThere(word))
        );
      };
      await until('everybody has the same text, and what was stored', isSame).catch((error) => {
        const now = editors[0]?.text() ?? '';
        const missing = words
          .values()
          .filter((each) => each.isStored && !now.includes(`${each.text}.`));
        t.diagnostic(
          `missing: ${missing
            .map((each) => each.text)
            .toArray()
            .join(' ')}: ${now}`,
        );
        for (const { socket, isSent, text, messages, refused } of editors) {
          const said = messages.slice(-5).map((each) => JSON.stringify(each).slice(0, 150));
          t.diagnostic(
            `${socket.readyState} ${isSent()} ${refused} ${text().length} ${said.join(' ')}`,
          );
        }
        throw error;
      });
      const text = (editors[0] as TestEditor).text();
      for (const { text: word, isStored } of words.values()) {
        const count = text.split(`${word}.`).length - 1;
        assert.ok(count === 1 || (count === 0 && !isStored), `${word} is there ${count} times`);
      }
      editors[0]?.send({ type: 'save' });
      const [ada] = people as [Person];
      await until('the text is a revision', async () => {
        return (await ada.client.get('/briefs/ada/plan')).data.content === text;
      });
      const { data: revisions } = await ada.client.get('/briefs/ada/plan/revisions?per_page=100');
      for (const { author, number } of revisions)
        assert.ok(author, `revision ${number} has an author`);
      for (const editor of editors) editor.cut();
      for (const [kind, values] of Object.entries(latencies)) {
        const sorted = values.toSorted((a, b) => a - b);
        const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
        t.diagnostic(`${kind}: ${sorted.length}, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
      }
      t.diagnostic(`${words.size} words, ${revisions.length} revisions, ${kills} kills`);
    });
  });
}

describe('A page at one process, an editor at another', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let service: Service;
  let other: ServeProcess;
  let ada: Person;

  before(async () => {
    service = await startService({ DATA_DIR: dataDir });
    ada = await makePerson(service, 'ada');
    other = await startServe({ DATA_DIR: dataDir });
  });
  after(async () => {
    await other.kill('SIGTERM');
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('shows what is typed, before a revision has it', async () => {
    const body = { name: 'plan', content: '# Plan\n', visibility: 'private' };
    const { data } = await ada.client.post('/user/briefs', body);
    const cookie = Array.from(ada.visitor.cookies, (pair) => pair.join('=')).join('; ');
    const accountId = (await ada.client.get('/user')).data.id;
    const live = (webUrl: string) => `${webUrl.replace('http', 'ws')}/live`;
    const headers = { origin: service.webUrl, cookie };
    const at = { url: `${live(service.webUrl)}/edit/${data.id}`, headers, accountId };
    const editor = await openEditor(at, { version: 1, text: '# Plan\n' });
    const options = { headers: { origin: other.webUrl, cookie } };
    const page = new WebSocket(`${live(other.webUrl)}/ada/plan`, options as unknown as string[]);
    const told: string[] = [];
    page.addEventListener('message', ({ data }) => told.push(JSON.parse(data).typed ?? ''));
    await once(page, 'open');
    const shown = async () => {
      const asking = { cookie, accept: 'text/html', 'x-typed-text': told.at(-1) ?? '' };
      return (await fetch(`${other.webUrl}/read/ada/plan`, { headers: asking })).text();
    };
    for (let count = 1; count <= 15; count += 1) {
      editor.type(editor.text().length, `Word ${count}.\n`);
      await sleep(100);
    }
    await until('all of it is told and shown', async () => {
      return told.some((state) => state !== '') && (await shown()).includes('Word 15.');
    });
    assert.equal((await ada.client.get('/briefs/ada/plan')).data.revision ?? 1, 1);
    page.close();
    editor.cut();
  });
});
