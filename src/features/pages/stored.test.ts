import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertError, startService } from '../../../test/harness.ts';
import { namedBlobs, storedBlobs, storedBytes } from '../../../test/state.ts';

const MB = 1024 * 1024;

describe('Stored pages', async () => {
  let earlier: string[];

  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const grace = await service.user('grace');
  await ada.post('/user/pages', { html: 'there', name: 'there' });
  const invited = await ada.put('/pages/ada/there/collaborators/grace', { permission: 'read' });
  await grace.patch(`/user/brief_invitations/${invited.data.id}`);
  beforeEach(async () => {
    await packAll(service.app.context);
    earlier = await storedBlobs(service.app.context);
    assert.deepEqual(
      earlier,
      await namedBlobs(service.app.context),
      'every blob is named, every name has its blob',
    );
  });

  const added = async () =>
    (await storedBlobs(service.app.context)).filter((key) => !earlier.includes(key));
  const unchanged = async () => assert.deepEqual(await storedBlobs(service.app.context), earlier);

  it('are stored at storagePath', async () => {
    const { data } = await ada.post('/user/pages', { html: '<p>1</p>', name: 'put' });
    assert.deepEqual(await added(), [data.storagePath]);
    assert.equal((await storedBytes(service.app.context, data.storagePath)).toString(), '<p>1</p>');
  });

  it('get a new blob when the HTML changes; the old text is packed', async () => {
    const { data: old } = await ada.post('/user/pages', { html: 'old', name: 'replaced' });
    const { data } = await ada.patch('/pages/ada/replaced', { html: 'new' });
    assert.notEqual(data.storagePath, old.storagePath);
    await packAll(service.app.context);
    assert.deepEqual(await added(), [data.storagePath]);
    assert.equal((await storedBytes(service.app.context, data.storagePath)).toString(), 'new');
  });

  it('keep their blob when only the name or visibility changes', async () => {
    const { data: old } = await ada.post('/user/pages', { html: 'x', name: 'staying' });
    const { data } = await ada.patch('/pages/ada/staying', {
      name: 'stayed',
      visibility: 'private',
    });
    assert.equal(data.storagePath, old.storagePath);
    assert.deepEqual(await added(), [old.storagePath]);
  });

  it('are deleted with their page', async () => {
    const { data } = await ada.post('/user/pages', { html: 'x', name: 'leaving' });
    assert.equal((await added()).length, 1);
    assert.equal((await ada.delete('/pages/ada/leaving')).status, 204);
    assert.deepEqual(await added(), [data.storagePath], 'in the trash');
    assert.equal((await ada.delete(`/trash/${data.id}`)).status, 204);
    await unchanged();
  });

  it('are deleted with their organization, and no others', async () => {
    await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    for (const name of ['a', 'b', 'c']) {
      await ada.post('/orgs/engines/pages', { html: name, name, visibility: 'internal' });
    }
    assert.equal((await added()).length, 3);
    assert.equal((await ada.delete('/orgs/engines')).status, 204);
    await unchanged();
  });

  it('leave no blob after a failed creation', async () => {
    const post = (path: string, body: object, client = ada) => client.post(path, body);
    const html = '<title>there</title>';
    assertError(await post('/user/pages', { html, name: 'there' }), 422, 'UNPROCESSABLE');
    assertError(await post('/user/pages', { html }), 422, 'UNPROCESSABLE');
    assertError(await post('/user/pages', { html, name: '/' }), 400, 'BAD_REQUEST');
    assertError(
      await post('/user/pages', { html, name: 'i', visibility: 'internal' }),
      400,
      'BAD_REQUEST',
    );
    assertError(await post('/users/ada/pages', { html }, grace), 403, 'FORBIDDEN');
    assertError(await post('/orgs/nobody/pages', { html }), 404, 'NOT_FOUND');
    assertError(
      await post('/user/pages', { html: 'x'.repeat(5 * MB + 1) }),
      413,
      'CONTENT_TOO_LARGE',
    );
    await unchanged();
  });

  it('leave no blob after a failed update, which changes nothing', async () => {
    const path = '/pages/ada/there';
    const html = 'other';
    await ada.post('/user/pages', { html: 'x', name: 'taken' });
    earlier = await storedBlobs(service.app.context);
    const stale = { 'if-match': '"stale"' };
    assertError(await ada.patch(path, { html }, stale), 412, 'PRECONDITION_FAILED');
    assertError(await ada.patch(path, { html }, { 'if-match': 'junk' }), 400, 'BAD_REQUEST');
    assertError(await ada.patch(path, { html, name: 'taken' }), 422, 'UNPROCESSABLE');
    assertError(await ada.patch(path, { html, name: 'a/b' }), 400, 'BAD_REQUEST');
    assertError(await ada.patch(path, { html, visibility: 'internal' }), 400, 'BAD_REQUEST');
    assertError(await grace.patch(path, { html }), 403, 'FORBIDDEN');
    assertError(await grace.patch('/pages/ada/taken', { html }), 403, 'FORBIDDEN');
    assertError(await ada.patch('/pages/ada/none', { html }), 404, 'NOT_FOUND');
    await unchanged();
    assert.equal((await ada.get(path)).data.html, 'there');
  });

  it('survive concurrent writes: one version is current, the others are packed', async () => {
    const html = (writer: number) => `${writer} `.repeat(20_000);
    await ada.post('/user/pages', { html: 'start', name: 'contended' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, writer) =>
        ada.patch('/pages/ada/contended', { html: html(writer) }),
      ),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { data } = await ada.get('/pages/ada/contended');
    assert.equal(data.html, html(Number.parseInt(data.html, 10)));
    await packAll(service.app.context);
    assert.deepEqual(await added(), [data.storagePath]);
  });

  it('created concurrently with one name: one wins, and only its blob remains', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, writer) =>
        ada.post('/user/pages', { html: `by ${writer}`, name: 'raced' }),
      ),
    );
    const won = answers.filter(({ status }) => status === 201);
    assert.equal(won.length, 1);
    assert.equal(answers.filter(({ status }) => status === 422).length, 9);
    assert.deepEqual(await added(), [won[0]?.data.storagePath]);
  });

  it('can be read while they are replaced: always one complete version', async () => {
    const html = (version: number) => `${version} `.repeat(50_000);
    await ada.post('/user/pages', { html: html(0), name: 'busy' });
    let writing = true;
    const writer = (async () => {
      for (let version = 1; version <= 30; version++) {
        const { status } = await ada.patch('/pages/ada/busy', { html: html(version) });
        assert.equal(status, 200);
      }
      writing = false;
    })();
    const check = (text: string) => assert.equal(text, html(Number.parseInt(text, 10)));
    let reads = 0;
    while (writing) {
      const read = await ada.get('/pages/ada/busy');
      assert.equal(read.status, 200, read.text);
      check(read.data.html);
      const raw = await fetch(`${service.renderUrl}/ada/busy`);
      assert.equal(raw.status, 200);
      check(await raw.text());
      reads++;
    }
    await writer;
    assert.ok(reads > 0);
  });
});
