import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { tidyLists } from './checkpoint-service.ts';

/** How often to look for what processes have left behind, and how long to wait after a failure. */
const EVERY_MS = 5_000;
const WHILE_AWAY_MS = 30_000;

/**
 * Finishes sittings in the background.
 *
 * @param onFailure called on failures; the next look tries again
 */
export function startTidier(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  async function step(): Promise<undefined> {
    await tidyLists(context, onFailure);
  }
  return startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
}
