import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  countStatuses,
  decide,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';

const service = await startService();
after(() => service.stop());
const { ada, grace, alan, eve } = await users(service, 'ada', 'grace', 'alan', 'eve');

const TEXT = `# Report

The station was quiet in March. Nobody came.

In April the station was loud. Everybody came.
`;

/** Opens a thread and returns it. */
async function open(client: Client, path: string, body: object) {
  return (await expectStatus(client.post(`${path}/threads`, body), 201)).data;
}

const threadsOf = async (client: Client, path: string, query = '') =>
  (await expectStatus(client.get(`${path}/threads${query}`), 200)).data;

const quoteAt = (text: string, { start, end }: { start: number; end: number }) =>
  text.slice(start, end);

describe('An accepted suggestion', () => {
  const accept = async (
    kind: (typeof ALL_KINDS)[number],
    content: string,
    on: object,
    replacement: string,
  ) => {
    const path = await makeDocument(ada, `fitted-${++made}`, { kind, content });
    const { id, digest, ...thread } = await open(ada, path, { on, replacement });
    const place = thread.on;
    const shown = content.slice(0, place.start) + thread.replacement + content.slice(place.end);
    assert.equal(content.slice(place.start, place.end), place.quote);
    const body = { threads: [id], expected: [digest] };
    await expectStatus(ada.post(`${path}/suggestions/accept`, body), 200);
    const text = (await ada.get(path)).data[kind.contentField];
    assert.equal(text, shown, 'what was shown is what is written');
    return text;
  };
  let made = 0;
  const [brief, page] = ALL_KINDS as [(typeof ALL_KINDS)[number], (typeof ALL_KINDS)[number]];
  const TABLE = '| x | y |\n|---|---|\n| x1 | y1 |\n';
  const cases: [
    kind: typeof brief,
    content: string,
    quote: string,
    text: string,
    result: string,
  ][] = [
    [
      brief,
      'It was **really big** and old.',
      'was really',
      'is very',
      'It is very **big** and old.',
    ],
    [
      brief,
      'see [the link](http://a.b/c) here',
      'see the',
      'read a',
      'read a [link](http://a.b/c) here',
    ],
    [brief, 'It’s our plan.', "It's our", "It's our new", 'It’s our new plan.'],
    [brief, TABLE, 'x1 y1', 'xy', '| x | y |\n|---|---|\n| xy |  |\n'],
    [brief, TABLE, 'x1', 'a | b\nc', '| x | y |\n|---|---|\n| a \\| b<br>c | y1 |\n'],
    [brief, '# Title\n\nBody text', 'Title Body', 'x', '# x\n\ntext'],
    [brief, '# Title one\n\ntext', 'Title one', 'A\nB', '# A B\n\ntext'],
    [brief, '- item one\n- item two', 'item two', '', '- item one'],
    [brief, '- a1\n- b1\n', 'b1', 'p1\n\np2', '- a1\n- p1\n\n  p2\n'],
    [brief, 'one **two** three', '**two**', '*2*', 'one *2* three'],
    [
      page,
      '<p>It was <b>really big</b> and old.</p>',
      'was really',
      'is very',
      '<p>It is very <b>big</b> and old.</p>',
    ],
    [
      page,
      '<p>see <a href="/c">the link</a> here</p>',
      'link here',
      'it',
      '<p>see <a href="/c">the</a> it</p>',
    ],
    [
      page,
      '<table><tr><td>x1</td><td>y1</td></tr></table>',
      'x1 y1',
      'xy',
      '<table><tr><td>xy</td><td></td></tr></table>',
    ],
    [
      page,
      '<ul>\n<li>item one</li>\n<li>item two</li>\n</ul>',
      'item two',
      '',
      '<ul>\n<li>item one</li>\n</ul>',
    ],
    [page, '<div>t <p>one</p> u</div>', 'one', '', '<div>t u</div>'],
    [page, '<div>t<p>one</p><i>u</i></div>', 't one', 'x', '<div>x <i>u</i></div>'],
    [page, '<p>a <kbd>Ctrl</kbd> c</p>', 'Ctrl', '', '<p>a c</p>'],
    [page, '<section><div>one</div></section><p>x</p>', 'one', '', '<p>x</p>'],
    [page, '<p>one <select><option>1</select></p>', 'one', '', '<p><select><option>1</select></p>'],
    [
      page,
      '<p>see <img alt="the picture"> b</p>',
      'picture',
      'photo',
      '<p>see <img alt="the photo"> b</p>',
    ],
    [brief, 'see ![the picture](u)', 'picture', 'photo', 'see ![the photo](u)'],
    [page, '<p>if a is small</p>', 'is small', '<b c', '<p>if a &lt;b c</p>'],
    [page, '<p>one two</p>', 'two', '<i>2</i>', '<p>one <i>2</i></p>'],
    [
      page,
      '<img alt="old one">',
      'old',
      'a "b" id="c',
      '<img alt="a &quot;b&quot; id=&quot;c one">',
    ],
    [page, "<img alt='old one'>", 'old', "it's", "<img alt='it&#39;s one'>"],
    [page, '<title>Old</title>', 'Old', 'N</title>', '<title>N&lt;/title&gt;</title>'],
    [page, '<p>a b</p><p>c</p>', 'a b', '<b>x', '<p>&lt;b&gt;x</p><p>c</p>'],
    [page, '<p>a b</p>', 'b', '<p>x</p>', '<p>a &lt;p&gt;x&lt;/p&gt;</p>'],
    [page, '<p>a b</p>', 'b', 'x</p><p>y', '<p>a x&lt;/p&gt;&lt;p&gt;y</p>'],
  ];
  for (const [kind, content, quote, text, result] of cases) {
    it(`keeps the marks of other words: ${JSON.stringify(quote)} in ${JSON.stringify(content)}`, async () => {
      assert.equal(await accept(kind, content, { quote }, text), result);
    });
  }

  it('of words in one mark is accepted together with others there, unless both change the mark', async () => {
    const content = 'It was **really big** and old.';
    const path = await makeDocument(ada, 'fitted-together', { content });
    const suggest = (quote: string, replacement: string) =>
      open(ada, path, { on: { quote }, replacement });
    const [before, after] = [
      await suggest('was really', 'is very'),
      await suggest('big and', 'small but'),
    ];
    const together = { threads: [before.id, after.id], expected: [before.digest, after.digest] };
    assertError(await ada.post(`${path}/suggestions/accept`, together), 409, 'CONFLICT');
    const [one, two] = [await suggest('really', 'very'), await suggest('big', 'small')];
    const both = { threads: [one.id, two.id], expected: [one.digest, two.digest] };
    const accepted = await expectStatus(ada.post(`${path}/suggestions/accept`, both), 200);
    assert.equal(accepted.data.content, 'It was **very small** and old.');
  });

  const moved: [content: string, text: string, now: string, result: string | undefined][] = [
    ['Value z here.', 'p | q', '| Value z here. |\n|---|\n', '| Value p \\| q here. |\n|---|\n'],
    ['Value z here.', 'p\n\nq', '# Value z here.\n', undefined],
    ['Value z here.', 'p\n\nq', '- Value z here.\n', '- Value p\n\n  q here.\n'],
    ['Value z here.', '**p**', '- Value z here.\n', '- Value **p** here.\n'],
    ['Value z here.', 'p', 'Value **z** here.\n', 'Value **p** here.\n'],
    ['Value z here.', '', '- Value z here.\n', '- Value here.\n'],
    ['Value **u z** here.', 'q', 'New.\n\nValue **u z** here.', 'New.\n\nValue **u q** here.'],
  ];
  for (const [content, replacement, now, result] of moved) {
    it(`fits ${JSON.stringify(replacement)} where it stands now: ${JSON.stringify(now)}`, async () => {
      const path = await makeDocument(ada, `refitted-${++made}`, { content });
      const { id } = await open(ada, path, { on: { quote: 'z' }, replacement });
      await expectStatus(ada.patch(path, { content: now, baseRevision: 1 }), 200);
      const accepted = await decide(ada, path, 'accept', [id]);
      if (result === undefined) assertError(accepted, 409, 'CONFLICT', /another block/);
      else assert.equal((await ada.get(path)).data.content, result);
    });
  }

  it('that removes an item is accepted with those that remove its neighbours', async () => {
    for (const [way, content] of ['- aa\n- bb\n\nend', '> - aa\n> - bb\n>\n> end'].entries()) {
      for (const together of [true, false]) {
        const path = await makeDocument(ada, `items-${way}-${together}`, { content });
        const ids: string[] = [];
        for (const quote of ['aa', 'bb']) {
          ids.push((await open(ada, path, { on: { quote }, replacement: '' })).id);
        }
        for (const some of together ? [ids] : ids.map((id) => [id])) {
          await expectStatus(decide(ada, path, 'accept', some), 200);
        }
        const { data } = await ada.get(path);
        assert.match(data.content, /^[>\s]*end$/);
      }
    }
  });

  const emptied: [content: string, quotes: string[], result: string, together?: boolean][] = [
    ['# Title one\n\nend\n', ['Title', 'one'], 'end\n'],
    ['- [ ] aa bb\n- [ ] cc\n', ['aa', 'bb'], '- [ ] cc\n'],
    [
      '| h | i |\n|---|---|\n| aa | bb |\n| c | d |\n',
      ['aa', 'bb'],
      '| h | i |\n|---|---|\n| c | d |\n',
    ],
    [
      '| h | i |\r\n|---|---|\r\n| aa | bb |\r\n| c | d |\r\n',
      ['aa', 'bb'],
      '| h | i |\r\n|---|---|\r\n| c | d |\r\n',
      true,
    ],
  ];
  for (const [content, quotes, result, together = false] of emptied) {
    it(`that takes the last words of a block takes the block: ${JSON.stringify(content)}`, async () => {
      const path = await makeDocument(ada, `emptied-${++made}`, { content });
      const ids: string[] = [];
      for (const quote of quotes) {
        ids.push((await open(ada, path, { on: { quote }, replacement: '' })).id);
      }
      for (const some of together ? [ids] : ids.map((id) => [id])) {
        await expectStatus(decide(ada, path, 'accept', some), 200);
      }
      assert.equal((await ada.get(path)).data.content, result);
      const { spans } = (await expectStatus(ada.get(`${path}/authorship`), 200)).data;
      assert.deepEqual(spans, [{ start: 0, end: result.length, source: 0 }]);
    });
  }

  it('of words in two marks is accepted after other words have changed', async () => {
    const content = 'It was **really big** and old.';
    const path = await makeDocument(ada, 'refitted-marks', { content });
    const { id } = await open(ada, path, { on: { quote: 'was really' }, replacement: 'is very' });
    const row = await makeDocument(ada, 'refitted-row', { content: TABLE });
    const cells = await open(ada, row, { on: { quote: 'x1 y1' }, replacement: 'xy' });
    for (const [at, thread, text] of [
      [path, id, content],
      [row, cells.id, TABLE],
    ]) {
      await expectStatus(ada.patch(at, { content: `New.\n\n${text}`, baseRevision: 1 }), 200);
      await expectStatus(decide(ada, at, 'accept', [thread]), 200);
    }
  });

  it('that would change what is around it is refused', async () => {
    const path = await makeDocument(ada, 'fitted-refused', { content: '```\none\n```\n\ntwo' });
    const body = { on: { quote: 'one' }, replacement: 'x\n```\ny' };
    assertError(await ada.post(`${path}/threads`, body), 422, 'UNPROCESSABLE', /^replacement/);
    for (const [name, content] of Object.entries({
      attribute: '<img alt=one>',
      script: '<p>x</p><script>one</script>',
      comment: '<p>x</p><!-- one -->',
    })) {
      const path = await makeDocument(ada, `fitted-${name}`, { kind: page, content });
      const ending = { ...body, replacement: 'x id=y --></script><b>' };
      assertError(await ada.post(`${path}/threads`, ending), 422, 'UNPROCESSABLE', /^replacement/);
    }
  });
});

describe('a thread', () => {
  for (const kind of ALL_KINDS) {
    it(`on a passage of a ${kind.kind} follows it through every save`, async () => {
      const path = await makeDocument(ada, 'followed', { kind, content: TEXT });
      const on = { quote: 'Nobody came.' };
      const made = await expectStatus(ada.post(`${path}/threads`, { body: 'Really?', on }), 201);
      assert.equal(
        made.headers.get('location'),
        `${service.baseUrl}${path}/threads/${made.data.id}`,
      );
      const { id, createdAt, updatedAt, comments, digest: _, ...rest } = made.data;
      assert.deepEqual(rest, {
        kind: 'comment',
        state: 'open',
        replacement: null,
        set: null,
        assignee: null,
        proposal: null,
        on: {
          quote: 'Nobody came.',
          revision: 1,
          element: null,
          state: 'kept',
          start: 42,
          end: 54,
        },
        author: 'ada',
        via: 'token',
        viaName: 'test',
        closedBy: null,
        closedRevision: null,
      });
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(
        comments.map(({ body, author }: { body: string; author: string }) => ({ body, author })),
        [{ body: 'Really?', author: 'ada' }],
      );

      const save = async (text: string) => {
        await expectStatus(ada.patch(path, { [kind.contentField]: text }), 200);
        const [thread] = await threadsOf(ada, path);
        return { state: thread.on.state, passage: quoteAt(text, thread.on) };
      };
      const [first, last] = TEXT.split('Nobody came.') as [string, string];
      assert.deepEqual(await save(`Intro.\n\n${TEXT}`), { state: 'kept', passage: 'Nobody came.' });
      assert.deepEqual(await save(`${first}Nobody ever came.${last}`), {
        state: 'changed',
        passage: 'Nobody ever came.',
      });
      assert.equal((await save(first + last)).state, 'gone');
      assert.deepEqual(await save(TEXT), { state: 'kept', passage: 'Nobody came.' });
      assert.equal((await threadsOf(ada, path))[0].id, id);
    });
  }

  it('has the same place after many saves at once as one by one', async () => {
    const [lazy, eager] = [
      await makeDocument(ada, 'lazy', { content: TEXT }),
      await makeDocument(ada, 'eager', { content: TEXT }),
    ];
    for (const path of [lazy, eager]) {
      await open(ada, path, { body: 'one', on: { quote: 'Nobody came.' } });
    }
    const texts = Array.from({ length: 12 }, (_, n) => `${'More.\n\n'.repeat(n)}${TEXT}`);
    for (const [index, content] of texts.entries()) {
      for (const path of [lazy, eager]) await expectStatus(ada.patch(path, { content }), 200);
      if (index === 5) {
        for (const path of [lazy, eager]) {
          await open(ada, path, { body: 'two', on: { quote: 'Everybody came.' } });
        }
      }
      await threadsOf(ada, eager);
    }
    await packAll(service.app.context);
    const places = async (path: string) =>
      (await threadsOf(ada, path)).map(({ on }: { on: object }) => on);
    assert.deepEqual(await places(lazy), await places(eager));
  });

  it('on the whole document has no place', async () => {
    const path = await makeDocument(ada, 'whole');
    const thread = await open(ada, path, { body: 'Well done.' });
    assert.equal(thread.on, null);
  });

  it('needs words that occur once, or the text around them', async () => {
    const path = await makeDocument(ada, 'unclear', { content: TEXT });
    const post = (on: object) => ada.post(`${path}/threads`, { body: 'x', on });
    assertError(await post({ quote: 'nowhere' }), 422, 'UNPROCESSABLE', /^on\.quote: .*not in/);
    assertError(await post({ quote: 'came.' }), 422, 'UNPROCESSABLE', /^on\.quote: .* 2 times/);
    await expectStatus(post({ quote: 'came.', prefix: 'Everybody ' }), 201);
    await expectStatus(post({ quote: 'came.', suffix: '\n\nIn April' }), 201);
    assertError(await post({ quote: ' ' }), 400, 'BAD_REQUEST', /^on\.quote/);
    assertError(await post({ quote: 'x'.repeat(1_001) }), 400, 'BAD_REQUEST', /^on\.quote/);
    assertError(await post({ quote: 'came', revision: 9 }), 400, 'BAD_REQUEST', /^on\.revision/);
    assertError(await ada.post(`${path}/threads`, {}), 400, 'BAD_REQUEST', /^body/);
    assertError(await ada.post(`${path}/threads`, { body: ' ' }), 400, 'BAD_REQUEST', /^body/);
    const long = 'x'.repeat(REVIEW_LIMITS.bodyBytes + 1);
    assertError(await ada.post(`${path}/threads`, { body: long }), 400, 'BAD_REQUEST', /^body/);
  });

  it('is found in the source, and in the text that readers see', async () => {
    const seen = 'A bold claim & more.';
    const sources = {
      brief: 'A **bold** claim &amp; more.',
      page: 'A <b>bold</b> claim &amp; more.',
    };
    for (const kind of ALL_KINDS) {
      const source = sources[kind.kind];
      const content = `${TEXT}\n${source}\n`;
      const path = await makeDocument(ada, `seen-${kind.kind}`, { kind, content });
      for (const quote of [seen, source]) {
        const { on } = await open(ada, path, { body: 'x', on: { quote } });
        assert.deepEqual([on.quote, on.state], [source, 'kept']);
      }
    }
  });

  it('on a selection is searched in its block first', async () => {
    const content = '# Came\n\nHe came.\n\nShe came.\n';
    const path = await makeDocument(ada, 'selected', { content });
    const { on } = await open(ada, path, { body: 'x', on: { quote: 'came.', line: 5 } });
    assert.equal(content.slice(0, on.start), '# Came\n\nHe came.\n\nShe ');
    const nowhere = { body: 'x', on: { quote: 'came.', line: -1 } };
    assertError(await ada.post(`${path}/threads`, nowhere), 400, 'BAD_REQUEST', /^on\.line/);
  });

  it('can quote an older revision', async () => {
    const path = await makeDocument(ada, 'older', { content: TEXT });
    await expectStatus(ada.patch(path, { content: `Intro.\n\n${TEXT}` }), 200);
    const thread = await open(ada, path, {
      body: 'x',
      on: { quote: '# Report', revision: 1 },
    });
    assert.deepEqual(thread.on, {
      quote: '# Report',
      revision: 1,
      state: 'kept',
      start: 8,
      end: 16,
      element: null,
    });
  });

  it('can be answered, resolved, reopened and placed again', async () => {
    const path = await makeDocument(ada, 'talk', { content: TEXT });
    await collaborate(ada, path, grace, 'read');
    const { id } = await open(grace, path, { body: 'Why?', on: { quote: 'quiet' } });
    const one = `${path}/threads/${id}`;
    const answer = await expectStatus(ada.post(`${one}/comments`, { body: 'Because.' }), 201);
    assert.equal(answer.data.author, 'ada');
    const read = (await grace.get(one)).data;
    assert.deepEqual(
      read.comments.map(({ body }: { body: string }) => body),
      ['Why?', 'Because.'],
    );
    assert.deepEqual(read.comments[1], answer.data);
    const resolved = (await expectStatus(grace.patch(one, { state: 'resolved' }), 200)).data;
    assert.deepEqual(
      [resolved.state, resolved.closedBy, resolved.closedRevision],
      ['resolved', 'grace', 1],
    );
    assert.deepEqual(await threadsOf(ada, path), []);
    assert.equal((await threadsOf(ada, path, '?state=closed')).length, 1);
    await expectStatus(ada.patch(one, { state: 'open' }), 200);
    const placed = await expectStatus(ada.patch(one, { on: { quote: 'loud' } }), 200);
    assert.equal(placed.data.on.quote, 'loud');
    assertError(await ada.patch(one, {}), 400, 'BAD_REQUEST', /^body/);
    assertError(await ada.get(`${path}/threads/nothing`), 404, 'NOT_FOUND', /^thread/);
  });

  it('is listed by its last change, with times in any zone', async () => {
    const path = await makeDocument(ada, 'dated', { content: TEXT });
    const { id, updatedAt } = await open(ada, path, { body: 'x' });
    const idsSince = async (since: string) =>
      (await threadsOf(ada, path, `?since=${encodeURIComponent(since)}`)).map(
        (thread: { id: string }) => thread.id,
      );
    /** A time of day, two hours ahead of UTC. */
    const ahead = (ms: number) =>
      new Date(Date.parse(updatedAt) + ms + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
    assert.deepEqual(await idsSince(updatedAt), []);
    assert.deepEqual(await idsSince(ahead(-1)), [id]);
    assert.deepEqual(await idsSince(ahead(0)), []);
    assert.deepEqual(await idsSince('2026-01-31'), [id]);
    const [{ comments }] = await threadsOf(ada, path);
    const comment = `${path}/threads/${id}/comments/${comments[0].id}`;
    service.advance(1_000);
    await expectStatus(ada.patch(comment, { body: 'y' }), 200);
    assert.deepEqual(await idsSince(ahead(0)), [id], 'its comment was changed');
    for (const since of ['yesterday', '1', '2026-13-01', '2026-01-31 or so']) {
      const refused = await ada.get(`${path}/threads?since=${encodeURIComponent(since)}`);
      assertError(refused, 400, 'BAD_REQUEST', /^since: must be a date or time/);
    }
  });

  it('has comments that authors can change and delete, and admins can delete', async () => {
    const path = await makeDocument(ada, 'own', { content: TEXT });
    for (const reader of [grace, alan]) await collaborate(ada, path, reader, 'read');
    const { id, comments } = await open(grace, path, { body: 'first' });
    const comment = `${path}/threads/${id}/comments/${comments[0].id}`;
    assertError(await ada.patch(comment, { body: 'x' }), 403, 'FORBIDDEN');
    const changed = await expectStatus(grace.patch(comment, { body: 'second' }), 200);
    assert.equal(changed.data.body, 'second');
    assert.ok(changed.data.editedAt);
    assertError(await alan.delete(comment), 403, 'FORBIDDEN');
    await expectStatus(ada.delete(comment), 204);
    assert.deepEqual(await threadsOf(ada, path, '?state=all'), []);
  });

  it('stays without comments if it suggests something', async () => {
    const path = await makeDocument(ada, 'bare', { content: TEXT });
    const on = { quote: 'Nobody came.' };
    const suggestion = await open(ada, path, { body: 'Why?', on, replacement: 'Some came.' });
    const edits = [{ op: 'append', content: 'More.\n' }];
    const body = { edits, propose: true, message: 'More' };
    const proposal = (await expectStatus(ada.post(`${path}/edits`, body), 201)).data;
    for (const { id, comments } of [suggestion, proposal]) {
      await expectStatus(ada.delete(`${path}/threads/${id}/comments/${comments[0].id}`), 204);
    }
    const left = await threadsOf(ada, path);
    assert.deepEqual(
      left.map(({ comments }: { comments: object[] }) => comments.length),
      [0, 0],
    );
    await expectStatus(decide(ada, path, 'accept', [suggestion.id, proposal.id]), 200);
    assert.match((await ada.get(path)).data.content, /Some came\..*More\.\n$/s);
  });

  describe('has limits', () => {
    const { commentsPerThread, openThreads, threads } = REVIEW_LIMITS;

    /** Stores copies of a row, which is quicker than as many requests. */
    async function copy(
      table: 'thread' | 'comment',
      id: string,
      count: number,
      changes: Record<string, string> = {},
    ): Promise<void> {
      const { sql, newId } = service.app.context;
      await sql.transaction(async (tx) => {
        const row = await tx
          .selectFrom(table)
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        for (let stored = 0; stored < count; stored += 100) {
          const length = Math.min(100, count - stored);
          const rows = Array.from({ length }, () => ({ ...row, ...changes, id: newId() }));
          await tx.insertInto(table).values(rows).execute();
        }
      });
    }

    const put = (path: string, body: object) => ada.post(`${path}/threads`, body);

    it('comments in a thread', async () => {
      const path = await makeDocument(ada, 'talkative', { content: TEXT });
      const { id, comments } = await open(ada, path, { body: 'first' });
      const answer = () => ada.post(`${path}/threads/${id}/comments`, { body: 'x' });
      await copy('comment', comments[0].id, commentsPerThread - 2);
      await expectStatus(answer(), 201);
      assertError(await answer(), 422, 'UNPROCESSABLE', /^body: .*200 comments/);
    });

    it('open threads, also reopened ones', async () => {
      const path = await makeDocument(ada, 'open', { content: TEXT });
      const { id } = await open(ada, path, { body: 'first' });
      await expectStatus(ada.patch(`${path}/threads/${id}`, { state: 'resolved' }), 200);
      const { id: other } = await open(ada, path, { body: 'second' });
      await copy('thread', other, openThreads - 2);
      await expectStatus(put(path, { body: 'last' }), 201);
      const reopened = await ada.patch(`${path}/threads/${id}`, { state: 'open' });
      assertError(reopened, 422, 'UNPROCESSABLE', /500 open threads/);
      assertError(await put(path, { body: 'x' }), 422, 'UNPROCESSABLE', /500 open threads/);
      await expectStatus(ada.patch(`${path}/threads/${other}`, { state: 'resolved' }), 200);
      await expectStatus(ada.patch(`${path}/threads/${id}`, { state: 'open' }), 200);
    });

    it('threads in all', async () => {
      const path = await makeDocument(ada, 'endless', { content: TEXT });
      const { id } = await open(ada, path, { body: 'first' });
      await expectStatus(ada.patch(`${path}/threads/${id}`, { state: 'resolved' }), 200);
      await copy('thread', id, threads - 2);
      await expectStatus(put(path, { body: 'last' }), 201);
      assertError(await put(path, { body: 'x' }), 422, 'UNPROCESSABLE', /has had 5000 threads/);
    });
  });
});

describe('who can comment', () => {
  const CALLERS = ['owner', 'admin', 'writer', 'reader', 'stranger'] as const;

  /** What each caller can do, by setting: see, comment. */
  const TABLE = {
    insiders: { insider: [200, 201], stranger: [403, 403] },
    readers: { insider: [200, 201], stranger: [200, 201] },
    off: { insider: [200, 403], stranger: [403, 403] },
  };

  for (const [comments, expected] of Object.entries(TABLE)) {
    it(`${comments}: every caller`, async () => {
      const path = await makeDocument(ada, `who-${comments}`, { content: TEXT });
      const people = await users(
        service,
        ...(['admin', 'writer', 'reader'] as const).map((name) => `${name}-${comments}`),
      );
      for (const [name, person] of Object.entries(people)) {
        const permission = { a: 'admin', w: 'write', r: 'read' }[name[0] as 'a'];
        await collaborate(ada, path, person, permission as 'admin');
      }
      await expectStatus(ada.patch(`${path}/review-settings`, { comments }), 200);
      for (const caller of CALLERS) {
        const client =
          caller === 'owner' ? ada : caller === 'stranger' ? eve : people[`${caller}-${comments}`];
        assert.ok(client);
        const rule = caller === 'stranger' ? expected.stranger : expected.insider;
        const statuses = [
          (await client.get(`${path}/threads`)).status,
          (await client.post(`${path}/threads`, { body: caller })).status,
        ];
        assert.deepEqual(statuses, rule, caller);
        const configured = await client.patch(`${path}/review-settings`, { comments });
        assert.equal(configured.status, ['owner', 'admin'].includes(caller) ? 200 : 403, caller);
      }
    });
  }

  it('people who can’t read a document see no comments, whatever the setting', async () => {
    const path = await makeDocument(ada, 'hidden', { visibility: 'private' });
    await expectStatus(ada.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const { id } = await open(ada, path, { body: 'x' });
    const missing = '/briefs/ada/never-there';
    for (const rest of ['/threads', `/threads/${id}`, '/review-settings']) {
      const [hidden, nothing] = [await eve.get(path + rest), await eve.get(missing + rest)];
      assertError(hidden, 404, 'NOT_FOUND');
      assert.equal(hidden.text, nothing.text);
    }
    for (const send of [
      (at: string) => eve.post(`${at}/threads`, { body: 'x' }),
      (at: string) => eve.patch(`${at}/threads/${id}`, { state: 'resolved' }),
      (at: string) => eve.post(`${at}/threads/${id}/comments`, { body: 'x' }),
      (at: string) => decide(eve, at, 'accept', [id]),
      (at: string) => decide(eve, at, 'reject', [id]),
    ]) {
      const [hidden, nothing] = [await send(path), await send(missing)];
      assertError(hidden, 404, 'NOT_FOUND');
      assert.equal(hidden.text, nothing.text);
    }
  });

  it('members of an organization are insiders of documents they can read', async () => {
    await makeOrganization(ada, 'acme');
    await join(ada, 'acme', alan);
    const path = await makeDocument(ada, 'internal', { org: 'acme', visibility: 'internal' });
    await open(alan, path, { body: 'from a member' });
  });
});

describe('suggestions', () => {
  it('are accepted together as one revision', async () => {
    const path = await makeDocument(ada, 'better', { content: TEXT });
    await collaborate(ada, path, grace, 'read');
    const suggest = async (quote: string, replacement: string) =>
      (await open(grace, path, { on: { quote }, replacement })).id;
    const threads = [await suggest('loud', 'noisy'), await suggest('quiet', 'silent')];
    assertError(await decide(grace, path, 'accept', threads), 403, 'FORBIDDEN');
    await expectStatus(ada.patch(path, { content: `Intro.\n\n${TEXT}` }), 200);
    const { data } = await expectStatus(decide(ada, path, 'accept', threads), 200);
    const expected = `Intro.\n\n${TEXT}`.replace('loud', 'noisy').replace('quiet', 'silent');
    assert.equal(data.content, expected);
    const [revision] = (await ada.get(`${path}/revisions`)).data;
    assert.deepEqual([revision.number, revision.message], [3, 'Accepted 2 suggestions by grace']);
    for (const thread of await threadsOf(ada, path, '?state=all')) {
      assert.deepEqual(
        [thread.state, thread.closedBy, thread.closedRevision],
        ['accepted', 'ada', 3],
      );
    }
    assertError(
      await decide(ada, path, 'accept', threads),
      422,
      'UNPROCESSABLE',
      /^threads: .* no longer open/,
    );
  });

  it('that no longer fit are a conflict, and nothing is accepted', async () => {
    const path = await makeDocument(ada, 'unfit', { content: TEXT });
    const suggest = async (quote: string, replacement: string) =>
      (await open(ada, path, { on: { quote }, replacement })).id;
    const fits = await suggest('quiet', 'silent');
    const changed = await suggest('Everybody came.', 'All came.');
    await expectStatus(
      ada.patch(path, { content: TEXT.replace('Everybody came', 'Everybody else came') }),
      200,
    );
    const refused = await decide(ada, path, 'accept', [fits, changed]);
    assertError(refused, 409, 'CONFLICT');
    assert.deepEqual(refused.json.data, {
      baseRevision: 1,
      currentRevision: 2,
      by: null,
      conflicts: [
        {
          line: 5,
          currentLine: 5,
          base: 'Everybody came.',
          current: 'Everybody else came.',
          yours: 'All came.',
        },
      ],
    });
    const overlapping = await suggest('station was quiet', 'station slept');
    assertError(await decide(ada, path, 'accept', [fits, overlapping]), 409, 'CONFLICT');
    assert.equal((await threadsOf(ada, path)).length, 3);
    assert.equal((await ada.get(path)).data.content.includes('silent'), false);
  });

  it('are rejected by their author or an editor', async () => {
    const path = await makeDocument(ada, 'rejected', { content: TEXT });
    for (const reader of [grace, alan]) await collaborate(ada, path, reader, 'read');
    const { id } = await open(grace, path, { on: { quote: 'quiet' }, replacement: '' });
    assertError(await decide(alan, path, 'reject', [id]), 403, 'FORBIDDEN');
    await expectStatus(decide(grace, path, 'reject', [id]), 204);
    const one = `${path}/threads/${id}`;
    const resolved = await grace.patch(one, { state: 'resolved' });
    assertError(resolved, 422, 'UNPROCESSABLE', /^state: .* rejected/);
    assert.equal((await grace.get(one)).data.state, 'rejected');
    assert.equal(
      (await expectStatus(grace.patch(one, { state: 'open' }), 200)).data.closedBy,
      null,
    );
  });

  it('accepted twice concurrently are accepted once', async () => {
    const path = await makeDocument(ada, 'once', { content: TEXT });
    const { id } = await open(ada, path, { on: { quote: 'quiet' }, replacement: 'silent' });
    const accept = () => decide(ada, path, 'accept', [id]);
    const answers = await Promise.all(Array.from({ length: 6 }, accept));
    assert.deepEqual(countStatuses(answers), { 200: 1, 422: 5 });
    assert.equal((await ada.get(`${path}/revisions`)).data.length, 2);
  });

  it('need a passage, and comments can’t be accepted', async () => {
    const path = await makeDocument(ada, 'needs', { content: TEXT });
    const post = (body: object) => ada.post(`${path}/threads`, body);
    assertError(await post({ replacement: 'x' }), 400, 'BAD_REQUEST', /^on/);
    const { id } = await open(ada, path, { body: 'x', on: { quote: 'quiet' } });
    const accepted = await decide(ada, path, 'accept', [id]);
    assertError(accepted, 422, 'UNPROCESSABLE', /^threads: .* nothing to accept/);
  });
});

describe('a write that resolves threads', () => {
  it('resolves them in the same transaction', async () => {
    const path = await makeDocument(ada, 'answered', { content: TEXT });
    const [one, two] = [await open(ada, path, { body: '1' }), await open(ada, path, { body: '2' })];
    const missing = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';
    assertError(
      await ada.patch(path, { content: 'new', resolves: [one.id, missing] }),
      422,
      'UNPROCESSABLE',
      /^resolves/,
    );
    assert.equal((await ada.get(path)).data.content, TEXT);
    await expectStatus(ada.patch(path, { content: 'new', resolves: [one.id] }), 200);
    const edits = [{ op: 'append', content: 'more' }];
    await expectStatus(ada.post(`${path}/edits`, { edits, resolves: [two.id] }), 200);
    const closed = await threadsOf(ada, path, '?state=closed');
    assert.deepEqual(
      closed.map(({ closedRevision }: { closedRevision: number }) => closedRevision),
      [3, 2],
    );
    await expectStatus(ada.patch(`${path}/threads/${one.id}`, { state: 'open' }), 200);
    const { content } = (await ada.get(path)).data;
    await expectStatus(ada.patch(path, { content, resolves: [one.id] }), 200);
    assert.deepEqual(await threadsOf(ada, path), []);
    assert.equal((await ada.get(`${path}/revisions`)).data.length, 3);
  });
});

describe('events of threads', () => {
  it('reach the people whom they concern', async () => {
    const path = await makeDocument(ada, 'told', { content: TEXT });
    await collaborate(ada, path, grace, 'read');
    const { cursor } = (await grace.get('/user/events')).data;
    const { id } = await open(grace, path, { body: 'Why? Ask @alan, `@eve`, @nobody-here' });
    await expectStatus(ada.post(`${path}/threads/${id}/comments`, { body: 'Hm, @grace' }), 201);
    await expectStatus(ada.patch(`${path}/threads/${id}`, { state: 'resolved' }), 200);
    const seen: string[] = [];
    for (let after = cursor; seen.length < 2; ) {
      const { data } = await grace.get(`/user/events?after=${after}&wait=30`);
      after = data.cursor;
      for (const { type, reason, thread } of data.items) {
        if (thread === id) seen.push(`${type}: ${reason}`);
      }
    }
    assert.deepEqual(seen, ['comment.added: mention', 'thread.closed: watching']);
    assert.deepEqual((await alan.get('/user/inbox')).data, [], 'can’t see the comments');
  });

  it('survive the trash, and are deleted with the document', async () => {
    const path = await makeDocument(ada, 'kept', { content: TEXT });
    await open(ada, path, { body: 'x', on: { quote: 'quiet' } });
    const { id } = (await ada.get(path)).data;
    await expectStatus(ada.delete(path), 204);
    await expectStatus(ada.post(`/trash/${id}/restore`), 200);
    assert.equal((await threadsOf(ada, path)).length, 1);
    await expectStatus(ada.delete(path), 204);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    const { read } = service.app.context.sql;
    assert.deepEqual(
      await read.selectFrom('thread').where('documentId', '=', id).select('id').execute(),
      [],
    );
  });

  it('have no name if the author’s account is deleted', async () => {
    const kurt = await service.user('kurt');
    const path = await makeDocument(ada, 'nameless', { content: TEXT });
    await collaborate(ada, path, kurt, 'read');
    await open(kurt, path, { body: 'from kurt' });
    await deleteUser(service.app.context, 'kurt');
    const [thread] = await threadsOf(ada, path);
    assert.deepEqual(
      [thread.author, thread.viaName, thread.comments[0].author, thread.comments[0].viaName],
      [null, null, null, null],
    );
    await assertConsistent(service.app.context);
  });

  it('quotes of an erased text are erased too', async () => {
    const path = await makeDocument(ada, 'erased', { content: `${TEXT}\nSecret words.\n` });
    await open(ada, path, { body: 'x', on: { quote: 'Secret words.' } });
    await open(ada, path, { body: 'y', on: { quote: 'quiet' } });
    await expectStatus(ada.patch(path, { content: TEXT }), 200);
    await threadsOf(ada, path);
    await expectStatus(ada.delete(`${path}/revisions/1`), 204);
    const [kept, gone] = await threadsOf(ada, path);
    assert.deepEqual([kept.on.quote, kept.on.state, kept.on.revision], ['quiet', 'kept', 2]);
    assert.deepEqual([gone.on.quote, gone.on.state], ['', 'gone']);
  });

  it('suggestions and proposals that repeat words of an erased text are erased too', async () => {
    const path = await makeDocument(ada, 'repeated', { content: `${TEXT}\nPassword: Hunter2x.\n` });
    const suggest = (quote: string, replacement: string) =>
      open(ada, path, { on: { quote }, replacement });
    const propose = async (text: string) => {
      const edits = [{ op: 'replace', old: 'Everybody', new: text }];
      const answer = ada.post(`${path}/edits`, { edits, propose: true });
      return (await expectStatus(answer, 201)).data;
    };
    const before = await suggest('quiet in', 'quiet (HUNTER2X) in');
    const rejected = await suggest('Nobody', 'hunter2x');
    await expectStatus(decide(ada, path, 'reject', [rejected.id]), 204);
    await expectStatus(ada.patch(path, { content: TEXT }), 200);
    const other = await suggest('loud', 'quiet');
    const later = await suggest('April', 'May, hunter2x');
    const proposal = await propose('hunter2x');
    const harmless = await propose('Somebody');
    const comment = await open(ada, path, { body: 'It was hunter2x.' });
    await expectStatus(ada.delete(`${path}/revisions/1`), 204);
    const { text } = await ada.get(`${path}/threads?state=all&per_page=100`);
    assert.deepEqual(text.match(/hunter2x/gi), ['hunter2x'], 'only the comment has it');
    const shown = async ({ id }: { id: string }) => {
      const { data } = await ada.get(`${path}/threads/${id}`);
      return [data.state, data.replacement ?? data.proposal?.added ?? null, data.closedBy];
    };
    assert.deepEqual(await shown(before), ['rejected', null, null]);
    assert.deepEqual(await shown(later), ['rejected', null, null]);
    assert.deepEqual(await shown(rejected), ['rejected', null, 'ada']);
    assert.deepEqual(await shown(proposal), ['rejected', null, null]);
    assert.deepEqual(await shown(other), ['open', 'quiet', null]);
    assert.deepEqual(await shown(harmless), ['open', 1, null]);
    assert.deepEqual(await shown(comment), ['open', null, null]);
    for (const { id } of [before, proposal]) {
      const reopened = await ada.patch(`${path}/threads/${id}`, { state: 'open' });
      assertError(reopened, 422, 'UNPROCESSABLE', /^state: .* no longer stored/);
    }
    await assertConsistent(service.app.context);
  });
});
