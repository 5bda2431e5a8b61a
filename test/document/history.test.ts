import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { updateDocument } from '../../src/document/document-service.ts';
import { listChanges } from '../../src/document/history-service.ts';
import { KINDS } from '../../src/document/kind.ts';
import { ServiceError } from '../../src/errors.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { ALL_KINDS, collaborate, expectStatus, makeDocument } from '../rest/scenario.ts';
import { actorOf } from './readers.ts';

let service: Service;
let ada: Client;
let grace: Client;

before(async () => {
  service = await startService();
  [ada, grace] = [await service.user('ada'), await service.user('grace')];
});
after(() => service.stop());

const ref = (kind: 'brief' | 'page', name: string) => ({ kind, owner: 'ada', name });

async function changesOf(
  kind: 'brief' | 'page',
  name: string,
  page = { number: 1, size: 100 },
  reader = 'ada',
) {
  const actor = await actorOf(service, reader);
  return listChanges(service.app.context, actor, ref(kind, name), page);
}

describe('Who wrote a document', () => {
  for (const { kind, contentField } of ALL_KINDS) {
    it(`a ${kind}: every write after the first, newest first, and what it changed`, async () => {
      const path = await makeDocument(ada, 'first', { kind: KINDS[kind] });
      await collaborate(ada, path, grace, 'write');
      assert.deepEqual(await changesOf(kind, 'first'), { items: [], total: 0 });
      await expectStatus(grace.patch(path, { [contentField]: 'two' }), 200);
      await expectStatus(ada.patch(path, { visibility: 'private', name: 'First' }), 200);
      const all = { [contentField]: 'four', name: 'second', visibility: 'public' };
      const { data } = await expectStatus(ada.patch(path, all), 200);
      const { items, total } = await changesOf(kind, 'second');
      assert.equal(total, 3);
      assert.deepEqual(
        items.map(({ version, changedBy, changed }) => [version, changedBy, changed]),
        [
          [4, 'ada', ['content', 'name', 'visibility']],
          [3, 'ada', ['visibility']],
          [2, 'grace', ['content']],
        ],
      );
      assert.equal(items[0]?.changedAt, data.updatedAt);
      const second = await changesOf(kind, 'second', { number: 2, size: 2 });
      assert.deepEqual([second.total, second.items.map(({ version }) => version)], [3, [2]]);
    });
  }

  it('a write that is refused is none', async () => {
    const path = await makeDocument(ada, 'refused');
    await collaborate(ada, path, grace, 'read');
    await makeDocument(ada, 'taken');
    await expectStatus(grace.patch(path, { content: 'x' }), 403);
    await expectStatus(ada.patch(path, { content: 'x' }, { 'if-match': '"no"' }), 412);
    await expectStatus(ada.patch(path, { content: 'x', name: 'taken' }), 422);
    await expectStatus(ada.patch(path, { content: 'x', visibility: 'internal' }), 400);
    assert.equal((await changesOf('brief', 'refused')).total, 0);
  });

  it('is for those who may read it', async () => {
    const path = await makeDocument(ada, 'closed', { visibility: 'private' });
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
    const read = () => changesOf('brief', 'closed', undefined, 'grace');
    const isNotFound = (error: unknown) =>
      error instanceof ServiceError && error.code === 'NOT_FOUND';
    await assert.rejects(read, isNotFound);
    await collaborate(ada, path, grace, 'read');
    assert.equal((await read()).total, 1);
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    await assert.rejects(read, isNotFound);
    await assert.rejects(changesOf('page', 'closed'), isNotFound);
  });

  it('goes back 200 writes', async () => {
    await makeDocument(ada, 'busy');
    const actor = await actorOf(service, 'ada');
    for (let version = 2; version <= 204; version += 1) {
      const input = { content: `${version}` };
      await updateDocument(service.app.context, actor, ref('brief', 'busy'), input, undefined);
    }
    const { items, total } = await changesOf('brief', 'busy', { number: 1, size: 1000 });
    assert.equal(total, 200);
    assert.deepEqual(
      items.map(({ version }) => version),
      Array.from({ length: 200 }, (_, index) => 204 - index),
    );
  });

  it('goes with the document; a writer who is gone has no name', async () => {
    const leaver = await service.user('leaver');
    const path = await makeDocument(ada, 'left');
    await collaborate(ada, path, leaver, 'write');
    await expectStatus(leaver.patch(path, { content: 'x' }), 200);
    const { sql } = service.app.context;
    await sql.transaction((tx) =>
      tx.deleteFrom('owner').where('namespace', '=', 'leaver').execute(),
    );
    const { items } = await changesOf('brief', 'left');
    assert.deepEqual(
      items.map(({ changedBy }) => changedBy),
      [null],
    );
    const count = async () =>
      (await sql.read.selectFrom('document_change').selectAll().execute()).length;
    const before = await count();
    await expectStatus(ada.delete(path), 204);
    assert.equal(await count(), before - 1);
  });
});
