import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { VIA_WEB } from '../src/base/schema/means.ts';
import { readConfig } from '../src/core/config/read-config.ts';
import { type Context, callOf } from '../src/core/context.ts';
import { createDocument, deleteDocument } from '../src/core/document/document-service.ts';
import { updateDocument } from '../src/core/document/merge-service.ts';
import { insertPending } from '../src/core/outbox/search-pending-store.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import { wordFilePath } from '../src/storage/word-index/sqlite-word-file.ts';
import { everythingIndexed } from '../test/document/everything-indexed.ts';
import { startService } from '../test/harness.ts';
import { STACK, stackSettings } from '../test/stack.ts';
import { generate } from './generate.ts';
import type { Plan } from './generate-rows.ts';

const isEmbedded = STACK === 'embedded' || !process.env.TEST_DATABASE_URL;

const PLANS: Record<string, Plan> = {
  'one owner, with several blocks': { briefs: 2_500, owners: 1, medianBytes: 100 },
  'many owners': { briefs: 400, owners: 60, medianBytes: 600 },
};

for (const [name, plan] of Object.entries(PLANS)) {
  describe(`generated briefs of ${name}`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    const settings = { DATA_DIR: dataDir, ...(await stackSettings(dataDir)) };
    const { token } = await generate(settings, plan);
    const context = await openContext(readConfig(settings));
    after(async () => {
      await closeContext(context);
      rmSync(dataDir, { recursive: true });
    });

    it('are indexed as the service indexes them', async () => {
      const before = await indexedWords(context, dataDir);
      assert.equal(before.length, plan.briefs);
      const ids = await context.sql.read.selectFrom('document').select('id').execute();
      await context.sql.transaction(async (tx) => {
        for (const { id } of ids) await insertPending(tx, id);
      });
      await everythingIndexed(context);
      assert.deepEqual(await indexedWords(context, dataDir), before);
    });

    it('have the same rows as briefs written by the service', async () => {
      const documents = await context.sql.read
        .selectFrom('document')
        .innerJoin('owner', 'owner.id', 'document.ownerId')
        .selectAll('document')
        .select('owner.namespace')
        .orderBy('document.id')
        .limit(300)
        .execute();
      let compared = 0;
      for (const { namespace, id, ownerType, content, name, visibility, ...row } of documents) {
        const before = await rowsOf(context, id);
        const writer = row.createdBy as string;
        // Someone else's invitation is another write.
        if (before.collaborators.some(({ accountId }) => accountId !== writer)) continue;
        const actor = { id: writer, username: namespace, scopes: [], via: VIA_WEB };
        const ref = { kind: 'brief', owner: namespace, name } as const;
        await deleteDocument(callOf(context, actor), ref, undefined);
        // Each version differs from the one before; writing the same again would change nothing.
        const textOf = (version: number) => `${content}${' '.repeat(row.version - version)}`;
        const input = { content: textOf(1), name, visibility };
        const owner = { type: ownerType, namespace };
        const made = await createDocument(callOf(context, actor), 'brief', owner, input);
        for (let version = 2; version <= row.version; version += 1) {
          await updateDocument(
            callOf(context, actor),
            ref,
            { content: textOf(version) },
            undefined,
          );
        }
        assert.deepEqual(await rowsOf(context, made.document.id), before);
        compared += 1;
      }
      assert.ok(compared > 200);
    });

    it('can be listed, read and found', async () => {
      const service = await startService(settings);
      try {
        const ada = service.client(token);
        const list = await ada.get('/briefs?per_page=30');
        assert.equal(list.status, 200, list.text);
        const own = plan.owners === 1 ? plan.briefs : 30;
        const last = /page=(\d+)>; rel="last"/.exec(list.headers.get('link') ?? '')?.[1];
        assert.ok(Math.abs(Number(last) - own / 30) < 1.5, `${last} pages`);
        const read = await ada.get(`/briefs/${list.data[0].fullName}`);
        assert.equal(read.data.ownerNamespace, 'ada');
        assert.match(read.data.content, /^# \w+/);
      } finally {
        await service.stop();
      }
    });
  });
}

/** The rows that services write for a brief, without ids and times. */
async function rowsOf({ sql: { read } }: Context, documentId: string) {
  const [document] = await read
    .selectFrom('document')
    .where('id', '=', documentId)
    .selectAll()
    .execute();
  const collaborators = await read
    .selectFrom('collaborator')
    .where('documentId', '=', documentId)
    .select(['accountId', 'permission'])
    .execute();
  const changes = await read
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .select(['version', 'accountId', 'changed'])
    .orderBy('version')
    .execute();
  const { id, createdAt, updatedAt, ...columns } = document ?? {};
  return { document: columns, collaborators, changes };
}

/** The contents of the index: each document's id, position and sorted words. */
async function indexedWords({ sql: { read } }: Context, dataDir: string): Promise<string[]> {
  if (!isEmbedded) {
    const { rows } = await sql`
      select "documentId", recency, words::text from document_text order by recency`.execute(read);
    return rows.map(text);
  }
  const database = new DatabaseSync(wordFilePath(dataDir));
  try {
    const rows = database
      .prepare(`select "documentId", number, group_concat(term, ' ' order by term) as words
        from occurrence join place on number = doc group by doc order by number`)
      .all();
    return rows.map(text);
  } finally {
    database.close();
  }
}

function text(row: unknown): string {
  const entries = Object.entries(row as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries);
}
