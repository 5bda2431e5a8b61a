/**
 * Finds the first index below a length that passes a test by binary search.
 *
 * @param isPast if it holds for an index, it holds for all after it
 * @returns the length if it holds for none
 */
export function firstIndex(length: number, isPast: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
