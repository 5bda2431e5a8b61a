/** One page of a list, as asked for: `number` counts from 1. */
export interface PageRequest {
  number: number;
  size: number;
}

/** One page of a list, and how long the whole list is. */
export interface Page<T> {
  items: readonly T[];
  total: number;
}

/** How many items come before the page. */
export function offsetOf(page: PageRequest): number {
  return (page.number - 1) * page.size;
}

/** The number of the last page that has items; 0 when there are none. */
export function lastPageNumber(total: number, size: number): number {
  return Math.ceil(total / size);
}

/** A page with each item shown another way. */
export function mapPage<T, U>(page: Page<T>, show: (item: T) => U): Page<U> {
  return { items: page.items.map(show), total: page.total };
}
