import { setImmediate as pause } from 'node:timers/promises';

/**
 * Calls `work` for each item and lets other requests run in between.
 *
 * @param steps how many items to process without a pause
 */
export async function walkWithPauses<T>(
  items: Iterable<T>,
  steps: number,
  work: (item: T) => void,
): Promise<void> {
  let left = steps;
  for (const item of items) {
    work(item);
    left--;
    if (left > 0) continue;
    await pause();
    left = steps;
  }
}
