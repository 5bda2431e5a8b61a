import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeDirectory, removeDirectory } from '../../../test/servers/server-process.ts';
import { parseQuery } from '../../base/search/search-query.ts';
import type { IndexableDocument } from './search-thread.ts';
import { createSearchThreads } from './search-threads.ts';

const document = (markdown: string): IndexableDocument => ({
  id: 'one',
  updatedAt: 0,
  storagePath: null,
  source: {
    id: 'one',
    name: 'named',
    title: null,
    written: { markdown },
    ownerId: 'a-d-a',
    ownerType: 'user',
    visibility: 'private',
    collaboratorIds: [],
  },
});

describe('Threads that divide texts into words', () => {
  it('work until they are closed', async () => {
    const threads = createSearchThreads();
    const result = await threads.divide([document('The words, _words_ of it.')]);
    // Including the keys for misspelled words in names.
    const keys = 'fnamed famed fnmed fnaed fnamd fname';
    const divided = {
      id: 'one',
      updatedAt: 0,
      words: `done oada nnamed ${keys} tnamed tthe twords tof tit senname senthe senword`,
      pageText: null,
    };
    assert.deepEqual(result, { documents: [divided], cut: [] });
    await threads.close();
    await assert.rejects(threads.divide([]), /^BackEndUnavailable/);
  });

  it('process only as much of a document as the index accepts', async () => {
    const threads = createSearchThreads();
    // Each of these becomes a sentence of four words.
    const hostile = Array.from({ length: 60_000 }, (_, n) => `${n.toString(36)}\ufdfa `).join('');
    const result = await threads.divide([document(hostile)]);
    const bytes = Buffer.byteLength(result.documents[0]?.words ?? '');
    assert.ok(bytes > 100_000 && bytes < 1_000_000, `${bytes} bytes`);
    await threads.close();
  });

  it('process the worst texts within the time limit per document', async () => {
    const threads = createSearchThreads();
    const marks = '\u0300\u0316'.repeat(128_000);
    for (const [what, hostile] of Object.entries({
      'one word of marks': `tail a${marks}`,
      'many such words': `tail ${`a${'\u0300\u0316'.repeat(400)} `.repeat(300)}`,
      'marks of kana': `tail か${'\u3099\u0316'.repeat(128_000)}`,
      'marks behind a script without spaces': `tail 中${marks}`,
    })) {
      const result = await threads.divide([document(hostile)]);
      assert.deepEqual(result.cut, [], what);
      assert.match(result.documents[0]?.words ?? '', /\bttail\b/, what);
      const query = { ...parseQuery('tail'), corrections: [] };
      const [found] = await threads.excerpts('ada', query, async () => [
        [what, { markdown: hostile }],
      ]);
      assert.deepEqual([found?.[0], found?.[1].matches], [what, [[0, 4]]]);
    }
    await threads.close();
  });

  it('fail only their own tasks if they can’t start', async () => {
    const directory = makeDirectory('threads');
    const inThreads = join(directory, 'in-threads.cjs');
    writeFileSync(
      inThreads,
      `if (!require('node:worker_threads').isMainThread) throw new Error('no memory');`,
    );
    const entry = new URL('./search-threads.js', import.meta.url).href;
    const script = `
      const { createSearchThreads } = await import('${entry}');
      const threads = createSearchThreads();
      for (const _ of [1, 2]) await threads.divide([]).catch(({ name }) => console.log(name));
      await threads.close();`;
    const args = ['--require', inThreads, '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.equal(stdout, 'BackEndUnavailable\nBackEndUnavailable\n');
    removeDirectory(directory);
  });
});
