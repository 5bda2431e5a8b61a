/** Returns whether the time for some work is used up. */
export type IsOver = () => boolean;

/** For work without a time limit. */
export const noLimit: IsOver = () => false;

/** How many items are yielded between checks of the time. */
const ITEMS_PER_LOOK = 128;

/** Yields items until they end or time runs out. */
export function* whileInTime<T>(items: Iterable<T>, isOver: IsOver): Generator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS_PER_LOOK === 0 && isOver()) return;
  }
}
