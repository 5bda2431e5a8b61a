import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../src/core/context.ts';
import { indexPending } from '../../src/features/search/search-index-service.ts';

const PATIENCE_MS = 30_000;

/**
 * Waits until searches find everything written. The service indexes in the background, and no one
 * else can claim its documents until it is done.
 */
export async function everythingIndexed(context: Context): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    while ((await indexPending(context, 100)).done > 0);
    const { left } = await context.sql.read
      .selectFrom('search_pending')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .executeTakeFirstOrThrow();
    if (Number(left) === 0) return;
    assert.ok(Date.now() < until, `${left} documents are still to be indexed`);
    await sleep(10);
  }
}
