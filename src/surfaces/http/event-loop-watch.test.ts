import { strict as assert } from 'node:assert';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { freePorts } from '../../../test/free-ports.ts';
import { startService } from '../../../test/harness.ts';
import { until } from '../../../test/until.ts';
import { type Block, type EventLoopWatch, watchEventLoop } from './event-loop-watch.ts';

const BLOCK_MS = 300;

/** Blocks the event loop. */
function block(ms = BLOCK_MS): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const request = (url: string) =>
  ({ id: `id-of-${url}`, routeOptions: { url } }) as unknown as FastifyRequest;

describe('The event-loop watch', () => {
  let watch: EventLoopWatch;
  let blocks: Block[];

  beforeEach(async () => {
    blocks = [];
    watch = watchEventLoop((one) => blocks.push(one));
    watch.start();
    await sleep(50);
    // Independent of other load on the machine.
    blocks.length = 0;
  });
  afterEach(() => watch.stop());

  /** The routes blamed for the longest block; a busy machine can make shorter ones. */
  async function blamed(): Promise<(string | undefined)[]> {
    await sleep(100);
    const [longest] = blocks.toSorted((one, other) => other.ms - one.ms);
    assert.ok(longest && longest.ms >= BLOCK_MS - 50, JSON.stringify(blocks));
    return longest.suspects.map(({ request }) => request.routeOptions.url);
  }

  it('reports nothing before it is started, while the code is loaded', async () => {
    watch.stop();
    watch = watchEventLoop((one) => blocks.push(one));
    block();
    watch.start();
    await sleep(50);
    assert.deepEqual(
      blocks.filter(({ ms }) => ms >= BLOCK_MS - 50),
      [],
    );
  });

  it('blames the request that was running, even if another answers right after', async () => {
    watch.begins('rest', request('/slow'));
    block();
    await Promise.resolve();
    watch.begins('web', request('/quick'));
    watch.answers('web', request('/quick'));
    assert.deepEqual(await blamed(), ['/slow']);
  });

  it('blames the request that answers right after, not one that is waiting', async () => {
    watch.begins('web', request('/waiting'));
    await sleep(1);
    block();
    watch.answers('rest', request('/slow'));
    assert.deepEqual(await blamed(), ['/slow']);
  });

  it('blames the request whose response was slow to send', async () => {
    watch.answers('web', request('/quick'));
    watch.answers('rest', request('/long'));
    block();
    assert.deepEqual(await blamed(), ['/long']);
  });

  it('names all running requests if it cannot tell, and none if there are none', async () => {
    const [first, second, gone] = [request('/first'), request('/second'), request('/gone')];
    for (const one of [first, second, gone]) watch.arrives('rest', one);
    watch.begins('rest', first);
    watch.leaves(gone);
    await sleep(1);
    block();
    watch.arrives('rest', request('/later'));
    assert.deepEqual(await blamed(), ['/first', '/second']);
    for (const one of [first, second]) watch.leaves(one);
    block(2 * BLOCK_MS);
    assert.deepEqual(await blamed(), ['/later']);
  });

  it('reports nothing for short blocks', async () => {
    for (let times = 0; times < 20; times++) {
      block(5);
      await sleep(1);
    }
    assert.deepEqual(
      blocks.filter(({ ms }) => ms > BLOCK_MS),
      [],
    );
  });
});

describe('A request that blocks the event loop', () => {
  it('is in the log and the metrics, by its route', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const [metricsPort] = await freePorts(1);
    let blocksNow = false;
    const now = () => {
      if (blocksNow) block();
      blocksNow = false;
      return new Date().toISOString();
    };
    const service = await startService({ METRICS_PORT: `${metricsPort}` }, { logger, now });
    try {
      const ada = await service.user('ada');
      await ada.get('/user');
      // The start has blocks of its own.
      lines.length = 0;
      blocksNow = true;
      const slow = await ada.post('/user/briefs', { content: '# Slow' });
      const logged = () =>
        lines.map((line) => JSON.parse(line)).find(({ ms }) => ms >= BLOCK_MS - 50);
      await until('a line', () => logged() !== undefined);
      const { surface, route, requestId, level } = logged();
      const id = slow.headers.get('x-request-id');
      assert.deepEqual([surface, route, level], ['rest', '/api/user/briefs', 40]);
      assert.equal(requestId, id);
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      assert.match(
        text,
        /^briefs_event_loop_block_duration_seconds_count\{surface="rest",route="\/api\/user\/briefs"\} [1-9]/m,
      );
    } finally {
      await service.stop();
    }
  });
});
