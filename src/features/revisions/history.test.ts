import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { actorOf } from '../../../test/document/readers.ts';
import { startService } from '../../../test/harness.ts';
import { ALL_KINDS, collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { ServiceError } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { callOf } from '../../core/context.ts';
import { updateDocument } from '../../core/document/merge-service.ts';
import { getRevision, listRevisions, pinRevision, restoreRevision } from './revision-service.ts';

const service = await startService();
after(() => service.stop());
const [ada, grace] = [await service.user('ada'), await service.user('grace')];

const ref = (kind: 'brief' | 'page', name: string) => ({ kind, owner: 'ada', name });

async function revisionsOf(
  kind: 'brief' | 'page',
  name: string,
  page = { number: 1, size: 100 },
  reader = 'ada',
) {
  const actor = await actorOf(service, reader);
  return listRevisions(callOf(service.app.context, actor), ref(kind, name), page);
}

async function textOf(kind: 'brief' | 'page', name: string, number: number, reader = 'ada') {
  const actor = await actorOf(service, reader);
  const { text } = await getRevision(callOf(service.app.context, actor), ref(kind, name), number);
  return text;
}

function hasCode(code: string) {
  return (error: unknown) => error instanceof ServiceError && error.code === code;
}

describe('Revisions', () => {
  for (const { kind, contentField } of ALL_KINDS) {
    it(`a ${kind}: every write is listed, newest first, with author and changes`, async () => {
      const path = await makeDocument(ada, 'first', { kind: KINDS[kind], content: 'one' });
      await collaborate(ada, path, grace, 'write');
      await expectStatus(grace.patch(path, { [contentField]: 'two' }), 200);
      await expectStatus(ada.patch(path, { visibility: 'private', name: 'First' }), 200);
      const all = { [contentField]: 'four', name: 'second', visibility: 'public' };
      const { data } = await expectStatus(ada.patch(path, all), 200);
      const { items, total } = await revisionsOf(kind, 'second');
      assert.equal(total, 4);
      assert.deepEqual(
        items.map(({ number, author, via, changed, sizeBytes, hasText }) => [
          number,
          author,
          via,
          changed,
          sizeBytes,
          hasText,
        ]),
        [
          [4, 'ada', 'token', ['content', 'name', 'visibility'], 4, true],
          [3, 'ada', 'token', ['visibility'], 3, true],
          [2, 'grace', 'token', ['content'], 3, true],
          [1, 'ada', 'token', ['content', 'name', 'visibility'], 3, true],
        ],
      );
      assert.equal(items[0]?.createdAt, data.updatedAt);
      const second = await revisionsOf(kind, 'second', { number: 2, size: 3 });
      assert.deepEqual([second.total, second.items.map(({ number }) => number)], [4, [1]]);
    });

    it(`a ${kind}: every text can be read, and restored as a new revision`, async () => {
      const path = await makeDocument(ada, 'texts', { kind: KINDS[kind], content: 'one' });
      for (const text of ['two', 'three', 'four']) {
        await expectStatus(ada.patch(path, { [contentField]: text }), 200);
      }
      const read = () => Promise.all([1, 2, 3, 4].map((number) => textOf(kind, 'texts', number)));
      assert.deepEqual(await read(), ['one', 'two', 'three', 'four']);
      const actor = await actorOf(service, 'ada');
      const restored = await restoreRevision(
        callOf(service.app.context, actor),
        ref(kind, 'texts'),
        2,
        { message: 'Back to two' },
      );
      assert.deepEqual([restored.text, restored.document.version], ['two', 5]);
      assert.deepEqual(await read(), ['one', 'two', 'three', 'four']);
      const [newest] = (await revisionsOf(kind, 'texts')).items;
      assert.equal(newest?.restoredFrom, 2);
      assert.equal(newest?.message, 'Back to two');
    });
  }

  it('a refused write adds no revision', async () => {
    const path = await makeDocument(ada, 'refused');
    await collaborate(ada, path, grace, 'read');
    await makeDocument(ada, 'taken');
    await expectStatus(grace.patch(path, { content: 'x' }), 403);
    await expectStatus(ada.patch(path, { content: 'x' }, { 'if-match': '"no"' }), 412);
    await expectStatus(ada.patch(path, { content: 'x', name: 'taken' }), 422);
    await expectStatus(ada.patch(path, { content: 'x', visibility: 'internal' }), 400);
    assert.equal((await revisionsOf('brief', 'refused')).total, 1);
  });

  it('readers see the list; only insiders see old texts', async () => {
    const path = await makeDocument(ada, 'closed', { visibility: 'private', content: 'secret' });
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
    const read = () => revisionsOf('brief', 'closed', undefined, 'grace');
    await assert.rejects(read, hasCode('NOT_FOUND'));
    await assert.rejects(textOf('brief', 'closed', 2, 'grace'), hasCode('NOT_FOUND'));
    await collaborate(ada, path, grace, 'read');
    assert.equal((await read()).total, 2);
    assert.equal(await textOf('brief', 'closed', 1, 'grace'), 'secret');
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    await assert.rejects(read, hasCode('NOT_FOUND'));
    await expectStatus(ada.patch(path, { visibility: 'public' }), 200);
    assert.equal((await read()).total, 3);
    assert.equal(await textOf('brief', 'closed', 3, 'grace'), 'x');
    await assert.rejects(textOf('brief', 'closed', 1, 'grace'), hasCode('NOT_FOUND'));
  });

  it('a pinned revision is readable by all readers; only admins can pin', async () => {
    const path = await makeDocument(ada, 'pinned', { content: 'one' });
    await collaborate(ada, path, grace, 'write');
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    const pin = async (who: string, pinned: boolean) =>
      pinRevision(
        callOf(service.app.context, await actorOf(service, who)),
        ref('brief', 'pinned'),
        1,
        pinned,
      );
    await assert.rejects(pin('grace', true), hasCode('FORBIDDEN'));
    await service.user('reader');
    await assert.rejects(textOf('brief', 'pinned', 1, 'reader'), hasCode('NOT_FOUND'));
    assert.equal((await pin('ada', true)).pinned, true);
    assert.equal(await textOf('brief', 'pinned', 1, 'reader'), 'one');
    assert.equal((await pin('ada', false)).pinned, false);
    await assert.rejects(textOf('brief', 'pinned', 1, 'reader'), hasCode('NOT_FOUND'));
  });

  it('all are listed, however many there are', async () => {
    await makeDocument(ada, 'busy', { content: '1' });
    const actor = await actorOf(service, 'ada');
    for (let version = 2; version <= 204; version += 1) {
      const input = { content: `${version}` };
      await updateDocument(
        callOf(service.app.context, actor),
        ref('brief', 'busy'),
        input,
        undefined,
      );
    }
    const { items, total } = await revisionsOf('brief', 'busy', { number: 1, size: 1000 });
    assert.equal(total, 204);
    assert.deepEqual(
      items.map(({ number }) => number),
      Array.from({ length: 204 }, (_, index) => 204 - index),
    );
    assert.equal(await textOf('brief', 'busy', 1), '1');
    assert.equal(await textOf('brief', 'busy', 77), '77');
  });

  it('are deleted with the document; a deleted author has no name', async () => {
    const leaver = await service.user('leaver');
    const path = await makeDocument(ada, 'left');
    await collaborate(ada, path, leaver, 'write');
    await expectStatus(leaver.patch(path, { content: 'x' }), 200);
    const { sql } = service.app.context;
    await sql.transaction((tx) =>
      tx.deleteFrom('owner').where('namespace', '=', 'leaver').execute(),
    );
    const { items } = await revisionsOf('brief', 'left');
    assert.deepEqual(
      items.map(({ author }) => author),
      [null, 'ada'],
    );
    const count = async () => [
      (await sql.read.selectFrom('revision').selectAll().execute()).length,
      (await sql.read.selectFrom('revision_text').selectAll().execute()).length,
    ];
    const [revisions = 0, texts = 0] = await count();
    const { id } = (await ada.get(path)).data;
    await expectStatus(ada.delete(path), 204);
    assert.deepEqual(await count(), [revisions, texts], 'in the trash');
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    assert.deepEqual(await count(), [revisions - 2, texts - 1]);
  });
});
