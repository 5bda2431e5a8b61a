import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Answer, assertError, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';

const service = await startService();
after(() => service.stop());
const { ada, grace } = await users(service, 'ada', 'grace');

function etagOf(answer: Answer): string {
  const etag = answer.headers.get('etag');
  assert.ok(etag, answer.text);
  // Strong (RFC 9110, section 8.8.3).
  assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
  return etag;
}

for (const kind of ALL_KINDS) {
  const { contentField } = kind;

  describe(`Entity tags of a ${kind.kind}`, () => {
    it('every write gives a new strong one: content, name and visibility', async () => {
      const name = `tagged-${kind.kind}`;
      let document = await makeDocument(ada, name, { kind });
      const seen = [etagOf(await ada.get(document))];
      const renamed = document.replace(name, `${name}-2`);
      const writes = [
        { [contentField]: 'one' },
        { visibility: 'private' },
        { name: `${name}-2` },
        { name },
        { [contentField]: 'two', name: `${name}-2`, visibility: 'public' },
      ];
      for (const change of writes) {
        const answer = await expectStatus(ada.patch(document, change), 200);
        if ('name' in change) document = change.name === name ? renamed : document;
        document = `/${kind.segment}/${answer.data.fullName}`;
        const etag = etagOf(answer);
        assert.ok(!seen.includes(etag), JSON.stringify(change));
        // PATCH returns the same as a later GET.
        assert.equal(etagOf(await ada.get(document)), etag);
        seen.push(etag);
      }
    });

    it('writing the same values changes nothing: tag, time, history, blob, index', async (context) => {
      const { sql, wakeIndexer } = service.app.context;
      const document = await makeDocument(ada, 'same', { kind, content: 'same' });
      await collaborate(ada, document, grace, 'write');
      let indexed = 0;
      service.app.context.wakeIndexer = () => {
        indexed++;
        wakeIndexer();
      };
      context.after(() => {
        service.app.context.wakeIndexer = wakeIndexer;
      });
      const state = async () => {
        const { text, headers, data } = await ada.get(document);
        const changes = await sql.read
          .selectFrom('revision')
          .where('documentId', '=', data.id)
          .where('version', '>', 1)
          .selectAll()
          .execute();
        return { text, etag: headers.get('etag'), changes, indexed };
      };
      const before = await state();
      const writes = [
        { [contentField]: 'same' },
        { name: 'same' },
        { name: ' SAME ' },
        { visibility: 'public' },
        { [contentField]: 'same', name: 'same', visibility: 'public' },
      ];
      for (const change of writes) {
        const { text, headers } = await expectStatus(ada.patch(document, change), 200);
        assert.deepEqual([text, headers.get('etag')], [before.text, before.etag]);
        assert.deepEqual(await state(), before, JSON.stringify(change));
      }
      // The last author doesn't change.
      await expectStatus(grace.patch(document, { [contentField]: 'same' }), 200);
      assert.deepEqual(await state(), before);
      // Among several fields, only different ones are changes.
      const mixed = { [contentField]: 'same', name: 'same', visibility: 'private' };
      await expectStatus(ada.patch(document, mixed), 200);
      const [change, ...others] = (await state()).changes;
      assert.deepEqual([change?.changed, others], ['visibility', []]);
      // Another text of the same length.
      await expectStatus(ada.patch(document, { [contentField]: 'Same' }), 200);
      assert.equal((await ada.get(document)).data[contentField], 'Same');
    });

    it('writing the same values is refused like any other write', async () => {
      const document = await makeDocument(ada, 'same-refused', { kind, content: 'same' });
      await collaborate(ada, document, grace, 'write');
      const same = { [contentField]: 'same' };
      assertError(
        await ada.patch(document, same, { 'if-match': '"x"' }),
        412,
        'PRECONDITION_FAILED',
      );
      assertError(await grace.patch(document, { visibility: 'public' }), 403, 'FORBIDDEN');
      assertError(
        await ada.patch(document, { ...same, visibility: 'internal' }),
        400,
        'BAD_REQUEST',
      );
      await makeDocument(ada, 'same-taken', { kind });
      assertError(await ada.patch(document, { ...same, name: 'same-taken' }), 422, 'UNPROCESSABLE');
      assert.equal((await ada.get(document)).data[contentField], 'same');
    });

    it('creation returns the same one as GET', async () => {
      const body = { [contentField]: 'x', name: 'tagged-at-birth' };
      const made = await ada.post(`/user/${kind.segment}`, body);
      assert.equal(made.status, 201);
      const document = `/${kind.segment}/ada/tagged-at-birth`;
      assert.equal(etagOf(await ada.get(document)), etagOf(made));
      // A new document with the same name has another tag.
      await expectStatus(ada.delete(document), 204);
      const again = await ada.post(`/user/${kind.segment}`, body);
      assert.notEqual(etagOf(again), etagOf(made));
    });

    it('reading, listing and sharing don’t change it', async () => {
      const document = await makeDocument(ada, 'untouched', { kind });
      const etag = etagOf(await ada.get(document));
      await ada.get(`/user/${kind.segment}`);
      await collaborate(ada, document, grace, 'read');
      assert.equal(etagOf(await ada.get(document)), etag);
    });

    it('different permissions have different tags, because bodies differ', async () => {
      const document = await makeDocument(ada, 'rights', { kind });
      await collaborate(ada, document, grace, 'read');
      const asReader = await grace.get(document);
      await expectStatus(ada.put(`${document}/collaborators/grace`, { permission: 'write' }), 204);
      const stale = await grace.get(document, { 'if-none-match': etagOf(asReader) });
      assert.equal(stale.status, 200);
      assert.equal(stale.data.permissions.write, true);
    });
  });

  describe(`If-None-Match on GET of a ${kind.kind}`, () => {
    it('304 with ETag and no body; 200 after a change', async () => {
      const document = await makeDocument(ada, 'known', { kind });
      const etag = etagOf(await ada.get(document));
      for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, `${etag} , "y"`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const headers = { 'if-none-match': condition };
          const answer = await ada.request(document, { method, headers });
          assert.equal(answer.status, 304, condition);
          assert.equal(answer.text, '');
          assert.equal(etagOf(answer), etag);
          assert.equal(answer.headers.get('content-type'), null);
        }
      }
      for (const condition of ['"x"', 'W/"x"', etag.slice(1, -1), `"x${etag.slice(1)}`]) {
        const answer = await ada.get(document, { 'if-none-match': condition });
        assert.equal(answer.status, 200, condition);
      }
      await expectStatus(ada.patch(document, { [contentField]: 'new' }), 200);
      const changed = await ada.get(document, { 'if-none-match': etag });
      assert.equal(changed.data[contentField], 'new');
      assert.notEqual(etagOf(changed), etag);
    });

    it('404 for people who can’t read it, whatever the condition', async () => {
      const document = await makeDocument(ada, 'unknown', { kind, visibility: 'private' });
      const etag = etagOf(await ada.get(document));
      for (const condition of [etag, '*']) {
        const answer = await grace.get(document, { 'if-none-match': condition });
        assertError(answer, 404, 'NOT_FOUND');
        assert.equal(answer.headers.get('etag'), null);
      }
    });
  });

  describe(`If-Match on PATCH and DELETE of a ${kind.kind}`, () => {
    const matching = (etag: string) => [
      etag,
      '*',
      ` ${etag}`,
      `"x",${etag}`,
      `W/"x" , ${etag}`,
      `, "a,b",,${etag} ,`,
    ];
    const failing = (etag: string) => ['"x"', `W/${etag}`, '"x", "y"', 'W/"x"', '""'];
    const malformed = (etag: string) => [
      etag.slice(1, -1),
      '',
      ',',
      '"',
      'w/"x"',
      '"x" "y"',
      '*, "x"',
      ', ,',
      '"a b"',
    ];

    it('the change happens if a strong tag of the list matches, or for *', async () => {
      const document = await makeDocument(ada, 'matched', { kind });
      for (const index of matching('').keys()) {
        const etag = etagOf(await ada.get(document));
        const condition = matching(etag)[index] as string;
        const change = { [contentField]: `change ${index}` };
        const answer = await ada.patch(document, change, { 'if-match': condition });
        assert.equal(answer.status, 200, condition);
        assert.equal((await ada.get(document)).data[contentField], `change ${index}`);
      }
    });

    it('412 PRECONDITION_FAILED, and nothing changes, if none matches', async () => {
      const document = await makeDocument(ada, 'unmatched', { kind });
      const old = etagOf(await ada.get(document));
      await expectStatus(ada.patch(document, { [contentField]: 'newer' }), 200);
      const before = await ada.get(document);
      for (const condition of [old, ...failing(etagOf(before))]) {
        const headers = { 'if-match': condition };
        for (const change of [{ [contentField]: 'lost' }, { name: 'lost' }]) {
          const answer = await ada.patch(document, change, headers);
          assertError(answer, 412, 'PRECONDITION_FAILED', /If-Match/);
        }
        assertError(await ada.delete(document, headers), 412, 'PRECONDITION_FAILED');
        const now = await ada.get(document);
        assert.equal(now.text, before.text);
        assert.equal(etagOf(now), etagOf(before));
      }
    });

    it('a tag matches the document’s state at any reader’s level', async () => {
      const document = await makeDocument(ada, 'promoted', { kind });
      await collaborate(ada, document, grace, 'read');
      const readByGrace = etagOf(await grace.get(document));
      await expectStatus(ada.put(`${document}/collaborators/grace`, { permission: 'write' }), 204);
      // Read before the promotion.
      const change = { [contentField]: 'as writer' };
      const answer = await grace.patch(document, change, { 'if-match': readByGrace });
      assert.equal(answer.status, 200, answer.text);
      // Read by another person.
      const readByAda = etagOf(await ada.get(document));
      assert.notEqual(readByAda, etagOf(answer));
      const second = { [contentField]: 'with her tag' };
      await expectStatus(grace.patch(document, second, { 'if-match': readByAda }), 200);
      // Each of these states is over.
      for (const tag of [readByGrace, readByAda, etagOf(answer)]) {
        const late = await ada.patch(document, { [contentField]: 'late' }, { 'if-match': tag });
        assertError(late, 412, 'PRECONDITION_FAILED');
        assertError(await ada.delete(document, { 'if-match': tag }), 412, 'PRECONDITION_FAILED');
      }
      const current = etagOf(await grace.get(document));
      const other = current.replace(/\.\w+"$/, '.owner"');
      assertError(await ada.delete(document, { 'if-match': other }), 412, 'PRECONDITION_FAILED');
      await expectStatus(ada.delete(document, { 'if-match': current }), 204);
    });

    it('400, and nothing changes, if it isn’t a list of entity tags', async () => {
      const document = await makeDocument(ada, 'malformed', { kind });
      const before = await ada.get(document);
      for (const condition of malformed(etagOf(before))) {
        const headers = { 'if-match': condition };
        const patched = await ada.patch(document, { [contentField]: 'lost' }, headers);
        assertError(patched, 400, 'BAD_REQUEST', /If-Match/);
        assertError(await ada.delete(document, headers), 400, 'BAD_REQUEST', /If-Match/);
      }
      assert.equal((await ada.get(document)).text, before.text);
    });

    it('DELETE with the current tag: 204; with * on a deleted document: 404', async () => {
      for (const condition of ['etag', '*']) {
        const document = await makeDocument(ada, 'to-delete', { kind });
        const etag = etagOf(await ada.get(document));
        const headers = { 'if-match': condition === '*' ? '*' : etag };
        await expectStatus(ada.delete(document, headers), 204);
        assertError(await ada.delete(document, headers), 404, 'NOT_FOUND');
        assertError(await ada.patch(document, { name: 'x' }, headers), 404, 'NOT_FOUND');
      }
    });

    it('403 comes before 412', async () => {
      const document = await makeDocument(ada, 'foreign', { kind });
      for (const condition of ['"x"', '*', 'x']) {
        const headers = { 'if-match': condition };
        assertError(await grace.patch(document, { name: 'x' }, headers), 403, 'FORBIDDEN');
        assertError(await grace.delete(document, headers), 403, 'FORBIDDEN');
      }
    });

    it('of concurrent writers with the same tag, one succeeds', async () => {
      const document = await makeDocument(ada, 'contended', { kind });
      const etag = etagOf(await ada.get(document));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          ada.patch(document, { [contentField]: `writer ${index}` }, { 'if-match': etag }),
        ),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(others, []);
      assert.equal(answers.filter(({ status }) => status === 412).length, 7);
      assert.equal((await ada.get(document)).text, winner?.text);
    });
  });
}

describe('The OpenAPI document', () => {
  it('lists the conditions that each operation on a document supports', async () => {
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    const heeded = (path: string, method: string): string[] =>
      (paths[path][method].parameters ?? [])
        .filter((parameter: { in: string }) => parameter.in === 'header')
        .map((parameter: { name: string }) => parameter.name);
    for (const { segment } of ALL_KINDS) {
      const item = `/${segment}/{owner}/{name}`;
      assert.deepEqual(heeded(item, 'get'), ['If-None-Match']);
      assert.deepEqual(heeded(item, 'patch'), ['If-Match']);
      assert.deepEqual(heeded(item, 'delete'), ['If-Match']);
      assert.deepEqual(heeded(`/user/${segment}`, 'post'), ['Idempotency-Key']);
    }
  });
});

describe('Random entity tags', () => {
  it('only the current one allows a change', async () => {
    const document = await makeDocument(ada, 'random');
    await makeOrganization(ada, 'guild');
    await join(ada, 'guild', grace);
    const opaque = fc.stringMatching(/^[\x21\x23-\x7e]{0,40}$/);
    const tag = fc
      .tuple(fc.boolean(), opaque)
      .map(([weak, text]) => `${weak ? 'W/' : ''}"${text}"`);
    let writes = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(tag, { minLength: 1, maxLength: 5 }),
        fc.option(fc.nat(5)),
        async (tags, position) => {
          const etag = etagOf(await ada.get(document));
          fc.pre(!tags.includes(etag));
          const list = position === null ? tags : tags.toSpliced(position, 0, etag);
          const headers = { 'if-match': list.join(', ') };
          const answer = await ada.patch(document, { content: `${writes++}` }, headers);
          assert.equal(answer.status, position === null ? 412 : 200, headers['if-match']);
          assert.equal(etagOf(await ada.get(document)) === etag, position === null);
        },
      ),
      { numRuns: 100 },
    );
  });
});
