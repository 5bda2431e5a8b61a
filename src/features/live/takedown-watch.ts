import { type Context, later } from '../../core/context.ts';
import { listTakenDownSince } from '../../core/document/takedown-store.ts';
import type { LiveHub } from './live-hub.ts';

/** How often to look for what was taken down, and how far back the clocks of others may be. */
const EVERY_MS = 500;
const CLOCKS_DIFFER_MS = 5_000;

/**
 * Tells open pages that their document was taken down, by any process or command. No event does.
 *
 * @returns a function that stops it
 */
export function watchTakedowns(
  context: Context,
  hub: LiveHub,
  onFailure: (fault: unknown) => void,
): () => Promise<void> {
  let lookedAt = context.now();
  let isLooking = false;

  async function look(): Promise<void> {
    const open = hub.documentIds();
    if (open.size === 0 || isLooking) return;
    isLooking = true;
    try {
      const now = context.now();
      const since = later(lookedAt, -CLOCKS_DIFFER_MS);
      for (const id of await listTakenDownSince(context.sql.read, since)) {
        if (open.has(id)) hub.check(id);
      }
      lookedAt = now;
    } catch (fault) {
      onFailure(fault);
    } finally {
      isLooking = false;
    }
  }

  const timer = setInterval(() => void look(), EVERY_MS).unref();
  return async () => clearInterval(timer);
}
