import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';

import { connect } from '../../../test/mcp/agent.ts';
import { expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const PRIVATE = { visibility: 'private' } as const;

describe('Search in the app and by its tool', async () => {
  const service = await startWithVisitors();
  const ada = await makePerson(service, 'ada');
  const agent = await connect(service, ada.client.token);
  await makeDocument(ada.client, 'migration', {
    ...PRIVATE,
    content: '# Postgres migration 415\n\nThe <old> Straße moves.',
  });
  await makeDocument(ada.client, 'other', { ...PRIVATE, content: 'Another street moved.' });
  await everythingIndexed(service.app.context);
  after(async () => {
    await agent.close();
    await service.stop();
  });

  const page = async (query: string) =>
    (await ada.visitor.get(`/search?q=${encodeURIComponent(query)}`)).text;
  const quickFind = async (query: string) => {
    const accept = { accept: 'application/json' };
    const { text } = await ada.visitor.get(`/search?q=${encodeURIComponent(query)}`, accept);
    return JSON.parse(text).data.map(({ name }: { name: string }) => name);
  };
  const tool = async (query: string) => (await agent.call('search_documents', { query })).text;

  it('the page says how many were found, and marks them in the text', async () => {
    assert.match(await page('strasse'), /1 result<.*<mark>Straße<\/mark> moves/s);
    assert.match(await page('move'), /2 results</);
    assert.match(await page('strasse nowhere'), /No results.*All words must match/s);
  });

  it('quick find takes the beginning of every word', async () => {
    assert.deepEqual(await quickFind('postgres migr 415'), ['migration']);
    assert.deepEqual(await quickFind('post mig 4'), []);
    assert.deepEqual(await quickFind('postgers strasse'), ['migration']);
  });

  it('the tool says what can be tried', async () => {
    assert.match(await tool('strasse OR street'), /^Documents: 2\./);
    assert.match(await tool('"postgres 415"'), /^Documents: 0\. All words must match: try fewer/);
  });

  it('all say that there are changes that can’t be found yet', async () => {
    const { sql } = service.app.context;
    const { id } = (await expectStatus(ada.client.get('/briefs/ada/other'), 200)).data;
    // Claimed by an indexer that doesn't finish.
    const row = { documentId: id, stamp: 'x', claimedUntil: '2999-01-01T00:00:00.000Z' };
    await sql.transaction((tx) => tx.insertInto('search_pending').values(row).execute());
    assert.match(await page('move'), /2 results<.*Some recent changes can’t be found yet/s);
    assert.match(await page('nowhere'), /No results.*Some recent changes can’t be found yet/s);
    assert.match(await tool('move'), /^Documents: 2\. Some recent changes can’t be found yet/);
    await sql.transaction((tx) =>
      tx.deleteFrom('search_pending').where('documentId', '=', id).execute(),
    );
    assert.doesNotMatch(await page('move'), /recent changes/);
  });
});
