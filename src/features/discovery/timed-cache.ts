/** Caches values for a time. Concurrent requests for a value share its creation. */
export interface TimedCache {
  get(key: string, make: () => Promise<string>): Promise<string>;
}

/** @param size the most values to cache; the one created first is dropped first */
export function createTimedCache(lifetimeMs: number, size: number): TimedCache {
  const made = new Map<string, { value: Promise<string>; until: number }>();
  return {
    get(key, make) {
      const known = made.get(key);
      if (known && performance.now() < known.until) return known.value;
      const value = make();
      made.delete(key);
      made.set(key, { value, until: performance.now() + lifetimeMs });
      value.catch(() => made.delete(key));
      const [oldest] = made.keys();
      if (made.size > size && oldest !== undefined) made.delete(oldest);
      return value;
    },
  };
}
