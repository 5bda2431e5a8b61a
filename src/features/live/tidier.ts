import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import { type Context, later } from '../../core/context.ts';
import { deleteClientsBefore } from '../../core/live/live-store.ts';
import { tidyLists } from './checkpoint-service.ts';

/** How often to look for what processes have left behind, and how long to wait after a failure. */
const EVERY_MS = 5_000;
const WHILE_AWAY_MS = 30_000;

/** How long an editor's changes are known again if it comes back. */
const CLIENTS_MS = 30 * 24 * 60 * 60_000;

/**
 * Finishes sittings in the background.
 *
 * @param onFailure called on failures; the next look tries again
 */
export function startTidier(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  async function step(): Promise<undefined> {
    await tidyLists(context, onFailure);
    const before = later(context.now(), -CLIENTS_MS);
    await context.sql.transaction((tx) => deleteClientsBefore(tx, before));
  }
  return startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
}
