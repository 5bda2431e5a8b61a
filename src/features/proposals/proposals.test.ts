import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { packAll } from '../../../test/document/pack-all.ts';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  decide,
  expectStatus,
  makeDocument,
  users,
} from '../../../test/rest/scenario.ts';
import type { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';

const TEXT = 'One.\n\nTwo.\n\nThree.\n';

const service = await startService();
after(() => service.stop());
const { ada, grace, alan, eve } = await users(service, 'ada', 'grace', 'alan', 'eve');

const change = (from: string, to: string) => [{ op: 'replace', old: from, new: to }];

async function propose(client: Client, path: string, edits: object[], more: object = {}) {
  const body = { edits, propose: true, ...more };
  return (await expectStatus(client.post(`${path}/edits`, body), 201)).data;
}

const accept = (client: Client, path: string, ...threads: string[]) =>
  decide(client, path, 'accept', threads);

async function scopedTo(...scopes: (typeof ALL_SCOPES)[number][]): Promise<Client> {
  const input = { username: 'grace', name: 'scoped', lifetimeMs: undefined, scopes };
  return service.client((await createToken(service.app.context, input)).token);
}

describe('a proposal', () => {
  for (const kind of ALL_KINDS) {
    it(`changes a ${kind.kind} when it is accepted, merged with later changes`, async () => {
      const path = await makeDocument(ada, 'offered', { kind, content: TEXT });
      await collaborate(ada, path, grace, 'read');
      const body = { edits: change('Two.', 'Zwei.'), propose: true, message: 'In German' };
      const made = await expectStatus(grace.post(`${path}/edits`, body), 201);
      const { id } = made.data;
      assert.equal(made.headers.get('location'), `${service.baseUrl}${path}/threads/${id}`);
      assert.deepEqual(
        [made.data.kind, made.data.state, made.data.on, made.data.comments[0].body],
        ['proposal', 'open', null, 'In German'],
      );
      assert.deepEqual(made.data.proposal, { baseRevision: 1, added: 1, removed: 1 });
      assert.equal((await ada.get(path)).headers.get('x-revision'), '1');

      await expectStatus(ada.patch(path, { [kind.contentField]: `Zero.\n\n${TEXT}` }), 200);
      const { data: shown } = await expectStatus(grace.get(`${path}/threads/${id}/proposal`), 200);
      assert.deepEqual([shown.baseRevision, shown.currentRevision, shown.conflicts], [1, 2, []]);
      assert.match(shown.diff, /^-Two\.\n\+Zwei\.$/m);
      assert.match(shown.currentDiff, /^@@ -2,6 /m);

      assertError(await accept(grace, path, id), 403, 'FORBIDDEN');
      const { data } = await expectStatus(accept(ada, path, id), 200);
      assert.equal(data[kind.contentField], `Zero.\n\n${TEXT}`.replace('Two', 'Zwei'));
      const [revision] = (await ada.get(`${path}/revisions`)).data;
      assert.equal(revision.message, 'Accepted a proposal by grace');
      assertError(await accept(ada, path, id), 422, 'UNPROCESSABLE', /no longer open/);
    });
  }

  it('needs only the scope and permission to comment', async () => {
    const path = await makeDocument(ada, 'by-agents', { content: TEXT });
    await collaborate(ada, path, grace, 'read');
    const agent = await scopedTo('documents:read', 'comments');
    await propose(agent, path, change('One.', 'Eins.'));
    const direct = await agent.post(`${path}/edits`, { edits: change('One.', 'Eins.') });
    assertError(direct, 403, 'FORBIDDEN', /"documents:write"/);
    const writer = await scopedTo('documents:read', 'documents:write');
    const proposed = await writer.post(`${path}/edits`, {
      edits: change('One.', 'I.'),
      propose: true,
    });
    assertError(proposed, 403, 'FORBIDDEN', /"comments"/);
    const body = { edits: change('One.', 'Eins.'), propose: true };
    assertError(await alan.post(`${path}/edits`, body), 403, 'FORBIDDEN');
    const hidden = await makeDocument(ada, 'hidden', { content: TEXT, visibility: 'private' });
    assertError(await alan.post(`${hidden}/edits`, body), 404, 'NOT_FOUND');
  });

  it('is accepted with other proposals and suggestions as one revision, or none is', async () => {
    const path = await makeDocument(ada, 'together', { content: TEXT });
    const first = await propose(ada, path, change('One.', 'Eins.'));
    const second = await propose(ada, path, change('Three.', 'Drei.'));
    const other = await propose(ada, path, change('Three.', 'Trois.'));
    const on = { quote: 'Two.' };
    const { id } = (await ada.post(`${path}/threads`, { on, replacement: 'Zwei.' })).data;
    const refused = await accept(ada, path, first.id, second.id, other.id, id);
    assertError(refused, 409, 'CONFLICT', /Nothing was accepted/);
    assert.match(refused.json.data.conflicts[0].current, /Drei/);
    assert.match(refused.json.data.conflicts[0].yours, /Trois/);
    const { data } = await expectStatus(accept(ada, path, first.id, second.id, id), 200);
    assert.equal(data.content, 'Eins.\n\nZwei.\n\nDrei.\n');
    const { data: shown } = await ada.get(`${path}/threads/${other.id}/proposal`);
    assert.equal(shown.currentDiff, null);
    assert.match(shown.conflicts[0].proposed, /Trois/);
  });

  it('is rejected by its author or editors, and can be reopened', async () => {
    const path = await makeDocument(ada, 'withdrawn', { content: TEXT });
    for (const reader of [grace, alan]) await collaborate(ada, path, reader, 'read');
    const { id } = await propose(grace, path, change('One.', 'Eins.'));
    assertError(await decide(alan, path, 'reject', [id]), 403, 'FORBIDDEN');
    await expectStatus(decide(grace, path, 'reject', [id]), 204);
    await expectStatus(ada.patch(`${path}/threads/${id}`, { state: 'open' }), 200);
    await expectStatus(accept(ada, path, id), 200);
  });

  it('can be based on an old revision by insiders, by others only on readable ones', async () => {
    const path = await makeDocument(ada, 'old', { content: TEXT });
    await ada.patch(path, { content: TEXT.replace('One.', 'Secret gone.') });
    await ada.patch(`${path}/review-settings`, { comments: 'readers' });
    const { id } = await propose(ada, path, change('Two.', 'Zwei.'), { baseRevision: 1 });
    const body = { edits: change('Two.', 'Deux.'), baseRevision: 1, propose: true };
    const refused = await eve.post(`${path}/edits`, body);
    assertError(refused, 422, 'UNPROCESSABLE', /^baseRevision/);
    const restoring = { edits: [{ op: 'restore', revision: 1 }], propose: true };
    assertError(await eve.post(`${path}/edits`, restoring), 422, 'UNPROCESSABLE');
    assertError(await eve.get(`${path}/threads/${id}/proposal`), 404, 'NOT_FOUND');
    const own = await propose(eve, path, change('Two.', 'Deux.'));
    const newer = await propose(ada, path, change('Two.', 'Dos.'));
    await ada.patch(path, { content: `${TEXT}Four.\n` });
    await expectStatus(eve.get(`${path}/threads/${own.id}/proposal`), 200);
    assertError(await eve.get(`${path}/threads/${newer.id}/proposal`), 403, 'FORBIDDEN');
  });

  it('keeps its base, and is deleted with an erased base and with its document', async () => {
    const large = (seed: number) => {
      let state = seed;
      const next = () => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return state.toString(36);
      };
      return `<p>${Array.from({ length: 40_000 }, next).join(' ')}</p>\n`;
    };
    const kind = ALL_KINDS.find(({ kind }) => kind === 'page');
    assert.ok(kind);
    const path = await makeDocument(ada, 'large', { kind, content: large(1) });
    const { id } = await propose(ada, path, [{ op: 'insert', after: '<p>', content: large(2) }]);
    await ada.patch(path, { html: '<p>Other</p>' });
    await packAll(service.app.context);
    await assertConsistent(service.app.context);
    const { data } = await expectStatus(ada.get(`${path}/threads/${id}/proposal`), 200);
    assert.equal(data.conflicts.length, 1);
    await expectStatus(ada.delete(`${path}/revisions/1`), 204);
    const erased = (await ada.get(`${path}/threads/${id}`)).data;
    assert.deepEqual([erased.state, erased.proposal], ['rejected', null]);
    assertError(await accept(ada, path, id), 422, 'UNPROCESSABLE', /no longer open/);
    await propose(ada, path, [{ op: 'append', content: large(3) }]);
    await expectStatus(ada.delete(path), 204);
    const [trashed] = (await ada.get('/user/trash')).data;
    await expectStatus(ada.delete(`/trash/${trashed.id}`), 204);
    await assertConsistent(service.app.context);
  });

  it('has limits', async () => {
    const path = await makeDocument(ada, 'limited', { content: TEXT });
    const offer = (n: number) => propose(ada, path, [{ op: 'append', content: `${n}\n` }]);
    const ids: string[] = [];
    for (let n = 0; n < REVIEW_LIMITS.openProposals; n++) ids.push((await offer(n)).id);
    const body = { edits: [{ op: 'append', content: 'x' }], propose: true };
    assertError(await ada.post(`${path}/edits`, body), 422, 'UNPROCESSABLE', /20 open proposals/);
    await expectStatus(decide(ada, path, 'reject', ids), 204);
    // Only the last closed ones can be reopened.
    const last = await offer(100);
    await expectStatus(decide(ada, path, 'reject', [last.id]), 204);
    await offer(101);
    const reopen = (id = '') => ada.patch(`${path}/threads/${id}`, { state: 'open' });
    const reopened = await Promise.all(ids.map((id) => reopen(id)));
    assert.equal(reopened.filter(({ status }) => status === 422).length, 1);
    const same = { edits: change('One.', 'One.'), propose: true };
    const other = await makeDocument(ada, 'unchanged', { content: TEXT });
    assertError(await ada.post(`${other}/edits`, same), 422, 'UNPROCESSABLE', /changes nothing/);
    for (const more of [{ dryRun: true }, { resolves: [last.id] }]) {
      assertError(await ada.post(`${other}/edits`, { ...body, ...more }), 400, 'BAD_REQUEST');
    }
  });
});
