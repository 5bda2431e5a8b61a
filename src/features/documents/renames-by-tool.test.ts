import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { assertFailed, connect, quotationsOf } from '../../../test/mcp/agent.ts';

describe('Tools and names', async () => {
  const service = await startService();
  const user = await service.user('ada');
  const ada = await connect(service, user.token);
  const grace = await connect(service, (await service.user('grace')).token);
  after(async () => {
    await Promise.all([ada.close(), grace.close()]);
    await service.stop();
  });

  const make = async (name: string, more = {}) =>
    ada.call('publish_document', { name, content: `# ${name}`, ...more });
  const rename = async (name: string, to: string, kind = 'brief') =>
    ada.call('manage_document', { action: 'update', name, kind, new_name: to });

  it('work with a former name, and return the current one', async () => {
    await make('old', { visibility: 'private' });
    await rename('old', 'new');
    const moved = /This brief has moved to “ada\/new”\./;
    const { webUrl, baseUrl } = service;
    for (const name of [
      'old',
      'ada/old',
      `${webUrl}/ada/old`,
      `${webUrl}/edit/ada/old`,
      `${baseUrl}/briefs/ada/old`,
      'brief://ada/old',
      '@ada/old',
      ' @Ada/old/ ',
      `${webUrl}/@ada/old`,
      'brief://@ada/old',
    ]) {
      const read = await ada.call('read_document', { name });
      assert.match(read.text, moved);
      assert.equal(quotationsOf(read.text)['the text'], '# old');
    }
    const first = await ada.call('read_document', { name: `${webUrl}/read/ada/old@1` });
    assert.match(first.text, /This brief has moved to “ada\/new”\. .*revision 1/);
    assert.match((await ada.call('read_document', { name: 'old', owner: '@Ada' })).text, moved);
    const edits = [{ op: 'append', content: '\nmore' }];
    const edited = await ada.call('edit_document', { name: 'old', owner: 'ada', edits });
    assert.match(edited.text, moved);
    assert.equal(edited.data.document.name, 'new');
    assert.match(
      (await ada.call('share_document', { name: 'old', username: 'grace', permission: 'read' }))
        .text,
      moved,
    );
    assertFailed(await grace.call('read_document', { name: 'ada/old' }), 'NOT_FOUND');
    await make('beside');
    assert.match((await ada.call('search_documents', { owner: '@ada' })).text, /^Documents: 2/);
    const documents = ['beside', '@ada/old'];
    const waited = await ada.call('wait_for_feedback', { documents, wait_seconds: 0 });
    assert.match(waited.text, moved);
    const { contents } = await ada.client.readResource({ uri: 'brief://@ada/old' });
    assert.match(JSON.stringify(contents), /# old\\n\\nmore/);
    const deleted = await ada.call('manage_document', { action: 'delete', name: 'old' });
    assert.match(deleted.text, moved);
    assertFailed(await ada.call('read_document', { name: 'old' }), 'NOT_FOUND');
  });

  it('for a page too', async () => {
    const content = '<!doctype html><title>Clock</title>';
    await make('clock', { kind: 'page', content });
    await rename('clock', 'watch', 'page');
    const link = await ada.call('read_document', { name: 'clock', view: 'link' });
    assert.match(link.text, /This page has moved to “ada\/watch”\./);
    assert.equal((await fetch(link.data.url)).status, 200);
    const read = await ada.call('read_document', { name: `${service.webUrl}/ada/pages/clock` });
    assert.equal(quotationsOf(read.text)['the text'], content);
  });

  it('publish_document with base_revision writes to the renamed document; without, it takes the name', async () => {
    await make('report');
    await rename('report', 'report-1');
    const based = await make('report', { base_revision: 2, content: '# Newer' });
    assert.match(based.text, /This brief has moved to “ada\/report-1”\./);
    assert.deepEqual([based.data.created, based.data.document.name], [false, 'report-1']);
    const taken = await make('report');
    assert.deepEqual([taken.data.created, taken.data.document.name], [true, 'report']);
    assert.match(taken.text, /Until now, links to this name redirected to ada\/report-1/);
    assert.doesNotMatch((await make('report', { content: 'again' })).text, /Until now/);
  });

  it('read_document reads a revision by its address; other tools refuse it', async () => {
    await make('versions', { content: 'One' });
    await make('versions', { content: 'Two' });
    const { webUrl, baseUrl } = service;
    for (const name of [
      `${webUrl}/ada/versions@1`,
      `${webUrl}/ada/versions@1.md`,
      `${webUrl}/read/ada/versions@1`,
      `${baseUrl}/briefs/ada/versions@1`,
      'ada/versions@1',
      'versions@1',
    ]) {
      const { text } = await ada.call('read_document', { name });
      assert.equal(quotationsOf(text)['the text'], 'One', name);
    }
    const name = `${webUrl}/ada/versions@1`;
    assert.equal((await ada.call('read_document', { name, revision: 1 })).code, undefined);
    const contradicting = await ada.call('read_document', { name, revision: 2 });
    assertFailed(contradicting, 'INVALID_ARGUMENT', /revision: is 2, but name says 1/);
    assertFailed(
      await ada.call('manage_document', { action: 'delete', name }),
      'INVALID_ARGUMENT',
      /name: means revision 1; leave out "@1" to mean the document/,
    );
    const page = { kind: 'page', content: '<title>A</title>' };
    await make('sheet', page);
    const sheet = await ada.call('read_document', { name: `${webUrl}/ada/pages/sheet@1` });
    assert.equal(quotationsOf(sheet.text)['the text'], page.content);
    assertFailed(await ada.call('read_document', { name: 'versions@9' }), 'NOT_FOUND');
  });
});
