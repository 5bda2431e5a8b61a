import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, type Client, startService } from '../../../test/harness.ts';

const SHOWN = [
  'id',
  'name',
  'fullName',
  'url',
  'renderUrl',
  'ownerType',
  'ownerId',
  'ownerNamespace',
  'visibility',
  'permissions',
  'sizeBytes',
  'createdAt',
  'updatedAt',
];
const CREATED = [
  'id',
  'name',
  'fullName',
  'url',
  'renderUrl',
  'visibility',
  'storagePath',
  'sizeBytes',
  'createdAt',
  'updatedAt',
];
const LISTED = [...SHOWN, 'revision'];
const FULL = [...SHOWN, 'html', 'storagePath', 'createdBy', 'updatedBy'];
const HTML = '<!doctype html><title>Release notes</title><h1>Hé</h1>';

function assertFields(data: object, fields: string[]): void {
  assert.deepEqual(Object.keys(data).sort(), [...fields].sort());
}

describe('Pages', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const grace = await service.user('grace');
  const lin = await service.user('lin');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  await ada.put('/orgs/engines/members/grace', { role: 'member' });
  await grace.patch('/user/memberships/orgs/engines', { state: 'active' });

  it('return the create fields on creation and all fields on reads', async () => {
    const routes = [
      ['/user/pages', 'ada'],
      ['/pages', 'ada'],
      ['/users/ada/pages', 'ada'],
      ['/orgs/engines/pages', 'engines'],
    ] as const;
    for (const [index, [path, owner]] of routes.entries()) {
      const name = `made-${index}`;
      const created = await ada.post(path, { html: HTML, name: `Made ${index}` });
      assert.equal(created.status, 201, created.text);
      assertFields(created.data, CREATED);
      const { data } = created;
      assert.equal(data.fullName, `${owner}/${name}`);
      assert.equal(data.url, `${service.webUrl}/${owner}/pages/${name}`);
      assert.equal(data.renderUrl, `${service.renderUrl}/${owner}/${name}`);
      assert.equal(data.visibility, 'public');
      assert.equal(data.sizeBytes, Buffer.byteLength(HTML));
      assert.equal(created.headers.get('location'), `${service.baseUrl}/pages/${owner}/${name}`);

      const { data: read, headers } = await ada.get(`/pages/${owner}/${name}`);
      assertFields(read, FULL);
      assert.equal(read.html, HTML);
      assert.deepEqual(read.permissions, { admin: true, write: true, read: true });
      for (const field of CREATED) assert.deepEqual(read[field], data[field], field);
      assert.equal(read.createdBy, read.updatedBy);
      assert.equal(headers.get('etag'), created.headers.get('etag'));
    }
  });

  it('are listed newest first, paginated, without the HTML', async () => {
    for (const name of ['first', 'second', 'third']) {
      await lin.post('/user/pages', { html: `<p>${name}</p>`, name });
    }
    for (const path of ['/user/pages', '/pages', '/users/lin/pages']) {
      const { data } = await lin.get(path);
      assert.deepEqual(
        data.map(({ name }: { name: string }) => name),
        ['third', 'second', 'first'],
      );
      for (const entry of data) assertFields(entry, LISTED);
      const part = await lin.get(`${path}?per_page=2&page=2`);
      assert.deepEqual(
        part.data.map(({ name }: { name: string }) => name),
        ['first'],
      );
      assert.match(part.headers.get('link') ?? '', /rel="prev"/);
      assert.doesNotMatch(part.headers.get('link') ?? '', /rel="next"/);
    }
    const { data } = await ada.get('/orgs/engines/pages');
    for (const entry of data) assertFields(entry, LISTED);
  });

  it('are listed by visibility and role', async () => {
    for (const visibility of ['public', 'private', 'internal']) {
      const name = `org-${visibility}`;
      const { status } = await ada.post('/orgs/engines/pages', { html: HTML, name, visibility });
      assert.equal(status, 201);
    }
    await lin.post('/user/pages', { html: HTML, name: 'secret', visibility: 'private' });
    const names = async (client: Client, path: string): Promise<string[]> =>
      (await client.get(path)).data.map(({ name }: { name: string }) => name);
    const ours = (all: string[]) => all.filter((name) => name.startsWith('org-')).sort();
    const path = '/orgs/engines/pages';
    assert.deepEqual(ours(await names(ada, path)), ['org-internal', 'org-private', 'org-public']);
    assert.deepEqual(ours(await names(grace, path)), ['org-internal', 'org-public']);
    assert.deepEqual(ours(await names(lin, path)), ['org-public']);
    assert.ok((await names(lin, '/users/lin/pages')).includes('secret'));
    assert.ok(!(await names(ada, '/users/lin/pages')).includes('secret'));
    assertError(await lin.get('/pages/engines/org-internal'), 404, 'NOT_FOUND');
    assertError(await grace.get('/pages/engines/org-private'), 404, 'NOT_FOUND');
  });

  it('PATCH returns all fields', async () => {
    await ada.post('/user/pages', { html: HTML, name: 'changing' });
    const html = '<title>Other</title>';
    const changed = await ada.patch('/pages/ada/changing', { html, name: 'Changed so' });
    assert.equal(changed.status, 200);
    assertFields(changed.data, FULL);
    assert.equal(changed.data.name, 'changed-so');
    assert.equal(changed.data.html, html);
    assert.equal(changed.data.sizeBytes, html.length);
    const hidden = await ada.patch('/pages/ada/changed-so', { visibility: 'private' });
    assertFields(hidden.data, FULL);
    assert.deepEqual([hidden.data.visibility, hidden.data.html], ['private', html]);
    assert.equal((await ada.get('/pages/ada/changing')).status, 308);
    assertError(await ada.patch('/pages/ada/changed-so', {}), 400, 'BAD_REQUEST');
    assertError(await ada.patch('/pages/ada/changed-so', { content: 'x' }), 400, 'BAD_REQUEST');
    const internal = { visibility: 'internal' };
    assertError(await ada.patch('/pages/ada/changed-so', internal), 400, 'BAD_REQUEST');
  });

  it('need write for html and name, admin for visibility and deletion', async () => {
    await ada.post('/user/pages', { html: HTML, name: 'shared', visibility: 'private' });
    const share = async (permission: string) => {
      const answer = await ada.put('/pages/ada/shared/collaborators/grace', { permission });
      if (answer.status === 201) {
        await grace.patch(`/user/brief_invitations/${answer.data.id}`);
      }
    };
    await share('read');
    assert.equal((await grace.get('/pages/ada/shared')).data.html, HTML);
    const path = '/pages/ada/shared';
    assertError(await grace.patch(path, { html: 'x' }), 403, 'FORBIDDEN');
    assertError(await grace.patch(path, { name: 'x' }), 403, 'FORBIDDEN');
    await share('write');
    assert.equal((await grace.patch(path, { html: HTML })).status, 200);
    assertError(await grace.patch(path, { visibility: 'public' }), 403, 'FORBIDDEN');
    assertError(await grace.delete(path), 403, 'FORBIDDEN');
    await share('admin');
    assert.equal((await grace.patch(path, { visibility: 'public' })).status, 200);
    assert.equal((await grace.delete(path)).status, 204);
    assertError(await ada.get(path), 404, 'NOT_FOUND');
  });

  it('have separate names and fields from briefs; the profile shows both', async () => {
    const name = 'one-name';
    const brief = await ada.post('/user/briefs', { content: '# Brief', name });
    const page = await ada.post('/user/pages', { html: HTML, name });
    assert.deepEqual([brief.status, page.status], [201, 201]);
    assertError(await ada.post('/user/pages', { html: HTML, name }), 422, 'UNPROCESSABLE', /name/);
    assert.equal((await ada.get(`/briefs/ada/${name}`)).data.content, '# Brief');
    assert.equal((await ada.get(`/pages/ada/${name}`)).data.html, HTML);
    assertError(await ada.post('/user/pages', { content: '# x' }), 400, 'BAD_REQUEST');
    const profile = await (await fetch(`${service.webUrl}/ada`)).text();
    assert.ok(profile.includes(`${service.webUrl}/ada/${name}"`));
    assert.ok(profile.includes(`${service.webUrl}/ada/pages/${name}"`));
    await ada.delete(`/briefs/ada/${name}`);
    assert.equal((await ada.get(`/pages/ada/${name}`)).status, 200);
  });

  it('have render URLs for readers, valid for about ten minutes', async () => {
    await ada.post('/user/pages', { html: HTML, name: 'mine', visibility: 'private' });
    const { status, data } = await ada.get('/pages/ada/mine/render-url');
    assert.equal(status, 200);
    assertFields(data, ['url', 'expiresAt']);
    assert.ok(data.url.startsWith(`${service.renderUrl}/`));
    assert.match(data.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const minutes = (Date.parse(data.expiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 9 && minutes <= 10.5, `${minutes} minutes`);
    assert.equal(await (await fetch(data.url)).text(), HTML);

    const forbidden = await grace.get('/pages/ada/mine/render-url');
    const missing = await grace.get('/pages/ada/none/render-url');
    assertError(forbidden, 404, 'NOT_FOUND');
    assertError(missing, 404, 'NOT_FOUND');
    assert.equal(forbidden.text, missing.text);
    await ada.post('/user/pages', { html: HTML, name: 'open' });
    const open = await grace.get('/pages/ada/open/render-url');
    assert.equal(await (await fetch(open.data.url)).text(), HTML);
  });

  it('support If-Match and If-None-Match', async () => {
    const { headers } = await ada.post('/user/pages', { html: HTML, name: 'tagged' });
    const etag = headers.get('etag') ?? '';
    const path = '/pages/ada/tagged';
    assert.equal((await ada.get(path, { 'if-none-match': etag })).status, 304);
    const changed = await ada.patch(path, { html: '<p>2</p>' }, { 'if-match': etag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), etag);
    const stale = await ada.patch(path, { html: '<p>3</p>' }, { 'if-match': etag });
    assertError(stale, 412, 'PRECONDITION_FAILED');
    assertError(await ada.delete(path, { 'if-match': etag }), 412, 'PRECONDITION_FAILED');
    assert.equal((await ada.get(path)).data.html, '<p>2</p>');
  });
});
