import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { newVisitor, PASSWORD } from '../../../test/sign-in/visitor.ts';
import { makeWorld } from '../../../test/web-app/world.ts';
import { describeTables } from '../../storage/sql/schema.ts';
import { NOT_PERSONAL, PERSONAL } from './personal-data-store.ts';

/** Columns that have the id of a person. */
const NAMES_SOMEBODY = /^(account|owner|actor|recipient|assignee|target)Id$|By$/;
const SECRET = /hash$|secret|sealed|password|token$|code/i;

describe('What is stored about a person', async () => {
  const service = await startService();
  after(() => service.stop());
  const { ada, grace } = await makeWorld(service);
  const download = async (visitor = ada.visitor) => {
    const { status, headers, text } = await visitor.get('/settings/account/data');
    assert.equal(status, 200);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; .*\.json"$/);
    return JSON.parse(text) as Record<string, Record<string, unknown>[]>;
  };

  it('is known of every table', async () => {
    const tables = await describeTables();
    const unknown = tables.filter(
      ({ name, columns }) =>
        columns.some((column) => NAMES_SOMEBODY.test(column)) &&
        !(name in PERSONAL) &&
        !(name in NOT_PERSONAL),
    );
    assert.deepEqual(
      unknown.map(({ name }) => name),
      [],
      'Say in PERSONAL what is about a person, or in NOT_PERSONAL why nothing is.',
    );
    for (const [name, { by, without = [] }] of Object.entries(PERSONAL)) {
      const columns = tables.find((table) => table.name === name)?.columns ?? [];
      assert.deepEqual(
        [...by, ...without].filter((column) => !columns.includes(column)),
        [],
        name,
      );
      const secrets = columns.filter((column) => SECRET.test(column) && !without.includes(column));
      assert.deepEqual(secrets, name === 'profile' ? ['pictureHash'] : [], name);
    }
  });

  it('has what they wrote elsewhere, and nothing about others', async () => {
    const data = await download(grace.visitor);
    assert.deepEqual(
      data.account?.map(({ email }) => email),
      ['grace@example.com'],
    );
    assert.ok(data.comment?.some(({ body }) => body === 'Well done.'));
    assert.ok(data.review?.some(({ body }) => body === 'They are.'));
    assert.deepEqual(
      data.access_token?.map(({ name }) => name),
      ['world'],
    );
    const graceId = data.account?.[0]?.id;
    const others = data.audit_entry?.filter((entry) => entry.actorName === 'ada') ?? [];
    assert.ok(others.length > 0);
    for (const { address, device, meansName } of others) {
      assert.deepEqual([address, device, meansName], [null, null, null]);
    }
    assert.ok(data.audit_entry?.some(({ address }) => address !== null));
    for (const [table, rows] of Object.entries(data)) {
      if (!Array.isArray(rows)) continue;
      for (const row of rows) {
        const { by } = PERSONAL[table] ?? { by: [] };
        assert.ok(
          by.some((column) => row[column] === graceId),
          table,
        );
      }
    }
  });

  it('tells of documents and webhooks of an organization only what they did', async () => {
    const owner = { namespace: 'left', name: 'Left' };
    await ada.client.post('/user/orgs', owner);
    await ada.client.put('/orgs/left/members/grace', { role: 'admin' });
    await grace.client.patch('/user/memberships/orgs/left', { state: 'active' });
    const brief = { name: 'plan', content: '# Plan', visibility: 'private' };
    await grace.client.post('/orgs/left/briefs', brief);
    const hook = { url: 'https://example.com/of-left', types: ['document.changed'] };
    const made = await grace.client.post('/orgs/left/webhooks', hook);
    assert.equal(made.status, 201, made.text);
    await ada.client.delete('/orgs/left/members/grace');
    const changed = { name: 'merger', content: '# The merger' };
    assert.equal((await ada.client.patch('/briefs/left/plan', changed)).status, 200);
    const data = await download(grace.visitor);
    const graceId = data.account?.[0]?.id;
    const theirs = data.stored_document?.filter((row) => row.ownerId !== graceId);
    assert.ok(theirs?.some((row) => row.createdBy === graceId));
    assert.equal(data.webhook?.[0]?.accountId, graceId);
    assert.doesNotMatch(JSON.stringify(theirs), /merger|private/i);
    assert.doesNotMatch(JSON.stringify(data.webhook), /of-left/);
    assert.match(JSON.stringify((await download(ada.visitor)).organization), /createdBy/);
  });

  it('has more rows than are read at once', async () => {
    const id = (await download()).account?.[0]?.id as string;
    const at = service.app.context.now();
    const rows = Array.from({ length: 1_203 }, (_, number) => ({
      accountId: id,
      position: 1_000_000 + number,
      reason: 'own' as const,
      readAt: at,
    }));
    await service.app.context.sql.transaction(async (tx) => {
      await tx.insertInto('inbox').values(rows).execute();
    });
    assert.ok(((await download()).inbox?.length ?? 0) >= 1_203);
  });

  it('is for whoever is signed in', async () => {
    const { status } = await newVisitor(service).get('/settings/account/data');
    assert.equal(status, 303);
  });

  it('is only for somebody who proved lately who they are', async () => {
    service.advance(16 * 60_000);
    const asked = await grace.visitor.get('/settings/account/data');
    assert.match(asked.text, /Confirm that it’s you/);
    assert.doesNotMatch(asked.text, /grace@example\.com/);
    const form = { next: '/settings/account/data', proof_password: PASSWORD };
    const proven = await grace.visitor.post('/settings/confirm', form);
    assert.equal(proven.headers.get('location'), '/settings/account/data');
    await download(grace.visitor);
  });
});
