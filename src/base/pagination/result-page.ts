/** A requested result page. `number` starts at 1. */
export interface PageRequest {
  number: number;
  size: number;
}

/** One result page, and the length of the whole list. */
export interface Page<T> {
  items: readonly T[];
  total: number;
}

/** A part of a feed, and the cursor of the next one. */
export interface FeedPart<T> {
  items: readonly T[];
  /** `null` after the last part. */
  cursor: string | null;
}

export function offsetOf(page: PageRequest): number {
  return (page.number - 1) * page.size;
}

/** Returns the number of the last result page; 0 if the list is empty. */
export function lastPageNumber(total: number, size: number): number {
  return Math.ceil(total / size);
}

export function mapPage<T, U>(page: Page<T>, show: (item: T) => U): Page<U> {
  return { items: page.items.map(show), total: page.total };
}
