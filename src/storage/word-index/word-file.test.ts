import { strict as assert } from 'node:assert';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { VIA_WEB } from '../../base/schema/means.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { type Actor, type Call, type Context, callOf } from '../../core/context.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { createAccount } from '../../core/identity/account-service.ts';
import { indexPending } from '../../features/search/search-index-service.ts';
import { searchDocuments } from '../../features/search/search-service.ts';
import { closeContext, openContext } from '../../open-context.ts';
import {
  createWordFile,
  removeWordFile,
  SqliteWordFile,
  wordFilePath,
} from './sqlite-word-file.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const dataDir = join(home, 'data');
const openIn = (DATA_DIR: string) => openContext(readConfig({ DATA_DIR }));

async function indexAll(context: Context): Promise<void> {
  while ((await indexPending(context, 5)).done > 0);
}

async function find(call: Call, query: string): Promise<string[]> {
  const { items } = await searchDocuments(call, { query, size: 50 });
  return items.map(({ name }) => name);
}

async function makeActor(context: Context, username: string): Promise<Actor> {
  const { id } = await createAccount(context, { username, email: `${username}@example.com` });
  return { id, username, scopes: [], via: VIA_WEB };
}

async function write(call: Call, name: string, content: string) {
  const owner = { type: 'user', namespace: call.actor.username } as const;
  await createDocument(call, 'brief', owner, { content, name });
}

/** Overwrites and truncates a file. */
function overwrite(path: string, where: (size: number) => [from: number, bytes: number]): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  const [from, bytes] = where(statSync(path).size);
  truncateSync(path, from);
  appendFileSync(path, Buffer.alloc(bytes, 'x'));
}

describe('The search index file', () => {
  it('is rebuilt if it is missing, invalid or belongs to another installation', async () => {
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
    const damage: Record<string, (size: number) => [from: number, bytes: number]> = {
      'is cut': () => [4096, 0],
      'is overwritten': (size) => [100, size - 100],
    };
    for (const [fault, where] of Object.entries(damage)) {
      faults[fault] = () => overwrite(wordFilePath(dataDir), where);
    }
    let context = await openIn(dataDir);
    const ada = await makeActor(context, 'ada');
    await write(callOf(context, ada), 'back', 'revenant');
    for (const [fault, make] of Object.entries(faults)) {
      await indexAll(context);
      await closeContext(context);
      context = await openIn(dataDir);
      assert.deepEqual(
        await find(callOf(context, ada), 'revenant'),
        ['back'],
        `before it ${fault}`,
      );
      await closeContext(context);
      make();
      context = await openIn(dataDir);
      assert.deepEqual(await find(callOf(context, ada), 'revenant'), [], fault);
    }
    await indexAll(context);
    assert.deepEqual(await find(callOf(context, ada), 'revenant'), ['back']);
    await closeContext(context);
  });

  it('is rebuilt by the next start if it is damaged', async () => {
    const damaged = join(home, 'damaged');
    let context = await openIn(damaged);
    const ada = await makeActor(context, 'ada');
    await write(callOf(context, ada), 'back', 'revenant');
    await indexAll(context);
    await closeContext(context);
    overwrite(wordFilePath(damaged), (size) => [4096, size - 4096]);
    context = await openIn(damaged);
    await assert.rejects(
      find(callOf(context, ada), 'revenant'),
      /^BackEndUnavailable: search\.db: /,
    );
    await closeContext(context);
    context = await openIn(damaged);
    await indexAll(context);
    assert.deepEqual(await find(callOf(context, ada), 'revenant'), ['back']);
    await closeContext(context);
  });

  it('is reopened by processes that had an earlier file open', async () => {
    const replaced = join(home, 'replaced');
    const first = await openIn(replaced);
    const ada = await makeActor(first, 'ada');
    await write(callOf(first, ada), 'one', 'revenant');
    await indexAll(first);
    removeWordFile(replaced);
    const second = await openIn(replaced);
    await write(callOf(first, ada), 'two', 'revenant');
    await indexAll(first);
    for (const context of [first, second]) {
      assert.deepEqual(await find(callOf(context, ada), 'revenant'), ['two', 'one']);
    }
    await closeContext(first);
    await closeContext(second);
  });

  it('keeps the latest documents first, even with many saves per millisecond', () => {
    const path = join(home, 'busy.db');
    const file = new SqliteWordFile(path, createWordFile(path));
    const ids = Array.from({ length: 2_400 }, (_, index) => `document-${index}`);
    const documents = ids.map((id, index) => ({
      id,
      words: 'busy',
      pageText: null,
      updatedAt: Date.UTC(2026, 2, 1) + Math.floor(index / 8),
    }));
    file.change(documents, []);
    for (let shown = 20; shown <= ids.length; shown += 20) {
      // A search reads 50 more than it shows, so that many can be out of order.
      const found = new Set(file.find({ word: 'busy' }, shown + 50));
      const missing = ids.slice(-shown).filter((id) => !found.has(id));
      assert.deepEqual(missing, [], `of the latest ${shown}`);
    }
    file.close();
  });

  it('can be read during a write', async () => {
    const written = join(home, 'written');
    const context = await openIn(written);
    const ada = await makeActor(context, 'ada');
    await write(callOf(context, ada), 'one', 'revenant');
    await indexAll(context);
    await closeContext(context);
    const other = new DatabaseSync(wordFilePath(written));
    other.exec('begin immediate');
    const anew = await openIn(written);
    assert.deepEqual(await find(callOf(anew, ada), 'revenant'), ['one']);
    other.close();
    await closeContext(anew);
  });

  it('has the texts of pages again after it was created again', async () => {
    const lost = join(home, 'lost');
    const context = await openIn(lost);
    const ada = await makeActor(context, 'ada');
    const owner = { type: 'user', namespace: 'ada' } as const;
    const page = { content: '<p>a phoenix <b>rises</b></p>', name: 'ashes' };
    await createDocument(callOf(context, ada), 'page', owner, page);
    await indexAll(context);
    await closeContext(context);
    removeWordFile(lost);
    const anew = await openIn(lost);
    await indexAll(anew);
    const { items } = await searchDocuments(callOf(anew, ada), { query: 'phoenix', size: 50 });
    assert.deepEqual(items[0]?.excerpt, { text: 'a phoenix rises', matches: [[2, 9]] });
    await closeContext(anew);
  });
});
