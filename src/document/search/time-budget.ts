/** Tells whether the time for some work is used up. */
export type IsOver = () => boolean;

/** For work that may take as long as it does. */
export const noLimit: IsOver = () => false;

/** How many items pass between two looks at the time. */
const ITEMS_PER_LOOK = 128;

/** Yields items until they end or the time is over. */
export function* whileInTime<T>(items: Iterable<T>, isOver: IsOver): Generator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS_PER_LOOK === 0 && isOver()) return;
  }
}
