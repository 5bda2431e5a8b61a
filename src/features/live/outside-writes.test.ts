import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Chance, newChance, readNumber, SEED } from '../../../test/chance.ts';
import { type Answer, assertError, type Service, startService } from '../../../test/harness.ts';
import { until as untilNamed } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import type { Range } from '../../base/text/port.ts';
import { openEditor, type TestEditor } from './editor.testing.ts';

/** How many rounds of random writes; more in the suite of everything. */
const ROUNDS = readNumber('OUTSIDE_ROUNDS') ?? 2;
const WORDS = 8;

const until = (isDone: () => boolean | Promise<boolean>) =>
  untilNamed('what the test expects', isDone);

const ITEMS = '- [ ] write the report\n- [ ] buy paper\n- [ ] call the bank\n';
const SWAPPED = '- [ ] call the bank\n- [ ] buy paper\n- [ ] write the report\n';
const PLAN = '# Plan\n\nThe launch of the new reader is in May.\n\nMiddle stays.\n\nEnd.\n';
const ALL = 'It launches in May if the audit passes and all teams agree except legal.';

describe('Writes of programs while somebody types', () => {
  let service: Service;
  let ada: Person;
  let bob: Person;
  let count = 0;
  const open: TestEditor[] = [];

  before(async () => {
    service = await startService();
    ada = await makePerson(service, 'ada');
    bob = await makePerson(service, 'bob');
  });
  after(async () => {
    for (const editor of open) editor.cut();
    await Promise.all(open.map(({ closed }) => closed));
    await service.stop();
  });

  /** Makes a document that bob has open in the editor. */
  async function make(content: string, kind: 'brief' | 'page' = 'brief') {
    count += 1;
    const name = `d${count}`;
    const field = kind === 'brief' ? 'content' : 'html';
    const body = { name, [field]: content, visibility: 'private' };
    const { data, headers } = await ada.client.post(`/user/${kind}s`, body);
    const path = `/${kind}s/ada/${name}`;
    const added = await ada.client.put(`${path}/collaborators/bob`, { permission: 'write' });
    await bob.client.patch(`/user/brief_invitations/${added.data.id}`);
    const editor = await edit(bob, data.id, content);
    const stored = async () => (await ada.client.get(path)).data[field] as string;
    const threads = async () =>
      (await ada.client.get(`${path}/threads?state=open`)).data as Record<string, string>[];
    return {
      id: data.id as string,
      path,
      field,
      editor,
      stored,
      threads,
      etag: headers.get('etag'),
    };
  }

  async function edit(who: Person, id: string, text: string, version = 1): Promise<TestEditor> {
    const { data } = await who.client.get('/user');
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${id}`;
    const cookie = Array.from(who.visitor.cookies, ([name, value]) => `${name}=${value}`).join(
      '; ',
    );
    const headers = { origin: service.webUrl, cookie };
    const editor = await openEditor({ url, headers, accountId: data.id }, { version, text });
    open.push(editor);
    return editor;
  }

  /** Replaces words in an editor, and waits until that is acknowledged. */
  async function type(editor: TestEditor, old: string, fresh: string): Promise<void> {
    const at = editor.text().indexOf(old);
    assert.ok(at >= 0, `“${old}” is in the editor`);
    let same = 0;
    while (same < old.length && old[same] === fresh[same]) same++;
    editor.type(at + same, fresh.slice(same), old.length - same);
    await until(() => editor.isSent());
  }

  /** What the stored text, the suggestions and the open editor must have after a write. */
  async function has(
    made: Awaited<ReturnType<typeof make>>,
    expected: { text: string; suggested?: string[] },
  ): Promise<void> {
    await until(async () => (await made.stored()) === expected.text).catch(async () => {
      assert.equal(await made.stored(), expected.text);
    });
    await until(() => made.editor.text() === expected.text);
    const found = (await made.threads()).map(({ replacement }) => replacement);
    assert.deepEqual(found, expected.suggested ?? []);
  }

  /** Text, what bob types (old, new), what the program writes, and what comes of it. */
  const TABLE: [
    name: string,
    text: string,
    typed: [string, string],
    written: string,
    result: { text: string; suggested?: string[] },
  ][] = [
    [
      'items swapped around one that somebody ticks',
      ITEMS,
      ['- [ ] write the report', '- [x] write the report for June'],
      SWAPPED,
      { text: ITEMS.replace('- [ ] write the report', '- [x] write the report for June') },
    ],
    [
      'one word changed by both',
      PLAN,
      ['in May', 'in early July'],
      PLAN.replace('in May', 'in late June'),
      {
        text: PLAN.replace('in May', 'in early July'),
        suggested: ['The launch of the new reader is in late June.'],
      },
    ],
    [
      'a paragraph that is written anew',
      `# Plan\n\n${ALL}\n\nEnd.\n`,
      ['all teams', 'most teams'],
      '# Plan\n\nWe launch when it is ready.\n\nEnd.\n',
      {
        text: `# Plan\n\n${ALL.replace('all teams', 'most teams')}\n\nEnd.\n`,
        suggested: ['We launch when it is ready.'],
      },
    ],
    [
      'a paragraph that is deleted',
      `# Plan\n\n${ALL}\n\nEnd.\n`,
      ['all teams', 'most teams'],
      '# Plan\n\nEnd.\n',
      { text: `# Plan\n\n${ALL.replace('all teams', 'most teams')}\n\nEnd.\n` },
    ],
    [
      'a short item changed by both',
      '- stay\n- go\n',
      ['- go', '- go now'],
      '- stay\n- then go to it\n',
      { text: '- stay\n- go now\n', suggested: ['- then go to it'] },
    ],
    [
      'other lines',
      PLAN,
      ['in May', 'in July'],
      PLAN.replace('End.', 'The end.'),
      { text: PLAN.replace('in May', 'in July').replace('End.', 'The end.') },
    ],
    [
      'other words of one line',
      PLAN,
      ['in May', 'in July'],
      PLAN.replace('The launch', 'The start'),
      { text: PLAN.replace('in May', 'in July').replace('The launch', 'The start') },
    ],
    [
      'a new paragraph beside a whole text that is written anew',
      PLAN,
      ['End.', 'A new paragraph by bob.\n\nEnd.'],
      '# Other\n\nNothing of it stays.\n',
      {
        text: PLAN.replace('# Plan', '# Other').replace('End.', 'A new paragraph by bob.\n\nEnd.'),
      },
    ],
  ];

  for (const [name, text, typed, written, result] of TABLE) {
    it(`leaves what is typed whole: ${name}`, async () => {
      const made = await make(text);
      await type(made.editor, ...typed);
      const { status, data } = await ada.client.patch(made.path, { content: written });
      assert.equal(status, 200);
      const found = (await made.threads()).map((thread) => thread.replacement);
      const isSuggested = found.length > 0;
      const warnings = (data.warnings ?? []).map(({ code }: { code: string }) => code);
      assert.deepEqual(warnings, isSuggested ? ['being-typed'] : []);
      if (result.suggested) return has(made, result);
      // What doesn't fit a passage is a proposal, which can be accepted.
      await until(async () => (await made.stored()) === result.text);
      await until(() => made.editor.text() === result.text);
    });

    it(`refuses it with a base, and nothing happens: ${name}`, async () => {
      const isMerged = name.startsWith('other ');
      for (const [body, headers] of [
        [{ baseRevision: 1 }, {}],
        [{}, { 'if-match': 'etag' }],
      ] as const) {
        const made = await make(text);
        await type(made.editor, ...typed);
        const sent = 'if-match' in headers ? { 'if-match': made.etag as string } : {};
        const answer = await ada.client.patch(made.path, { content: written, ...body }, sent);
        if (isMerged) {
          assert.equal(answer.status, 200, answer.text);
          await has(made, result);
        } else {
          assertError(answer, 409, 'CONFLICT');
          await has(made, { text: made.editor.text() });
        }
      }
    });
  }

  it('suggests a proposal where there is no passage, which can be accepted', async () => {
    const text = PLAN.replace('Middle stays.', 'A sentence of the middle. '.repeat(50));
    const made = await make(text);
    await type(made.editor, 'A sentence', 'A long sentence');
    const { data } = await ada.client.patch(made.path, { content: '# Other\n\nNo more.\n' });
    assert.match(
      data.warnings[0].message,
      /is typing at lines? \d.* is suggested instead: [\w-]+\./,
    );
    const [proposal] = await made.threads();
    assert.equal(proposal?.kind, 'proposal');
    // Who types is told.
    await until(() =>
      made.editor.messages.some((each) => each.type === 'happened' && each.left?.author === 'ada'),
    );
    const { status } = await ada.client.post(`${made.path}/suggestions/accept`, {
      threads: [proposal.id],
      revision: (await ada.client.get(`${made.path}/revisions`)).data[0].number,
    });
    assert.equal(status, 200);
    assert.match(await made.stored(), /No more/);
  });

  it('does the same for edits, restored texts and pages', async () => {
    const edited = await make(PLAN);
    await type(edited.editor, 'in May', 'in early July');
    const replace = { op: 'replace', old: 'in May', new: 'in late June' };
    const { status, data } = await ada.client.post(`${edited.path}/edits`, { edits: [replace] });
    assert.equal(status, 200);
    assert.equal(data.warnings[0].code, 'being-typed');
    await has(edited, {
      text: PLAN.replace('in May', 'in early July'),
      suggested: ['The launch of the new reader is in late June.'],
    });
    const refused = { edits: [replace], baseRevision: 1 };
    assertError(await ada.client.post(`${edited.path}/edits`, refused), 409, 'CONFLICT');

    const restored = await make(PLAN);
    await ada.client.patch(restored.path, { content: PLAN.replace('in May', 'in June') });
    await until(() => restored.editor.text().includes('June'));
    await type(restored.editor, 'in June', 'in June or July');
    const answer = await ada.client.post(`${restored.path}/revisions/1/restore`, {});
    assert.equal(answer.data.warnings[0].code, 'being-typed');
    await has(restored, {
      text: PLAN.replace('in May', 'in June or July'),
      suggested: ['The launch of the new reader is in May.'],
    });

    const html = '<p>The launch is <b>not before the audit</b></p>\n<p>The end.</p>\n';
    const page = await make(html, 'page');
    await type(page.editor, 'not before the audit', 'not before the second audit');
    const after = html.replace('not before the audit', 'after all audits');
    await ada.client.patch(page.path, { html: after });
    await until(async () => (await page.stored()).includes('second audit</b></p>\n<p>The end'));
    const [thread] = await page.threads();
    assert.equal(thread?.replacement, '<p>The launch is <b>after all audits</b></p>');
  });

  it('refuses to accept a suggestion whose passage is being typed in', async () => {
    const made = await make(PLAN);
    const suggested = await ada.client.post(`${made.path}/threads`, {
      on: { quote: 'in May' },
      replacement: 'in June',
    });
    await type(made.editor, 'in May', 'in July');
    const body = { threads: [suggested.data.id], revision: 1 };
    assertError(await ada.client.post(`${made.path}/suggestions/accept`, body), 409, 'CONFLICT');
    await has(made, { text: PLAN.replace('in May', 'in July'), suggested: ['in June'] });
    // Elsewhere it is no obstacle.
    const other = await ada.client.post(`${made.path}/threads`, {
      on: { quote: 'Middle' },
      replacement: 'The middle',
    });
    await type(made.editor, 'End.', 'The end.');
    const version = (await ada.client.get(`${made.path}/revisions`)).data[0].number;
    const fine = { threads: [other.data.id], revision: version };
    const { status } = await ada.client.post(`${made.path}/suggestions/accept`, fine);
    assert.equal(status, 200);
    await until(async () => /The middle stays\.\n\nThe end\./.test(await made.stored()));
  });

  it('accepts no suggestion for a part of what somebody goes on typing', async () => {
    const made = await make(PLAN);
    await type(made.editor, 'in May.', 'in May. Anoth');
    await ada.client.patch(made.path, { content: PLAN.replace('in May.', 'in June.') });
    const [suggested] = await made.threads();
    await type(made.editor, 'Anoth', 'Another sentence.');
    made.editor.send({ type: 'save' });
    await until(async () => (await made.stored()).includes('Another sentence.'));
    const { data } = await ada.client.get(`${made.path}/threads/${suggested?.id}`);
    const body = { threads: [suggested?.id], expected: [data.digest] };
    assertError(await ada.client.post(`${made.path}/suggestions/accept`, body), 409, 'CONFLICT');
    assert.match(await made.stored(), /in May\. Another sentence\./);
  });

  it('keeps what was typed on an erased revision, and through deleting and restoring', async () => {
    const made = await make(PLAN);
    await ada.client.patch(made.path, { content: PLAN.replace('May', 'June') });
    await until(() => made.editor.text().includes('June'));
    await type(made.editor, 'End.', 'End, in five new words.');
    assert.equal((await ada.client.delete(`${made.path}/revisions/1`)).status, 204);
    const version = (await ada.client.get(`${made.path}/revisions`)).data[0].number;
    await type(made.editor, 'Middle', 'The middle');
    const erased = await ada.client.delete(`${made.path}/revisions/${version - 1}`);
    assert.equal(erased.status, 204, erased.text);
    assert.match(await made.stored(), /The middle stays\.\n\nEnd, in five new words\./);

    await type(made.editor, 'five', 'six');
    await ada.client.delete(made.path);
    const trash = (await ada.client.get('/user/trash')).data as { id: string }[];
    assert.ok(trash.some(({ id }) => id === made.id));
    const back = await ada.client.post(`/trash/${made.id}/restore`, {});
    assert.match(back.data.content, /in six new words/);
  });

  it('loses, doubles and tears no word, whatever programs write beside it', async () => {
    const chance = newChance('outside writes');
    for (let round = 0; round < ROUNDS; round++) await playRound(chance, round);
  });

  it('takes several writes, each once, while there are typed words that no revision has', async () => {
    const made = await make(
      `# Plan\n${['One', 'Two', 'Three', 'End'].map((each) => `\n## ${each}\n\nBegin.\n`).join('')}`,
    );
    const words: string[] = [];
    for (const [index, section] of ['Three', 'One', 'Two', 'Three', 'Two', 'One'].entries()) {
      made.editor.type(made.editor.text().length, `${index}`);
      await until(() => made.editor.isSent());
      const edits = [{ op: 'insert', after: `## ${section}\n\n`, content: `word${index}\n\n` }];
      assert.equal((await ada.client.post(`${made.path}/edits`, { edits })).status, 200);
      words.push(`word${index}`);
    }
    await until(async () => (await made.stored()) === made.editor.text());
    const stored = await made.stored();
    for (const word of words) assert.equal(stored.split(word).length, 2, stored);
    assert.match(stored, /012345$/);
  });

  /** Two people type words key by key, and two programs change the same paragraphs. */
  async function playRound(chance: Chance, round: number): Promise<void> {
    const wordsOf = (index: number) =>
      Array.from({ length: 6 }, (_, at) => `base${round}x${index}x${at}q`);
    const paragraphs = Array.from({ length: 8 }, (_, index) => wordsOf(index).join(' '));
    const base = paragraphs.join(' ').split(' ');
    const text = `${paragraphs.join('\n\n')}\n`;
    const made = await make(text);
    const editors = [made.editor, await edit(ada, made.id, text)];
    const typed: string[] = [];
    /** Words of which the last letters met a program's write. */
    const given: string[] = [];
    const written: string[] = [];
    const offered: string[] = [];
    const refused: string[] = [];
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, chance.below(ms)));
    let isOver = false;

    const typing = editors.map(async (editor, who) => {
      for (let index = 0; index < WORDS; index++) {
        const word = `typed${round}x${who}x${index}q`;
        typed.push(word);
        const spaces = Array.from(editor.text().matchAll(/ (?=base)/g), (match) => match.index);
        // What is unique is typed at once, so that it is found again when others have moved it.
        let done = word.slice(0, -1);
        editor.type(chance.pick(spaces) + 1, `${done} `);
        const { refused } = editor;
        for (const key of [...'abcd', 'q']) {
          await pause(20);
          const at = editor.text().indexOf(`${done} `);
          if (at < 0) {
            // The web app asks what is to become of the last letters.
            const text = JSON.stringify(editor.text());
            assert.ok(editor.refused > refused, `seed ${SEED}: “${done}” was torn in ${text}`);
            given.push(word.slice(0, -1));
            break;
          }
          editor.type(at + done.length, key);
          done += key;
        }
        await until(() => editor.isSent());
        if (editor.refused > refused && !editor.text().includes(`${done} `)) {
          given.push(word.slice(0, -1));
        }
        typed.splice(typed.indexOf(word), 1, ...(given.includes(word.slice(0, -1)) ? [] : [done]));
        await pause(200);
      }
      await until(() => editor.isSent());
    });
    const writing = ['one', 'two'].map(async (program) => {
      for (let index = 0; !isOver; index++) {
        await pause(120);
        const word = `written${round}x${program}x${index}q`;
        const now = await ada.client.get(made.path);
        const baseRevision = Number(now.headers.get('x-revision'));
        const lines = (now.data.content as string).trimEnd().split(/\n\n+/);
        const withBase = lines.flatMap((line, at) => (line.includes('base') ? at : []));
        const [from, to] = [chance.pick(withBase), chance.below(lines.length)];
        const line = lines[from] as string;
        const one = chance.pick(line.split(' ').filter((each) => each.startsWith('base')));
        const replace = { op: 'replace', old: one, new: `${word} ${one}` };
        const rewritten = `${word} ${line}`;
        const kind = chance.pick(['edits', 'edits with base', 'text', 'move', 'append', 'insert']);
        let answer: Answer;
        if (kind === 'edits' || kind === 'append' || kind === 'insert') {
          const edit = {
            edits: replace,
            append: { op: 'append', content: `\n${word}\n` },
            insert: { op: 'insert', after: `${line}\n\n`, content: `${word}\n` },
          }[kind];
          const edits = [edit];
          answer = await ada.client.post(`${made.path}/edits`, { edits });
        } else if (kind === 'edits with base') {
          answer = await ada.client.post(`${made.path}/edits`, { edits: [replace], baseRevision });
        } else {
          lines.splice(from, 1);
          lines.splice(kind === 'move' ? to : from, 0, rewritten);
          const content = `${lines.join('\n\n')}\n`;
          answer = await ada.client.patch(made.path, { content, baseRevision });
        }
        assert.ok([200, 409, 422, 429].includes(answer.status), answer.text);
        const isOffered = answer.data?.warnings?.[0]?.code === 'being-typed';
        (answer.status !== 200 ? refused : isOffered ? offered : written).push(word);
      }
    });
    await Promise.all(typing);
    isOver = true;
    await Promise.all(writing);

    await until(async () => {
      const stored = await made.stored();
      return editors.every((editor) => editor.text() === stored);
    });
    const tokens = (await made.stored()).split(/\s+/).filter(Boolean);
    const counts = Map.groupBy(tokens, (token) => token);
    const suggested = (await made.threads()).map((thread) => thread.replacement ?? '').join(' ');
    const wrong = [
      ...[...base, ...typed, ...written].filter((word) => counts.get(word)?.length !== 1),
      ...refused.filter((word) => counts.has(word)),
      ...offered.filter((word) => !counts.has(word) && !suggested.includes(word)),
      ...given.filter((word) => tokens.filter((token) => token.startsWith(word)).length > 1),
      ...tokens.filter((token) => {
        const known = [...base, ...typed, ...written, ...offered];
        return !known.includes(token) && !given.some((word) => token.startsWith(word));
      }),
    ];
    assert.deepEqual(wrong, [], `seed ${SEED}, round ${round}: ${await made.stored()}`);
    const { data } = await ada.client.get(`${made.path}/authorship`);
    const stored = await made.stored();
    const authors = tokens.map((token) => {
      const at = stored.indexOf(token);
      const span = data.spans.find(({ start, end }: Range) => start <= at && at < end);
      return [token, data.sources[span.source]?.author];
    });
    const owner = (token: string) => (/^typed\d+x0x/.test(token) ? 'bob' : 'ada');
    const mistaken = authors.filter(([token, author]) => author !== owner(token));
    assert.deepEqual(mistaken, [], `seed ${SEED}, round ${round}: whose words are whose`);
  }
});
