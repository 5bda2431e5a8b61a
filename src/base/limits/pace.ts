/** How much one key may do at once, and then each second. */
export interface PaceLimits {
  burst: number;
  perSecond: number;
}

/** Keys that did nothing for a while are forgotten once there are more than this. */
const MOST_KEYS = 1_000;

/**
 * Spreads what a key does over time.
 *
 * @returns a function that counts a cost and tells how long to wait before doing it, in ms
 */
export function createPace({ burst, perSecond }: PaceLimits) {
  /** When all that a key did will be paid for, in ms. */
  const paidAt = new Map<string, number>();

  return (key: string, cost: number): number => {
    const now = performance.now();
    if (paidAt.size > MOST_KEYS) {
      for (const [each, at] of paidAt) if (at <= now) paidAt.delete(each);
    }
    const at = Math.max(now, paidAt.get(key) ?? 0) + (cost / perSecond) * 1_000;
    paidAt.set(key, at);
    return Math.max(0, at - now - (burst / perSecond) * 1_000);
  };
}
