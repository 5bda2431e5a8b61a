import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertError, startService } from '../../../test/harness.ts';
import { assertFailed, connect } from '../../../test/mcp/agent.ts';
import {
  ALL_KINDS,
  decide,
  expectStatus,
  makeDocument,
  users,
} from '../../../test/rest/scenario.ts';
import { updatePlaces } from '../../core/review/thread-place-store.ts';

const service = await startService();
after(() => service.stop());
const { ada, eve } = await users(service, 'ada', 'eve');

const TEXT = '# Report\n\nThe station was quiet in March.\n\nIn April it was loud.\n';

const save = (path: string, content: string) => expectStatus(ada.patch(path, { content }), 200);

async function open(path: string, body: object): Promise<string> {
  return (await expectStatus(ada.post(`${path}/threads`, body), 201)).data.id;
}

async function place(path: string, id: string) {
  const [{ data }, thread] = [await ada.get(path), await ada.get(`${path}/threads/${id}`)];
  const { state, start, end, quote } = thread.data.on;
  return { state, quote, passage: data.content.slice(start, end) };
}

const lineAt = (number: number) => `Line ${number} says ${(number * 7919) % 10_007} and no more.`;

/** A text of 2,000 lines, and the same lines in other orders. */
function shuffledTexts(count: number): string[] {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const lines = Array.from({ length: 2_000 }, (_, number) => lineAt(number));
  return Array.from({ length: count }, (_, index) => {
    for (let last = lines.length - 1; index > 0 && last > 0; last--) {
      const other = random(last + 1);
      [lines[last], lines[other]] = [lines[other] as string, lines[last] as string];
    }
    return `${lines.join('\n')}\n`;
  });
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}

/** Counts what carrying threads costs, until `end` is called. */
function countingCosts() {
  const { texts } = service.app.context;
  const { run } = texts;
  const costs: { key: string; cost: number }[] = [];
  texts.run = async (key, name, args) => {
    const result = await run(key, name, args);
    if (name === 'port' || name === 'show') {
      costs.push({ key, cost: (result as { cost: number }).cost });
    }
    return result;
  };
  return {
    costs,
    end() {
      texts.run = run;
    },
  };
}

const ADA = 'Pay 10 euros to ada.';

/** Texts about the only 10 euros; the last is the one where they are in another sentence. */
const EUROS = {
  brief: (line: string, last = 'The end of it.') =>
    `# Money\n\n${line}\n\nSomething in between.\n\n${last}\n`,
  page: (line: string, last = 'The end of it.') =>
    `<h1>Money</h1>\n<p>${line}</p>\n<p>Something in between.</p>\n<p>${last}</p>\n`,
};

const kept = (quote: string) => ({ state: 'kept', quote, passage: quote });

describe('the digest of a suggestion', () => {
  for (const kind of ALL_KINDS) {
    const textOf = EUROS[kind.kind];
    const tool = async (path: string, action: string, threads: string[], more: object) =>
      (await connect(service, ada.token)).call('comment', {
        kind: kind.kind,
        name: path.split('/').at(-1),
        action,
        threads,
        ...more,
      });

    it(`is that of its place, on a ${kind.kind}`, async () => {
      const suggest = async (name: string) => {
        const path = await makeDocument(ada, name, { kind, content: textOf(ADA) });
        const on = { quote: '10 euros' };
        const answer = ada.post(`${path}/threads`, { on, replacement: '1000 euros' });
        return { path, ...(await expectStatus(answer, 201)).data };
      };
      const write = (path: string, content: string) =>
        expectStatus(ada.patch(path, { [kind.contentField]: content }), 200);
      for (const act of ['accept', 'reject'] as const) {
        const { path, id, digest } = await suggest(`${act}-moved`);
        const send = (more: object) =>
          ada.post(`${path}/suggestions/${act}`, { threads: [id], ...more });
        assertError(await send({}), 400, 'BAD_REQUEST', /^expected: .*digest.*revision/);
        assertFailed(await tool(path, act, [id], {}), 'INVALID_ARGUMENT', /expected/);
        assertError(await send({ expected: ['other'] }), 409, 'CONFLICT');
        await write(path, textOf('Not now.', 'Refund 10 euros to everyone.'));
        assertError(await send({ expected: [digest] }), 409, 'CONFLICT', /since you read it/);
        assertFailed(await tool(path, act, [id], { expected: [digest] }), 'CONFLICT');
        assertError(await send({ revision: 1 }), 409, 'CONFLICT');
        const { data } = await ada.get(`${path}/threads/${id}`);
        assert.equal(data.on.state, 'moved');
        assert.notEqual(data.digest, digest);

        const same = await suggest(`${act}-same`);
        await write(same.path, textOf(ADA, 'Another end.'));
        assert.equal((await ada.get(`${same.path}/threads/${same.id}`)).data.digest, same.digest);
        await expectStatus(
          ada.post(`${same.path}/suggestions/${act}`, {
            threads: [same.id],
            expected: [same.digest],
          }),
          act === 'accept' ? 200 : 204,
        );
      }
    });

    it(`of a proposal, too, on a ${kind.kind}`, async () => {
      const line = `${ADA}\nIt is due on Monday.`;
      const path = await makeDocument(ada, 'offered', { kind, content: textOf(line) });
      const edits = [{ op: 'replace', old: 'Monday', new: 'Tuesday' }];
      const offer = ada.post(`${path}/edits`, { edits, propose: true });
      const { id, digest } = (await expectStatus(offer, 201)).data;
      const accept = (more: object) =>
        ada.post(`${path}/suggestions/accept`, { threads: [id], ...more });
      assertError(await accept({}), 400, 'BAD_REQUEST', /^expected/);
      const write = (content: string) =>
        expectStatus(ada.patch(path, { [kind.contentField]: content }), 200);
      await write(textOf(line.replace('Pay', 'Refund').replace('ada', 'everyone')));
      assertError(await accept({ expected: [digest] }), 409, 'CONFLICT', /since you read it/);
      const { digest: now } = (await ada.get(`${path}/threads/${id}`)).data;
      assert.notEqual(now, digest);
      await write(textOf(line.replace('Pay', 'Refund').replace('ada', 'everyone'), 'An end.'));
      await expectStatus(accept({ expected: [now] }), 200);
    });
  }

  it('is another after it was told from an equal passage, which isn’t changed', async () => {
    const version = (number: number, wait = 'ten') =>
      `Version ${number}: the timeout is ${wait} seconds for all of the clients.`;
    const path = await makeDocument(ada, 'told-apart', { content: `X.\n\n${version(1)}\n\nY.\n` });
    const thread = {
      on: { quote: 'the timeout is ten seconds' },
      replacement: 'the timeout is off',
    };
    const { id, digest } = (await expectStatus(ada.post(`${path}/threads`, thread), 201)).data;
    await save(path, `X.\n\n${version(2)}\n\nY.\n\n${version(1)}\n`);
    const accept = (expected: string) =>
      ada.post(`${path}/suggestions/accept`, { threads: [id], expected: [expected] });
    assertError(await accept(digest), 409, 'CONFLICT');
    const now = (await ada.get(`${path}/threads/${id}`)).data;
    assert.equal(now.on.state, 'kept');
    const { data } = await expectStatus(accept(now.digest), 200);
    assert.equal(
      data.content,
      `X.\n\n${version(2)}\n\nY.\n\nVersion 1: the timeout is off for all of the clients.\n`,
    );
  });
});

describe('the place of a thread', () => {
  it('is right after the text where it was last seen is erased', async () => {
    const path = await makeDocument(ada, 'erased-between', { content: TEXT });
    const id = await open(path, { on: { quote: 'quiet' }, replacement: 'silent' });
    await save(path, `Secret.\n\n${TEXT}`);
    assert.deepEqual(await place(path, id), kept('quiet'));
    await save(path, `Intro.\n\n${TEXT}\nThe end.\n`);
    await expectStatus(ada.delete(`${path}/revisions/2`), 204);
    assert.deepEqual(await place(path, id), kept('quiet'));
    await save(path, `More.\n\nIntro.\n\n${TEXT}`);
    await expectStatus(ada.delete(`${path}/revisions/3`), 204);
    const accepted = decide(ada, path, 'accept', [id]);
    const expected = `More.\n\nIntro.\n\n${TEXT}`.replace('quiet', 'silent');
    assert.equal((await expectStatus(accepted, 200)).data.content, expected);
  });

  it('isn’t overwritten by a reader who computed it before it was placed again', async () => {
    const path = await makeDocument(ada, 'placed-anew', { content: TEXT });
    const id = await open(path, { body: 'x', on: { quote: 'quiet' } });
    const { start, end } = (await ada.get(`${path}/threads/${id}`)).data.on;
    const one = `${path}/threads/${id}`;
    await expectStatus(ada.patch(one, { on: { quote: 'loud' } }), 200);
    const anchor = { quote: 'quiet', prefix: '', suffix: '', start, end, state: 'kept' } as const;
    const from = { version: 1, start, quote: 'quiet' };
    await service.app.context.sql.transaction((tx) =>
      updatePlaces(tx, [{ id, from, toVersion: 2, anchor, around: null, shown: anchor }]),
    );
    await save(path, `Intro.\n\n${TEXT}`);
    assert.deepEqual(await place(path, id), kept('loud'));
  });

  it('is right after so many saves that some are skipped', async () => {
    const path = await makeDocument(ada, 'saved-often', { content: TEXT });
    const texts = Array.from({ length: 206 }, (_, n) => `${'More.\n\n'.repeat(n + 1)}${TEXT}`);
    const quotes = ['quiet', 'March', 'April', 'loud'];
    const threads: string[] = [];
    for (const [index, content] of texts.entries()) {
      const quote = quotes[index];
      if (quote) threads.push(await open(path, { on: { quote }, replacement: `not ${quote}` }));
      await save(path, content);
    }
    const accepted = await expectStatus(decide(ada, path, 'accept', threads), 200);
    const expected = quotes.reduce(
      (text, quote) => text.replace(quote, `not ${quote}`),
      texts.at(-1) as string,
    );
    assert.equal(accepted.data.content, expected);
  });
});

describe('a suggestion', () => {
  it('is found in the background after more changes than one request can follow', async () => {
    const [first, ...later] = shuffledTexts(9);
    const early = await makeDocument(ada, 'read-early', { content: first as string });
    const late = await makeDocument(ada, 'read-late', { content: first as string });
    const quotes = Array.from({ length: 10 }, (_, index) => lineAt(index * 113));
    for (const path of [early, late]) {
      for (const quote of quotes) await open(path, { on: { quote }, replacement: 'x' });
    }
    const places = async (path: string, query = '') =>
      (await expectStatus(ada.get(`${path}/threads${query}`), 200)).data.map(
        ({ on }: { on: object }) => on,
      );
    for (const content of later) {
      await save(early, content);
      await save(late, content);
      await waitUntil(async () => (await places(early, '?anchor=pending')).length === 0);
    }

    const { costs, end } = countingCosts();
    const answers = await Promise.all([1, 2, 3, 4].map(() => ada.get(`${late}/threads`)));
    for (const { data } of answers) {
      for (const { on, id } of data) {
        const { quote } = on;
        const pending = { quote, revision: 1, state: 'pending', start: 0, end: 0, element: null };
        assert.deepEqual(on, pending, id);
      }
    }
    const [{ id }] = answers[0]?.data ?? [];
    const refused = await decide(ada, late, 'accept', [id]);
    assertError(refused, 429, 'RATE_LIMITED', /still being found. Nothing was accepted. Try again/);
    assert.equal(refused.headers.get('retry-after'), '2');
    const erased = await ada.delete(`${late}/revisions/2`);
    assertError(erased, 429, 'RATE_LIMITED', /Nothing was erased/);

    await waitUntil(async () => (await places(late, '?anchor=pending')).length === 0);
    end();
    assert.deepEqual(await places(late), await places(early));
    const largest = Math.max(...costs.map(({ cost }) => cost));
    const ofRequests = costs.filter(({ key }) => key !== 'carrier');
    const sum = ofRequests.reduce((sum, { cost }) => sum + cost, 0);
    assert.ok(sum <= 8_000_000 + largest, `four requests at once did ${sum} in all`);
    assert.ok(costs.length > ofRequests.length, 'the carrier did the rest');
    await expectStatus(ada.delete(`${late}/revisions/2`), 204);
    assert.deepEqual(await places(late), await places(early));
  });

  it('needs a passage that is short enough in the source too', async () => {
    const url = `https://example.com/${'x'.repeat(1_000)}`;
    const content = `# Links\n\nRead [this page](${url}) and that.\n`;
    const path = await makeDocument(ada, 'long-source', { content });
    const on = { quote: 'Read this page and that.' };
    const suggested = { on, replacement: 'Read that.' };
    const refused = await ada.post(`${path}/threads`, suggested);
    assertError(refused, 422, 'UNPROCESSABLE', /^on\.quote: .*1,000/);
    await open(path, { body: 'Which page?', on });
    const id = await open(path, { on: { quote: 'and that' }, replacement: 'and more' });
    const moved = await ada.patch(`${path}/threads/${id}`, { on });
    assertError(moved, 422, 'UNPROCESSABLE', /^on\.quote/);
  });

  it('changes its passage, also where it is moved to', async () => {
    const path = await makeDocument(ada, 'same', { content: '# A\n\nOne “two”.\n\nThree.\n' });
    const same = /: the passage and its replacement are the same\./;
    for (const quote of ['One “two”.', 'One "two".', 'One  “two”.']) {
      const suggested = { on: { quote }, replacement: 'One “two”.', body: 'x' };
      const refused = await ada.post(`${path}/threads`, suggested);
      assertError(refused, 422, 'UNPROCESSABLE', new RegExp(`^replacement${same.source}`));
    }
    const id = await open(path, { on: { quote: 'One “two”.' }, replacement: 'Three.' });
    const moved = await ada.patch(`${path}/threads/${id}`, { on: { quote: 'Three.' } });
    assertError(moved, 422, 'UNPROCESSABLE', new RegExp(`^on.quote${same.source}`));
  });
});

describe('quoting a revision', () => {
  it('reveals old texts to no one who can’t read them', async () => {
    const path = await makeDocument(ada, 'old-secrets', {
      content: `${TEXT}\nThe code is 4711.\n`,
    });
    await save(path, TEXT);
    await expectStatus(ada.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const quoting = (quote: string, revision?: number) => ({ body: 'x', on: { quote, revision } });
    const ask = (quote: string, revision?: number) =>
      eve.post(`${path}/threads`, quoting(quote, revision));
    const [hit, miss] = [await ask('The code is 4711', 1), await ask('The code is 4712', 1)];
    assertError(hit, 422, 'UNPROCESSABLE', /^on\.revision/);
    assert.equal(hit.text, miss.text);
    const { data } = await expectStatus(ask('quiet'), 201);
    await expectStatus(ask('March', 2), 201);
    const again = eve.patch(`${path}/threads/${data.id}`, { on: quoting('4711', 1).on });
    assertError(await again, 422, 'UNPROCESSABLE', /^on\.revision/);
    await expectStatus(ada.patch(`${path}/revisions/1`, { pinned: true }), 200);
    await expectStatus(ask('The code is 4711', 1), 201);
  });
});

describe('erasing a text', () => {
  it('keeps quotes of words that are still in the text, whether or not anyone read the comments', async () => {
    const path = await makeDocument(ada, 'erased-unread', { content: `${TEXT}\nSecret.\n` });
    const [quiet, secret] = [
      await open(path, { body: 'x', on: { quote: 'quiet' } }),
      await open(path, { body: 'x', on: { quote: 'Secret.' } }),
    ];
    await expectStatus(ada.patch(`${path}/threads/${quiet}`, { state: 'resolved' }), 200);
    await save(path, TEXT);
    await expectStatus(ada.delete(`${path}/revisions/1`), 204);
    assert.deepEqual(await place(path, quiet), kept('quiet'));
    assert.deepEqual(await place(path, secret), { state: 'gone', quote: '', passage: '' });
  });

  it('erases quotes that are created at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const content = `${TEXT}\nSecret ${round}.\n`;
      const path = await makeDocument(ada, `erased-at-once-${round}`, { content });
      await save(path, TEXT);
      const on = { quote: `Secret ${round}.`, revision: 1 };
      const quote = () => ada.post(`${path}/threads`, { body: 'x', on });
      const answers = await Promise.all([
        quote(),
        quote(),
        ada.delete(`${path}/revisions/1`),
        quote(),
        quote(),
        quote(),
        quote(),
      ]);
      assert.equal(answers[2]?.status, 204);
      const { data } = await expectStatus(ada.get(`${path}/threads`), 200);
      for (const thread of data) assert.equal(thread.on.quote, '');
    }
  });
});

describe('a comment on an element of a page', () => {
  const PAGE =
    '<!doctype html><title>Sales</title>\n<h1>Sales</h1>\n<div><p>Up.</p><p>Down.</p></div>\n' +
    '<figure id="chart"><svg><rect/></svg></figure>\n<ul><li>12</li><li>12</li></ul>\n';

  const make = async (name: string, html = PAGE) => {
    const body = { name, html, visibility: 'private' };
    await expectStatus(ada.post('/user/pages', body), 201);
    return `/pages/ada/${name}`;
  };
  const placeOf = async (path: string, id: string) => {
    const { data } = await ada.get(path);
    const { state, start, end, element } = (await ada.get(`${path}/threads/${id}`)).data.on;
    return { state, element, source: data.html.slice(start, end) };
  };

  it('is found by path or id, and followed through saves', async () => {
    const path = await make('elements');
    const byPath = await open(path, { body: 'x', on: { element: 'div:1/p:2' } });
    const byId = await open(path, { body: 'x', on: { element: '#chart' } });
    const figure = '<figure id="chart"><svg><rect/></svg></figure>';
    assert.deepEqual(await placeOf(path, byPath), {
      state: 'kept',
      element: 'div:1/p:2',
      source: '<p>Down.</p>',
    });
    assert.deepEqual(await placeOf(path, byId), {
      state: 'kept',
      element: 'figure:1#chart',
      source: figure,
    });
    const redrawn = '<figure id="chart"><img alt="Much higher than ever before"></figure>';
    const html = PAGE.replace('<div>', '<div><p>New.</p>').replace(figure, redrawn);
    await expectStatus(ada.patch(path, { html }), 200);
    assert.equal((await placeOf(path, byPath)).source, '<p>Down.</p>');
    const { state, source } = await placeOf(path, byId);
    assert.deepEqual([state, source], ['changed', redrawn]);
    await expectStatus(ada.patch(path, { html: PAGE.replace(figure, '') }), 200);
    assert.equal((await placeOf(path, byId)).state, 'gone');
  });

  it('is distinguished from the same words elsewhere', async () => {
    const path = await make('same-words');
    const id = await open(path, { body: 'x', on: { quote: '12', element: 'ul:1/li:2' } });
    const { start } = (await ada.get(`${path}/threads/${id}`)).data.on;
    assert.equal(start, PAGE.lastIndexOf('12'));
  });

  it('stores words that only a script shows, if allowed, without following them', async () => {
    const path = await make('scripted');
    const on = { quote: '4,711 visitors', prefix: 'With ' };
    const body = { body: 'x', on };
    assertError(await ada.post(`${path}/threads`, body), 422, 'UNPROCESSABLE', /^on\.quote/);
    const id = await open(path, { body: 'x', on: { ...on, unverified: true } });
    await expectStatus(ada.patch(path, { html: `<p>Hi</p>${PAGE}` }), 200);
    const { data } = await ada.get(`${path}/threads?anchor=unverified`);
    assert.deepEqual(
      data.map((thread: { id: string; on: object }) => [thread.id, thread.on]),
      [
        [
          id,
          {
            quote: '4,711 visitors',
            revision: 1,
            state: 'unverified',
            start: 0,
            end: 0,
            element: null,
          },
        ],
      ],
    );
    const suggested = { on: { ...on, unverified: true }, replacement: 'y' };
    assertError(await ada.post(`${path}/threads`, suggested), 422, 'UNPROCESSABLE', /script/);
    const added = await open(path, {
      body: 'x',
      on: { element: 'figure:1/svg:1/g:4', unverified: true },
    });
    assert.equal((await placeOf(path, added)).element, 'figure:1/svg:1');
  });

  it('is refused if there is no such element', async () => {
    const path = await make('refused');
    const brief = await makeDocument(ada, 'no-elements', { content: TEXT });
    const refuse = async (at: string, on: object, status: number, problem: RegExp) => {
      const code = status === 422 ? 'UNPROCESSABLE' : 'BAD_REQUEST';
      assertError(await ada.post(`${at}/threads`, { body: 'x', on }), status, code, problem);
    };
    await refuse(path, { element: '#nothing' }, 422, /^on\.element: .*no such element/);
    await refuse(path, { section: 'Nowhere' }, 422, /^on\.section/);
    await refuse(path, { revision: 1 }, 400, /^on: needs/);
    await refuse(brief, { element: '#a' }, 400, /^on\.element/);
    await refuse(brief, { quote: 'x', unverified: true }, 400, /^on\.unverified/);
    await refuse(brief, { quote: 'x', section: 'Report' }, 400, /^on\.section/);
  });
});

describe('a comment on a section of a brief', () => {
  it('is about its heading', async () => {
    const content = '# Report\n\n## What is **new** ##\n\nMuch.\n\nOther news\n---\n\nLess.\n';
    const path = await makeDocument(ada, 'sections', { content });
    for (const [section, passage] of [
      ['what was new', undefined],
      ['what is new', 'What is **new**'],
      ['What is **new**', 'What is **new**'],
      ['what', 'What is **new**'],
      ['other-news', 'Other news'],
    ] as const) {
      const answer = await ada.post(`${path}/threads`, { body: 'x', on: { section } });
      if (!passage) {
        assertError(answer, 422, 'UNPROCESSABLE', /^on\.section: no section .*“\d+: Other news”/);
        continue;
      }
      assert.deepEqual(await place(path, answer.data.id), kept(passage));
    }
    const replacing = { replacement: 'y', on: { section: 'Report' } };
    assertError(await ada.post(`${path}/threads`, replacing), 422, 'UNPROCESSABLE', /^on\.section/);
  });
});
