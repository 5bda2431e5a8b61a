import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  startService,
} from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  documentBody,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';

const service = await startService();
const { ada, grace } = await users(service, 'ada', 'grace');
after(async () => {
  await packAll(service.app.context);
  await assertConsistent(service.app.context);
  await service.stop();
});

/** Renames a document. @returns its new path */
async function rename(client: Client, path: string, name: string): Promise<string> {
  await expectStatus(client.patch(path, { name }), 200);
  return path.replace(/[^/]+$/, encodeURIComponent(name));
}

function assertMoved(answer: Answer, location: string): void {
  assertError(answer, 308, 'MOVED');
  assert.equal(answer.headers.get('location'), location);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

const assertLeads = async (client: Client, from: string, to: string) =>
  assertMoved(await client.get(from), service.baseUrl + to);

async function fetchPlainly(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return readAnswer(await fetch(url, { redirect: 'manual', headers }));
}

/** The parts of a response that could reveal something. */
function shownOf({ status, headers, text }: Answer) {
  const own = /^(date|x-request-id|x-ratelimit-.*)$/;
  return [status, [...headers].filter(([name]) => !own.test(name)), text];
}

for (const kind of ALL_KINDS) {
  const make = (client: Client, name: string, more = {}) =>
    makeDocument(client, name, { kind, ...more });
  const web = (name: string) => `${service.webUrl}/${['ada', ...kind.webSegments, name].join('/')}`;

  describe(`The old name of a ${kind.kind}`, () => {
    it('redirects to the document, with every method and subpath', async () => {
      const old = await make(ada, 'plan');
      const path = await rename(ada, old, 'größter plan');
      const now = path.replace('%20', '-');
      await assertLeads(ada, old, now);
      await assertLeads(ada, old.replace('ada/plan', 'ADA/Plan'), now);
      await assertLeads(grace, `${old}/revisions?per_page=5`, `${now}/revisions?per_page=5`);
      await assertLeads(
        ada,
        `${old}/collaborators/grace/permission`,
        `${now}/collaborators/grace/permission`,
      );
      const base = service.baseUrl;
      assertMoved(await ada.patch(old, { name: 'other' }), base + now);
      const body = { permission: 'read' };
      const collaborator = '/collaborators/grace';
      assertMoved(await ada.put(old + collaborator, body), base + now + collaborator);
      assertMoved(
        await ada.post(`${old}/revisions/1/restore`, {}),
        `${base}${now}/revisions/1/restore`,
      );
      // A client that follows the redirect succeeds.
      const followed = await ada.request(old, { redirect: 'follow' });
      assert.equal(followed.data.name, 'größter-plan');
      const patch = { method: 'PATCH', body: JSON.stringify({ visibility: 'private' }) };
      const headers = { 'content-type': 'application/json' };
      const patched = await ada.request(old, { ...patch, headers, redirect: 'follow' });
      assert.equal(patched.data.visibility, 'private');
    });

    it('is nothing to DELETE, which may mean what had the name', async () => {
      const old = await make(ada, 'chart');
      const missing = shownOf(await ada.delete(old.replace('chart', 'none')));
      const now = await rename(ada, old, 'atlas');
      await expectStatus(ada.put(`${now}/collaborators/grace`, { permission: 'read' }), 201);
      for (const below of [
        '',
        '/collaborators/grace',
        '/collaborators/ada',
        '/revisions/1',
        '/pin',
      ]) {
        assert.deepEqual(shownOf(await ada.delete(old + below)), missing, below);
      }
      assertError(await ada.delete(old, { 'if-match': '"x"' }), 404, 'NOT_FOUND');
      assert.deepEqual(shownOf(await grace.delete(old)), missing);
      await assertLeads(ada, old, now);
      const { data } = await ada.get(`${now}/invitations`);
      assert.equal(data.length, 1);
      assert.equal((await ada.delete(now)).status, 204);
    });

    it('redirects on the web, with suffix, revision and query', async () => {
      const old = await make(ada, 'leaflet');
      await expectStatus(ada.patch(`${old}/revisions/1`, { pinned: true }), 200);
      await rename(ada, old, 'poster');
      for (const suffix of kind.kind === 'brief' ? ['', '.md', '@1', '@1.md'] : ['', '@1']) {
        for (const accept of ['*/*', 'text/html']) {
          const answer = await fetchPlainly(`${web('leaflet')}${suffix}?x=1`, { accept });
          assert.equal(answer.status, 308, answer.text);
          assert.equal(answer.headers.get('location'), `${web('poster')}${suffix}?x=1`);
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          assert.equal((await fetch(answer.headers.get('location') as string)).status, 200);
        }
      }
      const head = await fetch(web('leaflet'), { method: 'HEAD', redirect: 'manual' });
      assert.equal(head.headers.get('location'), web('poster'));
      if (kind.kind === 'brief') return;
      for (const suffix of ['', '@1']) {
        const raw = await fetchPlainly(`${service.renderUrl}/ada/leaflet${suffix}`);
        assert.equal(raw.status, 308);
        assert.equal(raw.headers.get('location'), `${service.renderUrl}/ada/poster${suffix}`);
      }
    });

    it('each of several redirects, and a rename back works', async () => {
      const first = await make(ada, 'first');
      const second = await rename(ada, first, 'second');
      const third = await rename(ada, second, 'third');
      for (const old of [first, second]) await assertLeads(ada, old, third);
      await rename(ada, third, 'first');
      await expectStatus(ada.get(first), 200);
      for (const old of [second, third]) await assertLeads(ada, old, first);
    });

    it('redirects until another document takes it, by creating or renaming', async () => {
      const a = await make(ada, 'sought');
      await rename(ada, a, 'a-now');
      await make(ada, 'sought');
      await expectStatus(ada.get(a), 200);
      // Permanently: the document that took the name is its last owner.
      await expectStatus(ada.delete(a), 204);
      assertError(await ada.get(a), 404, 'NOT_FOUND');

      const b = await make(ada, 'wanted');
      await rename(ada, b, 'b-now');
      await rename(ada, await make(ada, 'taker'), 'wanted');
      const { id } = (await ada.get(b)).data;
      assert.equal((await ada.get(b)).data.name, 'wanted');
      await rename(ada, b, 'taken-along');
      assert.equal((await ada.request(b, { redirect: 'follow' })).data.id, id);
    });

    it('a document created during a rename', async () => {
      for (let round = 0; round < 8; round += 1) {
        const old = await make(ada, `busy-${round}`);
        const create = async () => {
          for (;;) {
            const body = documentBody(kind, { name: `busy-${round}` });
            const answer = await ada.post(`/user/${kind.segment}`, body);
            if (answer.status === 201) return answer.data.id;
            assert.equal(answer.status, 422, answer.text);
          }
        };
        const [id] = await Promise.all([create(), rename(ada, old, `left-${round}`)]);
        assert.equal((await expectStatus(ada.get(old), 200)).data.id, id);
      }
    });

    it('a document renamed back and forth is always found', async () => {
      const path = await make(ada, 'to');
      let isOver = false;
      const readAll = async () => {
        while (!isOver) {
          for (const answer of [await ada.get(path), await fetchPlainly(web('to'))]) {
            assert.ok([200, 308].includes(answer.status), answer.text);
          }
        }
      };
      const reading = Promise.all([readAll(), readAll()]);
      for (let round = 0; round < 20; round += 1) {
        await rename(ada, await rename(ada, path, 'fro'), 'to');
      }
      isOver = true;
      await reading;
    });

    it('is like any other name to people who can’t read the document', async () => {
      const hidden = await make(ada, 'cellar', { visibility: 'private' });
      await rename(ada, hidden, 'garret');
      const never = hidden.replace('cellar', 'attics');
      const reader = await service.user(`reader-${kind.kind}`);
      for (const below of ['', '/revisions', '/collaborators']) {
        const [one, other] = [await grace.get(hidden + below), await grace.get(never + below)];
        assert.deepEqual(shownOf(one), shownOf(other));
        assert.equal(one.status, 404);
      }
      for (const accept of ['*/*', 'text/html']) {
        const [one, other] = [
          await fetchPlainly(web('cellar'), { accept }),
          await fetchPlainly(web('attics'), { accept }),
        ];
        assert.equal(one.text.replaceAll('cellar', 'attics'), other.text);
        assert.equal(one.status, 404);
      }
      await collaborate(ada, hidden.replace('cellar', 'garret'), reader, 'read');
      await assertLeads(reader, hidden, hidden.replace('cellar', 'garret'));
    });

    it('from a private time is never revealed to others', async () => {
      const old = await make(ada, 'layoffs', { visibility: 'private' });
      const now = await rename(ada, old, 'news');
      await collaborate(ada, now, grace, 'read');
      await expectStatus(ada.patch(now, { visibility: 'public' }), 200);
      const stranger = await service.user(`stranger-${kind.kind}`);
      await expectStatus(stranger.get(now), 200);
      assertError(await stranger.get(old), 404, 'NOT_FOUND');
      assert.equal((await fetchPlainly(web('layoffs'))).status, 404);
      for (const insider of [ada, grace]) await assertLeads(insider, old, now);
      // From here on, everyone knows this name.
      await rename(ada, now, 'old-news');
      assert.equal((await fetchPlainly(web('news'))).status, 308);
    });

    it('after the document became private, redirects no stranger', async () => {
      const old = await make(ada, 'open');
      const now = await rename(ada, old, 'opened');
      await assertLeads(grace, old, now);
      await expectStatus(ada.patch(now, { visibility: 'private' }), 200);
      assertError(await grace.get(old), 404, 'NOT_FOUND');
      assert.equal((await fetchPlainly(web('open'))).status, 404);
      await assertLeads(ada, old, now);
    });

    it('of an organization’s document redirects its members', async () => {
      const org = `org-${kind.kind}`;
      await makeOrganization(ada, org);
      const [member, stranger] = [
        await service.user(`m-${kind.kind}`),
        await service.user(`s-${kind.kind}`),
      ];
      await join(ada, org, member);
      const old = await make(ada, 'rota', { org, visibility: 'internal' });
      const now = await rename(ada, old, 'shifts');
      await assertLeads(member, old, now);
      assertError(await stranger.get(old), 404, 'NOT_FOUND');
      await expectStatus(ada.delete(`/orgs/${org}`), 204);
      assert.equal(await countAliases('rota'), 0);
    });

    it('doesn’t redirect while the document is in the trash, but after a restore', async () => {
      const old = await make(ada, 'draft');
      const now = await rename(ada, old, 'final');
      const { id } = (await ada.get(now)).data;
      await expectStatus(ada.delete(now), 204);
      assertError(await ada.get(old), 404, 'NOT_FOUND');
      await expectStatus(ada.post(`/trash/${id}/restore`), 200);
      await assertLeads(ada, old, now);

      // Restored under another name because its own is taken: that one belongs to another document.
      await expectStatus(ada.delete(now), 204);
      await make(ada, 'final');
      await expectStatus(ada.post(`/trash/${id}/restore`, { name: 'final-2' }), 200);
      await assertLeads(ada, old, now.replace('final', 'final-2'));
      assert.notEqual((await ada.get(now)).data.id, id);

      // Restored under another name by choice: its own redirects to it.
      await expectStatus(ada.delete(now.replace('final', 'final-2')), 204);
      await expectStatus(ada.post(`/trash/${id}/restore`, { name: 'final-3' }), 200);
      await assertLeads(ada, now.replace('final', 'final-2'), now.replace('final', 'final-3'));

      // Another document had the name in the meantime: the last one is meant.
      const other = await rename(ada, await make(ada, 'o1'), 'o2');
      await expectStatus(ada.delete(now.replace('final', 'final-3')), 204);
      const last = await rename(ada, await rename(ada, other, 'final-3'), 'o4');
      await expectStatus(ada.post(`/trash/${id}/restore`, { name: 'final-5' }), 200);
      await assertLeads(ada, now.replace('final', 'final-3'), last);

      await expectStatus(ada.delete(now.replace('final', 'final-5')), 204);
      await expectStatus(ada.delete(`/trash/${id}`), 204);
      assertError(await ada.get(old), 404, 'NOT_FOUND');
      assert.equal(await countAliases('draft'), 0);
    });

    it('is deleted with its owner', async () => {
      const kurt = await service.user(`kurt-${kind.kind}`);
      await rename(kurt, await make(kurt, `kept-${kind.kind}`), 'now');
      const trashed = await rename(kurt, await make(kurt, `binned-${kind.kind}`), 'then');
      await expectStatus(kurt.delete(trashed), 204);
      await deleteUser(service.app.context, kurt.username);
      assert.equal(await countAliases(`kept-${kind.kind}`), 0);
      assert.equal(await countAliases(`binned-${kind.kind}`), 0);
    });
  });
}

it('A brief’s former name isn’t a page’s', async () => {
  const [brief, page] = ALL_KINDS as [DocumentKind, DocumentKind];
  const old = await makeDocument(ada, 'both', { kind: brief });
  await rename(ada, old, 'brief-now');
  assertError(await ada.get(old.replace(brief.segment, page.segment)), 404, 'NOT_FOUND');
  await makeDocument(ada, 'both', { kind: page });
  await assertLeads(ada, old, '/briefs/ada/brief-now');
});

async function countAliases(name: string): Promise<number> {
  const rows = await service.app.context.sql.read
    .selectFrom('document_alias')
    .where('name', '=', name)
    .select('documentId')
    .execute();
  return rows.length;
}
