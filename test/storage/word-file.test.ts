import { strict as assert } from 'node:assert';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createAccount } from '../../src/account/account-service.ts';
import { readConfig } from '../../src/config.ts';
import type { Actor, Context } from '../../src/context.ts';
import { createDocument } from '../../src/document/document-service.ts';
import { indexPending } from '../../src/document/search-index-service.ts';
import { searchDocuments } from '../../src/document/search-service.ts';
import { closeContext, openContext } from '../../src/open-context.ts';
import { removeWordFile, wordFilePath } from '../../src/storage/word-index/sqlite-word-file.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const dataDir = join(home, 'data');
const openIn = (DATA_DIR: string) => openContext(readConfig({ DATA_DIR }));

async function indexAll(context: Context): Promise<void> {
  while ((await indexPending(context, 5)) > 0);
}

async function find(context: Context, actor: Actor, query: string): Promise<string[]> {
  const { items } = await searchDocuments(context, actor, { query, size: 50 });
  return items.map(({ name }) => name);
}

describe('The file of the index for searches', () => {
  it('is made again where it has got lost, is another one, or is none', async () => {
    const other = join(home, 'other');
    await closeContext(await openIn(other));
    const faults: Record<string, () => void> = {
      'has got lost': () => removeWordFile(dataDir),
      'is another one': () => {
        removeWordFile(dataDir);
        copyFileSync(wordFilePath(other), wordFilePath(dataDir));
      },
      'is none': () => {
        removeWordFile(dataDir);
        writeFileSync(wordFilePath(dataDir), 'This is text.'.repeat(1_000));
      },
    };
    let context = await openIn(dataDir);
    const { id } = await createAccount(context, { username: 'ada', email: 'ada@example.com' });
    const ada: Actor = { id, username: 'ada', scopes: [] };
    const input = { content: 'revenant', name: 'back' };
    await createDocument(context, ada, 'brief', { type: 'user', namespace: 'ada' }, input);
    for (const [fault, make] of Object.entries(faults)) {
      await indexAll(context);
      await closeContext(context);
      context = await openIn(dataDir);
      assert.deepEqual(await find(context, ada, 'revenant'), ['back'], `before it ${fault}`);
      await closeContext(context);
      make();
      context = await openIn(dataDir);
      assert.deepEqual(await find(context, ada, 'revenant'), [], fault);
    }
    await indexAll(context);
    assert.deepEqual(await find(context, ada, 'revenant'), ['back']);
    await closeContext(context);
  });
});
