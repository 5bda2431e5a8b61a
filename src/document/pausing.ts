import { setImmediate as pause } from 'node:timers/promises';

/**
 * Walks over what may be long, and lets others work in between.
 *
 * @param steps how many items are walked over without a pause
 * @param work `true` ends the walk
 */
export async function walkWithPauses<T>(
  items: Iterable<T>,
  steps: number,
  work: (item: T) => boolean,
): Promise<void> {
  let left = steps;
  for (const item of items) {
    if (work(item)) return;
    left--;
    if (left > 0) continue;
    await pause();
    left = steps;
  }
}
