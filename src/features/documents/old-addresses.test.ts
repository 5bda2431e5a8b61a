import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { makePerson } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';

describe('The old address in the app', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];

  function assertMoved(answer: Answer, path: string): void {
    assert.equal(answer.status, 308, answer.text);
    assert.equal(answer.headers.get('location'), service.webUrl + path);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }

  /** Creates a document and renames it from `old` to `new`, each with the kind's name in front. */
  async function makeRenamed(kind: 'brief' | 'page', old: string, now: string, visibility: string) {
    const { segment, contentField, webSegments } = KINDS[kind];
    const body = { [contentField]: '<p>Text</p>', name: old, visibility };
    assert.equal((await ada.client.post(`/user/${segment}`, body)).status, 201);
    const renamed = await ada.client.patch(`/${segment}/ada/${old}`, { name: now });
    assert.equal(renamed.status, 200, renamed.text);
    const at = (name: string) => ['/ada', ...webSegments, name].join('/');
    return { old: at(old), now: at(now) };
  }

  const signedOut = async (path: string) =>
    readAnswer(await fetch(service.webUrl + path, { redirect: 'manual' }));

  for (const kind of ['brief', 'page'] as const) {
    it(`of a private ${kind} redirects only its readers`, async () => {
      const { old, now } = await makeRenamed(kind, 'minutes', 'protocol', 'private');
      for (const act of ['read', 'edit', 'share', 'history', 'rename', 'delete']) {
        assertMoved(await ada.visitor.get(`/${act}${old}?a=1`), `/${act}${now}?a=1`);
        const stranger = await grace.visitor.get(`/${act}${old}`);
        const none = await grace.visitor.get(`/${act}${old}-not`);
        assert.deepEqual([stranger.status, none.status], [404, 404]);
        assert.equal(stranger.text, none.text);
        const out = await signedOut(`/${act}${old}`);
        assert.equal(
          out.headers.get('location'),
          `/sign-in?next=${encodeURIComponent(`/${act}${old}`)}`,
        );
      }
      assertMoved(await ada.visitor.get(`/read${old}@1`), `/read${now}@1`);
      // From the public address to the new one, and from there to the app.
      assertMoved(await ada.visitor.get(old, { accept: 'text/html' }), now);
      assertMoved(await ada.visitor.get(`${old}@1`, { accept: 'text/html' }), `${now}@1`);
      assert.equal((await signedOut(old)).status, 404);
      if (kind === 'brief')
        assertMoved(await ada.visitor.get(`/raw${old}?download`), `/raw${now}?download`);
    });

    it(`of a public ${kind} redirects signed-out visitors to the public address`, async () => {
      const { old, now } = await makeRenamed(kind, 'flyer', 'handbill', 'public');
      const { segment } = KINDS[kind];
      await ada.client.patch(`/${segment}/ada/handbill/revisions/1`, { pinned: true });
      for (const revision of ['', '@1']) {
        assertMoved(await signedOut(`/read${old}${revision}`), `/read${now}${revision}`);
        const { status, headers } = await signedOut(`/read${now}${revision}`);
        assert.deepEqual([status, headers.get('location')], [303, service.webUrl + now + revision]);
      }
      // No one else can see a revision that isn't pinned.
      const hidden = await signedOut(`/read${now}@2`);
      assert.match(hidden.headers.get('location') ?? '', /^\/sign-in/);
    });
  }

  it('open forms follow the document: nothing is lost', async () => {
    const { old, now } = await makeRenamed('brief', 'open', 'shut', 'private');
    const form = new FormData();
    const { etag } = { etag: (await ada.client.get('/briefs/ada/shut')).headers.get('etag') };
    for (const [name, value] of Object.entries({
      content: '# New text',
      name: 'open',
      fromName: 'open',
      visibility: 'private',
      fromVisibility: 'private',
      etag: etag ?? '',
    })) {
      form.append(name, value);
    }
    assertMoved(await ada.visitor.post(`/edit${old}`, form), `/edit${now}`);
    const saved = await ada.visitor.post(`/edit${now}`, form);
    assert.equal(saved.status, 303, saved.text);
    const { data } = await ada.client.get('/briefs/ada/shut');
    assert.deepEqual([data.content, data.name], ['# New text', 'shut']);
    const fields = { username: 'grace', permission: 'read' };
    assertMoved(await ada.visitor.post(`/share${old}/people`, fields), `/share${now}/people`);
    assertMoved(await ada.visitor.post(`/rename${old}`, { name: 'x' }), `/rename${now}`);
    assertMoved(await ada.visitor.post(`/delete${old}`), `/delete${now}`);
  });
});
