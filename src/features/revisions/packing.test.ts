import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { packAll } from '../../../test/document/pack-all.ts';
import { stackSettings } from '../../../test/stack.ts';
import { namedBlobs, storedBlobs } from '../../../test/state.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { callOf } from '../../core/context.ts';
import { createDocument, deleteDocument } from '../../core/document/document-service.ts';
import { updateDocument } from '../../core/document/merge-service.ts';
import { createAccount } from '../../core/identity/account-service.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { listAllTexts, type RevisionTextRow } from '../../core/revision/revision-text-store.ts';
import { MAX_DEPENDENTS } from '../../core/revision/text-codec.ts';
import { closeContext, openContext } from '../../open-context.ts';
import { openThread } from '../comments/new-thread-service.ts';
import { eraseRevision, pinRevision } from './revision-service.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const settings = await stackSettings(home);
const context = await openContext(readConfig({ DATA_DIR: home, ...settings }));
const { id } = await createAccount(context, { username: 'ada', email: 'ada@example.com' });
const ada = { id, username: 'ada', scopes: [], via: VIA_WEB };
after(() => closeContext(context));

let count = 0;

/** Creates a document with these texts, one after the other. */
async function history(texts: readonly string[], kind: Kind = 'brief') {
  const name = `history-${++count}`;
  const ref = { kind, owner: 'ada', name };
  const [first = '', ...later] = texts;
  const owner = { type: 'user', namespace: 'ada' } as const;
  const made = await createDocument(callOf(context, ada), kind, owner, { name, content: first });
  for (const content of later)
    await updateDocument(callOf(context, ada), ref, { content }, undefined);
  const { id } = made.document;
  return {
    ref,
    read: () => Promise.all(texts.map((_, index) => loadRevisionText(context, id, index + 1))),
    rows: (): Promise<RevisionTextRow[]> => listAllTexts(context.sql.read, id),
  };
}

/** Each place has different words, so that only the other version helps to compress it. */
function prose(words: number, seed = 1): string {
  let state = seed;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state.toString(36);
  };
  return Array.from({ length: words }, next).join(' ');
}

const codings = (rows: RevisionTextRow[]) => rows.map(({ coding }) => coding);

for (const kind of ['brief', 'page'] as const) {
  describe(`Packing the texts of a ${kind}`, () => {
    it('keeps every text readable, in a fraction of the space', async () => {
      const texts = Array.from({ length: 8 }, (_, at) => `${prose(2000)}\nVersion ${at}`);
      const document = await history(texts, kind);
      assert.deepEqual(codings(await document.rows()), Array(7).fill('raw'));
      assert.deepEqual(await document.read(), texts);
      await packAll(context);
      const rows = await document.rows();
      assert.deepEqual(codings(rows), ['zst', ...Array(6).fill('zst+dict')]);
      for (const row of rows.slice(1)) assert.ok(row.storedBytes < 100, `${row.storedBytes}`);
      assert.deepEqual(await document.read(), texts);
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    });

    it('stores a large text outside the database', async () => {
      const texts = [prose(50_000), prose(50_000, 2), 'x'];
      const document = await history(texts, kind);
      await packAll(context);
      const rows = await document.rows();
      assert.deepEqual(codings(rows), ['zst', 'zst']);
      assert.ok(rows.every(({ storagePath }) => storagePath?.startsWith('revisions/')));
      assert.deepEqual(await document.read(), texts);
      await deleteDocument(callOf(context, ada), document.ref, undefined);
      assert.deepEqual(await storedBlobs(context), await namedBlobs(context));
    });
  });
}

it('Packing starts a new keyframe for a very different text, and after 64 texts', async () => {
  const other = prose(500, 9);
  const texts = [...Array.from({ length: MAX_DEPENDENTS + 3 }, (_, at) => `${prose(500)} ${at}`)];
  const document = await history([...texts, `${other} 1`, `${other} 2`, 'end']);
  await packAll(context);
  const rows = await document.rows();
  const keyframes = rows.filter(({ coding }) => coding === 'zst').map((row) => row.lastVersion);
  assert.deepEqual(keyframes, [1, MAX_DEPENDENTS + 2, texts.length + 1]);
  assert.deepEqual((await document.read()).slice(0, -3), texts);
});

describe('Erasing a text', () => {
  it('removes only that text, whichever it is', async () => {
    const texts = Array.from({ length: 5 }, (_, at) => `${prose(300)} ${at}`);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([1, 2, 3, 4], { minLength: 1 }),
        fc.boolean(),
        async (erased, isPacked) => {
          const document = await history(texts);
          if (isPacked) await packAll(context);
          for (const number of erased)
            await eraseRevision(callOf(context, ada), document.ref, number);
          const expected = texts.map((text, at) => (erased.includes(at + 1) ? undefined : text));
          assert.deepEqual(await document.read(), expected);
          await packAll(context);
          assert.deepEqual(await document.read(), expected);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('and packing in either order: all other texts can be read', async () => {
    const texts = Array.from({ length: 10 }, (_, at) => `${prose(300)} ${at}`);
    const document = await history(texts);
    const erased = [2, 1, 5];
    await Promise.all([
      packAll(context),
      ...erased.map((number) => eraseRevision(callOf(context, ada), document.ref, number)),
      packAll(context),
    ]);
    await packAll(context);
    const expected = texts.map((text, at) => (erased.includes(at + 1) ? undefined : text));
    assert.deepEqual(await document.read(), expected);
  });

  it('refuses the current text', async () => {
    const document = await history(['one', 'two']);
    const isRefused = (error: unknown) =>
      error instanceof ServiceError && error.code === 'UNPROCESSABLE';
    await assert.rejects(eraseRevision(callOf(context, ada), document.ref, 2), isRefused);
    assert.deepEqual(await document.read(), ['one', 'two']);
  });
});

it('A document with too many texts loses the oldest, but none that is pinned or quoted', async () => {
  const texts = Array.from({ length: 12 }, (_, at) => prose(2_000, at + 1));
  const document = await history(texts);
  await pinRevision(callOf(context, ada), document.ref, 2, true);
  const quote = texts[2]?.slice(0, 60) ?? '';
  const on = { quote, revision: 3 };
  const commenter = { ...ada, scopes: ALL_SCOPES };
  await openThread(callOf(context, commenter), document.ref, { body: 'Why?', on });
  await packAll({ ...context, revisionBytesPerDocument: 40_000 });
  const read = await document.read();
  const rows = await document.rows();
  assert.ok(rows.reduce((sum, { storedBytes }) => sum + storedBytes, 0) <= 40_000);
  assert.equal(read[0], undefined);
  assert.equal(read[1], texts[1]);
  assert.equal(read[2], texts[2]);
  assert.equal(read[3], undefined);
  assert.deepEqual(read.slice(-3), texts.slice(-3));
});
