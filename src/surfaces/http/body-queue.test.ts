import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { createBodyQueue } from './body-queue.ts';

function requestOf(account: string, bytes: number): FastifyRequest {
  return { actor: { id: account }, body: Buffer.alloc(bytes) } as unknown as FastifyRequest;
}

describe('Concurrent request bodies', () => {
  it('are parsed in separate event-loop ticks, alternating between accounts', async () => {
    const turns = createBodyQueue();
    const read: [iteration: number, account: string][] = [];
    let iteration = 0;
    const reading = ['ada', 'ada', 'ada', 'bob'].map((account) =>
      turns.read(requestOf(account, 9_000), () => read.push([iteration, account])),
    );
    for (; iteration < 20; iteration++) await nextTurn();
    await Promise.all(reading);
    assert.deepEqual(
      read.map(([, account]) => account),
      ['ada', 'bob', 'ada', 'ada'],
    );
    assert.equal(new Set(read.map(([at]) => at)).size, read.length);
  });

  it('are parsed immediately if short', async () => {
    const turns = createBodyQueue();
    let count = 0;
    const reading = [1, 2, 3].map(() => turns.read(requestOf('ada', 100), () => ++count));
    assert.equal(count, 3);
    assert.deepEqual(await Promise.all(reading), [1, 2, 3]);
  });

  it('pass on parse errors without affecting later bodies', async () => {
    const turns = createBodyQueue();
    const failing = turns.read(requestOf('ada', 9_000), () => {
      throw new RangeError('not JSON');
    });
    const next = turns.read(requestOf('ada', 9_000), () => 'read');
    await assert.rejects(failing, /not JSON/);
    assert.equal(await next, 'read');
  });

  it('get 429 when 200 of one account wait', async () => {
    const turns = createBodyQueue();
    const all = Array.from({ length: 202 }, () =>
      turns.read(requestOf('ada', 9_000), () => 'read').catch(({ status }) => status),
    );
    const other = turns.read(requestOf('bob', 9_000), () => 'read');
    const outcomes = await Promise.all(all);
    assert.deepEqual(outcomes.slice(-2), ['read', 429]);
    assert.equal(await other, 'read');
  });
});
