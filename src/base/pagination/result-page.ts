/** A requested result page. `number` starts at 1. */
export interface PageRequest {
  number: number;
  size: number;
}

/** Long lists are counted only up to here, because counting takes longer than reading a page. */
export const COUNTED = 10_000;

/** One result page, and the length of the whole list. */
export interface Page<T> {
  items: readonly T[];
  /**
   * If a list of documents is longer than {@link COUNTED}, this is only a lower bound: larger than
   * that, and larger than the end of this page if there is another one.
   */
  total: number;
}

export function offsetOf(page: PageRequest): number {
  return (page.number - 1) * page.size;
}

/** Returns the number of the last result page; 0 if the list is empty. */
export function lastPageNumber(total: number, size: number): number {
  return Math.ceil(total / size);
}

/** Returns the length of a list as readers see it: `10,000+` if it wasn't counted further. */
export function shownTotal(total: number): string {
  return total > COUNTED ? `${COUNTED.toLocaleString('en')}+` : String(total);
}

export function mapPage<T, U>(page: Page<T>, show: (item: T) => U): Page<U> {
  return { items: page.items.map(show), total: page.total };
}
