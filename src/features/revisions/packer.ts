import {
  type BackgroundLoop,
  type LoopState,
  startLoop,
} from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import type { RawText } from '../../core/revision/packing-store.ts';
import { packWaiting } from './pack-service.ts';

/** How often the packer looks for texts, including those of other processes. */
const EVERY_MS = 5_000;

/** How long the packer waits while a back end is down. */
const WHILE_AWAY_MS = 30_000;

/** How many times as long as it worked the packer rests, because requests come first. */
const REST_PER_WORK = 2;

/**
 * Packs replaced texts in the background.
 *
 * @param onFailure called on failures; the packer retries after a while
 */
export function startPacker(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  let after: RawText | undefined;

  async function step({ isStopping }: LoopState): Promise<number | undefined> {
    const start = performance.now();
    after = await packWaiting(context, { isStopping, onFailure }, after);
    return after && (performance.now() - start) * REST_PER_WORK;
  }

  return startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
}
