import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import { assertError, readAnswer, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  invite,
  makeDocument,
} from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';

describe('The documents of a disabled account', async () => {
  const disable = (disabled: boolean) =>
    setAccountDisabled(service.app.context, 'mallory', disabled);
  const statusesOf = async () => {
    const entries = Object.entries(addresses).map(async ([name, url]) => {
      const answer = await fetch(url, { redirect: 'manual' });
      await answer.body?.cancel();
      return [name, answer.status];
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  const everywhere = (status: number) =>
    Object.fromEntries(Object.keys(addresses).map((name) => [name, status]));

  const service = await startService();
  after(() => service.stop());
  const mallory = await service.user('mallory');
  const reader = await service.user('reader');
  const admin = await service.user('manager');
  const stranger = await service.user('stranger');
  const open = await makeDocument(mallory, 'open', { content: '# Zanzibar\n' });
  await expectStatus(mallory.put(`${open}/labels`, { labels: ['spice'] }), 200);
  await expectStatus(mallory.patch(`${open}/revisions/1`, { pinned: true }), 200);
  const page = await makeDocument(mallory, 'page', { kind: KINDS.page });
  const secret = await makeDocument(mallory, 'secret', { visibility: 'private' });
  await makeDocument(mallory, 'binned', { content: '# Thrown away\n' });
  await collaborate(mallory, '/briefs/mallory/binned', admin, 'admin');
  await expectStatus(mallory.delete('/briefs/mallory/binned'), 204);
  const linked = secret;
  for (const document of [open, secret]) {
    await collaborate(mallory, document, reader, 'read');
    await collaborate(mallory, document, admin, 'admin');
  }
  const invitation = await invite(mallory, secret, stranger, 'write');
  const links = [mallory, admin].map((who) => who.post(`${secret}/links`, { access: 'read' }));
  const [own, other] = await Promise.all(links);
  const { webUrl, renderUrl } = service;
  const addresses = {
    brief: `${webUrl}/mallory/open`,
    markdown: `${webUrl}/mallory/open.md`,
    revision: `${webUrl}/mallory/open@1`,
    page: `${webUrl}${page.replace('/pages/mallory/', '/mallory/pages/')}`,
    render: `${renderUrl}/mallory/page`,
    profile: `${webUrl}/mallory`,
    feed: `${webUrl}/mallory.atom`,
    preview: `${webUrl}/oembed.json?url=${encodeURIComponent(`${webUrl}/mallory/open`)}`,
    'secret link': own?.data.url,
    'secret link by a collaborator': other?.data.url,
  };

  it('disappear everywhere, and come back as they were', async () => {
    await everythingIndexed(service.app.context);
    assert.deepEqual(await statusesOf(), everywhere(200));
    const before = await readAnswer(await fetch(addresses.brief as string));
    await disable(true);
    await disable(true);
    assert.deepEqual(await statusesOf(), everywhere(404));
    await disable(false);
    assert.deepEqual(await statusesOf(), everywhere(200));
    const after = await readAnswer(await fetch(addresses.brief as string));
    assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    const [listed] = (await mallory.get('/user/briefs?label=spice')).data;
    assert.equal(listed.visibility, 'public');
  });

  it('others find neither the person nor their documents by the API', async () => {
    const find = async () => (await stranger.get('/search?q=zanzibar')).data.length;
    await everythingIndexed(service.app.context);
    assert.equal(await find(), 1);
    await disable(true);
    await everythingIndexed(service.app.context);
    assert.equal(await find(), 0);
    for (const path of [
      '/users/mallory',
      '/users/mallory/briefs',
      '/users/mallory/profile',
      open,
    ]) {
      assertError(await stranger.get(path), 404, 'NOT_FOUND');
    }
    const sitemap = await (await fetch(`${service.webUrl}/sitemap.xml`)).text();
    assert.doesNotMatch(sitemap, /mallory/);
    await disable(false);
    await everythingIndexed(service.app.context);
    assert.equal(await find(), 1);
  });

  it('collaborators can read what was shared with them, and change nothing', async () => {
    await disable(true);
    for (const who of [reader, admin]) {
      for (const document of [open, linked]) {
        const { data } = await expectStatus(who.get(document), 200);
        assert.deepEqual(data.permissions, { admin: false, write: false, read: true });
        assert.equal(data.visibility, 'private');
      }
    }
    for (const change of [
      admin.patch(open, { content: 'x' }),
      admin.patch(open, { visibility: 'public' }),
      admin.patch(open, { name: 'other' }),
      admin.delete(open),
      admin.post(`${open}/links`, { access: 'read' }),
      admin.put(`${open}/collaborators/stranger`, { permission: 'read' }),
    ]) {
      assertError(await change, 403, 'FORBIDDEN');
    }
    const trash = await admin.get('/user/trash');
    const binned = trash.data.find(({ name }: { name: string }) => name === 'binned');
    assertError(await admin.post(`/trash/${binned?.id}/restore`), 404, 'NOT_FOUND');
    assertError(await stranger.patch(`/user/brief_invitations/${invitation}`), 404, 'NOT_FOUND');
    await disable(false);
    const { data } = await expectStatus(admin.get(open), 200);
    assert.deepEqual([data.visibility, data.permissions.admin], ['public', true]);
    await expectStatus(mallory.post(`/trash/${binned?.id}/restore`), 200);
    assert.equal((await mallory.get('/briefs/mallory/binned')).data.visibility, 'public');
    await expectStatus(stranger.patch(`/user/brief_invitations/${invitation}`), 204);
  });

  it('documents in organizations stay', async () => {
    await mallory.post('/user/orgs', { namespace: 'guild', name: 'Guild' });
    for (const kind of ALL_KINDS) await makeDocument(mallory, 'ours', { kind, org: 'guild' });
    await disable(true);
    for (const url of ['/guild/ours', '/guild/pages/ours', '/guild']) {
      assert.equal((await fetch(service.webUrl + url)).status, 200, url);
    }
    await disable(false);
  });

  it('what someone creates at the same moment isn’t there afterwards', async () => {
    const created = Array.from({ length: 20 }, (_, index) =>
      mallory.post('/user/briefs', { name: `late-${index}`, content: 'x' }),
    );
    await disable(true);
    await Promise.all(created);
    for (let index = 0; index < 20; index++) {
      const answer = await fetch(`${service.webUrl}/mallory/late-${index}`);
      assert.equal(answer.status, 404);
      await answer.body?.cancel();
    }
    await disable(false);
  });
});
