import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { IndexableDocument } from '../../src/storage/word-index/word-index.ts';
import { createWordThreads } from '../../src/storage/word-index/word-threads.ts';
import { makeDirectory, removeDirectory } from '../servers/server-process.ts';

const document = (markdown: string): IndexableDocument => ({
  id: 'one',
  updatedAt: 0,
  source: {
    ...{ name: 'named', title: null, written: { markdown } },
    ...{ ownerId: 'a-d-a', ownerType: 'user', visibility: 'private', collaboratorIds: [] },
  },
});

describe('Threads that divide texts into words', () => {
  it('do so, and nothing any more once they are closed', async () => {
    const threads = createWordThreads();
    const { result } = await threads.run('divide', [document('Words, _words_.')]);
    assert.deepEqual(result, [{ id: 'one', updatedAt: 0, words: 'oada nnamed tnamed twords' }]);
    await threads.close();
    await assert.rejects(threads.run('divide', []), /^BackEndUnavailable/);
  });

  it('take no more of one document than an index does, whatever it expands to', async () => {
    const threads = createWordThreads();
    // Each of these becomes a sentence of four words.
    const hostile = Array.from({ length: 60_000 }, (_, n) => `${n.toString(36)}\ufdfa`).join('');
    const { result } = await threads.run('divide', [document(hostile)]);
    const bytes = Buffer.byteLength(result[0]?.words ?? '');
    assert.ok(bytes > 100_000 && bytes < 1_000_000, `${bytes} bytes`);
    await threads.close();
  });

  it('that cannot be started fail their tasks, and nothing else', async () => {
    const directory = makeDirectory('threads');
    const inThreads = join(directory, 'in-threads.cjs');
    writeFileSync(
      inThreads,
      `if (!require('node:worker_threads').isMainThread) throw new Error('no memory');`,
    );
    const entry = new URL('../../src/storage/word-index/word-threads.js', import.meta.url).href;
    const script = `
      const { createWordThreads } = await import('${entry}');
      const threads = createWordThreads();
      for (const _ of [1, 2]) await threads.run('divide', []).catch(({ name }) => console.log(name));
      await threads.close();`;
    const args = ['--require', inThreads, '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.equal(stdout, 'BackEndUnavailable\nBackEndUnavailable\n');
    removeDirectory(directory);
  });
});
