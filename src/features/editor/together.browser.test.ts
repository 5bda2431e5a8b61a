import { strict as assert } from 'node:assert';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../../../test/chance.ts';
import { packAll } from '../../../test/document/pack-all.ts';
import type { Answer, Client, Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { beginJourney, editorReady, inSplit } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

/** How long they write; `TOGETHER_SECONDS=60` for the long form. */
const SECONDS = Number(process.env.TOGETHER_SECONDS || 5);

const chance = newChance('together');

const BRIEF = '/briefs/ada/shared';

/** Everyone adds lines below this heading, and at the end of their own section. */
const SHARED = '## Shared\n';
const WRITERS = ['editor', 'publisher', 'program', 'person'] as const;
type Writer = (typeof WRITERS)[number];
const CONTENT = `# Plan\n\n${SHARED}\n${WRITERS.map((name) => `## Of the ${name}\n\nBegin.\n`).join('\n')}`;

/** A word that was written, and the outcome. */
interface Written {
  word: string;
  writer: Writer;
  /** How often the save was refused with CONFLICT. */
  conflicts: number;
  /** The revision in the response, if the writer gets one. */
  revision?: number | undefined;
}

/** Puts a line with a word into a text, in the shared section or in the writer's. */
function withLine(text: string, writer: Writer, word: string, isShared: boolean): string {
  if (isShared) return text.replace(SHARED, `${SHARED}${word}\n`);
  const heading = `## Of the ${writer}\n\n`;
  return text.replace(heading, `${heading}${word}\n`);
}

const revisionOf = ({ headers }: Answer) => Number(headers.get('x-revision'));

describe('Two agents, a program and a person', IN_BROWSER, () => {
  let service: Service;
  let people: Record<'ada' | 'grace' | 'edsger' | 'barbara', Person>;

  openStage({ people: ['ada', 'grace', 'edsger', 'barbara'] }, async (stage) => {
    ({ service, ...people } = stage);
    const made = await people.ada.client.post('/user/briefs', {
      name: 'shared',
      content: CONTENT,
      visibility: 'private',
    });
    assert.equal(made.status, 201, made.text);
    for (const { username, client } of [people.grace, people.edsger, people.barbara]) {
      const path = `${BRIEF}/collaborators/${username}`;
      const { data } = await people.ada.client.put(path, { permission: 'write' });
      await client.patch(`/user/brief_invitations/${data.id}`);
    }
  });

  const written: Written[] = [];

  /** Adds lines one after another until the time is up. */
  async function write(
    writer: Writer,
    pauseMs: number,
    add: (word: string, isShared: boolean) => Promise<Omit<Written, 'word' | 'writer'>>,
  ): Promise<void> {
    const end = Date.now() + SECONDS * 1000;
    // Writes at least one line of each kind, even on a slow machine.
    for (let count = 1; Date.now() < end || count <= 2; count++) {
      const word = `${writer}-${count}-end`;
      written.push({ word, writer, ...(await add(word, count % 4 === 2)) });
      await sleep(chance.below(pauseMs));
    }
  }

  /** Reads again and repeats a call until no one else has changed the same lines. */
  async function untilWritten(
    attempt: () => Promise<{ revision: number | undefined }>,
  ): Promise<{ revision: number | undefined; conflicts: number }> {
    for (let conflicts = 0; ; conflicts++) {
      const { revision } = await attempt();
      if (revision !== undefined) return { revision, conflicts };
    }
  }

  /** Edits with the revision that it read, as the tool's description requires. */
  async function editorAgent(): Promise<void> {
    const agent = await connect(service, people.grace.client.token);
    const ref = { owner: 'ada', name: 'shared' };
    await write('editor', 400, (word, isShared) =>
      untilWritten(async () => {
        const read = await agent.call('read_document', { ...ref, view: 'outline' });
        assert.equal(read.code, undefined, read.text);
        await sleep(chance.below(50));
        const after = isShared ? SHARED : '## Of the editor\n\n';
        const edits = [{ op: 'insert', after, content: `${word}\n` }];
        const base_revision = read.data.document.revision;
        const done = await agent.call('edit_document', { ...ref, edits, base_revision });
        if (done.code) assert.equal(done.code, 'CONFLICT', done.text);
        return { revision: done.data?.revision };
      }),
    );
    await agent.close();
  }

  /** Publishes the whole text with the revision that it read. */
  async function publishingAgent(): Promise<void> {
    const agent = await connect(service, people.edsger.client.token);
    const ref = { owner: 'ada', name: 'shared' };
    await write('publisher', 400, (word, isShared) =>
      untilWritten(async () => {
        const read = await agent.call('read_document', { ...ref, max_bytes: 200_000 });
        assert.equal(read.code, undefined, read.text);
        await sleep(chance.below(50));
        const content = withLine(read.data.content, 'publisher', word, isShared);
        const base_revision = read.data.document.revision;
        const done = await agent.call('publish_document', { ...ref, content, base_revision });
        if (done.code) assert.equal(done.code, 'CONFLICT', done.text);
        return { revision: done.data?.document.revision };
      }),
    );
    await agent.close();
  }

  /** Writes over the API, with `baseRevision`. */
  async function program(client: Client): Promise<void> {
    await write('program', 400, (word, isShared) =>
      untilWritten(async () => {
        const read = await client.get(BRIEF);
        await sleep(chance.below(50));
        const content = withLine(read.data.content, 'program', word, isShared);
        const baseRevision = revisionOf(read);
        const done = await client.patch(BRIEF, { content, baseRevision });
        if (done.status !== 200) assert.equal(done.json.error.code, 'CONFLICT', done.text);
        return { revision: done.status === 200 ? revisionOf(done) : undefined };
      }),
    );
  }

  /** Types lines in the web editor. */
  async function person(): Promise<void> {
    const { page, go, end } = await beginJourney(service, people.barbara);
    await go('/edit/ada/shared');
    await editorReady(page);
    await inSplit(page);
    await write('person', 400, async (word, isShared) => {
      const heading = page.locator('.write-pane .cm-line', { hasText: SHARED.trim() });
      if (isShared) await page.keyboard.press('Control+Home');
      if (isShared) await heading.click();
      else await page.keyboard.press('Control+End');
      await page.keyboard.press('End');
      await page.keyboard.type(`\n${word}`);
      await page.keyboard.press('Control+s');
      const saved = page.waitForSelector('#save-state[data-state="saved"]');
      await saved.catch(async (error) => {
        const said = await page.locator('#save-state, #editor-notices').allTextContents();
        throw new Error(`not saved: ${said.join(' ')}`, { cause: error });
      });
      return { conflicts: 0 };
    });
    await end();
  }

  async function revisionTexts(client: Client): Promise<string[]> {
    const current = await client.get(BRIEF);
    const texts: string[] = [];
    for (let number = 1; number <= revisionOf(current); number++) {
      const answer = await client.get(`${BRIEF}/revisions/${number}`);
      assert.equal(answer.status, 200, answer.text);
      texts.push(answer.data.content);
    }
    assert.equal(texts.at(-1), current.data.content);
    return texts;
  }

  it(`write one brief for ${SECONDS} seconds, and no word is lost and every revision is readable`, async (t: TestContext) => {
    const { ada } = people;
    await Promise.all([editorAgent(), publishingAgent(), program(ada.client), person()]);
    const texts = await revisionTexts(ada.client);
    for (const { word, writer, revision } of written) {
      const first = texts.findIndex((text) => text.includes(word)) + 1;
      assert.ok(first > 0, `${word} was never there`);
      if (revision !== undefined) assert.equal(first, revision, `where ${word} appeared`);
      const lost = texts.findIndex((text, at) => at >= first && !text.includes(word));
      assert.equal(lost, -1, `revision ${lost + 1} lost ${word} of the ${writer}`);
      assert.equal(texts.at(-1)?.split(word).length, 2, `${word} is there once`);
    }
    await packAll(service.app.context);
    assert.deepEqual(await revisionTexts(ada.client), texts, 'the same when they are packed');
    for (const writer of WRITERS) {
      const own = written.filter((each) => each.writer === writer);
      const conflicts = own.reduce((sum, each) => sum + each.conflicts, 0);
      t.diagnostic(`${writer}: ${own.length} lines, ${conflicts} conflicts answered`);
    }
    t.diagnostic(`${texts.length} revisions`);
  });
});
