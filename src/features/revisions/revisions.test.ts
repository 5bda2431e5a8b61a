import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import { ALL_KINDS, collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { createToken } from '../../core/identity/token-service.ts';

const service = await startService();
after(() => service.stop());
const [ada, grace] = [await service.user('ada'), await service.user('grace')];

const lines = (...texts: string[]) => `${texts.join('\n')}\n`;

for (const { kind, contentField } of ALL_KINDS) {
  describe(`Revisions of a ${kind} over the API`, () => {
    const make = (name: string, content: string) =>
      makeDocument(ada, name, { kind: KINDS[kind], content });
    const write = (path: string, content: string, more: object = {}) =>
      ada.patch(path, { [contentField]: content, ...more });

    it('are listed, read and compared, packed or not', async () => {
      const path = await make('read', lines('one', 'two'));
      assert.equal((await ada.get(path)).headers.get('x-revision'), '1');
      const answer = await write(path, lines('one', '2'), { message: 'A digit' });
      assert.equal(answer.headers.get('x-revision'), '2');
      assert.equal(answer.headers.get('x-merged'), 'false');
      for (const isPacked of [false, true]) {
        if (isPacked) await packAll(service.app.context);
        const { data: all } = await expectStatus(ada.get(`${path}/revisions`), 200);
        assert.deepEqual(
          all.map((each: Record<string, unknown>) => [each.number, each.author, each.message]),
          [
            [2, 'ada', 'A digit'],
            [1, 'ada', null],
          ],
        );
        const { data: first } = await expectStatus(ada.get(`${path}/revisions/1`), 200);
        assert.deepEqual([first.number, first[contentField]], [1, lines('one', 'two')]);
        const { data: diff } = await expectStatus(ada.get(`${path}/revisions/2/diff`), 200);
        assert.match(diff.unified, /^-two\n\+2$/m);
        assert.deepEqual([diff.from, diff.to, diff.added, diff.removed], [1, 2, 1, 1]);
      }
      for (const number of ['0', '3', 'x', '1e1']) {
        assertError(await ada.get(`${path}/revisions/${number}`), 404, 'NOT_FOUND');
      }
      assertError(await ada.get(`${path}/revisions/2/diff?from=0`), 400, 'BAD_REQUEST');
    });

    it('are restored, pinned and erased by people with permission', async () => {
      const path = await make('changed', 'one');
      await collaborate(ada, path, grace, 'write');
      await expectStatus(write(path, 'two'), 200);
      await expectStatus(write(path, 'three'), 200);
      const restored = await grace.post(`${path}/revisions/1/restore`, { message: 'Back' });
      assert.equal(restored.status, 200, restored.text);
      assert.equal(restored.data[contentField], 'one');
      const { data: newest } = await ada.get(`${path}/revisions/4`);
      assert.deepEqual([newest.restoredFrom, newest.author, newest.message], [1, 'grace', 'Back']);
      assertError(await grace.patch(`${path}/revisions/2`, { pinned: true }), 403, 'FORBIDDEN');
      assertError(await grace.delete(`${path}/revisions/2`), 403, 'FORBIDDEN');
      const { data: pinned } = await ada.patch(`${path}/revisions/2`, { pinned: true });
      assert.equal(pinned.pinned, true);
      await expectStatus(ada.delete(`${path}/revisions/2`), 204);
      const { data: erased } = await ada.get(`${path}/revisions/2`);
      assert.deepEqual([erased.hasText, erased[contentField]], [false, null]);
      assert.equal(erased.pinned, false, 'what is gone can’t stay pinned');
      const again = await ada.patch(`${path}/revisions/2`, { pinned: true });
      assertError(
        again,
        422,
        'UNPROCESSABLE',
        /^pinned: the text of revision 2 is no longer stored/,
      );
      await expectStatus(ada.patch(`${path}/revisions/2`, { pinned: false }), 200);
      assertError(await ada.delete(`${path}/revisions/4`), 422, 'UNPROCESSABLE');
      assertError(await ada.post(`${path}/revisions/2/restore`, {}), 422, 'UNPROCESSABLE');
      assertError(await ada.get(`${path}/revisions/3/diff`), 422, 'UNPROCESSABLE');
    });

    it('erasing unpins every revision with that text, and no other', async () => {
      const path = await make('pins', 'one');
      await expectStatus(write(path, 'two'), 200);
      await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
      await expectStatus(write(path, 'three'), 200);
      await expectStatus(write(path, 'four'), 200);
      for (const number of [1, 2, 3, 4]) {
        await expectStatus(ada.patch(`${path}/revisions/${number}`, { pinned: true }), 200);
      }
      await expectStatus(ada.delete(`${path}/revisions/2`), 204);
      const { data } = await ada.get(`${path}/revisions`);
      const pinned = data.filter((one: { pinned: boolean }) => one.pinned);
      assert.deepEqual(
        pinned.map(({ number }: { number: number }) => number),
        [4, 1],
      );
    });

    it('old texts are hidden from people who read only because it is public', async () => {
      const path = await make('public', 'draft');
      await expectStatus(write(path, 'final'), 200);
      const reader = await service.user(`reader-${kind}`);
      assert.equal((await reader.get(`${path}/revisions`)).data.length, 2);
      assert.equal((await reader.get(`${path}/revisions/2`)).data[contentField], 'final');
      assertError(await reader.get(`${path}/revisions/1`), 404, 'NOT_FOUND');
      assertError(await reader.get(`${path}/revisions/2/diff`), 404, 'NOT_FOUND');
      assertError(await reader.post(`${path}/revisions/1/restore`, {}), 403, 'FORBIDDEN');
      await expectStatus(ada.patch(`${path}/revisions/1`, { pinned: true }), 200);
      assert.equal((await reader.get(`${path}/revisions/1`)).data[contentField], 'draft');
    });

    it('a write from an older revision is merged with later changes', async () => {
      const path = await make('merged', lines('a', 'b', 'c', 'd', 'e'));
      await expectStatus(write(path, lines('A', 'b', 'c', 'd', 'e')), 200);
      const answer = await write(path, lines('a', 'b', 'c', 'd', 'E'), { baseRevision: 1 });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.data[contentField], lines('A', 'b', 'c', 'd', 'E'));
      assert.equal(answer.headers.get('x-merged'), 'true');
      const { data } = await ada.get(`${path}/revisions/3`);
      assert.deepEqual([data.merged, data.basedOn], [true, 1]);
    });

    it('if both changed a line, the response has everything to resolve it', async () => {
      const base = ['first line', 'second line', 'third line', 'fourth line', 'fifth line'];
      const path = await make('conflict', lines(...base));
      await collaborate(ada, path, grace, 'write');
      const theirs = lines(...base.with(2, 'third, by grace'));
      await expectStatus(grace.patch(path, { [contentField]: theirs }), 200);
      const mine = lines(...base.with(0, 'first, by ada').with(2, 'third, by ada'));
      const answer = await write(path, mine, { baseRevision: 1 });
      assertError(answer, 409, 'CONFLICT');
      const { data } = answer;
      assert.deepEqual([data.baseRevision, data.currentRevision, data.by], [1, 2, 'grace']);
      assert.equal(data.current, theirs);
      assert.equal(data.merged, lines(...base.with(0, 'first, by ada').with(2, 'third, by grace')));
      assert.deepEqual(data.conflicts, [
        {
          line: 3,
          currentLine: 3,
          base: 'third line',
          current: 'third, by grace',
          yours: 'third, by ada',
        },
      ]);
      assert.equal((await ada.get(path)).data[contentField], theirs);
    });

    it('an unusable base is named', async () => {
      const path = await make('bases', 'one');
      await expectStatus(write(path, 'two'), 200);
      assertError(await write(path, 'x', { baseRevision: 7 }), 400, 'BAD_REQUEST', /baseRevision/);
      assertError(await write(path, 'x', { baseRevision: 0 }), 400, 'BAD_REQUEST', /baseRevision/);
      await expectStatus(ada.delete(`${path}/revisions/1`), 204);
      const gone = await write(path, 'x', { baseRevision: 1 });
      assertError(gone, 422, 'UNPROCESSABLE', /baseRevision/);
      assertError(await ada.patch(path, { message: 'nothing' }), 400, 'BAD_REQUEST');
      assertError(await write(path, 'x', { message: 'm'.repeat(201) }), 400, 'BAD_REQUEST');
    });

    it('a write that names its document fails if the name belongs to another', async () => {
      const path = await make('named', lines('one', 'two'));
      const { id } = (await ada.get(path)).data;
      const own = { documentId: id };
      await expectStatus(write(path, lines('one', 'two', 'three'), own), 200);
      await expectStatus(ada.patch(path, { name: `former-${kind}` }), 200);
      const moved = await write(path, lines('moved'), { ...own, baseRevision: 2 });
      assertError(moved, 308, 'MOVED');
      await make('named', lines('another'));
      const other = (await ada.get(path)).data;
      const edits = [{ op: 'append', content: 'x\n' }];
      const attempts = [
        () => write(path, 'x', own),
        () => write(path, 'x', { ...own, baseRevision: 1 }),
        () => write(path, 'x', { ...own, baseRevision: 2 }),
        () => ada.patch(path, { visibility: 'private', ...own }),
        () => ada.post(`${path}/edits`, { edits, ...own }),
        () => ada.post(`${path}/edits`, { edits, ...own, dryRun: true }),
        () => ada.post(`${path}/edits`, { edits, ...own, propose: true }),
      ];
      for (const attempt of attempts) {
        assertError(
          await attempt(),
          409,
          'CONFLICT',
          /^documentId: ada\/named.* is another document/,
        );
      }
      assert.deepEqual((await ada.get(path)).data, other);
      await expectStatus(write(path, 'x', { documentId: other.id, baseRevision: 1 }), 200);
      assertError(await write(path, 'x', { documentId: 1 }), 400, 'BAD_REQUEST', /documentId/);
      assertError(await ada.patch(path, own), 400, 'BAD_REQUEST');
    });

    it('a revision says whether the same token wrote it', async () => {
      const path = await make('own', 'one');
      await collaborate(ada, path, grace, 'write');
      await expectStatus(grace.patch(path, { [contentField]: 'two' }), 200);
      const { token } = await createToken(service.app.context, {
        username: 'ada',
        name: `another ${kind}`,
        lifetimeMs: undefined,
      });
      await expectStatus(service.client(token).patch(path, { [contentField]: 'three' }), 200);
      const owns = async (client: Client) =>
        (await client.get(`${path}/revisions`)).data.map(({ own }: { own: boolean }) => own);
      assert.deepEqual(await owns(ada), [false, false, true]);
      assert.deepEqual(await owns(grace), [false, true, false]);
      assert.deepEqual(await owns(service.client(token)), [true, false, false]);
      assert.equal((await ada.get(`${path}/revisions/1`)).data.own, true);
    });

    it('100 edits with all their fields fit into a request', async () => {
      const path = await make('many-edits', 'a b');
      const edits = Array.from({ length: 100 }, (_, index) => ({
        op: 'replace',
        all: true,
        ...(index % 2 === 0 ? { old: 'a', new: 'c' } : { old: 'c', new: 'a' }),
      }));
      const made = await ada.post(`${path}/edits`, { edits, dryRun: true, message: 'Back again' });
      assert.equal(made.status, 200, made.text);
    });

    it('edits change passages, all or none', async () => {
      const path = await make('edited', lines('one', 'two', 'three'));
      const edits = [
        { op: 'replace', old: 'two', new: '2' },
        { op: 'insert', after: 'three\n', content: 'four\n' },
        { op: 'prepend', content: 'zero\n' },
      ];
      const tried = await ada.post(`${path}/edits`, { edits, dryRun: true });
      assert.equal(tried.status, 200, tried.text);
      const gap = kind === 'brief' ? [''] : [];
      assert.deepEqual([tried.data.revision, tried.data.added], [1, 3 + gap.length]);
      assert.equal((await ada.get(`${path}/revisions`)).data.length, 1);
      const made = await ada.post(`${path}/edits`, { edits, message: 'By passages' });
      assert.equal(made.status, 200, made.text);
      assert.deepEqual([made.data.revision, made.data.merged], [2, false]);
      assert.equal(made.data.diff, tried.data.diff);
      const after = lines('zero', ...gap, 'one', '2', 'three', 'four');
      assert.equal((await ada.get(path)).data[contentField], after);
      const refused = await ada.post(`${path}/edits`, {
        edits: [
          { op: 'append', content: 'x' },
          { op: 'replace', old: 'three!', new: 'x' },
        ],
      });
      assertError(refused, 422, 'UNPROCESSABLE', /edits\.1/);
      assert.match(refused.text, /Closest are line \d/);
      assert.equal((await ada.get(path)).data[contentField], after);
      const restore = { edits: [{ op: 'restore', revision: 1 }] };
      await expectStatus(ada.post(`${path}/edits`, restore), 200);
      assert.equal((await ada.get(path)).data[contentField], lines('one', 'two', 'three'));
    });

    it('edits of an older revision are merged; twenty concurrent ones all succeed', async () => {
      const names = Array.from({ length: 20 }, (_, at) => `line ${String(at).padStart(2, '0')}`);
      const path = await make('twenty', lines(...names));
      const answers = await Promise.all(
        names.map((name) =>
          ada.post(`${path}/edits`, {
            edits: [{ op: 'replace', old: name, new: `${name} done` }],
            baseRevision: 1,
          }),
        ),
      );
      const conflicts = answers.filter(({ status }) => status === 409).length;
      for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text);
      const { data } = await ada.get(path);
      const done = names.filter((name) => data[contentField].includes(`${name} done`));
      assert.equal(
        done.length,
        20 - conflicts,
        'each is in the text or was answered as a conflict',
      );
    });
  });
}

describe('Edits of sections', () => {
  it('work for briefs and pages: replace, append, delete', async () => {
    const content = '# Plan\n\n## Goal\n\nOld.\n\n## Risks\n\nNone.\n';
    const path = await makeDocument(ada, 'sections', { content });
    const edits = [
      { op: 'section', heading: 'Goal', mode: 'replace', content: 'New.' },
      { op: 'section', heading: 'risks', mode: 'delete' },
    ];
    await expectStatus(ada.post(`${path}/edits`, { edits }), 200);
    assert.equal((await ada.get(path)).data.content, '# Plan\n\n## Goal\n\nNew.\n\n');
    const page = await makeDocument(ada, 'page-sections', {
      kind: KINDS.page,
      content: '<h1>Goal</h1>',
    });
    await expectStatus(ada.post(`${page}/edits`, { edits: edits.slice(0, 1) }), 200);
    assert.equal((await ada.get(page)).data.html, '<h1>Goal</h1>\nNew.\n');
    assertError(await ada.post(`${page}/edits`, { edits }), 422, 'UNPROCESSABLE');
  });

  it('add nothing where others deleted the section or passage, and follow one that they moved', async () => {
    const content = '# Plan\n\nOne is here.\n\nTwo is there.\n\n## Risks\n\nNone.\n';
    const after = '# Plan\n\nTwo is there.\n\nOne is here.\n';
    const path = await makeDocument(ada, 'deleted-section', { content });
    await expectStatus(ada.patch(path, { content: after }), 200);
    const send = (edit: object) => ada.post(`${path}/edits`, { edits: [edit], baseRevision: 1 });
    const place = { op: 'section', heading: 'Risks', mode: 'append' };
    const gone = await send({ ...place, content: 'Many.' });
    assertError(gone, 409, 'CONFLICT', /ada removed "Risks" since revision 1/);
    assert.equal(gone.data.gone, 'Risks');
    const none = await send({ op: 'insert', after: 'None.', content: 'Many.' });
    assertError(none, 409, 'CONFLICT', /removed "None\."/);
    await expectStatus(send({ op: 'insert', after: 'One is here.', content: 'New.' }), 200);
    assert.equal((await ada.get(path)).data.content, `${after}\nNew.\n`);
  });
});

describe('Idempotency-Key', () => {
  const header = (key: string) => ({ 'idempotency-key': key });

  it('a repeated create gets the first response and creates one document', async () => {
    const body = { content: '# Once', name: 'once' };
    const first = await ada.post('/user/briefs', body, header('create-1'));
    assert.equal(first.status, 201, first.text);
    await expectStatus(ada.patch('/briefs/ada/once', { content: '# Changed' }), 200);
    const again = await ada.post('/user/briefs', body, header('create-1'));
    assert.equal(again.status, 201, again.text);
    assert.deepEqual(again.data, first.data);
    assert.equal((await ada.get('/briefs/ada/once/revisions')).data.length, 2);
    assertError(await ada.post('/user/briefs', body, header('create-2')), 422, 'UNPROCESSABLE');
    const other = { content: '# Once', name: 'other' };
    const reused = await ada.post('/user/briefs', other, header('create-1'));
    assertError(reused, 422, 'UNPROCESSABLE', /^Idempotency-Key/);
    const hers = await grace.post('/user/briefs', body, header('create-1'));
    assert.equal(hers.status, 201, 'keys are one account’s');
    await expectStatus(ada.delete('/briefs/ada/once'), 204);
    const deleted = await ada.post('/user/briefs', body, header('create-1'));
    assert.deepEqual([deleted.status, deleted.text], [201, first.text]);
    assertError(await ada.get('/briefs/ada/once'), 404, 'NOT_FOUND');
  });

  it('twenty concurrent requests create one', async () => {
    const body = { content: '# Raced' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ada.post('/user/briefs', body, header('race'))),
    );
    for (const { status, data } of answers) assert.deepEqual([status, data.name], [201, 'raced']);
    assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1);
  });

  it('a repeated edit changes nothing', async () => {
    const path = await makeDocument(ada, 'appended', { content: 'a\n' });
    const body = { edits: [{ op: 'append', content: 'b\n' }] };
    const first = await ada.post(`${path}/edits`, body, header('edit-1'));
    const again = await ada.post(`${path}/edits`, body, header('edit-1'));
    assert.equal(again.status, 200, again.text);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('etag'), (await ada.get(path)).headers.get('etag'));
    assert.equal((await ada.get(path)).data.content, 'a\n\nb\n');
    const restore = `${path}/revisions/1/restore`;
    await expectStatus(ada.post(restore, {}, header('restore-1')), 200);
    await expectStatus(ada.post(restore, {}, header('restore-1')), 200);
    assert.equal((await ada.get(`${path}/revisions`)).data.length, 3);
  });

  it('an invalid key is refused', async () => {
    const answer = await ada.post('/user/briefs', { content: 'x' }, header('x'.repeat(256)));
    assertError(answer, 400, 'BAD_REQUEST', /^Idempotency-Key/);
  });
});
