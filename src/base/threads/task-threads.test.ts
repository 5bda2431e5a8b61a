import assert from 'node:assert/strict';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { TookTooLong } from '../errors.ts';
import { createTaskThreads } from './task-threads.ts';

describe('Limits of tasks on threads', () => {
  const threads = createTaskThreads<typeof import('./thread-pool.testing.ts')>(
    new URL('./thread-pool.testing.js', import.meta.url),
    { threads: 2, withinMs: { wait: 50, work: 50 } },
  );
  after(() => threads.close());

  it('waiting doesn’t count, however long it takes', async () => {
    assert.equal(await threads.run('wait', 400), 'waited');
  });

  it('work counts, on every thread, and the next task gets a thread', async () => {
    const both = [threads.run('work', undefined as never), threads.run('work', undefined as never)];
    await Promise.all(both.map((ended) => assert.rejects(ended, TookTooLong)));
    assert.equal(await threads.run('wait', 1), 'waited');
  });

  it('the work of earlier tasks on the same thread doesn’t count', async () => {
    for (let times = 0; times < 20; times++) assert.equal(await threads.run('wait', 60), 'waited');
  });

  it('a thread that can’t start says why', async (t) => {
    const started = process.cwd();
    t.after(() => process.chdir(started));
    const folder = mkdtempSync(join(tmpdir(), 'briefs-gone-'));
    process.chdir(folder);
    rmdirSync(folder);
    const others = createTaskThreads<typeof import('./thread-pool.testing.ts')>(
      new URL('./thread-pool.testing.js', import.meta.url),
      { threads: 1, withinMs: { wait: 50, work: 50 } },
    );
    await assert.rejects(others.run('wait', 1), /a thread was ended \(ENOENT.*cwd/);
    process.chdir(started);
    assert.equal(await others.run('wait', 1), 'waited', 'the next one starts');
    await others.close();
  });
});
