import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { BackEndUnavailable, ServiceError } from '../errors.ts';
import { createFairQueue, type FairQueueLimits } from './fair-queue.ts';

/** Creates a queue whose tasks, named by key and number, end when the test says so. */
function controlled(limits: FairQueueLimits) {
  const queue = createFairQueue(limits);
  const started: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  return {
    queue,
    started,
    send(name: string): Promise<string> {
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      return queue.run(name.charAt(0), async () => {
        started.push(name);
        await gate.promise;
        return name;
      });
    },
    async finish(name: string, error?: Error): Promise<void> {
      const gate = gates.get(name);
      if (error) gate?.reject(error);
      else gate?.resolve();
      await tick();
    },
  };
}

describe('A fair queue', () => {
  it('runs a few tasks at once, and those of one key in order', async () => {
    const { send, finish, started } = controlled({ running: 2, waiting: 10 });
    const work = ['a1', 'a2', 'a3', 'a4'].map((name) => send(name));
    await tick();
    assert.deepEqual(started, ['a1', 'a2']);
    await finish('a2');
    assert.deepEqual(started, ['a1', 'a2', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await finish(name);
    assert.deepEqual(await Promise.all(work), ['a1', 'a2', 'a3', 'a4']);
  });

  it('lets keys take turns, however many tasks one has', async () => {
    const { send, finish, started } = controlled({ running: 1, waiting: 100 });
    const names = ['m1', 'm2', 'm3', 'm4', 'm5', 'a1', 'b1', 'b2'];
    const work = names.map((name) => send(name));
    await tick();
    for (let index = 0; index < names.length; index++) await finish(started[index] as string);
    await Promise.all(work);
    assert.deepEqual(started, ['m1', 'a1', 'b1', 'm2', 'b2', 'm3', 'm4', 'm5']);
  });

  it('reserves slots for other keys if one key is limited', async () => {
    const { send, finish, started } = controlled({ running: 2, runningPerKey: 1, waiting: 10 });
    const work = ['m1', 'm2', 'm3', 'a1'].map((name) => send(name));
    await tick();
    assert.deepEqual(started, ['m1', 'a1']);
    await finish('a1');
    assert.deepEqual(started, ['m1', 'a1']);
    for (const name of ['m1', 'm2', 'm3']) await finish(name);
    assert.deepEqual(started, ['m1', 'a1', 'm2', 'm3']);
    await Promise.all(work);
  });

  it('returns 429 if a key has too many tasks, 503 if all together have', async () => {
    const { send, finish } = controlled({ running: 1, waiting: 3, waitingPerKey: 2 });
    const work = ['m1', 'm2', 'm3'].map((name) => send(name));
    await assert.rejects(send('m4'), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual([error.status, error.retryAfterSeconds], [429, 2]);
      return true;
    });
    work.push(send('a1'));
    await assert.rejects(send('b1'), BackEndUnavailable);
    for (const name of ['m1', 'a1', 'm2', 'm3']) await finish(name);
    assert.deepEqual(await Promise.all(work), ['m1', 'm2', 'm3', 'a1']);
  });

  it('continues after a task that rejects or throws', async () => {
    const { queue, send, finish } = controlled({ running: 1, waiting: 10 });
    const failing = assert.rejects(send('a1'), /failed/);
    const next = send('a2');
    await finish('a1', new Error('failed'));
    await failing;
    await finish('a2');
    assert.equal(await next, 'a2');
    const thrown = queue.run('a', () => {
      throw new Error('at once');
    });
    await assert.rejects(thrown, /at once/);
    assert.equal(await queue.run('a', async () => 'again'), 'again');
  });
});
