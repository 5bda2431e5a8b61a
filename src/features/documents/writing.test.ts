import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { actorOf } from '../../../test/account/actors.ts';
import { assertError, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  assertFields,
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { callOf } from '../../core/context.ts';
import {
  createDocument,
  getDocument,
  type WholeDocument,
} from '../../core/document/document-service.ts';

const LIMIT = 900 * 1024;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');
await makeOrganization(ada, 'engines');
await join(ada, 'engines', grace);

/** The columns of a document that no answer shows, or only to who asked for them. */
const NOT_SHOWN = ['content', 'deletedAt', 'deletedBy', 'ownerType', 'takenDownAt'];

/** The shown part of a document's row, without its reader's standing. */
function shownOf({ document }: WholeDocument) {
  const { role, permission, defaultBriefPermission, ...shown } = document;
  return Object.fromEntries(Object.entries(shown).filter(([field]) => !NOT_SHOWN.includes(field)));
}

describe('Create body', () => {
  it('content: string (Markdown), required', async () => {
    for (const body of [{}, { name: 'x' }, { content: null }, { content: 1 }, { content: ['x'] }]) {
      assertError(await ada.post('/briefs', body), 400, 'BAD_REQUEST', /content/);
    }
    const answer = await ada.post('/briefs', { content: '', name: 'empty' });
    assert.equal(answer.status, 201, 'an empty string is a string');
    assert.equal((await ada.get('/briefs/ada/empty')).data.content, '');
  });

  it('content: is returned exactly as sent', async () => {
    const content = '# Tab\uFEFF\t\r\nCRLF\n\n𝒳 e\u0301 \u2028 "quotes" \\ </script>\u007f\n\n';
    const path = await makeDocument(ada, 'verbatim', { content });
    assert.equal((await ada.get(path)).data.content, content);
  });

  it('content: at most 900 KB of UTF-8; exactly that is accepted', async () => {
    const content = `${'é'.repeat(LIMIT / 2 - 1)}xx`;
    assert.equal(Buffer.byteLength(content), LIMIT);
    const path = await makeDocument(ada, 'full', { content });
    assert.equal((await ada.get(path)).data.content, content);
    const over = { content: `${content}x`, name: 'over' };
    assertError(await ada.post('/briefs', over), 413, 'CONTENT_TOO_LARGE', /content/);
    assertError(await ada.get('/briefs/ada/over'), 404, 'NOT_FOUND');
  });

  it('name: generated from the content heading when omitted', async () => {
    const { data } = await ada.post('/briefs', { content: 'Text.\n\n## Release *notes*\n\n# 2\n' });
    assert.equal(data.name, 'release-notes');
    await expectStatus(ada.get('/briefs/ada/release-notes'), 200);
  });

  it('name: 422 when already taken for that owner', async () => {
    await makeDocument(ada, 'taken');
    const again = { content: 'x', name: ' TAKEN ' };
    assertError(await ada.post('/briefs', again), 422, 'UNPROCESSABLE', /name/);
    const generated = { content: '# Taken' };
    assertError(await ada.post('/briefs', generated), 422, 'UNPROCESSABLE', /name/);
    // Another owner has a separate set of names.
    await expectStatus(grace.post('/briefs', again), 201);
    await expectStatus(ada.post('/orgs/engines/briefs', again), 201);
    assertError(await grace.post('/orgs/engines/briefs', again), 422, 'UNPROCESSABLE', /name/);
  });

  it('visibility: public (default), private, internal (org only)', async () => {
    const post = (path: string, name: string, visibility?: string) =>
      ada.post(path, { content: 'x', name, ...(visibility && { visibility }) });
    assert.equal((await post('/briefs', 'v1')).data.visibility, 'public');
    assert.equal((await post('/briefs', 'v2', 'public')).data.visibility, 'public');
    assert.equal((await post('/briefs', 'v3', 'private')).data.visibility, 'private');
    assertError(await post('/briefs', 'v4', 'internal'), 400, 'BAD_REQUEST', /visibility/);
    assertError(await post('/briefs', 'v5', 'secret'), 400, 'BAD_REQUEST', /visibility/);
    const org = '/orgs/engines/briefs';
    assert.equal((await post(org, 'v1')).data.visibility, 'public');
    assert.equal((await post(org, 'v2', 'internal')).data.visibility, 'internal');
    assert.equal((await post(org, 'v3', 'private')).data.visibility, 'private');
    for (const [name, visibility] of [
      ['ada/v1', 'public'],
      ['ada/v3', 'private'],
      ['engines/v2', 'internal'],
    ]) {
      assert.equal((await ada.get(`/briefs/${name}`)).data.visibility, visibility);
    }
    assertError(await ada.get('/briefs/ada/v4'), 404, 'NOT_FOUND');
  });

  it('POST: the response equals what readers get afterwards', async () => {
    const { context } = service.app;
    for (const kind of ALL_KINDS) {
      for (const [client, type, namespace] of [
        [ada, 'user', 'ada'],
        [ada, 'organization', 'engines'],
        [grace, 'organization', 'Engines'],
      ] as const) {
        const actor = await actorOf(client);
        const content = '<title>Same</title> # Same';
        const input = { content, name: `same of ${client.username}` };
        const made = await createDocument(
          callOf(context, actor),
          kind.kind,
          { type, namespace },
          input,
        );
        const { name, ownerNamespace: owner } = made.document;
        const read = await getDocument(callOf(context, actor), { kind: kind.kind, owner, name });
        assert.deepEqual(
          { ...made, document: shownOf(made) },
          { ...read, document: shownOf(read) },
        );
      }
    }
  });

  it('only the documented fields are accepted', async () => {
    const { data: full } = await ada.get(await makeDocument(ada, 'assigned'));
    for (const field of Object.keys(full)) {
      if (['content', 'name', 'visibility'].includes(field)) continue;
      const body = { content: 'x', name: 'mass', [field]: full[field] };
      assertError(await ada.post('/briefs', body), 400, 'BAD_REQUEST', new RegExp(field));
      const change = { content: 'x', [field]: full[field] };
      const patched = await ada.patch('/briefs/ada/assigned', change);
      assertError(patched, 400, 'BAD_REQUEST', new RegExp(field));
    }
    assert.deepEqual((await ada.get('/briefs/ada/assigned')).data, full);
  });
});

describe('Update body', () => {
  let path: string;
  let count = 0;

  /** A brief of ada's that grace can edit and alan can read. */
  async function fresh(): Promise<string> {
    count += 1;
    const made = await makeDocument(ada, `update-${count}`, { visibility: 'private' });
    await collaborate(ada, made, grace, 'write');
    await collaborate(ada, made, alan, 'read');
    return made;
  }

  before(async () => {
    path = await fresh();
  });

  it('at least one field required', async () => {
    const { data: prior } = await ada.get(path);
    for (const body of [{}, { unknown: 1 }, undefined]) {
      assertError(await ada.patch(path, body), 400, 'BAD_REQUEST');
    }
    assert.deepEqual((await ada.get(path)).data, prior);
  });

  it('content: write', async () => {
    assertError(await alan.patch(path, { content: 'no' }), 403, 'FORBIDDEN');
    const answer = await expectStatus(grace.patch(path, { content: 'yes' }), 200);
    assert.equal(answer.data.content, 'yes');
    const over = { content: 'x'.repeat(LIMIT + 1) };
    assertError(await grace.patch(path, over), 413, 'CONTENT_TOO_LARGE', /content/);
    assert.equal((await alan.get(path)).data.content, 'yes');
  });

  it('name: write; must stay unique per owner', async () => {
    const renamed = await fresh();
    await makeDocument(ada, 'in-the-way');
    assertError(await alan.patch(renamed, { name: 'no' }), 403, 'FORBIDDEN');
    const clash = await grace.patch(renamed, { name: 'In the  way' });
    assertError(clash, 422, 'UNPROCESSABLE', /name/);
    assertError(await grace.patch(renamed, { name: 'a/b' }), 400, 'BAD_REQUEST', /name/);
    const { data } = await expectStatus(grace.patch(renamed, { name: 'New Name' }), 200);
    assert.equal(data.name, 'new-name');
    assert.equal(data.fullName, 'ada/new-name');
    assert.equal(data.url, `${service.webUrl}/ada/new-name`);
    assert.deepEqual((await grace.get('/briefs/ada/new-name')).data, data);
  });

  it('name: the old name is free', async () => {
    const old = await fresh();
    const { data } = await ada.patch(old, { name: 'moved' });
    const name = old.split('/').at(-1) as string;
    await makeDocument(ada, name);
    assert.notEqual((await ada.get(old)).data.id, data.id);
  });

  it('name: a brief can be renamed to its own name', async () => {
    const { data: prior } = await ada.get(path);
    const { data } = await expectStatus(ada.patch(path, { name: prior.name.toUpperCase() }), 200);
    assert.equal(data.name, prior.name);
    assert.equal(data.id, prior.id);
  });

  it('visibility: admin', async () => {
    const opened = await fresh();
    for (const client of [grace, alan]) {
      assertError(await client.patch(opened, { visibility: 'public' }), 403, 'FORBIDDEN');
    }
    const internal = await ada.patch(opened, { visibility: 'internal' });
    assertError(internal, 400, 'BAD_REQUEST', /visibility/);
    const { data } = await expectStatus(ada.patch(opened, { visibility: 'public' }), 200);
    assert.equal(data.visibility, 'public');
    const stranger = await service.user('stranger');
    assert.equal((await stranger.get(opened)).status, 200);
    await expectStatus(ada.patch(opened, { visibility: 'private' }), 200);
    assertError(await stranger.get(opened), 404, 'NOT_FOUND');
  });

  it('visibility: internal on a brief of an organization', async () => {
    const made = await makeDocument(ada, 'inside', { org: 'engines' });
    const { data } = await expectStatus(ada.patch(made, { visibility: 'internal' }), 200);
    assert.equal(data.visibility, 'internal');
    assertError(await alan.get(made), 404, 'NOT_FOUND');
    assert.equal((await grace.get(made)).status, 200);
  });

  it('several fields: all of them or none', async () => {
    const { data: prior } = await ada.get(path);
    const tooMuch = { content: 'half', visibility: 'public' };
    assertError(await grace.patch(path, tooMuch), 403, 'FORBIDDEN');
    const taken = { content: 'half', name: 'in-the-way' };
    assertError(await ada.patch(path, taken), 422, 'UNPROCESSABLE');
    const invalid = { content: 'half', visibility: 'internal' };
    assertError(await ada.patch(path, invalid), 400, 'BAD_REQUEST');
    assert.deepEqual((await ada.get(path)).data, prior);
    const all = await fresh();
    const change = { content: 'all', name: 'all-three', visibility: 'public' };
    const { data } = await expectStatus(ada.patch(all, change), 200);
    const { content, name, visibility } = data;
    assert.deepEqual({ content, name, visibility }, change);
  });

  it('PATCH: 200 with the same body as GET; who wrote and when', async () => {
    const made = await fresh();
    const { data: prior } = await ada.get(made);
    const { data: writer } = await grace.get('/user');
    service.advance(2_000);
    const { data: patched } = await grace.patch(made, { content: 'by grace' });
    const { data: got } = await grace.get(made);
    assert.deepEqual(patched, got);
    assertFields(patched, Object.keys(prior));
    assert.equal(patched.updatedBy, writer.id);
    assert.ok(patched.updatedAt > prior.updatedAt);
    for (const field of ['id', 'createdBy', 'createdAt', 'ownerId', 'name', 'visibility']) {
      assert.equal(patched[field], prior[field], field);
    }
    assert.deepEqual(patched.permissions, { admin: false, write: true, read: true });
  });
});
